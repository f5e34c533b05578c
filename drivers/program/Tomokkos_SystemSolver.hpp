// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The solvers of linear systems behind one function.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <functional>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief How a solve has ended, and what it took.
struct SystemSolution {
  std::vector<SolveResult> results;  ///< one for each right-hand side
  std::size_t solver_bytes = 0;
  std::size_t iteration_bytes = 0;  ///< of all columns that are solved together
  double moved_bytes = 0;           ///< of all iterations
  std::optional<PcgWay> way;        ///< of pcg
};

/// \brief What a look finds: the records of the columns that are iterated, and which go on.
using SystemWatch = std::function<MonitorAction(const std::vector<IterationRecord>& records,
                                                const std::vector<bool>& active)>;

/// \brief How a matrix is prepared for the solver of \p config.
PreconditionerOptions preconditioner_options(const SolverSection& config);

/// \brief Solves `A X = B`, B `num_rows x s` and X `num_cols x s`, from the start in X: all columns
/// in one sweep by pcg and cgls, one after the other by bicgstab and gmres.
///
/// \param system A, prepared; all but cgls need it.
///
/// \throw Error as the solvers do.
template <class ExecutionSpace, class Scalar>
SystemSolution solve_system(
    const ExecutionSpace& exec, const SolverSection& config,
    const AnyOperator<ExecutionSpace, Scalar>& A,
    const std::optional<PreconditionedSystem<ExecutionSpace, Scalar>>& system,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
    const SystemWatch& watch);

}  // namespace Tomokkos
