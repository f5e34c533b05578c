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
  const auto gather = [&](auto value) { return ranks.gather_from_all(static_cast<double>(value)); };
  const std::vector<double> rows = gather(own.rows), nonzeros = gather(own.nonzeros),
                            empty = gather(own.empty_rows), shortest = gather(own.shortest),
                            longest = gather(own.longest), mean = gather(own.mean),
                            sigma = gather(own.sigma);
  std::vector<RowStatistics> parts(rows.size());
  for (std::size_t r = 0; r < parts.size(); ++r)
    parts[r] = {static_cast<Ordinal>(rows[r]),
                own.columns,
                static_cast<Offset>(nonzeros[r]),
                static_cast<Offset>(shortest[r]),
                static_cast<Offset>(longest[r]),
                mean[r],
                sigma[r],
                static_cast<Ordinal>(empty[r])};
  return statistics_of_parts(parts);
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
