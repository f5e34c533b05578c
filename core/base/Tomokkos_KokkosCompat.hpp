// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that depends on the version of Kokkos. Each entry says from which required version
// on it can be removed.
#pragma once

#include <Kokkos_Core.hpp>
#include <cassert>
#include <cmath>
#include <string>
#include <type_traits>
#include <vector>

// KOKKOS_VERSION is major * 10000 + minor * 100 + patch.
#if KOKKOS_VERSION < 30400
#error "Tomokkos needs Kokkos 3.4 or later"
#endif

/// \brief Device-side assertion: active in debug builds only. Remove when Kokkos >= 4.0
/// (KOKKOS_ASSERT) is required.
#ifdef KOKKOS_ASSERT
#define TOMOKKOS_ASSERT(...) KOKKOS_ASSERT((__VA_ARGS__))
#else
#define TOMOKKOS_ASSERT(...) assert((__VA_ARGS__))
#endif

namespace Tomokkos::Impl {

/// \brief Waits for \p exec; profilers show \p why. Remove when Kokkos >= 3.5 is required.
template <class ExecutionSpace>
void fence(const ExecutionSpace& exec, const std::string& why) {
#if KOKKOS_VERSION >= 30500
  exec.fence("Tomokkos::" + why);
#else
  (void)why;
  exec.fence();
#endif
}

/// \brief Named region of a profile that ends with its scope. Remove when Kokkos >= 4.1
/// (Kokkos::Profiling::ScopedRegion) is required.
class ScopedRegion {
 public:
  explicit ScopedRegion(const std::string& name) { Kokkos::Profiling::pushRegion(name); }
  ~ScopedRegion() { Kokkos::Profiling::popRegion(); }
  ScopedRegion(const ScopedRegion&) = delete;
  ScopedRegion& operator=(const ScopedRegion&) = delete;
};

/// \brief True when \p ExecutionSpace runs on host threads. That hosts reach its memory does not
/// decide this: they also reach the managed CUDA memory of some Kokkos builds.
template <class ExecutionSpace>
inline constexpr bool is_host_space =
    std::is_same_v<typename ExecutionSpace::memory_space, Kokkos::HostSpace>;

/// \brief Host memory to which \p ExecutionSpace copies without an intermediate buffer:
/// page-locked for a GPU.
template <class ExecutionSpace>
struct StagingMemory {
  using type = Kokkos::HostSpace;
};
#if defined(KOKKOS_ENABLE_CUDA)
template <>
struct StagingMemory<Kokkos::Cuda> {
  using type = Kokkos::CudaHostPinnedSpace;
};
#endif

/// \brief Sets the number of threads and the bytes of scratch memory of one multiprocessor of \p
/// exec; both 0 on a host.
template <class ExecutionSpace>
void set_multiprocessor([[maybe_unused]] const ExecutionSpace& exec, int& threads,
                        std::size_t& scratch_bytes) {
  threads = 0;
  scratch_bytes = 0;
#if defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::Cuda>) {
    const cudaDeviceProp& device = exec.cuda_device_prop();
    threads = device.maxThreadsPerMultiProcessor;
    scratch_bytes = device.sharedMemPerMultiprocessor;
  }
#endif
}

/// \brief Number of threads of \p exec that run at the same time. Remove when Kokkos >= 5.0 is
/// required: the member of Kokkos 4 with deprecated code takes the instance as an argument, and
/// counts the threads of the default instance without it.
template <class ExecutionSpace>
int concurrency(const ExecutionSpace& exec) {
  if constexpr (requires { ExecutionSpace::concurrency(exec); })
    return ExecutionSpace::concurrency(exec);
  else
    return const_cast<ExecutionSpace&>(exec).concurrency();
}

/// \brief True if each of \p count parts of \p exec gets a thread. Kokkos divides the threads of
/// OpenMP, and ends the program if a part would get none.
template <class ExecutionSpace>
bool can_be_split([[maybe_unused]] const ExecutionSpace& exec, [[maybe_unused]] int count) {
#if defined(KOKKOS_ENABLE_OPENMP)
  if constexpr (std::is_same_v<ExecutionSpace, Kokkos::OpenMP>)
    return 1.0 / count * concurrency(exec) >= 1;  // rounded as Kokkos does it
  else
#endif
    return true;
}

/// \brief Splits \p exec into \p count instances that may run at the same time. If that is not
/// possible (CUDA before Kokkos 3.6, hosts before 4.1, OpenMP with fewer threads than parts), every
/// element is \p exec itself. Remove the conditions on versions when Kokkos >= 4.1 is required.
template <class ExecutionSpace>
std::vector<ExecutionSpace> partition_space(const ExecutionSpace& exec, int count) {
  const auto size = static_cast<std::size_t>(count);
#if KOKKOS_VERSION >= 40100
  if (!can_be_split(exec, count)) return std::vector<ExecutionSpace>(size, exec);
  return Kokkos::Experimental::partition_space(exec, std::vector<int>(size, 1));
#elif KOKKOS_VERSION >= 30600
  if constexpr (is_host_space<ExecutionSpace>) {
    return std::vector<ExecutionSpace>(size, exec);
  } else {
    // Kokkos before 4.0 expects a non-const reference.
    std::vector<int> weights(size, 1);
    return Kokkos::Experimental::partition_space(exec, weights);
  }
#else
  return std::vector<ExecutionSpace>(size, exec);
#endif
}

/// \brief True if the calling host thread may launch reductions on \p ExecutionSpace. Kokkos 3.4
/// to 3.6 with OpenMP allows it only to the thread that has initialised Kokkos; others end in an
/// exception of Kokkos. Remove when Kokkos >= 4.1 is required.
template <class ExecutionSpace>
bool may_launch_from_this_thread() {
#if KOKKOS_VERSION < 40000
  if constexpr (is_host_space<ExecutionSpace>) return ExecutionSpace::impl_is_initialized();
#endif
  return true;
}

// Mathematical functions in device code. `Kokkos::sqrt` and similar functions exist since 3.7 (3.4
// has some of them in Experimental). The C++ functions can be called on hosts and, in CUDA, on the
// device. Remove when Kokkos >= 3.7 is required.
using std::abs;
using std::atan;
using std::ceil;
using std::fabs;
using std::floor;
using std::fma;
using std::log;
using std::sqrt;

}  // namespace Tomokkos::Impl
