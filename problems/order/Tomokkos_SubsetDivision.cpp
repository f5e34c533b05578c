// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_SubsetDivision.hpp>
#include <numeric>

namespace Tomokkos {

SubsetDivision divide_into_subsets(const MatrixGrids& grids, Ordering rows, int subsets,
                                   Ordinal view_rows, const std::vector<char>& mask) {
  SubsetDivision cut;
  // In other orders, neighbouring rows do not belong to one view.
  if (rows == Ordering::subsets)
    cut.unit = grids.subset_unit();
  else if (rows == Ordering::natural)
    cut.unit = view_rows;
  const bool is_dealt = rows == Ordering::subsets;
  if (mask.empty() || subsets == 1 || (cut.unit == 1 && !is_dealt)) return cut;
  std::vector<Ordinal> order(mask.size());
  std::iota(order.begin(), order.end(), 0);
  const bool has_views = grids.views > 0 || grids.crystals > 0;
  if (is_dealt)
    order = has_views ? subset_row_order(grids, subsets)
                      : subset_ray_order(static_cast<Ordinal>(mask.size()), 1, subsets);
  const RowSubsets all(static_cast<Ordinal>(order.size()), subsets, cut.unit);
  cut.begins = begins_of_kept(order, all, mask);
  return cut;
}

std::vector<Ordinal> subset_visits(int subsets, ViewOrder order, std::uint64_t seed,
                                   Ordering rows) {
  if (order == ViewOrder::sequential) return {};
  std::vector<Ordinal> visits = view_visits(static_cast<Ordinal>(subsets), order, seed);
  if (rows != Ordering::subsets) return visits;
  // Subsets are numbered by their first view, but stored in a different order.
  const std::vector<Ordinal> classes = subset_class_order(subsets);
  std::vector<Ordinal> place(classes.size());
  for (std::size_t p = 0; p < classes.size(); ++p)
    place[static_cast<std::size_t>(classes[p])] = static_cast<Ordinal>(p);
  for (Ordinal& visit : visits) visit = place[static_cast<std::size_t>(visit)];
  return visits;
}

}  // namespace Tomokkos
