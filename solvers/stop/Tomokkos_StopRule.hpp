// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Describe.hpp>
#include <Tomokkos_IterationRecord.hpp>
#include <Tomokkos_Types.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Quantity that a stop rule looks at.
enum class Measurement {
  residual,   ///< the norm of the residual of one iterate, which it bounds
  residuals,  ///< the norms of the residuals of several checks
  change,     ///< `|x_k - x_(k-1)|`
  whiteness,  ///< `IterationRecord::ncp`
};

/// \brief Properties of a problem that decide whether a rule applies.
struct StopProblem {
  bool adds_noise = false;  ///< noise of a known norm is added to the data
  bool has_views = false;   ///< the rows are views of a detector
};

/// \brief Values that rules take from the data of a run.
struct StopData {
  Ordinal view_length = 0;  ///< adjacent rows that form a view
  /// Natural number of each row, and how many there are. Empty: rows are in natural order.
  std::vector<Ordinal> natural;
  Ordinal natural_size = 0;
  std::vector<double> noise_levels;   ///< norm of the noise added to each slice; empty: not known
  std::vector<double> counted_rays;   ///< rays of each slice that were measured and are not masked
  std::optional<Ordinal> slab_begin;  ///< first slice, if the slices are a part of a volume
};

/// \brief Base of the stop rules. The class of a rule hides the members that differ.
///
/// It also has `key`, its key in `solver.stop`; `describe(keys, rule, is_image)`, which describes
/// it; and `validate(name)`, which throws `Error` if its numbers make no sense.
struct StopRule {
  /// The key exists for reconstructions, and for systems of equations.
  static constexpr bool for_images = true, for_systems = true;
  static constexpr Measurement needs = Measurement::residual;
  /// Number of earlier checks with which the rule compares the last one.
  static constexpr int earlier_checks = 0;
  /// The solver itself asks the rule, at checks that other rules cause.
  static constexpr bool is_safeguard = false;

  /// \brief Decides from one iterate of a slice.
  bool stops_at(const IterationRecord&, std::size_t) const { return false; }
  /// \brief Decides from the last record of a history, where every so many iterates are checked.
  bool stops_after(const std::vector<IterationRecord>&, int) const { return false; }
  /// \brief Returns the largest norm of the residual at which the rule stops a slice, given `|b|`.
  double residual_limit(double, std::size_t) const { return 0; }
  /// \brief Returns the key that does not suit a problem, and why; empty: all do.
  std::pair<std::string, std::string> refusal(const StopProblem&) const { return {}; }
  /// \brief Takes what the rule needs from the data of a run.
  void complete(const StopData&) {}
  /// \brief Throws `Error` unless the rule suits this number of slices.
  void require_slices(std::size_t) const {}
  /// \brief Multiplies norms of slice j by `2^exponents[j]`.
  void scale(const std::vector<int>&) {}
};

/// \brief Throws `Error` unless the number \p value of a rule is finite and not negative.
void require_tolerance(const std::string& name, double value);

}  // namespace Tomokkos
