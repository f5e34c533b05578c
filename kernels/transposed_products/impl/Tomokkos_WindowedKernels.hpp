// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposed products of CSR by windows. A team, or a host thread, adds to the tile of columns that
// it holds.
#pragma once

#include <Tomokkos_SpmvWindowed.hpp>
#include <impl/Tomokkos_FixedSums.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_ScratchArray.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// Segments of a matrix as raw pointers: functors that capture them stay small.
template <class Scalar>
struct WindowStreams {
  const Offset* tile_blocks;
  const Ordinal* block_order;
  const Ordinal* block_tiles;
  const Offset* segment_offsets;
  const Offset* segment_begins;
  const Ordinal* segment_rows;
  const std::uint16_t* segment_lengths;
  const Ordinal* columns;
  const Scalar* values;
  Offset nonzeros;
  Ordinal tile, num_cols;
  /// Range of the rows of the product.
  Ordinal row_begin, row_end;
  bool restricted;
  /// True if columns and values may be read in packs.
  bool aligned;

  template <class Plan, class Matrix>
  WindowStreams(const Plan& plan, const Matrix& A, RowRange rows)
      : tile_blocks(plan.tile_blocks().data()),
        block_order(plan.block_order().data()),
        block_tiles(plan.block_tiles().data()),
        segment_offsets(plan.segment_offsets().data()),
        segment_begins(plan.segment_begins().data()),
        segment_rows(plan.segment_rows().data()),
        segment_lengths(plan.segment_lengths().data()),
        columns(A.columns.data()),
        values(A.values.data()),
        nonzeros(A.num_nonzeros()),
        tile(plan.tile()),
        num_cols(A.num_cols),
        row_begin(rows.begin),
        row_end(rows.end),
        restricted(rows.begin != 0 || rows.end != A.num_rows),
        aligned(is_pack_aligned(A.columns.data()) && is_pack_aligned(A.values.data())) {}

  KOKKOS_FORCEINLINE_FUNCTION Offset first_column(Ordinal t) const { return Offset{t} * tile; }
  KOKKOS_FORCEINLINE_FUNCTION int width(Ordinal t) const {
    const Offset left = num_cols - first_column(t);
    return left < tile ? static_cast<int>(left) : tile;
  }
  /// Returns the segments of a block that are within the rows of the product.
  KOKKOS_FUNCTION void segments(Offset block, Offset& begin, Offset& end) const {
    begin = segment_offsets[block];
    end = segment_offsets[block + 1];
    if (!restricted) return;
    const Offset first = lower_bound(begin, end, row_begin);
    end = lower_bound(first, end, row_end);
    begin = first;
  }

 private:
  KOKKOS_FUNCTION Offset lower_bound(Offset low, Offset high, Ordinal row) const {
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (segment_rows[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }
};

inline constexpr int window_threads = 512;
/// Lanes that share a segment, and segments that they process at the same time with one pack per
/// lane.
inline constexpr int window_lanes = 16;
inline constexpr int segments_in_flight = 1;
/// Minimum number of teams that share a multiprocessor, which bounds the registers.
inline constexpr int window_teams = 3;

/// Forms the column sums of a block as integers, first in scratch memory.
///
/// \tparam absolute true for |A| and a vector of ones, to bound the sums
template <class ExecutionSpace, class Scalar, class Integer, bool absolute = false>
struct WindowedColumnSums {
  /// Type of the products before rounding to integers.
  using Real = std::conditional_t<sizeof(Integer) == 4, float, double>;
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace, Kokkos::LaunchBounds<window_threads, window_teams>>;
  using Member = typename Policy::member_type;
  static constexpr int groups = window_threads / window_lanes;

  WindowStreams<Scalar> A;
  const Scalar* x;
  int stride;           // stride of x
  const double* bound;  // largest entry of x
  double column_bound;  // largest column sum of |A|
  int bits;
  Integer* column_sums;
  unsigned char* faults;

  static std::size_t scratch_bytes(Ordinal tile) {
    return static_cast<std::size_t>(tile) * sizeof(Integer) + most_tile_segments * sizeof(Real) +
           16;
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Ordinal block = A.block_order[member.league_rank()];
    const Ordinal t = A.block_tiles[block];
    const int width = A.width(t);
    Offset begin, end;
    A.segments(block, begin, end);
    if (begin == end) return;
    const auto count = static_cast<int>(end - begin);
    auto* const window = static_cast<Integer*>(member.team_shmem().get_shmem(
        static_cast<std::ptrdiff_t>(static_cast<std::size_t>(A.tile) * sizeof(Integer))));
    auto* const weights =
        static_cast<Real*>(member.team_shmem().get_shmem(most_tile_segments * sizeof(Real)));
    for (int i = member.team_rank(); i < width; i += window_threads) window[i] = 0;
    const double bounded = *bound * column_bound;
    const double scale = bounded > 0 ? power_of_two(fixed_point_exponent(bounded, bits)) : 0.0;
    bool faulty = false;
    for (int s = member.team_rank(); s < count; s += window_threads) {
      weights[s] = static_cast<Real>(weight(A.segment_rows[begin + s]) * scale);
      faulty |= !(weights[s] - weights[s] == 0);
    }
    const bool doubtful = team_barrier_or(member, faulty);
    const auto first = static_cast<Ordinal>(A.first_column(t));
    const int lane = member.team_rank() % window_lanes;
    const Window in_window{ScratchArray<Integer>(window), ScratchArray<Real>(weights), first,
                           doubtful};
    constexpr int step = segments_in_flight * groups;
    int s = member.team_rank() / window_lanes;
    Segments segments = find(begin, s, count, lane);
    for (; s < count; s += step) {
      const Segments next = find(begin, s + step, count, lane);
      add_segments(segments, s, in_window);
      segments = next;
    }
    member.team_barrier();
    for (int i = member.team_rank(); i < width; i += window_threads)
      if (window[i] != 0) add_shared(column_sums + first + i, window[i]);
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION double weight(Ordinal row) const {
    if constexpr (absolute)
      return 1;
    else
      return static_cast<double>(x[Offset{row - A.row_begin} * stride]);
  }

  /// Sums of a team and the weights of its segments.
  struct Window {
    ScratchArray<Integer> sums;
    ScratchArray<Real> weights;
    Ordinal first;  // first column
    bool doubtful;  // true if some weight is not finite
  };

  /// Segments that a lane processes: position of its first pack in A, number of the first entry of
  /// this pack within the segment (negative before the segment), and length of the segment.
  struct Segments {
    Offset at[segments_in_flight];
    int first[segments_in_flight], length[segments_in_flight];
  };

  KOKKOS_FORCEINLINE_FUNCTION Segments find(Offset begin, int s, int count, int lane) const {
    Segments found;
    for (int i = 0; i < segments_in_flight; ++i) {
      const int mine = s + i * groups;
      found.at[i] = 0;
      found.first[i] = found.length[i] = 0;
      if (mine < count) {
        const Offset from = A.segment_begins[begin + mine];
        const int before = static_cast<int>(from % pack_size);
        found.first[i] = lane * pack_size - before;
        found.at[i] = from + found.first[i];
        found.length[i] = A.segment_lengths[begin + mine];
      }
    }
    return found;
  }

  /// Adds the segments from number \p s of the block on, together.
  KOKKOS_FORCEINLINE_FUNCTION void add_segments(const Segments& segments, int s,
                                                const Window& window) const {
    int longest = 0;
    for (int i = 0; i < segments_in_flight; ++i) {
      const int left = segments.length[i] - segments.first[i];
      longest = left > longest ? left : longest;
    }
    for (int done = 0; done < longest; done += window_lanes * pack_size) {
      Pack<Ordinal> columns[segments_in_flight];
      Pack<Scalar> values[segments_in_flight];
      for (int i = 0; i < segments_in_flight; ++i)
        if (segments.first[i] + done < segments.length[i])
          load(segments.at[i] + done, segments.first[i] + done, segments.length[i], columns[i],
               values[i]);
      for (int i = 0; i < segments_in_flight; ++i) {
        const int first = segments.first[i] + done;
        if (first >= segments.length[i]) continue;
        const Real r = window.weights[s + i * groups];
        for (int c = 0; c < pack_size; ++c)
          if (contains(first + c, segments.length[i]))
            add(columns[i].value[c], values[i].value[c], r, window);
      }
    }
  }

  /// True if a segment of length \p length has entry \p number; one comparison.
  KOKKOS_FORCEINLINE_FUNCTION static bool contains(int number, int length) {
    return static_cast<unsigned>(number) < static_cast<unsigned>(length);
  }

  /// Loads the pack at \p at, whose first entry is number \p first. Only entries of the segment are
  /// used.
  KOKKOS_FORCEINLINE_FUNCTION void load(Offset at, int first, int length, Pack<Ordinal>& columns,
                                        Pack<Scalar>& values) const {
    // The last pack may end after the segment, but not after the matrix.
    if (A.aligned && at + pack_size <= A.nonzeros) {
      columns = load_streamed(A.columns + at);
      values = load_streamed(A.values + at);
      return;
    }
    for (int c = 0; c < pack_size; ++c)
      if (contains(first + c, length)) {
        columns.value[c] = A.columns[at + c];
        values.value[c] = A.values[at + c];
      }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, Real r,
                                       const Window& window) const {
    const Scalar entry = absolute ? static_cast<Scalar>(fabs(value)) : value;
    if (!window.doubtful || r - r == 0)
      window.sums.add(static_cast<unsigned>(column - window.first),
                      static_cast<Integer>(nearest(static_cast<Real>(entry) * r)));
    else
      faults[column] = 1;
  }
};

/// Processes a share of the segments of a tile on a host. Sums of a block use the precision of the
/// vectors, sums over blocks use double.
template <class Scalar>
struct WindowedHost {
  WindowStreams<Scalar> A;
  const Scalar* x;
  int stride, shares;
  double* windows;

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Offset item) const {
    const auto t = static_cast<Ordinal>(item / shares);
    const Offset share = item % shares;
    const int width = A.width(t);
    double* const total = windows + item * A.tile;
    for (int i = 0; i < width; ++i) total[i] = 0;
    const Offset blocks = A.tile_blocks[t + 1] - A.tile_blocks[t];
    const Offset last = A.tile_blocks[t] + blocks * (share + 1) / shares;
    Scalar window[largest_tile];
    for (Offset b = A.tile_blocks[t] + blocks * share / shares; b < last; ++b) {
      Offset begin, end;
      A.segments(b, begin, end);
      if (begin == end) continue;
      for (int i = 0; i < width; ++i) window[i] = 0;
      for (Offset s = begin; s < end; ++s) {
        if (s + ahead < end) prefetch(s + ahead);
        add_segment(s, A.first_column(t), window);
      }
      for (int i = 0; i < width; ++i) total[i] += static_cast<double>(window[i]);
    }
  }

 private:
  /// Distance, in segments, between addition and prefetching: each segment begins on another page.
  static constexpr Offset ahead = 8;

  [[gnu::always_inline]] inline void prefetch(Offset s) const {
    constexpr Offset line = 16;
    const Offset begin = A.segment_begins[s];
    for (Offset k = 0; k < A.segment_lengths[s]; k += line) {
      __builtin_prefetch(A.columns + begin + k);
      __builtin_prefetch(A.values + begin + k);
    }
  }

  void add_segment(Offset s, Offset first, Scalar* window) const {
    const Scalar r = x[Offset{A.segment_rows[s] - A.row_begin} * stride];
    const Ordinal* const columns = A.columns + A.segment_begins[s];
    const Scalar* const values = A.values + A.segment_begins[s];
    const int length = A.segment_lengths[s];
    for (int k = 0; k < length; ++k) window[columns[k] - first] += values[k] * r;
  }
};

/// Adds the shares of each column in their order.
template <class Scalar>
struct AddHostWindows {
  const double* windows;
  Ordinal tile;
  int shares;
  Scalar alpha, beta;
  Scalar* to;
  int stride;

  void operator()(const Offset j) const {
    const Offset t = j / tile;
    double sum = 0;
    for (int share = 0; share < shares; ++share)
      sum += windows[(t * shares + share) * tile + (j - t * tile)];
    const Scalar product = static_cast<Scalar>(static_cast<double>(alpha) * sum);
    Scalar& result = to[j * stride];
    result = beta == Scalar(0) ? product : product + beta * result;
  }
};

}  // namespace Tomokkos::Impl
