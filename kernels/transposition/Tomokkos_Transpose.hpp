// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_TransposeOptions.hpp>

namespace Tomokkos {

/// \brief Pattern of a CSR matrix: same contract, without values.
template <class MemorySpace>
struct CsrPattern {
  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<const Ordinal*, MemorySpace> columns;

  /// \brief Returns the number of entries.
  Offset num_nonzeros() const { return static_cast<Offset>(columns.extent(0)); }
};

/// \brief Returns `A^T` in CSR (which is A in CSC), with sorted rows.
///
/// Every variant gives the same bytes on every run and for any number of threads. Transposing twice
/// gives A back if its rows were sorted; they need not be. An entry that is stored twice in a row,
/// which the contract of `CsrMatrix` excludes, is kept twice: in the order of the row, but in
/// arbitrary order by `claims`. The result is complete on return: any execution-space instance may
/// read it.
///
/// Cost: the result and `transpose_workspace_bytes`. Bytes read and written per entry of `b` bytes:
/// `banded` 4 + 2 b, `scan_trans` 20 + 2 b, `merge_trans` 4 + 2 b plus 2 b per round, `multisplit`
/// 5 + 2 b per digit (docs/library/transposition.md). At most two fences.
///
/// \throws Error when the options cannot be run on this backend
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {});

/// \brief Returns the transpose of a pattern, with the cost and errors of `transpose`.
template <class ExecutionSpace>
CsrPattern<typename ExecutionSpace::memory_space> transpose_pattern(
    const ExecutionSpace& exec, const CsrPattern<typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {});

/// \brief Returns the bytes of the workspace for transposing a matrix of this shape, in addition to
/// the result. Reads no entry, allocates nothing.
///
/// \param value_bytes bytes of a value; 0 for a pattern
template <class ExecutionSpace>
std::size_t transpose_workspace_bytes(const ExecutionSpace& exec, const MatrixShape& shape,
                                      std::size_t value_bytes,
                                      const TransposeOptions& options = {});

/// \brief Returns the bytes of the workspace for transposing \p A.
template <class ExecutionSpace, class Scalar>
std::size_t transpose_workspace_bytes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const TransposeOptions& options = {}) {
  return transpose_workspace_bytes(exec, MatrixShape{A.num_rows, A.num_cols, A.num_nonzeros()},
                                   sizeof(Scalar), options);
}

/// \brief Writes `A^T` in CSR into existing arrays. Allocates nothing. The kernels may still run on
/// return.
///
/// `automatic` chooses the variant for which `transpose_workspace_bytes` counts the workspace.
///
/// \param row_offsets one element more than A has columns
/// \param columns,values one element per nonzero of A; must not be arrays of A
/// \param workspace at least `transpose_workspace_bytes`, aligned to 64 bytes
/// \throws DimensionMismatch when an array has the wrong length
/// \throws Error when the workspace is too small or not aligned
template <class ExecutionSpace, class Scalar>
void transpose_into(const ExecutionSpace& exec,
                    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                    const OutputVector<ExecutionSpace, Offset>& row_offsets,
                    const OutputVector<ExecutionSpace, Ordinal>& columns,
                    const OutputVector<ExecutionSpace, Scalar>& values,
                    const OutputVector<ExecutionSpace, char>& workspace,
                    const TransposeOptions& options = {});

}  // namespace Tomokkos
