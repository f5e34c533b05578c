// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat and dark fields in files of their own, of any format of measured data.
#pragma once

#include <Tomokkos_FieldAverage.hpp>
#include <Tomokkos_Hdf5Field.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Place of a field.
struct FieldSource {
  std::filesystem::path file;
  std::string dataset = "auto";  ///< path in an HDF5 file, or array of an archive
  FieldKind kind = FieldKind::flat;
  FieldAverage average = FieldAverage::mean;
};

/// \brief Reads a field row by row, and keeps the rows that were announced.
///
/// Arrays have the shape (detectors), (frames, detectors), which serve all rows, or (frames, rows,
/// detectors); as many frames as rows are refused, because they may be one of all rows. Images are
/// frames of rows x detectors. HDF5 files: see `read_hdf5_field`.
class FieldFile {
 public:
  /// \brief Returns one value per detector of the row \p rows.first. Reads \p rows.count rows
  /// together if they are not known yet.
  ///
  /// \throws InputError for another shape, and for infinite values
  std::vector<double> row(const FieldSource& source, const FieldRows& rows);
  /// \brief Number of frames that were averaged.
  std::size_t frames() const { return frames_; }

 private:
  void read(const FieldSource& source, const FieldRows& rows);
  void read_array(const FieldSource& source, const FieldRows& rows);

  std::vector<double> values_;
  std::size_t first_ = 0, count_ = 0;  // rows of these values
  bool is_shared_ = false;             // one row of values serves all rows
  std::size_t frames_ = 0;
};

}  // namespace Tomokkos
