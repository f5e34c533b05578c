// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of `spmv_two_component` for its kernels: raw pointers, and the contribution of an entry
// to the sums of its row.
#pragma once

#include <Tomokkos_ComplexCsrMatrix.hpp>
#include <Tomokkos_SharedCsrMatrix.hpp>
#include <impl/Tomokkos_StageEntries_impl.hpp>

namespace Tomokkos::Impl {

/// \brief Pattern common to all operands.
template <class Value>
struct TwoComponentPattern {
  const Offset* row_offsets;
  EntryStreams<Value> entries;
  Ordinal num_rows;  // of the pattern
};

/// \brief CSR whose values are converted when they are used.
template <class Value>
struct RealEntries : TwoComponentPattern<Value> {
  using value_type = Value;
  static constexpr int components = 1;
  static constexpr int width = 1;

  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Value* value, const Scalar (&x)[1],
                                              Scalar (&sum)[1]) {
    sum[0] += static_cast<Scalar>(value[0]) * x[0];
  }
  template <class Scalar, class LoadX>
  KOKKOS_FORCEINLINE_FUNCTION void add_couplings(Ordinal, const LoadX&, Scalar (&)[1]) const {}
};

/// \brief Blocks `[a -b; b a]`.
template <class Value>
struct ComplexEntries : TwoComponentPattern<Value> {
  using value_type = Value;
  static constexpr int components = 2;
  static constexpr int width = 2;

  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Value* value, const Scalar (&x)[2],
                                              Scalar (&sum)[2]) {
    const Scalar a = static_cast<Scalar>(value[0]), b = static_cast<Scalar>(value[1]);
    sum[0] += a * x[0] - b * x[1];
    sum[1] += b * x[0] + a * x[1];
  }
  template <class Scalar, class LoadX>
  KOKKOS_FORCEINLINE_FUNCTION void add_couplings(Ordinal, const LoadX&, Scalar (&)[2]) const {}
};

/// \brief One value for both components, and couplings of the marked rows.
template <class Value>
struct SharedEntries : TwoComponentPattern<Value> {
  using value_type = Value;
  static constexpr int components = 2;
  static constexpr int width = 1;

  const std::uint32_t* coupled;
  const Ordinal* coupled_rows;
  const Offset* coupling_offsets;
  const Ordinal* coupling_columns;
  const Value* couplings;
  Ordinal num_coupled;

  template <class Scalar>
  KOKKOS_FORCEINLINE_FUNCTION static void add(const Value* value, const Scalar (&x)[2],
                                              Scalar (&sum)[2]) {
    const Scalar a = static_cast<Scalar>(value[0]);
    sum[0] += a * x[0];
    sum[1] += a * x[1];
  }

  template <class Scalar, class LoadX>
  KOKKOS_FORCEINLINE_FUNCTION void add_couplings(Ordinal row, const LoadX& load,
                                                 Scalar (&sum)[2]) const {
    if ((coupled[row / 32] >> (row % 32) & 1U) == 0) return;
    Ordinal low = 0, high = num_coupled - 1;
    while (low < high) {
      const Ordinal middle = low + (high - low) / 2;
      if (coupled_rows[middle] < row)
        low = middle + 1;
      else
        high = middle;
    }
    for (Offset k = coupling_offsets[low]; k < coupling_offsets[low + 1]; ++k) {
      alignas(16) Scalar x[2];
      load(coupling_columns[k], x);
      const Scalar b = static_cast<Scalar>(couplings[k]);
      sum[0] -= b * x[1];
      sum[1] += b * x[0];
    }
  }
};

template <class Value>
TwoComponentPattern<Value> form_pattern(const Offset* offsets, const Ordinal* columns,
                                        const Value* values, Offset nonzeros, Ordinal rows) {
  return {offsets,
          {columns, values, nonzeros, is_pack_aligned(columns) && is_pack_aligned(values)},
          rows};
}

template <class Value, class MemorySpace>
RealEntries<Value> operand_of(const CsrMatrix<Value, MemorySpace>& A) {
  return {form_pattern(A.row_offsets.data(), A.columns.data(), A.values.data(), A.num_nonzeros(),
                       A.num_rows)};
}

template <class Value, class MemorySpace>
ComplexEntries<Value> operand_of(const ComplexCsrMatrix<Value, MemorySpace>& A) {
  return {form_pattern(A.row_offsets.data(), A.columns.data(), A.values.data(), A.num_blocks(),
                       A.num_block_rows)};
}

template <class Value, class MemorySpace>
SharedEntries<Value> operand_of(const SharedCsrMatrix<Value, MemorySpace>& A) {
  return {form_pattern(A.shared.row_offsets.data(), A.shared.columns.data(), A.shared.values.data(),
                       A.shared.num_nonzeros(), A.shared.num_rows),
          A.coupled.data(),
          A.coupled_rows.data(),
          A.coupling_offsets.data(),
          A.coupling_columns.data(),
          A.couplings.data(),
          static_cast<Ordinal>(A.coupled_rows.extent(0))};
}

}  // namespace Tomokkos::Impl
