// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <optional>
#include <string>

#if defined(TOMOKKOS_HAVE_HDF5)

#include <impl/Tomokkos_FindHdf5Scan.hpp>

namespace Tomokkos {
namespace {

using Impl::Hdf5File;
using Impl::Hdf5Frames;
using Handle = Impl::Hdf5Handle;
using Kind = Impl::FrameKind;

/// Scan that has been found, with the shape of its frames.
struct OpenScan {
  OpenScan(const Hdf5File& file, const Hdf5Layout& layout)
      : needs_white(layout.needs_white),
        needs_dark(layout.needs_dark),
        paths(Impl::find_hdf5_scan(file, layout)),
        data(file, paths.data, layout.order),
        frames(Impl::read_frame_kinds(file, paths, data.lengths().views)) {
    for (const std::size_t extent : data.shape())
      if (extent == 0) file.fail(paths.data, "is empty");
    if (frames.count(Kind::view) == 0)
      file.fail(paths.image_key,
                Impl::text("calls none of the {} frames a view (0)", data.lengths().views));
  }

  bool needs_white, needs_dark;
  Hdf5ScanPaths paths;
  Impl::FrameData data;
  Impl::FrameKinds frames;

  /// Field in a dataset of its own, in the order of the data. One with another number of axes has
  /// the usual order: frames, (rows,) detectors, or rows, detectors if it is one frame.
  Impl::FrameData field(const Hdf5File& file, const std::string& name) const {
    const auto shape = file.shape(name);
    if (shape && shape->size() == data.order().size()) return {file, name, data.order()};
    const ScanShape lengths = data.lengths();
    if (lengths.rows > 1 && shape &&
        *shape == std::vector<hsize_t>{lengths.rows, lengths.detectors})
      return Impl::FrameData::one_frame(file, name);
    return {file, name, AxisOrder{}};
  }

  Hdf5ScanInfo info(const Hdf5File& file) const {
    Hdf5ScanInfo info;
    info.views = frames.count(Kind::view);
    info.rows = data.lengths().rows;
    info.columns = data.lengths().detectors;
    info.shape = data.shape();
    info.shape[*position_of(ScanAxis::views, data.order())] = info.views;
    info.paths = paths;
    info.left_out = frames.count(Kind::invalid);
    const auto frames_of = [&](bool needs, std::size_t among, std::string& path,
                               std::size_t& count) {
      if (!needs) return false;
      count = among;
      if (among > 0)
        path = paths.data;
      else if (!path.empty())
        count = field(file, path).lengths().views;
      return !path.empty();
    };
    info.has_white =
        frames_of(needs_white, frames.count(Kind::flat), info.paths.white, info.white_frames);
    info.has_dark =
        frames_of(needs_dark, frames.count(Kind::dark), info.paths.dark, info.dark_frames);
    info.has_theta = !paths.theta.empty();
    const hsize_t length = info.has_theta ? file.list_length(paths.theta).value_or(0) : 0;
    info.angles = length == frames.frames ? info.views : static_cast<std::size_t>(length);
    return info;
  }
};

template <class Scalar>
std::vector<Scalar> converted(const std::vector<double>& values) {
  return std::vector<Scalar>(values.begin(), values.end());
}

/// Rows that are read.
struct ReadRows {
  std::size_t first, count;
};

/// Average of a field among the frames of the data.
std::vector<double> read_field_frames(const Hdf5File& file, const OpenScan& scan, Kind kind,
                                      const ReadRows& rows, bool allow_non_finite,
                                      FieldAverage average) {
  return average_frames(scan.data.read<double>(file, scan.frames.runs(kind), rows.first, rows.count,
                                               allow_non_finite),
                        rows.count * scan.data.lengths().detectors, average);
}

/// Average of a field in a dataset of its own.
std::vector<double> read_field_dataset(const Hdf5File& file, const std::string& name,
                                       const OpenScan& scan, const ReadRows& rows,
                                       bool allow_non_finite, FieldAverage average) {
  const Impl::FrameData field = scan.field(file, name);
  const ScanShape found = field.lengths(), data = scan.data.lengths();
  if (found.rows != data.rows || found.detectors != data.detectors)
    file.fail(name, Impl::text("has {} frames of {} x {}, but the data have {} x {}", found.views,
                               found.rows, found.detectors, data.rows, data.detectors));
  return average_frames(
      field.read<double>(file, {{0, found.views}}, rows.first, rows.count, allow_non_finite),
      rows.count * data.detectors, average);
}

/// Reads the attribute `units` of angles; empty if it is missing or empty.
std::optional<AngleUnit> angle_unit(const Hdf5File& file, const std::string& name) {
  const char* const attribute = file.has_attribute(name, "units") ? "units" : "unit";
  if (!file.has_attribute(name, attribute)) return std::nullopt;
  const auto stored = file.text_attribute(name, attribute);
  if (!stored) file.fail(name, std::string("its attribute ") + attribute + " is not a short text");
  std::string text = *stored;
  std::erase_if(text, [](unsigned char c) { return c <= ' ' || c == '.'; });
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.empty()) return std::nullopt;
  for (const char* degrees : {"deg", "degs", "degree", "degrees", "\xc2\xb0", "\xb0"})
    if (text == degrees) return AngleUnit::degrees;
  for (const char* radians : {"rad", "rads", "radian", "radians"})
    if (text == radians) return AngleUnit::radians;
  file.fail(name, std::string("its attribute ") + attribute + " is \"" + text +
                      "\"; expected degrees or radians");
}

/// Reads the angles of the views.
template <class Scalar>
void read_theta(const Hdf5File& file, const OpenScan& scan, Hdf5ScanRows<Scalar>& slice) {
  const Hdf5ScanInfo& info = slice.info;
  const std::string& name = info.paths.theta;
  std::vector<double> angles = file.read_list(name, true);
  const std::size_t frames = static_cast<std::size_t>(scan.frames.frames);
  const std::size_t length = angles.size();
  if (length == frames && length != info.views) {
    // Frames of the fields have no angle.
    std::size_t kept = 0;
    for (std::size_t f = 0; f < frames; ++f)
      if (scan.frames.kinds[f] == Kind::view) angles[kept++] = angles[f];
    angles.resize(kept);
  } else if (length != info.views) {
    const bool has_key = frames != info.views;
    file.fail(name, Impl::text("has {} angles, but the data have {} views{}{}", length, info.views,
                               has_key ? Impl::text(" in {} frames", frames) : "",
                               length == info.columns
                                   ? "; the data may be transposed: " + info.paths.data +
                                         " must be views x rows x columns"
                                   : ""));
  }
  for (std::size_t k = 0; k < angles.size(); ++k)
    if (!std::isfinite(angles[k]))
      file.fail(name, Impl::text("value {} of the angles of the views (counted from 0) is not "
                                 "finite in double precision",
                                 k));
  slice.theta = std::move(angles);
  if (const auto unit = angle_unit(file, name)) {
    slice.theta_unit = *unit;
    slice.theta_has_unit = true;
  }
}

}  // namespace

Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout& layout) {
  const Hdf5File file(path);
  return OpenScan(file, layout).info(file);
}

template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path& path, std::size_t first,
                                         std::size_t rows, const ReadOptions& options,
                                         const Hdf5Layout& layout, FieldAverage average) {
  const Hdf5File file(path);
  const OpenScan scan(file, layout);
  Hdf5ScanRows<Scalar> slice;
  slice.info = scan.info(file);
  const Hdf5ScanInfo& info = slice.info;
  if (rows > info.rows || first > info.rows - rows) {
    file.fail(info.paths.data, Impl::text("has {} rows, so there is no row {} (counted from 0)",
                                          info.rows, std::max(first, info.rows)));
  }
  const bool allow = options.allow_non_finite;
  const ReadRows range{first, rows};
  slice.views = info.views;
  slice.rows = rows;
  slice.columns = info.columns;
  slice.data =
      scan.data.template read<Scalar>(file, scan.frames.runs(Kind::view), first, rows, allow);
  const auto read_field = [&](Kind kind, const std::string& name) {
    return converted<Scalar>(scan.frames.count(kind) > 0
                                 ? read_field_frames(file, scan, kind, range, allow, average)
                                 : read_field_dataset(file, name, scan, range, allow, average));
  };
  if (info.has_white) slice.white = read_field(Kind::flat, info.paths.white);
  if (info.has_dark) slice.dark = read_field(Kind::dark, info.paths.dark);
  if (info.has_theta) read_theta(file, scan, slice);
  return slice;
}

#else

namespace Tomokkos {
namespace {
[[noreturn]] void fail(const std::filesystem::path& path) {
  throw InputError(path.string() + ": cannot be read: this library was built without HDF5");
}
}  // namespace

Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout&) {
  fail(path);
}

template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path& path, std::size_t,
                                         std::size_t, const ReadOptions&, const Hdf5Layout&,
                                         FieldAverage) {
  fail(path);
}

#endif

template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path& path, std::size_t row,
                                          const ReadOptions& options, const Hdf5Layout& layout,
                                          FieldAverage average) {
  return read_hdf5_scan_rows<Scalar>(path, row, 1, options, layout, average);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                            \
  template Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path&, std::size_t,  \
                                                    std::size_t, const ReadOptions&,            \
                                                    const Hdf5Layout&, FieldAverage);           \
  template Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path&, std::size_t, \
                                                     const ReadOptions&, const Hdf5Layout&,     \
                                                     FieldAverage);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
