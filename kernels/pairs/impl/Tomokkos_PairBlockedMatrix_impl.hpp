// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PaddedRows.hpp>
#include <Tomokkos_PairBlockedMatrix.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Paired rows as raw pointers: positions of entries, rows of a pair and their junction. Used by
/// validation, conversions and products.
template <class Scalar>
struct PairBlocks {
  const Ordinal* rows;
  const std::uint32_t* junctions;
  const Ordinal* columns;
  const Scalar* values;
  Offset pair_stride;
  Ordinal num_rows, num_cols, num_pairs, num_groups;
  Ordinal mixed_begin, mixed_end, width;

  template <class MemorySpace>
  explicit PairBlocks(const PairBlockedMatrix<Scalar, MemorySpace>& A)
      : rows(A.rows.data()),
        junctions(A.junctions.data()),
        columns(A.columns.data()),
        values(A.values.data()),
        pair_stride(A.pair_stride),
        num_rows(A.num_rows),
        num_cols(A.num_cols),
        num_pairs(A.num_pairs()),
        num_groups(A.num_groups()),
        mixed_begin(A.mixed_begin),
        mixed_end(A.mixed_end),
        width(A.width) {}

  KOKKOS_FORCEINLINE_FUNCTION Offset position(Ordinal pair, Ordinal place) const {
    return place * pair_stride + pair;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal first_row(Ordinal pair) const { return rows[pair]; }
  /// Returns false for the pair with only one row, if the number of rows is odd.
  KOKKOS_FORCEINLINE_FUNCTION bool has_second(Ordinal pair) const {
    return num_rows - 1 - pair != pair;
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal second_row(Ordinal pair) const {
    return rows[num_rows - 1 - pair];
  }

  /// Returns the position of the word with the bit of a pair; \p place is in Sub_SM_2.
  KOKKOS_FORCEINLINE_FUNCTION Offset word(Ordinal pair, Ordinal place) const {
    return static_cast<Offset>(place - mixed_begin) * num_groups + pair / lock_step_lanes;
  }
  KOKKOS_FORCEINLINE_FUNCTION bool is_junction(Ordinal pair, Ordinal place) const {
    return (junctions[word(pair, place)] >> (pair % lock_step_lanes) & 1U) != 0;
  }

  /// Returns the number of entries of a pair without padding.
  KOKKOS_FUNCTION Ordinal length(Ordinal pair) const {
    Ordinal low = 0, high = width;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (columns[position(pair, middle)] != padding_column)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  /// Returns the number of entries of the first row. Without a bit the second row is empty or
  /// begins at `mixed_end`.
  KOKKOS_FUNCTION Ordinal first_length(Ordinal pair) const {
    for (Ordinal place = mixed_begin; place < mixed_end; ++place)
      if (is_junction(pair, place)) return place;
    const Ordinal all = length(pair);
    return all < mixed_end ? all : mixed_end;
  }

  /// Returns the number of entries of row `rows[slot]`.
  KOKKOS_FUNCTION Ordinal row_length(Ordinal slot) const {
    if (slot < num_pairs) return first_length(slot);
    const Ordinal pair = num_rows - 1 - slot;
    return length(pair) - first_length(pair);
  }
};

/// Faults of a pair, in the order of their texts in `describe_fault`.
enum class PairFault { none, hollow, column, twice, bit, alone };

inline const char* describe_fault(int fault) {
  constexpr const char* sentences[] = {
      "is valid",
      "has padding before an entry, or padding that is not column -1 with value 0",
      "has a column outside the matrix",
      "has a column twice in one of its rows",
      "has several bits, a bit without an entry, or a bit without a pair",
      "has entries after its only row"};
  return sentences[fault];
}

/// Finds the first pair that violates the contract, as its number times 8 plus the fault.
template <class Scalar>
struct FirstBadPair {
  PairBlocks<Scalar> A;

  KOKKOS_FUNCTION int num_bits(Ordinal pair) const {
    int bits = 0;
    for (Ordinal place = A.mixed_begin; place < A.mixed_end; ++place)
      bits += A.is_junction(pair, place) ? 1 : 0;
    return bits;
  }

  KOKKOS_FUNCTION PairFault fault_of_entries(Ordinal pair, Ordinal length) const {
    for (Ordinal place = 0; place < A.width; ++place) {
      const Offset at = A.position(pair, place);
      const Ordinal column = A.columns[at];
      if (place >= length) {
        if (column != padding_column || A.values[at] != Scalar(0)) return PairFault::hollow;
      } else {
        if (column == padding_column) return PairFault::hollow;
        if (column < 0 || column >= A.num_cols) return PairFault::column;
      }
    }
    return PairFault::none;
  }

  KOKKOS_FUNCTION PairFault fault(Ordinal pair) const {
    if (pair >= A.num_pairs) {
      if (pair < A.num_groups * lock_step_lanes && num_bits(pair) > 0) return PairFault::bit;
      return pair < A.pair_stride ? fault_of_entries(pair, 0) : PairFault::none;
    }
    const Ordinal length = A.length(pair);
    const PairFault of_entries = fault_of_entries(pair, length);
    if (of_entries != PairFault::none) return of_entries;
    const Ordinal first = A.first_length(pair);
    const int bits = num_bits(pair);
    if (bits > 1 || (bits == 1 && first >= length)) return PairFault::bit;
    if (!A.has_second(pair) && first < length) return PairFault::alone;
    if (first < A.mixed_begin) return PairFault::hollow;
    for (Ordinal place = 1; place < length; ++place)
      for (Ordinal other = place < first ? 0 : first; other < place; ++other)
        if (A.columns[A.position(pair, other)] == A.columns[A.position(pair, place)])
          return PairFault::twice;
    return PairFault::none;
  }

  KOKKOS_FUNCTION void operator()(const Offset pair, Offset& first) const {
    if (pair * 8 >= first) return;
    const auto found = static_cast<int>(fault(static_cast<Ordinal>(pair)));
    if (found != 0) first = pair * 8 + found;
  }
};

/// Finds the first position in the list of rows whose row is longer than the one before.
template <class Scalar>
struct FirstUnsortedRow {
  PairBlocks<Scalar> A;
  KOKKOS_FUNCTION void operator()(const Ordinal slot, Ordinal& first) const {
    if (slot > 0 && slot < first && A.row_length(slot) > A.row_length(slot - 1)) first = slot;
  }
};

/// Computes the expected borders of the sub-matrices, and the number of entries.
template <class Scalar>
struct PairBorders {
  PairBlocks<Scalar> A;
  KOKKOS_FUNCTION void operator()(const Ordinal pair, Ordinal& shortest, Ordinal& longest,
                                  Ordinal& width, Offset& entries) const {
    const Ordinal first = A.first_length(pair), length = A.length(pair);
    if (first < shortest) shortest = first;
    if (first > longest) longest = first;
    if (length > width) width = length;
    entries += length;
  }
};

template <class Matrix>
void validate_pair_shape(const Matrix& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0, "a matrix has a negative number of rows or columns");
  require(0 <= A.mixed_begin && A.mixed_begin <= A.mixed_end && A.mixed_end <= A.width,
          "the sub-matrices of paired rows must be in order: 0 <= mixed_begin <= mixed_end <= "
          "width");
  require(A.pair_stride >= A.num_pairs(),
          "pair_stride must not be below the number of pairs: places would overlap");
  require(A.pair_stride <= 2147483647, "pair_stride must not exceed 2^31 - 1");
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  require_equal("length of values", A.num_stored(), "places x pair_stride",
                A.width * A.pair_stride);
  require_equal("length of junctions", static_cast<long long>(A.junctions.extent(0)),
                "places of Sub_SM_2 x groups",
                static_cast<long long>(A.mixed_end - A.mixed_begin) * A.num_groups());
  require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "number of rows",
                A.num_rows);
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const PairBlockedMatrix<Scalar, MemorySpace>& A) {
  Impl::validate_pair_shape(A);
  Impl::validate_slot_rows(exec, "pair-blocked", A.num_rows, A.rows);
  const Impl::PairBlocks<Scalar> blocks(A);
  const Offset slots =
      std::max(A.pair_stride, static_cast<Offset>(A.num_groups()) * lock_step_lanes);
  Offset found = slots * 8;
  Kokkos::parallel_reduce("Tomokkos::validate::pairs", Impl::element_range(exec, slots),
                          Impl::FirstBadPair<Scalar>{blocks}, Kokkos::Min<Offset>(found));
  Impl::fence(exec, "validate: the first bad pair");
  if (found < slots * 8)
    throw Refused(Impl::text("not a valid pair-blocked matrix: pair {} {}", found / 8,
                             Impl::describe_fault(static_cast<int>(found % 8))));

  Ordinal unsorted = A.num_rows;
  Kokkos::parallel_reduce("Tomokkos::validate::pair_order",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                          Impl::FirstUnsortedRow<Scalar>{blocks}, Kokkos::Min<Ordinal>(unsorted));
  Impl::fence(exec, "validate: the first row out of order");
  if (unsorted < A.num_rows)
    throw Refused(
        Impl::text("not a valid pair-blocked matrix: the row at position {} of the list of rows is "
                   "longer than the one before",
                   unsorted));

  Ordinal shortest = 0, longest = 0, width = 0;
  Offset entries = 0;
  if (A.num_rows > 0)
    Kokkos::parallel_reduce("Tomokkos::validate::pair_borders",
                            Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_pairs()),
                            Impl::PairBorders<Scalar>{blocks}, Kokkos::Min<Ordinal>(shortest),
                            Kokkos::Max<Ordinal>(longest), Kokkos::Max<Ordinal>(width),
                            Kokkos::Sum<Offset>(entries));
  Impl::fence(exec, "validate: the borders of the sub-matrices");
  require_equal("mixed_begin", A.mixed_begin, "the shortest first row", shortest);
  require_equal("mixed_end", A.mixed_end, "the longest first row", longest);
  require_equal("width", A.width, "the entries of the fullest pair", width);
  require_equal("number of entries without padding", entries, "the number of nonzeros", A.nonzeros);
}

template <class TargetSpace, class ExecutionSpace, class Scalar, class MemorySpace>
PairBlockedMatrix<Scalar, TargetSpace> copy_to(const ExecutionSpace& exec,
                                               const PairBlockedMatrix<Scalar, MemorySpace>& A) {
  if constexpr (std::is_same_v<TargetSpace, MemorySpace>) {
    (void)exec;
    return A;
  } else {
    const auto copied = [&](const auto& from, const char* name) {
      using Value = typename std::decay_t<decltype(from)>::non_const_value_type;
      const auto to = Impl::allocate_for_copy<Kokkos::View<Value*, TargetSpace>>(
          exec, std::string("Tomokkos::PairBlockedMatrix::") + name, from.extent(0));
      Kokkos::deep_copy(exec, to, from);
      return to;
    };
    const PairBlockedMatrix<Scalar, TargetSpace> result{A.num_rows,
                                                        A.num_cols,
                                                        A.nonzeros,
                                                        A.pair_stride,
                                                        A.mixed_begin,
                                                        A.mixed_end,
                                                        A.width,
                                                        copied(A.rows, "rows"),
                                                        copied(A.junctions, "junctions"),
                                                        copied(A.columns, "columns"),
                                                        copied(A.values, "values")};
    Impl::fence(exec, "copy_to: the arrays must have arrived");
    return result;
  }
}

template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A, Ordinal group) {
  static_assert(Kokkos::SpaceAccessibility<Kokkos::HostSpace, MemorySpace>::accessible,
                "collisions are counted on the host: copy_to<Kokkos::HostSpace>(exec, A)");
  require(group >= 0 && group < A.num_groups(),
          Impl::text("there are {} groups in lock step, but no group {}", A.num_groups(), group));
  const Impl::PairBlocks<Scalar> blocks(A);
  const Ordinal begin = group * lock_step_lanes;
  const Ordinal end = std::min(begin + lock_step_lanes, A.num_pairs());
  Offset lost = 0;
  for (Ordinal place = 0; place < A.width; ++place) {
    Ordinal columns[lock_step_lanes];
    Ordinal* last = columns;
    for (Ordinal pair = begin; pair < end; ++pair) {
      const Ordinal column = blocks.columns[blocks.position(pair, place)];
      if (column != padding_column) *last++ = column;
    }
    std::sort(columns, last);
    lost += last - std::unique(columns, last);
  }
  return lost;
}

template <class Scalar, class MemorySpace>
Offset count_collisions(const PairBlockedMatrix<Scalar, MemorySpace>& A) {
  Offset lost = 0;
  for (Ordinal group = 0; group < A.num_groups(); ++group) lost += count_collisions(A, group);
  return lost;
}

}  // namespace Tomokkos
