// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_StopRule.hpp>
#include <utility>

namespace Tomokkos {

/// \brief Signals whose periodograms the rule `WhiteNoise` uses.
enum class NcpSignals {
  views,  ///< each view along its detector, summed over the views
  whole   ///< all rays as one signal
};

template <>
struct EnumNames<NcpSignals> {
  static constexpr std::array<std::pair<NcpSignals, std::string_view>, 2> names{
      {{NcpSignals::views, "views"}, {NcpSignals::whole, "whole"}}};
};

/// \brief Stops when the residual looks like white noise of any level (SIRT, SART, CGLS, ART).
///
/// The rule watches the distance between the normalised cumulative periodogram of the residual and
/// that of white noise, `CumulativePeriodogram::distance_from_white`. The distance decreases while
/// parts of the image remain in the residual, and increases once noise is fitted. The rule stops at
/// the first check at which the distance is larger than at the check before, but at most `share` of
/// that at the first check after the start: the first steps may raise a distance that is still
/// large by a little, and the start, whose residual is the data with their gaps, does not count. If
/// the noise is correlated the distance stays larger than this. The rule then stops when it has
/// risen `rises` times in succession. The returned x is therefore one check past the minimum, or
/// that many. The periodogram is the sum over the views, along the detector, instead of that of one
/// long signal: an image is smooth along the detector and jumps between views, and the sum
/// fluctuates less.
///
/// Each check needs one product, and the residual and its transforms on the host. P. C. Hansen, M.
/// E. Kilmer, R. H. Kjeldsen (BIT 46, 2006); for reconstructions P. C. Hansen and J. S. Jorgensen,
/// "AIR Tools II", Numer. Algorithms 79 (2018).
struct WhiteNoise : StopRule {
  static constexpr const char* key = "ncp";
  static constexpr bool for_systems = false;
  static constexpr Measurement needs = Measurement::whiteness;

  /// Rows per view; the rays of a view are adjacent. The periodograms of all views are added. 0:
  /// the whole residual is one signal.
  Ordinal view_length = 0;
  /// Natural number of each row, if rows are reordered or some are missing (the residual of a
  /// missing row is 0). Empty: rows are in natural order.
  std::vector<Ordinal> natural;
  /// Number of natural rows, if \p natural is not empty.
  Ordinal natural_size = 0;
  /// Signals from which a run sets the members above.
  NcpSignals signals = NcpSignals::views;

  /// Largest distance at which one rise is enough, as a share of that at the first check after the
  /// start.
  static constexpr double share = 0.5;
  /// Number of rises in succession that stop at any distance.
  static constexpr int rises = 10;
  /// Relative residual above which a residual that looks white deserves a warning.
  static constexpr double doubtful_residual = 0.2;
  static constexpr int earlier_checks = rises;

  explicit WhiteNoise(Ordinal length = 0, std::vector<Ordinal> numbers = {}, Ordinal size = 0)
      : view_length(length), natural(std::move(numbers)), natural_size(size) {}

  template <class Visitor>
  static void describe(Visitor&& keys, std::optional<WhiteNoise>& rule, bool) {
    keys.optional_name(key, rule, &WhiteNoise::signals,
                       "Stops when the residual resembles white noise, judged by the normalised "
                       "cumulative periodogram of each view or of all rays as one signal (Hansen "
                       "2008).");
  }
  bool stops_after(const std::vector<IterationRecord>& history, int check_every) const;
  void validate(const char* name) const;
  std::pair<std::string, std::string> refusal(const StopProblem& problem) const;
  void complete(const StopData& data);
};

}  // namespace Tomokkos
