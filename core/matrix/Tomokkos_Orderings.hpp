// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

// Orders as lists: entry p is the natural index that comes p-th, what `make_index_map` takes. Pure
// functions on the host; each returns a permutation, the same on every run.

/// \brief The cells of a rows x columns grid (index = row * columns + column) tile by tile: tiles
/// of \p tile_rows x \p tile_columns one row of tiles after the other, the cells of a tile row by
/// row. Tiles at the far borders are cut.
///
/// Throws `Error` for a negative size, a tile without cells, or more cells than `Ordinal` counts.
std::vector<Ordinal> tiled_order(Ordinal rows, Ordinal columns, Ordinal tile_rows,
                                 Ordinal tile_columns);

/// \brief Pixels in tiles of 4 columns x 8 rows: in `float` a tile is one line of 128 bytes, each
/// block of 4 x 2 of it a sector of 32.
std::vector<Ordinal> tiled_pixel_order(Ordinal rows, Ordinal columns);

/// \brief The voxels of a volume (index = (slice * rows + row) * columns + column) box by box, as
/// `tiled_order` does with tiles: boxes of \p box_slices x \p box_rows x \p box_columns, cut at the
/// far borders. Throws `Error` as `tiled_order`.
std::vector<Ordinal> boxed_order(Ordinal slices, Ordinal rows, Ordinal columns, Ordinal box_slices,
                                 Ordinal box_rows, Ordinal box_columns);

/// \brief Voxels in boxes of 16 x 16 x 16, 4096 of them: those that rays share are near each other
/// in all three directions.
std::vector<Ordinal> boxed_voxel_order(Ordinal slices, Ordinal rows, Ordinal columns);

/// \brief Pixels in squares of 64 x 64, so many as a tile of `RayTilesMatrix` has columns: where 64
/// divides both sides of the image, tiles are squares.
std::vector<Ordinal> square_pixel_order(Ordinal rows, Ordinal columns);

/// \brief Rays (index = view * detectors + detector) in tiles of 4 detectors x 8 views: neighbours
/// in both senses, which meet the same pixels.
std::vector<Ordinal> tiled_ray_order(Ordinal views, Ordinal detectors);

/// \brief The cells of a rows x columns grid along a Hilbert curve: that of the smallest square of
/// a power of two around the grid, without the cells outside. So the cells of every aligned square
/// of a power of two follow each other, and in such a square itself successors are neighbours.
///
/// Throws `Error` as `tiled_order`. Cost: proportional to the cells and the longer side.
std::vector<Ordinal> hilbert_order(Ordinal rows, Ordinal columns);

/// \brief The classes 0, ..., \p subsets - 1 in the order in which ordered subsets visit them: by
/// their bits read backwards (0, 4, 2, 6, 1, 5, 3, 7), so that views that come soon after each
/// other look from far apart. Throws `Error` for less than one.
std::vector<Ordinal> subset_class_order(int subsets);

/// \brief Rays in \p subsets ordered subsets, one after the other: view v is in the class `v %
/// subsets`, and the classes follow each other as `subset_class_order` says. Within a class views
/// and detectors are in their natural order.
///
/// `RowSubsets` with units of \p detectors rows cuts this into the subsets. Where the classes are
/// unequal, a cut may leave a view to the subset beside its class.
///
/// Throws `Error` as `tiled_order`, and for less than one subset.
std::vector<Ordinal> subset_ray_order(Ordinal views, Ordinal detectors, int subsets);

/// \brief The rows `i * crystals + j` of a scanner with \p around crystals around its axis, in \p
/// subsets ordered subsets: rows with the same `(i + j) % around`, whose pairs look in nearly the
/// same direction, are a view, and the views are dealt out as in `subset_ray_order`. Within a view
/// rows are in their natural order.
///
/// Each view holds `crystals^2 / around` rows, the unit of `RowSubsets`.
///
/// Throws `Error` as `subset_ray_order`, and where \p around does not divide \p crystals.
std::vector<Ordinal> subset_pair_order(Ordinal crystals, Ordinal around, int subsets);

/// \brief Rows, the longest first, equal ones in their natural order.
///
/// \param row_offsets of a CSR matrix: one more than there are rows (or none).
std::vector<Ordinal> order_by_length(std::span<const Offset> row_offsets);

/// \brief Reverse Cuthill-McKee: rows of a square matrix such that its entries gather about the
/// diagonal.
///
/// Works on the pattern of A + A^T without the diagonal. Each connected component, by its lowest
/// index, is numbered breadth first from a pseudo-peripheral row (George and Liu), neighbours by
/// degree, then index; the whole is reversed.
///
/// \param row_offsets, columns of a CSR matrix with as many columns as rows; rows in any order.
/// \note Memory: 8 bytes per nonzero and about 32 per row. Cost: a few passes over the graph.
std::vector<Ordinal> reverse_cuthill_mckee(std::span<const Offset> row_offsets,
                                           std::span<const Ordinal> columns);

}  // namespace Tomokkos
