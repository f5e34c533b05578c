// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchPcgLoop.hpp"

namespace Tomokkos::Bench {

/// \brief Course of conjugate gradients in double, and the tolerance for candidates.
struct PcgReference {
  int iterations = 0;  ///< number of iterations that are timed
  /// Energies `phi(x_k) = x_k . A x_k / 2 - b . x_k` from k = 0 on. Every iteration lowers the
  /// energy, whereas the residual may rise for a long time.
  std::vector<double> energies;
  /// Largest error of phi due to rounding in the precision of the candidate: `4 u |x| . |A| |x|` at
  /// the last iterate.
  double rounding = 0;

  /// \brief Returns the error of an iterate with `phi = energy` after `iterations` iterations;
  /// correct if <= 1.
  ///
  /// Rounding may delay or advance an iterate. The accepted range therefore contains the energies
  /// of the reference within a tenth of the iterations (at least two) before and after. The error
  /// is the distance from this range, divided by the sum of a quarter of the range and `rounding`.
  /// It is infinite if \p energy is not finite.
  double error(double energy) const;
};

/// \brief Runs the recursion in double. Every step is a plain loop over rows; no kernel of the
/// library runs.
///
/// \param options number of iterations wanted, and the tolerance at which fewer are enough
/// \throws Error when the matrix is found not to be positive definite, or the right-hand side is
/// zero
template <class ExecutionSpace, class Scalar>
PcgReference make_pcg_reference(const PcgProblem<ExecutionSpace, Scalar>& problem,
                                const PcgOptions& options);

/// \brief Computes `x . A x / 2 - b . x` of \p x, in memory of the backend, in double.
template <class ExecutionSpace, class Scalar>
double energy_of(const PcgProblem<ExecutionSpace, Scalar>& problem,
                 const Vector<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief Computes `|b - A x| / |b|` of \p x, in memory of the backend, in double.
template <class ExecutionSpace, class Scalar>
double relative_residual(const PcgProblem<ExecutionSpace, Scalar>& problem,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief Makes a system with the matrix of \p matrix_case and a right-hand side in [-1, 1).
///
/// \throws Error when the matrix is empty, not square or not symmetric, or its diagonal is not
/// positive
template <class ExecutionSpace, class Scalar>
PcgProblem<ExecutionSpace, Scalar> make_pcg_problem(BenchCase<ExecutionSpace, Scalar>& matrix_case);

}  // namespace Tomokkos::Bench
