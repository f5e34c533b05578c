// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers from the bits of the engine by hand: the distributions of the library differ between
// implementations.
#pragma once

#include <cstdint>
#include <random>

namespace Tomokkos::Bench {

/// \brief A number in [0, 1).
inline double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// \brief A whole number below \p count. \pre 0 < count <= 2^32
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t count) {
  return ((random() >> 32) * count) >> 32;
}

}  // namespace Tomokkos::Bench
