// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)

// Block-circulant matrices by the sparse times dense product of Eigen, on maps with the leading
// dimensions of eq. 5 and 6, which Eigen does not check.
#define EIGEN_NO_CUDA
#include <Eigen/SparseCore>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

template <class Scalar, int order>
using Dense = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, order>;
using Stride = Eigen::OuterStride<>;
template <class Scalar, int order>
using In = Eigen::Map<const Dense<Scalar, order>, Eigen::Unaligned, Stride>;
template <class Scalar, int order>
using Out = Eigen::Map<Dense<Scalar, order>, Eigen::Unaligned, Stride>;

template <int order, class Problem, class Scalar>
void multiply(const Problem& problem, const Scalar* x, Scalar* y) {
  using Sparse = Eigen::Map<const Eigen::SparseMatrix<Scalar, Eigen::RowMajor, std::int32_t>>;
  const auto& A = problem.A;
  const Sparse sparse(A.num_rows, A.num_cols, static_cast<std::int32_t>(A.num_nonzeros()),
                      problem.offsets.data(), A.columns.data(), A.values.data());
  Out<Scalar, order>(y, A.num_rows, problem.vectors, Stride(problem.y_stride)).noalias() =
      sparse * In<Scalar, order>(x, A.num_cols, problem.vectors, Stride(problem.x_stride));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void EigenPeer<ExecutionSpace, Scalar>::add_strided_products(
    ProductList<Scalar>& list, const std::string& name,
    const StridedProblem<ExecutionSpace, Scalar>& problem) const {
  list.attempt(name + ":row_major", [&] {
    Product<Scalar> product = problem.product();
    product.run = [problem](const Scalar* x, Scalar* y) {
      if (problem.row_major)
        multiply<Eigen::RowMajor>(problem, x, y);
      else
        multiply<Eigen::ColMajor>(problem, x, y);
    };
    return product;
  });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                          \
  template void EigenPeer<TOMOKKOS_HOST_SPACE, SCALAR>::add_strided_products( \
      ProductList<SCALAR>&, const std::string&,                               \
      const StridedProblem<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
