// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on every stored entry of a matrix, whatever its format: a visitor is called with the row,
// the column and the position of each entry, by one thread for all entries of a row (but of COO,
// where an entry has a thread, and of packed rows, where a lane has one).
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_PaddedRows.hpp>
#include <impl/Tomokkos_PackedCsrVisit.hpp>

namespace Tomokkos {
namespace Impl {

template <class Scalar, class Visitor>
struct VisitPaddedRows {
  PaddedRows<Scalar> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Ordinal slot) const {
    const Ordinal length = A.length(slot);
    for (Ordinal k = 0; k < length; ++k) {
      const Offset at = A.position(slot, k);
      visit(A.row(slot), A.columns[at], at);
    }
  }
};

template <class MemorySpace, class Visitor>
struct VisitList {
  Kokkos::View<const Ordinal*, MemorySpace> rows, columns;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Offset at) const { visit(rows(at), columns(at), at); }
};

/// Fill beyond the last row or column is passed over.
template <class Scalar, class MemorySpace, int B, class Visitor>
struct VisitBlocks {
  BcsrMatrix<Scalar, MemorySpace, B> A;
  Visitor visit;

  KOKKOS_FUNCTION void operator()(const Ordinal block_row) const {
    for (Offset block = A.block_offsets(block_row); block < A.block_offsets(block_row + 1); ++block)
      for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j) {
          const Offset row = static_cast<Offset>(block_row) * B + i;
          const Offset column = static_cast<Offset>(A.block_columns(block)) * B + j;
          if (row < A.num_rows && column < A.num_cols)
            visit(static_cast<Ordinal>(row), static_cast<Ordinal>(column),
                  block * B * B + i * B + j);
        }
  }
};

/// Calls `action(part)` for each part of \p A that has values of its own.
template <class Matrix, class Action>
void for_each_part(Matrix& A, const Action& action) {
  if constexpr (requires { A.regular; }) {
    action(A.regular);
    action(A.rest);
  } else {
    action(A);
  }
}

/// Visits the entries of one part.
template <class ExecutionSpace, class Matrix, class Visitor>
void visit_entries(const ExecutionSpace& exec, const std::string& label, const Matrix& A,
                   const Visitor& visitor) {
  using Scalar = typename Matrix::scalar_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  if constexpr (requires { A.block_offsets; }) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, A.num_block_rows()),
                         VisitBlocks<Scalar, MemorySpace, Matrix::block_size, Visitor>{A, visitor});
  } else if constexpr (requires { padded_rows(A); }) {
    const PaddedRows<Scalar> rows = padded_rows(A);
    Kokkos::parallel_for(label, Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows.num_slots),
                         VisitPaddedRows<Scalar, Visitor>{rows, visitor});
  } else if constexpr (requires { A.bundle_offsets; }) {
    Kokkos::parallel_for(label, element_range(exec, Offset{A.num_bundles()} * A.group),
                         VisitPackedLanes<Scalar, Matrix::tile_values, Visitor>{
                             PackedStreams<Scalar, Matrix::tile_values>(A), visitor});
  } else {
    Kokkos::parallel_for(label, element_range(exec, A.num_nonzeros()),
                         VisitList<MemorySpace, Visitor>{A.rows, A.columns, visitor});
  }
}

template <class Scalar, class MemorySpace>
struct TakeDiagonalEntry {
  Kokkos::View<const Scalar*, MemorySpace> values;
  VectorView<Scalar, MemorySpace> d;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    if (row == column) d(row) = values(at);
  }
};

template <class Scalar, class MemorySpace>
struct TakeBlockEntry {
  Kokkos::View<const Scalar*, MemorySpace> values;
  VectorView<Scalar, MemorySpace> blocks;
  int size;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Offset first = row / size * size;
    if (column >= first && column < first + size)
      blocks(static_cast<Offset>(row) * size + (column - first)) = values(at);
  }
};

/// Blocks of zeros, with ones behind the last row.
template <class Scalar, class MemorySpace>
struct BeginBlocks {
  VectorView<Scalar, MemorySpace> blocks;
  Offset rows;
  int size;

  KOKKOS_FUNCTION void operator()(const Offset at) const {
    const Offset row = at / size;
    blocks(at) = Scalar(row >= rows && at % size == row % size ? 1 : 0);
  }
};

template <class Scalar, class MemorySpace>
struct ScaleEntry {
  Kokkos::View<const Scalar*, MemorySpace> values;
  VectorView<const Scalar, MemorySpace> row_scale, column_scale;
  Kokkos::View<Scalar*, MemorySpace> scaled;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    // As `csr_scaled` does: what was symmetric stays so.
    scaled(at) = values(at) * (row_scale(row) * column_scale(column));
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
void format_diagonal(
    const ExecutionSpace& exec, const Matrix& A,
    const VectorView<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>& d) {
  using Scalar = typename Matrix::scalar_type;
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                A.num_rows);
  Kokkos::deep_copy(exec, d, Scalar(0));
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(
        exec, "Tomokkos::format::diagonal", part,
        Impl::TakeDiagonalEntry<Scalar, typename ExecutionSpace::memory_space>{part.values, d});
  });
}

template <class ExecutionSpace, class Matrix>
void format_diagonal_blocks(
    const ExecutionSpace& exec, const Matrix& A, int size,
    const VectorView<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>& blocks) {
  using Scalar = typename Matrix::scalar_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(size >= 1, "blocks of the diagonal have at least one row");
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  const Offset rows = (static_cast<Offset>(A.num_rows) + size - 1) / size * size;
  require_equal("length of the blocks", static_cast<long long>(blocks.extent(0)),
                "the entries of the blocks of A", static_cast<long long>(rows * size));
  Kokkos::parallel_for("Tomokkos::format::begin_blocks", Impl::element_range(exec, rows * size),
                       Impl::BeginBlocks<Scalar, MemorySpace>{blocks, A.num_rows, size});
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(exec, "Tomokkos::format::diagonal_blocks", part,
                        Impl::TakeBlockEntry<Scalar, MemorySpace>{part.values, blocks, size});
  });
}

template <class ExecutionSpace, class Matrix>
Matrix format_scaled(const ExecutionSpace& exec, const Matrix& A,
                     const VectorView<const typename Matrix::scalar_type,
                                      typename ExecutionSpace::memory_space>& row_scale,
                     const VectorView<const typename Matrix::scalar_type,
                                      typename ExecutionSpace::memory_space>& column_scale) {
  using Scalar = typename Matrix::scalar_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  require_equal("length of the row scale", static_cast<long long>(row_scale.extent(0)), "rows of A",
                A.num_rows);
  require_equal("length of the column scale", static_cast<long long>(column_scale.extent(0)),
                "columns of A", A.num_cols);
  Matrix result = A;
  Impl::for_each_part(result, [&](auto& part) {
    const auto scaled = allocate<Kokkos::View<Scalar*, MemorySpace>>(
        exec, "Tomokkos::format::scaled", static_cast<Offset>(part.values.extent(0)));
    // Padding and fill stay what they are.
    Kokkos::deep_copy(exec, scaled, part.values);
    Impl::visit_entries(
        exec, "Tomokkos::format::scale", part,
        Impl::ScaleEntry<Scalar, MemorySpace>{part.values, row_scale, column_scale, scaled});
    Impl::fence(exec, "format_scaled: the values are complete");
    part.values = scaled;
  });
  return result;
}

}  // namespace Tomokkos
