// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the inspector-executor products of MKL with its BLAS, and `axpy` and `dot`.
#if defined(TOMOKKOS_BENCH_HAVE_MKL)

#include <mkl_cblas.h>
#include <mkl_vml.h>

#include <Tomokkos_ForEach.hpp>
#include <algorithm>

#include "Tomokkos_BenchPcgPeers.hpp"

namespace Tomokkos::Bench {
namespace {

double blas_dot(Ordinal n, const float* x, const float* y) { return cblas_sdot(n, x, 1, y, 1); }
double blas_dot(Ordinal n, const double* x, const double* y) { return cblas_ddot(n, x, 1, y, 1); }
void blas_axpy(Ordinal n, float a, const float* x, float* y) { cblas_saxpy(n, a, x, 1, y, 1); }
void blas_axpy(Ordinal n, double a, const double* x, double* y) { cblas_daxpy(n, a, x, 1, y, 1); }
/// Computes `y = x + b y`.
void blas_xpby(Ordinal n, const float* x, float b, float* y) {
  cblas_saxpby(n, 1.0F, x, 1, b, y, 1);
}
void blas_xpby(Ordinal n, const double* x, double b, double* y) {
  cblas_daxpby(n, 1.0, x, 1, b, y, 1);
}
void entrywise(Ordinal n, const float* x, const float* y, float* z) { vsMul(n, x, y, z); }
void entrywise(Ordinal n, const double* x, const double* y, double* z) { vdMul(n, x, y, z); }

template <class ExecutionSpace, class Scalar>
class MklCalls : public PcgCalls<ExecutionSpace, Scalar> {
 public:
  using PcgCalls<ExecutionSpace, Scalar>::PcgCalls;

  void precondition(const Scalar* r, Scalar* z) const {
    entrywise(size(), problem_.inverse_diagonal.data(), r, z);
  }
  double dot(const Scalar* x, const Scalar* y) const { return blas_dot(size(), x, y); }
  void axpy(Scalar a, const Scalar* x, Scalar* y) const { blas_axpy(size(), a, x, y); }
  void xpby(const Scalar* x, Scalar b, Scalar* y) const { blas_xpby(size(), x, b, y); }
  void copy(const Scalar* x, Scalar* y) const { std::copy(x, x + size(), y); }
  void clear(Scalar* x) const { std::fill(x, x + size(), Scalar(0)); }
  void fence() const {}

 private:
  using PcgCalls<ExecutionSpace, Scalar>::problem_;
  using PcgCalls<ExecutionSpace, Scalar>::size;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> MklPeer<ExecutionSpace, Scalar>::pcg_loops(
    const PcgProblem<ExecutionSpace, Scalar>& problem) const {
  PcgLoopList<Scalar> list(this->name());
  BenchCase<ExecutionSpace, Scalar> matrix_case(problem.exec, problem.A, 0);
  const auto products = this->products(matrix_case, BenchOptions(), single_vector, false);
  list.append_refused(products, [](const std::string& variant) { return "blas:" + variant; });
  for (const Product<Scalar>& product : products.entries())
    list.attempt("csr", "blas:" + product.variant, [&] {
      return calls_loop(problem, product,
                        std::make_shared<MklCalls<ExecutionSpace, Scalar>>(problem, product));
    });
  return list;
}

template <class ExecutionSpace, class Scalar>
VectorWork MklPeer<ExecutionSpace, Scalar>::vector_work(
    const VectorProblem<ExecutionSpace, Scalar>& problem) const {
  if (!problem.is_dot)
    return {
        [problem] { blas_axpy(problem.size(), problem.a, problem.x.data(), problem.y.data()); }};
  return dot_work(
      [problem] { return blas_dot(problem.size(), problem.x.data(), problem.y.data()); });
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                            \
  template PcgLoopList<SCALAR> MklPeer<TOMOKKOS_HOST_SPACE, SCALAR>::pcg_loops( \
      const PcgProblem<TOMOKKOS_HOST_SPACE, SCALAR>&) const;                    \
  template VectorWork MklPeer<TOMOKKOS_HOST_SPACE, SCALAR>::vector_work(        \
      const VectorProblem<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
