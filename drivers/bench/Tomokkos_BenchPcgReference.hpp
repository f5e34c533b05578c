// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchPcgLoop.hpp"

namespace Tomokkos::Bench {

/// \brief What conjugate gradients do to a system in double, and how far a candidate may be off.
struct PcgReference {
  int iterations = 0;             ///< that are timed
  std::vector<double> residuals;  ///< `|r_k| / |b|` of the recursion, from k = 0 on
  /// What rounding in the candidate's precision makes of `|b - A x| / |b|` at worst: `4 u | |A| |x|
  /// | / |b|` at the last iterate.
  double rounding = 0;

  /// \brief How wrong \p residual is after `iterations` iterations: its distance from the range of
  /// the reference's residuals within a tenth of the iterations (at least two), which rounding
  /// delays or hastens, over a quarter of the range's upper end and `rounding`. Right when <= 1.
  double error(double residual) const;
};

/// \brief Runs the recursion in double, every step a plain loop over rows: no kernel of the
/// library.
///
/// \param options the iterations that are wanted, and when fewer are enough
/// \throw Error for a matrix that is not square, not symmetric or has a diagonal that is not
///   positive, and where the recursion finds that it is not positive definite
template <class ExecutionSpace, class Scalar>
PcgReference make_pcg_reference(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                const PcgOptions& options);

/// \brief `|b - A x| / |b|`, formed and summed in double, of \p x in memory of the backend.
template <class ExecutionSpace, class Scalar>
double relative_residual(const PcgProblem<ExecutionSpace, Scalar>& problem,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief A system with \p A and a right-hand side in [-1, 1); see `make_pcg_reference` for what it
/// throws.
template <class ExecutionSpace, class Scalar>
PcgProblem<ExecutionSpace, Scalar> make_pcg_problem(BenchCase<ExecutionSpace, Scalar>& matrix_case);

}  // namespace Tomokkos::Bench
