// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a CSR matrix from rays, in two passes: each row is traced once to count its entries and
// once to store them. A tracer calls `visit(pixel, weight)` in the order of the pixels.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <impl/Tomokkos_SortEntries_impl.hpp>
#include <string>
#include <vector>

namespace Tomokkos::Impl {

/// Returns whether a weight is stored. The narrowest scalar decides, so that all scalars have the
/// same pattern.
KOKKOS_INLINE_FUNCTION bool is_stored(double weight) { return static_cast<float>(weight) > 0; }

/// Returns the column of a pixel. \p positions: column of each pixel, negative for pixels that are
/// left out; nullptr: the column is the index of the pixel.
KOKKOS_INLINE_FUNCTION Ordinal column_of(const Ordinal* positions, Ordinal pixel) {
  return positions == nullptr ? pixel : positions[pixel];
}

struct CountNonzeros {
  const Ordinal* positions;
  Offset count = 0;
  KOKKOS_FUNCTION void operator()(Ordinal pixel, double weight) {
    count += is_stored(weight) && column_of(positions, pixel) >= 0 ? 1 : 0;
  }
};

template <class Scalar>
struct StoreNonzeros {
  const Ordinal* positions;
  Ordinal* columns;
  Scalar* values;
  KOKKOS_FUNCTION void operator()(Ordinal pixel, double weight) {
    if (!is_stored(weight)) return;
    const Ordinal column = column_of(positions, pixel);
    if (column < 0) return;
    *columns++ = column;
    *values++ = static_cast<Scalar>(weight);
  }
};

inline RowRange resolved_rows(RowRange rows, std::int64_t num_rows) {
  rows = rows.resolved(static_cast<Ordinal>(num_rows));
  if (rows.begin < 0 || rows.end < rows.begin || rows.end > num_rows)
    throw Refused(Impl::text(
        "rows {} to {} (excluded) were requested, but the matrix has rows 0 to {} (excluded)",
        rows.begin, rows.end, num_rows));
  return rows;
}

/// Starts copying \p host to the device.
template <class ExecutionSpace, class Element>
auto copy_of(const ExecutionSpace& exec, const std::string& label,
             const std::vector<Element>& host) {
  const auto device = allocate<Kokkos::View<Element*, typename ExecutionSpace::memory_space>>(
      exec, label, host.size());
  Kokkos::deep_copy(
      exec, device,
      Kokkos::View<const Element*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          host.data(), host.size()));
  return device;
}

/// Calls \p allocate_part and returns its result. If memory is missing, the message begins with the
/// total size of the matrix.
template <class AllocatePart>
auto allocate_for_matrix(std::uint64_t matrix_bytes, const AllocatePart& allocate_part) {
  try {
    return allocate_part();
  } catch (const MemoryError& error) {
    throw MemoryError("the system matrix needs " + describe_bytes(matrix_bytes) + "; " +
                      error.what());
  }
}

/// Returns the offsets of the rows that count(counts) has counted. No fence.
template <class ExecutionSpace, class Count>
auto count_rows(const ExecutionSpace& exec, const std::string& label, Ordinal num_rows,
                const Count& count) {
  const auto row_offsets =
      allocate_row_offsets<typename ExecutionSpace::memory_space>(exec, num_rows);
  count(row_offsets);
  exclusive_scan(exec, label + "::scan", row_offsets);
  return row_offsets;
}

/// Lengths of some rows in the order of a map.
template <class MemorySpace>
struct LengthsOfRows {
  Kokkos::View<const Offset*, MemorySpace> offsets;
  Kokkos::View<const Ordinal*, MemorySpace> to_natural;
  Kokkos::View<Offset*, MemorySpace> lengths;
  Ordinal first;

  KOKKOS_FUNCTION void operator()(const Ordinal p) const {
    const Ordinal row = to_natural(first + p);
    lengths(p) = offsets(row + 1) - offsets(row);
  }
};

/// Returns the offsets of some mapped rows whose lengths are known in their natural order. No
/// fence.
template <class ExecutionSpace, class MemorySpace>
auto known_offsets(const ExecutionSpace& exec, const std::string& label,
                   const Kokkos::View<const Offset*, MemorySpace>& row_offsets,
                   const IndexMap<MemorySpace>& row_map, RowRange rows) {
  require_equal("row offsets", static_cast<long long>(row_offsets.extent(0)),
                "rows of the matrix + 1", row_map.natural_size() + 1);
  const Ordinal num_rows = rows.end - rows.begin;
  return count_rows(exec, label, num_rows, [&](const Kokkos::View<Offset*, MemorySpace>& lengths) {
    Kokkos::parallel_for(
        label + "::lengths", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, num_rows),
        LengthsOfRows<MemorySpace>{row_offsets, row_map.to_natural, lengths, rows.begin});
  });
}

/// Allocates the matrix with these offsets; fill(arrays) stores its rows. The result is complete on
/// return.
///
/// \param sort whether the entries of a row may be in another order than their columns
template <class Scalar, class ExecutionSpace, class Fill>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> fill_rows(
    const ExecutionSpace& exec,
    const Kokkos::View<Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    Ordinal num_cols, bool sort, const Fill& fill) {
  const auto num_rows = static_cast<Ordinal>(row_offsets.extent(0)) - 1;
  const Offset nonzeros = read_entry(exec, row_offsets, static_cast<std::size_t>(num_rows),
                                     "fill_rows: number of nonzeros has arrived");
  const auto arrays = allocate_for_matrix(system_matrix_bytes<Scalar>(num_rows, nonzeros), [&] {
    return allocate_entries<Scalar>(exec, row_offsets, nonzeros);
  });
  fill(arrays);
  if (sort) sort_entries(exec, arrays, num_rows);
  fence(exec, "fill_rows: the matrix is complete");
  return arrays.matrix(num_rows, num_cols);
}

/// Builds a matrix whose rows are counted by count(counts) and stored by fill(arrays).
template <class Scalar, class ExecutionSpace, class Count, class Fill>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_rows(
    const ExecutionSpace& exec, const std::string& label, Ordinal num_rows, Ordinal num_cols,
    bool sort, const Count& count, const Fill& fill) {
  const auto row_offsets = allocate_for_matrix(system_matrix_bytes<Scalar>(num_rows, 0), [&] {
    return count_rows(exec, label, num_rows, count);
  });
  return fill_rows<Scalar>(exec, row_offsets, num_cols, sort, fill);
}

/// Counts the entries of rows that one thread each traces. \tparam Rays has `positions` and calls
/// `visit` in trace(row, visit).
template <class Rays, class MemorySpace>
struct CountTracedRows {
  Rays rays;
  Kokkos::View<Offset*, MemorySpace> counts;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    CountNonzeros visit{rays.positions.data()};
    rays.trace(row, visit);
    counts(row) = visit.count;
  }
};

/// Stores the entries of rows that one thread each traces.
template <class Rays, class Scalar, class MemorySpace>
struct FillTracedRows {
  Rays rays;
  Kokkos::View<const Offset*, MemorySpace> row_offsets;
  Kokkos::View<Ordinal*, MemorySpace> columns;
  Kokkos::View<Scalar*, MemorySpace> values;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    const Offset begin = row_offsets(row);
    StoreNonzeros<Scalar> visit{rays.positions.data(), columns.data() + begin,
                                values.data() + begin};
    rays.trace(row, visit);
  }
};

template <class ExecutionSpace, class Rays>
auto count_traced_rows(const ExecutionSpace& exec, const std::string& label, const Rays& rays,
                       Ordinal num_rows) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  return count_rows(exec, label, num_rows, [&](const Kokkos::View<Offset*, MemorySpace>& counts) {
    Kokkos::parallel_for(
        label + "::count",
        Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(exec, 0, num_rows),
        CountTracedRows<Rays, MemorySpace>{rays, counts});
  });
}

/// Fills rows whose offsets are known.
template <class Scalar, class ExecutionSpace, class Rays>
auto fill_traced_rows(
    const ExecutionSpace& exec, const std::string& label, const Rays& rays,
    const Kokkos::View<Offset*, typename ExecutionSpace::memory_space>& row_offsets,
    Ordinal num_cols) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  return fill_rows<Scalar>(exec, row_offsets, num_cols, rays.positions.data() != nullptr,
                           [&](const CsrArrays<Scalar, MemorySpace>& arrays) {
                             Kokkos::parallel_for(
                                 label + "::fill",
                                 Kokkos::RangePolicy<ExecutionSpace, Kokkos::IndexType<Ordinal>>(
                                     exec, 0, static_cast<Ordinal>(row_offsets.extent(0)) - 1),
                                 FillTracedRows<Rays, Scalar, MemorySpace>{
                                     rays, arrays.row_offsets, arrays.columns, arrays.values});
                           });
}

template <class Scalar, class ExecutionSpace, class Rays>
auto build_traced_rows(const ExecutionSpace& exec, const std::string& label, const Rays& rays,
                       Ordinal num_rows, Ordinal num_cols) {
  const auto row_offsets = allocate_for_matrix(system_matrix_bytes<Scalar>(num_rows, 0), [&] {
    return count_traced_rows(exec, label, rays, num_rows);
  });
  return fill_traced_rows<Scalar>(exec, label, rays, row_offsets, num_cols);
}

}  // namespace Tomokkos::Impl
