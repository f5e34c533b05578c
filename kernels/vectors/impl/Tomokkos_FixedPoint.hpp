// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums with the same bits in any order, formed as integer multiples of a unit. The unit is a power
// of two, chosen from a bound of the sums.
#pragma once

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos::Impl {

/// Bits of a sum, without its sign and one bit for rounding.
template <class Integer>
inline constexpr int fixed_point_bits = sizeof(Integer) == 4 ? 30 : 61;

/// Largest e for which 2^e and 2^-e are normal numbers.
inline constexpr int largest_fixed_point_exponent = 1022;

/// Returns the exponent e for which sums below `bound` in absolute value, times 2^e, fit an integer
/// of \p bits bits, with room for the rounding of more than 2^20 terms. Returns 0 if there is
/// nothing to add. For bounds below 2^(bits - 1022) the unit is 2^-1022, so fewer bits are used.
KOKKOS_INLINE_FUNCTION int fixed_point_exponent(double bound, int bits) {
  if (!(bound > 0)) return 0;
  // A thousandth more, because each term is rounded by up to half a unit.
  const double more = 1.001 * bound;
  const int logarithm = more - more == 0 ? ilogb(more) : 1024;
  const int exponent = bits - logarithm;
  return exponent < largest_fixed_point_exponent ? exponent : largest_fixed_point_exponent;
}

/// Returns 2^e.
KOKKOS_INLINE_FUNCTION double power_of_two(int exponent) { return ldexp(1.0, exponent); }

/// Returns the nearest integer.
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

/// Adds to a sum that several teams share. The atomics of Kokkos would use a compare-and-swap loop
/// for signed 64-bit integers.
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
