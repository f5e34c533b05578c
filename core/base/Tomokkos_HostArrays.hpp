// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between `std::vector` on the host and Views on a device, for applications without
// Views.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Views.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Creates an execution-space instance on the device, or the host threads, of \p of.
///
/// Its kernels do not wait for those of \p of. With CUDA it has its own stream, which lives as long
/// as the copies of the instance.
template <class ExecutionSpace>
ExecutionSpace make_instance(const ExecutionSpace& of = ExecutionSpace()) {
  return Impl::partition_space(of, 1).front();
}

/// \brief Copies \p values to the memory of \p exec. Complete on return.
///
/// \throws MemoryError with the number of bytes when the memory cannot be allocated
template <class ExecutionSpace, class Value>
Vector<Value, typename ExecutionSpace::memory_space> copy_to_device(
    const ExecutionSpace& exec, const std::vector<Value>& values) {
  const auto copy = allocate<Vector<Value, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::copy_to_device", values.size());
  Kokkos::deep_copy(exec, copy,
                    VectorView<const Value, Kokkos::HostSpace>(values.data(), values.size()));
  Impl::fence(exec, "copy_to_device: the host may change its array");
  return copy;
}

/// \brief Copies the values of a View to the host. Waits for \p exec.
template <class ExecutionSpace, class View>
std::vector<typename View::non_const_value_type> copy_to_host(const ExecutionSpace& exec,
                                                              const View& values) {
  std::vector<typename View::non_const_value_type> copy(values.extent(0));
  Kokkos::deep_copy(
      exec,
      VectorView<typename View::non_const_value_type, Kokkos::HostSpace>(copy.data(), copy.size()),
      values);
  Impl::fence(exec, "copy_to_host: the values must have arrived");
  return copy;
}

}  // namespace Tomokkos
