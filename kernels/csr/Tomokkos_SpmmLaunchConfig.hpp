// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>

namespace Tomokkos {

/// \brief Launch parameters of a product with several vectors; 0 means "chosen by the library".
/// Ignored on a host.
struct SpmmOptions {
  /// Groups of lanes that share the entries of a row: 1, 2, 4, ... Each group processes all
  /// vectors.
  int parts = 0;
  /// Rows that a team processes at the same time.
  int team_size = 0;
};

/// \brief Maximum number of threads per team, for which the kernels are compiled. Measured on an
/// H200 with 32 vectors, in TFLOP/s: 128 threads 6.2, 256 and 512 threads 6.8.
inline constexpr int spmm_team_threads = 256;

/// \brief Maximum number of vectors in one pass over the matrix; more vectors need several passes.
inline constexpr int spmm_widest = 32;

/// \brief Returns the number of passes over the matrix for \p vectors vectors on a GPU. A host
/// needs one.
constexpr int spmm_passes(int vectors) { return (vectors + spmm_widest - 1) / spmm_widest; }

/// \brief Returns the width of the next pass when \p left vectors remain.
///
/// The width is \p left rounded up to a width for which kernels are compiled (1, 2, 4, 8, 16, 32),
/// at most `spmm_widest`.
int spmm_pass_width(int left);

/// \brief Returns the number of vectors per lane of a GPU: as many as one 16-byte load holds.
constexpr int spmm_vectors_per_lane(int width, int scalar_bytes) {
  const int loaded = 16 / scalar_bytes;
  return width < loaded ? width : loaded;
}

/// \brief Returns all launch parameters of a pass over the rows of a matrix.
///
/// \param mean_row_length mean number of entries per row (blocks for BCSR)
/// \param entries_per_step entries that a group of lanes processes at a time
/// \param width vectors of the pass
/// \param scalar_bytes bytes of a value
/// \param requested requested parameters; those that are 0 are chosen
/// \throws Error when no kernel can run the request: negative numbers, parts that are not a power
/// of two or do not fit the 32 lanes of a team member, more than `spmm_team_threads` threads per
/// team
SpmmOptions choose_spmm_launch(const DeviceTraits& device, double mean_row_length,
                               int entries_per_step, int width, int scalar_bytes,
                               const SpmmOptions& requested = {});

}  // namespace Tomokkos
