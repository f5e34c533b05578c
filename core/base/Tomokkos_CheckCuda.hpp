// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_KokkosCompat.hpp>
#include <string>

#if defined(KOKKOS_ENABLE_CUDA)
namespace Tomokkos::Impl {

/// Throws `Error` with the name of \p function and CUDA's description unless \p status is success.
/// The failure may come from earlier asynchronous work.
inline void check_cuda(cudaError_t status, const char* function) {
  if (status != cudaSuccess) throw Error(std::string(function) + ": " + cudaGetErrorString(status));
}

}  // namespace Tomokkos::Impl
#endif
