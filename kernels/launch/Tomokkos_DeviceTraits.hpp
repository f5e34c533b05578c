// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <cstddef>

namespace Tomokkos {

/// \brief Properties of a device that determine how kernels are launched on it.
struct DeviceTraits {
  bool gpu = false;
  /// Hardware threads that run at the same time.
  int concurrency = 1;
  /// True for a host whose kernels gather the entries of a chunk of rows by wide vectors (AVX-512).
  bool wide_gathers = false;
  /// Threads, and bytes of scratch memory, that the teams on a multiprocessor of a GPU share; 0 on
  /// a host.
  int threads_per_multiprocessor = 0;
  std::size_t scratch_per_multiprocessor = 0;
};

/// \brief Returns the properties of the device of \p exec, except `wide_gathers`, which stays
/// false.
template <class ExecutionSpace>
DeviceTraits device_traits(const ExecutionSpace& exec) {
  DeviceTraits traits;
  traits.gpu = !Impl::is_host_space<ExecutionSpace>;
  traits.concurrency = Impl::concurrency(exec);
  Impl::set_multiprocessor(exec, traits.threads_per_multiprocessor,
                           traits.scratch_per_multiprocessor);
  return traits;
}

namespace Impl {

constexpr bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

/// \brief True if a multiprocessor of \p device holds \p teams teams of \p threads threads and \p
/// scratch_bytes bytes each. Kokkos rejects launches whose bounds promise more.
constexpr bool teams_fit(const DeviceTraits& device, int teams, int threads,
                         std::size_t scratch_bytes) {
  // Additional memory that Kokkos and CUDA need per team: sums of a reduction, and 1 KiB.
  const std::size_t reserve = sizeof(double) * static_cast<std::size_t>(threads + 2) + 1024;
  return static_cast<std::size_t>(teams) * (scratch_bytes + reserve) <=
             device.scratch_per_multiprocessor &&
         teams * threads <= device.threads_per_multiprocessor;
}

}  // namespace Impl

}  // namespace Tomokkos
