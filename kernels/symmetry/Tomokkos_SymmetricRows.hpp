// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a whole system matrix, computed from its stored rays in CSR, and row-action methods with
// them.
#pragma once

#include <Tomokkos_KaczmarzSchedule.hpp>
#include <Tomokkos_RaySymmetry.hpp>
#include <impl/Tomokkos_DivideBy.hpp>

namespace Tomokkos {

/// \brief Natural rows of the matrix that \p symmetry makes of the stored rays E, with the
/// interface of `CsrRows`. Row r with slot `8 i + g` has the entries of row i of E in their order,
/// each in the column of the pixel to which `T_g` maps its pixel.
///
/// It points to the arrays of both, which must outlive it.
template <class Scalar, class MemorySpace>
struct SymmetricRows {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  /// \brief Refers to \p E, with rows and columns as \p symmetry numbers them.
  ///
  /// \throws DimensionMismatch
  SymmetricRows(const RaySymmetry<MemorySpace>& symmetry, const CsrMatrix<Scalar, MemorySpace>& E)
      : num_rows(symmetry.num_rays()),
        num_cols(symmetry.num_pixels()),
        slots(symmetry.slots.data()),
        pixels(symmetry.pixels.to_natural.data()),
        kept(symmetry.columns.data()),
        offsets(E.row_offsets.data()),
        columns(E.columns.data()),
        values(E.values.data()),
        side(static_cast<std::uint32_t>(symmetry.side)) {
    require_equal("rows of the matrix", E.num_rows, "stored rays", symmetry.num_stored);
    require_equal("columns of the matrix", E.num_cols, "pixels", symmetry.num_pixels());
  }

  Ordinal num_rows, num_cols;
  const Ordinal* slots;   // of rays
  const Ordinal* pixels;  // by position
  const Ordinal* kept;    // columns of pixels; null: equal to the pixels
  const Offset* offsets;
  const Ordinal* columns;
  const Scalar* values;
  Impl::DivideBy side;

  KOKKOS_FORCEINLINE_FUNCTION Ordinal size(Ordinal row) const {
    const Ordinal i = stored(row);
    return static_cast<Ordinal>(offsets[i + 1] - offsets[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal column(Ordinal row, Ordinal e) const {
    const auto map = static_cast<unsigned>(slots[row]) % num_square_symmetries;
    const Ordinal pixel = image(map, pixels[columns[offsets[stored(row)] + e]]);
    return kept == nullptr ? pixel : kept[pixel];
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Ordinal row, Ordinal e) const {
    return values[offsets[stored(row)] + e];
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

/// \brief Computes `csr_row_squared_norms` of these rows. The norms have the same bits as those of
/// the stored rows.
template <class ExecutionSpace, class Scalar>
Vector<double, typename ExecutionSpace::memory_space> symmetric_row_squared_norms(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Builds `make_csr_kaczmarz_schedule` for these rows. It has as many levels as for the
/// whole matrix, because the columns are the same. The columns of all rays pass through the host,
/// in pieces.
template <class ExecutionSpace, class Scalar>
KaczmarzSchedule<ExecutionSpace> make_symmetric_kaczmarz_schedule(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A,
    const InputVector<ExecutionSpace, Ordinal>& order,
    const Vector<double, typename ExecutionSpace::memory_space>& squared_norms);

/// \brief Applies `csr_kaczmarz_sweep_levels` to these rows. The bits are the same on every run and
/// for any number of threads. They equal those of the whole matrix up to rounding, since rows sum
/// in the order of the stored rows.
template <class ExecutionSpace, class Scalar>
void symmetric_kaczmarz_sweep_levels(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A,
    const KaczmarzSchedule<ExecutionSpace>& schedule,
    const KaczmarzCoefficients<Scalar>& coefficients, const InputVector<ExecutionSpace, Scalar>& b,
    const OutputVector<ExecutionSpace, Scalar>& x,
    KaczmarzVariant way = KaczmarzVariant::automatic);

/// \brief Computes `csr_largest_block_counts` of these rows.
template <class ExecutionSpace, class Scalar>
Vector<Ordinal, typename ExecutionSpace::memory_space> symmetric_largest_block_counts(
    const ExecutionSpace& exec,
    const SymmetricRows<Scalar, typename ExecutionSpace::memory_space>& A, const RowSubsets& blocks,
    const Ranks* ranks = nullptr);

}  // namespace Tomokkos
