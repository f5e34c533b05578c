// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_CUSPARSE)

// Block-circulant matrices by the sparse times dense product of cuSPARSE. The leading dimensions
// are smaller than for a dense matrix with that many rows or columns. Whether they are accepted is
// left to cuSPARSE.
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchCusparseMatrix.hpp"
#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {
namespace {

using namespace Cusparse;

struct DestroyDense {
  using pointer = cusparseDnMatDescr_t;
  void operator()(pointer matrix) const { cusparseDestroyDnMat(matrix); }
};
using Dense = std::unique_ptr<void, DestroyDense>;

template <class Scalar>
Dense make_dense(Ordinal rows, Ordinal columns, Ordinal stride, bool row_major, Scalar* values) {
  cusparseDnMatDescr_t matrix = nullptr;
  check(cusparseCreateDnMat(&matrix, rows, columns, stride, values, cuda_type<Scalar>,
                            row_major ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL),
        Impl::text("cusparseCreateDnMat with a leading dimension of {} for {} x {}", stride, rows,
                   columns)
            .c_str());
  return Dense(matrix);
}

template <class Scalar>
class StridedSpmm {
 public:
  using Problem = StridedProblem<Kokkos::Cuda, Scalar>;

  StridedSpmm(const Problem& problem, cusparseSpMMAlg_t algorithm)
      : library_(problem.exec),
        matrix_(csr_matrix(problem.A, problem.offsets)),
        algorithm_(algorithm),
        x_(make_dense(matrix_.num_cols, problem.vectors, problem.x_stride, problem.row_major,
                      problem.x.data())),
        y_(make_dense(matrix_.num_rows, problem.vectors, problem.y_stride, problem.row_major,
                      problem.y.data())) {
    std::size_t bytes = 0;
    check(cusparseSpMM_bufferSize(library_.handle(), as_it_is, as_it_is, &one_,
                                  matrix_.descriptor.get(), x_.get(), &zero_, y_.get(),
                                  cuda_type<Scalar>, algorithm_, &bytes),
          "cusparseSpMM_bufferSize");
    buffer_ = allocate<Buffer>(problem.exec, "Tomokkos::Bench::cusparse", bytes);
    const auto status = cusparseSpMM_preprocess(
        library_.handle(), as_it_is, as_it_is, &one_, matrix_.descriptor.get(), x_.get(), &zero_,
        y_.get(), cuda_type<Scalar>, algorithm_, buffer_.data());
    if (status != CUSPARSE_STATUS_NOT_SUPPORTED) check(status, "cusparseSpMM_preprocess");
    problem.exec.fence();
  }

  void run(const Scalar* x, Scalar* y) {
    check(cusparseDnMatSetValues(x_.get(), const_cast<Scalar*>(x)), "cusparseDnMatSetValues");
    check(cusparseDnMatSetValues(y_.get(), y), "cusparseDnMatSetValues");
    check(cusparseSpMM(library_.handle(), as_it_is, as_it_is, &one_, matrix_.descriptor.get(),
                       x_.get(), &zero_, y_.get(), cuda_type<Scalar>, algorithm_, buffer_.data()),
          "cusparseSpMM");
  }

  std::size_t buffer_bytes() const { return buffer_.extent(0); }

 private:
  static constexpr cusparseOperation_t as_it_is = CUSPARSE_OPERATION_NON_TRANSPOSE;

  Library library_;
  Matrix matrix_;
  cusparseSpMMAlg_t algorithm_;
  Scalar one_ = 1, zero_ = 0;
  Dense x_, y_;
  Buffer buffer_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
void CusparsePeer<ExecutionSpace, Scalar>::add_strided_products(
    ProductList<Scalar>& list, const std::string& name,
    const StridedProblem<ExecutionSpace, Scalar>& problem) const {
  for (const auto& [algorithm, variant] : {std::pair{CUSPARSE_SPMM_CSR_ALG2, ":csr_alg2"},
                                           std::pair{CUSPARSE_SPMM_CSR_ALG3, ":csr_alg3"}})
    list.attempt(name + variant, [&, chosen = algorithm] {
      Product<Scalar> product = problem.product();
      std::shared_ptr<StridedSpmm<Scalar>> work;
      product.setup_seconds =
          seconds_of([&] { work = std::make_shared<StridedSpmm<Scalar>>(problem, chosen); });
      product.memory_bytes += work->buffer_bytes();
      product.run = [work](const Scalar* x, Scalar* y) { work->run(x, y); };
      return product;
    });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                                         \
  template void CusparsePeer<Kokkos::Cuda, SCALAR>::add_strided_products(                    \
      ProductList<SCALAR>&, const std::string&, const StridedProblem<Kokkos::Cuda, SCALAR>&) \
      const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
