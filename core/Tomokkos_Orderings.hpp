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

/// \brief Pixels in tiles of 8 columns x 4 rows: in `float` a tile is one line of 128 bytes, each
/// of its rows a sector of 32.
std::vector<Ordinal> tiled_pixel_order(Ordinal rows, Ordinal columns);

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
