// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stop rules that consist of one number.
#pragma once

#include <Tomokkos_StopRule.hpp>
#include <cmath>

namespace Tomokkos {

/// \brief Rule that consists of one number.
struct StopBound : StopRule {
  double bound;

  StopBound(double value) : bound(value) {}
  operator double() const { return bound; }
  void validate(const char* name) const { require_tolerance(name, bound); }
};

/// \brief Stops at `|b - A x| <= bound |b|`.
struct RelativeResidual : StopBound {
  using StopBound::StopBound;
  static constexpr const char* key = "residual";

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<RelativeResidual>& rule, bool is_image) {
    keys.optional_number(
        key, rule, is_image ? KeyRange::positive() : KeyRange::not_negative(),
        is_image ? "Bound for the relative norm of the residual, |b - A x| / |b|."
                 : "Bound for the norm of the residual relative to that of the right-hand side.");
  }
  bool stops_at(const IterationRecord& record, std::size_t) const {
    return record.relative_residual && *record.relative_residual <= bound;
  }
  double residual_limit(double rhs_norm, std::size_t) const;
};

/// \brief Stops at `|b - A x| <= bound`.
struct AbsoluteResidual : StopBound {
  using StopBound::StopBound;
  static constexpr const char* key = "absolute_residual";
  static constexpr bool for_images = false;
  /// Bound of each slice of a stack. Empty: `bound` for all.
  std::vector<double> bounds = {};

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<AbsoluteResidual>& rule, bool) {
    keys.optional_number(key, rule, KeyRange::positive(), "Bound for the norm of the residual.");
  }
  bool stops_at(const IterationRecord& record, std::size_t slice) const {
    return record.residual && *record.residual <= residual_limit(0, slice);
  }
  double residual_limit(double, std::size_t slice) const {
    return bounds.empty() ? bound : bounds.at(slice);
  }
  void scale(const std::vector<int>& exponents) {
    for (const int exponent : exponents) bounds.push_back(std::ldexp(bound, exponent));
  }
};

/// \brief Stops at `|x_k - x_(k-1)| <= bound |x_k|`.
struct RelativeChange : StopBound {
  using StopBound::StopBound;
  static constexpr const char* key = "relative_change";
  static constexpr Measurement needs = Measurement::change;

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<RelativeChange>& rule, bool is_image) {
    keys.optional_number(
        key, rule, KeyRange::positive(),
        is_image ? "Bound for the relative change of the image in one iteration, |x' - x| / |x'|."
                 : "Bound for the relative change of x in one iteration, |x' - x| / |x'|.");
  }
  bool stops_at(const IterationRecord& record, std::size_t) const {
    return record.relative_change && *record.relative_change <= bound;
  }
};

/// \brief Solvers of systems: stops at `|b - A x| > bound max(|b|, |b - A x_0|)`, according to the
/// recursion.
///
/// With PCG `sqrt(r . M^-1 r)` must have grown by as much, because the residual of a badly scaled
/// matrix may rise for a while.
struct Divergence : StopBound {
  using StopBound::StopBound;
  static constexpr const char* key = "divergence";
  static constexpr bool for_images = false, is_safeguard = true;
  static constexpr double usual = 1e5;  ///< the rule is set by default

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<Divergence>& rule, bool) {
    keys.optional_number(key, rule, {.minimum = 1},
                         "Growth of the residual over the first one, or over the right-hand side "
                         "if that is larger, at which the solver gives up.");
  }
  void validate(const char* name) const;
  bool has_diverged(const std::vector<IterationRecord>& history, double rhs_norm) const;
};

}  // namespace Tomokkos
