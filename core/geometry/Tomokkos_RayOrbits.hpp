// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Rays of a scan of a square image, grouped by symmetry into orbits. Two rays belong to the
/// same orbit if one of the eight maps of the square takes one to the other or if they are the same
/// line.
///
/// Ray r is the image under map g of stored ray i, `slots[r] = 8 i + g`. Its weight for pixel
/// `T_g p` equals the weight of ray `stored[i]` for pixel p, bit by bit (`build_system_matrix`). An
/// orbit usually has eight images. A ray that some map leaves unchanged (along an axis or a
/// diagonal, the centre ray of an odd detector) has fewer; then some slots belong to no ray. Over a
/// full turn of a parallel beam each line is measured from both ends, so a slot has two rays.
///
/// With a mask of rays, `slots` contains only the kept rays in their natural order, and `stored`
/// only the orbits with at least one kept ray (`kept_orbits`).
struct RayOrbits {
  std::vector<Ordinal> stored;  ///< one natural ray of each orbit, kept or not
  std::vector<Ordinal> slots;   ///< slots of all kept rays, in natural order

  /// \brief Number of slots, used or not: eight per stored ray.
  std::int64_t num_slots() const {
    return static_cast<std::int64_t>(num_square_symmetries) *
           static_cast<std::int64_t>(stored.size());
  }
};

/// \brief Finds the orbits of \p scan. The stored rays are sorted into tiles of 4 detectors x 9
/// views, in which neighbours intersect the same pixels.
///
/// Views are compared by the bits of their directions. Angles must therefore be fractions of a turn
/// (`ViewAngles::evenly_spaced`) or chosen carefully. Parallel beam: a line is measured by its view
/// or, with a centred detector, by the opposite view. Fan beam: needs a centred detector and has
/// one ray per slot.
///
/// \throws Error when the image is not square; when a map takes a view to an angle without a view
/// (the message names the first such view and a remedy); when `Ordinal` cannot number the slots;
/// like `check`
/// \note Host work: a search for each view, a pass over the rays.
RayOrbits find_ray_orbits(const VolumeGeometry& volume, const ScanGeometry& scan);

/// \brief Restricts the orbits of all rays to the rays of a mask. An orbit remains as long as one
/// of its rays does; the slots of its removed rays are then empty.
///
/// \param mask nonzero for each natural ray that is kept; empty: all rays are kept
/// \throws DimensionMismatch when the mask does not have one entry for each ray
RayOrbits kept_orbits(RayOrbits orbits, const std::vector<char>& mask);

/// \brief Checks that \p mask keeps each pixel together with its images under the maps of the
/// square.
///
/// \param mask `side x side` pixels, row-major, nonzero if kept; empty: all pixels are kept
/// \throws Error naming the first kept pixel with a missing image, and that image
void require_symmetric_pixels(Ordinal side, const std::vector<char>& mask);

}  // namespace Tomokkos
