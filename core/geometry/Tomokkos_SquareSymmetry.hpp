// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The eight maps of a square onto itself. The number g of a map, 0 to 7, has the bits of
// `AxisSymmetry`: first the signs of x and y change, then x and y are exchanged.
#pragma once

#include <Kokkos_Macros.hpp>
#include <Tomokkos_Types.hpp>
#include <Tomokkos_ViewAngles.hpp>

namespace Tomokkos {

/// \brief Number of maps. Map 0 is the identity.
inline constexpr unsigned num_square_symmetries = 8;

namespace Impl {

/// Exchanges the flips of x and y.
KOKKOS_INLINE_FUNCTION constexpr unsigned exchanged_flips(unsigned g) {
  return ((g & flip_x) != 0 ? flip_y : 0U) | ((g & flip_y) != 0 ? flip_x : 0U);
}

}  // namespace Impl

/// \brief Composes two maps to `T_g T_h`: h first, then g.
KOKKOS_INLINE_FUNCTION constexpr unsigned composed_symmetry(unsigned g, unsigned h) {
  constexpr unsigned flips = flip_x | flip_y;
  // If h exchanges the axes, g acts on the x that was y before.
  const unsigned g_flips = (h & swap_axes) != 0 ? Impl::exchanged_flips(g) : g & flips;
  return ((h & flips) ^ g_flips) | ((g ^ h) & swap_axes);
}

/// \brief Returns the inverse of map g.
KOKKOS_INLINE_FUNCTION constexpr unsigned inverse_symmetry(unsigned g) {
  return (g & swap_axes) != 0 ? Impl::exchanged_flips(g) | swap_axes : g;
}

/// \brief True for a rotation, false for a reflection.
KOKKOS_INLINE_FUNCTION constexpr bool is_rotation(unsigned g) {
  return (((g & flip_x) != 0) ^ ((g & flip_y) != 0) ^ ((g & swap_axes) != 0)) == 0;
}

/// \brief Maps \p pixel by `T_g` in an image of \p side x \p side pixels, row-major with row 0 at
/// the top (docs/reference/conventions.md).
///
/// \pre `0 <= pixel < side^2`
KOKKOS_INLINE_FUNCTION constexpr Ordinal symmetric_pixel(Ordinal side, unsigned g, Ordinal pixel) {
  Ordinal row = pixel / side;
  Ordinal column = pixel - row * side;
  if ((g & flip_x) != 0) column = side - 1 - column;
  if ((g & flip_y) != 0) row = side - 1 - row;
  // x is the column and y points up: (x, y) -> (y, x) mirrors at the diagonal from the lower left.
  return (g & swap_axes) != 0 ? (side - 1 - column) * side + (side - 1 - row) : row * side + column;
}

}  // namespace Tomokkos
