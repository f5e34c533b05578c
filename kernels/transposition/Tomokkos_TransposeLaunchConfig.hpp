// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <array>

namespace Tomokkos {

/// \brief True if hosts, or GPUs, have \p variant.
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

/// \brief Returns all parameters of a transposition. Pure function.
///
/// The result contains no `automatic`, and no 0 where its variant needs a value.
///
/// \param entry_bytes bytes of a column and a value of the matrix
/// \throws Error when the request cannot be run: a variant that the device does not have, negative
/// numbers, parts of `merge_trans` that are not a power of two
TransposeOptions choose_transposition(const DeviceTraits& device, const MatrixShape& shape,
                                      std::size_t entry_bytes,
                                      const TransposeOptions& requested = {});

/// \brief One stable split of entries by a digit of their column.
struct TransposeSplit {
  int shift = 0;    ///< bits of the column below the digit
  int buckets = 1;  ///< values of the digit
  Offset segments =
      1;              ///< runs of entries with equal previous digits; each run is split separately
  int tiles = 1;      ///< tiles of a group of entries; their counts are kept separately
  Offset groups = 1;  ///< maximum number of groups in all segments; each segment has at least one
};

/// \brief Splits of `multisplit`, from the highest digit to the lowest.
struct TransposeSplits {
  int count = 0;
  std::array<TransposeSplit, 4> splits;
};

/// \brief Plans digits of at most `Impl::split_bits` bits. Digits have about equal sizes; higher
/// digits get the additional bits. Pure function.
///
/// \param tile_entries entries that a team orders at a time
TransposeSplits plan_transpose_splits(const MatrixShape& shape, int tile_entries);

namespace Impl {

/// Lanes that count or place the entries of a row in a transposition by claims, and rows per team.
/// Chosen as for the transposed product by atomics, which traverses the matrix in the same way; not
/// measured.
inline constexpr int transpose_claim_lanes = 32;
inline constexpr int transpose_claim_members = 8;

/// Maximum number of bits in a digit. A counter per value and warp, and a position per value, fill
/// the part of 48 KiB of scratch memory that the entries of a tile leave.
inline constexpr int split_bits = 10;

/// Threads of a team, and entries per thread: 4096 entries in total. On average 4 of them share a
/// bucket, more in matrices whose neighbouring rows are similar. Not measured.
inline constexpr int split_threads = 512;
inline constexpr int split_thread_entries = 8;

// Counters of 16 bits for every warp, a start and a position for each value of a digit, sums of
// warps, alignment, and the reserve of Kokkos for a team.
static_assert(((split_threads / 32 * 2 + 10) << split_bits) + split_threads / 32 * 4 + 64 +
                  8 * (split_threads + 2) <=
              48 << 10);

/// Minimum number of teams that share a multiprocessor, which leaves each thread 64 registers: 8
/// entries with row, column, value and position need most of them.
inline constexpr int split_teams = 2;

/// Entries of a team on a host, which is one thread.
inline constexpr int split_host_entries = 512;

/// Maximum number of tiles in a group: the 16-bit counts before a tile then cannot overflow.
inline constexpr int split_group_tiles = 16;
static_assert((split_group_tiles - 1) * split_threads * split_thread_entries < (1 << 16));

}  // namespace Impl

}  // namespace Tomokkos
