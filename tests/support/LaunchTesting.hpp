// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Row statistics and devices for tests of launch parameters.
#pragma once

#include <Tomokkos_SpmvLaunchConfig.hpp>

using namespace Tomokkos;

namespace {

[[maybe_unused]] RowStatistics rows_of_length(Offset length, Ordinal rows = 100000) {
  RowStatistics statistics;
  statistics.rows = statistics.columns = rows;
  statistics.nonzeros = length * rows;
  statistics.shortest = statistics.longest = length;
  statistics.mean = static_cast<double>(length);
  return statistics;
}

const DeviceTraits gpu{true, 270336};
const DeviceTraits host{false, 4};

}  // namespace
