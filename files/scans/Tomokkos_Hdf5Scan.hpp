// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AxisOrder.hpp>
#include <Tomokkos_FieldAverage.hpp>
#include <Tomokkos_FileTypes.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Location of a scan in an HDF5 file. By default it is found by what the file holds.
struct Hdf5Layout {
  /// Path of the data: views x columns, or views x rows x columns. `auto`: `/exchange/data` of
  /// DXchange if it exists, otherwise the data of the only NXtomo scan. A dataset of the name auto
  /// is `/auto`.
  std::string dataset = "auto";
  /// Path of the list that says what each frame of the data is, as in NXtomo. `auto`: looked for
  /// around the data. `none`: all frames are views.
  std::string image_key = "auto";
  /// Axes of the data, and with frames in place of views of the fields. Empty: the order above.
  AxisOrder order = {};
  /// False for parts that others replace: those of the file are neither looked at nor read.
  bool needs_white = true, needs_dark = true, needs_angles = true;
};

/// \brief Describes the keys that locate a scan in an HDF5 file, each with a visitor of its own.
///
/// \param key returns the visitor for the next key
template <class NextKey>
void describe(const NextKey& key, Hdf5Layout& layout) {
  key().text("dataset", layout.dataset, "a path in the file, such as /entry/data/data, or auto",
             "Path of the data in an HDF5 file; auto: /exchange/data, or the data of an NXtomo "
             "scan. Fields and angles are looked for around them.");
  key().text("image_key", layout.image_key, "a path in the file, auto or none",
             "Path of the list that tells views, flat, dark and invalid frames of an NXtomo scan "
             "apart; auto: looked for around the data, none: all frames are views.");
}

/// \brief Places of the parts of a scan in an HDF5 file; empty: the file has no such part.
struct Hdf5ScanPaths {
  std::string data;
  std::string image_key;
  std::string control;  ///< `image_key_control`: also tells alignment frames apart
  std::string white, dark;
  std::string theta;
  /// Names that were looked for, for messages: `/exchange/theta or rotation_angle in /exchange`.
  std::string sought_fields, sought_theta;
};

/// \brief Shape and parts of a scan in an HDF5 file.
struct Hdf5ScanInfo {
  /// Shape of the data. Two-dimensional data have one row. Only frames with the object are views.
  std::size_t views = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// True if the file has fields of the open beam, fields without a beam, and angles.
  bool has_white = false;
  bool has_dark = false;
  bool has_theta = false;
  /// Number of frames of the fields.
  std::size_t white_frames = 0;
  std::size_t dark_frames = 0;
  /// Number of frames that are left out: those that `image_key` calls invalid (3), and those that
  /// `image_key_control` calls alignment frames (-1).
  std::size_t left_out = 0;
  /// Shape of the views in the order of the file.
  std::vector<std::size_t> shape;
  /// Number of angles: one for each view, unless the list of the file does not fit.
  std::size_t angles = 0;
  Hdf5ScanPaths paths;
};

/// \brief One or more detector rows of a scan.
template <class Scalar>
struct Hdf5ScanRows {
  std::size_t views = 0;
  std::size_t rows = 0;
  std::size_t columns = 0;
  /// views x rows x columns, row-major.
  std::vector<Scalar> data;
  /// Averages of the white (flat) and dark frames, rows x columns; empty if the file has none.
  std::vector<Scalar> white;
  std::vector<Scalar> dark;
  /// Angle of each view in `theta_unit`; empty if the file has none.
  std::vector<double> theta;
  /// Degrees unless the attribute `units` of the angles specifies another unit.
  AngleUnit theta_unit = AngleUnit::degrees;
  /// True if this attribute exists.
  bool theta_has_unit = false;
  /// Shape of the whole scan, and its places in the file.
  Hdf5ScanInfo info;
};

/// \brief Reads the shapes of a scan, and which of its frames are views, without its data. Throws
/// like `read_hdf5_scan_rows`.
Hdf5ScanInfo read_hdf5_scan_info(const std::filesystem::path& path, const Hdf5Layout& layout = {});

/// \brief Reads \p rows detector rows of a scan from \p first on, with their fields and angles.
///
/// Data have the shape (views, rows, columns) or (views, columns).
///
/// - In the layout of DXchange the group of the data also holds the optional fields `data_white`
///   and `data_dark` (frames, rows, columns), or one frame (rows, columns), and `theta`, one angle
///   for each view. A field without frames is none.
/// - In the layout of NXtomo the data hold all frames. `image_key` says of each frame whether it is
/// a
///   view (0), flat (1), dark (2) or invalid (3), and `rotation_angle` has an angle for each frame
///   or each view. Both are looked for in the group of the data, where soft links and the attribute
///   `target` lead, and in the groups of the entry, its instrument included.
///
/// Fields are averaged in double. Angles are in degrees unless their attribute `units` (or `unit`)
/// says radians.
///
/// Only these rows are read, and a compressed chunk once for all of them. Integers and
/// floating-point numbers of any width are converted.
///
/// \throws InputError with the name of the dataset for a missing dataset, another shape or type,
/// unwritten chunks, a filter that is not installed, values that are not finite (unless allowed),
/// units other than those of angles, lists of another length than the frames, a damaged file, a row
/// that does not exist, several scans in one file, and if the library was built without HDF5
/// \throws MemoryError with the dataset and the bytes if the rows do not fit in memory
template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_rows(const std::filesystem::path& path, std::size_t first,
                                         std::size_t rows, const ReadOptions& options = {},
                                         const Hdf5Layout& layout = {},
                                         FieldAverage average = FieldAverage::mean);

/// \brief Reads the detector row \p row of a scan: one row of `read_hdf5_scan_rows`.
template <class Scalar>
Hdf5ScanRows<Scalar> read_hdf5_scan_slice(const std::filesystem::path& path, std::size_t row,
                                          const ReadOptions& options = {},
                                          const Hdf5Layout& layout = {},
                                          FieldAverage average = FieldAverage::mean);

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
  /// For each view, nonzero if it is like the dark field: all of its values lie at or below it, or
  /// they scatter around it alike in both directions.
  std::vector<char> without_signal;
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
