// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_StopRule.hpp>

namespace Tomokkos {

/// \brief Morozov's principle: stops at `|b - A x| <= factor noise_level`.
struct Discrepancy : StopRule {
  static constexpr const char* key = "discrepancy";
  static constexpr bool for_systems = false;

  /// Norm of the noise in b.
  std::optional<double> noise_level;
  /// `noise_level` for each slice of a stack. Empty: `noise_level` for all.
  std::vector<double> noise_levels;
  /// Safety factor, usually between 1 and 2.
  double factor = 1;
  /// Standard deviation of the noise of a ray, from which a run computes `noise_levels`: one number
  /// for all slices or one for each. If it is empty as well, a run uses the norm of the noise that
  /// it adds.
  std::vector<double> sigma;

  Discrepancy() = default;
  explicit Discrepancy(double level, double safety = 1) : noise_level(level), factor(safety) {}

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<Discrepancy>& rule, bool) {
    keys.optional_section(
        key, rule,
        "Stops when the norm of the residual falls to that of the noise (Morozov 1966).");
  }
  bool stops_at(const IterationRecord& record, std::size_t slice) const;
  double residual_limit(double rhs_norm, std::size_t slice) const;
  void validate(const char* name) const;
  std::pair<std::string, std::string> refusal(const StopProblem& problem) const;
  void complete(const StopData& data);
  void require_slices(std::size_t count) const;
  void scale(const std::vector<int>& exponents);
};

template <class Visitor>
void describe(Visitor&& keys, Discrepancy& rule) {
  keys.printed(!rule.sigma.empty())
      .numbers_of_slices("sigma", rule.sigma, KeyRange::positive(),
                         "Standard deviation of the noise of each ray, instead of noise_level, "
                         "which is then sigma times the square root of the number of rays in use.");
  keys.when(rule.sigma.empty(), "no sigma", "and sigma both set the level of the noise; give one")
      .required(
          "the norm of the noise in the data, auto for added noise, or sigma for the noise of each "
          "ray")
      .number_or("auto", "noise_level", rule.noise_level, KeyRange::positive(),
                 "Norm of the noise in the data; auto: norm of the noise that problem.noise adds.");
  keys.number("tau", rule.factor, KeyRange::positive(),
              "Factor of the noise norm at which the rule stops.");
}

}  // namespace Tomokkos
