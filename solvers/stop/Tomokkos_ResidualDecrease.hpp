// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_StopRule.hpp>
#include <algorithm>

namespace Tomokkos {

/// \brief Stops when `|b - A x|` has fallen by less than a share of itself over the last checks.
///
/// It ends solves that still move x, but no longer towards the data: `|r_k| > (1 - share) |r_j|`,
/// where j is `checks` checks before the check k. The residual may also have risen.
struct ResidualDecrease : StopRule {
  static constexpr const char* key = "residual_decrease";
  static constexpr bool for_systems = false;
  static constexpr Measurement needs = Measurement::residuals;
  static constexpr int earlier_checks = 10;

  /// Share of the residual by which it must fall.
  double share;
  /// Number of checks over which it must fall.
  int checks;

  explicit ResidualDecrease(double least = 0.01, int count = 5) : share(least), checks(count) {}

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<ResidualDecrease>& rule, bool) {
    keys.optional_section(key, rule,
                          "Stops when the residual has hardly fallen over the last checks.");
  }
  bool stops_after(const std::vector<IterationRecord>& history, int check_every) const {
    const IterationRecord& last = history.back();
    const long long iteration = last.iteration - static_cast<long long>(checks) * check_every;
    if (iteration < 0 || last.iteration % check_every != 0) return false;
    const auto before = std::lower_bound(
        history.begin(), history.end(), iteration,
        [](const IterationRecord& record, long long other) { return record.iteration < other; });
    return before->iteration == iteration && before->residual && last.residual &&
           *last.residual > (1 - share) * *before->residual;
  }
  void validate(const char* name) const {
    require(share > 0 && share < 1, std::string("stop rule ") + name + ": share is " +
                                        std::to_string(share) + "; it must be between 0 and 1");
    require(checks >= 1 && checks <= earlier_checks,
            std::string("stop rule ") + name + ": checks is " + std::to_string(checks) +
                "; it must be from 1 to " + std::to_string(earlier_checks));
  }
};

template <class Visitor>
void describe(Visitor&& keys, ResidualDecrease& rule) {
  keys.number("share", rule.share,
              {.minimum = 0, .maximum = 1, .includes_minimum = false, .includes_maximum = false},
              "Share of the residual by which it must fall.");
  keys.integer("checks", rule.checks, 1, ResidualDecrease::earlier_checks,
               "Number of checks, check_every iterations each, over which it must fall.");
}

}  // namespace Tomokkos
