// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ForEach.hpp>
#include <impl/Tomokkos_Loads_impl.hpp>
#include <impl/Tomokkos_SortEntries_impl.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class MemorySpace>
struct MappedLengths {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Ordinal*, MemorySpace> to_natural_row, from_natural_column;
  bool all_columns;
  Kokkos::View<Offset*, MemorySpace> lengths;

  KOKKOS_FUNCTION void operator()(const Ordinal p) const {
    const Ordinal row = to_natural_row(p);
    const Offset begin = A.row_offsets(row), end = A.row_offsets(row + 1);
    Offset length = end - begin;
    if (!all_columns)
      for (Offset k = begin; k < end; ++k)
        if (from_natural_column(A.columns(k)) < 0) --length;
    lengths(p) = length;
  }
};

template <class Scalar, class MemorySpace>
struct PlaceMappedRow {
  CsrMatrix<Scalar, MemorySpace> A;
  Kokkos::View<const Ordinal*, MemorySpace> to_natural_row, from_natural_column;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal p) const {
    const Ordinal row = to_natural_row(p);
    const Offset end = A.row_offsets(row + 1);
    Offset to = row_offsets(p);
    for (Offset k = A.row_offsets(row); k < end; ++k) {
      const Ordinal column = from_natural_column(A.columns(k));
      if (column < 0) continue;
      columns(to) = column;
      values(to) = A.values(k);
      ++to;
    }
  }
};

/// Interleaves the entries of one row. Entries are read in their order and written to the first
/// place of every pack that the lanes load together, then to the second place, and so on.
template <class Scalar, class MemorySpace>
struct InterleaveRow {
  CsrMatrix<Scalar, MemorySpace> A;
  int lanes;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset begin = A.row_offsets(row), end = A.row_offsets(row + 1);
    const Offset width = static_cast<Offset>(lanes) * pack_size;
    Offset from = begin;
    for (Offset first = begin / pack_size * pack_size; first < end; first += width) {
      const Offset last = first + width < end ? first + width : end;
      for (int place = 0; place < pack_size; ++place) {
        Offset to = first + place;
        if (to < begin) to += pack_size;  // the first pack begins before the row
        for (; to < last; to += pack_size, ++from) {
          columns(to) = A.columns(from);
          values(to) = A.values(from);
        }
      }
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_mapped(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& column_map) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  Impl::ScopedRegion region("Tomokkos::csr_mapped");
  require_equal("indices of the row map", row_map.natural_size(), "rows of A", A.num_rows);
  require_equal("indices of the column map", column_map.natural_size(), "columns of A", A.num_cols);
  const Ordinal num_rows = row_map.size();
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, num_rows);
  const auto row_offsets = Impl::allocate_row_offsets<MemorySpace>(exec, num_rows);
  Kokkos::parallel_for(
      "Tomokkos::csr_mapped::count", all,
      Impl::MappedLengths<Scalar, MemorySpace>{A, row_map.to_natural, column_map.from_natural,
                                               column_map.is_permutation(), row_offsets});
  Impl::exclusive_scan(exec, "Tomokkos::csr_mapped::offsets", row_offsets);
  const Offset nonzeros = Impl::read_entry(exec, row_offsets, static_cast<std::size_t>(num_rows),
                                           "csr_mapped: number of nonzeros has arrived");
  const auto arrays = Impl::allocate_entries<Scalar, MemorySpace>(exec, row_offsets, nonzeros);
  Kokkos::parallel_for(
      "Tomokkos::csr_mapped::place", all,
      Impl::PlaceMappedRow<Scalar, MemorySpace>{A, row_map.to_natural, column_map.from_natural,
                                                row_offsets, arrays.columns, arrays.values});
  Impl::sort_entries(exec, arrays, num_rows);
  Impl::fence(exec, "csr_mapped: the matrix is complete");
  return arrays.matrix(num_rows, column_map.size());
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int lanes) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(lanes >= 1 && lanes <= 32 && (lanes & (lanes - 1)) == 0,
          Impl::text("the number of lanes must be a power of two up to 32, not {}", lanes));
  const auto columns = allocate<Kokkos::View<Ordinal*, MemorySpace>>(
      exec, "Tomokkos::CsrMatrix::columns", A.num_nonzeros());
  const auto values = Impl::allocate_values<Scalar, MemorySpace>(exec, A.num_nonzeros());
  Kokkos::parallel_for("Tomokkos::csr_interleaved",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                       Impl::InterleaveRow<Scalar, MemorySpace>{A, lanes, columns, values});
  Impl::fence(exec, "csr_interleaved: the matrix is complete");
  return {A.num_rows, A.num_cols, A.row_offsets, columns, values};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                        \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_mapped<SPACE, SCALAR>(       \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&,                 \
      const IndexMap<SPACE::memory_space>&, const IndexMap<SPACE::memory_space>&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> csr_interleaved<SPACE, SCALAR>(  \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, int);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
