// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvOptions.hpp>

namespace Tomokkos {

/// \brief Returns all launch parameters of a CSR product, chosen from the device, the rows and the
/// requested options.
///
/// Pure function: it queries no device and launches nothing. The result contains no `automatic`,
/// and no 0 where a kernel needs a value. A requested team size limits the number of lanes to what
/// fits a team. Tiles are enlarged if their number would not fit an int.
///
/// \param device device that runs the product
/// \param rows statistics of the rows
/// \param requested requested options; those that are 0 or `automatic` are chosen
/// \param scalar_bytes bytes of a value of the matrix
/// \throws Error when no kernel can run the options: negative numbers; a vector length that is not
/// a power of two up to 32; a number of entries per load other than 1 or 4; more than 1024 threads
/// per team; on a host, more members of a team than threads or than the 64 that Kokkos allows; for
/// `staged`, more threads or entries than `Impl::staged_threads` and
/// `Impl::largest_staged_entries`, or more rows than threads
SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested,
                               std::size_t scalar_bytes = sizeof(float));

namespace Impl {

/// Largest matrix, in bytes, that counts as cached on a GPU. The last-level cache of an H200 has 60
/// MB.
inline constexpr double gpu_cached_bytes = 50e6;

/// \brief True if a CSR matrix with these rows stays in the last-level cache of a GPU.
inline bool is_cached(const RowStatistics& rows, std::size_t scalar_bytes) {
  const double bytes =
      static_cast<double>(rows.nonzeros) * static_cast<double>(sizeof(Ordinal) + scalar_bytes) +
      static_cast<double>(rows.rows) * sizeof(Offset);
  return bytes <= gpu_cached_bytes;
}

/// \brief True if no row is so long that the one or two threads that sum it keep the others
/// waiting.
inline bool rows_are_even(const RowStatistics& rows) {
  return static_cast<double>(rows.longest) <= 8 * rows.mean + 64;
}

/// Number of longest rows that must fit a tile of `merge_path` on a host for the tile to consist of
/// whole rows. Shares then differ by 3 % at most, and matrices in cache are 10 to 25 % faster
/// without carries.
inline constexpr Offset rows_of_whole_tile = 32;

/// Returns the smallest size of a `merge_path` tile, in rows + nonzeros, for which the number of
/// tiles fits an int, as a league size must.
constexpr Offset least_items_per_tile(Offset path_length) {
  constexpr Offset most_tiles = 2147483647;
  return (path_length + most_tiles - 1) / most_tiles;
}

/// Maximum number of threads of a `staged` team, for which its kernel is compiled. Measured on an
/// H200 with 27 points 160^3: 64 and 192 threads differ by 1 %.
inline constexpr int staged_threads = 128;

/// Maximum number of entries that a `staged` team holds in scratch memory.
inline constexpr Offset largest_staged_entries = 2048;

/// Returns the minimum number of `staged` teams that share a multiprocessor. It bounds their
/// registers, and determines how many teams have copies in flight. Measured on an H200 with 27
/// points 160^3, as a share of copy: in float 8 teams 0.75, 10 0.77, 11 to 14 0.80; in double 7 to
/// 9 teams 0.82. With copies through the registers: 0.70, 0.77. With a dot, 10 teams in float: 12
/// teams take a tenth longer.
constexpr int staged_teams(std::size_t scalar_bytes, bool with_dot = false) {
  return scalar_bytes > sizeof(float) ? 8 : with_dot ? 10 : 12;
}

/// Returns the bytes of scratch memory of a `staged` team: entries, one sum per thread, alignment.
constexpr std::size_t staged_scratch_bytes(Offset entries, int team_size,
                                           std::size_t scalar_bytes) {
  return static_cast<std::size_t>(entries) * (sizeof(Ordinal) + scalar_bytes) +
         static_cast<std::size_t>(team_size) * scalar_bytes + 3 * 16;
}

/// Threads of a team of `scalar` with a dot, and minimum number of such teams that share a
/// multiprocessor. A thread computes one row, and each warp adds up its products for the dot.
inline constexpr int spmv_dot_threads = 128;
inline constexpr int spmv_dot_teams = 16;

/// \brief True if \p device holds the intended number of `staged` teams with the largest scratch
/// memory.
constexpr bool staged_teams_fit(const DeviceTraits& device, std::size_t scalar_bytes) {
  return teams_fit(device, staged_teams(scalar_bytes), staged_threads,
                   staged_scratch_bytes(largest_staged_entries, staged_threads, scalar_bytes));
}

/// Threads of a `merge_path` team that keeps the products of its tile in scratch memory, and
/// minimum number of such teams that share a multiprocessor. Measured on an H200 with R-MAT 2^18
/// and 2^20: the same number of threads in teams of 512, and 8 teams of 256, are 5 to 10 % slower.
inline constexpr int merge_product_threads = 256;
inline constexpr int merge_product_teams = 6;

/// Maximum size, in rows + nonzeros, of a `merge_path` tile whose products are in scratch memory.
inline constexpr Offset largest_merge_product_tile = 4096;

/// Returns the bytes of scratch memory for the products of a `merge_path` tile: one product per
/// entry, and the entries of the first pack before the tile.
constexpr std::size_t merge_product_scratch_bytes(Offset items_per_tile, std::size_t scalar_bytes) {
  return (static_cast<std::size_t>(items_per_tile) + pack_entries) * scalar_bytes + 16;
}

/// \brief True if \p device holds the intended number of `merge_path` teams that keep the products
/// of the largest tiles.
constexpr bool merge_product_teams_fit(const DeviceTraits& device, std::size_t scalar_bytes) {
  return teams_fit(device, merge_product_teams, merge_product_threads,
                   merge_product_scratch_bytes(largest_merge_product_tile, scalar_bytes));
}

/// Lanes per row and rows per team of the transposed product by atomics. A row has a warp, so that
/// its entries are read side by side. A team has 256 threads, so that several teams share a
/// multiprocessor.
inline constexpr int atomic_transpose_lanes = 32;
inline constexpr int atomic_transpose_members = 8;

/// Lanes that add the carries of a row cut by `merge_path`, and rows per team. Few rows have more
/// than one carry, but a dense row has thousands.
inline constexpr int merge_carry_lanes = 32;
inline constexpr int merge_carry_members = 4;

}  // namespace Impl

}  // namespace Tomokkos
