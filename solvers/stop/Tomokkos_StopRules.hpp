// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Discrepancy.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ResidualDecrease.hpp>
#include <Tomokkos_StopBounds.hpp>
#include <Tomokkos_WhiteNoise.hpp>
#include <algorithm>

namespace Tomokkos {

/// \brief Lists every stop rule: its member in `StopRules`, its class, and the reason that it
/// gives. `X` lists rules with a reason of their own, `Y` rules that share one.
///
/// A new rule needs its class and a line here. If several rules are satisfied, the first line
/// counts; rules that compare checks come after those that look at one iterate.
#define TOMOKKOS_FOR_EACH_STOP_RULE(X, Y)                   \
  Y(relative_residual, RelativeResidual, converged)         \
  Y(absolute_residual, AbsoluteResidual, converged)         \
  X(discrepancy, Discrepancy, discrepancy)                  \
  X(relative_change, RelativeChange, relative_change)       \
  X(ncp, WhiteNoise, white_residual)                        \
  X(residual_decrease, ResidualDecrease, residual_decrease) \
  X(divergence, Divergence, diverged)

#define TOMOKKOS_NOTHING(name, Rule, reason)

/// \brief Reason why a solver stopped.
enum class StopReason {
  /// The true residual `b - A x` of the returned x satisfies a bound of the residual. CGLS uses
  /// this reason also if x is the least-squares solution up to rounding.
  converged,
#define TOMOKKOS_REASON(name, Rule, reason) reason,
  TOMOKKOS_FOR_EACH_STOP_RULE(TOMOKKOS_REASON, TOMOKKOS_NOTHING)
#undef TOMOKKOS_REASON
  /// All requested iterations are done.
  max_iterations,
  /// x no longer changes, or its true residual no longer decreases, and no rule is satisfied.
  stagnated,
  /// The matrix is not positive definite (conjugate gradients). If the diagonal shows it,
  /// `SolveResult::row` is the row.
  indefinite,
  /// The preconditioner is not positive definite (conjugate gradients).
  indefinite_preconditioner,
  /// The recursion cannot continue, not even after a restart from x, and the residual of x
  /// satisfies no rule (BiCGSTAB, GMRES). The search directions it needs do not exist, or the
  /// matrix is singular.
  breakdown,
  /// An infinity or a NaN appeared; `SolveResult::non_finite_iteration` is the iterate.
  non_finite,
  /// The data are zero; the solution is x = 0.
  zero_rhs,
  /// A diagonal entry is zero, or a diagonal block is singular (diagonal preconditioners).
  /// `SolveResult::row` is the row.
  zero_diagonal,
  /// The monitor requested a stop.
  user_stop,
  /// The monitor reported an interruption from outside (a signal).
  interrupted,
};

template <>
struct EnumNames<StopReason> {
  static constexpr std::array names = std::to_array<std::pair<StopReason, std::string_view>>({
      {StopReason::converged, "converged"},
#define TOMOKKOS_NAME(name, Rule, reason) {StopReason::reason, #reason},
      TOMOKKOS_FOR_EACH_STOP_RULE(TOMOKKOS_NAME, TOMOKKOS_NOTHING)
#undef TOMOKKOS_NAME
          {StopReason::max_iterations, "max_iterations"},
      {StopReason::stagnated, "stagnated"},
      {StopReason::indefinite, "indefinite"},
      {StopReason::indefinite_preconditioner, "indefinite_preconditioner"},
      {StopReason::breakdown, "breakdown"},
      {StopReason::non_finite, "non_finite"},
      {StopReason::zero_rhs, "zero_rhs"},
      {StopReason::zero_diagonal, "zero_diagonal"},
      {StopReason::user_stop, "user_stop"},
      {StopReason::interrupted, "interrupted"},
  });
};
#undef TOMOKKOS_NOTHING

/// \brief True for the reasons after which a solver of systems returns the iterate with the
/// smallest true residual among the last, the best checked one and the start: the solve has failed,
/// or has used up its iterations.
constexpr bool returns_best_iterate(StopReason reason) {
  switch (reason) {
    case StopReason::max_iterations:
    case StopReason::stagnated:
    case StopReason::indefinite:
    case StopReason::indefinite_preconditioner:
    case StopReason::breakdown:
    case StopReason::non_finite:
    case StopReason::diverged:
      return true;
    default:
      return false;
  }
}

/// \brief Rules that stop a solve before the last iteration. A rule that is not set is inactive.
///
/// Each member is optional and named in the list above: `rules.relative_residual = 1e-6`. The rules
/// are checked every `check_every` iterations: a solver stops at the first checked iterate that
/// satisfies a rule, and returns exactly this iterate.
struct StopRules {
#define TOMOKKOS_MEMBER(name, Rule, reason) std::optional<Rule> name = usual<Rule>();
  TOMOKKOS_FOR_EACH_STOP_RULE(TOMOKKOS_MEMBER, TOMOKKOS_MEMBER)
#undef TOMOKKOS_MEMBER
  /// No rule stops before this many iterations.
  int minimum_iterations = 0;

  /// \brief Number of earlier checks that some rule compares with the last one.
  static constexpr int earlier_checks = std::max({
#define TOMOKKOS_CHECKS(name, Rule, reason) Rule::earlier_checks,
      TOMOKKOS_FOR_EACH_STOP_RULE(TOMOKKOS_CHECKS, TOMOKKOS_CHECKS)
#undef TOMOKKOS_CHECKS
  });

  /// \brief Calls `visit(name, reason, rule)` for every rule of \p rules, an optional of its class.
  template <class Rules, class Visit>
  static void for_each(Rules& rules, const Visit& visit) {
#define TOMOKKOS_VISIT(name, Rule, reason) visit(#name, StopReason::reason, rules.name);
    TOMOKKOS_FOR_EACH_STOP_RULE(TOMOKKOS_VISIT, TOMOKKOS_VISIT)
#undef TOMOKKOS_VISIT
  }
  /// \brief Calls `visit(rule)` for every rule of \p rules that is set.
  template <class Rules, class Visit>
  static void for_active(Rules& rules, const Visit& visit) {
    for_each(rules, [&](const char*, StopReason, auto& rule) {
      if (rule) visit(*rule);
    });
  }

  /// \brief Returns true when some rule is active. A safeguard does not count.
  bool any() const;
  /// \brief Returns the name of an active rule that needs \p measurement; empty: there is none.
  std::string rule_needing(Measurement measurement) const;
  bool needs(Measurement measurement) const { return !rule_needing(measurement).empty(); }

 private:
  template <class Rule>
  static std::optional<Rule> usual() {
    if constexpr (requires { Rule::usual; })
      return Rule(Rule::usual);
    else
      return std::nullopt;
  }
};

/// \brief Throws `Error` unless every number of a rule makes sense.
void validate(const StopRules& rules);

/// \brief Returns true when a solver of systems with \p rules returns the best iterate after
/// \p reason. Without a rule a number of iterations was asked for, and x is the last of them.
inline bool returns_best_iterate(StopReason reason, const StopRules& rules) {
  return returns_best_iterate(reason) && (rules.any() || reason != StopReason::max_iterations);
}

/// \brief Returns the reason to stop at \p record; empty: continue.
///
/// The reason is that of a rule that looks at one iterate, or `stagnated`: x no longer changes at
/// all and no rule is satisfied, although a rule is active or the solver is steered by its
/// gradient. A gradient of exactly 0 counts as `converged`. \p slice selects the numbers of rules
/// that have one for each slice.
std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice = 0);

/// \brief Returns the reason of a rule that compares the last record of \p history with earlier
/// ones; empty: continue. All that such a rule knows is in the history, so that a resumed solve
/// stops at the same iterate.
std::optional<StopReason> evaluate(const StopRules& rules,
                                   const std::vector<IterationRecord>& history, int check_every);

/// \brief Returns true when `StopRules::divergence` stops at the last record of \p history.
bool has_diverged(const StopRules& rules, const std::vector<IterationRecord>& history,
                  double rhs_norm);

/// \brief Returns the largest residual norm that a rule on residuals accepts; 0 without such a
/// rule. If quotients underflow, the value is slightly larger.
double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice = 0);

}  // namespace Tomokkos
