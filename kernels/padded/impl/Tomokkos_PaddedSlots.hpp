// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slots of padded rows: lengths, shapes and contents, from CSR and back.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <Tomokkos_PaddedRows.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <impl/Tomokkos_CheckStorage.hpp>
#include <impl/Tomokkos_SortRows_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// Bytes of an entry of a padded format.
template <class Scalar>
inline constexpr std::size_t padded_entry_bytes = sizeof(Ordinal) + sizeof(Scalar);

/// Number of slots to which a padded format on a GPU is rounded up: a warp.
inline constexpr Ordinal gpu_slot_unit = 32;
/// Entries of SELL that a lane of a GPU loads at once.
inline constexpr int gpu_sell_pack = sell_pack(true);

template <class ExecutionSpace, class Scalar>
constexpr int default_chunk() {
  return sell_chunk(!is_host_space<ExecutionSpace>, sizeof(Scalar));
}

/// Computes the length of the row in each slot.
template <class MemorySpace>
struct SlotLengths {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  const Ordinal* rows;
  Ordinal num_rows;
  Kokkos::View<Ordinal*, MemorySpace> lengths;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    if (slot >= num_rows) {
      lengths(slot) = 0;
      return;
    }
    const Ordinal row = rows == nullptr ? slot : rows[slot];
    lengths(slot) = static_cast<Ordinal>(row_offsets(row + 1) - row_offsets(row));
  }
};

/// Computes the number of entries of each chunk: C times the length of its longest row, rounded up
/// to packs.
template <class MemorySpace>
struct ChunkSizes {
  Kokkos::View<const Ordinal*, MemorySpace> lengths;
  int chunk, pack;
  Kokkos::View<Offset*, MemorySpace> sizes;

  KOKKOS_FUNCTION void operator()(const Ordinal c) const {
    Ordinal width = 0;
    for (int lane = 0; lane < chunk; ++lane) {
      const Ordinal length = lengths(c * chunk + lane);
      if (length > width) width = length;
    }
    sizes(c) = (static_cast<Offset>(width) + pack - 1) / pack * pack * chunk;
  }
};

/// Fills a slot, including padding. Writes through \p columns and \p values, the arrays of \p
/// target.
template <class Scalar, class MemorySpace>
struct FillSlots {
  CsrMatrix<Scalar, MemorySpace> A;
  PaddedRows<Scalar> target;
  Ordinal* columns;
  Scalar* values;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    Offset begin = 0, length = 0;
    if (slot < A.num_rows) {
      const Ordinal row = target.row(slot);
      begin = A.row_offsets(row);
      length = A.row_offsets(row + 1) - begin;
    }
    const Ordinal capacity = target.capacity(slot);
    for (Ordinal k = 0; k < capacity; ++k) {
      const Offset at = target.position(slot, k);
      columns[at] = k < length ? A.columns(begin + k) : padding_column;
      values[at] = k < length ? A.values(begin + k) : Scalar(0);
    }
  }
};

/// Writes the length of each slot's row to the counts of its row.
template <class Scalar, class MemorySpace>
struct CountPaddedRows {
  PaddedRows<Scalar> A;
  Kokkos::View<Offset*, MemorySpace> counts;
  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    if (slot < A.num_rows) counts(A.row(slot)) = A.length(slot);
  }
};

template <class Scalar, class MemorySpace>
struct CopyPaddedRows {
  PaddedRows<Scalar> A;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    if (slot >= A.num_rows) return;
    const Offset begin = row_offsets(A.row(slot));
    const Ordinal length = A.length(slot);
    for (Ordinal k = 0; k < length; ++k) {
      const Offset at = A.position(slot, k);
      columns(begin + k) = A.columns[at];
      values(begin + k) = A.values[at];
    }
  }
};

/// Sets the shape of ELLPACK and its strides for the backend.
template <class ExecutionSpace, class Matrix>
void set_ell_shape(Matrix& target, Ordinal num_rows, Ordinal num_cols, Offset nonzeros,
                   Offset width) {
  target.num_rows = num_rows;
  target.num_cols = num_cols;
  target.nonzeros = nonzeros;
  target.width = static_cast<Ordinal>(width);
  const Offset rows = num_rows;
  if (is_host_space<ExecutionSpace>) {
    target.row_stride = width;
    target.entry_stride = 1;
  } else {
    target.row_stride = 1;
    target.entry_stride = (rows + gpu_slot_unit - 1) / gpu_slot_unit * gpu_slot_unit;
  }
}

template <class Matrix>
Offset ell_entries(const Matrix& A) {
  return A.row_stride == 1 && A.entry_stride != 1 ? A.entry_stride * A.width
                                                  : static_cast<Offset>(A.num_rows) * A.width;
}

/// Allocates and fills the arrays of \p target, whose shape must be set.
template <class ExecutionSpace, class Scalar, class Matrix>
void fill_ell(const ExecutionSpace& exec,
              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
              const std::string& label, Matrix& target) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Offset entries = ell_entries(target);
  const auto columns =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, label + "::columns", entries);
  const auto values =
      allocate<Kokkos::View<Scalar*, MemorySpace>>(exec, label + "::values", entries);
  target.columns = columns;
  target.values = values;
  PaddedRows<Scalar> slots = padded_rows(target);
  // The additional rows that round up the slots are filled like empty rows.
  if (target.row_stride == 1 && target.width > 0)
    slots.num_slots = static_cast<Ordinal>(entries / target.width);
  Kokkos::parallel_for(
      "Tomokkos::convert::fill_ell",
      Kokkos::RangePolicy<ExecutionSpace>(exec, 0, target.width > 0 ? slots.num_slots : 0),
      FillSlots<Scalar, MemorySpace>{A, slots, columns.data(), values.data()});
  fence(exec, "convert: the padded rows are filled");
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_padded(
    const ExecutionSpace& exec, const PaddedRows<Scalar>& A, Offset nonzeros) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> slots(exec, 0, A.num_slots);
  const auto offsets = allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  const auto csr = allocate_entries<Scalar>(exec, offsets, nonzeros);
  Kokkos::parallel_for("Tomokkos::convert::count_padded", slots,
                       CountPaddedRows<Scalar, MemorySpace>{A, offsets});
  exclusive_scan(exec, "Tomokkos::convert::offsets", offsets);
  Kokkos::parallel_for("Tomokkos::convert::copy_padded", slots,
                       CopyPaddedRows<Scalar, MemorySpace>{A, offsets, csr.columns, csr.values});
  fence(exec, "convert: the matrix is complete");
  return csr.matrix(A.num_rows, A.num_cols);
}

}  // namespace Impl

}  // namespace Tomokkos
