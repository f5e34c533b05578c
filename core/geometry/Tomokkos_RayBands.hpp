// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SquareSymmetry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief One range of stored rays for each map g of the square, from `begin[g]` up to but not
/// including `end[g]`. It contains all stored rays whose images under g are needed; empty if both
/// are equal.
struct StoredBands {
  Ordinal begin[num_square_symmetries] = {};
  Ordinal end[num_square_symmetries] = {};

  KOKKOS_FUNCTION bool has(unsigned map) const { return begin[map] < end[map]; }
  /// \brief Sum of the lengths of the ranges: at most 8 times the number of stored rays.
  Offset rows() const;

  /// \brief Extends the ranges by a slot, `8 i + g`.
  void add(Ordinal slot);
  /// \brief Extends the ranges to include other ranges.
  void add(const StoredBands& others);
};

/// \brief Finds the bands of ranges of rays, from precomputed bands of blocks of 64 rays and ray by
/// ray at both ends. Neighbouring views are images of neighbouring stored views under the same
/// maps, so a few views have short bands.
class RayBands {
 public:
  /// \brief Stores the slots of the rays (`RayOrbits::slots`). Uses 5 bytes per ray.
  explicit RayBands(std::vector<Ordinal> slots);

  /// \brief Finds the smallest bands that contain the slots of the rays in \p range.
  StoredBands of(RowRange range) const;

 private:
  std::vector<Ordinal> slots_;
  std::vector<StoredBands> blocks_;
};

}  // namespace Tomokkos
