// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Whether a matrix equals its transpose.
struct MatrixSymmetry {
  bool pattern = false;  ///< a_ij is stored where a_ji is
  bool numeric = false;  ///< and they are equal
};

/// \brief Compares \p A, whose rows must be sorted, with its transpose. Costs a transposition;
/// matrices that are not square cost nothing.
template <class ExecutionSpace, class Scalar>
MatrixSymmetry matrix_symmetry(const ExecutionSpace& exec,
                               const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
