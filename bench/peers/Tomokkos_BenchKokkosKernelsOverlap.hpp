// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos Kernels on Views whose rows or columns overlap: block-circulant matrices by its product
// with several vectors. Its kernels take minutes to compile, so those of a layout and a scalar
// stand in one source file, and here it is said that they do.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <type_traits>

#include "Tomokkos_BenchKokkosKernelsApi.hpp"

namespace Tomokkos::Bench::KokkosKernelsApi {

/// Several vectors of a layout, whose rows (`Kokkos::LayoutRight`) or columns
/// (`Kokkos::LayoutLeft`) are contiguous and may overlap: each begins `stride` values after the one
/// before. From 4.3 on it takes no `LayoutStride` of two dimensions.
template <class Contiguous, class ExecutionSpace, class Scalar>
class OverlappingVectors {
 public:
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  using Layout = Contiguous;
#else
  using Layout = Kokkos::LayoutStride;
#endif
  using View = Kokkos::View<const Scalar**, Layout, typename Types<ExecutionSpace, Scalar>::Device,
                            typename Types<ExecutionSpace, Scalar>::Unmanaged>;

  static View make(const Scalar* values, std::size_t rows, std::size_t columns,
                   std::size_t stride) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
    Layout layout(rows, columns);
    layout.stride = stride;
#else
    constexpr bool by_rows = std::is_same_v<Contiguous, Kokkos::LayoutRight>;
    const Layout layout(rows, by_rows ? stride : 1, columns, by_rows ? 1 : stride);
#endif
    return View(values, layout);
  }
};

template <class ExecutionSpace, class Scalar>
using OverlappingRows = OverlappingVectors<Kokkos::LayoutRight, ExecutionSpace, Scalar>;

template <class ExecutionSpace, class Scalar>
using OverlappingColumns = OverlappingVectors<Kokkos::LayoutLeft, ExecutionSpace, Scalar>;

/// `Y = A X`, X by overlapping rows, Y row-major.
#define TOMOKKOS_OVERLAPPING_ROWS_SPMV(SPACE, SCALAR)                             \
  Spmv<SPACE, Types<SPACE, SCALAR>::Matrix, OverlappingRows<SPACE, SCALAR>::View, \
       Types<SPACE, SCALAR>::MultiY>

/// `Y = A X`, X by overlapping columns, Y column-major.
#define TOMOKKOS_OVERLAPPING_COLUMNS_SPMV(SPACE, SCALAR)                             \
  Spmv<SPACE, Types<SPACE, SCALAR>::Matrix, OverlappingColumns<SPACE, SCALAR>::View, \
       Types<SPACE, SCALAR>::MultiYLeft>

#define TOMOKKOS_ELSEWHERE(SPACE, SCALAR)                              \
  extern template class TOMOKKOS_OVERLAPPING_ROWS_SPMV(SPACE, SCALAR); \
  extern template class TOMOKKOS_OVERLAPPING_COLUMNS_SPMV(SPACE, SCALAR);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_ELSEWHERE)
#undef TOMOKKOS_ELSEWHERE

}  // namespace Tomokkos::Bench::KokkosKernelsApi
