// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchPcgReference.hpp"

namespace Tomokkos::Bench {

/// \brief Conjugate gradients with Jacobi's preconditioner on one matrix, one candidate per loop.
///
/// Timed is an iteration, out of solves with a fixed number of iterations from x = 0; what comes
/// before the first does not count. The check forms the energy of the iterate, which every
/// iteration lowers, in double and asks where the recursion in double stood then
/// (`PcgReference::error`). One more solve, to the
/// tolerance, is told in `SolveFigures`, and the product of each loop is timed alone.
template <class ExecutionSpace, class Scalar>
class PcgBench {
 public:
  /// \brief Throws what `make_pcg_problem` and `make_pcg_reference` throw.
  PcgBench(BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options);
  ~PcgBench();

  const PcgProblem<ExecutionSpace, Scalar>& problem() const;
  /// \brief Iterations that are timed.
  int iterations() const;

  void add(CandidateList& list, const PcgLoopList<Scalar>& loops) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// \brief The loops of our own solver: a form of the matrix, and how it is iterated. Every form
/// that can be an operator is one more line there.
template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> our_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                  const BenchOptions& options);

}  // namespace Tomokkos::Bench
