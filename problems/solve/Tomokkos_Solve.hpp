// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solve and those who watch it.
#pragma once

#include <Tomokkos_AnyOperator.hpp>
#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_Monitor.hpp>
#include <Tomokkos_PcgOptions.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_SolveProgress.hpp>
#include <Tomokkos_SolverList.hpp>
#include <cstddef>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Moved bytes of a product, a transposed product and an iteration, from the models of the
/// operator and the solver.
struct TrafficBytes {
  std::size_t forward = 0;
  std::size_t transpose = 0;
  std::size_t iteration = 0;
};

/// \brief Outcome and cost of a solve, or the sum of several.
struct SolveOutcome {
  std::vector<SolveResult> results;  ///< one result for each right-hand side
  std::size_t solver_bytes = 0;
  /// Bytes of the products and of an iteration, for all columns solved together.
  TrafficBytes traffic;
  double moved_bytes = 0;  ///< bytes moved in all iterations
  int iterations = 0;      ///< iterations of this run
  /// Iterations of this run; those of columns that are solved one after the other are added.
  int passes = 0;
  /// Seconds of these iterations, without what observers do between them.
  double iteration_seconds = 0;
  std::optional<PcgVariant> pcg_variant;  ///< variant of pcg; empty: another solver
  bool has_started = false;               ///< the solver has accepted its input

  /// \brief Adds the results and the cost of \p other: those of further slices.
  void add(const SolveOutcome& other);
};

/// \brief Watches solves. Every member may be left out.
template <class ExecutionSpace, class Scalar>
class SolveObserver {
 public:
  using memory_space = typename ExecutionSpace::memory_space;
  using State = MonitorState<ExecutionSpace, Scalar>;
  using ConstColumns = MultiVectorView<const Scalar, memory_space>;

  virtual ~SolveObserver() = default;
  /// \brief A solve of \p B begins. May change the parameters of the solver that is made now, and
  /// replace the data by others, which the observer keeps until `ended`.
  virtual void begins(SolverParams& /*params*/, ConstColumns& /*B*/) {}
  /// \brief The solver is made and begins after \p first iterations of an earlier solve.
  virtual void ready(int /*first*/) {}
  /// \brief An iterate was checked (`Monitor`). \p is_ended: an observer before this one ends the
  /// solve with this iterate. Returns what this one wants; the first wish but `proceed` counts.
  virtual MonitorAction sees(const ExecutionSpace& /*exec*/, const State& /*state*/,
                             bool /*is_ended*/) {
    return MonitorAction::proceed;
  }
  /// \brief The solve has ended with \p X.
  virtual void ended(const SolveOutcome& /*outcome*/, const ConstColumns& /*X*/) {}
};

/// \brief Observers in the order in which they are called.
template <class ExecutionSpace, class Scalar>
using SolveObservers = std::vector<SolveObserver<ExecutionSpace, Scalar>*>;

/// \brief Parameters and input of a solve, besides its operator and its vectors.
template <class ExecutionSpace, class Scalar>
struct SolveRequest {
  SolverParams params;
  SolverInput<Scalar, typename ExecutionSpace::memory_space> input = {};
  /// Preconditioned operator, needed by solvers of square systems. Null: not needed.
  const PreconditionedSystem<ExecutionSpace, Scalar>* system = nullptr;
  /// Progress of an earlier solve from which to continue.
  std::optional<SolveProgress> resumed = {};
};

/// \brief Solves `A X = B` from the start in \p X, or continues an earlier solve.
///
/// \param outcome receives the outcome; up to date while observers are called, and after an
/// exception
/// \throws Refused when the solver refuses its input: before the first iteration while
/// `outcome.has_started` is false; the errors of `make_solver`
template <class ExecutionSpace, class Scalar>
void solve(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
           const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
           const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
           SolveRequest<ExecutionSpace, Scalar> request,
           const SolveObservers<ExecutionSpace, Scalar>& observers, SolveOutcome& outcome);

}  // namespace Tomokkos
