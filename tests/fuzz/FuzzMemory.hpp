// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_HostMemory.hpp>
#include <algorithm>

namespace Tomokkos::Fuzz {

/// Lets readers take about 256 MB, as if others shared this machine: a matrix of 10^8 empty rows is
/// right, and takes seconds.
inline void limit_memory() {
  const std::uint64_t share = available_host_memory() >> 28;
  set_host_memory_sharers(static_cast<int>(std::clamp<std::uint64_t>(share, 1, 1 << 20)));
}

}  // namespace Tomokkos::Fuzz
