// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of the products and vector functions of Kokkos Kernels, and `axpy` and `dot`.
#if defined(TOMOKKOS_BENCH_HAVE_KOKKOS_KERNELS)

#include <KokkosBlas1_axpby.hpp>
#include <KokkosBlas1_dot.hpp>
#include <KokkosBlas1_mult.hpp>
#include <Tomokkos_ForEach.hpp>

#include "Tomokkos_BenchKokkosKernelsProduct.hpp"
#include "Tomokkos_BenchPcgPeers.hpp"

namespace Tomokkos::Bench {
namespace {

/// Calls on the default instance: those of 3.4 accept no other, and all of them fence.
template <class ExecutionSpace, class Scalar>
class KernelsCalls : public PcgCalls<ExecutionSpace, Scalar> {
 public:
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  using X = typename Types::X;
  using Y = typename Types::Y;

  using PcgCalls<ExecutionSpace, Scalar>::PcgCalls;

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
  using PcgCalls<ExecutionSpace, Scalar>::problem_;
  using PcgCalls<ExecutionSpace, Scalar>::size;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> KokkosKernelsPeer<ExecutionSpace, Scalar>::pcg_loops(
    const PcgProblem<ExecutionSpace, Scalar>& problem) const {
  PcgLoopList<Scalar> list(this->name());
  list.attempt("csr", "blas:native", [&] {
    require_offsets32(problem);
    const auto product = kokkos_kernels_vector_product<ExecutionSpace, Scalar>(
        problem.exec, problem.A, problem.offsets32, KernelsRequest());
    return calls_loop(problem, product,
                      std::make_shared<KernelsCalls<ExecutionSpace, Scalar>>(problem, product));
  });
  return list;
}

template <class ExecutionSpace, class Scalar>
VectorWork KokkosKernelsPeer<ExecutionSpace, Scalar>::vector_work(
    const VectorProblem<ExecutionSpace, Scalar>& problem) const {
  using Types = KokkosKernelsApi::Types<ExecutionSpace, Scalar>;
  const typename Types::X x(problem.x.data(), problem.x.extent(0));
  const typename Types::Y y(problem.y.data(), problem.y.extent(0));
  if (!problem.is_dot) return {[problem, x, y] { KokkosBlas::axpy(problem.a, x, y); }};
  return dot_work(
      [problem, x, y] { return static_cast<double>(KokkosBlas::dot(x, typename Types::X(y))); });
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                 \
  template PcgLoopList<SCALAR> KokkosKernelsPeer<SPACE, SCALAR>::pcg_loops( \
      const PcgProblem<SPACE, SCALAR>&) const;                              \
  template VectorWork KokkosKernelsPeer<SPACE, SCALAR>::vector_work(        \
      const VectorProblem<SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
