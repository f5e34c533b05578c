// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows as raw pointers: position and column of entry k of a slot.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_PackedCsr.hpp>
#include <Tomokkos_PaddedRows.hpp>

namespace Tomokkos {
namespace Impl {

/// Position of an entry: its index, the index of its base, and its number within the group.
struct PackedPlace {
  Offset entry, base;
  int lane;
};

/// Shape of a packed matrix as raw pointers, so that kernels that capture it stay small.
struct PackedShape {
  const Offset* bundle_offsets;
  const Ordinal* row_lengths;  // of each slot
  const Ordinal* rows;         // row of each slot; null: row s
  Ordinal num_rows, num_bundles;
  int side, group, pack;

  KOKKOS_FORCEINLINE_FUNCTION int chunk() const { return group * pack; }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const {
    return rows == nullptr ? slot : rows[slot];
  }
  /// Number of chunks before those of a bundle, including unused ones: a row may end within a
  /// chunk.
  KOKKOS_FORCEINLINE_FUNCTION Offset first_chunk(Ordinal bundle) const {
    return bundle_offsets[bundle] / chunk() + (side == 1 ? bundle : 0);
  }
  /// Number of packs of chunk \p q of a bundle.
  KOKKOS_FORCEINLINE_FUNCTION int packs(Ordinal bundle, Offset q) const {
    const Offset left = bundle_offsets[bundle + 1] - bundle_offsets[bundle] - q * chunk();
    return left >= chunk() ? group : left > 0 ? static_cast<int>(left / pack) : 0;
  }
  KOKKOS_FUNCTION PackedPlace place(Ordinal slot, Ordinal k) const {
    Ordinal bundle = slot;
    Offset q = k / chunk();
    int m = group, c = k % pack, lane = 0;
    if (side == 1) {
      m = packs(bundle, q);
      const int within = static_cast<int>(k - q * chunk());
      c = within / m;
      lane = within - c * m;
    } else {
      bundle = slot / side;
      lane = slot - bundle * side;
      q = k / pack;
    }
    return {bundle_offsets[bundle] + q * chunk() + lane * pack + c,
            (first_chunk(bundle) + q) * pack + c, lane};
  }
};

/// Shape and entries of a packed matrix as raw pointers.
template <class Scalar, StoredPrecision Values>
struct PackedStreams : PackedShape {
  const std::uint32_t* bases;
  const Ordinal* far_columns;
  const std::uint16_t* offsets;
  const Scalar* values;
  const std::uint32_t* words;
  float least, step;

  template <class MemorySpace>
  explicit PackedStreams(const PackedCsrMatrix<Scalar, MemorySpace, Values>& A)
      : PackedShape{A.bundle_offsets.data(),
                    A.row_lengths.data(),
                    A.rows.extent(0) == 0 ? nullptr : A.rows.data(),
                    A.num_rows,
                    A.num_bundles(),
                    A.side,
                    A.group,
                    A.pack},
        bases(A.bases.data()),
        far_columns(A.far_columns.data()),
        offsets(A.offsets.data()),
        values(A.values.data()),
        words(A.words.data()),
        least(A.least),
        step(A.step) {}

  KOKKOS_FORCEINLINE_FUNCTION unsigned offset(Offset entry) const {
    if constexpr (Values == StoredPrecision::plain)
      return offsets[entry];
    else
      return words[entry] & 0xffffU;
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar coded(std::uint32_t code) const {
    if constexpr (Values == StoredPrecision::half)
      return float_from_half(static_cast<std::uint16_t>(code));
    else
      return least + step * static_cast<float>(code);
  }
  KOKKOS_FORCEINLINE_FUNCTION Scalar value(Offset entry) const {
    if constexpr (Values == StoredPrecision::plain)
      return values[entry];
    else
      return coded(words[entry] >> 16);
  }
  KOKKOS_FORCEINLINE_FUNCTION const Ordinal* far(std::uint32_t base) const {
    return far_columns + static_cast<Offset>(base & packed_bits) * group;
  }
  /// Returns the column to which the offsets of a group are added, unless the group is far.
  KOKKOS_FORCEINLINE_FUNCTION static std::uint32_t first_column(std::uint32_t base) {
    return base < packed_run ? base : base & packed_bits;
  }
  KOKKOS_FUNCTION Offset column(const PackedPlace& at) const {
    const std::uint32_t base = bases[at.base];
    if (base >= packed_far) return far(base)[at.lane];
    return Offset{first_column(base)} + offset(at.entry);
  }
};

/// Finds the first bundle whose position in the arrays is impossible.
struct FirstBadBundle {
  PackedShape A;
  Offset stored;

  KOKKOS_FUNCTION bool is_bad(Ordinal b) const {
    const Offset begin = A.bundle_offsets[b], end = A.bundle_offsets[b + 1];
    if (begin < 0 || end < begin || end > stored) return true;
    if ((b == 0 && begin != 0) || (b == A.num_bundles - 1 && end != stored)) return true;
    Ordinal longest = 0;
    for (Ordinal slot = b * A.side; slot < (b + 1) * A.side; ++slot) {
      const Ordinal length = A.row_lengths[slot];
      if (length < 0 || (slot >= A.num_rows && length > 0)) return true;
      longest = length > longest ? length : longest;
    }
    const Offset steps = (Offset{longest} + A.pack - 1) / A.pack * A.pack;
    return end - begin != steps * A.side;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal b, Ordinal& first) const {
    if (b < first && is_bad(b)) first = b;
  }
};

/// Finds the first slot with an entry or padding that violates the contract. Requires valid
/// bundles.
template <class Scalar, StoredPrecision Values>
struct FirstBadPackedSlot {
  PackedStreams<Scalar, Values> A;
  Ordinal num_cols;
  Offset num_far;

  KOKKOS_FUNCTION bool is_padding(const PackedPlace& at) const {
    if constexpr (Values == StoredPrecision::plain)
      return A.offsets[at.entry] == 0 && A.values[at.entry] == Scalar(0);
    else
      return A.words[at.entry] == 0;
  }

  KOKKOS_FUNCTION bool is_bad(Ordinal slot) const {
    const Ordinal length = A.row_lengths[slot], bundle = slot / A.side;
    const Offset capacity = (A.bundle_offsets[bundle + 1] - A.bundle_offsets[bundle]) / A.side;
    Offset before = -1;
    for (Ordinal k = 0; k < capacity; ++k) {
      const PackedPlace at = A.place(slot, k);
      if (k >= length) {
        if (!is_padding(at)) return true;
        continue;
      }
      const std::uint32_t base = A.bases[at.base];
      if (base >= packed_far && Offset{base & packed_bits} >= num_far) return true;
      if (base >= packed_run && base < packed_far &&
          A.offset(at.entry) != static_cast<unsigned>(at.lane))
        return true;
      const Offset column = A.column(at);
      if (column <= before || column >= num_cols) return true;
      before = column;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal slot, Ordinal& first) const {
    if (slot < first && is_bad(slot)) first = slot;
  }
};

struct SumOfPackedLengths {
  const Ordinal* lengths;
  KOKKOS_FUNCTION void operator()(const Ordinal slot, Offset& sum) const { sum += lengths[slot]; }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace, StoredPrecision Values>
void validate(const ExecutionSpace& exec, const PackedCsrMatrix<Scalar, MemorySpace, Values>& A) {
  require(A.num_rows >= 0 && A.num_cols >= 0, "a matrix has a negative number of rows or columns");
  require(A.group >= 1 && A.group <= 32 && A.pack >= 1 && (A.side == 1 || A.side == A.group),
          "a group of packed rows has 1 to 32 entries, of one row or of as many rows");
  const Offset bundles = (Offset{A.num_rows} + A.side - 1) / A.side;
  require_equal("length of bundle_offsets", static_cast<long long>(A.bundle_offsets.extent(0)),
                "number of bundles + 1", bundles + 1);
  require_equal("length of row_lengths", static_cast<long long>(A.row_lengths.extent(0)),
                "number of slots", bundles * A.side);
  require_equal("length of offsets", static_cast<long long>(A.offsets.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  require_equal("length of far_columns", static_cast<long long>(A.far_columns.extent(0)),
                "entries of far groups", A.num_far_groups() * A.group);
  const Offset chunks =
      A.num_stored() / (A.group * A.pack) + (A.side == 1 ? Offset{A.num_rows} : 0);
  require_equal("length of bases", static_cast<long long>(A.bases.extent(0)), "groups of entries",
                chunks * A.pack);
  const Impl::PackedStreams<Scalar, Values> streams(A);
  auto first = static_cast<Ordinal>(bundles);
  Kokkos::parallel_reduce("Tomokkos::validate::packed_bundles",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, streams.num_bundles),
                          Impl::FirstBadBundle{streams, A.num_stored()},
                          Kokkos::Min<Ordinal>(first));
  Impl::fence(exec, "validate: the first bad bundle");
  if (first < bundles)
    throw Refused(
        Impl::text("not a valid packed matrix: bundle {} is at an impossible position", first));
  if (A.rows.extent(0) > 0)
    require_equal("length of rows", static_cast<long long>(A.rows.extent(0)), "number of rows",
                  A.num_rows);
  Impl::validate_slot_rows(exec, "packed", A.num_rows, A.rows);
  const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, bundles * A.side);
  Offset sum = 0;
  Kokkos::parallel_reduce("Tomokkos::validate::count", slots,
                          Impl::SumOfPackedLengths{A.row_lengths.data()}, sum);
  require_equal("number of entries without padding", sum, "the number of nonzeros", A.nonzeros);
  first = static_cast<Ordinal>(bundles * A.side);
  Kokkos::parallel_reduce(
      "Tomokkos::validate::packed_slots", slots,
      Impl::FirstBadPackedSlot<Scalar, Values>{streams, A.num_cols, A.num_far_groups()},
      Kokkos::Min<Ordinal>(first));
  Impl::fence(exec, "validate: the first bad slot");
  if (first < bundles * A.side)
    throw Refused(
        Impl::text("not a valid packed matrix: slot {} has a column outside the matrix, columns "
                   "that do not ascend, or padding that is not zero",
                   first));
}

}  // namespace Tomokkos
