// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief `A^T` as CSR (which is A as CSC), rows sorted, the same bytes on every run and for any
/// number of threads.
///
/// Transposing twice gives A back if its rows were sorted. Complete on return: any instance may
/// read it.
///
/// Cost: on a host two passes over A (count, place), on a GPU three (count, place, sort; integer
/// atomics), two fences, the result and `transpose_workspace_bytes`. Throws `MemoryError` with the
/// bytes when they do not fit.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Bytes of workspace that `transpose` takes besides its result.
template <class ExecutionSpace, class Scalar>
std::size_t transpose_workspace_bytes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
