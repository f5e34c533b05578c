// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests whose data take a large part of the memory of a machine.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

namespace Tomokkos::Testing {

/// \brief Returns the reason why a test that needs \p bytes is skipped; empty if it may run.
///
/// On a host other processes share the memory, and a system that grants more than it has kills one
/// of them. Such a test therefore runs only on request, and leaves a quarter of the free memory.
template <class ExecutionSpace>
std::string missing_memory(const ExecutionSpace& exec, std::uint64_t bytes) {
  const bool on_host = Impl::is_host_space<ExecutionSpace>;
  const char* const huge = std::getenv("TOMOKKOS_TEST_HUGE");
  if (on_host && (huge == nullptr || std::string_view(huge) != "1"))
    return "needs " + describe_bytes(bytes) + "; set TOMOKKOS_TEST_HUGE=1 to run it on a host";
  const std::uint64_t available = available_memory(exec);
  const std::uint64_t usable = on_host ? available / 4 * 3 : available;
  if (bytes <= usable) return {};
  return "needs " + describe_bytes(bytes) + ", usable are " + describe_bytes(usable);
}

}  // namespace Tomokkos::Testing

/// \brief Skips a test that needs more memory than it may use. Use it as the first statement.
#define TOMOKKOS_NEEDS_HUGE_MEMORY(exec, bytes)                                                 \
  do {                                                                                          \
    if (const std::string why = ::Tomokkos::Testing::missing_memory(exec, bytes); !why.empty()) \
      GTEST_SKIP() << why;                                                                      \
  } while (false)
