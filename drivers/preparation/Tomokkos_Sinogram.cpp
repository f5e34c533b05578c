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

/// Where the parts of an HDF5 scan are, without those that the configuration replaces.
Hdf5Layout layout_of(const SinogramConfig& config, bool needs_angles) {
  Hdf5Layout layout = config.hdf5;
  layout.order = config.order;
  layout.needs_white = !config.is_line_integrals && config.flat.empty();
  layout.needs_dark = !config.is_line_integrals && config.dark.empty();
  layout.needs_angles = needs_angles;
  return layout;
}

/// Returns the oddities of the names of files and of their images.
std::vector<std::string> oddities_of(ArrayFile& file) {
  std::vector<std::string> all;
  if (const FileSeries* series = file.series()) all = series->oddities;
  for (std::string& oddity : file.oddities()) all.push_back(std::move(oddity));
  return all;
}

/// Returns the oddities of a file, a likely reason for a refused shape.
std::string reasons_of(ArrayFile* file) {
  std::string text;
  if (file != nullptr)
    for (const std::string& oddity : oddities_of(*file)) text += "; " + oddity;
  return text;
}

/// Order of the axes of an array with \p shape, from \p file if it is not an HDF5 file.
AxisOrder order_of(const SinogramConfig& config, const std::vector<std::size_t>& shape,
                   ArrayFile* file) {
  if (shape.size() != 2 && shape.size() != 3)
    throw InputError(config.file.string() +
                     ": expected a sinogram (views x detectors) or a stack of them (views x rows x "
                     "detectors), found " +
                     shape_text(shape) + reasons_of(file));
  const auto order = complete_order(config.order, shape.size());
  if (!order)
    throw ConfigError("problem.sinogram.order: names " + std::to_string(config.order.size()) +
                      " axes, but " + config.file.string() + " is " + shape_text(shape) +
                      reasons_of(file));
  return *order;
}

/// Files shared by all slices: the data, and separate files of flat and dark fields.
class SharedFiles {
 public:
  explicit SharedFiles(bool needs_angles) : needs_angles(needs_angles) {}
  /// Announces the slices that will be read, of \p rays rays each.
  void expect_rows(std::size_t first, std::size_t count, std::uint64_t rays) {
    end_ = first + count;
    // A part of the memory.
    fitting_ = static_cast<std::size_t>(std::max<std::uint64_t>(
        1, available_host_memory() / 4 / std::max<std::uint64_t>(1, rays * sizeof(double))));
  }
  /// Rows of an HDF5 file that include the slice of \p config, and the first of them. A compressed
  /// chunk of the file may hold many rows, so announced rows are read together.
  std::pair<const Hdf5ScanRows<double>&, std::size_t> hdf5_rows(const SinogramConfig& config) {
    const auto row = static_cast<std::size_t>(config.slice);
    if (row < first_ || row >= first_ + rows_.rows) {
      rows_.data = {};
      rows_ = read_hdf5_scan_rows<double>(config.file, row, rows_from(row), missing_allowed,
                                          layout_of(config, needs_angles), config.fields);
      first_ = row;
    }
    return {rows_, first_};
  }
  /// Slice of \p config of an array, views x detectors. Rows that are announced are read together
  /// if each would need the whole file.
  MeasuredSinogram array_row(const SinogramConfig& config) {
    ArrayFile& file = array(config);
    std::vector<std::size_t> shape = file.shape();
    const AxisOrder order = order_of(config, shape, &file);
    const ScanShape lengths = scan_shape(order, shape);
    const auto row = static_cast<std::size_t>(config.slice);
    if (row >= lengths.rows)
      throw InputError(config.file.string() + ": does not contain slice " + std::to_string(row) +
                       "; the array is " + shape_text(shape) + ", " +
                       (shape.size() == 2 ? "a single slice" : axis_names(order)) +
                       reasons_of(&file));
    MeasuredSinogram result;
    result.views = lengths.views;
    result.detectors = lengths.detectors;
    const auto axis = position_of(ScanAxis::rows, order);
    if (!axis) {
      result.values = to_scan_order(file.read(0, 0, shape[0]), shape, order);
      return result;
    }
    if (row < first_ || row >= first_ + rows_.rows) {
      const std::size_t together =
          row < end_ && file.reads_whole_file(*axis) ? std::min(fitting_, end_ - row) : 1;
      shape[*axis] = together;
      rows_.data = {};
      rows_.data = to_scan_order(file.read(*axis, row, together), shape, order);
      rows_.rows = together;
      first_ = row;
    }
    result.values = row_of(rows_.data, rows_.rows, row - first_, lengths.detectors);
    return result;
  }
  /// Opens the file of \p config on first use.
  ArrayFile& array(const SinogramConfig& config) {
    if (!array_) array_ = open_array_file(config.file, config.array, missing_allowed);
    return *array_;
  }
  /// Fields in files of their own, for the slice of \p config. The scan has \p rows rows of \p
  /// detectors elements.
  std::vector<double> flat_row(const SinogramConfig& config, std::size_t rows,
                               std::size_t detectors) {
    return flat.row({config.flat, config.flat_dataset, FieldKind::flat, config.fields},
                    field_rows(config, rows, detectors));
  }
  std::vector<double> dark_row(const SinogramConfig& config, std::size_t rows,
                               std::size_t detectors) {
    return dark.row({config.dark, config.dark_dataset, FieldKind::dark, config.fields},
                    field_rows(config, rows, detectors));
  }
  FieldFile flat, dark;
  const bool needs_angles;  ///< the angles are those of the HDF5 file

 private:
  FieldRows field_rows(const SinogramConfig& config, std::size_t rows,
                       std::size_t detectors) const {
    const auto row = static_cast<std::size_t>(config.slice);
    return {rows, detectors, row, rows_from(row)};
  }
  /// Number of rows that are read together from \p row on.
  std::size_t rows_from(std::size_t row) const {
    return row < end_ ? std::min({std::size_t{32}, fitting_, end_ - row}) : 1;
  }
  std::unique_ptr<ArrayFile> array_;
  Hdf5ScanRows<double> rows_;
  std::size_t first_ = 0;    // first of these rows
  std::size_t end_ = 0;      // after the last announced slice
  std::size_t fitting_ = 1;  // rows that fit in a part of the memory
};

/// Adds the numbers of frames that were found.
void note_frames(const Hdf5ScanInfo& info, std::size_t flats, std::size_t darks,
                 Description& notes) {
  if (flats + darks + info.left_out == 0) return;
  Description frames = Description::map(true);
  frames.set("views", info.views);
  if (flats > 0) frames.set("flat_frames", flats);
  if (darks > 0) frames.set("dark_frames", darks);
  if (info.left_out > 0) frames.set("invalid_frames", info.left_out);
  notes.set("frames", std::move(frames));
}

/// Reads one slice.
MeasuredSinogram read_slice(const SinogramConfig& config, SharedFiles& files, Description& notes) {
  MeasuredSinogram result;
  std::vector<double> flat;
  std::vector<double> dark;
  Hdf5ScanInfo info;  // of an HDF5 file
  std::size_t rows = 1;
  if (config.is_hdf5()) {
    const auto& [scan, first] = files.hdf5_rows(config);
    info = scan.info;
    rows = info.rows;
    result.paths = info.paths;
    const std::size_t at = static_cast<std::size_t>(config.slice) - first;
    result.views = scan.views;
    result.detectors = scan.columns;
    result.values = row_of(scan.data, scan.rows, at, scan.columns);
    result.theta = scan.theta;
    result.theta_unit = scan.theta_unit;
    result.theta_has_unit = scan.theta_has_unit;
    if (!config.is_line_integrals) {
      if (!scan.white.empty()) flat = row_of(scan.white, scan.rows, at, scan.columns);
      if (!scan.dark.empty()) dark = row_of(scan.dark, scan.rows, at, scan.columns);
    }
  } else {
    result = files.array_row(config);
    const std::vector<std::size_t> shape = files.array(config).shape();
    rows = scan_shape(order_of(config, shape, &files.array(config)), shape).rows;
  }
  if (result.values.empty())
    throw InputError(config.file.string() + ": contains no values (" +
                     std::to_string(result.views) + " views x " + std::to_string(result.detectors) +
                     " detectors)");
  for (const auto* values : {&result.values, &flat, &dark})
    require_no_infinity(config.file, *values, config.slice);
  std::size_t flats = flat.empty() ? 0 : info.white_frames;
  std::size_t darks = dark.empty() ? 0 : info.dark_frames;
  if (!config.flat.empty()) {
    flat = files.flat_row(config, rows, result.detectors);
    flats = files.flat.frames();
  }
  if (!config.dark.empty()) {
    dark = files.dark_row(config, rows, result.detectors);
    darks = files.dark.frames();
  }

  if (flat.empty() && !config.dark.empty())
    throw ConfigError("problem.sinogram.dark: has no effect without flat fields, and " +
                      config.file.string() + " contains none" +
                      (result.paths.sought_fields.empty()
                           ? ""
                           : " (looked for " + result.paths.sought_fields + ")") +
                      "; give problem.sinogram.flat");

  result.has_flat_fields = !flat.empty();
  result.has_dark_fields = result.has_flat_fields && !dark.empty();
  notes.set("file", config.file.string());
  if (!result.paths.data.empty()) notes.set("dataset", result.paths.data);
  if (!result.paths.image_key.empty()) notes.set("image_key", result.paths.image_key);
  notes.set("transmission", !flat.empty());
  info.views = result.views;
  note_frames(info, flats, flat.empty() ? 0 : darks, notes);
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

/// Lengths of the axes of the data, from the header of the file.
struct ScanHeader {
  std::vector<std::size_t> shape;  // in the order of the file
  AxisOrder order;
  bool has_fields = false;
  std::size_t angles = 0;  // listed in the file
};

ScanHeader read_header(const SinogramConfig& config, SharedFiles& files) {
  ScanHeader header;
  if (config.is_hdf5()) {
    const Hdf5ScanInfo info =
        read_hdf5_scan_info(config.file, layout_of(config, files.needs_angles));
    header.shape = info.shape;
    header.has_fields = info.has_white || info.has_dark || !info.paths.image_key.empty();
    header.angles = info.angles;
  } else {
    header.shape = files.array(config).shape();
  }
  header.order = order_of(config, header.shape, config.is_hdf5() ? nullptr : &files.array(config));
  header.has_fields = header.has_fields || !config.flat.empty();
  return header;
}

StackShape stack_shape(const SinogramConfig& config, SharedFiles& files) {
  const ScanHeader header = read_header(config, files);
  const ScanShape lengths = scan_shape(header.order, header.shape);
  return {0, lengths.rows, std::uint64_t{lengths.views} * lengths.detectors};
}

/// Says which axis has the views and which order fits; empty if none does.
std::string order_advice(const ScanHeader& header, std::optional<std::size_t> views,
                         std::optional<std::size_t> detectors) {
  std::vector<AxisOrder> orders = fitting_orders(header.shape, views, detectors);
  if (orders.empty()) return "";
  constexpr std::array<const char*, 3> places{"first", "second", "third"};
  const ScanAxis axis = views ? ScanAxis::views : ScanAxis::detectors;
  std::string text = std::string("; the ") + places[*position_of(axis, orders.front())] +
                     " axis has the " + std::to_string(views ? *views : *detectors) + " " +
                     std::string(to_string(axis)) +
                     ": set problem.sinogram.order: " + axis_names(orders.front());
  for (std::size_t i = 1; i < orders.size(); ++i) text += " or " + axis_names(orders[i]);
  return text;
}

/// Compares the shape of the data with what is known about the scan. Returns the configuration with
/// views and detectors exchanged, and adds a suspicion, if only this fits.
SinogramConfig with_fitting_order(const SinogramConfig& config, const ExpectedScan& expected,
                                  SharedFiles& files, std::vector<Suspicion>& suspicions) {
  const ScanHeader header = read_header(config, files);
  const ScanShape lengths = scan_shape(header.order, header.shape);
  std::optional<std::size_t> views = expected.views;
  const bool has_own_views = expected.has_own_views && header.angles > 0;
  if (has_own_views) views = header.angles;
  const auto fits = [&](std::size_t first, std::size_t second) {
    return first == views.value_or(first) && second == expected.detectors.value_or(second);
  };
  if (fits(lengths.views, lengths.detectors)) return config;
  const std::string where = has_own_views ? "the list of angles in the file" : "problem.geometry";
  // Flat fields have one value per detector element, so their axis is known to be correct.
  if (views && config.order.empty() && !header.has_fields &&
      fits(lengths.detectors, lengths.views)) {
    SinogramConfig exchanged = config;
    exchanged.order = header.order;
    std::swap(exchanged.order.front(), exchanged.order.back());
    suspicions.push_back(
        {SuspicionKind::transposed, "problem.sinogram",
         config.file.string() + " is " + shape_text(header.shape) + ", and " + where + " has " +
             std::to_string(*views) + " views" +
             (expected.detectors ? " x " + std::to_string(*expected.detectors) + " detectors"
                                 : "") +
             ": the data fit only when transposed",
         "set problem.sinogram.order: " + axis_names(exchanged.order) + ", or save the array as " +
             (header.shape.size() == 2 ? "views x detectors (numpy: array.T)"
                                       : "views x rows x detectors")});
    return exchanged;
  }
  std::string advice = order_advice(header, views, expected.detectors);
  // Missing images are a likely reason.
  for (const Suspicion& suspicion : suspicions) advice += "; " + suspicion.evidence;
  if (has_own_views)
    throw InputError(config.file.string() + ": lists " + std::to_string(*views) +
                     " angles, but the data have " + std::to_string(lengths.views) + " views" +
                     advice);
  throw DimensionMismatch(
      config.file.string() + ": the sinogram is " + std::to_string(lengths.views) + " views x " +
      std::to_string(lengths.detectors) + " detectors, but problem.geometry has " +
      std::to_string(views.value_or(lengths.views)) + " x " +
      std::to_string(expected.detectors.value_or(lengths.detectors)) + advice);
}

/// Notes which files are the scan, and suspects those that may be none.
void note_files(const SinogramConfig& config, SharedFiles& files,
                std::vector<Suspicion>& suspicions, Description& notes) {
  const auto suspect = [&](const char* key, const std::vector<std::string>& oddities) {
    for (const std::string& oddity : oddities)
      suspicions.push_back({SuspicionKind::files, key, oddity,
                            "give all images of one scan, or the angles of those that exist"});
  };
  if (!config.is_hdf5()) {
    ArrayFile& file = files.array(config);
    if (const FileSeries* series = file.series(); series != nullptr && is_pattern(config.file))
      notes.set("files", series->describe());
    suspect("problem.sinogram", oddities_of(file));
  }
  // Numbers of fields have no meaning.
  for (const auto& [key, field] : {std::pair{"problem.sinogram.flat", &config.flat},
                                   std::pair{"problem.sinogram.dark", &config.dark}})
    if (const ImageFormat* format = image_format_of(*field);
        format != nullptr && format->content == ImageContent::images)
      suspect(key, open_array_file(*field, "", missing_allowed)->oddities());
}

}  // namespace

MeasuredSinogram read_sinogram(const SinogramConfig& config, const ExpectedScan& expected,
                               Description& notes) {
  SharedFiles files(expected.has_own_views);
  std::vector<Suspicion> suspicions;
  note_files(config, files, suspicions, notes);
  MeasuredSinogram result =
      read_slice(with_fitting_order(config, expected, files, suspicions), files, notes);
  result.suspicions = std::move(suspicions);
  return result;
}

namespace {

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
  SharedFiles files(false);
  StackShape shape = stack_shape(config, files);
  const auto [first, count] = selection(config, slices, shape.slices);
  shape.first = first;
  shape.slices = count;
  return shape;
}

MeasuredSinogram read_sinogram_stack(const SinogramConfig& stated, const SlicesConfig& slices,
                                     const ExpectedScan& expected,
                                     const std::optional<HostStackNeed>& need, Description& notes) {
  SharedFiles files(expected.has_own_views);
  std::vector<Suspicion> suspicions;
  note_files(stated, files, suspicions, notes);
  const SinogramConfig config = with_fitting_order(stated, expected, files, suspicions);
  const StackShape shape = stack_shape(config, files);
  const auto [first, count] = selection(config, slices, shape.slices);
  if (need) require_room_on_host(count, shape.rays, *need);
  files.expect_rows(first, count, shape.rays);
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
      result.without_signal.insert(result.without_signal.end(), slice.without_signal.begin(),
                                   slice.without_signal.end());
    }
  }
  result.slices = count;
  result.suspicions = std::move(suspicions);
  return result;
}

}  // namespace Tomokkos
