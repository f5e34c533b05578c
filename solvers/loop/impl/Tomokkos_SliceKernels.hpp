// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared code of the kernels of solvers that handle stacks of slices.
#pragma once

#include <Tomokkos_Reduce.hpp>

namespace Tomokkos::Impl {

/// Adds the square of a change and the square of the new value.
KOKKOS_INLINE_FUNCTION void add_squares(double change, double after, Sums<2>& sums) {
  sums.value[0] = multiply_add(change, change, sums.value[0]);
  sums.value[1] = multiply_add(after, after, sums.value[1]);
}

/// Views the beginning of `values` as a row-major array.
template <class View>
auto as_array(const View& values, std::size_t rows, std::size_t columns) {
  return MultiVectorView<typename View::value_type, typename View::memory_space>(values.data(),
                                                                                 rows, columns);
}

/// Sets a column of x to 0.
template <class Scalar, class MemorySpace>
struct ClearColumn {
  MultiVectorView<Scalar, MemorySpace> x;
  Offset column;
  KOKKOS_FUNCTION void operator()(const Offset i) const { x(i, column) = Scalar(0); }
};

/// Factor of every row: the same for all columns, one per column, or one of several sets.
template <class Scalar, class MemorySpace>
struct RowFactor {
  VectorView<const Scalar, MemorySpace> values;  // rows x sets, row-major
  Offset sets = 1;
  VectorView<const Ordinal, MemorySpace> set_of = {};  // set of each column; empty: one per column

  KOKKOS_FUNCTION Scalar at(const Offset row, const Offset column) const {
    if (sets == 1) return values(row);
    return values(row * sets + (set_of.extent(0) > 0 ? set_of(column) : column));
  }
  KOKKOS_FUNCTION Scalar operator()(const ArrayEntry& entry) const {
    return at(entry.row, entry.column);
  }
};

}  // namespace Tomokkos::Impl
