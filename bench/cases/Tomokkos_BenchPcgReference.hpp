// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"
#include "Tomokkos_BenchPcgLoop.hpp"

namespace Tomokkos::Bench {

/// \brief What conjugate gradients do to a system in double, and how far a candidate may be off.
struct PcgReference {
  int iterations = 0;  ///< that are timed
  /// `phi(x_k) = x_k . A x_k / 2 - b . x_k`, from k = 0 on. Every iteration lowers it, whereas the
  /// residual may rise for long.
  std::vector<double> energies;
  /// What rounding in the candidate's precision makes of phi at worst: `4 u |x| . |A| |x|` at the
  /// last iterate.
  double rounding = 0;

  /// \brief How wrong an iterate with `phi = energy` is after `iterations` iterations: its distance
  /// from what the reference has within a tenth of the iterations (at least two) before and after,
  /// by which rounding delays or hastens it, over a quarter of that range and `rounding`; infinity
  /// for what is no number. Right when <= 1.
  double error(double energy) const;
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

/// \brief `x . A x / 2 - b . x`, formed and summed in double, of \p x in memory of the backend.
template <class ExecutionSpace, class Scalar>
double energy_of(const PcgProblem<ExecutionSpace, Scalar>& problem,
                 const Vector<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief `|b - A x| / |b|`, formed and summed in double, of \p x in memory of the backend.
template <class ExecutionSpace, class Scalar>
double relative_residual(const PcgProblem<ExecutionSpace, Scalar>& problem,
                         const Vector<Scalar, typename ExecutionSpace::memory_space>& x);

/// \brief A system with \p A and a right-hand side in [-1, 1); see `make_pcg_reference` for what it
/// throws.
template <class ExecutionSpace, class Scalar>
PcgProblem<ExecutionSpace, Scalar> make_pcg_problem(BenchCase<ExecutionSpace, Scalar>& matrix_case);

}  // namespace Tomokkos::Bench
