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

/// The exponent e such that sums below `bound` in absolute value, times 2^e, fit an integer of so
/// many bits with room for the rounding of 2^20 terms and more; 0 where there is nothing to add.
KOKKOS_INLINE_FUNCTION int fixed_point_exponent(double bound, int bits) {
  // A thousandth more: each term is rounded by half a unit.
  return bound > 0 ? bits - ilogb(1.001 * bound) : 0;
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

/// The same in the scratch memory of a team: one instruction there, several where the compiler does
/// not see that it is scratch memory.
KOKKOS_FORCEINLINE_FUNCTION void add_in_scratch(int* to, int value) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "red.shared.add.s32 [%0], %1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "r"(value)
      : "memory");
#else
  Kokkos::atomic_add(to, value);
#endif
}
KOKKOS_FORCEINLINE_FUNCTION void add_in_scratch(long long* to, long long value) {
#ifdef __CUDA_ARCH__
  asm volatile(
      "red.shared.add.u64 [%0], %1;" ::"r"(static_cast<unsigned>(__cvta_generic_to_shared(to))),
      "l"(value)
      : "memory");
#else
  Kokkos::atomic_add(to, value);
#endif
}

}  // namespace Tomokkos::Impl
