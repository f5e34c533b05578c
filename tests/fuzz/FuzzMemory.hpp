// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_HostMemory.hpp>
#include <algorithm>

namespace Tomokkos::Fuzz {

/// Limits readers to about 256 MB, as if other processes shared this machine. Otherwise a valid
/// matrix with 10^8 empty rows would take seconds.
inline void limit_memory() {
  const std::uint64_t share = available_host_memory() >> 28;
  set_host_memory_sharers(static_cast<int>(std::clamp<std::uint64_t>(share, 1, 1 << 20)));
}

}  // namespace Tomokkos::Fuzz
