// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RunPlan.hpp>

namespace Tomokkos {

/// \brief Estimates the nonzeros of the matrix of \p source from some rows (`sampled_nonzeros`), of
/// a cone beam from some elements of a view.
///
/// \param with_sizes builds some rows as well, with at most a few million nonzeros, for their sizes
///   in each format
/// \pre the matrix is built from the geometry of rays
template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RowSource& source, bool with_sizes);

/// \brief Samples the matrix of \p task as far as `plan` needs it. Nothing if memory is too short
/// for a sample.
template <class ExecutionSpace>
MatrixSample sample_for_plan(const ExecutionSpace& exec, const SystemTask& task,
                             const PlanFacts& facts);

}  // namespace Tomokkos
