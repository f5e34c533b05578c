// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kokkos Kernels on Views whose rows or columns overlap: block-circulant matrices by its product
// with several vectors. Its kernels take minutes to compile, so those of a layout and a scalar
// stand in one source file, and here it is said that they do.
#pragma once

#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsApi.hpp"

namespace Tomokkos::Bench::KokkosKernelsApi {

/// Several vectors, row-major, whose rows may overlap: each begins `stride` values after the row
/// before. From 4.3 on it takes no `LayoutStride` of two dimensions.
template <class ExecutionSpace, class Scalar>
class OverlappingRows {
 public:
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  using Layout = Kokkos::LayoutRight;
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
    const Layout layout(rows, stride, columns, 1);
#endif
    return View(values, layout);
  }
};

/// Several vectors, column-major, each of which begins `stride` values after the one before.
template <class ExecutionSpace, class Scalar>
class OverlappingColumns {
 public:
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  using Layout = Kokkos::LayoutLeft;
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
    const Layout layout(rows, 1, columns, stride);
#endif
    return View(values, layout);
  }
};

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
