// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>

namespace Tomokkos {

/// \brief Philox4x32-10: computes 128 random bits from a counter and a key.
///
/// J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2,
/// 3", SC 2011. Reproduces the known answers published by its authors.
std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                        std::array<std::uint32_t, 2> key);

/// \brief Sequence of random numbers for one item (a detector bin, a pixel) of a seeded run.
///
/// Draw number k of item `index` under `seed` is always the same number. It does not depend on the
/// draws for other items, their order or the thread. Create one object for each item.
///
/// \note The counter is (block, block, index low, index high), the key is the seed. One block gives
/// two uniform numbers.
class CounterRandom {
 public:
  CounterRandom(std::uint64_t seed, std::uint64_t index) : seed_(seed), index_(index) {}

  /// \brief Draws a uniform number from the open interval (0, 1): odd multiples of 2^-53.
  double uniform();

  /// \brief Draws a normal number with mean 0 and standard deviation 1 (Box-Muller). Uses two
  /// uniform draws.
  double normal();

  /// \brief Draws a Poisson number with the given \p mean, as a whole number in a double.
  ///
  /// Inversion by sequential search up to mean 10. Above, transformed rejection (W. Hoermann, "The
  /// transformed rejection method for generating Poisson random variables", Insurance: Mathematics
  /// and Economics 12 (1993), algorithm PTRS) with the exact acceptance probability: no normal
  /// approximation at any mean. The number of uniform draws varies.
  ///
  /// \throws Error unless 0 <= mean <= 1e15 (beyond, not all whole numbers are doubles)
  double poisson(double mean);

 private:
  std::uint64_t seed_;
  std::uint64_t index_;
  std::uint64_t draws_ = 0;
  std::array<std::uint32_t, 4> block_{};
};

}  // namespace Tomokkos
