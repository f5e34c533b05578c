// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief Rows \p rows of A as a matrix of their own, with the columns of A: a copy in the memory
/// of \p exec, while A may lie in host memory.
///
/// Complete on return. Cost: the entries of the rows are read and written once, three fences.
/// Throws `Error` for a range that does not lie within the rows, `MemoryError` with the bytes.
template <class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_row_range(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A, RowRange rows);

}  // namespace Tomokkos

#include <impl/Tomokkos_CsrRowRange_impl.hpp>
