// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayFile.hpp>
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FieldFile.hpp>
#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_ImageFormats.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_SliceBytes.hpp>
#include <Tomokkos_Text.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace Tomokkos {

namespace {

// NaN marks a value that was not measured; infinite values are errors.
constexpr ReadOptions missing_allowed{.allow_non_finite = true};

void require_no_infinity(const std::filesystem::path& file, const std::vector<double>& values,
                         std::size_t slice) {
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isinf(values[i]))
      throw InputError(
          Impl::text("{}: value {} of the selected data of slice {} (counted from 0) is infinite; "
                     "use NaN for a value that was not measured",
                     file.string(), i, slice));
}

/// Takes detector row \p row of values in the order views x rows x columns. A single row leaves
/// nothing behind.
std::vector<double> take_row(std::vector<double>& values, std::size_t rows, std::size_t row,
                             std::size_t columns) {
  if (rows == 1) return std::move(values);
  std::vector<double> result;
  result.reserve(values.size() / rows);
  for (std::size_t begin = row * columns; begin < values.size(); begin += rows * columns)
    result.insert(result.end(), values.begin() + static_cast<std::ptrdiff_t>(begin),
                  values.begin() + static_cast<std::ptrdiff_t>(begin + columns));
  return result;
}

/// Files of a scan that all slices share: the data, and separate files of flat and dark fields.
class ScanFile {
 public:
  SinogramConfig config;
  Hdf5ScanInfo info;  ///< of an array, the shape alone
  AxisOrder order;
  ScanShape lengths;
  FieldFile flat, dark;

  /// \param needs_angles the angles are those of the HDF5 file
  ScanFile(const SinogramConfig& stated, bool needs_angles)
      : config(stated), needs_angles_(needs_angles) {
    if (config.is_hdf5()) {
      info = read_hdf5_scan_info(config.file, layout());
    } else {
      array_ = open_array_file(config.file, config.array, missing_allowed);
      info.shape = array_->shape();
    }
    const std::vector<std::size_t>& shape = info.shape;
    if (shape.size() != 2 && shape.size() != 3)
      throw InputError(
          Impl::text("{}: expected a sinogram (views x detectors) or a stack of them (views x rows "
                     "x detectors), found {}{}",
                     config.file.string(), shape_text(shape), reasons()));
    const auto complete = complete_order(config.order, shape.size());
    if (!complete)
      throw ConfigError(Impl::text("problem.sinogram.order: names {} axes, but {} is {}{}",
                                   config.order.size(), config.file.string(), shape_text(shape),
                                   reasons()));
    order = *complete;
    lengths = scan_shape(order, shape);
  }

  /// Says that views and detectors of the file are exchanged.
  void exchange_axes() {
    std::swap(order.front(), order.back());
    lengths = scan_shape(order, info.shape);
    config.order = order;
  }

  bool has_fields() const {
    return info.has_white || info.has_dark || !info.paths.image_key.empty() || !config.flat.empty();
  }

  /// The files of images; null for an array in a single file, and for an HDF5 file.
  const FileSeries* series() { return array_ ? array_->series() : nullptr; }
  /// Oddities of the names of files and of their images.
  std::vector<std::string> oddities() {
    std::vector<std::string> all;
    if (const FileSeries* names = series()) all = names->oddities;
    if (array_)
      for (std::string& oddity : array_->oddities()) all.push_back(std::move(oddity));
    return all;
  }

  /// Announces the slices that will be read.
  void expect_rows(std::size_t first, std::size_t count) {
    const std::uint64_t bytes = std::uint64_t{lengths.views} * lengths.detectors * sizeof(double);
    end_ = first + count;
    // A part of the memory.
    fitting_ = static_cast<std::size_t>(std::max<std::uint64_t>(
        1, available_host_memory() / 4 / std::max<std::uint64_t>(1, bytes)));
  }

  /// Rows that include row \p row, and its place among them. A compressed chunk of an HDF5 file may
  /// hold many rows, so announced rows are read together.
  std::pair<Hdf5ScanRows<double>&, std::size_t> rows_with(std::size_t row) {
    if (rows_.data.empty() || row < first_ || row >= first_ + rows_.rows) {
      rows_.data = {};
      rows_ = array_ ? read_array_rows(row)
                     : read_hdf5_scan_rows<double>(config.file, row, rows_from(row),
                                                   missing_allowed, layout(), config.fields);
      first_ = row;
    }
    return {rows_, row - first_};
  }

  /// Rows of a field in a file of its own that are read together for \p row.
  FieldRows field_rows(std::size_t row) const {
    return {lengths.rows, lengths.detectors, row, rows_from(row)};
  }

 private:
  /// Where the parts of an HDF5 scan are, without those that the configuration replaces.
  Hdf5Layout layout() const {
    Hdf5Layout layout = config.hdf5;
    layout.order = config.order;
    layout.needs_white = !config.is_line_integrals && config.flat.empty();
    layout.needs_dark = !config.is_line_integrals && config.dark.empty();
    layout.needs_angles = needs_angles_;
    return layout;
  }

  /// The oddities, which are a likely reason for a refused shape.
  std::string reasons() {
    std::string text;
    for (const std::string& oddity : oddities()) text += "; " + oddity;
    return text;
  }

  /// Number of rows that are read together from \p row on.
  std::size_t rows_from(std::size_t row) const {
    return row < end_ ? std::min({std::size_t{32}, fitting_, end_ - row}) : 1;
  }

  /// Rows of an array. Rows that are announced are read together if each would need the whole file.
  Hdf5ScanRows<double> read_array_rows(std::size_t row) {
    std::vector<std::size_t> shape = info.shape;
    if (row >= lengths.rows)
      throw InputError(Impl::text(
          "{}: does not contain slice {}; the array is {}, {}{}", config.file.string(), row,
          shape_text(shape), shape.size() == 2 ? "a single slice" : axis_names(order), reasons()));
    Hdf5ScanRows<double> result;
    result.views = lengths.views;
    result.rows = 1;
    result.columns = lengths.detectors;
    const std::size_t axis = position_of(ScanAxis::rows, order).value_or(0);
    if (shape.size() == 2)
      result.data = array_->read(0, 0, shape[0]);
    else {
      if (row < end_ && array_->reads_whole_file(axis))
        result.rows = std::min(fitting_, end_ - row);
      shape[axis] = result.rows;
      result.data = array_->read(axis, row, result.rows);
    }
    result.data = to_scan_order(std::move(result.data), shape, order);
    return result;
  }

  bool needs_angles_;
  std::unique_ptr<ArrayFile> array_;  // null for an HDF5 file
  Hdf5ScanRows<double> rows_;
  std::size_t first_ = 0;    // first of these rows
  std::size_t end_ = 0;      // after the last announced slice
  std::size_t fitting_ = 1;  // rows that fit in a part of the memory
};

/// Adds the numbers of frames that were found.
void note_frames(std::size_t views, std::size_t flats, std::size_t darks, std::size_t left_out,
                 Description& notes) {
  if (flats + darks + left_out == 0) return;
  Description frames = describe_map({{"views", views}}, true);
  if (flats > 0) frames.set("flat_frames", flats);
  if (darks > 0) frames.set("dark_frames", darks);
  if (left_out > 0) frames.set("invalid_frames", left_out);
  notes.set("frames", std::move(frames));
}

/// Reads one slice.
MeasuredSinogram read_slice(ScanFile& file, std::size_t slice, Description& notes) {
  const SinogramConfig& config = file.config;
  const auto& [scan, row] = file.rows_with(slice);
  MeasuredSinogram result;
  result.paths = scan.info.paths;
  result.views = scan.views;
  result.detectors = scan.columns;
  result.values = take_row(scan.data, scan.rows, row, scan.columns);
  result.theta = scan.theta;
  result.theta_unit = scan.theta_unit;
  result.theta_has_unit = scan.theta_has_unit;
  if (result.values.empty())
    throw InputError(Impl::text("{}: contains no values ({} views x {} detectors)",
                                config.file.string(), result.views, result.detectors));
  std::vector<double> flat = take_row(scan.white, scan.rows, row, scan.columns);
  std::vector<double> dark = take_row(scan.dark, scan.rows, row, scan.columns);
  for (const auto* values : {&result.values, &flat, &dark})
    require_no_infinity(config.file, *values, slice);
  std::size_t flats = flat.empty() ? 0 : scan.info.white_frames;
  std::size_t darks = dark.empty() ? 0 : scan.info.dark_frames;
  if (!config.flat.empty()) {
    flat = file.flat.row({config.flat, config.flat_dataset, FieldKind::flat, config.fields},
                         file.field_rows(slice));
    flats = file.flat.frames();
  }
  if (!config.dark.empty()) {
    dark = file.dark.row({config.dark, config.dark_dataset, FieldKind::dark, config.fields},
                         file.field_rows(slice));
    darks = file.dark.frames();
  }

  if (flat.empty() && !config.dark.empty())
    throw ConfigError(Impl::text(
        "problem.sinogram.dark: has no effect without flat fields, and {} contains none{}; give "
        "problem.sinogram.flat",
        config.file.string(),
        result.paths.sought_fields.empty()
            ? ""
            : Impl::text(" (looked for {})", result.paths.sought_fields)));

  result.has_flat_fields = !flat.empty();
  result.has_dark_fields = result.has_flat_fields && !dark.empty();
  notes.set("file", config.file.string());
  if (!result.paths.data.empty()) notes.set("dataset", result.paths.data);
  if (!result.paths.image_key.empty()) notes.set("image_key", result.paths.image_key);
  notes.set("transmission", !flat.empty());
  note_frames(result.views, flats, flat.empty() ? 0 : darks, scan.info.left_out, notes);
  if (!flat.empty()) {
    LineIntegrals<double> integrals = transmission_to_line_integrals(result.values, flat, dark);
    result.values = std::move(integrals.values);
    result.clamped = integrals.clamped;
    result.without_signal = std::move(integrals.without_signal);
    result.dead_elements.resize(flat.size());
    for (std::size_t k = 0; k < flat.size(); ++k)
      result.dead_elements[k] = flat[k] - (dark.empty() ? 0.0 : dark[k]) > 0 ? 0 : 1;
  }
  if (config.largest)
    for (double& value : result.values)
      if (value > *config.largest) value = std::numeric_limits<double>::quiet_NaN();
  return result;
}

/// Says which axis has the views and which order fits; empty if none does.
std::string order_advice(const std::vector<std::size_t>& shape, std::optional<std::size_t> views,
                         std::optional<std::size_t> detectors) {
  std::vector<AxisOrder> orders = fitting_orders(shape, views, detectors);
  if (orders.empty()) return "";
  constexpr std::array<const char*, 3> places{"first", "second", "third"};
  const ScanAxis axis = views ? ScanAxis::views : ScanAxis::detectors;
  std::string text =
      Impl::text("; the {} axis has the {} {}: set problem.sinogram.order: {}",
                 places[*position_of(axis, orders.front())], views ? *views : *detectors,
                 to_string(axis), axis_names(orders.front()));
  for (std::size_t i = 1; i < orders.size(); ++i) text += " or " + axis_names(orders[i]);
  return text;
}

/// Compares the shape of the data with what is known about the scan. Exchanges views and detectors,
/// and adds a suspicion, if only this fits.
void fit_order(ScanFile& file, const ExpectedScan& expected, std::vector<Suspicion>& suspicions) {
  const SinogramConfig& config = file.config;
  const ScanShape lengths = file.lengths;
  std::optional<std::size_t> views = expected.views;
  const bool has_own_views = expected.has_own_views && file.info.angles > 0;
  if (has_own_views) views = file.info.angles;
  const auto fits = [&](std::size_t first, std::size_t second) {
    return first == views.value_or(first) && second == expected.detectors.value_or(second);
  };
  if (fits(lengths.views, lengths.detectors)) return;
  const std::string where = has_own_views ? "the list of angles in the file" : "problem.geometry";
  // Flat fields have one value per detector element, so their axis is known to be correct.
  if (views && config.order.empty() && !file.has_fields() &&
      fits(lengths.detectors, lengths.views)) {
    file.exchange_axes();
    suspicions.push_back(
        {SuspicionKind::transposed, "problem.sinogram",
         Impl::text("{} is {}, and {} has {} views{}: the data fit only when transposed",
                    config.file.string(), shape_text(file.info.shape), where, *views,
                    expected.detectors ? Impl::text(" x {} detectors", *expected.detectors) : ""),
         Impl::text("set problem.sinogram.order: {}, or save the array as {}",
                    axis_names(file.order),
                    file.info.shape.size() == 2 ? "views x detectors (numpy: array.T)"
                                                : "views x rows x detectors")});
    return;
  }
  std::string advice = order_advice(file.info.shape, views, expected.detectors);
  // Missing images are a likely reason.
  for (const Suspicion& suspicion : suspicions) advice += "; " + suspicion.evidence;
  if (has_own_views)
    throw InputError(Impl::text("{}: lists {} angles, but the data have {} views{}",
                                config.file.string(), *views, lengths.views, advice));
  throw DimensionMismatch(Impl::text(
      "{}: the sinogram is {} views x {} detectors, but problem.geometry has {} x {}{}",
      config.file.string(), lengths.views, lengths.detectors, views.value_or(lengths.views),
      expected.detectors.value_or(lengths.detectors), advice));
}

/// Notes which files are the scan, and suspects those that may be none.
void note_files(ScanFile& file, std::vector<Suspicion>& suspicions, Description& notes) {
  const auto suspect = [&](const char* key, const std::vector<std::string>& oddities) {
    for (const std::string& oddity : oddities)
      suspicions.push_back({SuspicionKind::files, key, oddity,
                            "give all images of one scan, or the angles of those that exist"});
  };
  const SinogramConfig& config = file.config;
  if (const FileSeries* series = file.series(); series != nullptr && is_pattern(config.file))
    notes.set("files", series->describe());
  suspect("problem.sinogram", file.oddities());
  // Numbers of fields have no meaning.
  for (const auto& [key, field] : {std::pair{"problem.sinogram.flat", &config.flat},
                                   std::pair{"problem.sinogram.dark", &config.dark}})
    if (const ImageFormat* format = image_format_of(*field);
        format != nullptr && format->content == ImageContent::images)
      suspect(key, open_array_file(*field, "", missing_allowed)->oddities());
}

/// Slices of the file that \p slices selects.
StackShape selection(const ScanFile& file, const SlicesConfig& slices) {
  const std::size_t available = file.lengths.rows;
  const auto first = static_cast<std::size_t>(slices.first);
  const std::size_t count = slices.all ? available : static_cast<std::size_t>(slices.count);
  if (count == 0 || first + count > available)
    throw ConfigError(
        Impl::text("{}problem.slices: slices {} to {} are selected, but the number of slices in {} "
                   "is {}",
                   prefix_of(slices.position), first, first + std::max<std::size_t>(count, 1) - 1,
                   file.config.file.string(), available));
  return {first, count, std::uint64_t{file.lengths.views} * file.lengths.detectors};
}

}  // namespace

StackShape read_stack_shape(const SinogramConfig& config, const SlicesConfig& slices) {
  return selection(ScanFile(config, false), slices);
}

MeasuredSinogram read_sinogram(const SinogramConfig& config,
                               const std::optional<SlicesConfig>& slices,
                               const ExpectedScan& expected,
                               const std::optional<HostStackNeed>& need, Description& notes) {
  ScanFile file(config, expected.has_own_views);
  std::vector<Suspicion> suspicions;
  note_files(file, suspicions, notes);
  fit_order(file, expected, suspicions);
  StackShape stack{static_cast<std::uint64_t>(config.slice)};
  if (slices) {
    stack = selection(file, *slices);
    if (need)
      require_room_for_slices(host_bytes_of_slice(stack.rays, need->pixels, need->scalar_bytes),
                              stack.slices, available_host_memory(), "host memory");
    file.expect_rows(stack.first, stack.slices);
  }
  MeasuredSinogram result = read_slice(file, stack.first, notes);
  result.values.reserve(stack.slices * result.values.size());
  for (std::size_t j = 1; j < stack.slices; ++j) {
    const MeasuredSinogram slice = read_slice(file, stack.first + j, notes);
    const auto append = [&](auto member) {
      (result.*member)
          .insert((result.*member).end(), (slice.*member).begin(), (slice.*member).end());
    };
    append(&MeasuredSinogram::values);
    append(&MeasuredSinogram::dead_elements);
    append(&MeasuredSinogram::without_signal);
    result.clamped += slice.clamped;
  }
  result.slices = stack.slices;
  result.suspicions = std::move(suspicions);
  return result;
}

}  // namespace Tomokkos
