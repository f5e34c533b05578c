// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images written by a run of the program.
#pragma once

#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "ProgramTesting.hpp"

namespace Tomokkos::Testing {

/// \brief Reads the values of a `.npy` file in \p folder.
inline std::vector<double> values(const RunFolder& folder, const std::string& file) {
  return read_npy<double>(folder / file).data;
}

/// \brief Computes `|a - b| / |b|` in the Euclidean norm.
inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  EXPECT_EQ(a.size(), b.size());
  double difference = 0, reference = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference += (a[i] - b[i]) * (a[i] - b[i]);
    reference += b[i] * b[i];
  }
  return std::sqrt(difference / reference);
}

}  // namespace Tomokkos::Testing
