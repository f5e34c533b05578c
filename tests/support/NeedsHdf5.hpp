// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <string>

#include "TestData.hpp"

namespace Tomokkos::Testing {

/// \brief True where the library files was built with HDF5.
inline bool reads_hdf5() {
  try {
    read_hdf5_scan_info(test_data_path("tomography/tooth.h5"));
  } catch (const InputError& error) {
    return std::string(error.what()).find("built without HDF5") == std::string::npos;
  }
  return true;
}

}  // namespace Tomokkos::Testing

/// \brief First statement of a test that reads a scan in HDF5.
#define TOMOKKOS_NEEDS_HDF5() \
  if (!::Tomokkos::Testing::reads_hdf5()) GTEST_SKIP() << "skipped: built without HDF5"
