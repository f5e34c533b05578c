// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solutions of linear systems written by a run of the program.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "ImageTesting.hpp"

namespace Tomokkos::Testing {

/// \brief Reads the values of the solution in the folder \p output.
inline std::vector<double> solution_of(const RunFolder& folder, const std::string& output) {
  return values(folder, output + "/solution.npy");
}

/// \brief Computes `|b - A x| / |b|` for column \p j of \p s columns.
inline double relative_residual(const HostCsrMatrix<double>& A, const std::vector<double>& X,
                                const std::vector<double>& B, std::size_t j = 0,
                                std::size_t s = 1) {
  double residual = 0, norm = 0;
  for (Ordinal i = 0; i < A.num_rows; ++i) {
    double value = B[static_cast<std::size_t>(i) * s + j];
    norm += value * value;
    for (Offset k = A.row_offsets(i); k < A.row_offsets(i + 1); ++k)
      value -= A.values(k) * X[static_cast<std::size_t>(A.columns(k)) * s + j];
    residual += value * value;
  }
  return std::sqrt(residual / norm);
}

}  // namespace Tomokkos::Testing
