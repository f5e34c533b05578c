// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tomokkos info` says of files that hold no matrix.
#pragma once

#include <Tomokkos_Description.hpp>
#include <string>

namespace Tomokkos {

/// \brief Adds shape, type and range of the values of an `.npy` file. Throws `InputError`.
void add_array_info(const std::string& file, Description& result);

/// \brief Adds what a scan in HDF5 holds. Throws `InputError`.
void add_scan_info(const std::string& file, Description& result);

}  // namespace Tomokkos
