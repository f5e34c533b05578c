// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_PhantomFile.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

using Shape = std::vector<std::size_t>;

Shape shape_of_image(const VolumeConfig& volume) {
  return {static_cast<std::size_t>((*volume.size)[0]), static_cast<std::size_t>((*volume.size)[1])};
}

[[noreturn]] void refuse_shape(const ProblemSection& problem, const Shape& found) {
  const VolumeConfig& volume = problem.volume;
  Shape wanted = shape_of_image(volume);
  std::string text = shape_text(wanted) + " pixels";
  if (volume.slices) {
    wanted.insert(wanted.begin(), static_cast<std::size_t>(*volume.slices));
    text =
        shape_text(wanted) + " voxels; a single image, rows x columns, is repeated in all slices";
  } else {
    text += "; a stack of images is slices x rows x columns";
  }
  throw DimensionMismatch("problem.phantom: " + problem.phantom->file.string() + " is " +
                          shape_text(found) + ", but problem.volume.size is " + text);
}

}  // namespace

PhantomImages choose_phantom_images(const ProblemSection& problem) {
  const std::filesystem::path& file = problem.phantom->file;
  const Shape found = read_npy_info(file).shape;
  const Shape image = shape_of_image(problem.volume);
  const bool is_one = found == image;
  if (!is_one && (found.size() != 3 || !std::equal(image.begin(), image.end(), found.begin() + 1)))
    refuse_shape(problem, found);
  if (problem.volume.slices) {
    if (!is_one && found[0] != static_cast<std::size_t>(*problem.volume.slices))
      refuse_shape(problem, found);
    return {!is_one, 0, is_one ? 1 : *problem.volume.slices};
  }
  const auto& slices = problem.slices;
  if (is_one) {
    if (slices && (slices->all || slices->first > 0))
      throw ConfigError("problem.slices: " + file.string() +
                        " is a single image; give the number of copies, each with its own noise");
    return {};
  }
  const std::string stack =
      file.string() + " is a stack of " + std::to_string(found[0]) + " images";
  if (found[0] == 0 || found[0] > static_cast<std::size_t>(max_ordinal))
    throw InputError("problem.phantom: " + stack);
  if (!slices && found[0] > 1)
    throw ConfigError(
        "problem.phantom: " + stack +
        "; select the images to project by problem.slices (all, a number, [first, count])");
  PhantomImages result{true};
  if (slices && slices->all) result.count = static_cast<Ordinal>(found[0]);
  if (slices && !slices->all) {
    result.first = slices->first;
    result.count = slices->count;
  }
  if (static_cast<std::size_t>(result.first) + static_cast<std::size_t>(result.count) > found[0])
    throw ConfigError("problem.slices: " + stack + ", not of " +
                      std::to_string(static_cast<long long>(result.first) + result.count));
  return result;
}

std::vector<double> read_phantom_images(const ProblemSection& problem,
                                        const PhantomImages& images) {
  const std::filesystem::path& file = problem.phantom->file;
  if (!images.is_stack) return read_npy<double>(file).data;
  std::vector<double> result;
  for (Ordinal i = images.first; i < images.first + images.count; ++i) {
    const std::vector<double> image =
        read_npy_slice<double>(file, 0, static_cast<std::size_t>(i)).data;
    result.insert(result.end(), image.begin(), image.end());
  }
  return result;
}

}  // namespace Tomokkos
