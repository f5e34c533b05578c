// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Input and output of all transpositions, as pointers, so that functors stay small.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_TransposeOptions.hpp>
#include <type_traits>

namespace Tomokkos::Impl {

/// \brief Value type of a pattern without values: nothing is read or written for it.
struct NoValue {};

template <class Value>
inline constexpr bool has_value = !std::is_same_v<Value, NoValue>;

/// Bytes of a column and a value.
template <class Value>
inline constexpr std::size_t entry_bytes = sizeof(Ordinal) +
                                           (has_value<Value> ? sizeof(Value) : std::size_t(0));

/// \brief Matrix that is transposed; `values` is not read if the matrix has none.
template <class Value>
struct TransposeSource {
  Ordinal num_rows;
  Ordinal num_cols;
  Offset nonzeros;
  const Offset* row_offsets;
  const Ordinal* columns;
  const Value* values;

  MatrixShape shape() const { return {num_rows, num_cols, nonzeros}; }
};

/// \brief Entries of a matrix under construction.
template <class Value>
struct TransposeEntries {
  Ordinal* columns;
  Value* values;

  /// Sets entry \p to to (\p column, values[from]).
  KOKKOS_FORCEINLINE_FUNCTION void place(Offset to, Ordinal column, const Value* from_values,
                                         Offset from) const {
    columns[to] = column;
    if constexpr (has_value<Value>) values[to] = from_values[from];
  }
};

/// \brief Transpose under construction.
template <class Value>
struct TransposeTarget {
  Offset* row_offsets;
  TransposeEntries<Value> entries;
};

/// \brief Pieces of one block of memory, each aligned to `boundary`. Without a block, only the
/// bytes are counted, so the announced size equals the size used.
class MemoryPieces {
 public:
  explicit MemoryPieces(char* memory = nullptr) : memory_(memory) {}

  template <class T>
  T* take(Offset count) {
    T* const piece = memory_ == nullptr ? nullptr : reinterpret_cast<T*>(memory_ + bytes_);
    const std::size_t bytes = sizeof(T) * static_cast<std::size_t>(count);
    bytes_ += (bytes + boundary - 1) / boundary * boundary;
    return piece;
  }

  std::size_t bytes() const { return bytes_; }

  /// Alignment of the block and of each piece, in bytes.
  static constexpr std::size_t boundary = 64;

 private:
  char* memory_;
  std::size_t bytes_ = 0;
};

/// Returns the last row of [low, high] that begins at or before entry \p k: the row that contains
/// this entry, if any.
KOKKOS_FORCEINLINE_FUNCTION Ordinal row_of_entry(const Offset* row_offsets, Offset k, Ordinal low,
                                                 Ordinal high) {
  while (low < high) {
    const Ordinal middle = low + (high - low + 1) / 2;
    if (row_offsets[middle] <= k)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

/// \brief Returns the range [0, n) for one of the tasks of a functor.
template <class Task, class ExecutionSpace>
auto task_range(const ExecutionSpace& exec, Offset n) {
  return Kokkos::RangePolicy<ExecutionSpace, Task, Kokkos::IndexType<Offset>>(exec, 0, n);
}

/// \brief Converts counts to offsets: \p counts has \p size + 1 elements, the last receives the
/// total.
template <class ExecutionSpace>
void scan_counts(const ExecutionSpace& exec, Offset* counts, Offset size) {
  using Counts = Kokkos::View<Offset*, typename ExecutionSpace::memory_space>;
  exclusive_scan(exec, "Tomokkos::transpose::offsets",
                 Counts(counts, static_cast<std::size_t>(size) + 1));
}

}  // namespace Tomokkos::Impl
