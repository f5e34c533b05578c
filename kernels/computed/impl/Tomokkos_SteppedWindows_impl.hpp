// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: the parts of an image, or of rays, that stepped products on a GPU keep in scratch
// memory.
#pragma once

#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_ScratchCopies_impl.hpp>
#include <impl/Tomokkos_SteppedCopies_impl.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// Largest functor of a team that Kokkos passes to a GPU with its launch. Larger ones go through
/// memory that it waits for.
constexpr std::size_t direct_functor_bytes = 352;

/// True if a team of \p threads may have \p bytes of scratch memory, and a multiprocessor has
/// enough for \p teams of them. Kokkos refuses other launches.
template <class ExecutionSpace>
bool fits_multiprocessor(const ExecutionSpace& exec, int teams, int threads, std::size_t bytes) {
  constexpr std::size_t most = 48 * 1024;  // what every GPU grants without a request
  constexpr std::size_t reserved = 1024;   // by the system, for each team
  // Kokkos keeps a value of each thread there, for reductions.
  const std::size_t of_team = bytes + (static_cast<std::size_t>(threads) + 2) * sizeof(double);
  int threads_of_multiprocessor;
  std::size_t available;
  set_multiprocessor(exec, threads_of_multiprocessor, available);
  return of_team <= most && static_cast<std::size_t>(teams) * (of_team + reserved) <= available;
}

/// Position in a window in fixed point: 9 bits for the index and 23 for the rest, which become the
/// mantissa of the fraction. A step is an addition without rounding.
using WindowPosition = std::uint32_t;
constexpr double window_steps = 0x1p23;  ///< in a pixel or an element

/// Returns the position \p steps, rounded, without its multiples of the length of a window.
KOKKOS_FORCEINLINE_FUNCTION WindowPosition window_position(double steps) {
#ifdef __CUDA_ARCH__
  // 1.5 2^52 moves the integer to the low bits.
  return static_cast<WindowPosition>(__double2loint(steps + 0x1.8p52));
#else
  return static_cast<WindowPosition>(static_cast<std::int64_t>(steps + (steps < 0 ? -0.5 : 0.5)));
#endif
}

/// Position of the first value of a window.
KOKKOS_FORCEINLINE_FUNCTION WindowPosition window_origin(Ordinal first) {
  return static_cast<WindowPosition>(first) << 23;
}

/// Adds second j^2 + third j^3 + fourth j^4, less than half a unit in steps, to a position. Each
/// term is rounded.
KOKKOS_FORCEINLINE_FUNCTION WindowPosition moved_position(WindowPosition at, int j, float second,
                                                          float third, float fourth) {
  const auto of_second = static_cast<float>(j * j), of_third = static_cast<float>(j * j * j),
             of_fourth = static_cast<float>(j * j * j * j);
#ifdef __CUDA_ARCH__
  // 1.5 2^23 moves the integer to the low bits.
  const float sum = multiply_add(
      of_second, second, multiply_add(of_third, third, multiply_add(of_fourth, fourth, 0x1.8p23F)));
  return at + (__float_as_uint(sum) - 0x4b400000U);
#else
  return at + window_position(
                  static_cast<double>(of_second * second + of_third * third + of_fourth * fourth));
#endif
}

/// Returns 1 / \p value up to 2^-38 of it.
KOKKOS_FORCEINLINE_FUNCTION double quick_inverse(double value) {
#ifdef __CUDA_ARCH__
  double rough;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(rough) : "d"(value));
  return multiply_add(multiply_add(-value, rough, 1.0), rough, rough);
#else
  return 1 / value;
#endif
}

/// Returns a value >= 0 with the sign of another.
KOKKOS_FORCEINLINE_FUNCTION float with_sign(float value, float sign) {
#ifdef __CUDA_ARCH__
  return copysignf(value, sign);
#else
  return sign < 0 ? -value : value;
#endif
}

/// On a GPU the shift is hidden from the compiler, which otherwise makes two instructions of it and
/// of the multiplication that follows.
KOKKOS_FORCEINLINE_FUNCTION unsigned window_index(WindowPosition at) {
#ifdef __CUDA_ARCH__
  unsigned index;
  asm("shr.u32 %0, %1, 23;" : "=r"(index) : "r"(at));
  return index;
#else
  return at >> 23;
#endif
}

/// Masks of a fraction. On a GPU they are hidden from the compiler, which otherwise makes two
/// instructions of one.
struct FractionMasks {
  std::uint32_t mantissa, one;

  KOKKOS_FORCEINLINE_FUNCTION FractionMasks() {
#ifdef __CUDA_ARCH__
    asm volatile("mov.b32 %0, 0x7fffff;" : "=r"(mantissa));
    asm volatile("mov.b32 %0, 0x3f800000;" : "=r"(one));
#else
    mantissa = 0x7fffffU;
    one = 0x3f800000U;
#endif
  }

  /// Returns 1 more than the rest of a position.
  KOKKOS_FORCEINLINE_FUNCTION float fraction(WindowPosition at) const {
#ifdef __CUDA_ARCH__
    std::uint32_t bits;
    asm("lop3.b32 %0, %1, %2, %3, 0xea;" : "=r"(bits) : "r"(at), "r"(mantissa), "r"(one));
    return __uint_as_float(bits);
#else
    return float_of_bits((at & mantissa) | one);
#endif
  }
};

/// Returns the largest multiple of \p unit up to \p value.
KOKKOS_FORCEINLINE_FUNCTION Ordinal whole_units_below(Ordinal value, Ordinal unit) {
  const Ordinal rest = value % unit;
  return value - (rest < 0 ? rest + unit : rest);
}

/// Type in which the sums of some lines or views are added. Registers hold eight vectors in float.
template <int count>
using WindowTotal = std::conditional_t<(count >= 4), float, double>;

/// Adds sums to the totals and sets them to 0.
template <int n, int count, class Total>
KOKKOS_FORCEINLINE_FUNCTION void add_to_totals(float (&sums)[n][count], Total (&totals)[n][count]) {
  TOMOKKOS_UNROLL
  for (int j = 0; j < n; ++j) {
    TOMOKKOS_UNROLL
    for (int v = 0; v < count; ++v) {
      totals[j][v] += static_cast<Total>(sums[j][v]);
      sums[j][v] = 0;
    }
  }
}

/// Returns totals times a factor, in double.
template <int count, class Total>
struct ScaledTotals {
  double of[count];

  KOKKOS_FORCEINLINE_FUNCTION explicit ScaledTotals(const Total (&totals)[count],
                                                    double factor = 1) {
    for (int v = 0; v < count; ++v) of[v] = factor * static_cast<double>(totals[v]);
  }
};

/// Adds the values of `count` vectors at a place, times a weight. `plane_bytes` lie between planes
/// of `plane` vectors.
template <int count, int plane, unsigned plane_bytes, unsigned distance = 0, int of = 0>
KOKKOS_FORCEINLINE_FUNCTION void add_scratch(ScratchPlace place, float weight,
                                             float (&sums)[count]) {
  float values[plane];
  place.load<distance + of * plane_bytes>(values);
  for (int v = 0; v < plane; ++v)
    sums[of * plane + v] = multiply_add(weight, values[v], sums[of * plane + v]);
  if constexpr ((of + 1) * plane < count)
    add_scratch<count, plane, plane_bytes, distance, of + 1>(place, weight, sums);
}

}  // namespace Tomokkos::Impl
