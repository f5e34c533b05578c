// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with paired rows, of one vector or of several that lie side by side.
//
// On a host a step is a run of neighbouring pairs, whose places are processed together: enough
// pairs to make loading a place from memory worthwhile. All vectors are multiplied while the run is
// in a cache. On a GPU the vectors of a pair are spread over up to eight lanes, and a warp has 32
// pairs with one vector, four with eight.
//
// Bytes of a pass with s vectors: every stored entry is read once, for all vectors (4 bytes and a
// value), up to the padding of its pair. Each entry loads s adjacent values of X from the caches.
// With eight vectors of floats these are one sector of 32 bytes, which eight lanes load together.
// Two lanes with 16 bytes each would move as much, but more lanes hide more latency, and a scan has
// few pairs. Y is written once. The transposed product reads the same and adds s adjacent values
// for each entry: one sector in float, two as whole numbers, whose sums (9 s bytes a column) are
// read and reset once more. The stored rays of 1024 x 1024 pixels and 720 views have 23040 pairs
// and 56 million entries: 0.45 GB of the matrix, where eight passes read 3.6 GB, and 1.8 GB of X
// from the L2 cache, which holds the 32 MiB of X.
#pragma once

#include <Tomokkos_PairBlockedMatrix.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <Tomokkos_SpmmLaunchConfig.hpp>
#include <algorithm>
#include <impl/Tomokkos_PairBlockedMatrix_impl.hpp>
#include <impl/Tomokkos_SpmmHost_impl.hpp>
#include <string>

namespace Tomokkos::Impl {

/// Largest number of pairs of a step of a host. With one vector this is 1 KiB of columns; two pages
/// at a time are read, of columns and of values. With several, the sums of a step stay in the L1
/// cache.
constexpr int most_step_pairs(int vectors) { return vectors == 1 ? 256 : 64; }

/// Lanes of a GPU over which the vectors of a pair are spread: eight floats are a sector.
constexpr int pair_lanes(int width) { return width < 8 ? width : 8; }

/// Number of places whose entries are loaded before the first is used.
inline constexpr int places_ahead = 4;

/// Sub-matrices that pairs traverse.
enum class PairPart { first, mixed, second };

/// Range of the pairs of a step.
template <int most_pairs>
struct PairStep {
  Ordinal begin;
  int count;

  KOKKOS_FORCEINLINE_FUNCTION PairStep(Ordinal step, int pairs, Ordinal num_pairs)
      : begin(most_pairs == 1 ? step : step * pairs), count(1) {
    if (most_pairs > 1) count = num_pairs - begin < pairs ? num_pairs - begin : pairs;
  }
};

/// Entries of a pair at neighbouring places.
template <int places, class Scalar>
struct PairEntries {
  Ordinal columns[places];
  Scalar values[places];

  KOKKOS_FORCEINLINE_FUNCTION void load(const PairBlocks<Scalar>& A, Ordinal pair, Ordinal place) {
    for (int k = 0; k < places; ++k) {
      const Offset at = A.position(pair, place + k);
      columns[k] = load_streamed_entry(A.columns + at);
      values[k] = load_streamed_entry(A.values + at);
    }
  }
};

/// Calls `take(i, column, value)` for the entries of pair i of a step from \p place on, without
/// padding. Calls `turn(i)` before the first entry of a second row. Returns false if the pair has
/// no entry at the first place, in which case no later place has one.
template <PairPart part, int places, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION bool take_entries(const PairBlocks<Scalar>& A,
                                              const PairEntries<places, Scalar>& entries,
                                              Ordinal begin, int i, Ordinal place, const Turn& turn,
                                              const Take& take) {
  for (int k = 0; k < places; ++k) {
    if (part == PairPart::mixed && A.is_junction(begin + i, place + k)) turn(i);
    if (part == PairPart::first || entries.columns[k] != padding_column)
      take(i, entries.columns[k], entries.values[k]);
  }
  return part == PairPart::first || entries.columns[0] != padding_column;
}

/// Takes the entries of all pairs of a step. Returns false if none has an entry at \p place.
template <PairPart part, int places, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION bool visit_places(const PairBlocks<Scalar>& A,
                                              const PairStep<most_pairs>& step, Ordinal place,
                                              const Turn& turn, const Take& take) {
  bool any = false;
  for (int i = 0; i < (most_pairs == 1 ? 1 : step.count); ++i) {
    PairEntries<places, Scalar> entries;
    entries.load(A, step.begin + i, place);
    any |= take_entries<part>(A, entries, step.begin, i, place, turn, take);
  }
  return any;
}

/// Visits the places of a sub-matrix until no pair of the step has more entries.
///
/// \tparam ahead the next entries are loaded while those here wait for their values of X, which
///   takes more registers
template <PairPart part, bool ahead, int most_pairs, class Scalar, class Turn, class Take>
KOKKOS_FORCEINLINE_FUNCTION void visit_part(const PairBlocks<Scalar>& A,
                                            const PairStep<most_pairs>& step, Ordinal begin,
                                            Ordinal end, const Turn& turn, const Take& take) {
  Ordinal place = begin;
  if constexpr (ahead && most_pairs == 1) {
    PairEntries<places_ahead, Scalar> next;
    if (place + places_ahead <= end) next.load(A, step.begin, place);
    for (; place + places_ahead <= end; place += places_ahead) {
      const PairEntries<places_ahead, Scalar> entries = next;
      if (place + 2 * places_ahead <= end) next.load(A, step.begin, place + places_ahead);
      if (!take_entries<part>(A, entries, step.begin, 0, place, turn, take)) return;
    }
  } else {
    for (; place + places_ahead <= end; place += places_ahead)
      if (!visit_places<part, places_ahead>(A, step, place, turn, take)) return;
  }
  for (; place < end; ++place)
    if (!visit_places<part, 1>(A, step, place, turn, take)) return;
}

/// Vectors of a lane: `lane`, `lane + lanes`, ... of a pass of at most W. A lane of a host has all.
template <int W, int lanes>
struct PairVectors {
  static constexpr int V = W / lanes;
  /// See `visit_part`. Eight lanes of a pair hide the wait for X by themselves: on an H200 and the
  /// scan above A X takes 1.22 ms, with entries ahead 1.27, and A^T X by atomic additions 1.04,
  /// with entries ahead 1.40. A x of the whole matrix with one vector takes 3.50 ms, with entries
  /// ahead 2.98.
  static constexpr bool ahead = lanes == 1;
  /// True if every lane has V vectors. Lanes without any do not take part, and a host chooses W.
  static constexpr bool always = V == 1 || lanes == 1;

  /// Calls `visit(v, vector)` for the vectors of a lane.
  template <class Visit>
  KOKKOS_FORCEINLINE_FUNCTION static void for_each(int lane, int width, const Visit& visit) {
    for (int v = 0; v < V; ++v)
      if (always || v * lanes + lane < width) visit(v, v * lanes + lane);
  }
};

/// Processes the rows of a pair that are in the range of \p kernel: both, one or none. A pair of
/// which only one row is in the range is read from or up to the first entry of its second row.
template <class Vectors, class Kernel>
KOKKOS_FORCEINLINE_FUNCTION void process_rows_in_range(const Kernel& kernel, Ordinal pair,
                                                       int lane) {
  const auto& A = kernel.A;
  const auto in_range = [&](Ordinal row) {
    return row >= kernel.range.begin && row < kernel.range.end;
  };
  const bool first = in_range(A.first_row(pair));
  const bool second = A.has_second(pair) && in_range(A.second_row(pair));
  if (!first && !second) return;
  const PairStep<1> step(pair, 1, A.num_pairs);
  const Ordinal junction = A.first_length(pair);
  if (first) kernel.template process_row<Vectors>(step, A.first_row(pair), 0, junction, lane);
  if (second)
    kernel.template process_row<Vectors>(step, A.second_row(pair), junction, A.width, lane);
}

/// Processes a pair with as many lanes of a GPU as `pair_lanes` says.
template <class Kernel, int W, bool all>
struct PairsByLanes {
  static constexpr int lanes = pair_lanes(W);
  using Vectors = PairVectors<W, lanes>;
  Kernel kernel;
  int width;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto pair = static_cast<Ordinal>(index / lanes);
    const auto lane = static_cast<int>(index % lanes);
    if (lane >= width) return;
    if constexpr (all)
      kernel.template process<Vectors>(PairStep<1>(pair, 1, kernel.A.num_pairs), lane);
    else
      process_rows_in_range<Vectors>(kernel, pair, lane);
  }
};

/// Processes a step with a thread of a host, for all vectors.
template <class Kernel>
struct PairsByRuns {
  Kernel kernel;
  int pairs;  // of a step

  // Runs only on hosts, hence no KOKKOS_FUNCTION.
  void operator()(const Ordinal index) const {
    for_each_host_width(kernel.width(), [&](auto width, int first) {
      constexpr int W = decltype(width)::value;
      constexpr int most = most_step_pairs(W);
      kernel.part(first, W).template process<PairVectors<W, 1>>(
          PairStep<most>(index, pairs, kernel.A.num_pairs), 0);
    });
  }
};

/// Processes the rows of a pair that are in a range, with a thread of a host.
template <class Kernel>
struct RangeByPairs {
  Kernel kernel;

  void operator()(const Ordinal pair) const {
    for_each_host_width(kernel.width(), [&](auto width, int first) {
      constexpr int W = decltype(width)::value;
      process_rows_in_range<PairVectors<W, 1>>(kernel.part(first, W), pair, 0);
    });
  }
};

/// Returns the pairs of a step of a host. Every thread gets several steps, in whole words of bits.
template <class ExecutionSpace>
int step_pairs(const ExecutionSpace& exec, Ordinal num_pairs, int vectors) {
  const int share = num_pairs / (4 * concurrency(exec)) / lock_step_lanes * lock_step_lanes;
  return std::clamp(share, lock_step_lanes, most_step_pairs(vectors));
}

template <int W, class ExecutionSpace, class Kernel>
void launch_pair_lanes(const ExecutionSpace& exec, const std::string& label, const Kernel& kernel,
                       bool all) {
  using Whole = PairsByLanes<Kernel, W, true>;
  static_assert(sizeof(Whole) <= recordable_functor_bytes, "see recordable_functor_bytes");
  const auto threads = element_range(
      exec, static_cast<std::size_t>(kernel.A.num_pairs) * static_cast<std::size_t>(Whole::lanes));
  if (all)
    Kokkos::parallel_for(label, threads, Whole{kernel, kernel.width()});
  else
    Kokkos::parallel_for(label, threads, PairsByLanes<Kernel, W, false>{kernel, kernel.width()});
}

/// Launches a product over all pairs: once for all vectors on a host, once for each `spmm_widest`
/// vectors on a GPU.
template <class ExecutionSpace, class Kernel>
void launch_pairs(const ExecutionSpace& exec, const std::string& label, const Kernel& kernel) {
  const Ordinal pairs = kernel.A.num_pairs;
  const int vectors = kernel.width();
  const bool all = kernel.range == RowRange{0, kernel.A.num_rows};
  if (pairs == 0 || vectors == 0 || kernel.range.begin == kernel.range.end) return;
  if constexpr (is_host_space<ExecutionSpace>) {
    if (all) {
      const int of_step = step_pairs(exec, pairs, vectors);
      Kokkos::parallel_for(label,
                           Kokkos::RangePolicy<ExecutionSpace>(exec, 0, (pairs - 1) / of_step + 1),
                           PairsByRuns<Kernel>{kernel, of_step});
    } else {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, pairs),
                           RangeByPairs<Kernel>{kernel});
    }
  } else {
    for (int first = 0, width = 0; first < vectors; first += width) {
      width = spmm_pass_width(vectors - first);
      const Kernel part = kernel.part(first, std::min(width, vectors - first));
      switch (width) {
        case 32:
          launch_pair_lanes<32>(exec, label, part, all);
          break;
        case 16:
          launch_pair_lanes<16>(exec, label, part, all);
          break;
        case 8:
          launch_pair_lanes<8>(exec, label, part, all);
          break;
        case 4:
          launch_pair_lanes<4>(exec, label, part, all);
          break;
        case 2:
          launch_pair_lanes<2>(exec, label, part, all);
          break;
        default:
          launch_pair_lanes<1>(exec, label, part, all);
      }
    }
  }
}

}  // namespace Tomokkos::Impl
