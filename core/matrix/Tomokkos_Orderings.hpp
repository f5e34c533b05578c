// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

// Orders as lists: entry p is the natural index at position p, as `make_index_map` expects it. Pure
// functions on the host. Each returns a permutation, identical on every run.

/// \brief Orders the cells of a rows x columns grid (index = row * columns + column) by tiles.
///
/// Tiles of \p tile_rows x \p tile_columns follow row by row, as do the cells within a tile. Tiles
/// at the bottom and right borders are cut off.
///
/// \throws Error for a negative size, a tile without cells, or more cells than `Ordinal` can index
std::vector<Ordinal> tiled_order(Ordinal rows, Ordinal columns, Ordinal tile_rows,
                                 Ordinal tile_columns);

/// \brief Orders pixels in tiles of 4 columns x 8 rows. In `float` a tile is a cache line of 128
/// bytes, and each of its 4 x 2 blocks a sector of 32 bytes.
std::vector<Ordinal> tiled_pixel_order(Ordinal rows, Ordinal columns);

/// \brief Orders the voxels of a volume (index = (slice * rows + row) * columns + column) by boxes
/// of \p box_slices x \p box_rows x \p box_columns. Corresponds to `tiled_order` in three
/// dimensions.
///
/// \throws Error like `tiled_order`
std::vector<Ordinal> boxed_order(Ordinal slices, Ordinal rows, Ordinal columns, Ordinal box_slices,
                                 Ordinal box_rows, Ordinal box_columns);

/// \brief Orders voxels in boxes of 16 x 16 x 16 (4096 voxels), so that voxels on the same rays are
/// close in memory in all three directions.
std::vector<Ordinal> boxed_voxel_order(Ordinal slices, Ordinal rows, Ordinal columns);

/// \brief Orders pixels in squares of 64 x 64, as many pixels as a tile of `RayTilesMatrix` has
/// columns. If 64 divides both sides of the image, the tiles are these squares.
std::vector<Ordinal> square_pixel_order(Ordinal rows, Ordinal columns);

/// \brief Orders rays (index = view * detectors + detector) in tiles of 4 detectors x 8 views. Rays
/// of a tile are neighbours in both directions and intersect the same pixels.
std::vector<Ordinal> tiled_ray_order(Ordinal views, Ordinal detectors);

/// \brief Orders the cells of a rows x columns grid along a Hilbert curve.
///
/// The curve is that of the smallest enclosing square with a power of two as its side, without the
/// cells outside the grid. So the cells of every aligned square of such a side are consecutive, and
/// if the grid itself is such a square, successive cells are neighbours.
///
/// Cost: proportional to the number of cells and the longer side.
///
/// \throws Error like `tiled_order`
std::vector<Ordinal> hilbert_order(Ordinal rows, Ordinal columns);

/// \brief Returns the classes 0, ..., \p subsets - 1 in the order in which ordered subsets are
/// visited.
///
/// The bits of the numbers are reversed (0, 4, 2, 6, 1, 5, 3, 7), so that successive subsets have
/// views from very different directions.
///
/// \throws Error for fewer than one subset
std::vector<Ordinal> subset_class_order(int subsets);

/// \brief Orders rays by \p subsets ordered subsets: view v belongs to class `v % subsets`, and the
/// classes follow in the order of `subset_class_order`. Within a class, views and detectors keep
/// their natural order.
///
/// `RowSubsets` with units of \p detectors rows divides this order into the subsets. If the classes
/// have different sizes, a boundary may assign a view to the neighbouring subset.
///
/// \throws Error like `tiled_order`, and for fewer than one subset
std::vector<Ordinal> subset_ray_order(Ordinal views, Ordinal detectors, int subsets);

/// \brief Orders the rows `i * crystals + j` of a scanner by \p subsets ordered subsets. \p around
/// is the number of crystals around the axis.
///
/// Rows with the same `(i + j) % around` form a view, since their pairs have nearly the same
/// direction. Views are distributed as in `subset_ray_order`. Within a view, rows keep their
/// natural order. Each view has `crystals^2 / around` rows, the unit of `RowSubsets`.
///
/// \throws Error like `subset_ray_order`, and when \p around does not divide \p crystals
std::vector<Ordinal> subset_pair_order(Ordinal crystals, Ordinal around, int subsets);

/// \brief Orders rows by length, longest first. Rows of equal length keep their natural order.
///
/// \param row_offsets offsets of a CSR matrix, one more than it has rows; or empty
std::vector<Ordinal> order_by_length(std::span<const Offset> row_offsets);

/// \brief Reverse Cuthill-McKee: orders the rows of a square matrix so that its entries are close
/// to the diagonal.
///
/// Works on the pattern of A + A^T without the diagonal. Each connected component, ordered by its
/// lowest index, is numbered breadth first from a pseudo-peripheral row (George and Liu),
/// neighbours by degree, then by index. Finally the whole order is reversed.
///
/// \param row_offsets, columns arrays of a square CSR matrix, with entries in any order within a
/// row
/// \note Memory: 8 bytes per nonzero and about 32 per row. Cost: a few passes over the graph.
std::vector<Ordinal> reverse_cuthill_mckee(std::span<const Offset> row_offsets,
                                           std::span<const Ordinal> columns);

}  // namespace Tomokkos
