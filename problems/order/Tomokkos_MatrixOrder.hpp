// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Grids formed by the columns (pixels) and rows (rays, or pairs of crystals) of a matrix.
/// 0: unknown.
struct MatrixGrids {
  Ordinal image_slices = 0;  ///< 0: an image, not a volume
  Ordinal image_rows = 0;
  Ordinal image_columns = 0;
  Ordinal views = 0;
  Ordinal detectors = 0;
  Ordinal crystals = 0;  ///< number of crystals of a scanner; there are then no views and detectors
  Ordinal crystals_around = 0;

  /// \brief Returns the number of rows that stay together in an ordered subset: those of a view.
  Ordinal subset_unit() const {
    if (crystals > 0) return crystals / crystals_around * crystals;
    return views > 0 ? detectors : 1;
  }
};

/// \brief Maps between the numbering of a problem and that of a solver. Empty: both numberings
/// agree. Masked rows and columns are not in the maps.
template <class MemorySpace>
struct MatrixOrder {
  std::optional<IndexMap<MemorySpace>> rows;
  std::optional<IndexMap<MemorySpace>> columns;
};

/// \brief Matrices, row offsets, maps and orders in memory of an execution space.
template <class ExecutionSpace, class Scalar>
using MatrixOn = CsrMatrix<Scalar, typename ExecutionSpace::memory_space>;
template <class ExecutionSpace>
using OffsetsOn = Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>;
template <class ExecutionSpace>
using MapOn = IndexMap<typename ExecutionSpace::memory_space>;
template <class ExecutionSpace>
using OrderOn = MatrixOrder<typename ExecutionSpace::memory_space>;

/// \brief Returns the given map, or the identity of \p count indices.
template <class ExecutionSpace>
MapOn<ExecutionSpace> map_or_identity(const ExecutionSpace& exec,
                                      const std::optional<MapOn<ExecutionSpace>>& map,
                                      std::int64_t count) {
  return map ? *map : identity_map(exec, static_cast<Ordinal>(count));
}

/// \brief Matrix with reordered rows and columns, and the maps from and to their natural order.
template <class ExecutionSpace, class Scalar>
struct OrderedMatrix {
  MatrixOn<ExecutionSpace, Scalar> A;
  OrderOn<ExecutionSpace> order;
};

/// \brief Returns true when neither rows nor columns are reordered.
constexpr bool is_natural(const OrderingOptions& ordering) {
  return ordering.rows == Ordering::natural && ordering.columns == Ordering::natural;
}

/// \brief Returns true when pixels or rays are ordered by their grids.
constexpr bool is_on_grid(const OrderingOptions& ordering) {
  return ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert ||
         orders_pixels(ordering);
}

/// \brief Returns true when the maps follow from the grids, without the matrix.
constexpr bool is_geometric(const OrderingOptions& ordering) {
  return ordering.rows != Ordering::by_length && ordering.rows != Ordering::rcm;
}

/// \brief Orders of columns and rows that a single name stands for.
OrderingOptions ordering_named(Ordering name);

/// \brief Order where none is given: with several \p subsets, views are grouped by subset.
OrderingOptions default_ordering(int subsets);

/// \brief Single name of \p ordering, if it has one.
std::optional<Ordering> single_name(const OrderingOptions& ordering);

/// \brief Describes \p ordering as in a configuration: by a single name if possible.
Description description_of(const OrderingOptions& ordering);

/// \brief Returns the row offsets of a matrix with row `to_natural(p)` at position p.
///
/// \param natural_offsets offsets of all rows in natural order
Kokkos::View<const Offset*, Kokkos::HostSpace> mapped_offsets(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& natural_offsets,
    const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& to_natural);

/// \brief Returns the maps of an \p ordering that follows from the grids, without the matrix.
///
/// Masked rows and columns are not in the maps. With `rows: subsets` the rows keep their natural
/// order if neither views nor crystals are known.
///
/// \pre `is_geometric(ordering)`
/// \throws ConfigError when the order needs a grid that is not known
template <class ExecutionSpace>
OrderOn<ExecutionSpace> geometric_order(const ExecutionSpace& exec, const OrderingOptions& ordering,
                                        const MatrixGrids& grids, const MatrixMasks& masks = {});

/// \brief Reorders the rows and columns of \p A by \p ordering. A has natural order and sorted
/// rows.
///
/// The entries within a row are not reordered; their order belongs to the operator. \p A no longer
/// contains masked rows and columns; the maps start from all of them. `rows: subsets` distributes
/// single rows if the views are not known.
///
/// \throws ConfigError when the order needs a grid that is not known, or a square matrix
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_matrix(const ExecutionSpace& exec,
                                                   const OrderingOptions& ordering,
                                                   const MatrixGrids& grids,
                                                   const MatrixOn<ExecutionSpace, Scalar>& A,
                                                   const MatrixMasks& masks = {});

/// \brief Division of the rows of a system into ordered subsets, in the form that the solvers use.
struct SubsetDivision {
  /// Number of rows that stay together in a subset.
  Ordinal unit = 1;
  /// First row of each subset if masks make the subsets uneven; empty: they are divided evenly.
  std::vector<Ordinal> begins;
};

/// \brief Divides rows in the order \p rows, so that a subset holds whole views if possible. With
/// `rows: subsets` and neither views nor crystals it holds every `subsets`-th row.
///
/// \param subsets number of subsets
/// \param view_rows rows per view in natural order; 1 if there are no views
/// \param mask mask of the rows, in natural order; empty: all are kept
SubsetDivision divide_into_subsets(const MatrixGrids& grids, Ordering rows, int subsets,
                                   Ordinal view_rows, const std::vector<char>& mask);

/// \brief Lists the subsets, by position, in the order in which \p order visits them; empty: as
/// stored.
///
/// \param rows order of the rows; the subsets are ranges of it
std::vector<Ordinal> subset_visits(int subsets, ViewOrder order, std::uint64_t seed, Ordering rows);

}  // namespace Tomokkos
