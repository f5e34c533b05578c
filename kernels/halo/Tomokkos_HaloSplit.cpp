// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HaloSplit.hpp>

namespace Tomokkos {
namespace Impl {

/// Marks with 1 the rows that use columns outside `own`, and these columns.
template <class Scalar, class MemorySpace>
struct MarkHalo {
  CsrMatrix<Scalar, MemorySpace> A;
  RowRange own;
  Kokkos::View<Ordinal*, MemorySpace> rows, columns;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Ordinal meets = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      const Ordinal column = A.columns(k);
      if (column >= own.begin && column < own.end) continue;
      meets = 1;
      Kokkos::atomic_fetch_or(&columns(column), Ordinal(1));
    }
    rows(row) = meets;
  }
};

/// Numbers the indices marked with 1 in ascending order, in place: marks are replaced by positions.
template <class MemorySpace>
struct NumberMarked {
  Kokkos::View<Ordinal*, MemorySpace> positions;
  Kokkos::View<Ordinal*, MemorySpace> marked;

  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& position, const bool final) const {
    const bool is_marked = positions(i) == 1;
    if (final) {
      if (is_marked) marked(position) = i;
      positions(i) = is_marked ? position : not_mapped;
    }
    if (is_marked) ++position;
  }
};

template <class MemorySpace>
struct CountMarked {
  Kokkos::View<const Ordinal*, MemorySpace> marks;
  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& count) const { count += marks(i); }
};

/// Builds a map that contains exactly the indices of a range.
template <class MemorySpace>
struct NumberRange {
  RowRange range;
  Kokkos::View<Ordinal*, MemorySpace> to_natural, from_natural;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const bool inside = i >= range.begin && i < range.end;
    from_natural(i) = inside ? i - range.begin : not_mapped;
    if (inside) to_natural(i - range.begin) = i;
  }
};

template <class ExecutionSpace>
auto all_ordinals(const ExecutionSpace& exec, Ordinal n) {
  return Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, n);
}

template <class ExecutionSpace>
Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space> allocate_indices(
    const ExecutionSpace& exec, Ordinal n) {
  return allocate<Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::HaloSplit::indices", n);
}

/// Returns a map of the marked indices. Overwrites \p marks, which become part of the map.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> map_of_marked(
    const ExecutionSpace& exec,
    const Kokkos::View<Ordinal*, typename ExecutionSpace::memory_space>& marks) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto n = static_cast<Ordinal>(marks.extent(0));
  Ordinal count = 0;
  Kokkos::parallel_reduce("Tomokkos::halo::count_marked", all_ordinals(exec, n),
                          CountMarked<MemorySpace>{marks}, count);
  fence(exec, "HaloSplit: the number of marks must have arrived");
  const auto marked = allocate_indices(exec, count);
  Kokkos::parallel_scan("Tomokkos::halo::number_marked", all_ordinals(exec, n),
                        NumberMarked<MemorySpace>{marks, marked});
  return {marked, marks};
}

template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> map_of_range(const ExecutionSpace& exec,
                                                             Ordinal natural_size, RowRange range) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto to_natural = allocate_indices(exec, range.end - range.begin);
  const auto from_natural = allocate_indices(exec, natural_size);
  Kokkos::parallel_for("Tomokkos::halo::number_range", all_ordinals(exec, natural_size),
                       NumberRange<MemorySpace>{range, to_natural, from_natural});
  return {to_natural, from_natural};
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
HaloSplit<Scalar, typename ExecutionSpace::memory_space> split_halo(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    RowRange columns) {
  const Impl::ScopedRegion region("Tomokkos::split_halo");
  const RowRange own = Impl::checked_range(columns, A.num_cols, "columns");
  require_equal("number of columns of this rank", own.end - own.begin, "number of rows",
                A.num_rows);
  HaloSplit<Scalar, typename ExecutionSpace::memory_space> split;
  {
    const auto all_rows_map = Impl::map_of_range(exec, A.num_rows, {0, A.num_rows});
    split.own = csr_mapped<ExecutionSpace, Scalar>(exec, A, all_rows_map,
                                                   Impl::map_of_range(exec, A.num_cols, own));
  }
  const auto row_marks = Impl::allocate_indices(exec, A.num_rows);
  const auto column_marks = Impl::allocate_indices(exec, A.num_cols);
  Kokkos::deep_copy(exec, column_marks, 0);
  Kokkos::parallel_for("Tomokkos::halo::mark", Impl::all_ordinals(exec, A.num_rows),
                       Impl::MarkHalo<Scalar, typename ExecutionSpace::memory_space>{
                           A, own, row_marks, column_marks});
  const auto rows = Impl::map_of_marked(exec, row_marks);
  const auto halo = Impl::map_of_marked(exec, column_marks);
  split.halo = csr_mapped<ExecutionSpace, Scalar>(exec, A, rows, halo);
  split.halo_rows = rows.to_natural;
  split.halo_columns.resize(static_cast<std::size_t>(halo.size()));
  Kokkos::deep_copy(
      exec,
      Kokkos::View<Ordinal*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          split.halo_columns.data(), split.halo_columns.size()),
      halo.to_natural);
  Impl::fence(exec, "HaloSplit: the columns must have arrived");
  return split;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                  \
  template HaloSplit<SCALAR, SPACE::memory_space> split_halo<SPACE, SCALAR>( \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, RowRange);

TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
