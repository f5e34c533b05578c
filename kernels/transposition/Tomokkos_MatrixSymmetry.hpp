// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <optional>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief Result of the comparison of a matrix with its transpose, with the largest difference.
struct MatrixSymmetry {
  bool pattern = false;  ///< a_ij is stored wherever a_ji is stored
  bool numeric = false;  ///< pattern and values agree
  /// All entries agree up to rounding errors of an assembly: 1e-12 of the larger of both, or of
  /// `sqrt(a_ii a_jj)`, in double, 1e-5 in float.
  bool up_to_rounding = false;

  /// Two entries that differ.
  struct Difference {
    Ordinal row, column;
    double value, mirrored;  ///< a_ij, a_ji; 0 if not stored
  };
  Ordinal num_rows = 0, num_cols = 0;  ///< shape of the matrix
  /// Largest difference relative to the same measure; empty if the matrix is symmetric.
  std::optional<Difference> largest;
};

/// \brief Compares \p A, whose rows must be sorted, with its transpose. Costs a transposition;
/// nothing for matrices that are not square.
template <class ExecutionSpace, class Scalar>
MatrixSymmetry matrix_symmetry(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns a message such as "the matrix is not symmetric: row 2, column 5 (the first is 1)
/// holds 1.5, row 5, column 2 holds 1.25".
std::string describe_asymmetry(const MatrixSymmetry& symmetry);

/// \brief Checks that \p A, whose rows must be sorted, is symmetric up to rounding
/// (`MatrixSymmetry::up_to_rounding`), as conjugate gradients need it. Costs a transposition.
///
/// \throws Refused naming the two entries that differ most, with their values
template <class ExecutionSpace, class Scalar, class MemorySpace>
void require_symmetric(const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A) {
  static_assert(std::is_same_v<MemorySpace, typename ExecutionSpace::memory_space>,
                "the matrix must lie in the memory of the execution space; copy_to moves it");
  const MatrixSymmetry symmetry = matrix_symmetry<ExecutionSpace, Scalar>(exec, A);
  if (!symmetry.up_to_rounding) throw Refused(describe_asymmetry(symmetry));
}

}  // namespace Tomokkos
