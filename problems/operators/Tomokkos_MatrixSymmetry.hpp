// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Whether a matrix equals its transpose, and where it differs most from it.
struct MatrixSymmetry {
  bool pattern = false;  ///< a_ij is stored where a_ji is
  bool numeric = false;  ///< and they are equal
  /// They differ by no more than rounding leaves of an assembly: 1e-12 of the larger of both, or of
  /// `sqrt(a_ii a_jj)`, in double, 1e-5 in float.
  bool up_to_rounding = false;

  /// Two entries that differ.
  struct Difference {
    Ordinal row, column;
    double value, mirrored;  ///< a_ij, a_ji; 0 where it is not stored
  };
  /// The largest difference by that measure, unless there is none.
  std::optional<Difference> largest;
};

/// \brief Compares \p A, whose rows must be sorted, with its transpose. Costs a transposition;
/// matrices that are not square cost nothing.
template <class ExecutionSpace, class Scalar>
MatrixSymmetry matrix_symmetry(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief "the matrix is not symmetric: row 2, column 5 (the first is 1) holds 1.5, row 5, column 2
/// holds 1.25".
std::string describe_asymmetry(const MatrixSymmetry& symmetry);

}  // namespace Tomokkos
