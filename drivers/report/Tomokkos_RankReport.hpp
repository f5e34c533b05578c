// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Totals over all ranks for the report.
#pragma once

#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RunReport.hpp>

namespace Tomokkos {

/// \brief Sum of the moved bytes over all ranks. Collective.
TrafficBytes traffic_of_all(const RankGroup& ranks, const TrafficBytes& own);

/// \brief Largest memory peaks over all ranks. Collective.
MemoryPeaks largest_peaks(const RankGroup& ranks, const MemoryPeaks& own);

}  // namespace Tomokkos
