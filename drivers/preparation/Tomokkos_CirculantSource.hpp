// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices of a configuration: read, built, or found in an expanded one.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>

namespace Tomokkos {

/// \brief A block-circulant matrix, and how its problem numbers rows and columns.
template <class ExecutionSpace, class Scalar>
struct CirculantSystem {
  BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> A;
  MatrixOrder<typename ExecutionSpace::memory_space> order;
};

/// \brief True when the run multiplies by the first row of blocks.
bool is_block_circulant_run(const RunConfig& config);

/// \brief The matrix of `problem.block_row` or of a cone beam, whose numbering is that of
/// `CirculantOrder::rotations`.
///
/// \throw InputError for the file, its number of blocks, or the shape of image and data;
/// MemoryError with the bytes when it is known beforehand that it does not fit.
template <class ExecutionSpace, class Scalar>
BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> make_block_row(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use);

/// \brief The matrix of a run that `is_block_circulant_run`: that of `make_block_row`, or the first
/// row of blocks of `problem.matrix`.
///
/// \throw as `make_block_row`; ConfigError, with the place of `operator.format`, for a matrix that
/// is not block circulant.
template <class ExecutionSpace, class Scalar>
CirculantSystem<ExecutionSpace, Scalar> make_circulant_system(const ExecutionSpace& exec,
                                                              const RunConfig& config,
                                                              const RunInput& input,
                                                              MatrixUse use = MatrixUse::products);

/// \brief All of the matrix of `make_block_row`, in the numbering of that.
///
/// \throw as `make_block_row`, where both do not fit.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_expanded_matrix(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use);

/// \brief The rows of the row of blocks for what looks at rows and at bits: as CSR whose columns
/// are positions. No copy.
template <class Scalar, class MemorySpace>
CsrMatrix<Scalar, MemorySpace> positions_as_csr(const BlockCirculantMatrix<Scalar, MemorySpace>& A);

/// \brief The statistics of the expanded matrix.
template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(
    const ExecutionSpace& exec,
    const BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
