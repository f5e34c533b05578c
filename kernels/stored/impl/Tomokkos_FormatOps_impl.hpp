// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations on every stored entry of a matrix in any format. The source file that defines
// `FormatEntries` of a format instantiates them with `TOMOKKOS_INSTANTIATE_ENTRY_OPS`.
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatOps.hpp>
#include <Tomokkos_VectorFunctors.hpp>
#include <string>

namespace Tomokkos {
namespace Impl {

/// Visitor access to the entries of a format. Each format specialises it in its folder with
/// `visit(exec, label, A, visitor)`, which calls the visitor with the row, the column and the
/// position in `values` of each entry.
template <class Matrix>
struct FormatEntries;

/// Calls `action(part)` for each part of \p A that has its own values.
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
  FormatEntries<Matrix>::visit(exec, label, A, visitor);
}

template <class Scalar, class MemorySpace>
struct CopyDiagonalEntry {
  Kokkos::View<const Scalar*, MemorySpace> values;
  VectorView<Scalar, MemorySpace> d;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    if (row == column) d(row) = values(at);
  }
};

template <class Scalar, class MemorySpace>
struct CopyBlockEntry {
  Kokkos::View<const Scalar*, MemorySpace> values;
  VectorView<Scalar, MemorySpace> blocks;
  int size;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Offset first = row / size * size;
    if (column >= first && column < first + size)
      blocks(static_cast<Offset>(row) * size + (column - first)) = values(at);
  }
};

/// Fills the blocks with zeros, and with ones on the diagonal after the last row.
template <class Scalar, class MemorySpace>
struct InitialiseBlocks {
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
    // Multiply the scales first, as `csr_scaled` does: a symmetric matrix stays symmetric bit for
    // bit.
    scaled(at) = values(at) * (row_scale(row) * column_scale(column));
  }
};

/// Computes `Y(column, :) += alpha a X(row, :)`.
template <class Scalar>
struct AddEntryAtomically {
  const Scalar* values;
  const Scalar* x;
  Scalar* y;
  Offset width;
  Scalar alpha;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Scalar value = alpha * values[at];
    for (Offset j = 0; j < width; ++j)
      Kokkos::atomic_add(&y[column * width + j], value * x[row * width + j]);
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
void format_diagonal(const ExecutionSpace& exec, const Matrix& A,
                     const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& d) {
  using Scalar = typename Matrix::scalar_type;
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                A.num_rows);
  Kokkos::deep_copy(exec, d, Scalar(0));
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(
        exec, "Tomokkos::format::diagonal", part,
        Impl::CopyDiagonalEntry<Scalar, typename ExecutionSpace::memory_space>{part.values, d});
  });
}

template <class ExecutionSpace, class Matrix>
void format_diagonal_blocks(
    const ExecutionSpace& exec, const Matrix& A, int size,
    const OutputVector<ExecutionSpace, typename Matrix::scalar_type>& blocks) {
  using Scalar = typename Matrix::scalar_type;
  using MemorySpace = typename ExecutionSpace::memory_space;
  require(size >= 1, "diagonal blocks must have at least one row");
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  const Offset rows = (static_cast<Offset>(A.num_rows) + size - 1) / size * size;
  require_equal("length of the blocks", static_cast<long long>(blocks.extent(0)),
                "number of entries in the diagonal blocks of A",
                static_cast<long long>(rows * size));
  Kokkos::parallel_for("Tomokkos::format::begin_blocks", Impl::element_range(exec, rows * size),
                       Impl::InitialiseBlocks<Scalar, MemorySpace>{blocks, A.num_rows, size});
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(exec, "Tomokkos::format::diagonal_blocks", part,
                        Impl::CopyBlockEntry<Scalar, MemorySpace>{part.values, blocks, size});
  });
}

template <class ExecutionSpace, class Matrix>
Matrix format_scaled(
    const ExecutionSpace& exec, const Matrix& A,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& row_scale,
    const InputVector<ExecutionSpace, typename Matrix::scalar_type>& column_scale) {
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
    // Copy first: padding and fill keep their values.
    Kokkos::deep_copy(exec, scaled, part.values);
    Impl::visit_entries(
        exec, "Tomokkos::format::scale", part,
        Impl::ScaleEntry<Scalar, MemorySpace>{part.values, row_scale, column_scale, scaled});
    Impl::fence(exec, "format_scaled: the values are complete");
    part.values = scaled;
  });
  return result;
}

template <class ExecutionSpace, class Matrix>
void format_transpose_atomic(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const InputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& X,
    typename Matrix::scalar_type beta,
    const OutputMultiVector<ExecutionSpace, typename Matrix::scalar_type>& Y) {
  using Scalar = typename Matrix::scalar_type;
  Impl::require_operands(Impl::Operand("X", X, "rows of A", A.num_rows),
                         Impl::Operand("Y", Y, "columns of A", A.num_cols));
  Kokkos::parallel_for(
      "Tomokkos::format::transpose_atomic::scale", Impl::element_range(exec, Y.size()),
      Impl::ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(exec, "Tomokkos::format::transpose_atomic", part,
                        Impl::AddEntryAtomically<Scalar>{part.values.data(), X.data(), Y.data(),
                                                         static_cast<Offset>(X.extent(1)), alpha});
  });
}

}  // namespace Tomokkos

/// \brief Instantiates the diagonal, the scaled matrix and the atomic additions of a matrix type.
#define TOMOKKOS_INSTANTIATE_ENTRY_OPS(SPACE, SCALAR, ...)                                    \
  template void format_diagonal<SPACE, __VA_ARGS__>(                                          \
      const SPACE&, const __VA_ARGS__&, const VectorView<SCALAR, SPACE::memory_space>&);      \
  template void format_diagonal_blocks<SPACE, __VA_ARGS__>(                                   \
      const SPACE&, const __VA_ARGS__&, int, const VectorView<SCALAR, SPACE::memory_space>&); \
  template __VA_ARGS__ format_scaled<SPACE, __VA_ARGS__>(                                     \
      const SPACE&, const __VA_ARGS__&, const VectorView<const SCALAR, SPACE::memory_space>&, \
      const VectorView<const SCALAR, SPACE::memory_space>&);                                  \
  template void format_transpose_atomic<SPACE, __VA_ARGS__>(                                  \
      const SPACE&, const __VA_ARGS__&, SCALAR,                                               \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR,                      \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
