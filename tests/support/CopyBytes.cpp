// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CopyBytes.hpp"

#include <Kokkos_Core.hpp>
#include <Tomokkos_ForEach.hpp>

namespace Tomokkos::Testing {
namespace {

template <class Byte, class MemorySpace>
using Bytes =
    Kokkos::View<Byte*, Kokkos::LayoutRight, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

}  // namespace

template <class ExecutionSpace>
void copy_from_host(const ExecutionSpace& exec, void* to, const void* from, std::size_t bytes) {
  Kokkos::deep_copy(
      exec, Bytes<char, typename ExecutionSpace::memory_space>(static_cast<char*>(to), bytes),
      Bytes<const char, Kokkos::HostSpace>(static_cast<const char*>(from), bytes));
  exec.fence();
}

template <class MemorySpace>
void copy_to_host(void* to, const void* from, std::size_t bytes) {
  Kokkos::fence();
  Kokkos::deep_copy(Bytes<char, Kokkos::HostSpace>(static_cast<char*>(to), bytes),
                    Bytes<const char, MemorySpace>(static_cast<const char*>(from), bytes));
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace) \
  template void copy_from_host(const ExecutionSpace&, void*, const void*, std::size_t);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

template void copy_to_host<Kokkos::HostSpace>(void*, const void*, std::size_t);
#if defined(KOKKOS_ENABLE_CUDA)
template void copy_to_host<Kokkos::CudaSpace>(void*, const void*, std::size_t);
#endif

}  // namespace Tomokkos::Testing
