// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace Tomokkos::Impl {

/// \brief Division of 32-bit numbers by a divisor that is known before a launch. Multiplies by its
/// 64-bit reciprocal, which is exact for all numbers (Lemire, Kaser, Kurz 2019).
class DivideBy {
 public:
  explicit DivideBy(std::uint32_t divisor)
      : reciprocal_(~std::uint64_t{0} / divisor + 1), divisor_(divisor) {}

  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t quotient(std::uint32_t number) const {
    // The reciprocal of 1 does not fit 64 bits.
    if (divisor_ == 1) return number;
#ifdef __CUDA_ARCH__
    return static_cast<std::uint32_t>(__umul64hi(reciprocal_, number));
#else
    const std::uint64_t low = (reciprocal_ & 0xffffffffU) * number;
    return static_cast<std::uint32_t>(((reciprocal_ >> 32) * number + (low >> 32)) >> 32);
#endif
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint32_t divisor() const { return divisor_; }

 private:
  std::uint64_t reciprocal_;
  std::uint32_t divisor_;
};

/// \brief Location of an entry of a block-circulant matrix.
struct CirculantPlace {
  std::uint32_t column, block;
};

/// \brief Conversion of positions to columns and blocks.
class CirculantPlaces {
 public:
  explicit CirculantPlaces(std::int32_t pitch) : pitch_(static_cast<std::uint32_t>(pitch)) {}

  KOKKOS_FORCEINLINE_FUNCTION CirculantPlace operator()(std::uint32_t position) const {
    const std::uint32_t column = pitch_.quotient(position);
    return {column, position - column * pitch_.divisor()};
  }

 private:
  DivideBy pitch_;
};

}  // namespace Tomokkos::Impl
