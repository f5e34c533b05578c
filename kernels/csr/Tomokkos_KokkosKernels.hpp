// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of Kokkos Kernels as ours, and ours as theirs. Includes nothing of that library: its
// types are template parameters.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <limits>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief A `KokkosSparse::CrsMatrix` as our CSR matrix. Values and columns are shared; so are the
/// row offsets where they are `Offset`, others are copied to that type (8 bytes a row).
///
/// \tparam CrsMatrixType a `KokkosSparse::CrsMatrix` of float or double with 32-bit signed
///   ordinals, in memory that \p ExecutionSpace reaches. What it manages lives as long as the
///   result; of unmanaged Views the user takes care.
///
/// Complete on return; one fence where offsets are copied. Rows are not looked at: `validate` does
/// that. Throws `DimensionMismatch` where columns and values differ in length, `MemoryError`.
template <class ExecutionSpace, class CrsMatrixType>
CsrMatrix<std::remove_const_t<typename CrsMatrixType::value_type>,
          typename CrsMatrixType::memory_space>
from_kokkos_kernels(const ExecutionSpace& exec, const CrsMatrixType& A);

/// \brief Our CSR matrix as a `KokkosSparse::CrsMatrix`, for its functions. Values and columns are
/// shared; so are the row offsets where its `size_type` is `Offset`, others are copied to that
/// type.
///
/// \tparam CrsMatrixType a `KokkosSparse::CrsMatrix<const Scalar, const Ordinal, Device,
///   MemoryTraits, SizeType>`: what is shared is constant
///
/// Complete on return; one fence where offsets are copied. Throws `Error` where `size_type` does
/// not count the nonzeros, `MemoryError`.
template <class CrsMatrixType, class ExecutionSpace, class Scalar, class MemorySpace>
CrsMatrixType to_kokkos_kernels(const ExecutionSpace& exec,
                                const CsrMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Offsets of another type; zeros where there are none.
template <class From, class To>
struct ConvertOffsets {
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    using Value = typename To::non_const_value_type;
    to(i) = from.extent(0) > 0 ? static_cast<Value>(from(i)) : Value(0);
  }
};

/// \brief \p from as a View of \p Value: itself where that is its type, else a copy. An empty array
/// becomes the offsets of no rows.
template <class Value, class ExecutionSpace, class From>
Kokkos::View<const Value*, typename From::memory_space> offsets_as(const ExecutionSpace& exec,
                                                                   const From& from) {
  using MemorySpace = typename From::memory_space;
  static_assert(Kokkos::SpaceAccessibility<ExecutionSpace, MemorySpace>::accessible,
                "the execution space must reach the matrix");
  if constexpr (std::is_same_v<typename From::non_const_value_type, Value>) {
    if (from.extent(0) > 0) return from;
  }
  using To = Kokkos::View<Value*, MemorySpace>;
  const std::size_t size = from.extent(0) > 0 ? from.extent(0) : 1;
  const To to = allocate<To>(exec, "Tomokkos::CsrMatrix::row_offsets", size);
  Kokkos::parallel_for("Tomokkos::kokkos_kernels::offsets", element_range(exec, size),
                       ConvertOffsets<From, To>{from, to});
  fence(exec, "kokkos_kernels: the offsets are complete");
  return to;
}

}  // namespace Impl

template <class ExecutionSpace, class CrsMatrixType>
CsrMatrix<std::remove_const_t<typename CrsMatrixType::value_type>,
          typename CrsMatrixType::memory_space>
from_kokkos_kernels(const ExecutionSpace& exec, const CrsMatrixType& A) {
  static_assert(std::is_same_v<std::remove_const_t<typename CrsMatrixType::ordinal_type>, Ordinal>,
                "columns are shared, so the ordinals of the matrix must be 32-bit signed integers");
  require_equal("number of columns' indices", static_cast<long long>(A.graph.entries.extent(0)),
                "number of values", static_cast<long long>(A.values.extent(0)));
  return {A.numRows(), A.numCols(), Impl::offsets_as<Offset>(exec, A.graph.row_map),
          A.graph.entries, A.values};
}

template <class CrsMatrixType, class ExecutionSpace, class Scalar, class MemorySpace>
CrsMatrixType to_kokkos_kernels(const ExecutionSpace& exec,
                                const CsrMatrix<Scalar, MemorySpace>& A) {
  using Size = std::remove_const_t<typename CrsMatrixType::size_type>;
  static_assert(std::is_same_v<typename CrsMatrixType::value_type, const Scalar> &&
                    std::is_same_v<typename CrsMatrixType::ordinal_type, const Ordinal>,
                "values and columns are shared, so the type of the matrix must be "
                "KokkosSparse::CrsMatrix<const Scalar, const Ordinal, ...>");
  require(
      static_cast<unsigned long long>(A.num_nonzeros()) <=
          static_cast<unsigned long long>(std::numeric_limits<Size>::max()),
      Impl::text(
          "the matrix has {} nonzeros, more than the size type of the Kokkos Kernels matrix counts",
          A.num_nonzeros()));
  return CrsMatrixType("Tomokkos::to_kokkos_kernels", A.num_rows, A.num_cols,
                       static_cast<Size>(A.num_nonzeros()), A.values,
                       Impl::offsets_as<Size>(exec, A.row_offsets), A.columns);
}

}  // namespace Tomokkos
