// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>

namespace Tomokkos {

/// \brief Launch numbers of a product with several vectors; 0 means "chosen by the library". A host
/// looks at none of them.
struct SpmmOptions {
  /// Groups of lanes that share the entries of a row: 1, 2, 4, ... Each group holds all vectors.
  int parts = 0;
  /// Rows that a team holds at the same time.
  int team_size = 0;
};

/// \brief The most threads of a team, for which the kernels are compiled. Measured on an H200 with
/// 32 vectors, in TFLOP/s: 128 threads 6.2, 256 and 512 threads 6.8.
inline constexpr int spmm_team_threads = 256;

/// \brief Vectors that one pass over the matrix serves at most; more are served in several passes.
inline constexpr int spmm_widest = 32;

/// \brief Passes over the matrix that a GPU takes for \p vectors vectors. A host takes one.
constexpr int spmm_passes(int vectors) { return (vectors + spmm_widest - 1) / spmm_widest; }

/// \brief Vectors of the pass that serves \p left more: all of them, rounded up to a width that
/// kernels are compiled for (1, 2, 4, 8, 16, 32), or the widest.
int spmm_pass_width(int left);

/// \brief Vectors that a lane of a GPU holds: as many as one 16-byte load brings.
constexpr int spmm_vectors_per_lane(int width, int scalar_bytes) {
  const int loaded = 16 / scalar_bytes;
  return width < loaded ? width : loaded;
}

/// \brief Every choice of a pass of width \p width over rows of \p mean_row_length entries (blocks
/// of BCSR) that \p entries_per_step of are taken at a time. Throws `Error` for what no kernel can
/// run: numbers that are negative, parts that are no power of two or do not fit the 32 lanes of a
/// team member, more than `spmm_team_threads` threads a team.
SpmmOptions choose_spmm_launch(const DeviceTraits& device, double mean_row_length,
                               int entries_per_step, int width, int scalar_bytes,
                               const SpmmOptions& requested = {});

}  // namespace Tomokkos
