// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the rows of a system are cut into ordered subsets, and the order in which these are visited.
#pragma once

#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <vector>

namespace Tomokkos {

/// \brief A cut of the rows of a system into ordered subsets, as the solvers take it.
struct SubsetCut {
  /// Rows that stay together in a subset.
  Ordinal unit = 1;
  /// The first row of each subset where masks make them uneven; empty: they are cut evenly.
  std::vector<Ordinal> begins;
};

/// \brief Cuts rows that lie in the order \p rows, so that a subset holds whole views where that is
/// possible.
///
/// \param subsets how many there are
/// \param view_rows rows of a view in natural order; 1 where there are no views
/// \param mask of the rows, in natural order; empty: all are kept
SubsetCut cut_subsets(const MatrixGrids& grids, Ordering rows, int subsets, Ordinal view_rows,
                      const std::vector<char>& mask);

/// \brief Lists the subsets, by their position, as \p order visits them; empty: as they lie.
///
/// \param rows the order of the rows that the subsets are ranges of
std::vector<Ordinal> subset_visits(int subsets, ViewOrder order, std::uint64_t seed, Ordering rows);

}  // namespace Tomokkos
