// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FormatLaunchConfig.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace {

// Threads of a team. As for CSR (see Tomokkos_LaunchConfig.cpp): more than 512 gains nothing.
constexpr int team_threads = 256;

// Threads that a GPU wants at work: below this many, several share a row.
constexpr Offset threads_per_concurrent_thread = 1;

bool is_power_of_two(int value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

SpmvOptions choose_ell_r_launch(const DeviceTraits& device, Ordinal rows, Offset nonzeros,
                                const SpmvOptions& requested) {
  SpmvOptions chosen = requested;
  require(
      chosen.vector_length >= 0 && chosen.vector_length <= 8 &&
          (chosen.vector_length == 0 || is_power_of_two(chosen.vector_length)),
      "ELLPACK-R takes 1, 2, 4 or 8 threads a row, not " + std::to_string(chosen.vector_length));
  if (!device.gpu) {
    // A host thread vectorises within a row by itself.
    chosen.vector_length = 1;
    chosen.team_size = 1;
    return chosen;
  }
  if (chosen.vector_length == 0) {
    const double mean = rows > 0 ? static_cast<double>(nonzeros) / rows : 0;
    const Offset wanted = threads_per_concurrent_thread * device.concurrency;
    int threads = 1;
    while (threads < 8 && static_cast<Offset>(rows) * threads < wanted && mean >= 4 * threads)
      threads *= 2;
    chosen.vector_length = threads;
  }
  if (chosen.team_size == 0) chosen.team_size = team_threads / chosen.vector_length;
  return chosen;
}

SpmvOptions choose_bcsr_launch(const DeviceTraits& device, int block_size, Ordinal block_rows,
                               Offset blocks, const SpmvOptions& requested) {
  SpmvOptions chosen = requested;
  if (!device.gpu) {
    chosen.vector_length = 1;
    chosen.team_size = 1;
    return chosen;
  }
  require(chosen.vector_length == 0 ||
              (is_power_of_two(chosen.vector_length) && chosen.vector_length <= 32),
          "vector_length must be 0 (automatic) or a power of two up to 32, not " +
              std::to_string(chosen.vector_length));
  if (chosen.vector_length == 0) {
    // A lane per block, or nearly.
    const double mean = block_rows > 0 ? static_cast<double>(blocks) / block_rows : 0;
    int lanes = 1;
    while (lanes < 32 && 2 * lanes <= mean) lanes *= 2;
    chosen.vector_length = lanes;
  }
  if (chosen.team_size == 0)
    chosen.team_size = std::max(team_threads / chosen.vector_length / block_size, 1) * block_size;
  require(chosen.team_size % block_size == 0 && chosen.team_size * chosen.vector_length <= 1024,
          "a team of BCSR holds whole block rows and at most 1024 threads");
  return chosen;
}

}  // namespace Tomokkos
