// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

/// \brief The operator of a run, and what the report says of it.
template <class ExecutionSpace, class Scalar>
struct PreparedOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  RowStatistics statistics;
  std::size_t csr_bytes = 0;  ///< of the matrix in CSR
  Description report;         ///< `operator`: every choice made, fill, bytes
};

/// \brief Ranges of rows that the solver cuts a pass over all \p rows into; `block_rows` of block
/// ART and the views of SART are known.
int row_ranges(const RunConfig& config, Ordinal rows);

/// \brief \p A, in the order of \p config already, in the format that it asks for, with the
/// transpose that the solver needs.
///
/// \param vectors that a product takes at once: slices, right-hand sides. What products with so
/// many need is allocated here, and is in `memory_bytes`.
/// \param grids how rows lie where that is known: packed rows stand in tiles of rays.
/// \throw ConfigError when the format would hold too much padding.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A, Ordinal vectors,
    const MatrixGrids& grids = {});

/// \brief The same of a matrix that is in the format of \p config already.
///
/// \param csr_bytes what it would take in CSR
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const RunConfig& config, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics, std::size_t csr_bytes, Ordinal vectors);

}  // namespace Tomokkos
