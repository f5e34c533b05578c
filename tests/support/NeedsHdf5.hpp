// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <string>

#include "TestData.hpp"

namespace Tomokkos::Testing {

/// \brief Returns true if the library of files was built with HDF5.
inline bool reads_hdf5() {
  try {
    read_hdf5_scan_info(test_data_path("tomography/tooth.h5"));
  } catch (const InputError& error) {
    return std::string(error.what()).find("built without HDF5") == std::string::npos;
  }
  return true;
}

}  // namespace Tomokkos::Testing

/// \brief Skips a test that reads a scan in HDF5 if there is no HDF5. Use it as the first
/// statement.
#define TOMOKKOS_NEEDS_HDF5() \
  if (!::Tomokkos::Testing::reads_hdf5()) GTEST_SKIP() << "skipped: built without HDF5"
