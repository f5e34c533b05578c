// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Solver.hpp>
#include <Tomokkos_StopRules.hpp>

namespace Tomokkos {

/// \brief Parameters of the solvers of systems that need not be symmetric.
struct KrylovParams {
  /// Most iterations.
  int iterations = 10000;
  /// The host looks (rules, monitor) every so many iterations; in between nothing waits for it.
  int check_every = 25;
  /// When to stop earlier. Rules on the residual are looked at on that of the recursion and decided
  /// on the true one: where that denies what the recursion claims, the iteration starts again from
  /// x, and where starting again has not halved the true residual it ends as `stagnated`.
  StopRules stop = relative(1e-6);
  /// For solves that are given a matrix instead of a `PreconditionedSystem`.
  PreconditionerOptions preconditioner = general();

  static StopRules relative(double tolerance) {
    StopRules rules;
    rules.relative_residual = tolerance;
    return rules;
  }
  static PreconditionerOptions general() {
    PreconditionerOptions options;
    options.positive_definite = false;
    return options;
  }
};

template <class Visitor>
void describe(Visitor&& key, KrylovParams& params) {
  key.integer("iterations", params.iterations, 0, most_count, "Most iterations.");
  describe(key, params.preconditioner);
  describe_looks(key, params);
}

}  // namespace Tomokkos
