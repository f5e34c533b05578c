// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Diagonals and scalings of two-component matrices.
#pragma once

#include <Tomokkos_SpmvTwoComponent.hpp>
#include <impl/Tomokkos_TwoComponentStreams_impl.hpp>

namespace Tomokkos {
namespace Impl {

template <class Operand, class Scalar, class MemorySpace>
struct TwoComponentDiagonal {
  Operand A;
  VectorView<Scalar, MemorySpace> d;

  KOKKOS_FUNCTION void operator()(const Ordinal row) const {
    Scalar value = 0;
    for (Offset k = A.row_offsets[row]; k < A.row_offsets[row + 1]; ++k)
      if (A.entries.columns[k] == row)
        value = static_cast<Scalar>(A.entries.values[k * Operand::width]);
    for (int c = 0; c < Operand::components; ++c)
      d(static_cast<Offset>(row) * Operand::components + c) = value;
  }
};

/// Scales row i of the pattern, or row `rows(i)` of its couplings: `to = s_i from s_j`.
template <int components, int width, class Value, class From, class Scalar>
struct ScaleTwoComponentRow {
  const Offset* row_offsets;
  const Ordinal* columns;
  const From* from;
  const Ordinal* rows;  // null: row i is row i of the matrix
  const Scalar* scale;
  Value* to;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal row = rows == nullptr ? i : rows[i];
    const double left = static_cast<double>(scale[static_cast<Offset>(row) * components]);
    for (Offset k = row_offsets[i]; k < row_offsets[i + 1]; ++k) {
      const double right = static_cast<double>(scale[static_cast<Offset>(columns[k]) * components]);
      for (int w = 0; w < width; ++w)
        to[k * width + w] =
            static_cast<Value>(left * static_cast<double>(from[k * width + w]) * right);
    }
  }
};

/// Finds the first unknown whose components have different scales.
template <class Scalar, class MemorySpace>
struct FirstUnlikeScale {
  VectorView<const Scalar, MemorySpace> scale;
  KOKKOS_FUNCTION void operator()(const Ordinal i, Ordinal& first) const {
    if (i < first && scale(2 * static_cast<Offset>(i)) != scale(2 * static_cast<Offset>(i) + 1))
      first = i;
  }
};

template <class ExecutionSpace, class Scalar>
void require_equal_scales(
    const ExecutionSpace& exec, Ordinal rows,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale) {
  require_equal("length of the scaling", static_cast<long long>(scale.extent(0)), "rows of A",
                2LL * rows);
  Ordinal first = rows;
  Kokkos::parallel_reduce("Tomokkos::form::alike",
                          Kokkos::RangePolicy<ExecutionSpace>(exec, 0, rows),
                          FirstUnlikeScale<Scalar, typename ExecutionSpace::memory_space>{scale},
                          Kokkos::Min<Ordinal>(first));
  fence(exec, "two_component_scaled: whether components are scaled alike");
  require(
      first >= rows,
      Impl::text(
          "the scaling of the rows {} and {} differs, but this matrix stores one value for both",
          2LL * first, 2LL * first + 1));
}

template <class Value, int components, int width, class ExecutionSpace, class From, class Scalar>
Kokkos::View<Value*, typename ExecutionSpace::memory_space> scaled_values(
    const ExecutionSpace& exec,
    const Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>& offsets,
    const Kokkos::View<const Ordinal*, typename ExecutionSpace::memory_space>& columns,
    const Kokkos::View<const From*, typename ExecutionSpace::memory_space>& from,
    const Ordinal* rows,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale) {
  const auto values = allocate<Kokkos::View<Value*, typename ExecutionSpace::memory_space>>(
      exec, "Tomokkos::form::scaled_values", from.extent(0));
  const auto count = static_cast<Ordinal>(offsets.extent(0)) - 1;
  Kokkos::parallel_for(
      "Tomokkos::form::scale", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, count),
      ScaleTwoComponentRow<components, width, Value, From, Scalar>{
          offsets.data(), columns.data(), from.data(), rows, scale.data(), values.data()});
  return values;
}

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class Matrix>
void Impl::two_component_diagonal(
    const ExecutionSpace& exec, const Matrix& A,
    const VectorView<Scalar, typename ExecutionSpace::memory_space>& d) {
  const auto form = Impl::operand_of(A);
  using Operand = std::decay_t<decltype(form)>;
  require_equal("length of the diagonal", static_cast<long long>(d.extent(0)), "rows of A",
                static_cast<long long>(form.num_rows) * Operand::components);
  Kokkos::parallel_for(
      "Tomokkos::form::diagonal", Kokkos::RangePolicy<ExecutionSpace>(exec, 0, form.num_rows),
      Impl::TwoComponentDiagonal<Operand, Scalar, typename ExecutionSpace::memory_space>{form, d});
}

template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
CsrMatrix<Value, typename ExecutionSpace::memory_space> Impl::two_component_scaled(
    const ExecutionSpace& exec,
    const CsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale) {
  require_equal("length of the scaling", static_cast<long long>(scale.extent(0)), "rows of A",
                A.num_rows);
  CsrMatrix<Value, typename ExecutionSpace::memory_space> scaled{
      A.num_rows, A.num_cols, A.row_offsets, A.columns, {}};
  scaled.values = Impl::scaled_values<Value, 1, 1, ExecutionSpace, MatrixValue, Scalar>(
      exec, A.row_offsets, A.columns, A.values, nullptr, scale);
  Impl::fence(exec, "two_component_scaled: the values are complete");
  return scaled;
}

template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
ComplexCsrMatrix<Value, typename ExecutionSpace::memory_space> Impl::two_component_scaled(
    const ExecutionSpace& exec,
    const ComplexCsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale) {
  Impl::require_equal_scales<ExecutionSpace, Scalar>(exec, A.num_block_rows, scale);
  ComplexCsrMatrix<Value, typename ExecutionSpace::memory_space> scaled{
      A.num_block_rows, A.row_offsets, A.columns, {}};
  scaled.values = Impl::scaled_values<Value, 2, 2, ExecutionSpace, MatrixValue, Scalar>(
      exec, A.row_offsets, A.columns, A.values, nullptr, scale);
  Impl::fence(exec, "two_component_scaled: the values are complete");
  return scaled;
}

template <class Value, class ExecutionSpace, class Scalar, class MatrixValue>
SharedCsrMatrix<Value, typename ExecutionSpace::memory_space> Impl::two_component_scaled(
    const ExecutionSpace& exec,
    const SharedCsrMatrix<MatrixValue, typename ExecutionSpace::memory_space>& A,
    const VectorView<const Scalar, typename ExecutionSpace::memory_space>& scale) {
  const auto& L = A.shared;
  Impl::require_equal_scales<ExecutionSpace, Scalar>(exec, L.num_rows, scale);
  SharedCsrMatrix<Value, typename ExecutionSpace::memory_space> scaled;
  scaled.shared = {L.num_rows, L.num_cols, L.row_offsets, L.columns, {}};
  scaled.shared.values = Impl::scaled_values<Value, 2, 1, ExecutionSpace, MatrixValue, Scalar>(
      exec, L.row_offsets, L.columns, L.values, nullptr, scale);
  scaled.coupled = A.coupled;
  scaled.coupled_rows = A.coupled_rows;
  scaled.coupling_offsets = A.coupling_offsets;
  scaled.coupling_columns = A.coupling_columns;
  scaled.couplings = Impl::scaled_values<Value, 2, 1, ExecutionSpace, MatrixValue, Scalar>(
      exec, A.coupling_offsets, A.coupling_columns, A.couplings, A.coupled_rows.data(), scale);
  Impl::fence(exec, "two_component_scaled: the values are complete");
  return scaled;
}

}  // namespace Tomokkos
