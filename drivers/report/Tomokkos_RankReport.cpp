// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RankReport.hpp>
#include <algorithm>
#include <vector>

namespace Tomokkos {

TrafficBytes traffic_of_all(const RankGroup& ranks, const TrafficBytes& own) {
  std::vector<double> sums{static_cast<double>(own.forward), static_cast<double>(own.transpose),
                           static_cast<double>(own.iteration)};
  ranks.sum(sums);
  return {static_cast<std::size_t>(sums[0]), static_cast<std::size_t>(sums[1]),
          static_cast<std::size_t>(sums[2])};
}

MemoryPeaks largest_peaks(const RankGroup& ranks, const MemoryPeaks& own) {
  const auto largest = [&](std::uint64_t bytes) {
    const std::vector<double> all = ranks.gather_from_all(static_cast<double>(bytes));
    return static_cast<std::uint64_t>(*std::max_element(all.begin(), all.end()));
  };
  return {largest(own.host), largest(own.device), largest(own.solver)};
}

}  // namespace Tomokkos
