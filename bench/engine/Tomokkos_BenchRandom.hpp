// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers computed here from the bits of the engine, because the distributions of the
// standard library differ between implementations.
#pragma once

#include <cstdint>
#include <random>

namespace Tomokkos::Bench {

/// \brief Returns a random number in [0, 1).
inline double unit(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

/// \brief Returns a random whole number below \p count.
///
/// \pre 0 < count <= 2^32
inline std::uint64_t below(std::mt19937_64& random, std::uint64_t count) {
  return ((random() >> 32) * count) >> 32;
}

}  // namespace Tomokkos::Bench
