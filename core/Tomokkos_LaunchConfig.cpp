// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_LaunchConfig.hpp>

#include <algorithm>
#include <limits>
#include <string>

namespace Tomokkos {
namespace {

// A warp of an NVIDIA GPU: the widest group of lanes that shares a row without scratch memory.
constexpr int warp = 32;

// The most threads of a team that CUDA takes, and the most that Kokkos takes on hosts.
constexpr int largest_team = 1024;
constexpr int largest_host_team = 64;

// Threads of a team. Measured on an H200 with tomography rows of 922 nonzeros, as a share of copy:
// 256 threads 0.83, 512 and 1024 threads 0.91.
constexpr int team_threads = 512;

// Threads of a merge-path team whose members are whole warps: the more adjacent rows a team works
// on, the less of x is read twice. On the same matrix: 256 threads 0.72, 512 threads 0.83, 1024
// threads 0.85.
constexpr int merge_path_warp_team_threads = 1024;

// Entries that a lane takes with one pair of 16-byte loads; a row that is shorter than lanes times
// this leaves lanes idle.
constexpr int entries_per_load = 4;

// Row pieces per team member of a merge-path tile on a GPU: the first and the last piece of a tile
// are fragments, so several rounds of whole rows must stand between them. Tiles hold at least so
// many rows + nonzeros that the two launches and the reading of a tile's bounds stay small, and
// stay small enough to fill the device several times over.
constexpr int pieces_per_member = 4;
constexpr Offset smallest_gpu_tile = 4096;
constexpr Offset gpu_tiles_wanted = 4096;

// Threads of a team of `staged` and the rows that it takes at a time: two threads a row. With 27
// entries a row and 8 bytes each that is 14 KiB of scratch memory, so that a multiprocessor holds
// as many threads as it can. Measured on an H200 with 27 points 128^3, as a share of copy in float
// and double: 64 threads and 64 rows 0.74, 0.69; 128 and 64 0.73, 0.76; 256 and 64 0.52, 0.63; 256
// and 128 0.58, 0.65. The memory of a team is bounded by 12 bytes times the entries.
constexpr int staged_threads = 128;
constexpr int staged_rows = 64;
constexpr Offset largest_staged_entries = 3408;
// Rows of more than this keep the lanes of `team_vector` busy.
constexpr double longest_staged_mean = 40;

// Tiles on a host when the count must not follow the number of threads: enough to balance 64
// threads, few enough that the carries are nothing.
constexpr Offset deterministic_tiles = 256;

// Rows of one team on a host, where a team is one thread and its start costs about as much as 30
// short rows.
constexpr int host_rows_per_team = 256;

bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

void check_options(const SpmvOptions& options) {
  require(options.team_size >= 0 && options.rows_per_team >= 0 && options.items_per_tile >= 0,
          "team_size, rows_per_team and items_per_tile must not be negative (0 means automatic)");
  require(options.vector_length == 0 ||
              (is_power_of_two(options.vector_length) && options.vector_length <= warp),
          "vector_length must be 0 (automatic) or a power of two up to 32, not " +
              std::to_string(options.vector_length));
}

/// What is to run, whoever chose it.
void check_choice(const DeviceTraits& device, const SpmvOptions& chosen) {
  const auto threads = static_cast<std::int64_t>(chosen.team_size) * chosen.vector_length;
  require(
      !device.gpu || threads <= largest_team,
      "team_size times vector_length must not exceed 1024 threads, not " + std::to_string(threads));
  const int members = std::min(device.concurrency, largest_host_team);
  require(device.gpu || chosen.team_size <= std::max(members, 1),
          "team_size must not exceed the " + std::to_string(members) +
              " threads of a team on this host, not " + std::to_string(chosen.team_size));
}

/// Lanes of the variants that are named after theirs; 0 for the others.
int named_lanes(SpmvVariant variant) {
  if (variant == SpmvVariant::crs_vector) return warp;
  if (variant == SpmvVariant::spmv4gpu) return spmv4gpu_padding;
  return 0;
}

/// Lanes per row: as many as the mean row keeps busy with one load each.
int choose_vector_length(double mean_row_length) {
  int lanes = 1;
  while (lanes < warp && 2 * lanes * entries_per_load <= mean_row_length) lanes *= 2;
  return std::max(lanes, 2);
}

Offset choose_gpu_tile(const RowStatistics& rows, int team_size) {
  const auto wanted = static_cast<Offset>(pieces_per_member * team_size * (rows.mean + 1));
  const Offset largest = (rows.rows + rows.nonzeros) / gpu_tiles_wanted;
  return std::max(std::min(wanted, largest), smallest_gpu_tile);
}

SpmvVariant choose_variant(const DeviceTraits& device, const RowStatistics& rows,
                           bool lanes_are_given) {
  // On a host equal shares of the path are equal shares of the work, one tile a thread.
  if (!device.gpu) return SpmvVariant::merge_path;
  // One team holds `team_threads / lanes` rows and ends with its longest. Where a row is that much
  // longer than the mean, shares of the path win.
  const double skew = rows.mean > 0 ? static_cast<double>(rows.longest) / rows.mean : 1;
  if (skew > 64 && rows.longest > 4096) return SpmvVariant::merge_path;
  // A team of `staged` ends with its longest row, too, at two threads a row. It has no lanes.
  if (!lanes_are_given && rows.mean <= longest_staged_mean &&
      static_cast<double>(rows.longest) <= 8 * rows.mean + 64)
    return SpmvVariant::staged;
  return SpmvVariant::team_vector;
}

}  // namespace

SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested) {
  check_options(requested);
  SpmvOptions chosen = requested;
  if (chosen.variant == SpmvVariant::automatic)
    chosen.variant = choose_variant(device, rows, requested.vector_length > 0);
  if (const int lanes = named_lanes(chosen.variant); lanes > 0) {
    // A choice that was made before is taken again.
    const int here = device.gpu ? lanes : 1;
    require(
        chosen.vector_length == 0 || chosen.vector_length == lanes || chosen.vector_length == here,
        std::string(to_string(chosen.variant)) + " has " + std::to_string(lanes) +
            " lanes a row, not " + std::to_string(chosen.vector_length));
    chosen.vector_length = here;
  }
  if (device.gpu && chosen.variant == SpmvVariant::staged) {
    chosen.vector_length = 1;
    if (chosen.team_size == 0) chosen.team_size = staged_threads;
    if (chosen.rows_per_team == 0) chosen.rows_per_team = std::min(staged_rows, chosen.team_size);
    if (chosen.items_per_tile == 0) {
      const auto entries = static_cast<Offset>(chosen.rows_per_team * rows.mean * 1.05) + 8;
      chosen.items_per_tile =
          std::clamp<Offset>((entries + 3) / 4 * 4, 256, largest_staged_entries);
    }
    require(chosen.rows_per_team <= chosen.team_size && chosen.items_per_tile % 4 == 0 &&
                chosen.items_per_tile <= largest_staged_entries,
            "staged takes at most a row per thread, and a multiple of 4 entries up to " +
                std::to_string(largest_staged_entries));
    check_choice(device, chosen);
    return chosen;
  }
  if (device.gpu) {
    if (chosen.vector_length == 0) {
      chosen.vector_length = choose_vector_length(rows.mean);
      while (chosen.vector_length > 1 &&
             static_cast<std::int64_t>(chosen.team_size) * chosen.vector_length > largest_team)
        chosen.vector_length /= 2;
    }
    if (chosen.team_size == 0) {
      const bool warps = chosen.variant == SpmvVariant::merge_path && chosen.vector_length == warp;
      chosen.team_size =
          (warps ? merge_path_warp_team_threads : team_threads) / chosen.vector_length;
    }
    if (chosen.rows_per_team == 0) chosen.rows_per_team = chosen.team_size;
    if (chosen.items_per_tile == 0) chosen.items_per_tile = choose_gpu_tile(rows, chosen.team_size);
  } else {
    // Host kernels vectorise within a row by themselves.
    if (chosen.vector_length == 0) chosen.vector_length = 1;
    if (chosen.team_size == 0) chosen.team_size = 1;
    if (chosen.rows_per_team == 0) chosen.rows_per_team = host_rows_per_team;
    if (chosen.items_per_tile == 0) {
      const Offset items = rows.rows + rows.nonzeros;
      const Offset tiles =
          chosen.deterministic ? deterministic_tiles : static_cast<Offset>(device.concurrency);
      chosen.items_per_tile = std::max<Offset>(1, (items + tiles - 1) / tiles);
    }
  }
  // A league is counted by an int.
  constexpr Offset most_tiles = std::numeric_limits<int>::max();
  const Offset path_length = rows.rows + rows.nonzeros;
  chosen.items_per_tile =
      std::max(chosen.items_per_tile, (path_length + most_tiles - 1) / most_tiles);
  check_choice(device, chosen);
  return chosen;
}

Impl::ColumnTiles Impl::reduction_tiles(Offset blocks, Offset columns) {
  // Four teams of `reduction_threads` for each of the 132 multiprocessors of an H200.
  constexpr Offset enough_teams = 512;
  int lanes = 1;
  while (lanes < 32 && lanes < columns) lanes *= 2;
  while (lanes > 8 && blocks * ((columns + lanes - 1) / lanes) < enough_teams) lanes /= 2;
  const Offset tiles = (columns + lanes - 1) / lanes;
  const Offset width = tiles > 0 ? (columns + tiles - 1) / tiles : 0;
  while (lanes > 1 && lanes / 2 >= width) lanes /= 2;
  return {lanes, width, tiles};
}

}  // namespace Tomokkos
