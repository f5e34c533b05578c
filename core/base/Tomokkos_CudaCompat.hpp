// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos before 4.7.1 calls three functions of the CUDA runtime as they were up to CUDA 12; CUDA 13
// gave them other parameters. These overloads take the old ones and pass them on. The build
// includes this file ahead of all others (`-include`) where both versions meet, and nowhere else.
// Remove when Kokkos >= 4.7.1 is required.
#pragma once

#ifdef __CUDACC__
#include <cuda_runtime_api.h>

#include <cstddef>

#if CUDART_VERSION >= 13000

/// \brief Edges of a graph without edge data.
inline cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                            const cudaGraphNode_t* to, std::size_t count) {
  const cudaGraphEdgeData* const no_edge_data = nullptr;
  return cudaGraphAddDependencies(graph, from, to, no_edge_data, count);
}

namespace Tomokkos::Impl {

/// \brief The place that CUDA 12 named by a device number; the host was `cudaCpuDeviceId`.
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

/// \brief Advice about managed memory, for a device given by number.
inline cudaError_t cudaMemAdvise(const void* memory, std::size_t bytes, cudaMemoryAdvise advice,
                                 int device) {
  return cudaMemAdvise(memory, bytes, advice, Tomokkos::Impl::cuda_memory_location(device));
}

/// \brief Prefetch of managed memory to a device given by number.
inline cudaError_t cudaMemPrefetchAsync(const void* memory, std::size_t bytes, int device,
                                        cudaStream_t stream) {
  constexpr unsigned int no_flags = 0;
  return cudaMemPrefetchAsync(memory, bytes, Tomokkos::Impl::cuda_memory_location(device), no_flags,
                              stream);
}

#endif  // CUDART_VERSION >= 13000
#endif  // __CUDACC__
