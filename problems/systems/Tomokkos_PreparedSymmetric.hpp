// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preparation of `operator.format: scsr`, from the geometry to the operator.
#pragma once

#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_SymmetricProjection.hpp>
#include <Tomokkos_SystemTask.hpp>

namespace Tomokkos {

/// \brief Builds the stored rays of the scan of \p task, without the rays and pixels that masks
/// exclude.
///
/// \throws ConfigError at `operator.format` if the scan lacks the symmetries of the square;
/// MemoryError
template <class ExecutionSpace, class Scalar>
SymmetricProjection<Scalar, typename ExecutionSpace::memory_space> make_symmetric_system(
    const ExecutionSpace& exec, const SystemTask& task);

/// \brief Prepares the operator with the stored rays in `stored_format`. The report contains their
/// number and the ratio of the bytes of the whole matrix in CSR to one copy of them.
///
/// \param statistics statistics of the whole matrix
/// \throws the errors of `prepare_operator`
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_symmetric_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    const SymmetricProjection<Scalar, typename ExecutionSpace::memory_space>& A,
    const RowStatistics& statistics);

}  // namespace Tomokkos
