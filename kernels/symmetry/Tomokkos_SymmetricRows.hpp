// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a whole system matrix, computed from its stored rays.
#pragma once

#include <Tomokkos_CsrRows.hpp>
#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <impl/Tomokkos_DivideBy.hpp>

namespace Tomokkos {

/// \brief Natural rows of the matrix that \p symmetry makes of the stored rays E, with the
/// interface of `CsrRows`. Row r with slot `8 i + g` has the entries of row i of E in their order,
/// each in the column of the pixel to which `T_g` maps its pixel.
///
/// It points to the arrays of both, which must outlive it. Row actions (`rows_squared_norms` and
/// others) give the norms of the stored rays, as many levels as for the whole matrix, because the
/// columns are the same, and sweeps that equal those of the whole matrix up to rounding, since rows
/// sum in the order of the stored rays.
///
/// \tparam StoredRows rows of E: `CsrRows` or `PairRows`
template <class Scalar, class MemorySpace, class StoredRows = CsrRows<Scalar, MemorySpace>>
struct SymmetricRows {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;
  static constexpr Ordinal read_cost = StoredRows::read_cost;

  /// \brief Refers to \p stored, the rows of E or a matrix that has them, with rows and columns as
  /// \p symmetry numbers them.
  ///
  /// \throws DimensionMismatch
  template <class Stored>
  SymmetricRows(const RaySymmetry<MemorySpace>& symmetry, const Stored& stored)
      : num_rows(symmetry.num_rays()),
        num_cols(symmetry.num_pixels()),
        slots(symmetry.slots.data()),
        pixels(symmetry.pixels.to_natural.data()),
        kept(symmetry.columns.data()),
        E(stored),
        side(static_cast<std::uint32_t>(symmetry.side)) {
    require_equal("rows of the matrix", E.num_rows, "stored rays", symmetry.num_stored);
    require_equal("columns of the matrix", E.num_cols, "pixels", symmetry.num_pixels());
  }

  Ordinal num_rows, num_cols;
  const Ordinal* slots;   // of rays
  const Ordinal* pixels;  // by position
  const Ordinal* kept;    // columns of pixels; null: equal to the pixels
  StoredRows E;
  Impl::DivideBy side;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal size(Ordinal row) const { return E.size(stored(row)); }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal row, Ordinal e) const {
    const auto map = static_cast<unsigned>(slots[row]) % num_square_symmetries;
    const Ordinal pixel = image(map, pixels[E.column(stored(row), e)]);
    return kept == nullptr ? pixel : kept[pixel];
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Ordinal row, Ordinal e) const {
    return E.value(stored(row), e);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION Ordinal stored(Ordinal row) const {
    return slots[row] / static_cast<Ordinal>(num_square_symmetries);
  }
  /// Computes `symmetric_pixel` without a division.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal image(unsigned map, Ordinal pixel) const {
    const auto last = static_cast<Ordinal>(side.divisor()) - 1;
    Ordinal y = static_cast<Ordinal>(side.quotient(static_cast<std::uint32_t>(pixel)));
    Ordinal x = pixel - y * (last + 1);
    if ((map & flip_x) != 0) x = last - x;
    if ((map & flip_y) != 0) y = last - y;
    return (map & swap_axes) != 0 ? (last - x) * (last + 1) + (last - y) : y * (last + 1) + x;
  }
};

}  // namespace Tomokkos
