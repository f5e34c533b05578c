// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_TransposeOptions.hpp>

namespace Tomokkos {

/// \brief The pattern of a CSR matrix: its contract without the values.
template <class MemorySpace>
struct CsrPattern {
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;

  /// \brief Number of entries.
  Offset num_nonzeros() const { return static_cast<Offset>(columns.extent(0)); }
};

/// \brief `A^T` as CSR (which is A as CSC), rows sorted, the same bytes on every run, for every
/// variant and for any number of threads.
///
/// Transposing twice gives A back if its rows were sorted; they need not be. An entry that a row
/// holds twice, which the contract of `CsrMatrix` excludes, is kept twice: in the order of the row,
/// but by `claims` in any. Complete on return: any instance may read it.
///
/// Cost: the result and `transpose_workspace_bytes`. Per entry of `b` bytes are read and written:
/// `banded` 4 + 2 b, `scan_trans` 20 + 2 b, `merge_trans` 4 + 2 b and 2 b a round, `multisplit`
/// 5 + 2 b a digit (docs/library/transposition.md). At most two fences. Throws `Error` for options
/// that cannot be run here, and `MemoryError` with the bytes when they do not fit.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {});

/// \brief The same of a pattern alone.
template <class ExecutionSpace>
CsrPattern<typename ExecutionSpace::memory_space> transpose_pattern(
    const ExecutionSpace& exec, const CsrPattern<typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {});

/// \brief Bytes of the one block of memory that the transposition of a matrix of this shape takes
/// besides its result. Looks at no entry, allocates nothing.
///
/// \param value_bytes of a value; 0 for a pattern
template <class ExecutionSpace>
std::size_t transpose_workspace_bytes(const ExecutionSpace& exec, const MatrixShape& shape,
                                      std::size_t value_bytes,
                                      const TransposeOptions& options = {});

/// \brief The same for \p A.
template <class ExecutionSpace, class Scalar>
std::size_t transpose_workspace_bytes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {}) {
  return transpose_workspace_bytes(exec, MatrixShape{A.num_rows, A.num_cols, A.num_nonzeros()},
                                   sizeof(Scalar), options);
}

/// \brief `transpose` into arrays that are there. Allocates nothing; may still run on return.
///
/// \param row_offsets columns of A + 1
/// \param columns,values nonzeros of A; not arrays of A itself
/// \param workspace at least `transpose_workspace_bytes`, on a boundary of 64 bytes
///
/// `automatic` is what `transpose_workspace_bytes` told the bytes of. Throws `DimensionMismatch`.
template <class ExecutionSpace, class Scalar>
void transpose_into(const ExecutionSpace& exec,
                    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    const OutputVector<ExecutionSpace, Offset>& row_offsets,
                    const OutputVector<ExecutionSpace, Ordinal>& columns,
                    const OutputVector<ExecutionSpace, Scalar>& values,
                    const OutputVector<ExecutionSpace, char>& workspace,
                    const TransposeOptions& options = {});

}  // namespace Tomokkos
