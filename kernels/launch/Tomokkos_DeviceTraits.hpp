// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>
#include <cstddef>

namespace Tomokkos {

/// \brief Properties of a device that decide how kernels are launched on it.
struct DeviceTraits {
  bool gpu = false;
  /// Hardware threads that run at the same time.
  int concurrency = 1;
  /// A host whose kernels gather the entries of a chunk of rows by wide vectors (AVX-512).
  bool wide_gathers = false;
  /// Of a GPU: threads and bytes of scratch memory that teams share.
  int threads_per_multiprocessor = 0;
  std::size_t scratch_per_multiprocessor = 0;
};

/// \brief The traits of \p exec.
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

/// \brief True when a multiprocessor of \p device holds \p teams of \p threads and of
/// \p scratch_bytes each. Kokkos refuses a launch that promises more.
constexpr bool teams_fit(const DeviceTraits& device, int teams, int threads,
                         std::size_t scratch_bytes) {
  // What Kokkos and CUDA take per team on top: sums of a reduction, and 1 KiB.
  const std::size_t reserve = sizeof(double) * static_cast<std::size_t>(threads + 2) + 1024;
  return static_cast<std::size_t>(teams) * (scratch_bytes + reserve) <=
             device.scratch_per_multiprocessor &&
         teams * threads <= device.threads_per_multiprocessor;
}

}  // namespace Impl

}  // namespace Tomokkos
