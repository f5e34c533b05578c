// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_SpmvOptions.hpp>

namespace Tomokkos {

/// \brief What a launch depends on besides the matrix.
struct DeviceTraits {
  bool gpu = false;
  /// Hardware threads that run at the same time.
  int concurrency = 1;
  /// A host whose kernels gather the entries of a chunk of rows by wide vectors (AVX-512).
  bool wide_gathers = false;
  /// Of a GPU: threads and bytes of scratch memory that teams share.
  int threads_per_multiprocessor = 0;
  std::size_t scratch_per_multiprocessor = 0;
};

/// \brief The traits of \p exec.
template <class ExecutionSpace>
DeviceTraits device_traits(const ExecutionSpace& exec) {
  DeviceTraits traits;
  traits.gpu = !Impl::is_host_space<ExecutionSpace>;
  traits.concurrency = Impl::concurrency(exec);
  Impl::set_multiprocessor(exec, traits.threads_per_multiprocessor,
                           traits.scratch_per_multiprocessor);
  return traits;
}

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

/// \brief True when a multiprocessor of \p device holds \p teams of \p threads and of
/// \p scratch_bytes each. Kokkos refuses a launch that promises more.
constexpr bool teams_fit(const DeviceTraits& device, int teams, int threads,
                         std::size_t scratch_bytes) {
  // What Kokkos and CUDA take per team on top: sums of a reduction, and 1 KiB.
  const std::size_t reserve = sizeof(double) * static_cast<std::size_t>(threads + 2) + 1024;
  return static_cast<std::size_t>(teams) * (scratch_bytes + reserve) <=
             device.scratch_per_multiprocessor &&
         teams * threads <= device.threads_per_multiprocessor;
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

/// Rows of a pattern that a thread of a host takes at a time in `spmv_form`, whatever the number of
/// threads is: a few hundred KB of a mesh's matrix.
inline constexpr Offset form_rows_per_block = 512;

/// Teams of `staged_threads` rows of a pattern of \p rows.
constexpr int form_teams(Ordinal rows) {
  return rows / staged_threads + (rows % staged_threads != 0 ? 1 : 0);
}

/// Teams of the staged `spmv_form` that share a multiprocessor at least.
inline constexpr int staged_form_teams = 8;

/// Entries of such a team in scratch memory, of \p entry_bytes each: those of its rows at once, or
/// in equal parts, as in `staged`; a multiple of a pack.
int staged_form_entries(Ordinal rows, Offset nonzeros, std::size_t entry_bytes);

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

// Launch numbers of GPU kernels that do not depend on the matrix. None of these was measured by
// itself; each says what it was chosen for.

/// Lanes of a row, and rows of a team, of the transposed product by atomics: a warp, so that the
/// entries of a row are read side by side, and 256 threads, which leave several teams to each
/// multiprocessor.
inline constexpr int atomic_transpose_lanes = 32;
inline constexpr int atomic_transpose_members = 8;

/// Threads of a resident team at most; each multiprocessor has one team.
inline constexpr int most_resident_threads = 1024;

/// Entries of a row of a matrix that each of its lanes keeps in registers.
inline constexpr int resident_entries = 8;

/// \brief How the rows of a matrix lie over resident teams.
struct ResidentLaunch {
  int lanes;    ///< threads of a row, a power of two up to a warp
  int threads;  ///< of a team, a multiple of a warp
};

/// \brief As many lanes as keep a row of usual length in registers, and no more threads than the
/// rows of a team need: what teams tell each other takes longer with each.
ResidentLaunch resident_launch(Ordinal rows, Offset nonzeros, int teams);

/// Lanes that add the carries of a row cut by `merge_path`, and rows of a team: few rows have more
/// than one, and a dense row thousands.
inline constexpr int merge_carry_lanes = 32;
inline constexpr int merge_carry_members = 4;

/// The same for the counting and placing of a transposition, which walks the matrix likewise.
inline constexpr int transpose_claim_lanes = 32;
inline constexpr int transpose_claim_members = 8;

/// Threads that sort one long row: the rows are few, so each gets a large team.
inline constexpr int sort_threads = 512;

/// Threads of a block of a reduction, a power of two: 8 steps of the tree that adds them, and 16
/// KiB of scratch for `ReductionWorkspace::max_sums` sums, so that several teams share a
/// multiprocessor.
inline constexpr int reduction_threads = 256;

/// How a reduction over the columns of a row-major array spreads over the threads of a GPU: `tiles`
/// teams side by side take `width` columns each, with `lanes` (a power of two, at least `width`)
/// neighbouring threads on neighbouring columns.
struct ColumnTiles {
  int lanes;
  Offset width, tiles;
};

/// The tiles for \p columns columns whose rows are split into \p blocks blocks: 32 columns, a warp,
/// where that leaves work for all multiprocessors; fewer otherwise, but no fewer than 8, whose
/// floats still fill a sector of 32 bytes.
ColumnTiles reduction_tiles(Offset blocks, Offset columns);

/// Threads of the one team that does a Kaczmarz sweep, a power of two: rows of a scan have hundreds
/// of nonzeros, and each further doubling adds a barrier to every row.
inline constexpr int kaczmarz_threads = 512;

}  // namespace Impl

}  // namespace Tomokkos
