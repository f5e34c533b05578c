// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace Tomokkos {

namespace {

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

/// Stems of the results of each kind of problem.
constexpr std::pair<ProblemKind, std::string_view> result_stems[]{
    {ProblemKind::tomography, "reconstruction"}, {ProblemKind::tomography, "sinogram"},
    {ProblemKind::tomography, "phantom"},        {ProblemKind::tomography, "projection"},
    {ProblemKind::linear_system, "solution"},    {ProblemKind::parameterization, "chart"},
    {ProblemKind::parameterization, "surface"},  {ProblemKind::smoothing, "smoothed"},
    {ProblemKind::smoothing, "before"},          {ProblemKind::smoothing, "after"}};

/// True for a stem of results of \p kind; empty: of any kind.
bool is_stem(std::string_view stem, std::optional<ProblemKind> kind) {
  return std::any_of(std::begin(result_stems), std::end(result_stems), [&](const auto& result) {
    return result.second == stem && (!kind || result.first == *kind);
  });
}

/// Format that writes files of this extension; nullptr: none.
const ImageFormat* format_of_result(const std::filesystem::path& extension) {
  for (const ImageFormat& format : image_formats())
    if (!format.name.empty() && extension == format.extension()) return &format;
  return nullptr;
}

/// True for a file of a volume that is not complete. Its stem is the name of the complete file.
bool is_partial(const std::filesystem::path& name) {
  return name.extension() == SliceFile<float>::partial_extension;
}

bool writes_extension(const ProblemSection& problem, const OutputSection& output,
                      const std::string& extension) {
  if (problem.mesh)
    return extension == ".png" ? output.picture_size > 0
                               : extension == (output.mesh == MeshFileKind::ply ? ".ply" : ".obj");
  if (problem.kind == ProblemKind::linear_system)
    return (extension == ".npy" && output.writes(SolutionFile::npy)) ||
           (extension == ".mtx" && output.writes(SolutionFile::mtx));
  const auto& formats = image_formats();
  return std::any_of(formats.begin(), formats.end(), [&](const ImageFormat& format) {
    return extension == format.extension() && output.writes(format);
  });
}

/// True for the file names of results of any run: `reconstruction_00010.npy`, `chart.obj`,
/// `checkpoint.npz`.
bool is_result_name(const std::filesystem::path& name) {
  if (is_partial(name)) return is_result_name(name.stem());
  if (name == checkpoint_name) return true;
  const std::filesystem::path extension = name.extension();
  if (format_of_result(extension) == nullptr && extension != ".mtx" && extension != ".obj" &&
      extension != ".ply")
    return false;
  return is_stem(stem_of_result(name), std::nullopt);
}

/// True when a run of \p problem may write a file called \p name into its folder.
bool may_write(const ProblemSection& problem, const OutputSection& output,
               const std::filesystem::path& name) {
  if (name == output.report) return true;
  if (is_partial(name)) return problem.slices && may_write(problem, output, name.stem());
  if (name == checkpoint_name) return output.checkpoint > 0;
  const std::string stem = stem_of_result(name);
  return is_stem(stem, problem.kind) && (stem != "phantom" || problem.phantom) &&
         (stem != "projection" || problem.traits().is_polar) &&
         writes_extension(problem, output, name.extension().string());
}

// Looked at by `require_replaceable_meshes`: the program can also be built without meshes.
const OutputKind mesh_file{"a mesh", [](const std::filesystem::path&) { return true; }};

/// Returns the kind of a result of this name.
const OutputKind& kind_of_result(const OutputSection& output, const std::filesystem::path& name) {
  if (name == output.report) return report_output;
  if (name == checkpoint_name) return checkpoint_output;
  const bool partial = is_partial(name);
  const std::filesystem::path extension = (partial ? name.stem() : name).extension();
  if (const ImageFormat* format = format_of_result(extension)) {
    const SliceFormat* slices = format->writer.slices;
    return partial && slices != nullptr ? slices->partial : *format->writer.kind;
  }
  return extension == ".mtx" ? matrix_market_output : mesh_file;
}

/// Lets the run replace the files that a report of its folder names, even damaged ones.
void allow_files_of_report(const std::filesystem::path& report) {
  const Impl::LookOnly looks;
  if (!report_output.recognises(report)) return;
  for (const std::string& name : files_of_report(report))
    allow_replacing(report.parent_path() / std::filesystem::path(name).filename());
}

}  // namespace

void check_replaced_files(const ProblemSection& problem, const OutputSection& output,
                          const std::function<void(const std::filesystem::path&)>& check) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(output.directory, error)) {
    if (!may_write(problem, output, entry.path().filename())) continue;
    try {
      check(entry.path());
    } catch (const InputError& error) {
      throw ConfigError("output.directory: " + std::string(error.what()));
    }
  }
}

void require_replaceable_outputs(const ProblemSection& problem, const OutputSection& output,
                                 const std::vector<std::filesystem::path>& inputs) {
  bool knows_report = false;
  check_replaced_files(problem, output, [&](const std::filesystem::path& file) {
    const auto refuse = [&](const std::string& as) {
      throw ConfigError("output.directory: the run would overwrite " + file.string() +
                        ", which it reads" + as +
                        "; choose another output.directory or rename the file");
    };
    std::error_code error;
    for (const std::filesystem::path& input : inputs)
      if (std::filesystem::equivalent(file, input, error))
        refuse(file == input ? "" : " as " + input.string());
    if (Impl::has_been_read(file)) refuse(" through a link in its data");
    if (!std::exchange(knows_report, true)) allow_files_of_report(output.directory / output.report);
    require_replaceable(file, kind_of_result(output, file.filename()));
  });
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

void require_no_later_checkpoint(const std::filesystem::path& folder, int iterations) {
  const std::filesystem::path checkpoint = folder / checkpoint_name;
  std::error_code error;
  if (!std::filesystem::is_regular_file(checkpoint, error)) return;
  const auto progress = progress_in(checkpoint);
  if (!progress) return;
  if (const auto volume = volume_of(*progress))
    throw ConfigError(Impl::text(
        "output.directory: {} and the files beside it hold {} of {} slices of an earlier run; give "
        "--resume to continue it, --overwrite to start again, or another output.directory to keep "
        "both",
        checkpoint.string(), volume->done, volume->slices));
  if (progress->iteration <= iterations) return;
  throw ConfigError(Impl::text(
      "output.directory: {} holds iteration {} of an earlier run, but this run ends at iteration "
      "{}; give --resume and more iterations to continue it, --overwrite to start again, or "
      "another output.directory to keep both",
      checkpoint.string(), progress->iteration, iterations));
}

void require_no_other_checkpoint(const std::filesystem::path& folder, bool overwrites) {
  const std::filesystem::path checkpoint = folder / checkpoint_name;
  require_replaceable(checkpoint, checkpoint_output);
  std::error_code error;
  if (overwrites || !std::filesystem::is_regular_file(checkpoint, error)) return;
  if (const auto progress = progress_in(checkpoint); progress && volume_of(*progress)) return;
  throw ConfigError("output.directory: " + checkpoint.string() +
                    " is the checkpoint of another run, which a volume would replace by its own; "
                    "give --overwrite, or another output.directory to keep it");
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
