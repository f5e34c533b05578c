// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts of pairs of crystals, of which the matrix of a scanner holds those with i < j.
#pragma once

#include <cstddef>
#include <span>

namespace Tomokkos {

/// \brief Sums of an array of crystals x crystals.
struct PairCounts {
  double above = 0;    ///< pairs (i, j) with i < j
  double below = 0;    ///< pairs (j, i) with i < j
  bool added = false;  ///< true if the counts of (j, i) were added to those of (i, j)
};

/// \brief Moves all counts of an array of \p crystals x \p crystals to the pairs i < j.
///
/// A symmetric array holds each count twice: the pairs (j, i) are cleared. Symmetric means up to
/// 1e-6 of each value or, if not all values are whole, 1e-3 of the norm of either half. Otherwise
/// they are added to the pairs (i, j), as counts of events in no order need, and cleared. Counts of
/// a crystal with itself stay.
PairCounts fold_pair_counts(std::span<double> counts, std::size_t crystals);

}  // namespace Tomokkos
