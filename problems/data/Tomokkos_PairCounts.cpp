// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_PairCounts.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

PairCounts fold_pair_counts(std::span<double> counts, std::size_t crystals) {
  PairCounts result;
  bool is_symmetric = true;
  for (std::size_t i = 0; i < crystals; ++i)
    for (std::size_t j = i + 1; j < crystals; ++j) {
      const double above = counts[i * crystals + j], below = counts[j * crystals + i];
      result.above += above;
      result.below += below;
      is_symmetric = is_symmetric &&
                     std::abs(above - below) <= 1e-6 * std::max(std::abs(above), std::abs(below));
    }
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
