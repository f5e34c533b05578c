// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <string>

namespace Tomokkos {

/// \brief Operator of a run and its part of the report.
template <class ExecutionSpace, class Scalar>
struct PreparedOperator {
  AnyOperator<ExecutionSpace, Scalar> A;
  RowStatistics statistics;
  std::size_t csr_bytes = 0;  ///< bytes of the matrix in CSR
  Description report;         ///< entry `operator` of the report: all choices, fill, bytes
};

/// \brief Calls \p work and reports a refusal as a `ConfigError` of \p key.
template <class Work>
auto as_choice(const std::string& key, const Work& work) {
  try {
    return work();
  } catch (const Refused& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

/// \brief Options of a product in CSR by \p variant.
SpmvOptions spmv_options(const SolverNeeds& needs, const OperatorWish& wish, SpmvVariant variant);

/// \brief Converts \p A, already in the order of \p task, to its format and prepares the
/// transpose that the solver needs.
///
/// The workspace of products with `task.needs.vectors` vectors is allocated here and included in
/// `memory_bytes`.
///
/// \param grids arrangement of the rows if known: packed rows are stored in tiles of rays
/// \throws ConfigError if the format would need too much padding
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MatrixGrids& grids = {});

/// \brief Completes an operator that is already in the format of \p task: allocates its workspace
/// and reports the order actually used. This may differ from the configured order: entries are not
/// interleaved for products with a single lane.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_built_operator(
    const ExecutionSpace& exec, const SystemTask& task, BuiltOperator<ExecutionSpace, Scalar> made,
    const RowStatistics& statistics);

}  // namespace Tomokkos
