// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Fingerprint.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Slabs.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_Text.hpp>
#include <limits>
#include <string>

namespace Tomokkos {

std::optional<SlabPlan> plan_slabs(const ProblemSection& problem, std::size_t scalar_bytes,
                                   int num_ranks, bool is_recorded) {
  if (!problem.sinogram || !problem.slices) return {};
  if (problem.slab == 0 && (!problem.slices->all || num_ranks > 1 || is_recorded)) return {};
  if (num_ranks > 1)
    throw ConfigError(Impl::text(
        "problem.slab: slabs are solved by a single process, but {} were started; leave out the "
        "key to solve all slices as one stack",
        num_ranks));
  if (is_recorded)
    throw ConfigError(
        "problem.slab: a comparison records one stack; leave out the key and select a few slices "
        "by problem.slices: [first, count]");
  const StackShape shape = read_stack_shape(*problem.sinogram, *problem.slices);
  const auto count = static_cast<Ordinal>(shape.slices);
  const auto& [rows, columns] = *problem.volume.size;
  const auto pixels = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
  const bool fits = problem.slab > 0 ? count <= problem.slab
                                     : count <= SlabPlan::most &&
                                           !may_need_slabs(shape.slices, shape.rays, pixels,
                                                           scalar_bytes, available_host_memory());
  if (fits) return {};
  return SlabPlan{static_cast<Ordinal>(shape.first), count, problem.slab};
}

void check_slabs(const SlabPlan& plan, const OutputSection& output, const StopRules& stop) {
  const auto count = static_cast<std::uint64_t>(plan.count);
  const std::string slabs =
      "; this run solves its slices slab by slab (problem.slab), and a stack that fits in memory "
      "is solved at once with problem.slices: [first, count]";
  if (output.every > 0)
    throw ConfigError("output.every: images of all slices do not exist during the iterations" +
                      slabs);
  const auto other_formats = [](const ImageFormat& other) {
    const bool is_array = other.writer.slices != nullptr && other.content == ImageContent::array;
    return is_array ? other.name : "";
  };
  for (const ImageFormat& format : image_formats()) {
    if (!output.writes(format)) continue;
    const ImageWriter& writer = format.writer;
    if (!writer.not_by_slices.empty())
      throw ConfigError("output.image: " + std::string(writer.not_by_slices) + slabs);
    if (writer.slices != nullptr && count > writer.slices->most_slices)
      throw ConfigError(Impl::text(
          "output.image: a {} file holds at most {} images, but the data have {} slices; use {}, "
          "or select slices by problem.slices: [first, count]",
          format.name, writer.slices->most_slices, count, list_formats(" or ", other_formats)));
  }
  StopRules::for_active(stop, [&](const auto& rule) { rule.require_slices(count); });
}

RunInput read_input_of_matrix(const ProblemSection& problem, const RunSection& run,
                              const InputUse& use, const std::optional<SlabPlan>& slabs) {
  std::optional<Slab> middle;
  if (slabs) middle = slab_of(*slabs, slabs->count / 2, 1);
  return read_input(problem, run, use, middle);
}

std::vector<double> fingerprints_of_slices(const RunInput& input) {
  const std::size_t rays = input.data.size() / static_cast<std::size_t>(input.slices);
  std::vector<double> result;
  for (std::size_t at = 0; at < input.data.size(); at += rays)
    result.push_back(fingerprint_number(input.data.data() + at, rays * sizeof(double)));
  return result;
}

template <class Scalar>
ReadSlab<Scalar> read_slab(const ProblemSection& problem, const RunSection& run,
                           const InputUse& use, const SlabPlan& slabs, const Slab& slices) {
  ReadSlab<Scalar> slab;
  slab.input = read_input(problem, run, use, slices);
  slab.fingerprints = fingerprints_of_slices(slab.input);
  slab.clamped_negative = static_cast<double>(check_negative_data(problem, use.needs, slab.input));
  std::vector<double>& data = slab.input.data;
  slab.smallest = std::numeric_limits<double>::infinity();
  slab.largest = -slab.smallest;
  for (const double value : data) {
    if (value < slab.smallest) slab.smallest = value;
    if (value > slab.largest) slab.largest = value;
  }
  const Ordinal read = slab.input.slices, solved = slabs.solved(read);
  const std::size_t rays = data.size() / static_cast<std::size_t>(read);
  const std::vector<double> last(data.end() - static_cast<std::ptrdiff_t>(rays), data.end());
  for (Ordinal copy = read; copy < solved; ++copy)
    data.insert(data.end(), last.begin(), last.end());
  slab.counted_rays = counted_rays(data, solved, slab.input.masks.rows);
  slab.columns = side_by_side<Scalar>(data, solved);
  return slab;
}

template ReadSlab<float> read_slab(const ProblemSection&, const RunSection&, const InputUse&,
                                   const SlabPlan&, const Slab&);
template ReadSlab<double> read_slab(const ProblemSection&, const RunSection&, const InputUse&,
                                    const SlabPlan&, const Slab&);

}  // namespace Tomokkos
