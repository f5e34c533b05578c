// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_CirculantSubsets.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Rows and columns of a block-circulant run.
template <class MemorySpace>
struct CirculantPart {
  CirculantSelection<MemorySpace> selection;
  MatrixOrder<MemorySpace> order;      ///< of the selected rows and columns in the problem
  std::vector<Ordinal> subset_begins;  ///< first row of each subset among those of this rank
  RowSubsets all_subsets{0, 1};        ///< division of the rows of all ranks
  RowStatistics statistics;            ///< of the selected rows and columns
};

/// \brief Puts the rows of a block-circulant matrix into the order of the subsets of the solver,
/// subsets of the blocks, which are the views; and leaves out what masks exclude.
///
/// \param system the part of the matrix that this rank holds, and the numbering of the whole matrix
/// \param rows rows of each block that this rank holds, out of \p block_rows
/// \throws ConfigError if the subsets do not divide the blocks
template <class ExecutionSpace, class Scalar>
CirculantPart<typename ExecutionSpace::memory_space> select_circulant(
    const ExecutionSpace& exec, const SystemTask& task,
    const CirculantSystem<ExecutionSpace, Scalar>& system, RowRange rows, Ordinal block_rows);

/// \brief Prepares the operator of a block-circulant matrix with the variants, the transpose and
/// the precision of \p task. Frees plain values that the caller does not share. The report
/// contains the reuse rho, the blocks, and the ratio of the bytes of the expanded matrix to those
/// of the block row.
///
/// \param part rows and columns of \p A that the run uses
/// \throws ConfigError with the position of the key for settings that are not possible; MemoryError
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_circulant_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space> A,
    const CirculantPart<typename ExecutionSpace::memory_space>& part);

}  // namespace Tomokkos
