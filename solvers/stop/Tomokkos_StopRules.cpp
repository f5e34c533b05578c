// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_StopRules.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

void require_tolerance(const std::string& name, double value) {
  require(std::isfinite(value) && value >= 0, "stop rule " + name + " is " + std::to_string(value) +
                                                  "; it must be finite and not negative");
}

void Divergence::validate(const char*) const {
  require(bound >= 1,
          "stop rule divergence is " + describe_number(bound) + "; it must be at least 1");
}

bool Divergence::has_diverged(const std::vector<IterationRecord>& history, double rhs_norm) const {
  const IterationRecord &first = history.front(), &last = history.back();
  if (!last.residual || !first.residual) return false;
  if (!(*last.residual > bound * std::max(rhs_norm, *first.residual))) return false;
  return !first.preconditioned_residual || !last.preconditioned_residual ||
         *last.preconditioned_residual > bound * *first.preconditioned_residual;
}

double RelativeResidual::residual_limit(double rhs_norm, std::size_t) const {
  // The rule divides. Search for the largest number whose quotient still passes, starting slightly
  // above the product.
  constexpr double rounding = 1 + 4 * std::numeric_limits<double>::epsilon();
  double largest = rounding * bound * rhs_norm;
  while (largest > 0 && largest / rhs_norm > bound) largest = std::nextafter(largest, 0.0);
  return std::max(largest, std::numeric_limits<double>::denorm_min() * rhs_norm);
}

bool StopRules::any() const {
  bool result = false;
  for_active(*this, [&](const auto& rule) { result = result || !rule.is_safeguard; });
  return result;
}

std::string StopRules::rule_needing(Measurement measurement) const {
  std::string result;
  for_each(*this, [&](const char* name, StopReason, const auto& rule) {
    if (rule && rule->needs == measurement) result = name;
  });
  return result;
}

void validate(const StopRules& rules) {
  StopRules::for_each(rules, [](const char* name, StopReason, const auto& rule) {
    if (rule) rule->validate(name);
  });
  require(rules.minimum_iterations >= 0, "stop rule minimum_iterations is negative");
}

std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice) {
  std::optional<StopReason> found;
  if (record.iteration >= rules.minimum_iterations)
    StopRules::for_each(rules, [&](const char*, StopReason reason, const auto& rule) {
      if (!found && rule && rule->stops_at(record, slice)) found = reason;
    });
  if (found) return found;
  if (record.gradient && *record.gradient == 0) return StopReason::converged;
  const bool steered = rules.any() || record.gradient;
  if (steered && record.change && *record.change == 0) return StopReason::stagnated;
  return std::nullopt;
}

std::optional<StopReason> evaluate(const StopRules& rules,
                                   const std::vector<IterationRecord>& history, int check_every) {
  std::optional<StopReason> found;
  if (history.empty() || history.back().iteration < rules.minimum_iterations) return found;
  StopRules::for_each(rules, [&](const char*, StopReason reason, const auto& rule) {
    if (!found && rule && rule->stops_after(history, check_every)) found = reason;
  });
  return found;
}

bool has_diverged(const StopRules& rules, const std::vector<IterationRecord>& history,
                  double rhs_norm) {
  return rules.divergence && !history.empty() &&
         history.back().iteration >= rules.minimum_iterations &&
         rules.divergence->has_diverged(history, rhs_norm);
}

double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice) {
  double limit = 0;
  StopRules::for_active(rules, [&](const auto& rule) {
    limit = std::max(limit, rule.residual_limit(rhs_norm, slice));
  });
  return limit;
}

}  // namespace Tomokkos
