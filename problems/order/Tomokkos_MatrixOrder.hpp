// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <optional>

namespace Tomokkos {

/// \brief How the columns (pixels) and rows (rays, or pairs of crystals) of a matrix lie. 0: that
/// is not known.
struct MatrixGrids {
  Ordinal image_slices = 0;  ///< 0: an image, no volume
  Ordinal image_rows = 0;
  Ordinal image_columns = 0;
  Ordinal views = 0;
  Ordinal detectors = 0;
  Ordinal crystals = 0;  ///< of a scanner; then there are no views and detectors
  Ordinal crystals_around = 0;

  /// \brief Rows that an ordered subset holds or leaves together: those of a view.
  Ordinal subset_unit() const {
    if (crystals > 0) return crystals / crystals_around * crystals;
    return views > 0 ? detectors : 1;
  }
};

/// \brief The maps between a matrix as a problem numbers it and as a solver does; nothing where the
/// two agree. Of what is masked they leave out what is not kept.
template <class MemorySpace>
struct MatrixOrder {
  std::optional<IndexMap<MemorySpace>> rows;
  std::optional<IndexMap<MemorySpace>> columns;
};

/// \brief The map of an order, or the one of \p count indices that changes nothing.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> map_or_identity(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, std::int64_t count) {
  return map ? *map : identity_map(exec, static_cast<Ordinal>(count));
}

/// \brief A matrix in an order.
template <class ExecutionSpace, class Scalar>
struct OrderedMatrix {
  CsrMatrix<Scalar, typename ExecutionSpace::memory_space> A;
  MatrixOrder<typename ExecutionSpace::memory_space> order;
};

/// \brief True when neither rows nor columns are to be moved.
constexpr bool is_natural(const OrderingOptions& ordering) {
  return ordering.rows == Ordering::natural && ordering.columns == Ordering::natural;
}

/// \brief True when pixels or rays are ordered as the grids that they form.
constexpr bool is_on_grid(const OrderingOptions& ordering) {
  return ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert ||
         orders_pixels(ordering);
}

/// \brief True when the maps follow from the grids, without the matrix.
constexpr bool is_geometric(const OrderingOptions& ordering) {
  return ordering.rows != Ordering::by_length && ordering.rows != Ordering::rcm;
}

/// \brief Where rows begin when row `to_natural(p)` is at position p.
///
/// \param natural_offsets of all rows as they come
Kokkos::View<const Offset*, Kokkos::HostSpace> mapped_offsets(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& natural_offsets,
    const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& to_natural);

/// \brief All rows of grids that are known, views dealt out to \p subsets.
std::vector<Ordinal> subset_row_order(const MatrixGrids& grids, int subsets);

/// \brief The maps of a geometric \p ordering without what \p masks leave out; none for `rows:
/// subsets` where neither views nor crystals are known.
///
/// \throw ConfigError where it needs a grid that is not known.
template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> geometric_order(const ExecutionSpace& exec,
                                                                   const OrderingOptions& ordering,
                                                                   const MatrixGrids& grids,
                                                                   const MatrixMasks& masks = {});

/// \brief \p A, naturally ordered and with sorted rows, in \p ordering: its rows and columns (not
/// the entries of a row, which are the operator's). What \p masks leave out is gone from \p A
/// already; the maps are from all that there was. `rows: subsets` takes row by row where the
/// views are not known.
///
/// \throw ConfigError where the order needs a grid that is not known, or a square matrix.
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_matrix(
    const ExecutionSpace& exec, const OrderingOptions& ordering, const MatrixGrids& grids,
    const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const MatrixMasks& masks = {});

}  // namespace Tomokkos
