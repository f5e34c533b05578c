// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts the memory that Kokkos allocates and frees, by label.
#pragma once

#include <Kokkos_Core.hpp>
#include <string>

namespace Tomokkos::Testing {

/// Counts the bytes of arrays whose label contains \p part, during the lifetime of this object.
/// Only one object may exist at a time.
class LiveBytes {
 public:
  explicit LiveBytes(const std::string& part) {
    part_of_label() = part;
    counter() = total() = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(add);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(remove);
  }
  ~LiveBytes() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    Kokkos::Tools::Experimental::set_deallocate_data_callback(nullptr);
  }
  LiveBytes(const LiveBytes&) = delete;
  LiveBytes& operator=(const LiveBytes&) = delete;

  std::uint64_t bytes() const { return counter(); }
  /// Total number of allocated bytes, including those already freed.
  std::uint64_t taken() const { return total(); }

 private:
  static std::uint64_t& counter() {
    static std::uint64_t bytes = 0;
    return bytes;
  }
  static std::uint64_t& total() {
    static std::uint64_t bytes = 0;
    return bytes;
  }
  static std::string& part_of_label() {
    static std::string part;
    return part;
  }
  static void add(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                  std::uint64_t bytes) {
    if (std::string(label).find(part_of_label()) == std::string::npos) return;
    counter() += bytes;
    total() += bytes;
  }
  static void remove(Kokkos::Profiling::SpaceHandle, const char* label, const void*,
                     std::uint64_t bytes) {
    if (std::string(label).find(part_of_label()) != std::string::npos) counter() -= bytes;
  }
};

}  // namespace Tomokkos::Testing
