// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_TwoComponentConversion.hpp>
#include <string>
#include <vector>

namespace Tomokkos {
namespace Impl {

/// \brief Copies a vector to a View of host memory.
template <class T>
Kokkos::View<const T*, Kokkos::HostSpace> view_of(const std::vector<T>& values, const char* label) {
  const auto view =
      allocate_without_instance<Kokkos::View<T*, Kokkos::HostSpace>>(label, values.size());
  std::copy(values.begin(), values.end(), view.data());
  return view;
}

/// \brief Returns the array in another memory space, copied by \p exec.
template <class TargetSpace, class ExecutionSpace, class T, class MemorySpace>
Kokkos::View<const T*, TargetSpace> array_in(const ExecutionSpace& exec,
                                             const Kokkos::View<const T*, MemorySpace>& from) {
  if constexpr (std::is_same_v<TargetSpace, MemorySpace>) {
    (void)exec;
    return from;
  } else {
    const auto to =
        allocate_for_copy<Kokkos::View<T*, TargetSpace>>(exec, from.label(), from.extent(0));
    Kokkos::deep_copy(exec, to, from);
    return to;
  }
}

/// \brief Reads the blocks of a block row by traversing both rows in parallel.
template <class Value>
class BlockRowReader {
 public:
  BlockRowReader(const HostCsrMatrix<Value>& A, Ordinal block_row) : A_(A), row_(2 * block_row) {
    for (int r = 0; r < 2; ++r) {
      at_[r] = A.row_offsets(row_ + r);
      end_[r] = A.row_offsets(row_ + r + 1);
    }
  }

  /// Reads the next block, with its entries row by row; returns false after the last block.
  bool next(Ordinal& block_column, Value (&block)[4]) {
    Ordinal column = A_.num_cols;
    for (int r = 0; r < 2; ++r)
      if (at_[r] < end_[r]) column = std::min(column, A_.columns(at_[r]));
    if (column == A_.num_cols) return false;
    block_column = column / 2;
    for (Value& entry : block) entry = 0;
    for (int r = 0; r < 2; ++r)
      for (; at_[r] < end_[r] && A_.columns(at_[r]) / 2 == block_column; ++at_[r])
        block[2 * r + A_.columns(at_[r]) % 2] += A_.values(at_[r]);
    return true;
  }

 private:
  const HostCsrMatrix<Value>& A_;
  Ordinal row_;
  Offset at_[2], end_[2];
};

}  // namespace Impl

template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_csr(const HostCsrMatrix<Value>& A) {
  require_equal("number of rows", A.num_rows, "the number of columns", A.num_cols);
  require(
      A.num_rows % 2 == 0,
      Impl::text("a matrix of 2 x 2 blocks must have an even number of rows, not {}", A.num_rows));
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  std::vector<Value> values;
  for (Ordinal row = 0; row < A.num_rows / 2; ++row) {
    Impl::BlockRowReader<Value> reader(A, row);
    Ordinal column;
    Value block[4];
    while (reader.next(column, block)) {
      if (block[0] != block[3] || block[1] != -block[2])
        throw Refused(
            Impl::text("the block of the rows from {} and the columns from {} is not [a -b; b a]: "
                       "it holds {}, {}; {}, {}",
                       2 * row, 2 * column, std::to_string(block[0]), std::to_string(block[1]),
                       std::to_string(block[2]), std::to_string(block[3])));
      columns.push_back(column);
      values.push_back(block[0]);
      values.push_back(block[2]);
    }
    offsets.push_back(static_cast<Offset>(columns.size()));
  }
  return {A.num_rows / 2, Impl::view_of(offsets, "Tomokkos::ComplexCsrMatrix::row_offsets"),
          Impl::view_of(columns, "Tomokkos::ComplexCsrMatrix::columns"),
          Impl::view_of(values, "Tomokkos::ComplexCsrMatrix::values")};
}

template <class Value>
SharedCsrMatrix<Value, Kokkos::HostSpace> shared_from_complex(
    const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A) {
  const Ordinal n = A.num_block_rows;
  std::vector<Value> shared(A.columns.extent(0));
  std::vector<std::uint32_t> coupled((static_cast<std::size_t>(n) + 31) / 32, 0);
  std::vector<Ordinal> rows, columns;
  std::vector<Offset> offsets{0};
  std::vector<Value> couplings;
  for (Ordinal row = 0; row < n; ++row) {
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
      shared[k] = A.values(2 * k);
      if (A.values(2 * k + 1) == Value(0)) continue;
      columns.push_back(A.columns(k));
      couplings.push_back(A.values(2 * k + 1));
    }
    if (offsets.back() == static_cast<Offset>(columns.size())) continue;
    coupled[row / 32] |= 1U << (row % 32);
    rows.push_back(row);
    offsets.push_back(static_cast<Offset>(columns.size()));
  }
  return {
      {n, n, A.row_offsets, A.columns, Impl::view_of(shared, "Tomokkos::SharedCsrMatrix::values")},
      Impl::view_of(coupled, "Tomokkos::SharedCsrMatrix::coupled"),
      Impl::view_of(rows, "Tomokkos::SharedCsrMatrix::coupled_rows"),
      Impl::view_of(offsets, "Tomokkos::SharedCsrMatrix::coupling_offsets"),
      Impl::view_of(columns, "Tomokkos::SharedCsrMatrix::coupling_columns"),
      Impl::view_of(couplings, "Tomokkos::SharedCsrMatrix::couplings")};
}

template <class Value>
ComplexCsrMatrix<Value, Kokkos::HostSpace> complex_from_shared(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A) {
  const auto& L = A.shared;
  std::vector<Value> values(2 * L.values.extent(0), 0);
  for (Offset k = 0; k < L.num_nonzeros(); ++k) values[2 * k] = L.values(k);
  for (std::size_t i = 0; i < A.coupled_rows.extent(0); ++i) {
    const Ordinal row = A.coupled_rows(i);
    Offset k = L.row_offsets(row);
    for (Offset c = A.coupling_offsets(i); c < A.coupling_offsets(i + 1); ++c) {
      const Ordinal column = A.coupling_columns(c);
      while (k < L.row_offsets(row + 1) && L.columns(k) < column) ++k;
      require(k < L.row_offsets(row + 1) && L.columns(k) == column,
              Impl::text("row {} is coupled with row {}, but the shared part has no entry there",
                         row, column));
      values[2 * k + 1] = A.couplings(c);
    }
  }
  return {L.num_rows, L.row_offsets, L.columns,
          Impl::view_of(values, "Tomokkos::ComplexCsrMatrix::values")};
}

template <class Value>
HostCsrMatrix<Value> to_csr(const ComplexCsrMatrix<Value, Kokkos::HostSpace>& A) {
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  std::vector<Value> values;
  for (Ordinal row = 0; row < A.num_rows(); ++row) {
    for (Offset k = A.row_offsets(row / 2); k < A.row_offsets(row / 2 + 1); ++k) {
      const Value a = A.values(2 * k), b = A.values(2 * k + 1);
      columns.push_back(2 * A.columns(k));
      columns.push_back(2 * A.columns(k) + 1);
      values.push_back(row % 2 == 0 ? a : b);
      values.push_back(row % 2 == 0 ? -b : a);
    }
    offsets.push_back(static_cast<Offset>(columns.size()));
  }
  return {A.num_rows(), A.num_rows(), Impl::view_of(offsets, "Tomokkos::CsrMatrix::row_offsets"),
          Impl::view_of(columns, "Tomokkos::CsrMatrix::columns"),
          Impl::view_of(values, "Tomokkos::CsrMatrix::values")};
}

template <class Value>
HostCsrMatrix<Value> to_csr(const SharedCsrMatrix<Value, Kokkos::HostSpace>& A) {
  std::vector<Offset> offsets{0};
  std::vector<Ordinal> columns;
  std::vector<Value> values;
  const auto& L = A.shared;
  Ordinal next = 0;  // among the coupled rows
  for (Ordinal row = 0; row < L.num_rows; ++row) {
    const bool coupled =
        next < static_cast<Ordinal>(A.coupled_rows.extent(0)) && A.coupled_rows(next) == row;
    for (int component = 0; component < 2; ++component) {
      Offset c = coupled ? A.coupling_offsets(next) : 0;
      const Offset c_end = coupled ? A.coupling_offsets(next + 1) : 0;
      Offset k = L.row_offsets(row);
      const Offset k_end = L.row_offsets(row + 1);
      while (k < k_end || c < c_end) {
        const Ordinal of_shared = k < k_end ? L.columns(k) : L.num_cols;
        const Ordinal of_coupling = c < c_end ? A.coupling_columns(c) : L.num_cols;
        const Ordinal column = std::min(of_shared, of_coupling);
        Value entry[2] = {0, 0};
        bool has[2] = {false, false};
        if (column == of_shared) {
          entry[component] = L.values(k++);
          has[component] = true;
        }
        if (column == of_coupling) {
          const Value b = A.couplings(c++);
          entry[1 - component] = component == 0 ? -b : b;
          has[1 - component] = true;
        }
        for (int i = 0; i < 2; ++i)
          if (has[i]) {
            columns.push_back(2 * column + i);
            values.push_back(entry[i]);
          }
      }
      offsets.push_back(static_cast<Offset>(columns.size()));
    }
    if (coupled) ++next;
  }
  return {A.num_rows(), A.num_rows(), Impl::view_of(offsets, "Tomokkos::CsrMatrix::row_offsets"),
          Impl::view_of(columns, "Tomokkos::CsrMatrix::columns"),
          Impl::view_of(values, "Tomokkos::CsrMatrix::values")};
}

template <class Target, class Value>
SharedCsrMatrix<Target, Kokkos::HostSpace> convert_values(
    const SharedCsrMatrix<Value, Kokkos::HostSpace>& A) {
  const auto converted = [](const Kokkos::View<const Value*, Kokkos::HostSpace>& from,
                            const char* label) {
    return Impl::view_of(std::vector<Target>(from.data(), from.data() + from.extent(0)), label);
  };
  return {{A.shared.num_rows, A.shared.num_cols, A.shared.row_offsets, A.shared.columns,
           converted(A.shared.values, "Tomokkos::SharedCsrMatrix::values")},
          A.coupled,
          A.coupled_rows,
          A.coupling_offsets,
          A.coupling_columns,
          converted(A.couplings, "Tomokkos::SharedCsrMatrix::couplings")};
}

template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
ComplexCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                             const ComplexCsrMatrix<Value, MemorySpace>& A) {
  ComplexCsrMatrix<Value, TargetSpace> copy{
      A.num_block_rows, Impl::array_in<TargetSpace>(exec, A.row_offsets),
      Impl::array_in<TargetSpace>(exec, A.columns), Impl::array_in<TargetSpace>(exec, A.values)};
  Impl::fence(exec, "copy_to: the arrays must have arrived");
  return copy;
}

template <class TargetSpace, class ExecutionSpace, class Value, class MemorySpace>
SharedCsrMatrix<Value, TargetSpace> copy_to(const ExecutionSpace& exec,
                                            const SharedCsrMatrix<Value, MemorySpace>& A) {
  SharedCsrMatrix<Value, TargetSpace> copy{copy_to<TargetSpace>(exec, A.shared),
                                           Impl::array_in<TargetSpace>(exec, A.coupled),
                                           Impl::array_in<TargetSpace>(exec, A.coupled_rows),
                                           Impl::array_in<TargetSpace>(exec, A.coupling_offsets),
                                           Impl::array_in<TargetSpace>(exec, A.coupling_columns),
                                           Impl::array_in<TargetSpace>(exec, A.couplings)};
  Impl::fence(exec, "copy_to: the arrays must have arrived");
  return copy;
}

}  // namespace Tomokkos
