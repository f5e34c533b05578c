// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices of a configuration: read, computed, or extracted from an expanded
// matrix.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_SystemTask.hpp>

namespace Tomokkos {

/// \brief Block-circulant matrix with the numbering of its rows and columns in the problem.
template <class ExecutionSpace, class Scalar>
struct CirculantSystem {
  BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> A;
  MatrixOrder<typename ExecutionSpace::memory_space> order;
};

/// \brief Reads the matrix of `problem.block_row` or computes that of a cone beam, numbered as in
/// `CirculantOrder::rotations`.
///
/// \param rows range of rows of the first block row, for a part of the matrix
/// \throws InputError for the file, its number of blocks, or the shape of image and data;
/// MemoryError with the bytes if an estimate shows that it does not fit
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> make_block_row(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use, RowRange rows = all_rows);

/// \brief Makes the matrix of a run with `format: block_circulant`: by `make_block_row`,
/// or from the first block row of `problem.matrix`.
///
/// \throws the errors of `make_block_row`; ConfigError at `operator.format` if the matrix is not
/// block-circulant
template <class ExecutionSpace, class Scalar>
CirculantSystem<ExecutionSpace, Scalar> make_circulant_system(const ExecutionSpace& exec,
                                                              const SystemTask& task,
                                                              MatrixUse use = MatrixUse::products);

/// \brief Returns a range of rows of the first block row, and so of every other one.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> circulant_row_range(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A, RowRange rows);

/// \brief Expands the matrix of `make_block_row`, in the same numbering.
///
/// \throws the errors of `make_block_row`, also if the two do not fit together
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_expanded_matrix(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use);

/// \brief View of the block row, with plain values, as CSR whose columns are positions, for
/// statistics and fingerprints. Copies nothing.
template <class Scalar, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> positions_as_csr(const BlockCirculantMatrix<Scalar, MemorySpace>& A);

/// \brief Row statistics of the expanded matrix.
template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
