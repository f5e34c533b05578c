// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of Kokkos Kernels' products and its calls for vectors, and these alone.
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_mult.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"
#include "Tomokkos_BenchPcgPeers.hpp"
#include "Tomokkos_BenchVectors.hpp"

namespace Tomokkos::Bench {
namespace {

/// Its calls on the default instance: those of 3.4 take no other, and all of them fence.
template <class ExecutionSpace, class Scalar>
class KernelsCalls {
 public:
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using X = typename Types::X;
  using Y = typename Types::Y;

  KernelsCalls(const PcgProblem<ExecutionSpace, Scalar>& problem, Product<Scalar> product)
      : problem_(problem), vectors_(problem), product_(std::move(product)) {}

  Scalar* r() const { return vectors_.r.data(); }
  Scalar* z() const { return vectors_.z.data(); }
  Scalar* p() const { return vectors_.p.data(); }
  Scalar* q() const { return vectors_.q.data(); }

  void multiply(const Scalar* x, Scalar* y) const { product_.run(x, y); }
  void precondition(const Scalar* r, Scalar* z) const {
    KokkosBlas::mult(Scalar(0), Y(z, size()), Scalar(1),
                     X(problem_.inverse_diagonal.data(), size()), X(r, size()));
  }
  double dot(const Scalar* x, const Scalar* y) const {
    return static_cast<double>(KokkosBlas::dot(X(x, size()), X(y, size())));
  }
  void axpy(Scalar a, const Scalar* x, Scalar* y) const {
    KokkosBlas::axpy(a, X(x, size()), Y(y, size()));
  }
  void xpby(const Scalar* x, Scalar b, Scalar* y) const {
    KokkosBlas::axpby(Scalar(1), X(x, size()), b, Y(y, size()));
  }
  void copy(const Scalar* x, Scalar* y) const {
    Kokkos::deep_copy(problem_.exec, Y(y, size()), X(x, size()));
    fence();
  }
  void clear(Scalar* x) const {
    Kokkos::deep_copy(problem_.exec, Y(x, size()), Scalar(0));
    fence();
  }
  void fence() const { Kokkos::fence(); }

 private:
  std::size_t size() const { return static_cast<std::size_t>(problem_.size()); }

  PcgProblem<ExecutionSpace, Scalar> problem_;
  PcgVectors<ExecutionSpace, Scalar> vectors_;
  Product<Scalar> product_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> kokkos_kernels_pcg_loops(const PcgProblem<ExecutionSpace, Scalar>& problem) {
  PcgLoopList<Scalar> list("kokkos_kernels");
  list.attempt("csr", "blas:native", [&] {
    require_offsets32(problem);
    const auto product = kokkos_kernels_vector_product<ExecutionSpace, Scalar>(
        problem.exec, problem.A, problem.offsets32, KernelsRequest());
    PcgLoop<Scalar> result = unfused_loop(problem, product.matrix_bytes);
    const auto calls = std::make_shared<KernelsCalls<ExecutionSpace, Scalar>>(problem, product);
    result.run = [calls, rhs = problem.rhs](const PcgRequest& request, Scalar* x) {
      return unfused_pcg(*calls, request, rhs.data(), x);
    };
    result.multiply = product.run;
    return result;
  });
  return list;
}

template <class ExecutionSpace, class Scalar>
VectorWork kokkos_blas_work(const VectorProblem<ExecutionSpace, Scalar>& problem) {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  const typename Types::X x(problem.x.data(), problem.x.extent(0));
  const typename Types::Y y(problem.y.data(), problem.y.extent(0));
  if (!problem.is_dot) return {[problem, x, y] { KokkosBlas::axpy(problem.a, x, y); }};
  const auto result = std::make_shared<double>(std::numeric_limits<double>::quiet_NaN());
  return {[problem, x, y, result] {
            *result = static_cast<double>(KokkosBlas::dot(x, typename Types::X(y)));
          },
          [result] { return *result; }};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                \
  template PcgLoopList<SCALAR> kokkos_kernels_pcg_loops(const PcgProblem<SPACE, SCALAR>&); \
  template VectorWork kokkos_blas_work(const VectorProblem<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
