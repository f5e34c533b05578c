// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SellMatrix.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class MemorySpace>
PaddedRows<Scalar> padded_rows(const SellMatrix<Scalar, MemorySpace>& A) {
  return {A.columns.data(),
          A.values.data(),
          A.row_lengths.data(),
          A.rows.extent(0) == 0 ? nullptr : A.rows.data(),
          A.chunk_offsets.data(),
          0,
          0,
          static_cast<Ordinal>(A.row_lengths.extent(0)),
          A.num_rows,
          A.num_cols,
          0,
          A.chunk,
          A.pack};
}

/// First chunk whose place in the arrays is impossible.
template <class MemorySpace>
struct FirstBadChunk {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Offset stored, unit, num_chunks;

  KOKKOS_FUNCTION void operator()(const Offset c, Offset& first) const {
    const Offset begin = offsets(c), end = offsets(c + 1);
    const bool bad = begin < 0 || end < begin || end > stored || (end - begin) % unit != 0 ||
                     (c == 0 && begin != 0) || (c == num_chunks - 1 && end != stored);
    if (bad && c < first) first = c;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const SellMatrix<Scalar, MemorySpace>& A) {
  require(
      A.num_rows >= 0 && A.num_cols >= 0 && A.chunk > 0 && A.pack > 0,
      "a matrix has no negative number of rows or columns, and chunks and packs hold something");
  require_equal("length of columns", static_cast<long long>(A.columns.extent(0)),
                "length of values", static_cast<long long>(A.values.extent(0)));
  const Offset chunks = (static_cast<Offset>(A.num_rows) + A.chunk - 1) / A.chunk;
  require_equal("length of chunk_offsets", static_cast<long long>(A.chunk_offsets.extent(0)),
                "number of chunks + 1", chunks + 1);
  require_equal("length of row_lengths", static_cast<long long>(A.row_lengths.extent(0)),
                "number of slots", chunks * A.chunk);
  if (A.rows.extent(0) > 0)
    require(A.rows.extent(0) >= static_cast<std::size_t>(A.num_rows), "every row needs a slot");
  Offset first = chunks;
  Kokkos::parallel_reduce(
      "Tomokkos::validate::chunks", Impl::element_range(exec, static_cast<std::size_t>(chunks)),
      Impl::FirstBadChunk<MemorySpace>{A.chunk_offsets, A.num_stored(),
                                       static_cast<Offset>(A.chunk) * A.pack, chunks},
      Kokkos::Min<Offset>(first));
  Impl::fence(exec, "validate: the first bad chunk");
  if (first < chunks)
    throw Error("not a valid SELL matrix: chunk " + std::to_string(first) +
                " does not lie where it should");
  Impl::validate_slot_rows(exec, "SELL", A.num_rows, A.rows);
  Impl::validate_padded_rows(exec, "SELL", Impl::padded_rows(A), A.nonzeros);
}

}  // namespace Tomokkos
