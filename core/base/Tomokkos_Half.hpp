// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <bit>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_fp16.h>
#endif
#if defined(__F16C__)
#include <immintrin.h>
#endif

namespace Tomokkos {

// IEEE 754 binary16, stored as its bits. `Kokkos::Experimental::half_t` is a float on hosts, so
// 16-bit storage needs these conversions.

/// \brief Converts a half to float, exactly. A NaN becomes a NaN.
///
/// Portable implementation for hosts without a conversion instruction.
inline float float_from_half_bits(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fU;
  const std::uint32_t fraction = half & 0x3ffU;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000U | fraction << 13);
  if (exponent == 0) {  // zero, or a fraction of 2^-14
    const float magnitude = static_cast<float>(fraction) * 0x1p-24F;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

/// \brief Converts \p value to the nearest half, ties to even. Magnitudes from 65520 on become
/// infinite, a NaN becomes a quiet NaN.
inline std::uint16_t half_bits_from_float(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>(bits >> 16 & 0x8000U);
  const std::uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (magnitude >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);
  std::uint32_t rounded;
  if (magnitude >= 0x38800000U) {  // at least 2^-14
    rounded = magnitude - 0x38000000U;
    rounded = (rounded + 0xfffU + (rounded >> 13 & 1U)) >> 13;
  } else {
    // The sum has the spacing of the halves below 2^-14, so the addition rounds correctly.
    const float sum = std::bit_cast<float>(magnitude) + 0.5F;
    rounded = std::bit_cast<std::uint32_t>(sum) - 0x3f000000U;
  }
  return static_cast<std::uint16_t>(sign | rounded);
}

/// \brief Converts a half to float, using the hardware instruction if the target has one.
KOKKOS_FORCEINLINE_FUNCTION float float_from_half(std::uint16_t half) {
#if defined(__CUDA_ARCH__)
  return __half2float(__ushort_as_half(half));
#elif defined(__F16C__)
  return _cvtsh_ss(half);
#else
  return float_from_half_bits(half);
#endif
}

/// \brief Converts \p value to the nearest half, using the hardware instruction if the target has
/// one.
KOKKOS_FORCEINLINE_FUNCTION std::uint16_t half_from_float(float value) {
#if defined(__CUDA_ARCH__)
  return __half_as_ushort(__float2half_rn(value));
#elif defined(__F16C__)
  return static_cast<std::uint16_t>(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT));
#else
  return half_bits_from_float(value);
#endif
}

}  // namespace Tomokkos
