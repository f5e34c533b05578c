// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Tomokkos::Bench {

/// \brief Counts the bytes that Kokkos allocates and frees during the lifetime of this object.
///
/// Used for libraries that do not report their workspace. Only one object may exist at a time.
/// Profiling tools loaded into Kokkos do not see these allocations.
class AllocationCount {
 public:
  AllocationCount() : tools_(Kokkos::Tools::Experimental::get_callbacks()) {
    held_ = most_ = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(add);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(subtract);
  }
  ~AllocationCount() { Kokkos::Tools::Experimental::set_callbacks(tools_); }
  AllocationCount(const AllocationCount&) = delete;
  AllocationCount& operator=(const AllocationCount&) = delete;

  /// \brief Largest number of bytes held at a time, minus the bytes still held.
  std::size_t workspace_bytes() const {
    return static_cast<std::size_t>(most_ - std::max<std::int64_t>(held_, 0));
  }

 private:
  static void add(Kokkos::Profiling::SpaceHandle, const char*, const void*, std::uint64_t bytes) {
    held_ += static_cast<std::int64_t>(bytes);
    most_ = std::max(most_, held_);
  }
  static void subtract(Kokkos::Profiling::SpaceHandle, const char*, const void*,
                       std::uint64_t bytes) {
    held_ -= static_cast<std::int64_t>(bytes);
  }

  static inline std::int64_t held_ = 0, most_ = 0;
  Kokkos::Tools::Experimental::EventSet tools_;
};

}  // namespace Tomokkos::Bench
