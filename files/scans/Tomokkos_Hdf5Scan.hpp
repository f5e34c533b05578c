// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AxisOrder.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Location of a scan in an HDF5 file; defaults to the layout of DXchange.
struct Hdf5Layout {
  /// Path of the data: views x columns, or views x rows x columns. Fields and angles are expected
  /// in the same group: `data_white`, `data_dark`, `theta`.
  std::string dataset = "/exchange/data";
  /// Axes of the data, and with frames in place of views of the fields. Empty: the order above.
  AxisOrder order = {};
};

/// \brief Describes the keys that locate a scan in an HDF5 file.
template <class Visitor>
void describe(Visitor&& key, Hdf5Layout& layout) {
  key.text("dataset", layout.dataset, "a path in the file, such as /entry/data",
           "Path of the data in an HDF5 file; fields and angles are read from the same group.");
}

/// \brief Shape and available datasets of a scan in an HDF5 file.
struct Hdf5ScanInfo {
  /// Shape of the data. Two-dimensional data have one row.
  std::size_t views = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// True if `data_white`, `data_dark` and `theta` exist.
  bool has_white = false;
  bool has_dark = false;
  bool has_theta = false;
  /// Shape of the data in the order of the file.
  std::vector<std::size_t> shape;
  /// Number of angles in the file.
  std::size_t angles = 0;
};

/// \brief One or more detector rows of a scan.
template <class Scalar>
struct Hdf5ScanRows {
  std::size_t views = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// views x rows x columns, row-major.
  std::vector<Scalar> data;
  /// Means of the white (flat) and dark frames, rows x columns; empty if the file has none.
  std::vector<Scalar> white;
  std::vector<Scalar> dark;
  /// Angle of each view in `theta_unit`; empty if the file has none.
  std::vector<double> theta;
  /// Degrees unless the attribute `units` of the angles specifies another unit.
  AngleUnit theta_unit = AngleUnit::degrees;
  /// True if this attribute exists.
  bool theta_has_unit = false;
};

/// \brief Reads the shapes of a scan without its data. Throws like `read_hdf5_scan_rows`.
Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout& layout = {});

/// \brief Reads \p rows detector rows of a scan from \p first on, with their fields and angles.
///
/// Data have the shape (views, rows, columns) or (views, columns). The fields `data_white` and
/// `data_dark` of the same group are optional (frames, rows, columns; averaged in double), as is
/// `theta` (one angle per view, in degrees unless its attribute `units` says radians).
///
/// Only these rows are read, and a compressed chunk once for all of them. Integers and
/// floating-point numbers of any width are converted.
///
/// \throws InputError with the name of the dataset for a missing dataset, another shape or type,
/// unwritten chunks, values that are not finite (unless allowed), units other than those of angles,
/// a damaged file, a row that does not exist, and if the library was built without HDF5
/// \throws MemoryError with the dataset and the bytes if the rows do not fit in memory
template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path& path, std::size_t first,
                                         std::size_t rows, const ReadOptions& options = {},
                                         const Hdf5Layout& layout = {});

/// \brief Reads the detector row \p row of a scan: one row of `read_hdf5_scan_rows`.
template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path& path, std::size_t row,
                                          const ReadOptions& options = {},
                                          const Hdf5Layout& layout = {});

/// \brief Line integrals of a transmission measurement.
template <class Scalar>
struct LineIntegrals {
  /// views x columns, row-major; NaN for missing measurements.
  std::vector<Scalar> values;
  /// Number of values whose transmission was below the smallest allowed one and was raised to it.
  std::size_t clamped = 0;
  /// Number of values without an open beam: dead detector elements, and values that were NaN
  /// already.
  std::size_t missing = 0;
};

/// \brief Computes -log((data - dark) / (white - dark)) in double.
///
/// Transmissions below \p smallest_transmission are raised to it and counted, so the result is a
/// monotone function of the transmission. Where white does not exceed dark (a dead detector
/// element), the measurement is missing and the result is NaN. NaN in the data, the white or the
/// dark field also gives NaN.
///
/// \param data views x columns
/// \param white, dark one value per column; an empty \p dark means 0
/// \throws DimensionMismatch if the lengths do not match
template <class Scalar>
LineIntegrals<Scalar> transmission_to_line_integrals(const std::vector<Scalar>& data,
                                                     const std::vector<Scalar>& white,
                                                     const std::vector<Scalar>& dark,
                                                     double smallest_transmission = 1e-6);

}  // namespace Tomokkos
