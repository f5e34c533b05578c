// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_PairCounts.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

PairCounts fold_pair_counts(std::span<double> counts, std::size_t crystals) {
  PairCounts result;
  double difference = 0, size = 0;  // squares
  bool is_same = true, is_whole = true;
  for (std::size_t i = 0; i < crystals; ++i)
    for (std::size_t j = i + 1; j < crystals; ++j) {
      const double above = counts[i * crystals + j], below = counts[j * crystals + i];
      result.above += above;
      result.below += below;
      difference += (above - below) * (above - below);
      size += above * above + below * below;
      is_same =
          is_same && std::abs(above - below) <= 1e-6 * std::max(std::abs(above), std::abs(below));
      is_whole = is_whole && above == std::round(above) && below == std::round(below);
    }
  // Counts differ at random. The halves of a corrected array may differ by rounding.
  constexpr double rounding = 1e-3;
  const bool is_symmetric =
      is_same || (!is_whole && difference <= rounding * rounding * 0.5 * size);
  for (std::size_t i = 0; i < crystals; ++i)
    for (std::size_t j = i + 1; j < crystals; ++j) {
      double& below = counts[j * crystals + i];
      if (!is_symmetric && below != 0) {
        counts[i * crystals + j] += below;
        result.added = true;
      }
      below = 0;
    }
  return result;
}

}  // namespace Tomokkos
