// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>

namespace Tomokkos {

/// \brief `a b + c` with one rounding where the target has the instruction. What a compiler fuses
/// by itself depends on the code around it; sums that must have the same bits in several kernels
/// say it.
///
/// Always inlined: sources that are compiled for different processors must not share one body.
template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Scalar multiply_add(Scalar a, Scalar b, Scalar c) {
#if defined(__CUDA_ARCH__) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return Impl::fma(a, b, c);
#else
  return a * b + c;
#endif
}

}  // namespace Tomokkos
