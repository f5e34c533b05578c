// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input of solvers of square systems whose rows may be distributed over ranks.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <impl/Tomokkos_RankReduce.hpp>
#include <limits>

namespace Tomokkos::Impl {

/// Returns the ranks over which the rows of a system are distributed; null: all rows are local.
template <class ExecutionSpace, class Scalar>
const Communicator<ExecutionSpace>* ranks_of_system(
    const PreconditionedSystem<ExecutionSpace, Scalar>& system) {
  return several_ranks(system.A().capabilities().row_ranks);
}

/// Checks shapes and entries of right-hand sides and start, which hold `n` local rows and `columns`
/// columns. The start of a resumed solve is not checked. Collective: an error on one rank is thrown
/// on all.
template <class ExecutionSpace, class Scalar>
void check_ranked_system(
    const ExecutionSpace& exec, const PreconditionedSystem<ExecutionSpace, Scalar>& system,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X, Ordinal n,
    Ordinal columns, bool is_resumed, bool has_monitor) {
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  const auto* const communicator = ranks_of_system(system);
  const Ranks* const ranks = hosts_of(communicator);
  on_all_ranks(ranks, [&] {
    require_stack_shapes(system.A().num_rows(), system.A().num_cols(), n, n, columns, B.extent(0),
                         B.extent(1), X.extent(0), X.extent(1));
    require_apart("the right-hand side", B, "x", X);
    require_entries<ExecutionSpace, Scalar>(exec, "the right-hand side", as_vector(B), lowest,
                                            B.extent(1));
    if (is_resumed) return;
    require_entries<ExecutionSpace, Scalar>(exec, "the start", as_vector(X), lowest, X.extent(1));
  });
  require(communicator == several_ranks(system.A().capabilities().column_ranks),
          "a square system needs rows and columns with the same distribution over ranks");
  if (ranks == nullptr) return;
  const double monitors = ranks->sum_of(has_monitor ? 1 : 0);
  require(monitors == 0 || monitors == ranks->size(),
          "either all ranks or none must give a monitor to the solver");
}

}  // namespace Tomokkos::Impl
