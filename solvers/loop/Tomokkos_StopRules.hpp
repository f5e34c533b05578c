// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief What the rule `StopRules::ncp` has to know of the rows.
struct WhiteNoise {
  /// Rows of a view, the rays of which lie side by side: periodograms of views are added up. 0: the
  /// whole residual is one signal.
  Ordinal view_length = 0;
  /// The natural number of each row, where they come in another order or some are left out (then
  /// their residual is 0); empty: rows are in natural order.
  std::vector<Ordinal> natural = {};
  /// How many natural numbers there are, with \p natural.
  Ordinal natural_size = 0;
};

/// \brief When to stop before the last iteration. Nothing is active that is not set.
///
/// The rules are looked at every `check_every` iterations, so a solver stops at the first multiple
/// of it that passes, and returns the very iterate that passed. Where several pass, the reason is
/// the first in the order of the members, `ncp` after all others.
struct StopRules {
  /// `|b - A x| <= relative_residual |b|` gives `converged`.
  std::optional<double> relative_residual;
  /// `|b - A x| <= absolute_residual` gives `converged`, too.
  std::optional<double> absolute_residual;
  /// The same for every slice of a stack, instead of one for all; empty: `absolute_residual`.
  std::vector<double> absolute_residuals = {};
  /// Norm of the noise in b: `|b - A x| <= discrepancy_factor noise_level` (Morozov's principle)
  /// gives `discrepancy`.
  std::optional<double> noise_level;
  /// The same for every slice of a stack, instead of one for all; empty: `noise_level`.
  std::vector<double> noise_levels;
  /// Safety factor of the discrepancy rule, usually between 1 and 2.
  double discrepancy_factor = 1;
  /// `|x_k - x_(k-1)| <= relative_change |x_k|` gives `relative_change`.
  std::optional<double> relative_change;
  /// Stops where the residual looks like white noise of whatever level (SIRT, SART, CGLS, ART): at
  /// the first look at which the distance of its normalised cumulative periodogram from that of
  /// white noise, `CumulativePeriodogram::distance_from_white`, has become larger than at the look
  /// before; gives `white_residual`. As long as something of the image is in the residual the
  /// distance falls, once noise is fitted it rises: x is one look past the smallest. The
  /// periodogram is the sum over the views, along the detector, rather than that of one long
  /// signal: along it an image is smooth, where views meet it jumps, and the sum scatters less.
  ///
  /// Each look takes a product, and the residual and its transforms on the host. P. C. Hansen, M.
  /// E. Kilmer, R. H. Kjeldsen (BIT 46, 2006); for reconstructions P. C. Hansen and J. S.
  /// Jorgensen, "AIR Tools II", Numer. Algorithms 79 (2018).
  std::optional<WhiteNoise> ncp;
  /// The monotone error rule for noise of this norm delta (SIRT without subsets): stops at the
  /// first look k with `(R r_k) . (r_k + r_(k+1)) / 2 <= monotone_error_factor delta_R |r_k|_R`, r
  /// = b - A x, R the row weights, `|r|_R^2 = r . R r` and `delta_R = delta sqrt(mean R)`, the norm
  /// `|e|_R` of white noise e of norm delta; gives `monotone_error`. (Recorded is what compares
  /// with delta.)
  ///
  /// For `x_(k+1) = x_k + lambda C A^T R r_k` and b = A x* + e the errors obey
  /// `|x_k - x*|^2 - |x_(k+1) - x*|^2 = lambda (R r_k) . (r_k + r_(k+1) - 2 e)` in the norm
  /// `sum_j x_j^2 / C_j`: until the rule stops each step lessens the error for sure, with clamping,
  /// too, where x* is within (for sure as far as `|e|_R` is no more than delta_R). r_(k+1) takes no
  /// product with A, but `A^T R r_k`, one transposed product a look. T. Elfving and T. Nikazad,
  /// "Stopping rules for Landweber-type iteration", Inverse Problems 23 (2007), who extend U.
  /// Hamarik and U. Tautenhahn, BIT 41 (2001).
  std::optional<double> monotone_error;
  /// The same for every slice of a stack, instead of one for all; empty: `monotone_error`.
  std::vector<double> monotone_errors;
  /// Safety factor of that rule.
  double monotone_error_factor = 1;
  /// No rule stops before this many iterations.
  int minimum_iterations = 0;

  /// \brief True when the monotone error rule is.
  bool uses_monotone_error() const { return monotone_error || !monotone_errors.empty(); }

  /// \brief True when some rule is active.
  bool any() const {
    return relative_residual || absolute_residual || !absolute_residuals.empty() || noise_level ||
           !noise_levels.empty() || relative_change || ncp || uses_monotone_error();
  }
};

/// \brief Throws `Error` unless every tolerance is a finite number that is not negative.
void validate(const StopRules& rules);

/// \brief The reason to stop at \p record, if there is one: `converged`, `discrepancy`,
/// `relative_change`, `monotone_error`, or `stagnated` when a rule is active (or the solver steers
/// by its gradient), none passes and x no longer changes at all. A gradient of exactly 0 counts as
/// `converged`. \p slice picks among `noise_levels`.
std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice = 0);

/// \brief True when a history, of which the last record is new, has `StopRules::ncp` stop: the
/// distance has risen since it was measured before.
bool ncp_has_risen(const StopRules& rules, const std::vector<IterationRecord>& history);

/// \brief The largest residual norm that a rule on residuals accepts, 0 where there is no such
/// rule; where quotients underflow somewhat more.
double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice = 0);

}  // namespace Tomokkos
