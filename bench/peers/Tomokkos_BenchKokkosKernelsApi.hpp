// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only place that looks at the version of Kokkos Kernels, which renamed and moved what we call
// between 3.4 and 4.6.
#pragma once

#include <KokkosKernels_config.h>

#include <KokkosSparse_CrsMatrix.hpp>
#include <KokkosSparse_spmv.hpp>
#include <Tomokkos_Text.hpp>
#include <cstdint>
#include <memory>
#include <string>

// Before 4.0 it does not tell; it came out with the Kokkos of the same number then.
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

namespace Tomokkos::Bench::KokkosKernelsApi {

inline std::string version() {
  constexpr int number = TOMOKKOS_KOKKOS_KERNELS_VERSION;
  return Impl::text("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

/// Its native merge path came with the handles of 4.3.
template <class ExecutionSpace>
inline constexpr bool has_merge_path = TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300;

/// Our arrays as its matrix, and the vectors of a product, one or several (row-major, Y by columns
/// too). The types that its compiled instantiations take for one vector, as far as they have 32-bit
/// offsets.
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

/// `y = A x` or `y = A^T x`, mode "N" or "T", by its own kernels even where it was built with a
/// vendor's library. In 3.4 it has no such choice for several vectors.
template <class ExecutionSpace, class Matrix, class X, class Y>
class Spmv {
 public:
  using Scalar = typename Y::value_type;

#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  explicit Spmv(bool merge_path)
      : handle_(std::make_unique<Handle>(merge_path ? KokkosSparse::SPMV_NATIVE_MERGE_PATH
                                                    : KokkosSparse::SPMV_NATIVE)) {}

  /// `beta y` added. Not inline: a source file may leave its kernels to another (`extern
  /// template`).
  void run(const ExecutionSpace& exec, const char* mode, const Matrix& A, const X& x, const Y& y,
           Scalar beta = 0);

 private:
  using Handle = KokkosSparse::SPMVHandle<ExecutionSpace, Matrix, X, Y>;
  std::unique_ptr<Handle> handle_;
#else
  explicit Spmv(bool) { controls_.setParameter("algorithm", "native"); }

  void run(const ExecutionSpace&, const char* mode, const Matrix& A, const X& x, const Y& y,
           Scalar beta = 0);

 private:
  KokkosKernels::Experimental::Controls controls_;
#endif
};

template <class ExecutionSpace, class Matrix, class X, class Y>
void Spmv<ExecutionSpace, Matrix, X, Y>::run([[maybe_unused]] const ExecutionSpace& exec,
                                             const char* mode, const Matrix& A, const X& x,
                                             const Y& y, Scalar beta) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40300
  KokkosSparse::spmv(exec, handle_.get(), mode, Scalar(1), A, x, beta, y);
#else
  KokkosSparse::spmv(controls_, mode, Scalar(1), A, x, beta, y);
#endif
}

/// A^T into arrays of the right size; \p t_offsets must hold zeros. Rows unsorted.
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
/// A by columns, which is A^T by rows, in arrays of its own; from 4.0 on. The columns unsorted.
template <class ExecutionSpace, class Scalar, class Offsets, class Columns, class Values>
auto to_ccs(std::int32_t num_rows, std::int32_t num_cols, const Offsets& offsets,
            const Columns& columns, const Values& values) {
  using Of = Types<ExecutionSpace, Scalar>;
  // The type of the result is made of that of the values.
  const Kokkos::View<Scalar*, typename Of::Device, typename Of::Unmanaged> not_const(
      const_cast<Scalar*>(values.data()), values.extent(0));
  return KokkosSparse::crs2ccs(num_rows, num_cols, static_cast<std::int32_t>(columns.extent(0)),
                               not_const, offsets, columns);
}
#endif

/// Sorts the columns of each row, and the values with them.
template <class ExecutionSpace, class Offsets, class Columns, class Values>
void sort([[maybe_unused]] const ExecutionSpace& exec, const Offsets& offsets,
          const Columns& columns, const Values& values) {
#if TOMOKKOS_KOKKOS_KERNELS_VERSION >= 40000
  KokkosSparse::sort_crs_matrix(exec, offsets, columns, values);
#else
  KokkosKernels::Impl::sort_crs_matrix<ExecutionSpace>(offsets, columns, values);
#endif
}

}  // namespace Tomokkos::Bench::KokkosKernelsApi
