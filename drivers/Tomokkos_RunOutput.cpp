// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <unistd.h>

#include <Tomokkos_AtomicFile.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_Npy.hpp>
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

// A few wild pixels must not turn the rest grey.
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

ConfigNode window_node(const PngWindow& window, const std::string& rule) {
  ConfigNode node = ConfigNode::map(true);
  node.set("low", ConfigNode::number(window.low));
  node.set("high", ConfigNode::number(window.high));
  node.set("from", ConfigNode::text(rule));
  return node;
}

}  // namespace

void RunOutput::check() const {
  if (!writes_) return;
  std::error_code error;
  std::filesystem::path folder = config_.directory;
  const auto fail = [&](const std::string& why) {
    throw OutputError(config_.directory.string() + ": " + why);
  };
  if (std::filesystem::exists(folder, error) && !std::filesystem::is_directory(folder, error))
    fail("the output directory is a file");
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    if (error && error != std::errc::not_a_directory)
      fail("cannot be made, " + folder.string() + ": " + error.message());
    folder = folder.parent_path();
  }
  if (!std::filesystem::is_directory(folder, error))
    fail("cannot be made, since " + folder.string() + " is a file");
  if (access(folder.c_str(), W_OK | X_OK) != 0)
    fail("cannot be written, " + folder.string() + ": " + std::strerror(errno));
}

void RunOutput::set_window(std::span<const double> phantom) {
  has_phantom_ = !phantom.empty();
  if (has_phantom_) phantom_window_ = range_of(phantom);
}

std::filesystem::path RunOutput::path_of(const std::string& file) {
  std::error_code error;
  std::filesystem::create_directories(config_.directory, error);
  std::error_code ignored;
  if (error && !std::filesystem::is_directory(config_.directory, ignored))
    throw OutputError(config_.directory.string() +
                      ": the output directory cannot be made: " + error.message());
  return config_.directory / file;
}

template <class Scalar>
void RunOutput::write_image(const std::string& name, std::span<const Scalar> values,
                            const std::vector<std::size_t>& shape) {
  if (config_.window)
    write(name, values, shape, {(*config_.window)[0], (*config_.window)[1]}, "output.window");
  else if (has_phantom_)
    write(name, values, shape, phantom_window_, "range of the phantom");
  else
    write(name, values, shape, percentile_window(values), "percentiles 0.5 and 99.5");
}

template <class Scalar>
void RunOutput::write_sinogram(const std::string& name, std::span<const Scalar> values,
                               const std::vector<std::size_t>& shape) {
  write(name, values, shape, range_of(values), "range of the sinogram");
}

template <class Scalar>
void RunOutput::write(const std::string& name, std::span<const Scalar> values,
                      const std::vector<std::size_t>& shape, const PngWindow& window,
                      const std::string& rule) {
  write_array(name, values, shape);
  if (config_.png && shape.size() == 2)
    write_picture(name, values, shape[0], shape[1], window, rule);
  if (config_.png && shape.size() == 3) {
    const bool each = shape[0] <= most_pictures;
    const std::size_t pixels = shape[1] * shape[2];
    for (std::size_t j = each ? 0 : shape[0] / 2; j < (each ? shape[0] : shape[0] / 2 + 1); ++j) {
      char number[32];
      std::snprintf(number, sizeof number, "_slice_%03zu", j);
      write_picture(name + number, values.subspan(j * pixels, pixels), shape[1], shape[2], window,
                    rule);
    }
  }
}

template <class Scalar>
void RunOutput::write_array(const std::string& name, std::span<const Scalar> values,
                            const std::vector<std::size_t>& shape) {
  if (!config_.npy) return;
  const std::filesystem::path path = path_of(name + ".npy");
  write_npy(path, values, shape);
  files_.push_back(path);
}

template <class Scalar>
void RunOutput::write_picture(const std::string& name, std::span<const Scalar> values,
                              std::size_t rows, std::size_t columns, const PngWindow& window,
                              const std::string& rule) {
  const std::filesystem::path path = path_of(name + ".png");
  write_png(path, values, rows, columns, window);
  windows_.set(name, window_node(window, rule));
  files_.push_back(path);
}

template <class Scalar>
void RunOutput::write_projection(const std::string& name, std::span<const Scalar> values,
                                 std::size_t rows, std::size_t columns) {
  if (config_.png)
    write_picture(name, values, rows, columns, range_of(values), "range of the projection");
}

template <class Scalar>
void RunOutput::write_vector(const std::string& name, std::span<const Scalar> values) {
  const auto write_as = [&](const char* extension) {
    const std::filesystem::path path = path_of(name + extension);
    Tomokkos::write_vector(path, values);
    files_.push_back(path);
  };
  if (config_.npy) write_as(".npy");
  if (config_.mtx) write_as(".mtx");
}

template <class Scalar>
void RunOutput::write_columns(const std::string& name, std::span<const Scalar> values,
                              std::size_t columns) {
  if (columns == 1) {
    write_vector(name, values);
    return;
  }
  const std::size_t rows = values.size() / columns;
  if (config_.npy) {
    std::vector<Scalar> side_by_side(values.size());
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t i = 0; i < rows; ++i) side_by_side[i * columns + j] = values[j * rows + i];
    files_.push_back(path_of(name + ".npy"));
    write_npy<Scalar>(files_.back(), side_by_side, {rows, columns});
  }
  if (config_.mtx) {
    files_.push_back(path_of(name + ".mtx"));
    write_matrix_market_array(files_.back(), values, columns);
  }
}

void RunOutput::write_report(const ConfigNode& report) {
  if (!writes_) return;
  const std::filesystem::path path = path_of(config_.report);
  AtomicFile file(path);
  file.write(to_yaml(report));
  file.commit();
  files_.push_back(path);
}

void RunOutput::expect_file(const std::filesystem::path& file) {
  if (!writes_) return;
  path_of("");
  if (std::find(files_.begin(), files_.end(), file) == files_.end()) files_.push_back(file);
}

void RunOutput::write_mesh(const std::string& name, const TriangleMesh& mesh) {
  if (!writes_) return;
  if (config_.mesh == MeshFileKind::obj) return write_textured_mesh(name, mesh, {});
  const std::filesystem::path path = path_of(name + ".ply");
  write_ply(path, mesh);
  files_.push_back(path);
}

void RunOutput::write_textured_mesh(const std::string& name, const TriangleMesh& mesh,
                                    std::span<const Point2> texture_coordinates) {
  if (!writes_) return;
  const std::filesystem::path path = path_of(name + ".obj");
  write_obj(path, mesh, texture_coordinates);
  files_.push_back(path);
}

void RunOutput::write_picture(const std::string& name, const RgbImage& picture) {
  if (!writes_) return;
  const std::filesystem::path path = path_of(name + ".png");
  write_png(path, picture);
  files_.push_back(path);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                     \
  template void RunOutput::write_image(const std::string&, std::span<const Scalar>,      \
                                       const std::vector<std::size_t>&);                 \
  template void RunOutput::write_sinogram(const std::string&, std::span<const Scalar>,   \
                                          const std::vector<std::size_t>&);              \
  template void RunOutput::write_array(const std::string&, std::span<const Scalar>,      \
                                       const std::vector<std::size_t>&);                 \
  template void RunOutput::write_projection(const std::string&, std::span<const Scalar>, \
                                            std::size_t, std::size_t);                   \
  template void RunOutput::write_vector(const std::string&, std::span<const Scalar>);    \
  template void RunOutput::write_columns(const std::string&, std::span<const Scalar>, std::size_t);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
