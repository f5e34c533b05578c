// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace Tomokkos::Bench {

/// \brief Counts what Kokkos hands out and takes back while it lives, for libraries that do not
/// tell what they take. One at a time; tools that are loaded do not hear of it.
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

  /// \brief The most bytes that were held at a time and are not held any more.
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
