// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief When to stop before the last iteration. Nothing is active that is not set.
///
/// The rules are looked at every `check_every` iterations, so a solver stops at the first multiple
/// of it that passes, and returns the very iterate that passed. Where several pass, the reason is
/// the first in the order of the members.
struct StopRules {
  /// `|b - A x| <= relative_residual |b|` gives `converged`.
  std::optional<double> relative_residual;
  /// `|b - A x| <= absolute_residual` gives `converged`, too.
  std::optional<double> absolute_residual;
  /// Norm of the noise in b: `|b - A x| <= discrepancy_factor noise_level` (Morozov's principle)
  /// gives `discrepancy`.
  std::optional<double> noise_level;
  /// The same for every slice of a stack, instead of one for all; empty: `noise_level`.
  std::vector<double> noise_levels;
  /// Safety factor of the discrepancy rule, usually between 1 and 2.
  double discrepancy_factor = 1;
  /// `|x_k - x_(k-1)| <= relative_change |x_k|` gives `relative_change`.
  std::optional<double> relative_change;
  /// No rule stops before this many iterations.
  int minimum_iterations = 0;

  /// \brief True when some rule is active.
  bool any() const {
    return relative_residual || absolute_residual || noise_level || !noise_levels.empty() ||
           relative_change;
  }
};

/// \brief Throws `Error` unless every tolerance is a finite number that is not negative.
void validate(const StopRules& rules);

/// \brief The reason to stop at \p record, if there is one: `converged`, `discrepancy`,
/// `relative_change`, or `stagnated` when a rule is active (or the solver steers by its gradient),
/// none passes and x no longer changes at all. A gradient of exactly 0 counts as `converged`.
/// \p slice picks among `noise_levels`.
std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice = 0);

/// \brief The largest residual norm that a rule on residuals accepts, 0 where there is no such
/// rule; where quotients underflow somewhat more.
double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice = 0);

}  // namespace Tomokkos
