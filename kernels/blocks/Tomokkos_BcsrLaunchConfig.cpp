// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

// Threads of a team. Measured on an H200: four warps are 1 to 3 % faster than eight or sixteen.
constexpr int bcsr_team_threads = 128;

}  // namespace

SpmvOptions choose_bcsr_launch(const DeviceTraits& device, int block_size, Ordinal block_rows,
                               Offset blocks, const SpmvOptions& requested) {
  SpmvOptions chosen = requested;
  if (!device.gpu) {
    chosen.vector_length = 1;
    chosen.team_size = 1;
    return chosen;
  }
  require(chosen.vector_length == 0 ||
              (Impl::is_power_of_two(chosen.vector_length) && chosen.vector_length <= 32),
          Impl::text("vector_length must be 0 (automatic) or a power of two up to 32, not {}",
                     chosen.vector_length));
  const int fewest = bcsr_lanes_per_block(block_size);
  if (chosen.vector_length == 0) {
    // Use as many lanes as the mean block row keeps busy for a few rounds. Measured on an H200 with
    // 27 blocks a row, as a share of copy in float: 2x2 by 4 lanes 0.74, by 8 0.77, by 16 0.60; 4x4
    // by 8 lanes 0.83, by 16 0.87, by 32 0.79; 8x8 by 16 lanes 0.92, by 32 0.95.
    const double mean = block_rows > 0 ? static_cast<double>(blocks) / block_rows : 0;
    int lanes = fewest;
    while (lanes < 32 && 8 * lanes <= mean * std::max(fewest, 2)) lanes *= 2;
    chosen.vector_length = lanes;
  }
  chosen.vector_length = std::max(chosen.vector_length, fewest);
  if (chosen.team_size == 0) chosen.team_size = bcsr_team_threads / chosen.vector_length;
  require(static_cast<Offset>(chosen.team_size) * chosen.vector_length <= 1024,
          "team_size times vector_length of BCSR must not exceed 1024 threads");
  return chosen;
}

}  // namespace Tomokkos
