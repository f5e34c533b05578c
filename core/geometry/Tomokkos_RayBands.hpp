// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SquareSymmetry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Of each map g of the square the stored rays, from `begin[g]` up to, not with, `end[g]`,
/// among which are those whose images under g are wanted; none where the two are equal.
struct StoredBands {
  Ordinal begin[num_square_symmetries] = {};
  Ordinal end[num_square_symmetries] = {};

  KOKKOS_FUNCTION bool has(unsigned map) const { return begin[map] < end[map]; }
  /// \brief Their lengths added up: 8 times the stored rays at most.
  Offset rows() const;

  /// \brief Takes in a slot, `8 i + g`.
  void add(Ordinal slot);
  /// \brief Takes in the bands of others.
  void add(const StoredBands& others);
};

/// \brief Finds the bands of ranges of rays: by those of blocks of 64 rays, and ray by ray at both
/// ends. Neighbouring views are images under the same maps of neighbouring stored views, so the
/// bands of a few views are short.
class RayBands {
 public:
  /// \brief Of the rays with these slots (`RayOrbits::slots`). Keeps 5 bytes a ray.
  explicit RayBands(std::vector<Ordinal> slots);

  /// \brief The least bands that hold the slots of the rays of \p range, which lies within them.
  StoredBands of(RowRange range) const;

 private:
  std::vector<Ordinal> slots_;
  std::vector<StoredBands> blocks_;
};

}  // namespace Tomokkos
