// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Division of the rows of a system into ordered subsets, and the order in which they are visited.
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <vector>

namespace Tomokkos {

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
