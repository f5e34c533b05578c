// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_InputFile.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#if defined(TOMOKKOS_HAVE_HDF5)

#include <impl/Tomokkos_Hdf5Storage.hpp>

namespace Tomokkos {
namespace {

using Handle = Impl::Hdf5Handle;

class ScanFile {
 public:
  explicit ScanFile(const std::filesystem::path& path)
      : path_(path.string()), file_(open_checked(path)) {
    if (!file_.valid()) {
      throw InputError(path_ +
                       ": not a readable HDF5 file (damaged, truncated or of another kind)");
    }
  }

  /// True if an object of that name exists. Checks the groups first: looking up a path through a
  /// missing group is an error.
  bool has(const std::string& name) const {
    for (std::size_t slash = name.find('/', 1); slash != std::string::npos;
         slash = name.find('/', slash + 1))
      if (!has_link(name.substr(0, slash))) return false;
    return has_link(name);
  }

  /// Number of dimensions of an existing dataset.
  int rank(const std::string& name) const {
    const Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    const Handle space(dataset.valid() ? H5Dget_space(dataset.id()) : H5I_INVALID_HID, H5Sclose);
    return space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
  }

  /// Lists the first few datasets of the file that have two or three dimensions.
  std::string datasets() const {
    std::vector<std::string> names;
#if H5_VERSION_GE(1, 12, 0)
    H5Ovisit3(file_.id(), H5_INDEX_NAME, H5_ITER_NATIVE, add_dataset, &names, H5O_INFO_BASIC);
#else
    H5Ovisit(file_.id(), H5_INDEX_NAME, H5_ITER_NATIVE, add_dataset, &names);
#endif
    constexpr std::size_t most = 8;
    std::string text;
    std::size_t told = 0;
    for (const std::string& name : names)
      if (const int dimensions = rank(name); (dimensions == 2 || dimensions == 3) && told++ < most)
        text += (text.empty() ? "" : ", ") + name;
    return text;
  }

  [[noreturn]] void fail(const std::string& name, const std::string& message) const {
    throw InputError(path_ + ": dataset " + name + ": " + message);
  }

  /// Opens a dataset of numbers with \p rank dimensions.
  Handle open(const std::string& name, int rank, hsize_t* extents) const {
    if (!has(name)) {
      const std::string others = datasets();
      fail(name, "is missing" + (others.empty() ? "" : "; the file holds " + others));
    }
    Handle dataset(H5Dopen2(file_.id(), name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!dataset.valid()) fail(name, "cannot be opened");
    const Handle type(H5Dget_type(dataset.id()), H5Tclose);
    const H5T_class_t kind = type.valid() ? H5Tget_class(type.id()) : H5T_NO_CLASS;
    if (kind != H5T_INTEGER && kind != H5T_FLOAT) fail(name, "does not hold numbers");
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const int actual = space.valid() ? H5Sget_simple_extent_ndims(space.id()) : -1;
    if (actual != rank) {
      fail(name, Impl::text("has {} dimensions instead of {}", actual, rank));
    }
    if (H5Sget_simple_extent_dims(space.id(), extents, nullptr) != rank) {
      fail(name, "its shape cannot be read");
    }
    return dataset;
  }

  /// Reads the attribute `units` of angles; empty if it is missing or empty.
  std::optional<AngleUnit> angle_unit(const std::string& name, const Handle& dataset) const {
    if (H5Aexists(dataset.id(), "units") <= 0) return std::nullopt;
    std::string text = text_attribute(name, dataset, "units");
    std::erase_if(text, [](unsigned char c) { return c <= ' '; });
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (text.empty()) return std::nullopt;
    for (const char* degrees : {"deg", "degs", "degree", "degrees", "\xc2\xb0", "\xb0"})
      if (text == degrees) return AngleUnit::degrees;
    for (const char* radians : {"rad", "rads", "radian", "radians"})
      if (text == radians) return AngleUnit::radians;
    fail(name, "its attribute units is \"" + text + "\"; expected degrees or radians");
  }

  /// Reads a box of a dataset, row-major, as numbers of type \p T.
  template <class T>
  std::vector<T> read_box(const std::string& name, const Handle& dataset, int rank,
                          const hsize_t* start, const hsize_t* extents,
                          bool allow_non_finite) const {
    // Compressed data shrink at most by a factor of a thousand. For datasets with values in other
    // files there is no bound.
    const std::uint64_t bytes = Impl::hdf5_file_bytes(dataset.id());
    const bool is_bounded = !Impl::is_virtual_hdf5(dataset.id());
    hsize_t count = 1;
    for (int d = 0; d < rank; ++d) {
      const auto product = Impl::checked_multiply(count, extents[d]);
      if (!product || (is_bounded && *product / 1032 > bytes)) {
        fail(name, Impl::text("has more values than a file of {} bytes can hold", bytes));
      }
      count = *product;
    }
    if (count == 0) return {};
    if (const std::string gap = Impl::hdf5_missing_part(dataset.id(), path_); !gap.empty())
      fail(name, gap);
    Impl::require_memory(count * sizeof(T), path_ + ": dataset " + name + " needs");
    std::vector<T> values(static_cast<std::size_t>(count));
    const Handle space(H5Dget_space(dataset.id()), H5Sclose);
    const Handle memory(H5Screate_simple(rank, extents, nullptr), H5Sclose);
    if (!space.valid() || !memory.valid() ||
        H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, start, nullptr, extents, nullptr) < 0 ||
        H5Dread(dataset.id(), Impl::native_hdf5_type<T>(), memory.id(), space.id(), H5P_DEFAULT,
                values.data()) < 0) {
      fail(name, "cannot be read: damaged, or stored with a filter that is not installed");
    }
    for (std::size_t k = 0; k < values.size() && !allow_non_finite; ++k) {
      if (std::isfinite(values[k])) continue;
      fail(name, "value " + std::to_string(k) +
                     " of the part that is read (counted from 0) is not finite"
                     " in " +
                     scalar_name<T>() + " precision");
    }
    return values;
  }

 private:
  bool has_link(const std::string& name) const {
    return H5Lexists(file_.id(), name.c_str(), H5P_DEFAULT) > 0;
  }

  /// Callback for each object of a file. The name of the Info type depends on the version of the
  /// HDF5 library. A file may hold any number of objects.
  template <class Info>
  static herr_t add_dataset(hid_t, const char* name, const Info* info, void* names) {
    auto& found = *static_cast<std::vector<std::string>*>(names);
    if (info->type == H5O_TYPE_DATASET) found.push_back(std::string("/").append(name));
    return found.size() < 64 ? 0 : 1;
  }

  /// Reads a text attribute of fixed or variable length.
  std::string text_attribute(const std::string& name, const Handle& dataset,
                             const char* attribute_name) const {
    constexpr std::size_t longest = 256;
    const Handle attribute(H5Aopen(dataset.id(), attribute_name, H5P_DEFAULT), H5Aclose);
    const Handle type(attribute.valid() ? H5Aget_type(attribute.id()) : H5I_INVALID_HID, H5Tclose);
    const Handle space(attribute.valid() ? H5Aget_space(attribute.id()) : H5I_INVALID_HID,
                       H5Sclose);
    const std::string what = std::string("its attribute ") + attribute_name;
    if (!type.valid() || H5Tget_class(type.id()) != H5T_STRING || !space.valid() ||
        H5Sget_simple_extent_npoints(space.id()) != 1)
      fail(name, what + " is not a text");
    if (H5Tis_variable_str(type.id()) > 0) {
      char* text = nullptr;
      if (H5Aread(attribute.id(), type.id(), &text) < 0) fail(name, what + " cannot be read");
      const std::string result = text == nullptr ? "" : std::string(text, strnlen(text, longest));
      H5free_memory(text);
      return result;
    }
    const std::size_t size = H5Tget_size(type.id());
    if (size > longest) fail(name, what + " is too long");
    std::string result(size, '\0');
    if (H5Aread(attribute.id(), type.id(), result.data()) < 0) fail(name, what + " cannot be read");
    return result.substr(0, result.find('\0'));
  }

  static Handle open_checked(const std::filesystem::path& path) {
    const Impl::InputFile file(path);  // explains why a file cannot be opened
    return Handle(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
  }

  Impl::Hdf5Access access_;
  std::string path_;
  Handle file_;
};

/// Names of the datasets of a scan.
struct Names {
  explicit Names(const Hdf5Layout& layout)
      : data(layout.dataset.starts_with('/') ? layout.dataset
                                             : std::string("/").append(layout.dataset)),
        group(data.substr(0, data.rfind('/') + 1)) {}

  std::string data, group;
  std::string white = group + "data_white";
  std::string dark = group + "data_dark";
  std::string theta = group + "theta";
};

/// Dataset of two or three axes, and how they are ordered.
struct ScanData {
  Handle dataset;
  std::vector<std::size_t> shape;
  AxisOrder order;

  ScanShape lengths() const { return scan_shape(order, shape); }
};

ScanData open_data(const ScanFile& file, const std::string& name, const AxisOrder& order) {
  const int rank = file.has(name) && file.rank(name) == 2 ? 2 : 3;
  std::array<hsize_t, 3> extents{};
  Handle dataset = file.open(name, rank, extents.data());
  const auto complete = complete_order(order, static_cast<std::size_t>(rank));
  if (!complete)
    file.fail(name, Impl::text("has {} dimensions, but the order of its axes names {}", rank,
                               order.size()));
  return {std::move(dataset), {extents.begin(), extents.begin() + rank}, *complete};
}

/// Reads \p rows rows from \p first on: views (or frames) x rows x columns.
template <class T>
std::vector<T> read_rows(const ScanFile& file, const std::string& name, const ScanData& data,
                         std::size_t first, std::size_t rows, bool allow_non_finite) {
  std::vector<std::size_t> shape = data.shape;
  std::array<hsize_t, 3> start{}, count{};
  if (const auto axis = position_of(ScanAxis::rows, data.order)) {
    start[*axis] = first;
    shape[*axis] = rows;
  }
  std::copy(shape.begin(), shape.end(), count.begin());
  return to_scan_order(file.read_box<T>(name, data.dataset, static_cast<int>(shape.size()),
                                        start.data(), count.data(), allow_non_finite),
                       shape, data.order);
}

Hdf5ScanInfo scan_info(const ScanFile& file, const Names& names, const AxisOrder& order) {
  const ScanData data = open_data(file, names.data, order);
  for (const std::size_t extent : data.shape) {
    if (extent == 0) file.fail(names.data, "is empty");
  }
  const ScanShape lengths = data.lengths();
  Hdf5ScanInfo info;
  info.views = lengths.views;
  info.rows = lengths.rows;
  info.columns = lengths.detectors;
  info.has_white = file.has(names.white);
  info.has_dark = file.has(names.dark);
  info.has_theta = file.has(names.theta);
  info.shape = data.shape;
  hsize_t angles = 0;
  if (info.has_theta && file.rank(names.theta) == 1) file.open(names.theta, 1, &angles);
  info.angles = static_cast<std::size_t>(angles);
  return info;
}

/// Mean of detector rows over the frames.
template <class Scalar>
std::vector<Scalar> read_mean_rows(const ScanFile& file, const std::string& name,
                                   const AxisOrder& order, const Hdf5ScanInfo& info,
                                   std::size_t first, std::size_t rows, bool allow_non_finite) {
  const ScanData data = open_data(file, name, order);
  const ScanShape lengths = data.lengths();
  if (lengths.rows != info.rows || lengths.detectors != info.columns || lengths.views == 0) {
    file.fail(name, Impl::text("has {} frames of {} x {}, but the data have {} x {}", lengths.views,
                               lengths.rows, lengths.detectors, info.rows, info.columns));
  }
  const std::vector<double> frames =
      read_rows<double>(file, name, data, first, rows, allow_non_finite);
  std::vector<Scalar> mean(rows * info.columns);
  for (std::size_t j = 0; j < mean.size(); ++j) {
    double sum = 0;
    for (std::size_t f = 0; f < lengths.views; ++f) sum += frames[f * mean.size() + j];
    mean[j] = static_cast<Scalar>(sum / static_cast<double>(lengths.views));
  }
  return mean;
}

}  // namespace

Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout& layout) {
  return scan_info(ScanFile(path), Names(layout), layout.order);
}

template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path& path, std::size_t first,
                                         std::size_t rows, const ReadOptions& options,
                                         const Hdf5Layout& layout) {
  const ScanFile file(path);
  const Names names(layout);
  const Hdf5ScanInfo info = scan_info(file, names, layout.order);
  if (rows > info.rows || first > info.rows - rows) {
    file.fail(names.data, Impl::text("has {} rows, so there is no row {} (counted from 0)",
                                     info.rows, std::max(first, info.rows)));
  }
  const bool allow = options.allow_non_finite;
  Hdf5ScanRows<Scalar> slice;
  slice.views = info.views;
  slice.rows = rows;
  slice.columns = info.columns;
  slice.data = read_rows<Scalar>(file, names.data, open_data(file, names.data, layout.order), first,
                                 rows, allow);
  if (info.has_white)
    slice.white = read_mean_rows<Scalar>(file, names.white, layout.order, info, first, rows, allow);
  if (info.has_dark)
    slice.dark = read_mean_rows<Scalar>(file, names.dark, layout.order, info, first, rows, allow);
  if (info.has_theta) {
    hsize_t length = 0;
    const Handle theta = file.open(names.theta, 1, &length);
    if (length != info.views) {
      file.fail(names.theta,
                Impl::text("has {} angles, but the data have {} views{}", length, info.views,
                           length == info.columns ? "; the data may be transposed: " + names.data +
                                                        " must be views x rows x columns"
                                                  : ""));
    }
    const hsize_t first = 0;
    // Angles must always be finite.
    slice.theta = file.read_box<double>(names.theta, theta, 1, &first, &length, false);
    if (const auto unit = file.angle_unit(names.theta, theta)) {
      slice.theta_unit = *unit;
      slice.theta_has_unit = true;
    }
  }
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
                                         std::size_t, const ReadOptions&, const Hdf5Layout&) {
  fail(path);
}

#endif

template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path& path, std::size_t row,
                                          const ReadOptions& options, const Hdf5Layout& layout) {
  return read_hdf5_scan_rows<Scalar>(path, row, 1, options, layout);
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                            \
  template Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path&, std::size_t,  \
                                                    std::size_t, const ReadOptions&,            \
                                                    const Hdf5Layout&);                         \
  template Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path&, std::size_t, \
                                                     const ReadOptions&, const Hdf5Layout&);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
