// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes `Y = alpha A X + beta Y` on a GPU, with row-major X and Y. The lanes of a team member
// share the vectors, so the row of X for an entry of A is one coalesced load, and A is read once
// for all vectors.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_PaddedRows.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <impl/Tomokkos_CsrRowSum_impl.hpp>
#include <impl/Tomokkos_Lanes_impl.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Entries of a row: `[head, tail)` relative to the pointers.
template <class Scalar>
struct RowSpan {
  const Ordinal* columns;
  const Scalar* values;
  Ordinal head, tail;
};

/// \brief Reader of CSR rows. With \p Packed, packs start on 16-byte boundaries: a span then begins
/// at the boundary before the row.
template <class Scalar, bool Packed>
struct CsrRowReader {
  const Ordinal* columns;
  const Scalar* values;
  const Offset* row_offsets;
  Ordinal num_slots;

  KOKKOS_FORCEINLINE_FUNCTION RowSpan<Scalar> span(Ordinal row) const {
    const Offset begin = row_offsets[row];
    const Offset start = Packed ? begin / pack_size * pack_size : begin;
    return {columns + start, values + start, static_cast<Ordinal>(begin - start),
            static_cast<Ordinal>(row_offsets[row + 1] - start)};
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset offset(Ordinal k) const { return k; }
  /// Returns the number of entries from the start of \p span whose columns may be read. Includes
  /// entries of later rows, for prefetching.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal known_entries(const RowSpan<Scalar>& span) const {
    const Offset left = columns + row_offsets[num_slots] - span.columns;
    const Offset most = static_cast<Offset>(span.tail) + 64;
    return static_cast<Ordinal>(left < most ? left : most);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const { return slot; }

  /// Loads the entries `[pack_size p, pack_size (p + 1))` of a span, which must all belong to the
  /// row.
  KOKKOS_FORCEINLINE_FUNCTION void load(const RowSpan<Scalar>& span, Ordinal p,
                                        Pack<Ordinal>& column, Pack<Scalar>& value) const {
    if constexpr (Packed) {
      column = load_streamed(span.columns + p * pack_size);
      value = load_streamed(span.values + p * pack_size);
    } else {
      for (int i = 0; i < pack_size; ++i) {
        column.value[i] = load_gathered(span.columns + p * pack_size + i);
        value.value[i] = load_gathered(span.values + p * pack_size + i);
      }
    }
  }
};

/// \brief Reader of rows of a padded format. With \p Packed, its packs are those of SELL.
template <class Scalar, bool Packed>
struct PaddedRowReader {
  PaddedRows<Scalar> A;
  Ordinal num_slots;

  KOKKOS_FORCEINLINE_FUNCTION RowSpan<Scalar> span(Ordinal slot) const {
    const Offset at = A.position(slot, 0);
    return {A.columns + at, A.values + at, 0, A.lengths[slot]};
  }
  KOKKOS_FORCEINLINE_FUNCTION Offset offset(Ordinal k) const {
    if (A.chunk_offsets == nullptr) return k * A.entry_stride;
    if (A.pack == 1) return static_cast<Offset>(k) * A.chunk;
    return static_cast<Offset>(k / A.pack) * A.chunk * A.pack + k % A.pack;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal known_entries(const RowSpan<Scalar>& span) const {
    return span.tail;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const { return A.row(slot); }

  KOKKOS_FORCEINLINE_FUNCTION void load(const RowSpan<Scalar>& span, Ordinal p,
                                        Pack<Ordinal>& column, Pack<Scalar>& value) const {
    if constexpr (Packed) {
      const Offset at = static_cast<Offset>(p) * A.chunk * pack_size;
      column = load_streamed(span.columns + at);
      value = load_streamed(span.values + at);
    } else {
      for (int i = 0; i < pack_size; ++i) {
        const Offset at = offset(p * pack_size + i);
        column.value[i] = load_gathered(span.columns + at);
        value.value[i] = load_gathered(span.values + at);
      }
    }
  }
};

/// Minimum number of teams that share a multiprocessor, which limits a thread to 128 registers; and
/// the number of packs whose rows of X a thread loads before it uses the first. More loads in
/// flight help more than more threads. Measured on an H200 with 32 vectors and 680 M entries of a
/// scan, in TFLOP/s: 1 pack and 64 registers 6.2, 2 packs and 80 registers 6.4, 3 packs and 114
/// registers 6.8, 4 packs and 127 registers 6.4.
inline constexpr int spmm_teams_per_multiprocessor = 2;
inline constexpr int spmm_unroll = 3;

/// \brief Multivectors of one pass: the vectors `[0, width)` from the pointers on, in rows that are
/// \p stride values apart.
template <class Scalar>
struct MultiVectorPass {
  const Scalar* x;
  Scalar* y;
  Scalar alpha, beta;
  Ordinal stride;
  int width;

  /// Returns the start of row \p row of X or Y. One multiplication of 32 by 32 bits.
  KOKKOS_FORCEINLINE_FUNCTION Offset at(Ordinal row) const {
    return static_cast<Offset>(row) * stride;
  }
};

/// \brief Distribution of the vectors of a pass, at most W, over the lanes. With \p Aligned a lane
/// holds V adjacent vectors, and rows are aligned for loads of that size; otherwise a lane holds
/// every L-th vector.
template <class Scalar, int W, bool Aligned>
struct LaneVectors {
  static constexpr int V = spmm_vectors_per_lane(W, sizeof(Scalar));
  static constexpr int L = W / V;

  KOKKOS_FORCEINLINE_FUNCTION static int vector(int lane, int v) {
    return Aligned ? lane * V + v : v * L + lane;
  }

  /// True if \p lane holds a vector of a pass of width \p width.
  KOKKOS_FORCEINLINE_FUNCTION static bool holds_any(int lane, int width) {
    return vector(lane, 0) < width;
  }

  /// Loads the vectors of \p lane from the row at \p from.
  KOKKOS_FORCEINLINE_FUNCTION static void load(const Scalar* from, int lane, int width,
                                               Scalar (&to)[V]) {
    if constexpr (Aligned) {
      load_gathered_block(from + lane * V, to);
    } else {
      for (int v = 0; v < V; ++v)
        to[v] = vector(lane, v) < width ? load_gathered(from + vector(lane, v)) : Scalar(0);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION static void store(const MultiVectorPass<Scalar>& pass, Ordinal row,
                                                int lane, const Scalar (&sum)[V]) {
    Scalar* const y = pass.y + pass.at(row);
    if constexpr (Aligned) {
      alignas(16) Scalar out[V];
      if (pass.beta != Scalar(0))
        for (int v = 0; v < V; ++v) out[v] = y[lane * V + v];
      for (int v = 0; v < V; ++v) out[v] = combine(pass.alpha, sum[v], pass.beta, out[v]);
      store_block(out, y + lane * V);
    } else {
      for (int v = 0; v < V; ++v) {
        const int j = vector(lane, v);
        if (j < pass.width) y[j] = combine(pass.alpha, sum[v], pass.beta, y[j]);
      }
    }
  }
};

/// \brief Processes a row with the lanes of one team member.
///
/// The lanes form `parts` groups of L lanes. Each group holds all vectors and processes every
/// `parts`-th pack of four entries. The next packs of a part are loaded before the rows of X for
/// the current packs.
template <class ExecutionSpace, class Scalar, class Reader, int W, bool Aligned>
struct SpmmRows {
  using Policy =
      Kokkos::TeamPolicy<ExecutionSpace,
                         Kokkos::LaunchBounds<spmm_team_threads, spmm_teams_per_multiprocessor>>;
  using Member = typename Policy::member_type;
  using Lanes = LaneVectors<Scalar, W, Aligned>;
  static constexpr int V = Lanes::V;
  static constexpr int L = Lanes::L;
  static constexpr int unroll = spmm_unroll;

  Reader A;
  MultiVectorPass<Scalar> pass;
  int parts;

  KOKKOS_FORCEINLINE_FUNCTION void add(Ordinal column, Scalar value, int lane,
                                       Scalar (&sum)[V]) const {
    alignas(16) Scalar x[V];
    Lanes::load(pass.x + pass.at(column), lane, pass.width, x);
    for (int v = 0; v < V; ++v) sum[v] += value * x[v];
  }

  template <int U>
  KOKKOS_FORCEINLINE_FUNCTION void add(const Pack<Ordinal> (&column)[U],
                                       const Pack<Scalar> (&value)[U], int lane,
                                       Scalar (&sum)[V]) const {
    alignas(16) Scalar x[U][pack_size][V];
    for (int u = 0; u < U; ++u)
      for (int i = 0; i < pack_size; ++i)
        Lanes::load(pass.x + pass.at(column[u].value[i]), lane, pass.width, x[u][i]);
    for (int u = 0; u < U; ++u)
      for (int i = 0; i < pack_size; ++i)
        for (int v = 0; v < V; ++v) sum[v] += value[u].value[i] * x[u][i][v];
  }

  /// Adds every `parts`-th pack of [p, last).
  KOKKOS_FORCEINLINE_FUNCTION void add_packs(const RowSpan<Scalar>& row, Ordinal p, Ordinal last,
                                             int lane, Scalar (&sum)[V]) const {
    Pack<Ordinal> next_column[unroll];
    Pack<Scalar> next_value[unroll];
    const auto load_next = [&]() {
      if (p + (unroll - 1) * parts >= last) return false;
      for (int u = 0; u < unroll; ++u) A.load(row, p + u * parts, next_column[u], next_value[u]);
      return true;
    };
    bool more = load_next();
    while (more) {
      Pack<Ordinal> column[unroll];
      Pack<Scalar> value[unroll];
      for (int u = 0; u < unroll; ++u) {
        column[u] = next_column[u];
        value[u] = next_value[u];
      }
      p += unroll * parts;
      more = load_next();
      add(column, value, lane, sum);
    }
    for (; p < last; p += parts) {
      Pack<Ordinal> column[1];
      Pack<Scalar> value[1];
      A.load(row, p, column[0], value[0]);
      add(column, value, lane, sum);
    }
  }

  KOKKOS_FORCEINLINE_FUNCTION void add_range(const RowSpan<Scalar>& row, Ordinal begin, Ordinal end,
                                             int lane, Scalar (&sum)[V]) const {
    for (Ordinal k = begin; k < end; ++k) {
      const Offset at = A.offset(k);
      add(load_gathered(row.columns + at), load_gathered(row.values + at), lane, sum);
    }
  }

  KOKKOS_FUNCTION void operator()(const Member& member) const {
    const Offset slot =
        static_cast<Offset>(member.league_rank()) * member.team_size() + member.team_rank();
    if (slot >= A.num_slots) return;
    const int lane = lane_of_member() % L;
    const int part = lane_of_member() / L;
    const bool active = Lanes::holds_any(lane, pass.width);
    Scalar sum[V] = {};
    if (active) {
      const RowSpan<Scalar> row = A.span(static_cast<Ordinal>(slot));
      // Packs that lie wholly within the row. Entries before and after them are added one by one.
      const Ordinal first = (row.head + pack_size - 1) / pack_size;
      const Ordinal last = row.tail / pack_size;
      if (part == 0)
        add_range(row, row.head, first < last ? first * pack_size : row.tail, lane, sum);
      add_packs(row, first + part, last, lane, sum);
      if (part == parts - 1 && first < last) add_range(row, last * pack_size, row.tail, lane, sum);
    }
    if (parts > 1)
      for (int v = 0; v < V; ++v) sum[v] = sum_over_lanes(sum[v], L, L * parts);
    if (part == 0 && active) Lanes::store(pass, A.row(static_cast<Ordinal>(slot)), lane, sum);
  }
};

template <class ExecutionSpace, class Scalar, int W, bool Aligned, class Reader>
void launch_spmm_rows(const ExecutionSpace& exec, const std::string& label, const Reader& A,
                      double mean_row_length, const SpmmOptions& requested,
                      const MultiVectorPass<Scalar>& pass) {
  using Functor = SpmmRows<ExecutionSpace, Scalar, Reader, W, Aligned>;
  static_assert(sizeof(Functor) <= recordable_functor_bytes, "see recordable_functor_bytes");
  const SpmmOptions options = choose_spmm_launch(device_traits(exec), mean_row_length, pack_size, W,
                                                 sizeof(Scalar), requested);
  const int teams = (A.num_slots - 1) / options.team_size + 1;
  Kokkos::parallel_for(
      label, typename Functor::Policy(exec, teams, options.team_size, Functor::L * options.parts),
      Functor{A, pass, options.parts});
}

}  // namespace Tomokkos::Impl
