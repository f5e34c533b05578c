// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_ReportFile.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_RunOutput.hpp>
#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace Tomokkos {

namespace {

template <class Scalar>
std::vector<Scalar> finite_values(std::span<const Scalar> values) {
  std::vector<Scalar> result;
  result.reserve(values.size());
  for (const Scalar value : values)
    if (std::isfinite(value)) result.push_back(value);
  return result;
}

template <class Scalar>
PngWindow range_of(std::span<const Scalar> values) {
  const std::vector<Scalar> finite = finite_values(values);
  if (finite.empty()) return {};
  const auto [low, high] = std::minmax_element(finite.begin(), finite.end());
  return {static_cast<double>(*low), static_cast<double>(*high)};
}

// Percentiles, so that a few outliers do not reduce the contrast of the rest.
template <class Scalar>
PngWindow percentile_window(std::span<const Scalar> values) {
  std::vector<Scalar> finite = finite_values(values);
  if (finite.empty()) return {};
  const auto at = [&](double share) {
    const auto position = finite.begin() + static_cast<std::ptrdiff_t>(
                                               share * static_cast<double>(finite.size() - 1));
    std::nth_element(finite.begin(), position, finite.end());
    return static_cast<double>(*position);
  };
  const double low = at(0.005);
  return {low, at(0.995)};
}

/// True for each slice of a small stack, otherwise for the middle one.
bool has_picture(std::size_t slice, std::size_t slices) {
  return slices <= RunOutput::most_pictures || slice == slices / 2;
}

std::string picture_name(const std::string& name, std::size_t slice) {
  return name + Impl::formatted("_slice_%03zu", slice);
}

}  // namespace

Description RunOutput::Levels::description() const {
  return describe_map({{"low", window.low}, {"high", window.high}, {"from", source}}, true);
}

void RunOutput::check() const {
  if (!writes_) return;
  for (const ImageFormat& format : image_formats())
    if (config_.writes(format) && format.writer.is_available && !format.writer.is_available())
      throw ConfigError("output.image: " + std::string(format.writer.needs) +
                        ", which this program was built without; set it to [npy]");
  if (config_.checkpoint > 0 && !can_write_npz())
    throw ConfigError(
        "output.checkpoint: checkpoints need libzip, which this program was built without; set it "
        "to 0");
  std::error_code error;
  std::filesystem::path folder = config_.directory;
  const auto fail = [&](const std::string& why) {
    throw OutputError(config_.directory.string() + ": " + why);
  };
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error))
    fail("the output directory is a file");
  std::vector<std::filesystem::path> missing;
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    if (error && error != std::errc::not_a_directory)
      fail("cannot be created, " + folder.string() + ": " + error.message());
    missing.push_back(folder);
    folder = folder.parent_path();
  }
  if (!std::filesystem::is_directory(folder, error))
    fail("cannot be created, because " + folder.string() + " is a file");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail("cannot be written, " + folder.string() + ": " + std::strerror(errno));
  // Permissions are not conclusive (/proc, for example), so create the folders and remove them
  // again.
  std::filesystem::create_directories(config_.directory, error);
  std::error_code ignored;
  for (const auto& made : missing) std::filesystem::remove(made, ignored);
  if (error) fail("cannot be created: " + error.message());
  AtomicFile::check(config_.directory / config_.report);
  AtomicFile::remove_abandoned(config_.directory);
}

void RunOutput::set_window(std::span<const double> phantom) {
  phantom_window_.reset();
  if (!phantom.empty()) phantom_window_ = range_of(phantom);
}

void RunOutput::make_folder() const {
  std::error_code error;
  std::filesystem::create_directories(config_.directory, error);
  std::error_code ignored;
  if (error && !std::filesystem::is_directory(config_.directory, ignored))
    throw OutputError(config_.directory.string() +
                      ": the output directory cannot be created: " + error.message());
}

bool RunOutput::write_by(const std::filesystem::path& file, const std::function<void()>& write) {
  if (!writes_) return true;
  try {
    make_folder();
    write();
  } catch (const std::exception& error) {
    // Report each file once: a checkpoint may fail many times.
    if (failed_.insert(file).second) {
      std::fflush(stdout);
      warn(std::string(error.what()) + "; the run continues");
    }
    return false;
  }
  add_file(file);
  return true;
}

void RunOutput::add_file(const std::filesystem::path& file) {
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
}

int RunOutput::finish(int status, bool reports_earlier) const {
  if (!writes_) return status;
  if (reports_earlier) {
    constexpr std::size_t most = 8;
    const auto earlier = earlier_results(config_.directory, files_);
    std::string names;
    for (std::size_t i = 0; i < std::min(most, earlier.size()); ++i)
      names += (i > 0 ? ", " : "") + earlier[i].string();
    if (earlier.size() > most) names += " and " + std::to_string(earlier.size() - most) + " more";
    if (!earlier.empty())
      warn(config_.directory.string() + " contains results of earlier runs: " + names);
  }
  if (failed_.empty()) return status;
  std::fprintf(stderr, "tomokkos: error: %zu %s could not be written; see the warnings above\n",
               failed_.size(), failed_.size() == 1 ? "file" : "files");
  return exit_failed;
}

template <class Scalar>
RunOutput::Levels RunOutput::levels_of(std::span<const Scalar> image) const {
  if (config_.window) return {{(*config_.window)[0], (*config_.window)[1]}, "output.window"};
  if (phantom_window_) return {*phantom_window_, "range of the phantom"};
  return {percentile_window(image), "percentiles 0.5 and 99.5"};
}

template <class Scalar>
void RunOutput::write_image(const std::string& name, std::span<const Scalar> values,
                            const std::vector<std::size_t>& shape) {
  write(name, values, shape, levels_of(values));
}

template <class Scalar>
void RunOutput::write_sinogram(const std::string& name, std::span<const Scalar> values,
                               const std::vector<std::size_t>& shape) {
  write(name, values, shape, {range_of(values), "range of the sinogram"});
}

template <class Scalar>
void RunOutput::write_projection(const std::string& name, std::span<const Scalar> values,
                                 std::size_t rows, std::size_t columns) {
  write_picture(name, values, rows, columns, {range_of(values), "range of the projection"});
}

template <class Scalar>
void RunOutput::write_pictures_of_slab(const std::string& name, std::span<const Scalar> values,
                                       const std::array<std::size_t, 3>& shape, std::size_t first) {
  const std::size_t pixels = shape[1] * shape[2];
  for (std::size_t j = first; (j - first) * pixels < values.size(); ++j) {
    const auto image = values.subspan((j - first) * pixels, pixels);
    if (has_picture(j, shape[0]))
      write_picture(picture_name(name, j), image, shape[1], shape[2], levels_of(image));
  }
}

template <class Scalar>
void RunOutput::write(const std::string& name, std::span<const Scalar> values,
                      const std::vector<std::size_t>& shape, const Levels& levels) {
  write_as(ImageContent::array, name, values, shape);
  if (shape.size() < 2) return;
  write_as(ImageContent::images, name, values, shape);
  const std::size_t rows = shape[shape.size() - 2], columns = shape.back();
  if (shape.size() == 2) return write_picture(name, values, rows, columns, levels);
  // A stack of volumes has the slices of one after those of the other.
  const std::size_t pixels = rows * columns;
  const std::size_t count = values.size() / std::max<std::size_t>(1, pixels);
  for (std::size_t j = 0; j < count; ++j)
    if (has_picture(j, count))
      write_picture(picture_name(name, j), values.subspan(j * pixels, pixels), rows, columns,
                    levels);
}

template <class Scalar>
void RunOutput::write_as(ImageContent content, const std::string& name,
                         std::span<const Scalar> values, const std::vector<std::size_t>& shape) {
  for (const ImageFormat& format : image_formats()) {
    if (format.content != content || !config_.writes(format)) continue;
    const std::string file = name + std::string(format.extension());
    const bool has_levels = !format.writer.levels.empty();
    const Levels levels{has_levels ? range_of(values) : PngWindow(),
                        std::string(format.writer.levels)};
    if (write_file(file,
                   [&](const auto& path) {
                     format.writer.write(path, {values, shape}, levels.window);
                   }) &&
        has_levels)
      windows_.set(file, levels.description());
  }
}

template <class Scalar>
void RunOutput::write_picture(const std::string& name, std::span<const Scalar> values,
                              std::size_t rows, std::size_t columns, const Levels& levels) {
  for (const ImageFormat& format : image_formats())
    if (format.content == ImageContent::picture && config_.writes(format) &&
        write_file(name + std::string(format.extension()), [&](const auto& path) {
          format.writer.write(path, {values, {rows, columns}}, levels.window);
        }))
      windows_.set(name, levels.description());
}

template <class Scalar>
void RunOutput::write_columns(const std::string& name, std::span<const Scalar> values,
                              std::size_t columns) {
  for (const auto& format : EnumNames<SolutionFile>::names) {
    if (!config_.writes(format.first)) continue;
    write_file(name + "." + std::string(format.second), [&](const auto& path) {
      if (columns == 1) return write_vector(path, values);
      if (format.first == SolutionFile::mtx)
        return write_matrix_market_array(path, values, columns);
      const std::size_t rows = values.size() / columns;
      std::vector<Scalar> side_by_side(values.size());
      for (std::size_t j = 0; j < columns; ++j)
        for (std::size_t i = 0; i < rows; ++i) side_by_side[i * columns + j] = values[j * rows + i];
      write_npy<Scalar>(path, side_by_side, {rows, columns});
    });
  }
}

void RunOutput::write_report(const std::string& report) {
  write_file(config_.report, [&](const auto& path) {
    AtomicFile file(path, report_output);
    file.write(report);
    file.commit();
  });
}

bool RunOutput::write_file(const std::string& file,
                           const std::function<void(const std::filesystem::path&)>& write) {
  const std::filesystem::path path = config_.directory / file;
  return write_by(path, [&] { write(path); });
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                               \
  template void RunOutput::write_image(const std::string&, std::span<const Scalar>,                \
                                       const std::vector<std::size_t>&);                           \
  template void RunOutput::write_pictures_of_slab(const std::string&, std::span<const Scalar>,     \
                                                  const std::array<std::size_t, 3>&, std::size_t); \
  template void RunOutput::write_sinogram(const std::string&, std::span<const Scalar>,             \
                                          const std::vector<std::size_t>&);                        \
  template void RunOutput::write_as(ImageContent, const std::string&, std::span<const Scalar>,     \
                                    const std::vector<std::size_t>&);                              \
  template void RunOutput::write_projection(const std::string&, std::span<const Scalar>,           \
                                            std::size_t, std::size_t);                             \
  template void RunOutput::write_columns(const std::string&, std::span<const Scalar>, std::size_t);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
