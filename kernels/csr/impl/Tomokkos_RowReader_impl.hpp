// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of CSR, ELLPACK-R and SELL under one face, for kernels that take four entries of a row
// at a time.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_PaddedRows.hpp>

namespace Tomokkos::Impl {

/// \brief A row: its entries are `[head, tail)` of what begins at the pointers.
template <class Scalar>
struct RowSpan {
  const Ordinal* columns;
  const Scalar* values;
  Ordinal head, tail;
};

/// \brief Rows of CSR. With \p Packed packs start on 16-byte boundaries: a span then begins at the
/// boundary before the row.
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
  /// Entries from the start of \p span on whose columns may be looked at: those of later rows, too,
  /// for a look ahead.
  KOKKOS_FORCEINLINE_FUNCTION Ordinal known_entries(const RowSpan<Scalar>& span) const {
    const Offset left = columns + row_offsets[num_slots] - span.columns;
    const Offset most = static_cast<Offset>(span.tail) + 64;
    return static_cast<Ordinal>(left < most ? left : most);
  }
  KOKKOS_FORCEINLINE_FUNCTION Ordinal row(Ordinal slot) const { return slot; }

  /// Entries `[pack_size p, pack_size (p + 1))` of a span, all of them in the row.
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

/// \brief Rows of a padded format; with \p Packed its packs are those of SELL.
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

}  // namespace Tomokkos::Impl
