// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with several vectors by a product with one: column after column, through two contiguous
// vectors.
#pragma once

#include <Tomokkos_Views.hpp>

namespace Tomokkos::Impl {

/// Copies a column: `to(i) = from(i, column)`.
template <class Scalar, class MemorySpace>
struct ReadColumn {
  MultiVectorView<const Scalar, MemorySpace> from;
  VectorView<Scalar, MemorySpace> to;
  std::size_t column;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i) = from(i, column); }
};

/// Writes a column: `to(i, column) = from(i)`.
template <class Scalar, class MemorySpace>
struct WriteColumn {
  VectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  std::size_t column;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i, column) = from(i); }
};

/// Calls `product(x, y)`, which computes `y = ... x + beta y`, for every column of X and Y. \p work
/// has room for a column of each.
template <class ExecutionSpace, class Scalar, class Product>
void column_by_column(const ExecutionSpace& exec,
                      const Vector<Scalar, typename ExecutionSpace::memory_space>& work,
                      const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& X,
                      Scalar beta,
                      const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& Y,
                      const Product& product) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const VectorView<Scalar, MemorySpace> x(work.data(), X.extent(0));
  const VectorView<Scalar, MemorySpace> y(work.data() + X.extent(0), Y.extent(0));
  for (std::size_t column = 0; column < X.extent(1); ++column) {
    Kokkos::parallel_for("Tomokkos::column_by_column::take_x", element_range(exec, X.extent(0)),
                         ReadColumn<Scalar, MemorySpace>{X, x, column});
    if (beta != Scalar(0))
      Kokkos::parallel_for("Tomokkos::column_by_column::take_y", element_range(exec, Y.extent(0)),
                           ReadColumn<Scalar, MemorySpace>{Y, y, column});
    product(x, y);
    Kokkos::parallel_for("Tomokkos::column_by_column::put_y", element_range(exec, Y.extent(0)),
                         WriteColumn<Scalar, MemorySpace>{y, Y, column});
  }
}

}  // namespace Tomokkos::Impl
