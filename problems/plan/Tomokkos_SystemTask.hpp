// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Masks.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_OperatorWish.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_SolverNeeds.hpp>
#include <functional>
#include <vector>

namespace Tomokkos {

/// \brief Part of the rows that a process holds.
struct RankShare {
  int ranks = 1;
  double part = 1;              ///< fraction of the rows
  bool image_is_split = false;  ///< each rank holds a part of the image
};

/// \brief Data of a run, as far as its memory depends on them.
struct DataFacts {
  bool are_measured = false;  ///< in memory before the matrix is built
  bool reads_start = false;   ///< the start of the image is made on the host
  bool has_gaps = false;      ///< slices lack rays
  Ordinal gap_patterns = 1;   ///< sets of missing rays that differ between the slices
  int phantoms = 0;           ///< images to compare with: 1 for all slices, or one for each
};

/// \brief Matrix of a run, and what is asked of it: everything that its operator is built from.
struct SystemTask {
  RowSource rows;
  MatrixMasks masks;
  bool rows_are_rays = false;  ///< of a tomographic problem, also where a file holds the matrix
  Ordinal view_rows = 1;       ///< rows of a view in natural order; 1: there are no views
  SolverNeeds needs;
  OperatorWish wish;
  RankShare share;
  DataFacts data;
  /// Natural rows in the order in which `block_art` visits them; empty: 0, 1, ...
  std::vector<Ordinal> visits;
  /// Called with the shape of a matrix from a file before it is used; throws if it does not suit.
  std::function<void(Ordinal rows, Ordinal columns)> check_shape = [](Ordinal, Ordinal) {};
  /// Called between blocks of rows while a matrix is built; may throw to end the work.
  std::function<void()> check = [] {};

  /// \brief True if the matrix is built from a geometry directly in its order.
  bool is_built_in_order() const { return is_built_in_order(wish); }
  bool is_built_in_order(const OperatorWish& other) const {
    return traits_of(rows).in_any_order && is_geometric(other.ordering);
  }
};

/// \brief True if ray tiles are built directly from the geometry: a scan or a scanner with `format:
/// ray_tiles`, in an order defined by its grids, without a mask of pixels.
inline bool builds_tiles_directly(const SystemTask& task, const OperatorWish& wish) {
  return task.rows_are_rays && wish.is(MatrixFormat::ray_tiles) && !wish.symmetric() &&
         task.is_built_in_order(wish) && task.masks.columns.empty();
}
inline bool builds_tiles_directly(const SystemTask& task) {
  return builds_tiles_directly(task, task.wish);
}

/// \brief Division of the rows of \p task into its ordered subsets.
inline SubsetDivision subsets_of(const SystemTask& task) {
  return divide_into_subsets(grids_of(task.rows), task.wish.ordering.rows, task.needs.subsets,
                             task.view_rows, task.masks.rows);
}

/// \brief Task for any products with the matrix of \p rows.
inline SystemTask task_of_rows(const RowSource& rows, const OperatorWish& wish) {
  SystemTask task;
  task.rows = rows;
  const MatrixGrids grids = grids_of(rows);
  task.rows_are_rays = grids.views > 0 || grids.crystals > 0;
  if (grids.views > 0) task.view_rows = grids.detectors;
  task.wish = wish;
  return task;
}

}  // namespace Tomokkos
