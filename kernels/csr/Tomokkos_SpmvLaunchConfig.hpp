// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvOptions.hpp>

namespace Tomokkos {

/// \brief Every choice of a CSR product, made from the device, the rows and what the user asked
/// for.
///
/// A pure function of its arguments: no device is asked, nothing is launched. The result holds no
/// `automatic` and no 0 that a kernel would need. A team size that is asked for leaves the lanes
/// that fit a team; tiles are made larger where their number would not fit an int.
///
/// \param scalar_bytes of a value of the matrix
///
/// Throws `Error` for options that no kernel can run: negative numbers, a vector length that is not
/// a power of two up to 32, loads of other than 1 or 4 entries, more than 1024 threads a team, on a
/// host more members of a team than threads, or than the 64 that Kokkos takes; of `staged` more
/// threads or entries than `Impl::staged_threads` and `Impl::largest_staged_entries`, or more rows
/// than threads.
SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested,
                               std::size_t scalar_bytes = sizeof(float));

namespace Impl {

/// Bytes of a matrix that a GPU's last cache may hold: that of an H200 has 60 MB.
inline constexpr double gpu_cached_bytes = 50e6;

/// \brief True when a CSR matrix of these rows stays in the last cache of a GPU.
inline bool is_cached(const RowStatistics& rows, std::size_t scalar_bytes) {
  const double bytes =
      static_cast<double>(rows.nonzeros) * static_cast<double>(sizeof(Ordinal) + scalar_bytes) +
      static_cast<double>(rows.rows) * sizeof(Offset);
  return bytes <= gpu_cached_bytes;
}

/// \brief True when no row is so long that a thread, or two, that sum a row alone keep the others
/// waiting for it.
inline bool rows_are_even(const RowStatistics& rows) {
  return static_cast<double>(rows.longest) <= 8 * rows.mean + 64;
}

/// A host's tile of `merge_path` takes whole rows where the longest is at most one part of so many:
/// shares differ by 3 % at most, and matrices in a cache are 10 to 25 % faster without carries.
inline constexpr Offset rows_of_whole_tile = 32;

/// The fewest rows + nonzeros of a tile of `merge_path` for so many of them: a league is counted by
/// an int.
constexpr Offset least_items_per_tile(Offset path_length) {
  constexpr Offset most_tiles = 2147483647;
  return (path_length + most_tiles - 1) / most_tiles;
}

/// The most threads of a team of `staged`, whose kernel is compiled for it. Measured on an H200
/// with 27 points 160^3: 64 and 192 threads differ by 1 %.
inline constexpr int staged_threads = 128;

/// The most entries that such a team holds in scratch memory.
inline constexpr Offset largest_staged_entries = 2048;

/// Teams of `staged` that share a multiprocessor at least, which bounds their registers: so many
/// have copies under way. Measured on an H200 with 27 points 160^3, as a share of copy: in float 8
/// teams 0.75, 10 0.77, 11 to 14 0.80; in double 7 to 9 teams 0.82. Copies through the registers
/// instead: 0.70, 0.77. With a dot 10 teams in float: 12 take a tenth longer.
constexpr int staged_teams(std::size_t scalar_bytes, bool with_dot = false) {
  return scalar_bytes > sizeof(float) ? 8 : with_dot ? 10 : 12;
}

/// Bytes of scratch memory of a team of `staged`: entries, a sum per thread, alignment.
constexpr std::size_t staged_scratch_bytes(Offset entries, int team_size,
                                           std::size_t scalar_bytes) {
  return static_cast<std::size_t>(entries) * (sizeof(Ordinal) + scalar_bytes) +
         static_cast<std::size_t>(team_size) * scalar_bytes + 3 * 16;
}

/// Threads of a team in which every row of `scalar` has one, where its warps add up the products of
/// their results, and teams that share a multiprocessor at least.
inline constexpr int spmv_dot_threads = 128;
inline constexpr int spmv_dot_teams = 16;

/// \brief True when \p device holds as many teams of `staged` as wanted, with all that they may ask
/// for.
constexpr bool staged_teams_fit(const DeviceTraits& device, std::size_t scalar_bytes) {
  return teams_fit(device, staged_teams(scalar_bytes), staged_threads,
                   staged_scratch_bytes(largest_staged_entries, staged_threads, scalar_bytes));
}

/// Threads of a team of `merge_path` that keeps the products of its tile in scratch memory, and
/// teams that share a multiprocessor at least. Measured on an H200 with R-MAT 2^18 and 2^20: as
/// many threads in teams of 512, and 8 teams of 256, are 5 to 10 % slower.
inline constexpr int merge_product_threads = 256;
inline constexpr int merge_product_teams = 6;

/// The most rows + nonzeros of such a tile.
inline constexpr Offset largest_merge_product_tile = 4096;

/// Bytes of its scratch memory: a product per entry, and what the first pack holds before them.
constexpr std::size_t merge_product_scratch_bytes(Offset items_per_tile, std::size_t scalar_bytes) {
  return (static_cast<std::size_t>(items_per_tile) + pack_entries) * scalar_bytes + 16;
}

/// \brief True when \p device holds as many such teams as wanted, with the largest tiles.
constexpr bool merge_product_teams_fit(const DeviceTraits& device, std::size_t scalar_bytes) {
  return teams_fit(device, merge_product_teams, merge_product_threads,
                   merge_product_scratch_bytes(largest_merge_product_tile, scalar_bytes));
}

/// Lanes of a row, and rows of a team, of the transposed product by atomics: a warp, so that the
/// entries of a row are read side by side, and 256 threads, which leave several teams to each
/// multiprocessor.
inline constexpr int atomic_transpose_lanes = 32;
inline constexpr int atomic_transpose_members = 8;

/// Lanes that add the carries of a row cut by `merge_path`, and rows of a team: few rows have more
/// than one, and a dense row thousands.
inline constexpr int merge_carry_lanes = 32;
inline constexpr int merge_carry_members = 4;

}  // namespace Impl

}  // namespace Tomokkos
