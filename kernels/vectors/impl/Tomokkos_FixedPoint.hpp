// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of any order with the same bits: in whole numbers of a unit, a power of two that a bound of
// the sums decides.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos::Impl {

/// Bits of a sum beside its sign and one that rounding may need.
template <class Integer>
inline constexpr int fixed_point_bits = sizeof(Integer) == 4 ? 30 : 61;

/// 2^e and 2^-e are normal numbers up to there.
inline constexpr int largest_fixed_point_exponent = 1022;

/// The exponent e such that sums below `bound` in absolute value, times 2^e, fit an integer of so
/// many bits with room for the rounding of 2^20 terms and more; 0 where there is nothing to add.
/// Bounds below 2^(bits - 1022) keep fewer bits, of a unit of 2^-1022.
KOKKOS_INLINE_FUNCTION int fixed_point_exponent(double bound, int bits) {
  if (!(bound > 0)) return 0;
  // A thousandth more: each term is rounded by half a unit.
  const double more = 1.001 * bound;
  const int logarithm = more - more == 0 ? ilogb(more) : 1024;
  const int exponent = bits - logarithm;
  return exponent < largest_fixed_point_exponent ? exponent : largest_fixed_point_exponent;
}

/// 2^e.
KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) { return ldexp(1.0, exponent); }

/// The nearest whole number.
KOKKOS_FORCEINLINE_FUNCTION int nearest(float value) {
#ifdef __CUDA_ARCH__
  return __float2int_rn(value);
#else
  return static_cast<int>(std::lrintf(value));
#endif
}
KOKKOS_FORCEINLINE_FUNCTION long long nearest(double value) {
#ifdef __CUDA_ARCH__
  return __double2ll_rn(value);
#else
  return std::llrint(value);
#endif
}

/// Adds to a sum that several teams share. Kokkos's own atomics are, of 64 bits with a sign, a loop
/// of comparisons.
KOKKOS_FORCEINLINE_FUNCTION void add_shared(int* to, int value) {
#ifdef __CUDA_ARCH__
  atomicAdd(to, value);
#else
  Kokkos::atomic_add(to, value);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void add_shared(long long* to, long long value) {
#ifdef __CUDA_ARCH__
  atomicAdd(reinterpret_cast<unsigned long long*>(to), static_cast<unsigned long long>(value));
#else
  Kokkos::atomic_add(to, value);
#endif
}

}  // namespace Tomokkos::Impl
