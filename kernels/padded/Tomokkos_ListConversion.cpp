// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions of COO and HYB from and to CSR.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_ListFormats.hpp>
#include <impl/Tomokkos_PaddedSlots.hpp>

namespace Tomokkos {
namespace Impl {

/// Lists the entries of each row from position \p first on; `offsets` are the offsets of the list.
template <class Scalar, class MemorySpace>
struct ListEntries {
  CsrMatrix<Scalar, MemorySpace> A;
  Ordinal first;
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<Ordinal*, MemorySpace> rows, columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset to = offsets(row);
    for (Offset k = A.row_offsets(row) + first; k < A.row_offsets(row + 1); ++k, ++to) {
      rows(to) = row;
      columns(to) = A.columns(k);
      values(to) = A.values(k);
    }
  }
};

/// Counts the entries of each row after the first \p first.
template <class MemorySpace>
struct CountBeyond {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Ordinal first;
  Kokkos::View<Offset*, MemorySpace> counts;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset length = row_offsets(row + 1) - row_offsets(row);
    counts(row) = length > first ? length - first : 0;
  }
};

/// Finds the row offsets of a sorted list: for each row, the position of the first entry in this or
/// a later row.
template <class MemorySpace>
struct FindRows {
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<Offset*, MemorySpace> offsets;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset low = 0, high = static_cast<Offset>(rows.extent(0));
    while (low < high) {
      const Offset middle = low + (high - low) / 2;
      if (rows(middle) < row)
        low = middle + 1;
      else
        high = middle;
    }
    offsets(row) = low;
  }
};

/// Counts the rows of each length; longer rows are counted in the last bin.
template <class MemorySpace>
struct CountLengths {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Offset*, MemorySpace> bins;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset length = row_offsets(row + 1) - row_offsets(row);
    const auto last = static_cast<Offset>(bins.extent(0)) - 1;
    Kokkos::atomic_add(&bins(length < last ? length : last), Offset(1));
  }
};

/// Returns the entries of \p A from position \p first of each row on.
template <class ExecutionSpace, class Scalar>
CooMatrix<Scalar, typename ExecutionSpace::memory_space> list_beyond(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    Ordinal first) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, A.num_rows);
  Kokkos::View<const Offset*, MemorySpace> offsets = A.row_offsets;
  Offset entries = A.num_nonzeros();
  if (first > 0) {
    const auto counts = allocate<Kokkos::View<Offset*, MemorySpace>>(
        exec, "Tomokkos::convert::offsets", static_cast<Offset>(A.num_rows) + 1);
    Kokkos::parallel_for("Tomokkos::convert::count_beyond", all,
                         CountBeyond<MemorySpace>{A.row_offsets, first, counts});
    exclusive_scan(exec, "Tomokkos::convert::offsets", counts);
    entries = read_entry(exec, counts, A.num_rows, "convert: entries of the list");
    offsets = counts;
  }
  const auto rows =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::CooMatrix::rows", entries);
  const auto columns =
      allocate<Kokkos::View<Ordinal*, MemorySpace>>(exec, "Tomokkos::CooMatrix::columns", entries);
  const auto values =
      allocate<Kokkos::View<Scalar*, MemorySpace>>(exec, "Tomokkos::CooMatrix::values", entries);
  Kokkos::parallel_for("Tomokkos::convert::list", all,
                       ListEntries<Scalar, MemorySpace>{A, first, offsets, rows, columns, values});
  fence(exec, "convert: the list is filled");
  return {A.num_rows, A.num_cols, rows, columns, values};
}

/// Returns the shortest length that a share \p quantile of the rows does not exceed.
template <class ExecutionSpace, class MemorySpace>
Ordinal length_quantile(const ExecutionSpace& exec,
                        const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                        Ordinal num_rows, Offset longest, double quantile) {
  const Kokkos::View<Offset*, MemorySpace> bins(
      Kokkos::view_alloc(exec, "Tomokkos::convert::length_bins"), longest + 1);
  Kokkos::parallel_for("Tomokkos::convert::count_lengths",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
                       CountLengths<MemorySpace>{row_offsets, bins});
  std::vector<Offset> counts(static_cast<std::size_t>(longest) + 1);
  Kokkos::deep_copy(exec, VectorView<Offset, Kokkos::HostSpace>(counts.data(), counts.size()),
                    bins);
  fence(exec, "convert: the lengths are counted");
  Offset rows = 0;
  for (std::size_t length = 0; length < counts.size(); ++length) {
    rows += counts[length];
    if (static_cast<double>(rows) >= quantile * num_rows) return static_cast<Ordinal>(length);
  }
  return static_cast<Ordinal>(longest);
}

/// Counts the entries among the first \p width of each row.
template <class MemorySpace>
struct CountUpTo {
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Ordinal width;
  KOKKOS_FUNCTION void operator()(const Ordinal row, Offset& sum) const {
    const Offset length = row_offsets(row + 1) - row_offsets(row);
    sum += length < width ? length : width;
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CooMatrix<Scalar, typename ExecutionSpace::memory_space> coo_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  Impl::check_storage<ExecutionSpace>("coo", A.num_nonzeros(), A.num_nonzeros(), {},
                                      2 * sizeof(Ordinal) + sizeof(Scalar));
  return Impl::list_beyond(exec, A, 0);
}

template <class ExecutionSpace, class Scalar>
HybMatrix<Scalar, typename ExecutionSpace::memory_space> hyb_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const HybOptions& options) {
  require(options.quantile >= 0 && options.quantile <= 1, "the quantile must be between 0 and 1");
  using MemorySpace = typename ExecutionSpace::memory_space;
  const RowStatistics statistics = row_statistics(exec, A);
  const Ordinal width =
      Impl::length_quantile(exec, A.row_offsets, A.num_rows, statistics.longest, options.quantile);
  HybMatrix<Scalar, MemorySpace> target;
  target.num_rows = A.num_rows;
  target.num_cols = A.num_cols;
  Offset regular = 0;
  Kokkos::parallel_reduce("Tomokkos::convert::count_regular",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_rows),
                          Impl::CountUpTo<MemorySpace>{A.row_offsets, width}, regular);
  Impl::fence(exec, "convert: entries of the regular part");
  Impl::check_storage<ExecutionSpace>(
      "hyb", static_cast<Offset>(A.num_rows) * width + (A.num_nonzeros() - regular),
      A.num_nonzeros(), options.limit, sizeof(Ordinal) + Impl::padded_entry_bytes<Scalar>);
  Impl::set_ell_shape<ExecutionSpace>(target.regular, A.num_rows, A.num_cols, regular, width);
  Impl::fill_ell(exec, A, "Tomokkos::EllMatrix", target.regular);
  target.rest = Impl::list_beyond(exec, A, width);
  return target;
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const CooMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  Kokkos::parallel_for("Tomokkos::convert::find_rows", Impl::element_range(exec, offsets.extent(0)),
                       Impl::FindRows<MemorySpace>{A.rows, offsets});
  // Columns and values already have the order of CSR.
  Impl::fence(exec, "convert: the matrix is complete");
  return {A.num_rows, A.num_cols, offsets, A.columns, A.values};
}

namespace Impl {

template <class Scalar, class MemorySpace>
struct CountHybRows {
  PaddedRows<Scalar> regular;
  Kokkos::View<const Offset*, MemorySpace> rest_offsets;
  Kokkos::View<Offset*, MemorySpace> counts;
  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    counts(row) = regular.length(row) + rest_offsets(row + 1) - rest_offsets(row);
  }
};

template <class Scalar, class MemorySpace>
struct CopyHybRows {
  PaddedRows<Scalar> regular;
  CsrMatrix<Scalar, MemorySpace> rest;
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Offset to = offsets(row);
    const Ordinal length = regular.length(row);
    for (Ordinal k = 0; k < length; ++k, ++to) {
      const Offset at = regular.position(row, k);
      columns(to) = regular.columns[at];
      values(to) = regular.values[at];
    }
    for (Offset k = rest.row_offsets(row); k < rest.row_offsets(row + 1); ++k, ++to) {
      columns(to) = rest.columns(k);
      values(to) = rest.values(k);
    }
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec, const HybMatrix<Scalar, typename ExecutionSpace::memory_space>& A) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto rest = to_csr<ExecutionSpace, Scalar>(exec, A.rest);
  const Kokkos::RangePolicy<ExecutionSpace> all(exec, 0, A.num_rows);
  const auto offsets = Impl::allocate_row_offsets<MemorySpace>(exec, A.num_rows);
  const auto csr = Impl::allocate_entries<Scalar>(exec, offsets, A.num_nonzeros());
  const auto regular = Impl::padded_rows(A.regular);
  Kokkos::parallel_for("Tomokkos::convert::count_hyb", all,
                       Impl::CountHybRows<Scalar, MemorySpace>{regular, rest.row_offsets, offsets});
  Impl::exclusive_scan(exec, "Tomokkos::convert::offsets", offsets);
  Kokkos::parallel_for(
      "Tomokkos::convert::copy_hyb", all,
      Impl::CopyHybRows<Scalar, MemorySpace>{regular, rest, offsets, csr.columns, csr.values});
  Impl::fence(exec, "convert: the matrix is complete");
  return csr.matrix(A.num_rows, A.num_cols);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                            \
  template CooMatrix<SCALAR, SPACE::memory_space> coo_from_csr<SPACE, SCALAR>(         \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&);                    \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(               \
      const SPACE&, const CooMatrix<SCALAR, SPACE::memory_space>&);                    \
  template HybMatrix<SCALAR, SPACE::memory_space> hyb_from_csr<SPACE, SCALAR>(         \
      const SPACE&, const CsrMatrix<SCALAR, SPACE::memory_space>&, const HybOptions&); \
  template CsrMatrix<SCALAR, SPACE::memory_space> to_csr<SPACE, SCALAR>(               \
      const SPACE&, const HybMatrix<SCALAR, SPACE::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
