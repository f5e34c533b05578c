// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion to paired rows. It permutes the entries within rows so that the lanes of a group in
// lock step have distinct columns at each place, as far as a greedy assignment can achieve that.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <impl/Tomokkos_SortEntries_impl.hpp>
#include <impl/Tomokkos_SortRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Permutes the entries of a group with one thread, in place: each lane depends on those before it.
template <class Scalar>
struct SeparateColumns {
  PairBlocks<Scalar> A;
  const Offset* row_offsets;  // of the matrix from which the pairs are made
  Ordinal* columns;
  Scalar* values;

  /// Columns of the lanes at a place, up to the current lane.
  struct Taken {
    Ordinal columns[lock_step_lanes];
    int count = 0;
    KOKKOS_FUNCTION bool contains(Ordinal column) const {
      for (int i = 0; i < count; ++i)
        if (columns[i] == column) return true;
      return false;
    }
  };

  struct Piece {
    Ordinal begin, end;
  };

  KOKKOS_FUNCTION Ordinal row_length(Ordinal row) const {
    return static_cast<Ordinal>(row_offsets[row + 1] - row_offsets[row]);
  }

  /// Returns the places of a row within the sub-matrix that contains \p place.
  KOKKOS_FUNCTION Piece piece_about(Ordinal place, Ordinal first, Ordinal length) const {
    if (place < A.mixed_begin) return {0, A.mixed_begin};
    if (place < first) return {A.mixed_begin, first};
    if (place < A.mixed_end) return {first, length < A.mixed_end ? length : A.mixed_end};
    return {A.mixed_end, length};
  }

  KOKKOS_FUNCTION void exchange(Offset a, Offset b) const {
    const Ordinal column = columns[a];
    const Scalar value = values[a];
    columns[a] = columns[b];
    values[a] = values[b];
    columns[b] = column;
    values[b] = value;
  }

  /// Moves the entry at place \p from to \p place, and those between by one place.
  KOKKOS_FUNCTION void bring(Ordinal pair, Ordinal from, Ordinal place) const {
    for (; from > place; --from) exchange(A.position(pair, from), A.position(pair, from - 1));
  }

  /// Returns whether a lane of the group other than \p pair has \p column at \p place.
  KOKKOS_FUNCTION bool others_have(Ordinal begin, Ordinal end, Ordinal pair, Ordinal place,
                                   Ordinal column) const {
    for (Ordinal other = begin; other < end; ++other)
      if (other != pair && columns[A.position(other, place)] == column) return true;
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal group) const {
    const Ordinal begin = group * lock_step_lanes;
    const Ordinal end =
        A.num_pairs - begin < lock_step_lanes ? A.num_pairs : begin + lock_step_lanes;
    Ordinal first[lock_step_lanes], length[lock_step_lanes];
    for (Ordinal pair = begin; pair < end; ++pair) {
      first[pair - begin] = row_length(A.first_row(pair));
      length[pair - begin] =
          first[pair - begin] + (A.has_second(pair) ? row_length(A.second_row(pair)) : 0);
    }
    for (Ordinal place = 0; place < A.width; ++place) {
      Taken taken;
      for (Ordinal pair = begin; pair < end; ++pair) {
        if (place >= length[pair - begin]) continue;
        const Piece piece = piece_about(place, first[pair - begin], length[pair - begin]);
        const Offset here = A.position(pair, place);
        // A row has distinct columns: if one is free, it is among the next 32.
        Ordinal from = place;
        while (from < piece.end && taken.contains(columns[A.position(pair, from)])) ++from;
        if (from < piece.end) {
          bring(pair, from, place);
        } else {
          for (Ordinal before = piece.begin; before < place; ++before) {
            const Offset there = A.position(pair, before);
            if (taken.contains(columns[there]) ||
                others_have(begin, end, pair, before, columns[here]))
              continue;
            exchange(here, there);
            break;
          }
        }
        taken.columns[taken.count++] = columns[here];
      }
    }
  }
};

/// Finds the length of the shortest first row and the number of entries of the fullest pair.
struct PairExtents {
  const Offset* row_offsets;
  const Ordinal* rows;
  Ordinal num_rows;

  KOKKOS_FUNCTION Offset row_length(Ordinal slot) const {
    return row_offsets[rows[slot] + 1] - row_offsets[rows[slot]];
  }
  KOKKOS_FUNCTION void operator()(const Ordinal pair, Offset& shortest, Offset& width) const {
    const Ordinal other = num_rows - 1 - pair;
    const Offset first = row_length(pair);
    const Offset length = first + (other != pair ? row_length(other) : 0);
    if (first < shortest) shortest = first;
    if (length > width) width = length;
  }
};

/// Fills a pair, including padding, or the padding that rounds up the number of pairs.
template <class Scalar, class MemorySpace>
struct FillPairs {
  CsrMatrix<Scalar, MemorySpace> A;
  PairBlocks<Scalar> target;
  Ordinal* columns;
  Scalar* values;

  KOKKOS_FUNCTION void operator()(const Ordinal pair) const {
    Offset first = 0, first_end = 0, second = 0, second_end = 0;
    if (pair < target.num_pairs) {
      first = A.row_offsets(target.first_row(pair));
      first_end = A.row_offsets(target.first_row(pair) + 1);
      if (target.has_second(pair)) {
        second = A.row_offsets(target.second_row(pair));
        second_end = A.row_offsets(target.second_row(pair) + 1);
      }
    }
    for (Ordinal place = 0; place < target.width; ++place) {
      const Offset at = target.position(pair, place);
      const bool in_first = first < first_end, in_second = second < second_end;
      const Offset from = in_first ? first++ : in_second ? second++ : 0;
      columns[at] = in_first || in_second ? A.columns(from) : padding_column;
      values[at] = in_first || in_second ? A.values(from) : Scalar(0);
    }
  }
};

/// Writes the junction words of a group.
template <class Scalar>
struct MarkJunctions {
  PairBlocks<Scalar> A;
  const Offset* row_offsets;
  std::uint32_t* junctions;

  KOKKOS_FUNCTION void operator()(const Ordinal group) const {
    const Ordinal begin = group * lock_step_lanes;
    for (Ordinal place = A.mixed_begin; place < A.mixed_end; ++place)
      junctions[A.word(begin, place)] = 0;
    for (Ordinal lane = 0; lane < lock_step_lanes; ++lane) {
      const Ordinal pair = begin + lane;
      if (pair >= A.num_pairs || !A.has_second(pair)) break;
      const Ordinal first = A.first_row(pair), second = A.second_row(pair);
      const auto place = static_cast<Ordinal>(row_offsets[first + 1] - row_offsets[first]);
      if (place < A.mixed_end && row_offsets[second + 1] > row_offsets[second])
        junctions[A.word(pair, place)] |= std::uint32_t{1} << lane;
    }
  }
};

/// Writes the lengths of the rows of a pair to the positions of these rows.
template <class Scalar, class MemorySpace>
struct CountPairedRows {
  PairBlocks<Scalar> A;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal pair) const {
    const Ordinal first = A.first_length(pair);
    counts(A.first_row(pair)) = first;
    if (A.has_second(pair)) counts(A.second_row(pair)) = A.length(pair) - first;
  }
};

template <class Scalar, class MemorySpace>
struct CopyPairedRows {
  PairBlocks<Scalar> A;
  CsrArrays<Scalar, MemorySpace> to;

  KOKKOS_FUNCTION void copy(Ordinal pair, Ordinal begin, Ordinal row) const {
    const Offset first = to.row_offsets(row), last = to.row_offsets(row + 1);
    for (Offset k = first; k < last; ++k) {
      const Offset at = A.position(pair, begin + static_cast<Ordinal>(k - first));
      to.columns(k) = A.columns[at];
      to.values(k) = A.values[at];
    }
  }
  KOKKOS_FUNCTION void operator()(const Ordinal pair) const {
    const Ordinal row = A.first_row(pair);
    copy(pair, 0, row);
    if (A.has_second(pair))
      copy(pair, static_cast<Ordinal>(to.row_offsets(row + 1) - to.row_offsets(row)),
           A.second_row(pair));
  }
};

/// Computes the shape of the matrix without its junctions and entries, and completes \p size.
template <class ExecutionSpace, class Scalar>
PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space> pair_blocked_shape(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    PairBlockedSize& size) {
  PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space> result;
  result.num_rows = A.num_rows;
  result.num_cols = A.num_cols;
  result.nonzeros = A.num_nonzeros();
  size.pairs = result.num_pairs();
  size.groups = result.num_groups();
  size.pair_stride = is_host_space<ExecutionSpace>
                         ? size.pairs
                         : static_cast<Offset>(size.groups) * lock_step_lanes;
  const Offset longest = row_statistics(exec, A).longest;
  result.rows = rows_by_length(exec, A.row_offsets, A.num_rows, longest, 0);
  Offset shortest = 0, width = 0;
  if (A.num_rows > 0)
    Kokkos::parallel_reduce("Tomokkos::pair_blocked::extents",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, size.pairs),
                            PairExtents{A.row_offsets.data(), result.rows.data(), A.num_rows},
                            Kokkos::Min<Offset>(shortest), Kokkos::Max<Offset>(width));
  fence(exec, "pair_blocked: the borders of the sub-matrices");
  require(
      width <= 2147483647,
      Impl::text("a pair of rows must not have more than 2^31 - 1 entries, but one would have {}",
                 width));
  require(size.pair_stride <= 2147483647, "the pairs must not exceed 2^31 - 1");
  size.mixed_begin = static_cast<Ordinal>(shortest);
  size.mixed_end = static_cast<Ordinal>(longest);
  size.width = static_cast<Ordinal>(width);
  size.stored = size.width * size.pair_stride;
  size.bytes = pair_blocked_bytes(size, A.num_rows, sizeof(Scalar));
  result.pair_stride = size.pair_stride;
  result.mixed_begin = size.mixed_begin;
  result.mixed_end = size.mixed_end;
  result.width = size.width;
  return result;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
PairBlockedSize pair_blocked_size(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  PairBlockedSize size;
  Impl::pair_blocked_shape(exec, A, size);
  return size;
}

template <class ExecutionSpace, class Scalar>
PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space> pair_blocked_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const PairBlockedOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::ScopedRegion region("Tomokkos::pair_blocked_from_csr");
  PairBlockedSize size;
  auto result = Impl::pair_blocked_shape(exec, A, size);
  check_fill("pair_blocked", static_cast<Offset>(size.width) * size.pairs, A.num_nonzeros(),
             options.limit);
  if constexpr (Impl::is_host_space<ExecutionSpace>)
    Impl::MemoryNeed().add(size.bytes, 1).require_available("the matrix in paired rows");

  const auto junctions = allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
      exec, "Tomokkos::PairBlockedMatrix::junctions",
      static_cast<Offset>(size.mixed_end - size.mixed_begin) * size.groups);
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::PairBlockedMatrix::columns", size.stored);
  const auto values = allocate<Kokkos::View<Scalar*, MemorySpace>>(
      exec, "Tomokkos::PairBlockedMatrix::values", size.stored);
  result.junctions = junctions;
  result.columns = columns;
  result.values = values;
  const Impl::PairBlocks<Scalar> blocks(result);
  const Kokkos::RangePolicy<ExecutionSpace> groups(exec, 0, size.groups);
  Kokkos::parallel_for("Tomokkos::pair_blocked::junctions", groups,
                       Impl::MarkJunctions<Scalar>{blocks, A.row_offsets.data(), junctions.data()});
  Kokkos::parallel_for(
      "Tomokkos::pair_blocked::fill",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, size.pair_stride),
      Impl::FillPairs<Scalar, MemorySpace>{A, blocks, columns.data(), values.data()});
  if (options.spread_columns)
    Kokkos::parallel_for(
        "Tomokkos::pair_blocked::spread_columns", groups,
        Impl::SeparateColumns<Scalar>{blocks, A.row_offsets.data(), columns.data(), values.data()});
  Impl::fence(exec, "pair_blocked_from_csr: the matrix is complete");
  return result;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const PairBlockedMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Impl::PairBlocks<Scalar> blocks(A);
  const Kokkos::RangePolicy<ExecutionSpace> pairs(exec, 0, A.num_pairs());
  const auto offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  const auto csr = Impl::allocate_entries<Scalar>(exec, offsets, A.nonzeros);
  Kokkos::parallel_for("Tomokkos::pair_blocked::count_rows", pairs,
                       Impl::CountPairedRows<Scalar, MemorySpace>{blocks, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::pair_blocked::offsets", offsets);
  Kokkos::parallel_for("Tomokkos::pair_blocked::copy_rows", pairs,
                       Impl::CopyPairedRows<Scalar, MemorySpace>{blocks, csr});
  Impl::sort_entries(exec, csr, A.num_rows);
  Impl::fence(exec, "to_csr: the matrix is complete");
  return csr.matrix(A.num_rows, A.num_cols);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                     \
  template PairBlockedSize pair_blocked_size<SPACE, SCALAR>(                                    \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);                             \
  template PairBlockedMatrix<SCALAR, SPACE::memory_space> pair_blocked_from_csr<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const PairBlockedOptions&);  \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(                        \
      const SPACE&, const PairBlockedMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
