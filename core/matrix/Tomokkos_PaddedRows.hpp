// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Common view of ELLPACK, ELLPACK-R and SELL through raw pointers: the position of entry k of a
// slot, the number of entries of a slot, and its row. Validators, conversions and products use it.
#pragma once

#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

template <class Scalar>
struct PaddedRows {
  const Ordinal* columns;
  const Scalar* values;
  /// Number of entries of each slot; null: a slot ends at its first padding entry or at the width.
  const Ordinal* lengths;
  /// Row of each slot; null: the slot number.
  const Ordinal* rows;
  /// Start of each chunk; null: a single chunk with all slots, addressed by the strides.
  const Offset* chunk_offsets;
  Offset row_stride, entry_stride;
  Ordinal num_slots, num_rows, num_cols, width;
  int chunk, pack;

  KOKKOS_FORCEINLINE_FUNCTION Offset position(Ordinal slot, Ordinal k) const {
    if (chunk_offsets == nullptr) return slot * row_stride + k * entry_stride;
    const Ordinal c = slot / chunk;
    const Ordinal lane = slot - c * chunk;
    return chunk_offsets[c] + static_cast<Offset>(k / pack) * (chunk * pack) + lane * pack +
           k % pack;
  }

  /// Number of stored entries of a slot, including padding.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal capacity(Ordinal slot) const {
    if (chunk_offsets == nullptr) return width;
    const Ordinal c = slot / chunk;
    return static_cast<Ordinal>((chunk_offsets[c + 1] - chunk_offsets[c]) / chunk);
  }

  /// Number of entries of a slot without padding.
  KOKKOS_FUNCTION Ordinal length(Ordinal slot) const {
    if (lengths != nullptr) return lengths[slot];
    Ordinal low = 0, high = capacity(slot);
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (columns[position(slot, middle)] != padding_column)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const {
    return rows == nullptr ? slot : rows[slot];
  }
};

/// Finds the first slot that violates the contract of a padded format.
template <class Scalar>
struct FirstBadSlot {
  PaddedRows<Scalar> A;

  KOKKOS_FUNCTION bool is_bad(Ordinal slot) const {
    const Ordinal capacity = A.capacity(slot);
    const Ordinal length = A.length(slot);
    if (length < 0 || length > capacity) return true;
    if (slot >= A.num_rows && length > 0) return true;
    for (Ordinal k = 0; k < capacity; ++k) {
      const Offset at = A.position(slot, k);
      const Ordinal column = A.columns[at];
      if (k >= length) {
        if (column != padding_column || A.values[at] != Scalar(0)) return true;
      } else {
        if (column < 0 || column >= A.num_cols) return true;
        if (k > 0 && A.columns[A.position(slot, k - 1)] >= column) return true;
      }
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot, Ordinal& first) const {
    if (slot < first && is_bad(slot)) first = slot;
  }
};

template <class Scalar>
struct SumOfLengths {
  PaddedRows<Scalar> A;
  KOKKOS_FUNCTION void operator()(const Ordinal slot, Offset& sum) const { sum += A.length(slot); }
};

template <class MemorySpace>
struct MarkRows {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<int*, MemorySpace> visits;
  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Ordinal row = rows(slot);
    if (row >= 0 && row < static_cast<Ordinal>(visits.extent(0)))
      Kokkos::atomic_add(&visits(row), 1);
  }
};

template <class MemorySpace>
struct FirstRowNotOnce {
  Kokkos::View<int*, MemorySpace> visits;
  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && visits(row) != 1) first = row;
  }
};

/// Throws unless \p rows is empty or a permutation of 0 ... num_rows - 1, followed by slots without
/// a row.
template <class ExecutionSpace, class MemorySpace>
void validate_slot_rows(const ExecutionSpace& exec, const std::string& format, Ordinal num_rows,
                        const Kokkos::View<const Ordinal*, MemorySpace>& rows) {
  if (rows.extent(0) == 0) return;
  const Kokkos::View<int*, MemorySpace> visits(
      Kokkos::view_alloc(exec, "Tomokkos::validate::visits"), num_rows);
  Kokkos::parallel_for("Tomokkos::validate::mark_rows",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
                       MarkRows<MemorySpace>{rows, visits});
  Ordinal first = num_rows;
  Kokkos::parallel_reduce("Tomokkos::validate::rows_once",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
                          FirstRowNotOnce<MemorySpace>{visits}, Kokkos::Min<Ordinal>(first));
  fence(exec, "validate: the first row without a slot");
  if (first < num_rows)
    throw Refused(
        Impl::text("not a valid {} matrix: row {} does not have exactly one slot", format, first));
}

/// Throws `Error` naming the first slot of \p A that violates the contract, or a wrong number of
/// nonzeros.
template <class ExecutionSpace, class Scalar>
void validate_padded_rows(const ExecutionSpace& exec, const std::string& format,
                          const PaddedRows<Scalar>& A, Offset nonzeros) {
  const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, A.num_slots);
  Ordinal first = A.num_slots;
  Kokkos::parallel_reduce("Tomokkos::validate::padded_rows", slots, FirstBadSlot<Scalar>{A},
                          Kokkos::Min<Ordinal>(first));
  fence(exec, "validate: the first bad row");
  if (first < A.num_slots)
    throw Refused(
        Impl::text("not a valid {} matrix: slot {} has a column outside of the matrix, columns "
                   "that do not ascend, or padding with a column or a nonzero value",
                   format, first));
  Offset sum = 0;
  Kokkos::parallel_reduce("Tomokkos::validate::count", slots, SumOfLengths<Scalar>{A}, sum);
  fence(exec, "validate: the number of nonzeros");
  require_equal("number of entries without padding", sum, "the number of nonzeros", nonzeros);
}

}  // namespace Tomokkos::Impl
