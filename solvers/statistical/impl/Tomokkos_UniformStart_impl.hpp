// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Mlem.hpp>
#include <impl/Tomokkos_MlemKernels.hpp>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar, class Operator>
void Impl::uniform_start(
    const ExecutionSpace& exec, const Operator& A,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& g,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& x,
    const MlemTerms<Scalar, typename ExecutionSpace::memory_space>& terms) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto slices = static_cast<Ordinal>(g.extent(1));
  require_stack_shapes(A.num_rows(), A.num_cols(), A.num_rows(), A.num_cols(), slices, g.extent(0),
                       g.extent(1), x.extent(0), x.extent(1));
  require_apart("the data", g, "the image", x);
  const std::size_t factors = terms.multiplicative.extent(0);
  if (factors != 0 && factors != g.extent(0))
    require_equal("length of the multiplicative term", static_cast<long long>(factors),
                  slices > 1 ? "the rows, or rows times slices" : "the rows",
                  static_cast<long long>(g.size()));
  const auto ones =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::uniform_start::ones", x.extent(0));
  const auto row_sum =
      allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::uniform_start::row_sum", g.extent(0));
  const auto sums =
      allocate<Vector<double, MemorySpace>>(exec, "Tomokkos::uniform_start::sums", 2 * g.extent(1));
  const ReductionWorkspace<MemorySpace> workspace(exec, slices);
  fill<ExecutionSpace, Scalar>(exec, ones, Scalar(1));
  operator_apply<ExecutionSpace, Scalar>(
      exec, A, Scalar(1), as_multivector(VectorView<const Scalar, MemorySpace>(ones)), Scalar(0),
      as_multivector(row_sum));
  const bool per_entry = slices > 1 && terms.multiplicative.extent(0) > g.extent(0);
  reduce_columns_to_device<2>(exec, "Tomokkos::uniform_start::sums",
                              static_cast<Offset>(g.extent(0)), slices,
                              UniformStartSums<Scalar, MemorySpace>{
                                  row_sum, {terms.multiplicative, per_entry}, as_vector(g)},
                              workspace, sums);
  add_up<ExecutionSpace>(exec, operator_row_ranks<ExecutionSpace>(A), sums);
  Kokkos::parallel_for("Tomokkos::uniform_start::fill", element_range(exec, x.extent(0)),
                       FillWithQuotient<Scalar, MemorySpace>{sums, x});
}

}  // namespace Tomokkos
