// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_SpmmCsr.hpp>
#include <Tomokkos_StoredProducts.hpp>
#include <type_traits>

namespace Tomokkos {

/// \brief Column-major multivector: the n values of each vector are adjacent.
template <class Scalar, class MemorySpace>
using ColumnMajorView = Kokkos::View<Scalar**, Kokkos::LayoutLeft, MemorySpace,
                                     Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

/// \brief Row-major copies of X and Y for products with column-major multivectors.
///
/// Gathering from one vector after another would touch s cache lines for every entry of A. X is
/// therefore transposed once before the product and Y once after it, which moves
/// `2 s (num_rows + num_cols)` additional values.
///
/// The workspace grows to the largest product so far. It serves one execution-space instance at a
/// time.
template <class Scalar, class MemorySpace>
class SpmmWorkspace {
 public:
  /// \brief Allocates room for \p vectors vectors: X with \p columns and Y with \p rows values
  /// each.
  ///
  /// \throws MemoryError when the memory does not suffice
  template <class ExecutionSpace>
  void reserve(const ExecutionSpace& exec, Ordinal rows, Ordinal columns, std::size_t vectors);

  /// \brief Returns the row-major copy of X, with \p columns rows.
  MultiVectorView<Scalar, MemorySpace> x(Ordinal columns, std::size_t vectors) const {
    return MultiVectorView<Scalar, MemorySpace>(x_.data(), static_cast<std::size_t>(columns),
                                                vectors);
  }
  /// \brief Returns the row-major copy of Y, with \p rows rows.
  MultiVectorView<Scalar, MemorySpace> y(Ordinal rows, std::size_t vectors) const {
    return MultiVectorView<Scalar, MemorySpace>(y_.data(), static_cast<std::size_t>(rows), vectors);
  }
  std::size_t memory_bytes() const { return (x_.extent(0) + y_.extent(0)) * sizeof(Scalar); }

 private:
  Vector<Scalar, MemorySpace> x_, y_;
};

/// \brief Computes `Y = alpha A X + beta Y` with column-major X and Y, for any matrix with `spmm`.
///
/// Three launches (four with `beta != 0`). Allocates when \p workspace is too small.
template <class ExecutionSpace, class Matrix>
void spmm(
    const ExecutionSpace& exec,
    SpmmWorkspace<typename Matrix::scalar_type, typename Matrix::memory_space>& workspace,
    const Matrix& A, typename Matrix::scalar_type alpha,
    const ColumnMajorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& X,
    typename Matrix::scalar_type beta,
    const ColumnMajorView<typename Matrix::scalar_type, typename Matrix::memory_space>& Y);

namespace Impl {

/// Copies `to(i, j) = from(i, j)`, one element per index, in the order of the row-major side.
template <class From, class To>
struct ConvertLayout {
  From from;
  To to;
  Offset width;
  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const auto i = static_cast<std::size_t>(index / width);
    const auto j = static_cast<std::size_t>(index % width);
    to(i, j) = from(i, j);
  }
};

template <class ExecutionSpace, class From, class To>
void convert_layout(const ExecutionSpace& exec, const From& from, const To& to) {
  Kokkos::parallel_for("Tomokkos::spmm::convert_layout", element_range(exec, from.size()),
                       ConvertLayout<From, To>{from, to, static_cast<Offset>(from.extent(1))});
}

}  // namespace Impl

template <class Scalar, class MemorySpace>
template <class ExecutionSpace>
void SpmmWorkspace<Scalar, MemorySpace>::reserve(const ExecutionSpace& exec, Ordinal rows,
                                                 Ordinal columns, std::size_t vectors) {
  const auto grow = [&](Vector<Scalar, MemorySpace>& buffer, const char* label, Ordinal length) {
    const std::size_t size = static_cast<std::size_t>(length) * vectors;
    if (buffer.extent(0) < size) buffer = allocate<Vector<Scalar, MemorySpace>>(exec, label, size);
  };
  grow(x_, "Tomokkos::SpmmWorkspace::x", columns);
  grow(y_, "Tomokkos::SpmmWorkspace::y", rows);
}

template <class ExecutionSpace, class Matrix>
void spmm(
    const ExecutionSpace& exec,
    SpmmWorkspace<typename Matrix::scalar_type, typename Matrix::memory_space>& workspace,
    const Matrix& A, typename Matrix::scalar_type alpha,
    const ColumnMajorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& X,
    typename Matrix::scalar_type beta,
    const ColumnMajorView<typename Matrix::scalar_type, typename Matrix::memory_space>& Y) {
  using Scalar = typename Matrix::scalar_type;
  using MemorySpace = typename Matrix::memory_space;
  Impl::require_operands(Impl::Operand("X", X, "columns of A", A.num_cols),
                         Impl::Operand("Y", Y, "rows of A", A.num_rows));
  if (Y.size() == 0) return;
  workspace.reserve(exec, A.num_rows, A.num_cols, X.extent(1));
  const auto x = workspace.x(A.num_cols, X.extent(1));
  const auto y = workspace.y(A.num_rows, X.extent(1));
  Impl::convert_layout(exec, X, x);
  if (beta != Scalar(0)) Impl::convert_layout(exec, Y, y);
  if constexpr (std::is_same_v<Matrix, CsrMatrix<Scalar, MemorySpace>>)
    spmm<ExecutionSpace, Scalar>(exec, A, all_rows, alpha, x, beta, y);
  else
    spmm(exec, A, alpha, MultiVectorView<const Scalar, MemorySpace>(x), beta, y);
  Impl::convert_layout(exec, y, Y);
}

}  // namespace Tomokkos
