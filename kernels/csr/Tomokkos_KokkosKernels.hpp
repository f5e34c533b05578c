// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between CSR matrices of Kokkos Kernels and of this library. Includes no header of
// Kokkos Kernels: its types are template parameters.
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <limits>
#include <string>
#include <type_traits>

namespace Tomokkos {

/// \brief Wraps a `KokkosSparse::CrsMatrix` as a CSR matrix of this library.
///
/// Values and columns are shared. Row offsets are shared if their type is `Offset`, and otherwise
/// converted to a copy (8 bytes a row). The result is complete on return; one fence if offsets are
/// copied. Rows are not checked: call `validate` for that.
///
/// \tparam CrsMatrixType a `KokkosSparse::CrsMatrix` of float or double with 32-bit signed
/// ordinals, in memory accessible from \p ExecutionSpace. Managed Views live as long as the result.
/// The caller must keep unmanaged Views alive.
/// \throws DimensionMismatch when columns and values differ in length
/// \throws MemoryError when the offsets cannot be allocated
template <class ExecutionSpace, class CrsMatrixType>
CsrMatrix<std::remove_const_t<typename CrsMatrixType::value_type>,
          typename CrsMatrixType::memory_space>
from_kokkos_kernels(const ExecutionSpace& exec, const CrsMatrixType& A);

/// \brief Wraps a CSR matrix of this library as a `KokkosSparse::CrsMatrix`.
///
/// Values and columns are shared. Row offsets are shared if `size_type` is `Offset`, and otherwise
/// converted to a copy. The result is complete on return; one fence if offsets are copied.
///
/// \tparam CrsMatrixType a
/// `KokkosSparse::CrsMatrix<const Scalar, const Ordinal, Device, MemoryTraits, SizeType>`; shared
/// arrays are constant
/// \throws Error when `size_type` cannot hold the number of nonzeros
/// \throws MemoryError when the offsets cannot be allocated
template <class CrsMatrixType, class ExecutionSpace, class Scalar, class MemorySpace>
CrsMatrixType to_kokkos_kernels(const ExecutionSpace& exec,
                                const CsrMatrix<Scalar, MemorySpace>& A);

namespace Impl {

/// Converts offsets to another type; writes zeros if there are no offsets.
template <class From, class To>
struct ConvertOffsets {
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(const Offset i) const {
    using Value = typename To::non_const_value_type;
    to(i) = from.extent(0) > 0 ? static_cast<Value>(from(i)) : Value(0);
  }
};

/// \brief Returns \p from as a View of \p Value: the View itself if it has that type, otherwise a
/// copy. An empty array becomes the offsets of a matrix without rows.
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
  require_equal("number of column indices", static_cast<long long>(A.graph.entries.extent(0)),
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
  require(static_cast<unsigned long long>(A.num_nonzeros()) <=
              static_cast<unsigned long long>(std::numeric_limits<Size>::max()),
          Impl::text("the matrix has {} nonzeros, more than the size type of the Kokkos Kernels "
                     "matrix can hold",
                     A.num_nonzeros()));
  return CrsMatrixType("Tomokkos::to_kokkos_kernels", A.num_rows, A.num_cols,
                       static_cast<Size>(A.num_nonzeros()), A.values,
                       Impl::offsets_as<Size>(exec, A.row_offsets), A.columns);
}

}  // namespace Tomokkos
