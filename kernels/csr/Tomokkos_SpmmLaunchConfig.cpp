// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <algorithm>

namespace Tomokkos {
namespace {

// Lanes per row. With fewer lanes the loads of the matrix and of the vectors are not coalesced;
// with more lanes each has too few entries. Measured on an H200 with 680 M entries of a scan, in
// TFLOP/s: 8 vectors by 2 lanes 1.7, by 4 lanes 3.0, by 8 lanes 4.1, by 16 lanes 4.2; 16 vectors by
// 4 lanes 5.6, by 8 lanes 5.8; 32 vectors by 8 lanes 6.8, by 16 lanes 6.2.
constexpr int lanes_per_row = 8;

// Minimum number of steps for each part of a row. A part with fewer steps spends its time on the
// entries before and after whole packs and on the final sum. Measured on an H200 with 8 vectors, in
// TFLOP/s: rows of 54 entries by 1 part 2.8, by 2 parts 2.3, by 4 parts 1.6, by 8 parts 1.0; rows
// of 1224 by 1 part 2.2, by 2 parts 3.4, by 4 parts 3.6, by 8 parts 3.4.
constexpr int steps_per_part = 8;

}  // namespace

int spmm_pass_width(int left) {
  int width = 1;
  while (width < left && width < spmm_widest) width *= 2;
  return width;
}

SpmmOptions choose_spmm_launch(const DeviceTraits& device, double mean_row_length,
                               int entries_per_step, int width, int scalar_bytes,
                               const SpmmOptions& requested) {
  SpmmOptions chosen = requested;
  require(chosen.parts >= 0 && chosen.team_size >= 0,
          "parts and team_size must not be negative (0 means automatic)");
  if (!device.gpu) return {1, 1};
  const int lanes = width / spmm_vectors_per_lane(width, scalar_bytes);
  if (chosen.parts == 0) {
    chosen.parts = std::max(1, lanes_per_row / lanes);
    while (chosen.parts > 1 &&
           mean_row_length < static_cast<double>(steps_per_part) * entries_per_step * chosen.parts)
      chosen.parts /= 2;
  }
  require((chosen.parts & (chosen.parts - 1)) == 0 && chosen.parts * lanes <= 32,
          Impl::text("the parts of a row must be a power of two, at most {} for {} vectors, not {}",
                     32 / lanes, width, chosen.parts));
  if (chosen.team_size == 0) chosen.team_size = spmm_team_threads / (lanes * chosen.parts);
  require(static_cast<Offset>(chosen.team_size) * lanes * chosen.parts <= spmm_team_threads,
          Impl::text("a team must not have more than {} threads", spmm_team_threads));
  return chosen;
}

}  // namespace Tomokkos
