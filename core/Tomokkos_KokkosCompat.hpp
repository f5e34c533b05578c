// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that looks at the version of Kokkos. Each entry names the version that removes it.
#pragma once

#include <Kokkos_Core.hpp>
#include <cassert>
#include <cmath>
#include <string>
#include <vector>

// KOKKOS_VERSION is major * 10000 + minor * 100 + patch.
#if KOKKOS_VERSION < 30400
#error "Tomokkos needs Kokkos 3.4 or later"
#endif

#if KOKKOS_VERSION >= 40100
#include <Kokkos_Profiling_ScopedRegion.hpp>
#endif

/// \brief Device-side assertion: active in debug builds only. Remove when Kokkos >= 4.0
/// (KOKKOS_ASSERT) is required.
#ifdef KOKKOS_ASSERT
#define TOMOKKOS_ASSERT(...) KOKKOS_ASSERT((__VA_ARGS__))
#else
#define TOMOKKOS_ASSERT(...) assert((__VA_ARGS__))
#endif

/// \brief A lambda for a kernel. Always by value.
#define TOMOKKOS_LAMBDA KOKKOS_LAMBDA

namespace Tomokkos::Impl {

/// \brief Waits for \p exec and says why in profilers. Remove when Kokkos >= 3.5 is required.
template <class ExecutionSpace>
void fence(const ExecutionSpace& exec, const std::string& why) {
#if KOKKOS_VERSION >= 30500
  exec.fence("Tomokkos::" + why);
#else
  (void)why;
  exec.fence();
#endif
}

/// \brief A named region of a profile that closes itself. Remove when Kokkos >= 4.1 is required.
class ScopedRegion {
 public:
  explicit ScopedRegion(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ~ScopedRegion() { Kokkos::Profiling::popRegion(); }
  ScopedRegion(const ScopedRegion&) = delete;
  ScopedRegion& operator=(const ScopedRegion&) = delete;
};

/// \brief \p count instances of \p ExecutionSpace that may run at the same time. Where Kokkos
/// cannot split a space (before 3.6, and hosts before 4.1) every element is \p exec itself. Remove
/// when Kokkos >= 4.1 is required.
template <class ExecutionSpace>
std::vector<ExecutionSpace> partition_space(const ExecutionSpace& exec, int count) {
#if KOKKOS_VERSION >= 40100
  return Kokkos::Experimental::partition_space(
      exec, std::vector<int>(static_cast<std::size_t>(count), 1));
#else
  return std::vector<ExecutionSpace>(static_cast<std::size_t>(count), exec);
#endif
}

/// \brief True when \p ExecutionSpace runs on host threads.
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                               typename ExecutionSpace::memory_space>::accessible;

/// \brief Threads of \p exec that run at the same time. Remove when Kokkos >= 4.0 (a const member)
/// is required.
template <class ExecutionSpace>
int concurrency(const ExecutionSpace& exec) {
  return const_cast<ExecutionSpace&>(exec).concurrency();
}

// Mathematical functions in device code. `Kokkos::sqrt` and friends exist since 3.7 (3.4 has them
// in Experimental for some types); the C++ functions are callable on hosts and, in CUDA, on the
// device. Remove when Kokkos >= 3.7 is required.
using std::abs;
using std::ceil;
using std::fabs;
using std::floor;
using std::fma;
using std::log;
using std::sqrt;

}  // namespace Tomokkos::Impl
