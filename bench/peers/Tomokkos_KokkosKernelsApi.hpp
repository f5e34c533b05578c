// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources that are compiled with Kokkos Kernels include this file. Only it depends on the version
// of Kokkos Kernels, which renamed and moved the functions used here between 3.4 and 4.6.
#pragma once

#include <KokkosKernels_config.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Tomokkos_Text.hpp>
#include <cstdint>
#include <memory>
#include <string>

// Before 4.0 Kokkos Kernels does not define its version. It then has the version of the Kokkos that
// it was released with.
#if defined(KOKKOSKERNELS_VERSION)
#define TOMOKKOS_KOKKOS_KERNELS_VERSION KOKKOSKERNELS_VERSION
#else
#define TOMOKKOS_KOKKOS_KERNELS_VERSION KOKKOS_VERSION
#endif

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
#include <KokkosSparse_BsrMatrix.hpp>
#endif
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
#include <KokkosSparse_CcsMatrix.hpp>
#include <KokkosSparse_SortCrs.hpp>
#include <KokkosSparse_Utils.hpp>
#include <KokkosSparse_crs2ccs.hpp>
#else
#include <KokkosKernels_SparseUtils.hpp>
#endif

namespace Tomokkos::KokkosKernelsApi {

inline std::string version() {
  constexpr int number = TOMOKKOS_KOKKOS_KERNELS_VERSION;
  return Impl::text("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

/// True if the native merge path is available, which came with the handles of 4.3.
template <class ExecutionSpace>
inline constexpr bool has_merge_path = TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300;

/// Types of our arrays as a matrix of Kokkos Kernels, and of the vectors of a product: one or
/// several (row-major, Y also by columns). These are the types of its compiled instantiations for
/// one vector, as far as they have 32-bit offsets.
template <class ExecutionSpace, class Scalar>
struct Types {
  using Device = Kokkos::Device<ExecutionSpace, typename ExecutionSpace::memory_space>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Matrix = KokkosSparse::CrsMatrix<const Scalar, const std::int32_t, Device, Unmanaged,
                                         const std::int32_t>;
  using X = Kokkos::View<const Scalar*, Kokkos::LayoutLeft, Device, Unmanaged>;
  using Y = Kokkos::View<Scalar*, Kokkos::LayoutLeft, Device, Unmanaged>;
  using MultiX = Kokkos::View<const Scalar**, Kokkos::LayoutRight, Device, Unmanaged>;
  using MultiY = Kokkos::View<Scalar**, Kokkos::LayoutRight, Device, Unmanaged>;
  using MultiYLeft = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Device, Unmanaged>;
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  using BlockMatrix = KokkosSparse::Experimental::BsrMatrix<const Scalar, const std::int32_t,
                                                            Device, Unmanaged, const std::int32_t>;
#endif
};

/// Product `y = A x` or `y = A^T x` (mode "N" or "T") by the native kernels, even if Kokkos Kernels
/// was built with the library of a vendor. Version 3.4 offers no such choice for several vectors.
template <class ExecutionSpace, class Matrix, class X, class Y>
class Spmv {
 public:
  using Scalar = typename Y::value_type;

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  explicit Spmv(bool merge_path)
      : handle_(std::make_unique<Handle>(merge_path ? KokkosSparse::SPMV_NATIVE_MERGE_PATH
                                                    : KokkosSparse::SPMV_NATIVE)) {}

  /// Computes `alpha A x + beta y`, or that with A^T. Not inline, so that a source file may use
  /// kernels compiled in another one (`extern template`).
  void run(const ExecutionSpace& exec, const char* mode, const Matrix& A, const X& x, const Y& y,
           Scalar beta = 0, Scalar alpha = 1);

 private:
  using Handle = KokkosSparse::SPMVHandle<ExecutionSpace, Matrix, X, Y>;
  std::unique_ptr<Handle> handle_;
#else
  explicit Spmv(bool) { controls_.setParameter("algorithm", "native"); }

  void run(const ExecutionSpace&, const char* mode, const Matrix& A, const X& x, const Y& y,
           Scalar beta = 0, Scalar alpha = 1);

 private:
  KokkosKernels::Experimental::Controls controls_;
#endif
};

template <class ExecutionSpace, class Matrix, class X, class Y>
void Spmv<ExecutionSpace, Matrix, X, Y>::run([[maybe_unused]] const ExecutionSpace& exec,
                                             const char* mode, const Matrix& A, const X& x,
                                             const Y& y, Scalar beta, Scalar alpha) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  KokkosSparse::spmv(exec, handle_.get(), mode, alpha, A, x, beta, y);
#else
  KokkosSparse::spmv(controls_, mode, alpha, A, x, beta, y);
#endif
}

/// Writes A^T into arrays of the right size. \p t_offsets must hold zeros. The rows are not sorted.
template <class ExecutionSpace, class Offsets, class Columns, class Values, class TOffsets,
          class TColumns, class TValues>
void transpose(const ExecutionSpace&, std::int32_t num_rows, std::int32_t num_cols,
               const Offsets& offsets, const Columns& columns, const Values& values,
               const TOffsets& t_offsets, const TColumns& t_columns, const TValues& t_values) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
  using KokkosSparse::Impl::transpose_matrix;
#else
  using KokkosKernels::Impl::transpose_matrix;
#endif
  transpose_matrix<Offsets, Columns, Values, TOffsets, TColumns, TValues, TOffsets, ExecutionSpace>(
      num_rows, num_cols, offsets, columns, values, t_offsets, t_columns, t_values);
}

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
/// Converts A to storage by columns, which is A^T by rows, in new arrays. Needs 4.0. The columns
/// are not sorted.
template <class ExecutionSpace, class Scalar, class Offsets, class Columns, class Values>
auto to_ccs(std::int32_t num_rows, std::int32_t num_cols, const Offsets& offsets,
            const Columns& columns, const Values& values) {
  using Of = Types<ExecutionSpace, Scalar>;
  // The type of the result is derived from that of the values, which must not be const.
  const Kokkos::View<Scalar*, typename Of::Device, typename Of::Unmanaged> not_const(
      const_cast<Scalar*>(values.data()), values.extent(0));
  return KokkosSparse::crs2ccs(num_rows, num_cols, static_cast<std::int32_t>(columns.extent(0)),
                               not_const, offsets, columns);
}
#endif

/// Sorts the columns of each row together with their values.
template <class ExecutionSpace, class Offsets, class Columns, class Values>
void sort([[maybe_unused]] const ExecutionSpace& exec, const Offsets& offsets,
          const Columns& columns, const Values& values) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
  KokkosSparse::sort_crs_matrix(exec, offsets, columns, values);
#else
  KokkosKernels::Impl::sort_crs_matrix<ExecutionSpace>(offsets, columns, values);
#endif
}

}  // namespace Tomokkos::KokkosKernelsApi
