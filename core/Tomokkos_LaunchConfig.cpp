// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_LaunchConfig.hpp>

#include <algorithm>
#include <string>

namespace Tomokkos {
namespace {

// A warp of an NVIDIA GPU: the widest group of lanes that shares a row without scratch memory.
constexpr int warp = 32;

// Threads of a team: with 16-byte loads, four such teams keep enough bytes of a multiprocessor in
// flight.
constexpr int team_threads = 512;

// Entries that a lane takes with one pair of 16-byte loads; a row that is shorter than lanes times
// this leaves lanes idle.
constexpr int entries_per_load = 4;

// Rows + nonzeros of a merge-path tile on a GPU: 16 warps with about 1000 entries each, so that the
// two searches and the barrier of a tile cost little, and still 40 000 tiles on a matrix of 680 M
// nonzeros.
constexpr Offset gpu_items_per_tile = 16384;

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
  const int lanes = std::max(options.vector_length, 1);
  require(options.team_size * lanes <= 1024,
          "team_size times vector_length must not exceed 1024 threads, not " +
              std::to_string(options.team_size * lanes));
}

/// Lanes per row: as many as the mean row keeps busy with one load each.
int choose_vector_length(double mean_row_length) {
  int lanes = 1;
  while (lanes < warp && 2 * lanes * entries_per_load <= mean_row_length) lanes *= 2;
  return std::max(lanes, 2);
}

SpmvVariant choose_variant(const DeviceTraits& device, const RowStatistics& rows) {
  // On a host equal shares of the path are equal shares of the work, one tile a thread.
  if (!device.gpu) return SpmvVariant::merge_path;
  // One team holds `team_threads / lanes` rows and ends with its longest. Where a row is that much
  // longer than the mean, shares of the path win.
  const double skew = rows.mean > 0 ? static_cast<double>(rows.longest) / rows.mean : 1;
  if (skew > 64 && rows.longest > 4096) return SpmvVariant::merge_path;
  return SpmvVariant::team_vector;
}

}  // namespace

SpmvOptions choose_spmv_launch(const DeviceTraits& device, const RowStatistics& rows,
                               const SpmvOptions& requested) {
  check_options(requested);
  SpmvOptions chosen = requested;
  if (chosen.variant == SpmvVariant::automatic) chosen.variant = choose_variant(device, rows);
  if (device.gpu) {
    if (chosen.vector_length == 0) chosen.vector_length = choose_vector_length(rows.mean);
    if (chosen.team_size == 0) chosen.team_size = team_threads / chosen.vector_length;
    if (chosen.rows_per_team == 0) chosen.rows_per_team = chosen.team_size;
    if (chosen.items_per_tile == 0) chosen.items_per_tile = gpu_items_per_tile;
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
  return chosen;
}

}  // namespace Tomokkos
