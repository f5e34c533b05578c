// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_SliceFile.hpp>
#include <algorithm>
#include <array>
#include <string_view>

namespace Tomokkos {

namespace {

constexpr std::array<std::string_view, 7> extensions{".npy", ".png", ".tif", ".h5",
                                                     ".mtx", ".obj", ".ply"};
constexpr std::string_view checkpoint_name = "checkpoint.npz";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes the number of an iteration, slice or view, and `_polar`, from the stem of a file name.
std::string stem_of_result(const std::filesystem::path& name) {
  std::string stem = name.stem().string();
  const auto cut_number = [&](std::string_view before, std::size_t least_digits) {
    std::size_t digits = 0;
    while (digits < stem.size() && is_digit(stem[stem.size() - 1 - digits])) ++digits;
    const std::string_view rest = std::string_view(stem).substr(0, stem.size() - digits);
    if (digits >= least_digits && rest.ends_with(before)) stem.resize(rest.size() - before.size());
  };
  cut_number("_slice_", 3);
  if (stem.ends_with("_polar")) stem.resize(stem.size() - 6);
  cut_number("_", 3);
  return stem;
}

bool has_result_extension(const std::filesystem::path& name) {
  return std::find(extensions.begin(), extensions.end(), name.extension().string()) !=
         extensions.end();
}

bool is_among(const std::string& stem, std::initializer_list<std::string_view> stems) {
  return std::find(stems.begin(), stems.end(), stem) != stems.end();
}

bool writes_extension(const RunConfig& config, const std::string& extension) {
  const OutputSection& output = config.output;
  if (config.problem.mesh)
    return extension == ".png" ? output.picture_size > 0
                               : extension == (output.mesh == MeshFileKind::ply ? ".ply" : ".obj");
  if (config.problem.kind == ProblemKind::linear_system)
    return (extension == ".npy" && output.writes(SolutionFile::npy)) ||
           (extension == ".mtx" && output.writes(SolutionFile::mtx));
  return (extension == ".npy" && output.writes(ImageFile::npy)) ||
         (extension == ".png" && output.writes(ImageFile::png)) ||
         (extension == ".h5" && output.writes(ImageFile::hdf5)) ||
         (extension == ".tif" &&
          (output.writes(ImageFile::tiff) || output.writes(ImageFile::tiff16)));
}

bool writes_stem(const RunConfig& config, const std::string& stem) {
  switch (config.problem.kind) {
    case ProblemKind::tomography:
      return is_among(stem, {"reconstruction", "sinogram"}) ||
             (stem == "phantom" && config.problem.phantom) ||
             (stem == "projection" && config.problem.as<ConeBeamRows>());
    case ProblemKind::linear_system:
      return stem == "solution";
    case ProblemKind::parameterization:
      return is_among(stem, {"chart", "surface"});
    case ProblemKind::smoothing:
      return is_among(stem, {"smoothed", "before", "after"});
  }
  return false;
}

}  // namespace

std::vector<std::filesystem::path> input_files(const RunConfig& config) {
  const ProblemSection& problem = config.problem;
  std::vector<std::filesystem::path> files{config.file,
                                           problem.mask,
                                           problem.ray_mask,
                                           problem.rhs,
                                           problem.matrix,
                                           problem.locked.file,
                                           config.solver.start.image.file};
  if (const auto* scan = problem.as<ScanConfig>()) {
    files.push_back(scan->angles_file);
    files.push_back(scan->vectors_file);
  }
  if (problem.phantom) files.push_back(problem.phantom->file);
  if (problem.sinogram)
    for (const auto* file :
         {&problem.sinogram->file, &problem.sinogram->flat, &problem.sinogram->dark})
      for (const auto& each : matching_files(*file)) files.push_back(each);
  if (problem.mesh) files.push_back(problem.mesh->file);
  for (const auto* source : {&config.solver.background, &config.solver.multiplicative})
    if (*source) files.push_back((*source)->file);
  std::erase_if(files, [](const std::filesystem::path& file) { return file.empty(); });
  return files;
}

bool is_result_name(const std::filesystem::path& name) {
  // Files of a volume that is not complete.
  if (name.extension() == SliceFile<float>::partial_extension) return is_result_name(name.stem());
  return name == checkpoint_name ||
         (has_result_extension(name) &&
          is_among(stem_of_result(name),
                   {"reconstruction", "sinogram", "phantom", "projection", "solution", "chart",
                    "surface", "smoothed", "before", "after"}));
}

bool may_write(const RunConfig& config, const std::filesystem::path& name) {
  if (name == config.output.report) return true;
  if (name == checkpoint_name) return config.output.checkpoint > 0;
  return has_result_extension(name) && writes_extension(config, name.extension().string()) &&
         writes_stem(config, stem_of_result(name));
}

void require_inputs_stay(const RunConfig& config) {
  const std::vector<std::filesystem::path> inputs = input_files(config);
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(config.output.directory, error)) {
    const std::filesystem::path name = entry.path().filename();
    if (!may_write(config, name)) continue;
    for (const std::filesystem::path& input : inputs)
      if (std::filesystem::equivalent(entry.path(), input, error))
        throw ConfigError("output.directory: the run would overwrite " + entry.path().string() +
                          ", which it reads" +
                          (entry.path() == input ? "" : " as " + input.string()) +
                          "; choose another output.directory or rename the file");
  }
}

namespace {

std::optional<SolveProgress> progress_in(const std::filesystem::path& checkpoint) {
  try {
    return read_checkpoint<float>(checkpoint).progress;
  } catch (const Error&) {
  }
  try {
    return read_checkpoint<double>(checkpoint).progress;
  } catch (const Error&) {
  }
  return std::nullopt;
}

}  // namespace

void require_no_later_checkpoint(const RunConfig& config) {
  const std::filesystem::path checkpoint = config.output.directory / checkpoint_name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(checkpoint, error)) return;
  const auto progress = progress_in(checkpoint);
  if (!progress) return;
  if (const auto volume = volume_of(*progress))
    throw ConfigError("output.directory: " + checkpoint.string() +
                      " and the files beside it hold " + std::to_string(volume->done) + " of " +
                      std::to_string(volume->slices) +
                      " slices of an earlier run; give --resume to continue it, --overwrite to "
                      "start again, or another output.directory to keep both");
  if (progress->iteration <= config.solver.iterations()) return;
  throw ConfigError("output.directory: " + checkpoint.string() + " holds iteration " +
                    std::to_string(progress->iteration) +
                    " of an earlier run, but this run ends at iteration " +
                    std::to_string(config.solver.iterations()) +
                    "; give --resume and more iterations to continue it, --overwrite to start "
                    "again, or another output.directory to keep both");
}

std::vector<std::filesystem::path> earlier_results(
    const std::filesystem::path& folder, const std::vector<std::filesystem::path>& written) {
  std::vector<std::filesystem::path> result;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::filesystem::path name = entry.path().filename();
    if (is_result_name(name) &&
        std::none_of(written.begin(), written.end(),
                     [&](const std::filesystem::path& file) { return file.filename() == name; }))
      result.push_back(name);
  }
  std::sort(result.begin(), result.end());
  return result;
}

}  // namespace Tomokkos
