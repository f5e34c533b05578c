// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What runs of several ranks have in common: the shares that are asked for, and figures of all of
// them for the report.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunRanks.hpp>
#include <Tomokkos_RunReport.hpp>
#include <vector>

namespace Tomokkos {

/// \brief A weight for each rank: those of the configuration, or equal ones. Throws `ConfigError`
/// for another number of them.
std::vector<double> given_weights(const RunConfig& config, int ranks);

/// \brief The part of all that is the weight of \p rank.
double share_of(const std::vector<double>& weights, int rank);

/// \brief Of rows that the ranks hold, that of all of them.
RowStatistics statistics_of_all(const RunRanks& ranks, const RowStatistics& own);

/// \brief Bytes that all ranks move, of which each knows its own.
TrafficBytes traffic_of_all(const RunRanks& ranks, const TrafficBytes& own);

/// \brief The peaks of the ranks with most, of which each knows its own.
MemoryPeaks largest_peaks(const RunRanks& ranks, const MemoryPeaks& own);

}  // namespace Tomokkos
