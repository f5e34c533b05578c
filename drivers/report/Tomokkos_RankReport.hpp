// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shares of the ranks, and totals over all ranks for the report.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunReport.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Weight of each rank, from the configuration or equal.
///
/// \throws ConfigError if their number is not that of the ranks
std::vector<double> given_weights(const RunConfig& config, int ranks);

/// \brief Refuses measured weights where the last bits of sums must not change from run to run.
///
/// \throws ConfigError
void require_steady_weights(const RunConfig& config, bool has_checkpoints);

/// \brief Nonzeros per second of each rank, of which this one multiplied \p nonzeros in \p seconds.
/// A rank without rows is assumed to be as fast as the slowest other rank. Collective.
std::vector<double> speeds_of_ranks(const RunRanks& ranks, double nonzeros, double seconds);

/// \brief Weight of \p rank divided by the sum of all weights.
double share_of(const std::vector<double>& weights, int rank);

/// \brief Statistics of all rows, from the statistics of the rows of each rank. Collective.
RowStatistics statistics_of_all(const RunRanks& ranks, const RowStatistics& own);

/// \brief Sum of the moved bytes over all ranks. Collective.
TrafficBytes traffic_of_all(const RunRanks& ranks, const TrafficBytes& own);

/// \brief Largest memory peaks over all ranks. Collective.
MemoryPeaks largest_peaks(const RunRanks& ranks, const MemoryPeaks& own);

}  // namespace Tomokkos
