// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RowPartition.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace Tomokkos {
namespace {

double sum_of_weights(const std::vector<double>& weights) {
  require(!weights.empty(), "a partition of rows needs at least one part");
  for (std::size_t p = 0; p < weights.size(); ++p)
    require(weights[p] > 0 && std::isfinite(weights[p]),
            Impl::text("the weight of part {} is {}; it must be positive", p,
                       std::to_string(weights[p])));
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

}  // namespace

std::vector<Ordinal> partition_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, RowRange rows,
    const std::vector<double>& weights) {
  const double total = sum_of_weights(weights);
  const auto all = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  const RowRange range = rows.resolved(all);
  require(0 <= range.begin && range.begin <= range.end && range.end <= all,
          Impl::text("rows {} to {} do not lie within the {} rows", range.begin, range.end, all));
  const Ordinal count = range.end - range.begin;
  const Offset first = row_offsets(range.begin);
  // A row counts as an additional millionth of a nonzero.
  const auto work_before = [&](Ordinal row) {
    return static_cast<double>(row_offsets(range.begin + row) - first) + 1e-6 * row;
  };
  std::vector<Ordinal> begins{range.begin};
  double weight = 0;
  for (std::size_t p = 0; p + 1 < weights.size(); ++p) {
    weight += weights[p];
    const double target = work_before(count) * (weight / total);
    Ordinal low = begins.back() - range.begin, high = count;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (work_before(middle) < target)
        low = middle + 1;
      else
        high = middle;
    }
    // The end of the previous row may be closer.
    if (low > begins.back() - range.begin &&
        target - work_before(low - 1) < work_before(low) - target)
      --low;
    begins.push_back(range.begin + low);
  }
  begins.push_back(range.end);
  return begins;
}

std::vector<Ordinal> partition_evenly(Ordinal count, const std::vector<double>& weights) {
  const double total = sum_of_weights(weights);
  std::vector<Ordinal> begins{0};
  double weight = 0;
  for (std::size_t p = 0; p + 1 < weights.size(); ++p) {
    weight += weights[p];
    begins.push_back(static_cast<Ordinal>(std::lround(count * (weight / total))));
  }
  begins.push_back(count);
  return begins;
}

double partition_imbalance(const std::vector<Offset>& nonzeros,
                           const std::vector<double>& weights) {
  const double total = sum_of_weights(weights);
  const auto all =
      static_cast<double>(std::accumulate(nonzeros.begin(), nonzeros.end(), Offset{0}));
  if (all == 0) return 0;
  double most = 0;
  for (std::size_t p = 0; p < weights.size(); ++p)
    most = std::max(most, static_cast<double>(nonzeros[p]) / (all * weights[p] / total) - 1);
  return most;
}

}  // namespace Tomokkos
