// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Where a scan is in an HDF5 file; by default as DXchange has it.
struct Hdf5Layout {
  /// The data: views x columns, or views x rows x columns. Fields and angles are looked for in its
  /// group: `data_white`, `data_dark`, `theta`.
  std::string dataset = "/exchange/data";
};

/// \brief Describes the keys of a configuration that say where a scan is.
template <class Visitor>
void describe(Visitor&& key, Hdf5Layout& layout) {
  key.text("dataset", layout.dataset, "a path in the file, such as /entry/data",
           "The data of an HDF5 file; fields and angles are those beside it.");
}

/// \brief What an HDF5 file holds of a scan.
struct Hdf5ScanInfo {
  /// Shape of the data; of two dimensions one row.
  std::size_t views = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// Whether `data_white`, `data_dark` and `theta` are there.
  bool has_white = false;
  bool has_dark = false;
  bool has_theta = false;
};

/// \brief One detector row of a scan.
template <class Scalar>
struct Hdf5ScanSlice {
  std::size_t views = 0;
  std::size_t columns = 0;
  /// views x columns, row-major.
  std::vector<Scalar> data;
  /// Means of the white (flat) and dark frames, one value per column; empty when the file has none.
  std::vector<Scalar> white;
  std::vector<Scalar> dark;
  /// Whether the data are whole numbers, as counts are.
  bool is_integer = false;
  /// Angle per view in `theta_unit`; empty when the file has none.
  std::vector<double> theta;
  /// Degrees unless the attribute `units` of the angles says otherwise.
  AngleUnit theta_unit = AngleUnit::degrees;
  /// Whether there is such an attribute.
  bool theta_has_unit = false;
};

/// \brief Shapes of a scan, without its data. Throws as `read_hdf5_scan_slice`.
Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout& layout = {});

/// \brief Reads detector row \p row of a scan: the data (views, rows, columns, or views, columns),
/// and where present `data_white` and `data_dark` beside them (frames, rows, columns; averaged in
/// double) and `theta` (one per view, in degrees unless its attribute `units` says radians). With
/// `ReadOptions::allow_transposed`, a scan without fields may have an angle per column instead.
///
/// Only this row is read. Integers and floating-point numbers of any width are converted. Throws
/// `InputError` with the dataset's name for a missing dataset, another shape or type, a dataset of
/// which chunks were never written, values that are not finite (unless allowed), units that are no
/// angles, a damaged file, a row that does not exist, and when the library was built without HDF5;
/// `MemoryError` with the dataset and the bytes when the row does not fit in memory.
template <class Scalar>
Hdf5ScanSlice<Scalar> read_hdf5_scan_slice(const std::filesystem::path& path, std::size_t row,
                                           const ReadOptions& options = {},
                                           const Hdf5Layout& layout = {});

/// \brief Line integrals of a transmission measurement.
template <class Scalar>
struct LineIntegrals {
  /// views x columns, row-major; NaN where nothing was measured.
  std::vector<Scalar> values;
  /// Values whose transmission was below the smallest one and was raised to it.
  std::size_t clamped = 0;
  /// Values without an open beam: dead detector elements, and values that are NaN already.
  std::size_t missing = 0;
};

/// \brief Computes -log((data - dark) / (white - dark)) in double.
///
/// The result is a monotone function of the transmission: everything below
/// \p smallest_transmission counts as that, and is counted. Where white does not exceed dark (a
/// dead detector element) nothing was measured, and the result is NaN; a NaN in the data, the white
/// or the dark field makes one, too.
///
/// \param data views x columns. \param white, dark one value per column; an empty \p dark is 0.
/// Throws `DimensionMismatch` when the lengths do not fit.
template <class Scalar>
LineIntegrals<Scalar> transmission_to_line_integrals(const std::vector<Scalar>& data,
                                                     const std::vector<Scalar>& white,
                                                     const std::vector<Scalar>& dark,
                                                     double smallest_transmission = 1e-6);

}  // namespace Tomokkos
