// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_ViewOrbits.hpp>

namespace Tomokkos {

/// \brief The views of a `ComputedProjection` as images of a few stored views (`ViewOrbits`).
///
/// The images of a slice under m maps are m vectors of a product with the stored views, and the
/// weights are computed once for all of them. With `T_g` for map g of the m, and E for the matrix
/// of the stored views,
///
/// ```
///   y = A x:    XM(p, g) = x(T_g p),  YM = E XM,  y(v, d) = YM(stored ray of (v, d), map of v)
///   x = A^T y:  YM(ray, g) = sum of y over the rays that are its images under g,
///               XM = E^T YM,  x(p) = sum over g of XM(T_g^-1 p, g)
/// ```
template <class MemorySpace>
struct ComputedOrbits {
  ViewOrbits views;
  /// Images of the views, as in \c views.
  Kokkos::View<const ViewOrbits::Image*, MemorySpace> images;
  /// The views that are images of stored view i under map m are `members(offsets(k))` to
  /// `members(offsets(k + 1) - 1)`, k = i * maps + m, as 2 * view, plus 1 if it is reversed.
  Kokkos::View<const Ordinal*, MemorySpace> offsets, members;
  /// All rays of the stored views and all pixels, in natural order.
  ComputedProjection<MemorySpace> stored;

  int num_maps() const { return static_cast<int>(views.maps.size()); }
  /// \brief Slices whose images are multiplied at once, out of \p slices: eight images if possible.
  int slices_at_once(int slices) const {
    const int most = num_maps() < 8 ? 8 / num_maps() : 1;
    return slices < most ? slices : most;
  }
  std::size_t memory_bytes() const {
    return images.extent(0) * sizeof(ViewOrbits::Image) +
           (offsets.extent(0) + members.extent(0)) * sizeof(Ordinal) + stored.memory_bytes();
  }
};

}  // namespace Tomokkos
