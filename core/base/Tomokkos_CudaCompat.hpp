// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Adapters between Kokkos before 4.7.1 and CUDA 13. Kokkos calls three functions of the CUDA
// runtime with their parameters of CUDA 12; CUDA 13 changed these parameters. The overloads below
// accept the old parameters and forward them. The build includes this file before all others
// (`-include`) only when both versions are combined. Remove when Kokkos >= 4.7.1 is required.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime_api.h>

#include <cstddef>

#if CUDART_VERSION >= 13000

/// \brief Adds dependencies to a graph, without edge data.
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  const cudaGraphEdgeData* const no_edge_data = nullptr;
  return cudaGraphAddDependencies(graph, from, to, no_edge_data, count);
}

namespace Tomokkos::Impl {

/// \brief Memory location for a device number of CUDA 12, where `cudaCpuDeviceId` means the host.
inline cudaMemLocation cuda_memory_location(int device) {
  cudaMemLocation place{};
  if (device == cudaCpuDeviceId) {
    place.type = cudaMemLocationTypeHost;
  } else {
    place.type = cudaMemLocationTypeDevice;
    place.id = device;
  }
  return place;
}

}  // namespace Tomokkos::Impl

/// \brief Gives advice about managed memory for a device given by number.
inline cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(memory, bytes, advice, Tomokkos::Impl::cuda_memory_location(device));
}

/// \brief Prefetches managed memory to a device given by number.
inline cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, int device,
                                        cudaStream_t stream) {
  constexpr unsigned int no_flags = 0;
  return cudaMemPrefetchAsync(memory, bytes, Tomokkos::Impl::cuda_memory_location(device), no_flags,
                              stream);
}

#endif  // CUDART_VERSION >= 13000
#endif  // __CUDACC__
