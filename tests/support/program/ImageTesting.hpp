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

/// \brief Reads the values of the reconstruction in the folder \p output.
inline std::vector<double> image(const RunFolder& folder, const std::string& output) {
  return values(folder, output + "/reconstruction.npy");
}

/// \brief Expects equal sizes and values that differ by at most \p tolerance.
inline void expect_near(const std::vector<double>& a, const std::vector<double>& b,
                        double tolerance, const std::string& what = "") {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance) << what << ", " << i;
}

/// \brief Expects equal sizes and values that differ by at most `tolerance (1 + |b|)`.
inline void expect_close(const std::vector<double>& a, const std::vector<double>& b,
                         double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (std::size_t i = 0; i < a.size(); ++i)
    ASSERT_NEAR(a[i], b[i], tolerance * (1 + std::abs(b[i]))) << what << ", " << i;
}

}  // namespace Tomokkos::Testing
