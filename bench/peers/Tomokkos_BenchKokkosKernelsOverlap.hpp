// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of Kokkos Kernels on Views whose rows or columns overlap, for block-circulant matrices
// by the product with several vectors. The kernels take minutes to compile. Those of a layout and a
// scalar are therefore compiled in one source file, and declared `extern` here.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <type_traits>

#include <Tomokkos_KokkosKernelsApi.hpp>

namespace Tomokkos::KokkosKernelsApi {

/// Several vectors whose rows (`Kokkos::LayoutRight`) or columns (`Kokkos::LayoutLeft`) are
/// contiguous and may overlap: each begins `stride` values after the one before. From 4.3 on Kokkos
/// Kernels does not accept a `LayoutStride` of two dimensions.
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

/// Product `Y = A X` with overlapping rows of X; Y row-major.
#define TOMOKKOS_OVERLAPPING_ROWS_SPMV(SPACE, SCALAR)                             \
  Spmv<SPACE, Types<SPACE, SCALAR>::Matrix, OverlappingRows<SPACE, SCALAR>::View, \
       Types<SPACE, SCALAR>::MultiY>

/// Product `Y = A X` with overlapping columns of X; Y column-major.
#define TOMOKKOS_OVERLAPPING_COLUMNS_SPMV(SPACE, SCALAR)                             \
  Spmv<SPACE, Types<SPACE, SCALAR>::Matrix, OverlappingColumns<SPACE, SCALAR>::View, \
       Types<SPACE, SCALAR>::MultiYLeft>

#define TOMOKKOS_ELSEWHERE(SPACE, SCALAR)                              \
  extern template class TOMOKKOS_OVERLAPPING_ROWS_SPMV(SPACE, SCALAR); \
  extern template class TOMOKKOS_OVERLAPPING_COLUMNS_SPMV(SPACE, SCALAR);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_ELSEWHERE)
#undef TOMOKKOS_ELSEWHERE

}  // namespace Tomokkos::KokkosKernelsApi
