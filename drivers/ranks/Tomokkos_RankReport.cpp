// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RankReport.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

namespace Tomokkos {

std::vector<double> given_weights(const RunConfig& config, int ranks) {
  const auto size = static_cast<std::size_t>(ranks);
  const std::vector<double>& weights = config.run.ranks.weights;
  if (weights.empty()) return std::vector<double>(size, 1.0);
  if (weights.size() != size)
    throw ConfigError("run.ranks.weights: lists " + std::to_string(weights.size()) +
                      " weights for " + std::to_string(size) + " ranks; give one for each rank");
  return weights;
}

void require_steady_weights(const RunConfig& config, bool has_checkpoints) {
  if (!config.run.ranks.measured || !(config.run.deterministic || has_checkpoints)) return;
  throw ConfigError(
      std::string("run.ranks.weights: measured weights change from run to run, and with them the "
                  "rows of a rank and the last bits of sums, which ") +
      (config.run.deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
      "; give the weights as numbers");
}

std::vector<double> speeds_of_ranks(const RunRanks& ranks, double nonzeros, double seconds) {
  std::vector<double> speeds = ranks.gather_from_all(seconds > 0 ? nonzeros / seconds : 0);
  double slowest = std::numeric_limits<double>::infinity();
  for (const double speed : speeds)
    if (speed > 0) slowest = std::min(slowest, speed);
  for (double& speed : speeds)
    if (!(speed > 0)) speed = std::isfinite(slowest) ? slowest : 1;
  return speeds;
}

double share_of(const std::vector<double>& weights, int rank) {
  return weights[static_cast<std::size_t>(rank)] /
         std::accumulate(weights.begin(), weights.end(), 0.0);
}

RowStatistics statistics_of_all(const RunRanks& ranks, const RowStatistics& own) {
  const double rows = own.rows, mean = own.mean;
  std::vector<double> sums{rows, static_cast<double>(own.nonzeros),
                           static_cast<double>(own.empty_rows),
                           rows * (own.sigma * own.sigma + mean * mean)};
  ranks.sum(sums);
  RowStatistics all = own;
  all.rows = static_cast<Ordinal>(sums[0]);
  all.nonzeros = static_cast<Offset>(sums[1]);
  all.empty_rows = static_cast<Ordinal>(sums[2]);
  all.mean = sums[0] > 0 ? sums[1] / sums[0] : 0;
  all.sigma = sums[0] > 0 ? std::sqrt(std::max(0.0, sums[3] / sums[0] - all.mean * all.mean)) : 0;
  const double far = std::numeric_limits<double>::max();
  const double shortest = own.rows > 0 ? static_cast<double>(own.shortest) : far;
  const std::vector<double> least = ranks.gather_from_all(shortest);
  const std::vector<double> most = ranks.gather_from_all(static_cast<double>(own.longest));
  const double smallest = *std::min_element(least.begin(), least.end());
  all.shortest = smallest < far ? static_cast<Offset>(smallest) : 0;
  all.longest = static_cast<Offset>(*std::max_element(most.begin(), most.end()));
  return all;
}

TrafficBytes traffic_of_all(const RunRanks& ranks, const TrafficBytes& own) {
  std::vector<double> sums{static_cast<double>(own.forward), static_cast<double>(own.transpose),
                           static_cast<double>(own.iteration)};
  ranks.sum(sums);
  return {static_cast<std::size_t>(sums[0]), static_cast<std::size_t>(sums[1]),
          static_cast<std::size_t>(sums[2])};
}

MemoryPeaks largest_peaks(const RunRanks& ranks, const MemoryPeaks& own) {
  const auto largest = [&](std::uint64_t bytes) {
    const std::vector<double> all = ranks.gather_from_all(static_cast<double>(bytes));
    return static_cast<std::uint64_t>(*std::max_element(all.begin(), all.end()));
  };
  return {largest(own.host), largest(own.device), largest(own.solver)};
}

}  // namespace Tomokkos
