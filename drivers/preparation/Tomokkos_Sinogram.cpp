// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

namespace Tomokkos {

namespace {

std::string shape_text(const std::vector<std::size_t>& shape) {
  std::string result;
  for (const std::size_t length : shape)
    result += (result.empty() ? "" : " x ") + std::to_string(length);
  return result.empty() ? "a single value" : result;
}

// NaN marks a value that was not measured; infinite values are errors.
constexpr ReadOptions missing_allowed{.allow_non_finite = true};

void require_no_infinity(const std::filesystem::path& file, const std::vector<double>& values,
                         std::optional<Ordinal> slice = {}) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isinf(values[i]))
      throw InputError(file.string() + ": value " + std::to_string(i) + " of the selected data" +
                       (slice ? " of slice " + std::to_string(*slice) : "") +
                       " (counted from 0) is infinite; use NaN for a value that was not measured");
}

/// Detector row \p row of values in the order views x rows x columns.
std::vector<double> row_of(const std::vector<double>& values, std::size_t rows, std::size_t row,
                           std::size_t columns) {
  std::vector<double> result;
  result.reserve(values.size() / rows);
  for (std::size_t begin = row * columns; begin < values.size(); begin += rows * columns)
    result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                  values.begin() + static_cast<std::ptrdiff_t>(begin + columns));
  return result;
}

/// Array of views x detectors or views x rows x detectors, in a file other than HDF5.
class ArrayFile {
 public:
  virtual ~ArrayFile() = default;
  virtual std::vector<std::size_t> shape() = 0;
  /// Reads detector row \p row: views x detectors.
  virtual std::vector<double> read_row(std::size_t row) = 0;
  /// Announces the rows that will be read.
  virtual void expect_rows(std::size_t first, std::size_t count) { (void)first, (void)count; }
  virtual bool is_integer() { return false; }
};

class NpyFile final : public ArrayFile {
 public:
  explicit NpyFile(std::filesystem::path file) : file_(std::move(file)) {}
  std::vector<std::size_t> shape() override { return read_npy_info(file_).shape; }
  std::vector<double> read_row(std::size_t row) override {
    // Read single rows: a stack may contain hundreds.
    return shape().size() == 2 ? read_npy<double>(file_, missing_allowed).data
                               : read_npy_slice<double>(file_, 1, row, missing_allowed).data;
  }

 private:
  std::filesystem::path file_;
};

/// Array that is read completely.
class WholeArray final : public ArrayFile {
 public:
  explicit WholeArray(HostArray<double> array) : array_(std::move(array)) {}
  std::vector<std::size_t> shape() override { return array_.shape; }
  std::vector<double> read_row(std::size_t row) override {
    return array_.shape.size() == 2 ? array_.data
                                    : row_of(array_.data, array_.shape[1], row, array_.shape[2]);
  }

 private:
  HostArray<double> array_;
};

/// Detector images, one for each view, or a single image that is a sinogram.
class TiffFiles final : public ArrayFile {
 public:
  explicit TiffFiles(const std::filesystem::path& file)
      : files_(matching_files(file)), info_(read_tiff_info(files_)) {}
  std::vector<std::size_t> shape() override {
    if (info_.pages == 1) return {info_.rows, info_.columns};
    return {info_.pages, info_.rows, info_.columns};
  }
  bool is_integer() override { return info_.is_integer; }
  void expect_rows(std::size_t first, std::size_t count) override {
    first_ = first;
    count_ = count;
  }
  /// Decodes each image once for all announced rows.
  std::vector<double> read_row(std::size_t row) override {
    if (info_.pages == 1) return read_tiff_rows(files_, 0, info_.rows);
    if (row < first_ || row >= first_ + count_) expect_rows(row, 1), rows_.clear();
    if (rows_.empty()) rows_ = read_tiff_rows(files_, first_, count_);
    return row_of(rows_, count_, row - first_, info_.columns);
  }

 private:
  std::vector<std::filesystem::path> files_;
  TiffInfo info_;
  std::size_t first_ = 0, count_ = 0;
  std::vector<double> rows_;
};

/// Array of an archive: the named one, or the only one.
HostArray<double> read_archive(const SinogramConfig& config) {
  const std::vector<std::string> names = npz_array_names(config.file);
  std::string name = config.array;
  if (name.empty() && names.size() == 1) name = names.front();
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    std::string all;
    for (const std::string& known : names) all += (all.empty() ? "" : ", ") + known;
    throw InputError(config.file.string() + ": " +
                     (name.empty()
                          ? "contains several arrays; choose one by problem.sinogram.dataset: "
                          : "does not contain the array " + name + "; available: ") +
                     all);
  }
  return read_npz_array<double>(config.file, name, missing_allowed);
}

std::unique_ptr<ArrayFile> open_array(const SinogramConfig& config) {
  if (config.is_archive()) return std::make_unique<WholeArray>(read_archive(config));
  if (config.is_tiff()) return std::make_unique<TiffFiles>(config.file);
  return std::make_unique<NpyFile>(config.file);
}

MeasuredSinogram read_array_row(const SinogramConfig& config, ArrayFile& file) {
  const std::vector<std::size_t> shape = file.shape();
  if (shape.size() != 2 && shape.size() != 3)
    throw InputError(config.file.string() +
                     ": expected a sinogram (views x detectors) or a stack of them (views x rows x "
                     "detectors), found " +
                     shape_text(shape));
  const std::size_t slices = shape.size() == 3 ? shape[1] : 1;
  const auto slice = static_cast<std::size_t>(config.slice);
  if (slice >= slices)
    throw InputError(config.file.string() + ": does not contain slice " + std::to_string(slice) +
                     "; the array is " + shape_text(shape) +
                     (shape.size() == 2 ? ", a single slice" : ", views x rows x detectors"));
  MeasuredSinogram result;
  result.views = shape.front();
  result.detectors = shape.back();
  result.values = file.read_row(slice);
  result.is_integer = file.is_integer();
  return result;
}

/// Averages the frames of a flat or dark field: one value per detector. TIFF images are frames, of
/// which only row \p row is used.
std::vector<double> read_field(const std::filesystem::path& file, std::size_t row,
                               std::size_t detectors) {
  HostArray<double> frames;
  if (is_tiff_file(file)) {
    const std::vector<std::filesystem::path> files = matching_files(file);
    const TiffInfo info = read_tiff_info(files);
    frames = {{info.pages, info.columns}, read_tiff_rows(files, row, 1)};
  } else {
    frames = read_npy<double>(file, missing_allowed);
  }
  require_no_infinity(file, frames.data);
  if (frames.shape.empty() || frames.shape.size() > 2 || frames.shape.back() != detectors ||
      frames.data.empty())
    throw InputError(file.string() + ": expected " + std::to_string(detectors) +
                     " values, or frames x " + std::to_string(detectors) +
                     ", to match the detectors of the sinogram; found " + shape_text(frames.shape));
  std::vector<double> mean(detectors, 0.0);
  for (std::size_t i = 0; i < frames.data.size(); ++i) mean[i % detectors] += frames.data[i];
  const auto count = static_cast<double>(frames.data.size() / detectors);
  for (double& value : mean) value /= count;
  return mean;
}

/// Files shared by all slices: the data, and separate files of flat and dark fields.
class SharedFiles {
 public:
  /// Announces the slices that will be read, of \p rays rays each.
  void expect_rows(const SinogramConfig& config, std::size_t first, std::size_t count,
                   std::uint64_t rays) {
    if (!config.is_hdf5()) return array(config).expect_rows(first, count);
    end_ = first + count;
    // A part of the memory.
    const std::uint64_t fitting =
        available_host_memory() / 4 / std::max<std::uint64_t>(1, rays * sizeof(double));
    most_ = static_cast<std::size_t>(std::clamp<std::uint64_t>(fitting, 1, 32));
  }
  /// Rows of an HDF5 file that include the slice of \p config, and the first of them. A compressed
  /// chunk of the file may hold many rows, so announced rows are read together.
  std::pair<const Hdf5ScanRows<double>&, std::size_t> hdf5_rows(const SinogramConfig& config) {
    const auto row = static_cast<std::size_t>(config.slice);
    if (row < first_ || row >= first_ + rows_.rows) {
      const std::size_t rows = row < end_ ? std::min(most_, end_ - row) : 1;
      rows_.data = {};
      rows_ = read_hdf5_scan_rows<double>(config.file, row, rows,
                                          {.allow_non_finite = true, .allow_transposed = true},
                                          config.hdf5);
      first_ = row;
    }
    return {rows_, first_};
  }
  /// Opens the file of \p config on first use.
  ArrayFile& array(const SinogramConfig& config) {
    if (!array_) array_ = open_array(config);
    return *array_;
  }
  /// Reads \p file on first use.
  const std::vector<double>& flat(const std::filesystem::path& file, std::size_t row,
                                  std::size_t detectors) {
    return read_once(flat_, file, row, detectors);
  }
  const std::vector<double>& dark(const std::filesystem::path& file, std::size_t row,
                                  std::size_t detectors) {
    return read_once(dark_, file, row, detectors);
  }

 private:
  /// Arrays hold one field for all rows; images hold one for each row.
  static const std::vector<double>& read_once(std::vector<double>& field,
                                              const std::filesystem::path& file, std::size_t row,
                                              std::size_t detectors) {
    if (field.empty() || is_tiff_file(file)) field = read_field(file, row, detectors);
    return field;
  }
  std::unique_ptr<ArrayFile> array_;
  std::vector<double> flat_, dark_;
  Hdf5ScanRows<double> rows_;
  std::size_t first_ = 0;  // first of these rows
  std::size_t end_ = 0;    // after the last announced slice
  std::size_t most_ = 1;   // rows that are read together
};

/// Reads one slice.
MeasuredSinogram read_slice(const SinogramConfig& config, SharedFiles& files, Description& notes) {
  MeasuredSinogram result;
  std::vector<double> flat;
  std::vector<double> dark;
  if (config.is_hdf5()) {
    const auto& [scan, first] = files.hdf5_rows(config);
    const std::size_t at = static_cast<std::size_t>(config.slice) - first;
    result.views = scan.views;
    result.detectors = scan.columns;
    result.values = row_of(scan.data, scan.rows, at, scan.columns);
    result.theta = scan.theta;
    result.theta_unit = scan.theta_unit;
    result.theta_has_unit = scan.theta_has_unit;
    result.is_integer = scan.is_integer;
    if (!config.is_line_integrals) {
      if (!scan.white.empty()) flat = row_of(scan.white, scan.rows, at, scan.columns);
      if (!scan.dark.empty()) dark = row_of(scan.dark, scan.rows, at, scan.columns);
    }
  } else {
    result = read_array_row(config, files.array(config));
  }
  if (result.values.empty())
    throw InputError(config.file.string() + ": contains no values (" +
                     std::to_string(result.views) + " views x " + std::to_string(result.detectors) +
                     " detectors)");
  for (const auto* values : {&result.values, &flat, &dark})
    require_no_infinity(config.file, *values, config.slice);
  const auto row = static_cast<std::size_t>(config.slice);
  if (!config.flat.empty()) flat = files.flat(config.flat, row, result.detectors);
  if (!config.dark.empty()) dark = files.dark(config.dark, row, result.detectors);

  if (flat.empty() && !config.dark.empty())
    throw ConfigError("problem.sinogram.dark: has no effect without flat fields, and " +
                      config.file.string() + " contains none; give problem.sinogram.flat");

  result.has_flat_fields = !flat.empty();
  result.has_dark_fields = result.has_flat_fields && !dark.empty();
  notes.set("file", config.file.string());
  notes.set("transmission", !flat.empty());
  if (!flat.empty()) {
    LineIntegrals<double> integrals = transmission_to_line_integrals(result.values, flat, dark);
    result.values = std::move(integrals.values);
    result.clamped = integrals.clamped;
    result.dead_elements.resize(flat.size());
    for (std::size_t k = 0; k < flat.size(); ++k)
      result.dead_elements[k] = flat[k] - (dark.empty() ? 0.0 : dark[k]) > 0 ? 0 : 1;
  }
  return result;
}

}  // namespace

MeasuredSinogram read_sinogram(const SinogramConfig& config, Description& notes) {
  SharedFiles files;
  return read_slice(config, files, notes);
}

namespace {

StackShape stack_shape(const SinogramConfig& config, SharedFiles& files) {
  if (config.is_hdf5()) {
    const Hdf5ScanInfo info = read_hdf5_scan_info(config.file, config.hdf5);
    return {0, info.rows, std::uint64_t{info.views} * info.columns};
  }
  const std::vector<std::size_t> shape = files.array(config).shape();
  // Other shapes are refused when the data are read.
  if (shape.size() != 2 && shape.size() != 3) return {};
  return {0, shape.size() == 3 ? shape[1] : 1, std::uint64_t{shape.front()} * shape.back()};
}

struct Selection {
  std::size_t first, count;
};

/// Slices of the file that \p slices selects.
Selection selection(const SinogramConfig& config, const SlicesConfig& slices,
                    std::size_t available) {
  const auto first = static_cast<std::size_t>(slices.first);
  const std::size_t count = slices.all ? available : static_cast<std::size_t>(slices.count);
  if (count == 0 || first + count > available)
    throw ConfigError(prefix_of(slices.position) + "problem.slices: slices " +
                      std::to_string(first) + " to " +
                      std::to_string(first + std::max<std::size_t>(count, 1) - 1) +
                      " are selected, but the number of slices in " + config.file.string() +
                      " is " + std::to_string(available));
  return {first, count};
}

void require_room_on_host(std::uint64_t slices, std::uint64_t rays, const HostStackNeed& need) {
  Impl::MemoryNeed slice;
  slice.add(rays, need.ray_bytes).add(1, need.image_bytes);
  require_room_for_slices(slice.bytes(), slices, available_host_memory(), "host memory");
}

}  // namespace

StackShape read_stack_shape(const SinogramConfig& config, const SlicesConfig& slices) {
  SharedFiles files;
  StackShape shape = stack_shape(config, files);
  const auto [first, count] = selection(config, slices, shape.slices);
  shape.first = first;
  shape.slices = count;
  return shape;
}

MeasuredSinogram read_sinogram_stack(const SinogramConfig& config, const SlicesConfig& slices,
                                     const HostStackNeed& need, Description& notes) {
  SharedFiles files;
  const StackShape shape = stack_shape(config, files);
  const auto [first, count] = selection(config, slices, shape.slices);
  // The size of a slab has been chosen to fit.
  if (slices.all_slices == 0) require_room_on_host(count, shape.rays, need);
  files.expect_rows(config, first, count, shape.rays);
  MeasuredSinogram result;
  SinogramConfig one = config;
  for (std::size_t j = 0; j < count; ++j) {
    one.slice = static_cast<Ordinal>(first + j);
    MeasuredSinogram slice = read_slice(one, files, notes);
    if (j == 0) {
      result = std::move(slice);
      result.values.reserve(count * result.values.size());
    } else {
      result.values.insert(result.values.end(), slice.values.begin(), slice.values.end());
      result.dead_elements.insert(result.dead_elements.end(), slice.dead_elements.begin(),
                                  slice.dead_elements.end());
      result.clamped += slice.clamped;
    }
  }
  result.slices = count;
  return result;
}

}  // namespace Tomokkos
