// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers of a host that hold several values, by the vector types of GCC. Other compilers, and
// nvcc, do without.
#pragma once

#include <Tomokkos_MultiplyAdd.hpp>
#include <cstdint>
#include <cstring>
#include <type_traits>

#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define TOMOKKOS_HAVE_HOST_LANES
#ifdef __FMA__
#include <immintrin.h>
#endif
#endif

namespace Tomokkos::Impl {

#if defined(__AVX512F__)
inline constexpr int host_lanes = 16;
#elif defined(__AVX2__)
inline constexpr int host_lanes = 8;
#else
inline constexpr int host_lanes = 4;
#endif

/// True for kernels that use the types below.
template <class ExecutionSpace, class Scalar>
constexpr bool has_host_lanes =
#ifdef TOMOKKOS_HAVE_HOST_LANES
    is_host_space<ExecutionSpace>&& std::is_same_v<Scalar, float>;
#else
    false;
#endif

#ifdef TOMOKKOS_HAVE_HOST_LANES

using HostFloats = float __attribute__((vector_size(host_lanes * sizeof(float))));
using HostIndices = std::uint32_t __attribute__((vector_size(host_lanes * sizeof(float))));

/// Values from which `picked` takes some: as many as two registers hold.
inline constexpr int host_window = 2 * host_lanes;

inline HostFloats host_load(const float* from) {
  HostFloats values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

/// Returns the values of a window at the places \p index, below `host_window`.
inline HostFloats picked(HostFloats low, HostFloats high, HostIndices index) {
  return __builtin_shuffle(low, high, index);
}

/// Returns 0, 1, 2, ...
inline HostIndices host_counting() {
  HostIndices lanes = {};
  for (int lane = 0; lane < host_lanes; ++lane) lanes[lane] = static_cast<std::uint32_t>(lane);
  return lanes;
}

inline HostFloats clamped(HostFloats weight) {
  const HostFloats zero = {}, one = zero + 1.0F;
  weight = weight > zero ? weight : zero;
  return weight < one ? weight : one;
}

/// Returns 1 more than the fraction of positions with 25 bits behind the point.
inline HostFloats host_fraction(HostIndices at) {
  const HostIndices bits = ((at >> 2) & 0x7fffffU) | 0x3f800000U;
  HostFloats fraction;
  std::memcpy(&fraction, &bits, sizeof fraction);
  return fraction;
}

inline HostFloats fabs(HostFloats value) {
  HostIndices bits;
  std::memcpy(&bits, &value, sizeof bits);
  bits &= 0x7fffffffU;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

#endif

/// Returns a value, or a register full of it.
template <class Values, class Scalar>
KOKKOS_FORCEINLINE_FUNCTION Values all_lanes(Scalar value) {
  return Values{} + value;
}

}  // namespace Tomokkos::Impl

#ifdef TOMOKKOS_HAVE_HOST_LANES
namespace Tomokkos {

/// \brief Computes `a b + c` in every lane, as `multiply_add` does.
inline Impl::HostFloats multiply_add(Impl::HostFloats a, Impl::HostFloats b, Impl::HostFloats c) {
#if defined(__AVX512F__)
  return Impl::HostFloats(_mm512_fmadd_ps(__m512(a), __m512(b), __m512(c)));
#elif defined(__FMA__) && defined(__AVX2__)
  return Impl::HostFloats(_mm256_fmadd_ps(__m256(a), __m256(b), __m256(c)));
#else
  return a * b + c;
#endif
}

}  // namespace Tomokkos
#endif
