// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_SpmvLaunchConfig.hpp>

#include <algorithm>

namespace Tomokkos {
namespace {

constexpr DeviceTraits h200{true, 132 * 2048, false, 2048, 228 * 1024};
static_assert(Impl::staged_teams_fit(h200, sizeof(float)) &&
                  Impl::staged_teams_fit(h200, sizeof(double)),
              "the launch parameters were chosen for an H200");

// Warp size of an NVIDIA GPU: the largest group of lanes that shares a row without scratch memory.
constexpr int warp = 32;

// Maximum team sizes of CUDA, and of Kokkos on hosts.
constexpr int largest_team = 1024;
constexpr int largest_host_team = 64;

// Threads per team. Measured on an H200: with packs and tomography rows of 922 nonzeros, as a share
// of copy, 256 threads 0.83, 512 and 1024 threads 0.91; entry by entry, 128 threads are up to 20 %
// faster than 512 whenever rows are shorter.
constexpr int pack_team_threads = 512;
constexpr int team_threads = 128;

// Threads of a merge-path team whose members are whole warps. The more adjacent rows a team
// processes, the less of x is read twice. On the same matrix: 256 threads 0.72, 512 threads 0.83,
// 1024 threads 0.85.
constexpr int merge_path_warp_team_threads = 1024;

// Packs per lane and row; one pack if rows are cut into pieces. Measured on an H200: the fastest
// are rows of 64 and 119 entries with 4 lanes, 240 with 8, 480 with 16, 922 with 32.
constexpr int packs_per_lane = 4;

// Mean row length from which packs are faster than single entries, for matrices in memory with
// 4-byte values: tomography with 460 and 922 entries a row by 6 and 4 %. With 8-byte values single
// entries are faster by 6 to 16 %.
constexpr double shortest_packed_rows = 256;

// Lanes per row when rows are read entry by entry, as a function of the mean row length over
// entries. Measured on an H200 with Table I in both precisions: 4 lanes at 6 entries, 8 from 20 to
// 240, 32 at 480 and for a power law.
constexpr double mean_for_4_lanes = 12;
constexpr double mean_for_8_lanes = 256;
constexpr double mean_for_16_lanes = 400;

// A row with at least this length and this share of the entries is cut by `merge_path`. A warp
// needs 5 ns per entry of one row; `merge_path` needs 7.5 ps per entry of the matrix if rows are
// short on average. Measured on an H200 with R-MAT 2^20, whose longest row has 65 thousand of 31
// million entries (0.45 ms with 32 lanes, 0.24 ms with `merge_path`). For shorter rows the second
// launch costs more than it saves.
constexpr Offset shortest_cut_row = 1024;
constexpr double largest_uncut_share = 1.0 / 700;

// Mean row length up to which `merge_path` keeps the products of a tile in scratch memory. Measured
// on an H200 in float: rows of 119 entries take 23 us either way, of 480 in cache 104 instead of
// 110, of 460 from memory 233 instead of 181.
constexpr double longest_product_mean = 256;
// Mean row length up to which such tiles are faster than lanes that share a row, for rows from
// memory that are neither staged nor cut. Faster by a fifth for rows of 20 entries and by a third
// for 27; slower by 15 % for 53.
constexpr double longest_tiled_mean = 30;

// Tile sizes of `merge_path` with products in scratch memory. In double, the scratch memory of
// larger tiles leaves too little cache. If many rows are much longer than the mean, x is gathered
// from everywhere, and small tiles have more gathers in flight. R-MAT 2^18 in float takes 53 us
// with 1024 and 61 with 4096, in double 69 and 117; a dense row among short ones 108 and 71, in
// double 114, with 2048 92.
constexpr Offset scattered_product_tile = 1024;
constexpr std::size_t product_tile_bytes = 16384;

// Row pieces per team member of a merge-path tile on a GPU. The first and the last piece of a tile
// are fragments, so several rounds of whole rows must lie between them. A tile has enough rows +
// nonzeros to make the cost of the two launches and of reading the tile bounds small, and there are
// enough tiles to fill the device several times.
constexpr int pieces_per_member = 4;
constexpr Offset smallest_gpu_tile = 4096;
constexpr Offset gpu_tiles_wanted = 4096;

// Rows that a team of `staged` processes at a time: two threads per row, or one thread if rows are
// so short that the team would hold little of the matrix.
constexpr int staged_rows = 64;
constexpr double mean_for_more_staged_rows = 14;
// For a larger mean row length the scratch memory holds fewer rows.
constexpr double mean_for_all_staged_rows = 30;
constexpr int fewer_staged_rows = 48;
// Number of rows from which each thread has its own row: there are then enough teams anyway. The
// entries pass through the scratch memory in equal chunks, so adjacent lanes gather for adjacent
// rows. Measured on an H200 with 27 points 160^3: 2 % faster in double and 8 % in float, with a dot
// 9 and 10 %; unequal chunks lose all of this gain.
constexpr Offset rows_for_full_staged_teams = Offset{1} << 18;
// Rows with a larger mean length keep the lanes of `team_vector` busy.
constexpr double longest_staged_mean = 40;
// Mean row length from which cached matrices are staged, provided that rows have nearly equal
// lengths. Other cached rows are read faster in place. Measured on an H200: `qcd5_4` of Table I,
// rows of 39 entries, 1.2 times faster staged, 27 points 64^3 by 2 to 4 %.
constexpr double shortest_cached_staged_mean = 24;
// Mean row length up to which one thread per row is as fast as any variant, because a row occupies
// one or two cache lines. Measured on an H200: 4, 6 and 7 entries; rows of 27 take twice as long as
// staged.
constexpr double longest_scalar_mean = 8;

// Number of tiles on a host if it must not depend on the number of threads: enough to balance 64
// threads, few enough for a negligible cost of the carries.
constexpr Offset deterministic_tiles = 256;

// Rows + nonzeros of a section of `merge_atomic` on a GPU: the best value of Wang, 2019, on V100s.
constexpr Offset atomic_section = 5;

// Rows per team on a host. A team is one thread there, and starting it costs about as much as 30
// short rows.
constexpr int host_rows_per_team = 256;

void check_options(const SpmvOptions& options) {
  require(options.team_size >= 0 && options.rows_per_team >= 0 && options.items_per_tile >= 0,
          "team_size, rows_per_team and items_per_tile must not be negative (0 means automatic)");
  require(options.entries_per_load == 0 || options.entries_per_load == 1 ||
              options.entries_per_load == pack_entries,
          Impl::text("entries_per_load must be 0 (automatic), 1 or 4, not {}",
                     options.entries_per_load));
  require(options.vector_length == 0 ||
              (Impl::is_power_of_two(options.vector_length) && options.vector_length <= warp),
          Impl::text("vector_length must be 0 (automatic) or a power of two up to 32, not {}",
                     options.vector_length));
}

/// Checks the final launch parameters, whether requested or chosen.
void check_choice(const DeviceTraits& device, const SpmvOptions& chosen) {
  const auto threads = static_cast<std::int64_t>(chosen.team_size) * chosen.vector_length;
  require(
      !device.gpu || threads <= largest_team,
      Impl::text("team_size times vector_length must not exceed 1024 threads, not {}", threads));
  const int members = std::min(device.concurrency, largest_host_team);
  require(device.gpu || chosen.team_size <= std::max(members, 1),
          Impl::text("team_size must not exceed the {} threads of a team on this host, not {}",
                     members, chosen.team_size));
}

/// Returns the number of lanes implied by the name of a variant, or 0.
int named_lanes(SpmvVariant variant) {
  if (variant == SpmvVariant::crs_vector) return warp;
  if (variant == SpmvVariant::spmv4gpu) return spmv4gpu_padding;
  return 0;
}

/// Returns the mean row length over entries: each row is weighted by its length.
double entry_mean(const RowStatistics& rows) {
  return rows.mean > 0 ? rows.mean + rows.sigma * rows.sigma / rows.mean : 0;
}

int choose_entries_per_load(const RowStatistics& rows, std::size_t scalar_bytes) {
  const bool packs = scalar_bytes <= sizeof(float) && rows.mean >= shortest_packed_rows &&
                     !Impl::is_cached(rows, scalar_bytes);
  return packs ? pack_entries : 1;
}

/// Returns the number of lanes that the mean row keeps busy with \p packs packs each.
int choose_pack_lanes(const RowStatistics& rows, int packs) {
  int lanes = 2;
  while (lanes < warp && 2 * lanes * pack_entries * packs <= rows.mean) lanes *= 2;
  return lanes;
}

int choose_entry_lanes(const DeviceTraits& device, const RowStatistics& rows) {
  const double mean = entry_mean(rows);
  int lanes = mean <= mean_for_4_lanes    ? 4
              : mean <= mean_for_8_lanes  ? 8
              : mean <= mean_for_16_lanes ? 16
                                          : warp;
  // With few rows the device would idle unless more lanes share each row.
  while (lanes < warp && lanes <= mean &&
         2 * static_cast<std::int64_t>(lanes) * rows.rows <= device.concurrency)
    lanes *= 2;
  return lanes;
}

Offset choose_gpu_tile(const RowStatistics& rows, int team_size) {
  const auto wanted = static_cast<Offset>(pieces_per_member * team_size * (rows.mean + 1));
  const Offset largest = (rows.rows + rows.nonzeros) / gpu_tiles_wanted;
  return std::max(std::min(wanted, largest), smallest_gpu_tile);
}

SpmvVariant choose_variant(const DeviceTraits& device, const RowStatistics& rows, bool shares_rows,
                           std::size_t scalar_bytes) {
  // On a host, equal shares of the path are equal shares of the work: one tile per thread.
  if (!device.gpu) return SpmvVariant::merge_path;
  // The product cannot end before its longest row. If that row takes longer than the whole path,
  // equal shares of the path are faster.
  if (rows.longest > shortest_cut_row &&
      static_cast<double>(rows.longest) > largest_uncut_share * static_cast<double>(rows.nonzeros))
    return SpmvVariant::merge_path;
  // A thread of `scalar`, and two threads of `staged`, sum a row alone and so wait for their
  // longest row. Both variants ignore lanes.
  if (!shares_rows && Impl::rows_are_even(rows)) {
    if (rows.mean <= longest_scalar_mean &&
        2 * static_cast<std::int64_t>(rows.rows) >= static_cast<std::int64_t>(device.concurrency))
      return SpmvVariant::scalar;
    const bool equal = static_cast<double>(rows.longest) <= 1.25 * rows.mean;
    if (rows.mean <= longest_staged_mean && (!Impl::is_cached(rows, scalar_bytes) ||
                                             (equal && rows.mean > shortest_cached_staged_mean &&
                                              8 * static_cast<std::int64_t>(rows.rows) >=
                                                  static_cast<std::int64_t>(device.concurrency))))
      return SpmvVariant::staged;
  }
  // Equal shares of entries are read faster than rows that lanes share.
  if (!shares_rows && rows.mean <= longest_tiled_mean && !Impl::is_cached(rows, scalar_bytes))
    return SpmvVariant::merge_path;
  return SpmvVariant::team_vector;
}

/// Returns the rows + nonzeros of each of \p shares equal shares.
Offset equal_share(const RowStatistics& rows, Offset shares) {
  return std::max<Offset>(1, (rows.rows + rows.nonzeros + shares - 1) / shares);
}

/// Chooses launch parameters of `merge_path` with products in scratch memory.
void choose_merge_products(const RowStatistics& rows, std::size_t scalar_bytes,
                           SpmvOptions& chosen) {
  chosen.vector_length = 1;
  if (chosen.team_size == 0) chosen.team_size = Impl::merge_product_threads;
  if (chosen.rows_per_team == 0) chosen.rows_per_team = chosen.team_size;
  if (chosen.entries_per_load == 0) chosen.entries_per_load = pack_entries;
  if (chosen.items_per_tile == 0) {
    const auto square = [](double value) { return value * value; };
    const bool many_long_rows =
        rows.sigma > rows.mean &&
        square(rows.sigma) * rows.rows > 2 * square(static_cast<double>(rows.longest));
    chosen.items_per_tile = many_long_rows ? scattered_product_tile
                                           : static_cast<Offset>(product_tile_bytes / scalar_bytes);
  }
  require(
      chosen.team_size == Impl::merge_product_threads &&
          chosen.items_per_tile <= Impl::largest_merge_product_tile,
      Impl::text(
          "merge_path with one lane requires {} threads and tiles of at most {} rows and nonzeros",
          Impl::merge_product_threads, Impl::largest_merge_product_tile));
}

}  // namespace

SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested, std::size_t scalar_bytes) {
  check_options(requested);
  SpmvOptions chosen = requested;
  if (chosen.variant == SpmvVariant::automatic)
    chosen.variant = choose_variant(
        device, rows, requested.vector_length > 0 || requested.entries_per_load > 0, scalar_bytes);
  if (const int lanes = named_lanes(chosen.variant); lanes > 0) {
    // Accept the number of lanes of an earlier choice, which is 1 on a host.
    const int here = device.gpu ? lanes : 1;
    require(
        chosen.vector_length == 0 || chosen.vector_length == lanes || chosen.vector_length == here,
        Impl::text("{} uses {} lanes per row, not {}", to_string(chosen.variant), lanes,
                   chosen.vector_length));
    chosen.vector_length = here;
  }
  if (chosen.variant == SpmvVariant::merge_atomic) {
    require(!chosen.deterministic,
            "merge_atomic adds in an arbitrary order; choose another variant for deterministic "
            "products");
    // One thread per section.
    chosen.team_size = chosen.vector_length = chosen.rows_per_team = chosen.entries_per_load = 1;
    if (chosen.items_per_tile == 0)
      chosen.items_per_tile = device.gpu ? atomic_section : equal_share(rows, device.concurrency);
    return chosen;
  }
  if (device.gpu && chosen.variant == SpmvVariant::staged) {
    chosen.vector_length = 1;
    if (chosen.team_size == 0) chosen.team_size = Impl::staged_threads;
    if (chosen.rows_per_team == 0)
      chosen.rows_per_team =
          rows.mean <= mean_for_more_staged_rows || rows.rows >= rows_for_full_staged_teams
              ? chosen.team_size
              : std::min(chosen.team_size,
                         rows.mean <= mean_for_all_staged_rows ? staged_rows : fewer_staged_rows);
    if (chosen.items_per_tile == 0) {
      const auto entries = static_cast<Offset>(chosen.rows_per_team * rows.mean * 1.05) + 8;
      const Offset parts =
          (entries + Impl::largest_staged_entries - 1) / Impl::largest_staged_entries;
      const Offset part = (entries + parts - 1) / parts;
      chosen.items_per_tile =
          std::clamp<Offset>((part + 3) / 4 * 4, 256, Impl::largest_staged_entries);
    }
    require(chosen.team_size <= Impl::staged_threads && chosen.rows_per_team <= chosen.team_size &&
                chosen.items_per_tile % 4 == 0 &&
                chosen.items_per_tile <= Impl::largest_staged_entries,
            Impl::text(
                "staged allows at most {} threads, at most one row per thread, and a multiple of "
                "4 entries up to {}",
                Impl::staged_threads, Impl::largest_staged_entries));
    check_choice(device, chosen);
    return chosen;
  }
  const bool merge_products =
      device.gpu && chosen.variant == SpmvVariant::merge_path &&
      (chosen.vector_length == 1 ||
       (chosen.vector_length == 0 && chosen.team_size == 0 && rows.mean <= longest_product_mean &&
        chosen.items_per_tile <= Impl::largest_merge_product_tile));
  if (merge_products) {
    choose_merge_products(rows, scalar_bytes, chosen);
  } else if (device.gpu) {
    if (chosen.entries_per_load == 0) {
      if (chosen.variant == SpmvVariant::crs_vector)
        chosen.entries_per_load = 1;
      else if (chosen.variant == SpmvVariant::team_vector)
        chosen.entries_per_load = choose_entries_per_load(rows, scalar_bytes);
      else
        chosen.entries_per_load = pack_entries;
    }
    const bool packs = chosen.entries_per_load == pack_entries;
    if (chosen.vector_length == 0) {
      const bool cuts_rows = chosen.variant == SpmvVariant::merge_path;
      chosen.vector_length = packs ? choose_pack_lanes(rows, cuts_rows ? 1 : packs_per_lane)
                                   : choose_entry_lanes(device, rows);
      while (chosen.vector_length > 1 &&
             static_cast<std::int64_t>(chosen.team_size) * chosen.vector_length > largest_team)
        chosen.vector_length /= 2;
    }
    if (chosen.team_size == 0) {
      const bool warps = chosen.variant == SpmvVariant::merge_path && chosen.vector_length == warp;
      chosen.team_size = (warps && packs ? merge_path_warp_team_threads
                          : packs        ? pack_team_threads
                                         : team_threads) /
                         chosen.vector_length;
    }
    if (chosen.rows_per_team == 0) chosen.rows_per_team = chosen.team_size;
    if (chosen.items_per_tile == 0) chosen.items_per_tile = choose_gpu_tile(rows, chosen.team_size);
  } else {
    // Host kernels vectorise within a row themselves.
    if (chosen.entries_per_load == 0) chosen.entries_per_load = 1;
    if (chosen.vector_length == 0) chosen.vector_length = 1;
    if (chosen.team_size == 0) chosen.team_size = 1;
    if (chosen.rows_per_team == 0) chosen.rows_per_team = host_rows_per_team;
    if (chosen.items_per_tile == 0)
      chosen.items_per_tile =
          equal_share(rows, chosen.deterministic ? deterministic_tiles : device.concurrency);
  }
  chosen.items_per_tile =
      std::max(chosen.items_per_tile, Impl::least_items_per_tile(rows.rows + rows.nonzeros));
  check_choice(device, chosen);
  return chosen;
}

}  // namespace Tomokkos
