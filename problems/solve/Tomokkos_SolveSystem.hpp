// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common parts of `solve_linear`, `flatten` and `smooth`: their settings, those who watch them, and
// the solve of a system whose operator is prepared.
#pragma once

#include <Tomokkos_SharedSystem.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_Solve.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Parameters of a linear system, a chart or a smoothing, besides its input.
struct SystemSettings {
  SolverParams params;
  SystemTask task;                ///< what is asked of the operator
  RanksWish ranks = {};           ///< shares of several ranks
  std::string name = "";          ///< name of the matrix or the mesh, the beginning of messages
  bool assume_symmetric = false;  ///< `pcg` does not check that the matrix is symmetric

  bool is_square() const { return task_of(kind_of(params)) != SolverTask::least_squares; }
  /// \brief True if a matrix that is not symmetric is refused.
  bool checks_symmetry() const { return kind_of(params) == SolverKind::pcg && !assume_symmetric; }
};

/// \brief Settings for a solver with \p params, with any wish for the operator.
SystemSettings system_settings(SolverParams params, const OperatorWish& wish = automatic_wish(),
                               const std::string& name = "the system");

/// \brief System on the device of a rank, in the order of the solver.
template <class ExecutionSpace, class Scalar>
struct PlacedSystem {
  using memory_space = typename ExecutionSpace::memory_space;

  /// With the natural indices of the rows and the unknowns of this rank as its order.
  BuiltSystem<ExecutionSpace, Scalar> prepared;
  Ordinal columns = 1;                                ///< number of right-hand sides
  Vector<Scalar, memory_space> b = {}, x = {};        ///< right-hand sides and starts, row-major
  bool shares_rows = false, shares_unknowns = false;  ///< with other ranks; set by `solve_placed`
  Offset longest_row = 32;  ///< nonzeros of the longest row, for rounding bounds
  /// Operator with its preconditioner; empty for least squares.
  std::optional<PreconditionedSystem<ExecutionSpace, Scalar>> preconditioned = {};
  std::optional<SolveProgress> resumed = {};  ///< continue an earlier solve with its iterate in x

  MultiVectorView<const Scalar, memory_space> B() const {
    return columns_of<const Scalar, memory_space>(VectorView<const Scalar, memory_space>(b),
                                                  columns);
  }
  MultiVectorView<Scalar, memory_space> X() const {
    return columns_of<Scalar, memory_space>(x, columns);
  }
};

/// \brief Calls of `solve_linear`, `flatten` and `smooth` between their steps. All may be left out.
template <class ExecutionSpace, class Scalar>
struct SystemObserver {
  SolveObservers<ExecutionSpace, Scalar> solve = {};  ///< watch the solve itself
  SolveOutcome* outcome = nullptr;  ///< receives the outcome of the solve; null: it is not needed
  /// A phase of the preparation begins: `matrix`, `vectors`, `equations`, `operator` or
  /// `preconditioner`. May throw to end the work.
  std::function<void(const char* phase)> phase_begins = [](const char*) {};
  /// The whole matrix exists in the order of the solver. Not called on several ranks.
  std::function<void(const MatrixOn<ExecutionSpace, Scalar>&)> matrix_made = [](const auto&) {};
  /// The products with the \p entries stored entries of this rank are prepared.
  std::function<void(double entries)> operator_begins = [](double) {};
  std::function<void(const BuiltSystem<ExecutionSpace, Scalar>&)> operator_made = [](const auto&) {
  };
  /// All is ready for the solve. May replace `x` and set `resumed`.
  std::function<void(PlacedSystem<ExecutionSpace, Scalar>&)> solve_begins = [](auto&) {};
};

/// \brief Solution of a system, and facts about its matrix.
template <class Scalar>
struct SolvedSystem {
  std::vector<Scalar> x;  ///< columns one after the other, complete and in natural order
  Ordinal columns = 1;
  std::vector<SolveResult> results;  ///< of each column
  RowStatistics statistics;          ///< of the matrix
  std::size_t csr_bytes = 0;         ///< bytes of the matrix in CSR
  Description report;                ///< choices, fill and bytes of the operator
  bool is_scaled = false;            ///< the preconditioner scales the matrix
};

/// \brief Preconditions \p system, solves it, and gathers the solution from all ranks. Collective.
///
/// \param refuse called for a diagonal that the preconditioner cannot use; if it does not throw,
/// the results report the fault
/// \throws ConfigError for a preconditioner that does not suit the operator; InputError with the
/// name of the solver if it refuses the system
template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> solve_placed(
    const ExecutionSpace& exec, PlacedSystem<ExecutionSpace, Scalar> system,
    const SystemSettings& settings, const SharedSystem<ExecutionSpace, Scalar>& shared,
    const SystemObserver<ExecutionSpace, Scalar>& observer,
    const std::function<void(const SystemFault&)>& refuse = [](const SystemFault&) {});

/// \brief Shares of the rows of a system with \p settings.
template <class ExecutionSpace, class Scalar>
SharedSystem<ExecutionSpace, Scalar> shares_of(const ExecutionSpace& exec,
                                               const SystemSettings& settings,
                                               SystemRanks<ExecutionSpace> ranks) {
  const PreconditionerOptions options = preconditioner_of(settings.params);
  const bool has_blocks = options.kind == PreconditionerKind::block_jacobi;
  return {exec, settings.task, settings.ranks, has_blocks ? options.block : 1, std::move(ranks)};
}

}  // namespace Tomokkos
