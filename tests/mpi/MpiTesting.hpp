// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MpiRanks.hpp>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace Tomokkos::Testing {

/// All ranks of the launch. Set by main.
inline const MpiRanks* world = nullptr;

/// Value of rank `rank`. Sums of such values are inexact, so their last bits reveal the order.
template <class Scalar>
Scalar value_of(int rank, std::size_t i, int seed = 0) {
  auto state = static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15u +
               static_cast<std::uint64_t>(rank + 1) * 0xBF58476D1CE4E5B9u +
               static_cast<std::uint64_t>(seed) * 0x94D049BB133111EBu;
  state ^= state >> 31;
  state *= 0xD6E8FEB86659FD93u;
  state ^= state >> 32;
  const double unit = static_cast<double>(state >> 11) * 0x1p-53;
  // The values have both signs and magnitudes from 2^-8 to 2^7.
  const int exponent = static_cast<int>(state & 15u) - 8;
  return static_cast<Scalar>(std::ldexp(unit - 0.5, exponent + 1));
}

template <class Scalar>
std::vector<Scalar> values_of(int rank, std::size_t length, int seed = 0) {
  std::vector<Scalar> values(length);
  for (std::size_t i = 0; i < length; ++i) values[i] = value_of<Scalar>(rank, i, seed);
  return values;
}

/// Sums over `ranks` ranks, added in double in the order of the ranks and rounded once.
template <class Scalar>
std::vector<Scalar> ordered_sums(int ranks, std::size_t length, int seed = 0) {
  std::vector<Scalar> sums(length);
  for (std::size_t i = 0; i < length; ++i) {
    double sum = 0.0;
    for (int r = 0; r < ranks; ++r) sum += static_cast<double>(value_of<Scalar>(r, i, seed));
    sums[i] = static_cast<Scalar>(sum);
  }
  return sums;
}

/// Returns true when all ranks hold the same bits.
template <class Scalar>
bool same_on_all_ranks(const std::vector<Scalar>& values) {
  std::vector<Scalar> first = values;
  world->broadcast(std::as_writable_bytes(std::span(first)), 0);
  const bool same = values.empty() ||
                    std::memcmp(first.data(), values.data(), values.size() * sizeof(Scalar)) == 0;
  return world->max_of(same ? 0.0 : 1.0) == 0.0;
}

}  // namespace Tomokkos::Testing
