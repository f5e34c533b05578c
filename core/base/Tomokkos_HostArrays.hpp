// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain arrays of a host in, plain arrays out, for applications that hold no Views.
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Views.hpp>
#include <vector>

namespace Tomokkos {

/// \brief An instance of the same device, or of the same threads, whose kernels wait for nothing
/// that runs on \p of: of CUDA a stream of its own. Lives as long as its copies.
template <class ExecutionSpace>
ExecutionSpace make_instance(const ExecutionSpace& of = ExecutionSpace()) {
  return Impl::partition_space(of, 1).front();
}

/// \brief A copy of \p values in the memory of \p exec. Complete on return.
///
/// \throws MemoryError with the bytes
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

/// \brief The values of a View of the device. Waits for \p exec.
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
