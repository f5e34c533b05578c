// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

// Threads of an ELLPACK-R team: eight warps, so that several teams share a multiprocessor. Not
// measured separately.
constexpr int ell_r_team_threads = 256;

// Threads of a COO team. Measured on an H200: four warps are 1 to 3 % faster than eight or sixteen.
constexpr int coo_team_threads = 128;

// Entries of a COO tile on a GPU: 8 rounds of a warp. Measured on an H200 with 27 points 128^3 in
// float, as a share of copy: 512 entries 0.79, 1024 0.87, 2048 0.84, 4096 0.76.
constexpr Offset coo_gpu_tile = 1024;

// Number of tiles on a host if it must not depend on the number of threads, as for merge_path.
constexpr Offset deterministic_coo_tiles = 256;

}  // namespace

SpmvOptions choose_ell_r_launch(const DeviceTraits& device, Ordinal rows, Offset nonzeros,
                                const SpmvOptions& requested) {
  SpmvOptions chosen = requested;
  require(
      chosen.vector_length >= 0 && chosen.vector_length <= 8 &&
          (chosen.vector_length == 0 || Impl::is_power_of_two(chosen.vector_length)),
      Impl::text("ELLPACK-R requires 1, 2, 4 or 8 threads per row, not {}", chosen.vector_length));
  if (!device.gpu) {
    // A host thread vectorises within a row itself.
    chosen.vector_length = 1;
    chosen.team_size = 1;
    return chosen;
  }
  if (chosen.vector_length == 0) {
    const double mean = rows > 0 ? static_cast<double>(nonzeros) / rows : 0;
    // With fewer rows than threads of the device, several threads share a row.
    int threads = 1;
    while (threads < 8 && static_cast<Offset>(rows) * threads < device.concurrency &&
           mean >= 4 * threads)
      threads *= 2;
    chosen.vector_length = threads;
  }
  if (chosen.team_size == 0) chosen.team_size = ell_r_team_threads / chosen.vector_length;
  return chosen;
}

SpmvOptions choose_coo_launch(const DeviceTraits& device, Offset nonzeros,
                              const SpmvOptions& requested) {
  SpmvOptions chosen = requested;
  require(chosen.items_per_tile >= 0 && chosen.items_per_tile % 4 == 0,
          "items_per_tile of COO must be a multiple of 4 (0 means automatic)");
  if (device.gpu) {
    chosen.vector_length = coo_lanes;
    if (chosen.team_size == 0) chosen.team_size = coo_team_threads / coo_lanes;
    if (chosen.items_per_tile == 0) chosen.items_per_tile = coo_gpu_tile;
  } else {
    chosen.vector_length = 1;
    chosen.team_size = 1;
    if (chosen.items_per_tile == 0) {
      const Offset tiles = chosen.deterministic ? deterministic_coo_tiles : device.concurrency;
      chosen.items_per_tile = std::max<Offset>(4, ((nonzeros + tiles - 1) / tiles + 3) / 4 * 4);
    }
  }
  return chosen;
}

}  // namespace Tomokkos
