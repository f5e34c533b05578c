// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_FormatTransposed.hpp>
#include <impl/Tomokkos_FormatOps_impl.hpp>
#include <impl/Tomokkos_SpmmCsr_impl.hpp>

namespace Tomokkos {
namespace Impl {

/// `Y(column, :) += alpha a X(row, :)`
template <class Scalar>
struct AddEntryAtomically {
  const Scalar* values;
  const Scalar* x;
  Scalar* y;
  Offset width;
  Scalar alpha;

  KOKKOS_FUNCTION void operator()(Ordinal row, Ordinal column, Offset at) const {
    const Scalar value = alpha * values[at];
    for (Offset j = 0; j < width; ++j)
      Kokkos::atomic_add(&y[column * width + j], value * x[row * width + j]);
  }
};

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
void format_transpose_atomic(
    const ExecutionSpace& exec, const Matrix& A, typename Matrix::scalar_type alpha,
    const MultiVectorView<const typename Matrix::scalar_type,
                          typename ExecutionSpace::memory_space>& X,
    typename Matrix::scalar_type beta,
    const MultiVectorView<typename Matrix::scalar_type, typename ExecutionSpace::memory_space>& Y) {
  using Scalar = typename Matrix::scalar_type;
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "rows of A", A.num_rows);
  require_equal("rows of Y", static_cast<long long>(Y.extent(0)), "columns of A", A.num_cols);
  require_equal("columns of Y", static_cast<long long>(Y.extent(1)), "columns of X",
                static_cast<long long>(X.extent(1)));
  Kokkos::parallel_for(
      "Tomokkos::format::transpose_atomic::scale", Impl::element_range(exec, Y.size()),
      Impl::ScaleOrClear<Scalar, typename ExecutionSpace::memory_space>{as_vector(Y), beta});
  Impl::for_each_part(A, [&](const auto& part) {
    Impl::visit_entries(exec, "Tomokkos::format::transpose_atomic", part,
                        Impl::AddEntryAtomically<Scalar>{part.values.data(), X.data(), Y.data(),
                                                         static_cast<Offset>(X.extent(1)), alpha});
  });
}

#define TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, ...)                  \
  template void format_transpose_atomic<SPACE, __VA_ARGS__>(             \
      const SPACE&, const __VA_ARGS__&, SCALAR,                          \
      const MultiVectorView<const SCALAR, SPACE::memory_space>&, SCALAR, \
      const MultiVectorView<SCALAR, SPACE::memory_space>&);
#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                              \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, CooMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, EllMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, EllRMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, HybMatrix<SCALAR, SPACE::memory_space>)     \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, SellMatrix<SCALAR, SPACE::memory_space>)    \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 2>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 3>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 4>) \
  TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, BcsrMatrix<SCALAR, SPACE::memory_space, 8>)
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE
#undef TOMOKKOS_INSTANTIATE_FORMAT

}  // namespace Tomokkos
