// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <array>

namespace Tomokkos {

/// \brief True when hosts, or GPUs, have \p variant.
constexpr bool has_transpose_variant(TransposeVariant variant, bool gpu) {
  switch (variant) {
    case TransposeVariant::automatic:
      return true;
    case TransposeVariant::multisplit:
      return true;
    case TransposeVariant::banded:
    case TransposeVariant::scan_trans:
    case TransposeVariant::merge_trans:
      return !gpu;
    case TransposeVariant::claims:
      return gpu;
  }
  return false;
}

/// \brief Every choice of a transposition; a pure function. The result holds no `automatic` and no
/// 0 that its variant would need.
///
/// \param entry_bytes of a column and a value of the matrix
///
/// Throws `Error` for what cannot be run: a variant that the device does not have, numbers that are
/// negative, parts of `merge_trans` that are no power of two.
TransposeOptions choose_transposition(const DeviceTraits& device, const MatrixShape& shape,
                                      std::size_t entry_bytes,
                                      const TransposeOptions& requested = {});

/// \brief One stable split of entries by a digit of their column.
struct TransposeSplit {
  int shift = 0;        ///< bits of the column below the digit
  int buckets = 1;      ///< values of the digit
  Offset segments = 1;  ///< runs of entries, equal in the digits before, each split by itself
  int tiles = 1;        ///< of a group of entries, whose counts are kept apart
  Offset groups = 1;    ///< of all segments at most; each has one at least
};

/// \brief The splits of `multisplit`, from the highest digit to the lowest.
struct TransposeSplits {
  int count = 0;
  std::array<TransposeSplit, 4> splits;
};

/// \brief Digits of at most `Impl::split_bits` bits and about equal, the higher ones rather than
/// the lower ones with one more. A pure function.
///
/// \param tile_entries that a team orders at a time
TransposeSplits plan_transpose_splits(const MatrixShape& shape, int tile_entries);

namespace Impl {

/// Lanes that count or place the entries of a row in a transposition by claims, and rows of a team.
/// Chosen as those of the transposed product by atomics, which walks the matrix likewise; not
/// measured.
inline constexpr int transpose_claim_lanes = 32;
inline constexpr int transpose_claim_members = 8;

/// Bits of a digit at most: a counter for each of its values and each warp, and a place for each
/// value, fill what the entries of a tile leave of 48 KiB of scratch memory.
inline constexpr int split_bits = 10;

/// Threads of a team and entries of each of them: 4096 together, of which 4 share a bucket on
/// average, more in matrices whose neighbouring rows are alike. Not measured.
inline constexpr int split_threads = 512;
inline constexpr int split_thread_entries = 8;

// Counters of 16 bits for every warp, a start and a place for each value of a digit, sums of warps,
// alignment, and what Kokkos keeps for a team.
static_assert(((split_threads / 32 * 2 + 10) << split_bits) + split_threads / 32 * 4 + 64 +
                  8 * (split_threads + 2) <=
              48 << 10);

/// Teams that share a multiprocessor at least, which leaves each thread 64 registers: 8 entries of
/// row, column, value and place need most of them.
inline constexpr int split_teams = 2;

/// Entries of a team of a host, which is one thread.
inline constexpr int split_host_entries = 512;

/// Tiles of a group at most: so many 16-bit counts before a tile cannot overflow.
inline constexpr int split_group_tiles = 16;
static_assert((split_group_tiles - 1) * split_threads * split_thread_entries < (1 << 16));

}  // namespace Impl

}  // namespace Tomokkos
