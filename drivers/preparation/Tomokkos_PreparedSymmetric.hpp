// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `operator.format: scsr`: from the geometry to the operator.
#pragma once

#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SymmetricProjection.hpp>

namespace Tomokkos {

/// \brief The stored rays of the scan of \p config, without what its masks leave out.
///
/// \throw ConfigError, with the place of `operator.format`, when the scan has not the symmetries of
/// the square; MemoryError.
template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> make_symmetric_system(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input);

/// \brief The operator with the stored rays in `stored_format`. The report has how many are stored,
/// and how many times the bytes of one copy of them the whole matrix takes in CSR.
///
/// \param statistics of the whole matrix
/// \throw as `prepare_operator`.
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_symmetric_operator(
    const ExecutionSpace& exec, const RunConfig& config,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics& statistics, Ordinal vectors);

}  // namespace Tomokkos
