// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchPcgReference.hpp"

namespace Tomokkos::Bench {

/// \brief Conjugate gradients with Jacobi's preconditioner on one matrix, one candidate per loop.
///
/// The time of an iteration is measured in solves with a fixed number of iterations from x = 0,
/// without the work before the first one. The check computes the energy of the iterate, which every
/// iteration lowers, in double and compares it with the energies of a recursion in double
/// (`PcgReference::error`). `SolveFigures` reports one more solve, to the tolerance. The product of
/// each loop is also timed alone.
template <class ExecutionSpace, class Scalar>
class PcgBench {
 public:
  /// \brief Prepares the problem and the reference. Throws as `make_pcg_problem` and
  /// `make_pcg_reference` do.
  PcgBench(BenchCase<ExecutionSpace, Scalar>& matrix_case, const BenchOptions& options);
  ~PcgBench();

  const PcgProblem<ExecutionSpace, Scalar>& problem() const;
  /// \brief Number of iterations that are timed.
  int iterations() const;

  void add(CandidateList& list, const PcgLoopList<Scalar>& loops) const;

 private:
  struct State;
  std::shared_ptr<const State> state_;
};

/// \brief Makes the loops of our solver, one for each storage form of the matrix and way to
/// iterate. To time another form, add a line there.
template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> our_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                  const BenchOptions& options);

}  // namespace Tomokkos::Bench
