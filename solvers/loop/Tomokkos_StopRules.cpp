// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_StopRules.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

void require_tolerance(const char* name, const std::optional<double>& value) {
  require(!value || (std::isfinite(*value) && *value >= 0),
          std::string("stop rule ") + name + " is " + std::to_string(value.value_or(0)) +
              "; it must be finite and not negative");
}

std::optional<double> noise_level_of(const StopRules& rules, std::size_t slice) {
  return rules.noise_levels.empty() ? rules.noise_level : rules.noise_levels.at(slice);
}

std::optional<double> absolute_residual_of(const StopRules& rules, std::size_t slice) {
  return rules.absolute_residuals.empty() ? rules.absolute_residual
                                          : rules.absolute_residuals.at(slice);
}

bool passes(const std::optional<double>& value, const std::optional<double>& limit) {
  return value && limit && *value <= *limit;
}

}  // namespace

void validate(const StopRules& rules) {
  require_tolerance("relative_residual", rules.relative_residual);
  require_tolerance("absolute_residual", rules.absolute_residual);
  for (const double residual : rules.absolute_residuals)
    require_tolerance("absolute_residuals", residual);
  require_tolerance("noise_level", rules.noise_level);
  for (const double level : rules.noise_levels) require_tolerance("noise_levels", level);
  require_tolerance("relative_change", rules.relative_change);
  require_tolerance("discrepancy_factor", rules.discrepancy_factor);
  if (rules.ncp) {
    require(rules.ncp->view_length >= 0, "stop rule ncp: view_length is negative");
    for (std::size_t i = 0; i < rules.ncp->natural.size(); ++i)
      require(rules.ncp->natural[i] >= 0 && rules.ncp->natural[i] < rules.ncp->natural_size,
              "stop rule ncp: row " + std::to_string(i) + " has the natural number " +
                  std::to_string(rules.ncp->natural[i]) + "; it must be at least 0 and less than " +
                  std::to_string(rules.ncp->natural_size));
  }
  require(rules.divergence >= 1, "stop rule divergence is " + describe_number(rules.divergence) +
                                     "; it must be at least 1");
  require(rules.minimum_iterations >= 0, "stop rule minimum_iterations is negative");
}

std::optional<StopReason> evaluate(const StopRules& rules, const IterationRecord& record,
                                   std::size_t slice) {
  const std::optional<double> noise_level = noise_level_of(rules, slice);
  if (record.iteration >= rules.minimum_iterations) {
    if (passes(record.relative_residual, rules.relative_residual) ||
        passes(record.residual, absolute_residual_of(rules, slice)))
      return StopReason::converged;
    if (noise_level && passes(record.residual, rules.discrepancy_factor * *noise_level))
      return StopReason::discrepancy;
    if (passes(record.relative_change, rules.relative_change)) return StopReason::relative_change;
  }
  if (record.gradient && *record.gradient == 0) return StopReason::converged;
  const bool steered = rules.any() || record.gradient;
  if (steered && record.change && *record.change == 0) return StopReason::stagnated;
  return std::nullopt;
}

bool ncp_has_risen(const StopRules& rules, const std::vector<IterationRecord>& history) {
  if (!rules.ncp || history.empty()) return false;
  const IterationRecord& last = history.back();
  if (!last.ncp || last.iteration < rules.minimum_iterations) return false;
  const auto is_measured = [](const IterationRecord& record) {
    return record.ncp && record.iteration > 0;
  };
  const double first = *std::find_if(history.begin(), history.end() - 1, is_measured)->ncp;
  double distance = *last.ncp;
  int rises = 0;
  for (auto record = history.rbegin() + 1; record != history.rend(); ++record) {
    if (!is_measured(*record)) continue;
    if (!(distance > *record->ncp)) break;
    distance = *record->ncp;
    if (++rises == WhiteNoise::rises) return true;
  }
  return rises > 0 && *last.ncp <= WhiteNoise::share * first;
}

bool is_doubtful(const SolveResult& result) {
  return result.reason == StopReason::white_residual &&
         result.relative_residual > WhiteNoise::doubtful_residual;
}

bool has_diverged(const StopRules& rules, const std::vector<IterationRecord>& history,
                  double rhs_norm) {
  if (history.empty() || history.back().iteration < rules.minimum_iterations) return false;
  const IterationRecord &first = history.front(), &last = history.back();
  if (!last.residual || !first.residual) return false;
  if (!(*last.residual > rules.divergence * std::max(rhs_norm, *first.residual))) return false;
  return !first.preconditioned_residual || !last.preconditioned_residual ||
         *last.preconditioned_residual > rules.divergence * *first.preconditioned_residual;
}

double residual_limit(const StopRules& rules, double rhs_norm, std::size_t slice) {
  double limit = absolute_residual_of(rules, slice).value_or(0);
  if (const auto level = noise_level_of(rules, slice))
    limit = std::max(limit, rules.discrepancy_factor * *level);
  if (rules.relative_residual) {
    // The rule divides. Search for the largest number whose quotient still passes, starting
    // slightly above the product.
    constexpr double rounding = 1 + 4 * std::numeric_limits<double>::epsilon();
    double largest = rounding * *rules.relative_residual * rhs_norm;
    while (largest > 0 && largest / rhs_norm > *rules.relative_residual)
      largest = std::nextafter(largest, 0.0);
    limit = std::max({limit, largest, std::numeric_limits<double>::denorm_min() * rhs_norm});
  }
  return limit;
}

}  // namespace Tomokkos
