// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief The rays of a scan of a square image by their orbits: rays that the eight maps of the
/// square take onto each other, or that are the same line, are of one orbit.
///
/// Ray r measures the image under map g of stored ray i, `slots[r] = 8 i + g`: its weight of pixel
/// `T_g p` is that of ray `stored[i]` of pixel p, bit by bit (`build_system_matrix`). An orbit has
/// eight images; that of a ray that some map leaves where it is (along an axis or a diagonal, the
/// centre ray of an odd detector) has fewer, and then some slots belong to no ray. Over a full turn
/// of parallel rays each line is measured from both of its ends, so a slot has two rays.
///
/// Of a scan with a mask of rays `slots` are those of the rays that are kept, in their natural
/// order, and `stored` has the orbits of which any ray is kept (`kept_orbits`).
struct RayOrbits {
  std::vector<Ordinal> stored;  ///< one natural ray of each orbit, kept or not
  std::vector<Ordinal> slots;   ///< of every natural ray that is kept

  /// \brief Slots, used or not: eight a stored ray.
  std::int64_t num_slots() const {
    return static_cast<std::int64_t>(num_square_symmetries) *
           static_cast<std::int64_t>(stored.size());
  }
};

/// \brief The orbits of \p scan. The stored rays are in tiles of 4 detectors x 9 views, in which
/// neighbours meet the same pixels.
///
/// Views are compared by the bits of their directions, so angles must be fractions of a turn
/// (`ViewAngles::evenly_spaced`) or chosen well. Parallel beam: a line is measured by its view or,
/// with a centred detector, by the opposite one; a fan beam needs a centred detector, and has one
/// ray per slot.
///
/// \throw Error when the image is not square; for the first view that one of the maps takes where
/// there is no view, with what would help; for more slots than `Ordinal` counts; as `check`.
/// \note Host work: a search for each view, a pass over the rays.
RayOrbits find_ray_orbits(const VolumeGeometry& volume, const ScanGeometry& scan);

/// \brief What is left of \p orbits of all rays by a mask, whatever it keeps: an orbit goes with
/// the last of its rays, and where some of them are left, slots of the others have no rays.
///
/// \param mask of every natural ray whether it is kept, not 0; empty: all are
/// \throw DimensionMismatch.
RayOrbits kept_orbits(RayOrbits orbits, const std::vector<char>& mask);

/// \brief Throws `Error` for the first pixel that \p mask keeps without all of its images under the
/// maps of the square, naming it and the first image that is missing.
///
/// \param mask of `side x side` pixels, row-major: not 0 is kept; empty: all are
void require_symmetric_pixels(Ordinal side, const std::vector<char>& mask);

}  // namespace Tomokkos
