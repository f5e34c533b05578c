// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preparation of `operator.format: computed`.
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief Prepares products with the rays of a scan, a scanner or a cone beam whose matrix is not
/// stored. The rows of a cone beam are in natural order or that of subsets, and have all columns.
///
/// \param order the rays and pixels of the run, or of one rank
/// The statistics follow from some of the rows (`sample_rows`).
///
/// \param fingerprint set: receives a number that depends on the entries of these rows, on the
/// views
///   of a scan, and on the rays and pixels
/// \throws MemoryError
template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> prepare_computed_operator(
    const ExecutionSpace& exec, const SystemTask& task,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, std::uint64_t* fingerprint);

}  // namespace Tomokkos
