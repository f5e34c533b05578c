// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A^T x by windows of columns as a candidate.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SpmvWindowed.hpp>

#include "Tomokkos_BenchOwn.hpp"
#include "Tomokkos_BenchWholeNumbers.hpp"

namespace Tomokkos::Bench {
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
      using Values = Kokkos::View<const Scalar*, MemorySpace>;
      const auto wide =
          widen<ExecutionSpace, Scalar>(exec, Values(x, static_cast<std::size_t>(A.num_rows)));
      return largest_error<ExecutionSpace, Scalar>(
          exec,
          with_whole_numbers<ExecutionSpace, Scalar>(
              exec, A, plan->column_bound(),
              reference_transposed_product<ExecutionSpace, Scalar>(exec, A, wide)),
          Values(y, static_cast<std::size_t>(A.num_cols)));
    };
  return product;
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template Product<SCALAR> windowed_product<SPACE, SCALAR>(BenchCase<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
