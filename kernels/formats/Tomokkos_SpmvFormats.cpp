// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans of the formats, and the one door to their products.
#include <Tomokkos_BcsrLaunchConfig.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_PaddedLaunchConfig.hpp>
#include <impl/Tomokkos_SpmvBcsr_impl.hpp>
#include <impl/Tomokkos_SpmvCoo_impl.hpp>
#include <impl/Tomokkos_SpmvFormatDots_impl.hpp>
#include <impl/Tomokkos_SpmvPadded_impl.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
SpmvPlan<ExecutionSpace, EllRMatrix<Scalar, typename ExecutionSpace::memory_space>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : Impl::PlanWithoutMemory(
          choose_ell_r_launch(device_traits(exec), A.num_rows, A.num_nonzeros(), options)) {}

template <class ExecutionSpace, class Scalar, int B>
SpmvPlan<ExecutionSpace, BcsrMatrix<Scalar, typename ExecutionSpace::memory_space, B>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : Impl::PlanWithoutMemory(choose_bcsr_launch(device_traits(exec), B, A.num_block_rows(),
                                                 A.num_blocks(), options)) {}

template <class ExecutionSpace, class Scalar>
SpmvPlan<ExecutionSpace, CooMatrix<Scalar, typename ExecutionSpace::memory_space>>::SpmvPlan(
    const ExecutionSpace& exec, const matrix_type& A, const SpmvOptions& options)
    : options_(choose_coo_launch(device_traits(exec), A.num_nonzeros(), options)) {
  num_tiles_ = (A.num_nonzeros() + options_.items_per_tile - 1) / options_.items_per_tile;
  require(num_tiles_ <= 2147483647, "COO has more tiles than a launch can hold");
  carry_rows_ = allocate<Kokkos::View<Ordinal*, memory_space>>(
      exec, "Tomokkos::SpmvPlan::carry_rows", 2 * num_tiles_);
  carry_sums_ = allocate<Kokkos::View<double*, memory_space>>(
      exec, "Tomokkos::SpmvPlan::carry_sums", 2 * num_tiles_);
}

namespace Impl {

template <class ExecutionSpace, class Scalar, class MemorySpace>
void launch_spmv(const ExecutionSpace& exec,
                 const SpmvPlan<ExecutionSpace, HybMatrix<Scalar, MemorySpace>>& plan,
                 const HybMatrix<Scalar, MemorySpace>& A, ProductTarget<Scalar> target) {
  launch_spmv(exec, plan.regular(), A.regular, target);
  target.beta = Scalar(1);
  launch_spmv(exec, plan.rest(), A.rest, target);
}

}  // namespace Impl

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    typename Matrix::scalar_type alpha,
    const VectorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& x,
    typename Matrix::scalar_type beta,
    const VectorView<typename Matrix::scalar_type, typename Matrix::memory_space>& y) {
  const auto target = Impl::product_target(A, alpha, x, beta, y);
  if (A.num_rows == 0) return;
  Impl::launch_spmv(exec, plan, A, target);
}

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) Offset
    spmv_dot_sums(const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A) {
  return Impl::format_dot_sums(plan, A);
}

template <class ExecutionSpace, class Matrix>
requires(!Impl::is_csr<Matrix>) void spmv_dot(
    const ExecutionSpace& exec, const SpmvPlan<ExecutionSpace, Matrix>& plan, const Matrix& A,
    const VectorView<const typename Matrix::scalar_type, typename Matrix::memory_space>& x,
    const VectorView<typename Matrix::scalar_type, typename Matrix::memory_space>& y,
    const VectorView<double, typename Matrix::memory_space>& sums) {
  using Scalar = typename Matrix::scalar_type;
  require_equal("rows of A", A.num_rows, "the columns of A", A.num_cols);
  const auto target = Impl::product_target(A, Scalar(1), x, Scalar(0), y);
  const Offset count = Impl::format_dot_sums(plan, A);
  require(count > 0 || A.num_rows == 0, "this format, or its plan, has no product with a dot");
  require_equal("number of sums", static_cast<long long>(sums.extent(0)), "what the plan asks for",
                static_cast<long long>(count));
  if (A.num_rows == 0) return;
  if constexpr (!Impl::lacks_dot<Matrix>) Impl::launch_spmv_dot(exec, plan, A, target, sums.data());
}

#define TOMOKKOS_INSTANTIATE_FORMAT(SPACE, SCALAR, ...)                                            \
  template class SpmvPlan<SPACE, __VA_ARGS__>;                                                     \
  template void spmv<SPACE, __VA_ARGS__>(const SPACE&, const SpmvPlan<SPACE, __VA_ARGS__>&,        \
                                         const __VA_ARGS__&, SCALAR,                               \
                                         const VectorView<const SCALAR, SPACE::memory_space>&,     \
                                         SCALAR, const VectorView<SCALAR, SPACE::memory_space>&);  \
  template Offset spmv_dot_sums<SPACE, __VA_ARGS__>(const SpmvPlan<SPACE, __VA_ARGS__>&,           \
                                                    const __VA_ARGS__&);                           \
  template void spmv_dot<SPACE, __VA_ARGS__>(const SPACE&, const SpmvPlan<SPACE, __VA_ARGS__>&,    \
                                             const __VA_ARGS__&,                                   \
                                             const VectorView<const SCALAR, SPACE::memory_space>&, \
                                             const VectorView<SCALAR, SPACE::memory_space>&,       \
                                             const VectorView<double, SPACE::memory_space>&);
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
