// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>

namespace Tomokkos {

/// \brief Computes `a b + c` with a single rounding if the target has the instruction.
///
/// A compiler decides about fused operations by the surrounding code. Sums that must have the same
/// bits in several kernels therefore request the fused operation explicitly.
///
/// Always inlined: sources compiled for different processors must not share one body.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar multiply_add(Scalar a, Scalar b, Scalar c) {
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return Impl::fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace Tomokkos
