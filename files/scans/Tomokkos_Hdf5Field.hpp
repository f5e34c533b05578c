// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Flat and dark fields in HDF5 files of their own.
#pragma once

#include <Tomokkos_FieldAverage.hpp>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Kinds of fields: of the open beam, and without a beam.
enum class FieldKind { flat, dark };

/// \brief Shape of the views of a scan, and the detector rows that are read of it.
struct FieldRows {
  std::size_t scan_rows = 1;
  std::size_t columns = 0;
  std::size_t first = 0;
  std::size_t count = 1;
};

/// \brief Detector rows of a field.
struct Hdf5Field {
  std::vector<double> values;  ///< rows x columns
  std::size_t frames = 0;      ///< number of frames that were averaged
};

/// \brief Reads rows of a flat or dark field from any HDF5 file.
///
/// The dataset has the shape (frames, rows, columns), (rows, columns), (frames, columns) for a scan
/// of one row, or (columns), which serves all rows. If an `image_key` tells its frames apart, only
/// the flat or only the dark frames are averaged.
///
/// \param dataset path of the field; `auto`: `data_white` or `data_dark` of `/exchange`, or the
/// frames of an NXtomo scan, or the only dataset of numbers
/// \throws InputError with the name of the dataset, like `read_hdf5_scan_rows`; MemoryError
Hdf5Field read_hdf5_field(const std::filesystem::path& path, const std::string& dataset,
                          FieldKind kind, const FieldRows& rows,
                          FieldAverage average = FieldAverage::mean);

}  // namespace Tomokkos
