// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <cmath>

namespace Tomokkos::Impl {

/// Finds the least and the largest value.
template <class Scalar, class MemorySpace>
struct ValueRange {
  Kokkos::View<const Scalar*, MemorySpace> values;
  KOKKOS_FUNCTION void operator()(const Offset k, double& least, double& largest) const {
    const double value = static_cast<double>(values(k));
    // Count values that are not finite as infinite, so that they show in the range.
    const double low = value - value == 0 ? value : -HUGE_VAL;
    const double high = value - value == 0 ? value : HUGE_VAL;
    if (low < least) least = low;
    if (high > largest) largest = high;
  }
};

}  // namespace Tomokkos::Impl
