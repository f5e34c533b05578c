// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with ray tiles on GPUs: one team per block.
#pragma once

#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_RayTilesStreams.hpp>
#include <impl/Tomokkos_ScratchArray.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

inline constexpr int tile_threads = 512;

/// Chunks that a warp loads before it uses any of them: 16 bytes a lane with packed values,
/// otherwise 24, with `tile_teams` teams at a time.
template <StoredPrecision Values>
inline constexpr unsigned tile_batch_size = Values == StoredPrecision::plain ? 4 : 3;

/// Selects the blocks of a launch with all their rows: the listed blocks or, without a list,
/// successive ones.
struct EveryRow {
  static constexpr bool is_every = true;
  const Ordinal* blocks = nullptr;
  Offset first = 0;  // used without a list
  KOKKOS_FORCEINLINE_FUNCTION Offset block(Offset number) const {
    return blocks != nullptr ? Offset{blocks[number]} : first + number;
  }
  template <class Block>
  KOKKOS_FORCEINLINE_FUNCTION BlockPart part(const Block& block) const {
    return {0, block.num_segments, 0, block.num_chunks};
  }
  KOKKOS_FORCEINLINE_FUNCTION bool holds(Offset) const { return true; }
  /// Entry of `y` for a row.
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION Scalar entry(const Scalar* y, Offset row) const {
    return y[row];
  }
};

/// Selects the rows `begin` to `end`, and their segments in the blocks of their groups.
struct RowsOfGroups {
  static constexpr bool is_every = false;
  const Ordinal* blocks;
  Offset begin, end;
  KOKKOS_FORCEINLINE_FUNCTION Offset block(Offset number) const { return blocks[number]; }
  template <class Block>
  KOKKOS_FORCEINLINE_FUNCTION BlockPart part(const Block& block) const {
    return block.part(begin, end);
  }
  KOKKOS_FORCEINLINE_FUNCTION bool holds(Offset row) const { return row >= begin && row < end; }
  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION Scalar entry(const Scalar* y, Offset row) const {
    return holds(row) ? y[row - begin] : Scalar(0);
  }
};

/// Counts the chunks that each block has to read for the rows.
template <class Scalar, StoredPrecision Values>
struct CountPartChunks {
  RayTilesStreams<Scalar, Values> A;
  RowsOfGroups rows;
  Ordinal* chunks;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    const BlockPart part = rows.part(A.block(rows.block(i)));
    chunks[i] = static_cast<Ordinal>(part.last_chunk - part.first_chunk);
  }
};

/// Marks a row that is outside the range of a launch.
inline constexpr std::uint32_t no_tile_row = 0xffffffffU;

/// Calls `take(pack, segment, heads, heads_up_to_lane)` for every pack of some chunks of a block.
/// Each lane has a pack, and all lanes of a warp call together. `segment` is the number of the
/// segment within the block, `heads` the lanes at which segments begin, `heads_up_to_lane` those of
/// them up to this lane.
template <class Block, class Member, class Take>
KOKKOS_FORCEINLINE_FUNCTION void for_packs(const Block& block, const BlockPart& part,
                                           const Member& member, const Take& take) {
  const unsigned rank = static_cast<unsigned>(member.team_rank());
  const unsigned lane = rank % tile_chunk;
  constexpr unsigned warps = tile_threads / tile_chunk;
  constexpr unsigned batch_size = tile_batch_size<Block::stored_precision>;
  const unsigned up_to_me = 0xffffffffU >> (31U - lane);
  const auto process_batch = [&](unsigned c, auto is_whole) {
    constexpr bool whole = decltype(is_whole)::value;
    typename Block::PackType packs[batch_size];
    unsigned before[batch_size];
    const std::size_t first = std::size_t{c} * tile_chunk + lane;
    for (unsigned i = 0; i < batch_size; ++i) {
      if (!whole && c + i * warps >= part.last_chunk) continue;
      packs[i] = block.pack(first + i * (warps * tile_chunk));
      before[i] = load_streamed_entry(block.chunk_segments + std::size_t{c} + i * warps);
    }
    for (unsigned i = 0; i < batch_size; ++i) {
      if (!whole && c + i * warps >= part.last_chunk) continue;
      const unsigned heads = warp_ballot(packs[i].begins_segment());
      const unsigned heads_up_to_lane = heads & up_to_me;
      take(packs[i], before[i] + count_lanes(heads_up_to_lane) - 1U, heads, heads_up_to_lane);
    }
  };
  // All rounds but the last are complete, so they need no bounds check.
  unsigned c = part.first_chunk + rank / tile_chunk;
  for (; c + (batch_size - 1) * warps < part.last_chunk; c += batch_size * warps)
    process_batch(c, std::true_type());
  if (c < part.last_chunk) process_batch(c, std::false_type());
}

/// Adds the row sums of a block, as integers, to the sums shared with other blocks.
///
/// \tparam Rows `EveryRow` or `RowsOfGroups`
/// \tparam absolute sums |A| instead of A, for a bound of the sums
template <class ExecutionSpace, class Scalar, StoredPrecision Values, class Rows,
          bool absolute = false>
struct RayTilesForward {
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  RayTilesStreams<Scalar, Values> A;
  Rows rows;
  const Scalar* x;
  const double* bound;  // largest entry of x
  double row_bound;     // largest sum of a row of |A|
  long long* row_sums;
  unsigned char* faults;

  /// Position of entry \p i of a tile in scratch memory. Lines of 64 entries are shifted against
  /// each other: a ray that crosses them steeply would otherwise find all its entries in one bank.
  /// The shift pays only if the stream of values does not take longer.
  KOKKOS_FORCEINLINE_FUNCTION static unsigned place(unsigned i) {
    return Values == StoredPrecision::plain ? i : i + (i >> 6) * 13;
  }
  static std::size_t tile_bytes(Ordinal tile) {
    return (std::size_t{place(static_cast<unsigned>(tile))} + 1) * sizeof(Scalar);
  }
  static std::size_t scratch_bytes(Ordinal tile) {
    return tile_bytes(tile) + most_tile_segments * sizeof(std::uint32_t);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto block = A.block(rows.block(member.league_rank()));
    auto* const x_tile = static_cast<Scalar*>(member.team_shmem().get_shmem(
        static_cast<std::ptrdiff_t>((place(static_cast<unsigned>(A.tile)) + 1) * sizeof(Scalar))));
    auto* const segment_rows = static_cast<std::uint32_t*>(
        member.team_shmem().get_shmem(most_tile_segments * sizeof(std::uint32_t)));
    bool faulty = false;
    for (int i = member.team_rank(); i < block.width; i += tile_threads) {
      const Scalar value = x[block.first_column + i];
      x_tile[place(static_cast<unsigned>(i))] = value;
      faulty |= !(value - value == 0);
    }
    if (member.team_rank() == 0)
      x_tile[place(static_cast<unsigned>(A.tile))] = 0;  // multiplies padding
    for (unsigned s = member.team_rank(); s < block.num_segments; s += tile_threads) {
      std::uint32_t row = block.rows[s];
      if (!rows.holds(block.first_row + row)) row = no_tile_row;
      segment_rows[s] = row;
    }
    const double bounded = *bound * row_bound;
    // Below this bound, no sum of finite numbers overflows its type.
    const bool doubtful =
        team_barrier_or(member, faulty || !(bounded < (sizeof(Scalar) == 4 ? 1e37 : 1e307)));
    const double scale =
        bounded > 0 ? power_of_two(fixed_point_exponent(bounded, fixed_point_bits<long long>))
                    : 0.0;
    long long* const sums = row_sums + block.first_row;
    unsigned char* const row_faults = faults + block.first_row;
    const int lane = member.team_rank() % tile_chunk;
    const ScratchArray<Scalar> of_tile(x_tile);
    const ScratchArray<std::uint32_t> row_of(segment_rows);
    const unsigned after_me = lane < tile_chunk - 1 ? 2U << lane : 1U;
    for_packs(block, rows.part(block), member,
              [&](const TilePack<Scalar, Values>& pack, unsigned segment, unsigned heads,
                  unsigned heads_up_to_lane) {
                Scalar sum = 0;
                for (int c = 0; c < tile_pack; ++c) {
                  const Scalar value = absolute ? fabs(block.value(pack, c)) : block.value(pack, c);
                  sum += value * of_tile[place(pack.index(c))];
                }
                sum = sum_from_head(sum, heads_up_to_lane);
                if (((heads | 1U) & after_me) == 0) return;
                // This lane is the last of the segment or of its part in this chunk.
                const std::uint32_t row = row_of[segment];
                if (!Rows::is_every && row == no_tile_row) return;
                if (!doubtful || sum - sum == 0)
                  add_shared(sums + row, nearest(static_cast<double>(sum) * scale));
                else
                  row_faults[row] = 1;
              });
  }
};

/// Adds the column sums of a block, as integers: first in scratch memory, then to the sums shared
/// with other blocks.
///
/// \tparam Rows `EveryRow` or `RowsOfGroups`
/// \tparam absolute sums |A| instead of A, for a bound of the sums
template <class ExecutionSpace, class Scalar, StoredPrecision Values, class Integer, class Rows,
          bool absolute = false>
struct RayTilesBack {
  /// Type of the products before they are rounded to integers.
  using Real = std::conditional_t<sizeof(Integer) == 4, float, double>;
  using Policy = Kokkos::TeamPolicy<ExecutionSpace>;
  using Member = typename Policy::member_type;
  RayTilesStreams<Scalar, Values> A;
  Rows rows;
  const Scalar* y;
  const double* bound;  // largest entry of y
  double column_bound;  // largest sum of a column of |A|
  int bits;
  Integer* column_sums;
  unsigned char* faults;

  static std::size_t scratch_bytes(Ordinal tile) {
    return (static_cast<std::size_t>(tile) + 1) * sizeof(Integer) +
           most_tile_segments * sizeof(Real) + sizeof(Real);
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const auto block = A.block(rows.block(member.league_rank()));
    auto* const weights =
        static_cast<Real*>(member.team_shmem().get_shmem(most_tile_segments * sizeof(Real)));
    auto* const window = static_cast<Integer*>(
        member.team_shmem().get_shmem(static_cast<std::ptrdiff_t>((A.tile + 1) * sizeof(Integer))));
    for (int i = member.team_rank(); i < block.width; i += tile_threads) window[i] = 0;
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    bool faulty = false;
    for (unsigned s = member.team_rank(); s < block.num_segments; s += tile_threads) {
      const Real weight = static_cast<Real>(
          static_cast<double>(rows.entry(y, block.first_row + block.rows[s])) * scale);
      weights[s] = weight;
      faulty |= !(weight - weight == 0);
    }
    const bool doubtful = team_barrier_or(member, faulty);
    const ScratchArray<Integer> in_window(window);
    const ScratchArray<Real> weight_of(weights);
    for_packs(block, rows.part(block), member,
              [&](const TilePack<Scalar, Values>& pack, unsigned segment, unsigned, unsigned) {
                const Real r = weight_of[segment];
                if (!doubtful || r - r == 0) {
                  // Padding adds to the element after the last column of the window.
                  for (int c = 0; c < tile_pack; ++c) {
                    const Scalar value =
                        absolute ? fabs(block.value(pack, c)) : block.value(pack, c);
                    in_window.add(pack.index(c),
                                  static_cast<Integer>(nearest(static_cast<Real>(value) * r)));
                  }
                } else {
                  for (int c = 0; c < tile_pack; ++c)
                    if (pack.index(c) < static_cast<unsigned>(block.width))
                      faults[block.first_column + pack.index(c)] = 1;
                }
              });
    member.team_barrier();
    for (int i = member.team_rank(); i < block.width; i += tile_threads)
      if (window[i] != 0) add_shared(column_sums + block.first_column + i, window[i]);
  }
};

}  // namespace Tomokkos::Impl
