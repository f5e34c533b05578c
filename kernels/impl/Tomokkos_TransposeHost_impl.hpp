// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transposition on host threads: a counting sort over bands of rows. Each band counts its entries
// per column; a scan over (column, band) tells each band where its entries of a column begin; each
// band then places its rows in order. The result is sorted and does not depend on the number of
// bands.
#pragma once

#include <algorithm>
#include <impl/Tomokkos_CsrBuild_impl.hpp>

namespace Tomokkos::Impl {

template <class Scalar, class MemorySpace>
struct TransposeBands {
  CsrMatrix<Scalar, MemorySpace> A;
  Ordinal bands;
  /// next(band, column): first counts, then positions.
  Kokkos::View<Offset**, Kokkos::LayoutRight, MemorySpace> next;
  CsrArrays<Scalar, MemorySpace> transposed;
  /// Where each row of A goes on with the next tile of columns.
  Kokkos::View<Offset*, MemorySpace> cursor;
  Ordinal tile_columns;

  struct Count {};
  struct Total {};
  struct Start {};
  struct Place {};

  /// Bands hold equal shares of the nonzeros.
  KOKKOS_FUNCTION Ordinal band_begin(Ordinal band) const {
    const Offset target = A.row_offsets(A.num_rows) / bands * band;
    if (band == 0) return 0;
    if (band == bands) return A.num_rows;
    Ordinal low = 0, high = A.num_rows;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (A.row_offsets(middle) < target)
        low = middle + 1;
      else
        high = middle;
    }
    return low;
  }

  KOKKOS_FUNCTION void operator()(Count, const Ordinal band, int& unsorted) const {
    for (Ordinal column = 0; column < A.num_cols; ++column) next(band, column) = 0;
    const Ordinal last = band_begin(band + 1);
    for (Ordinal row = band_begin(band); row < last; ++row) {
      Ordinal previous = -1;
      cursor(row) = A.row_offsets(row);
      for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
        const Ordinal column = A.columns(k);
        if (column < previous) unsorted = 1;
        previous = column;
        ++next(band, column);
      }
    }
  }

  /// Length of each row of the transpose.
  KOKKOS_FUNCTION void operator()(Total, const Ordinal column) const {
    Offset length = 0;
    for (Ordinal band = 0; band < bands; ++band) length += next(band, column);
    transposed.row_offsets(column) = length;
  }

  KOKKOS_FUNCTION void operator()(Start, const Ordinal column) const {
    Offset position = transposed.row_offsets(column);
    for (Ordinal band = 0; band < bands; ++band) {
      const Offset count = next(band, column);
      next(band, column) = position;
      position += count;
    }
  }

  KOKKOS_FUNCTION void operator()(Place, const Ordinal band) const {
    const Ordinal first = band_begin(band);
    const Ordinal last = band_begin(band + 1);
    for (Offset tile = 0; tile < A.num_cols; tile += tile_columns) {
      const Offset tile_end = tile + tile_columns;
      for (Ordinal row = first; row < last; ++row) {
        const Offset end = A.row_offsets(row + 1);
        Offset k = cursor(row);
        for (; k < end && A.columns(k) < tile_end; ++k) {
          const Offset position = next(band, A.columns(k))++;
          transposed.columns(position) = row;
          transposed.values(position) = A.values(k);
        }
        cursor(row) = k;
      }
    }
  }
};

/// Columns of a tile: each keeps a line of columns and a line of values open, 2 MiB in all.
inline constexpr Ordinal transpose_tile_columns = 16384;

/// \brief Bands of a transposition by \p concurrency threads: one a thread, unless their counters
/// would outgrow the matrix.
template <class Scalar, class MemorySpace>
Ordinal transpose_bands(const CsrMatrix<Scalar, MemorySpace>& A, int concurrency) {
  const Offset counters_in_matrix = static_cast<Offset>(
      A.memory_bytes() / (sizeof(Offset) * (static_cast<std::size_t>(A.num_cols) + 1)));
  const Offset most = std::max<Offset>(1, counters_in_matrix);
  return static_cast<Ordinal>(std::min<Offset>(std::max(concurrency, 1), most));
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> transpose_by_bands(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Bands = TransposeBands<Scalar, MemorySpace>;
  const Ordinal bands = transpose_bands(A, concurrency(exec));
  Bands work{A,
             bands,
             allocate<decltype(Bands::next)>(exec, "Tomokkos::transpose::next", bands, A.num_cols),
             allocate_csr<Scalar, MemorySpace>(exec, A.num_cols, A.num_nonzeros()),
             allocate<decltype(Bands::cursor)>(exec, "Tomokkos::transpose::cursor", A.num_rows),
             transpose_tile_columns};
  int unsorted = 0;
  Kokkos::parallel_reduce(
      "Tomokkos::transpose::count",
      Kokkos::RangePolicy<ExecutionSpace, typename Bands::Count>(exec, 0, bands), work,
      Kokkos::Max<int>(unsorted));
  fence(exec, "transpose: whether rows are sorted");
  if (unsorted > 0) work.tile_columns = A.num_cols;
  Kokkos::parallel_for(
      "Tomokkos::transpose::total",
      Kokkos::RangePolicy<ExecutionSpace, typename Bands::Total>(exec, 0, A.num_cols), work);
  exclusive_scan(exec, "Tomokkos::transpose::offsets", work.transposed.row_offsets);
  Kokkos::parallel_for(
      "Tomokkos::transpose::start",
      Kokkos::RangePolicy<ExecutionSpace, typename Bands::Start>(exec, 0, A.num_cols), work);
  Kokkos::parallel_for("Tomokkos::transpose::place",
                       Kokkos::RangePolicy<ExecutionSpace, typename Bands::Place>(exec, 0, bands),
                       work);
  return work.transposed.matrix(A.num_cols, A.num_rows);
}

}  // namespace Tomokkos::Impl
