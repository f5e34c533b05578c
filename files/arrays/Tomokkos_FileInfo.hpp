// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Descriptions of files other than matrices for `tomokkos info`.
#pragma once

#include <Tomokkos_Description.hpp>
#include <string>

namespace Tomokkos {

/// \brief Adds shape, type and range of the values of an `.npy` file.
///
/// \throws InputError
void add_array_info(const std::string& file, Description& result);

/// \brief Adds the scan that an HDF5 file holds, and its datasets.
///
/// \throws InputError
void add_hdf5_info(const std::string& file, Description& result);

/// \brief Adds number, size and range of `.tif` images: of one file, or of a pattern.
///
/// \throws InputError
void add_tiff_info(const std::string& file, Description& result);

/// \brief True for an archive of arrays that is not a sparse matrix.
bool is_archive_of_arrays(const std::string& file);

/// \brief Adds shapes and ranges of the arrays of an archive.
///
/// \throws InputError
void add_archive_info(const std::string& file, Description& result);

}  // namespace Tomokkos
