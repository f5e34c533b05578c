// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Layout of the rows that the rule `StopRules::ncp` needs.
struct WhiteNoise {
  /// Rows per view; the rays of a view are adjacent. The periodograms of all views are added. 0:
  /// the whole residual is one signal.
  Ordinal view_length = 0;
  /// Natural number of each row, if rows are reordered or some are missing (the residual of a
  /// missing row is 0). Empty: rows are in natural order.
  std::vector<Ordinal> natural = {};
  /// Number of natural rows, if \p natural is not empty.
  Ordinal natural_size = 0;

  /// Largest distance at which one rise is enough, as a share of that at the first check after the
  /// start.
  static constexpr double share = 0.5;
  /// Number of rises in succession that stop at any distance.
  static constexpr int rises = 10;
  /// Relative residual above which a residual that looks white deserves a warning.
  static constexpr double doubtful_residual = 0.2;
};

/// \brief Rules that stop a solve before the last iteration. A rule that is not set is inactive.
///
/// The rules are checked every `check_every` iterations: a solver stops at the first checked
/// iterate that satisfies a rule, and returns exactly this iterate. If several rules are satisfied,
/// the reason is the first in the order of the members, with `ncp` last.
struct StopRules {
  /// `|b - A x| <= relative_residual |b|` gives `converged`.
  std::optional<double> relative_residual{};
  /// `|b - A x| <= absolute_residual` also gives `converged`.
  std::optional<double> absolute_residual{};
  /// `absolute_residual` for each slice of a stack. Empty: `absolute_residual` for all.
  std::vector<double> absolute_residuals = {};
  /// Norm of the noise in b. `|b - A x| <= discrepancy_factor noise_level` (Morozov's principle)
  /// gives `discrepancy`.
  std::optional<double> noise_level{};
  /// `noise_level` for each slice of a stack. Empty: `noise_level` for all.
  std::vector<double> noise_levels{};
  /// Safety factor of the discrepancy rule, usually between 1 and 2.
  double discrepancy_factor = 1;
  /// `|x_k - x_(k-1)| <= relative_change |x_k|` gives `relative_change`.
  std::optional<double> relative_change{};
  /// Stops if the residual looks like white noise of any level (SIRT, SART, CGLS, ART); gives
  /// `white_residual`.
  /// The rule watches the distance between the normalised cumulative periodogram of the residual
  /// and that of white noise, `CumulativePeriodogram::distance_from_white`. The distance decreases
  /// while parts of the image remain in the residual, and increases once noise is fitted. The rule
  /// stops at the first check at which the distance is larger than at the check before, but at most
  /// `share` of that at the first check after the start: the first steps may raise a distance that
  /// is still large by a little, and the start, whose residual is the data with their gaps, does
  /// not count. If the noise is correlated the distance stays larger than this. The rule then stops
  /// when it has risen `rises` times in succession. The returned x is therefore one check past the
  /// minimum, or that many. The periodogram is the sum over the views, along the detector, instead
  /// of that of one long signal: an image is smooth along the detector and jumps between views, and
  /// the sum fluctuates less.
  ///
  /// Each check needs one product, and the residual and its transforms on the host. P. C. Hansen,
  /// M. E. Kilmer, R. H. Kjeldsen (BIT 46, 2006); for reconstructions P. C. Hansen and J. S.
  /// Jorgensen, "AIR Tools II", Numer. Algorithms 79 (2018).
  std::optional<WhiteNoise> ncp{};
  /// Solvers of systems: `|b - A x| > divergence max(|b|, |b - A x_0|)`, according to the
  /// recursion, gives `diverged`. With PCG `sqrt(r . M^-1 r)` must have grown by as much, because
  /// the residual of a badly scaled matrix may rise for a while. Looked at in checks; does not
  /// cause checks by itself. Infinity: never.
  double divergence = 1e5;
  /// No rule stops before this many iterations.
  int minimum_iterations = 0;

  /// \brief Returns true when some rule is active.
  bool any() const {
    return relative_residual || absolute_residual || !absolute_residuals.empty() || noise_level ||
           !noise_levels.empty() || relative_change || ncp;
  }
};

/// \brief Throws `Error` unless every tolerance is finite and not negative.
void validate(const StopRules& rules);

/// \brief Returns true when a solver of systems with \p rules returns the best iterate after
/// \p reason. Without a rule a number of iterations was asked for, and x is the last of them.
inline bool returns_best_iterate(StopReason reason, const StopRules& rules) {
  return returns_best_iterate(reason) && (rules.any() || reason != StopReason::max_iterations);
}

/// \brief Returns the reason to stop at \p record; empty: continue.
///
/// The reason is `converged`, `discrepancy`, `relative_change` or `stagnated`. `stagnated`: x no
/// longer changes at all and no rule is satisfied, although a rule is active or the solver is
/// steered by its gradient. A gradient of exactly 0 counts as `converged`. \p slice selects the
/// entry of `noise_levels`.
std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice = 0);

/// \brief Returns true when `StopRules::ncp` stops at the last record of \p history. All that the
/// rule knows is in the history, so that a resumed solve stops at the same iterate.
bool ncp_has_risen(const StopRules& rules, const std::vector<IterationRecord>& history);

/// \brief Returns true when \p result was stopped by `StopRules::ncp` although much of the data is
/// not explained (`WhiteNoise::doubtful_residual`).
bool is_doubtful(const SolveResult& result);

/// \brief Returns true when `StopRules::divergence` stops at the last record of \p history.
bool has_diverged(const StopRules& rules, const std::vector<IterationRecord>& history,
                  double rhs_norm);

/// \brief Returns the largest residual norm that a rule on residuals accepts; 0 without such a
/// rule. If quotients underflow, the value is slightly larger.
double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice = 0);

}  // namespace Tomokkos
