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

/// \brief Adds the shape of an HDF5 scan and the fields in it.
///
/// \throws InputError
void add_scan_info(const std::string& file, Description& result);

}  // namespace Tomokkos
