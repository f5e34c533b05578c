// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A^T x by windows of columns as a candidate.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_VectorOps.hpp>

#include "Tomokkos_BenchOwn.hpp"

namespace Tomokkos::Bench {
namespace {

/// What whole numbers add to the bound of a column: a share of the largest sum for each entry.
template <class MemorySpace>
struct WidenBound {
  Kokkos::View<const double*, MemorySpace> bound, entries;
  double step;
  Kokkos::View<double*, MemorySpace> widened;
  KOKKOS_FUNCTION void operator()(const Offset j) const {
    widened(j) = bound(j) + step * entries(j);
  }
};

/// Largest error of y = A^T x over its bound, where entries of x are at most 1.
template <class ExecutionSpace, class Scalar>
double error_of_windows(const ExecutionSpace& exec,
                        const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                        double column_bound, const Scalar* x, const Scalar* y) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Values = Kokkos::View<const Scalar*, MemorySpace>;
  using Doubles = Kokkos::View<double*, MemorySpace>;
  const auto ones =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::ones", A.values.extent(0));
  fill<ExecutionSpace, Scalar>(exec, ones, Scalar(1));
  const auto wide_ones = allocate<Doubles>(exec, "Tomokkos::Bench::wide_ones", A.num_rows);
  Kokkos::deep_copy(exec, wide_ones, 1.0);
  auto pattern = A;
  pattern.values = ones;
  const auto entries =
      reference_transposed_product<ExecutionSpace, Scalar>(exec, pattern, wide_ones).value;
  const auto wide =
      widen<ExecutionSpace, Scalar>(exec, Values(x, static_cast<std::size_t>(A.num_rows)));
  auto reference = reference_transposed_product<ExecutionSpace, Scalar>(exec, A, wide);
  const auto widened = allocate<Doubles>(exec, "Tomokkos::Bench::bound", A.num_cols);
  const double step = (std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60) * column_bound;
  Kokkos::parallel_for("Tomokkos::bench::widen_bound", Impl::element_range(exec, A.num_cols),
                       WidenBound<MemorySpace>{reference.bound, entries, step, widened});
  reference.bound = widened;
  return largest_error<ExecutionSpace, Scalar>(exec, reference,
                                               Values(y, static_cast<std::size_t>(A.num_cols)));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
Product<Scalar> windowed_product(BenchCase<ExecutionSpace, Scalar>& matrix_case) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  using Plan = WindowedPlan<ExecutionSpace, Scalar>;
  const ExecutionSpace exec = matrix_case.exec();
  const auto A = matrix_case.matrix();
  std::shared_ptr<const Plan> plan;
  Product<Scalar> product;
  product.setup_seconds = seconds_of([&] { plan = std::make_shared<const Plan>(exec, A); });
  product.matrix_bytes = csr_bytes(A, sizeof(Offset)) + plan->memory_bytes();
  product.memory_bytes = product.matrix_bytes;
  product.run = [exec, A, plan](const Scalar* x, Scalar* y) {
    spmv_transpose_windowed<ExecutionSpace, Scalar>(
        exec, *plan, A, all_rows, Scalar(1),
        MultiVectorView<const Scalar, MemorySpace>(x, A.num_rows, 1), Scalar(0),
        MultiVectorView<Scalar, MemorySpace>(y, A.num_cols, 1));
  };
  if (!Impl::is_host_space<ExecutionSpace>)
    product.error = [exec, A, plan](const Scalar* x, const Scalar* y) {
      return error_of_windows<ExecutionSpace, Scalar>(exec, A, plan->column_bound(), x, y);
    };
  return product;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template Product<SCALAR> windowed_product<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
