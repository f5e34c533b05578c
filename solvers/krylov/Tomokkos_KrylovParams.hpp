// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Preconditioner.hpp>
#include <Tomokkos_Solver.hpp>
#include <Tomokkos_StopRules.hpp>

namespace Tomokkos {

/// \brief Parameters of the solvers of systems that need not be symmetric.
struct KrylovParams {
  /// Maximum number of iterations.
  int iterations = 10000;
  /// Number of iterations between checks by the host (rules, monitor). Nothing waits for the host
  /// in between.
  int check_every = 25;
  /// Rules that stop earlier. Rules on the residual are evaluated with the residual of the
  /// recursion and confirmed with the true one. If the true residual does not confirm the rule, the
  /// iteration restarts from x. If a restart has not halved the true residual, the solve ends as
  /// `stagnated`.
  StopRules stop = relative(1e-6);
  /// Preconditioner for solves that receive a matrix instead of a `PreconditionedSystem`.
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
  key.integer("iterations", params.iterations, 0, max_count, "Maximum number of iterations.");
  describe(key, params.preconditioner);
  describe_check_interval(key, params);
}

}  // namespace Tomokkos
