// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of cuSPARSE products with cuBLAS, and the vector operations `axpy` and `dot` of cuBLAS.
#if defined(TOMOKKOS_BENCH_HAVE_CUBLAS)

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RecordedLaunches.hpp>
#include <algorithm>
#include <limits>

#include "Tomokkos_BenchCublas.hpp"
#include "Tomokkos_BenchPcgPeers.hpp"

namespace Tomokkos::Bench {
namespace {

using Space = Kokkos::CudaSpace;

/// Calls and vectors that both kinds of loops use.
template <class Scalar>
class CublasCalls : public PcgCalls<Kokkos::Cuda, Scalar> {
 public:
  CublasCalls(const PcgProblem<Kokkos::Cuda, Scalar>& problem, Product<Scalar> product,
              cublasPointerMode_t scalars)
      : PcgCalls<Kokkos::Cuda, Scalar>(problem, std::move(product)), blas_(problem.exec, scalars) {}

  void precondition(const Scalar* r, Scalar* z) const {
    blas_.scale_rows(size(), problem_.inverse_diagonal.data(), r, z);
  }
  void copy(const Scalar* x, Scalar* y) const { blas_.copy(size(), x, y); }
  void clear(Scalar* x) const {
    Kokkos::deep_copy(problem_.exec, VectorView<Scalar, Space>(x, size()), Scalar(0));
  }
  void fence() const { problem_.exec.fence(); }

 protected:
  using PcgCalls<Kokkos::Cuda, Scalar>::problem_;
  using PcgCalls<Kokkos::Cuda, Scalar>::size;

  Cublas<Scalar> blas_;
};

/// Loop whose scalars come to the host and go back with the next call, as in the conjugate
/// gradients of the CUDA samples.
template <class Scalar>
class HostScalars : public CublasCalls<Scalar> {
 public:
  HostScalars(const PcgProblem<Kokkos::Cuda, Scalar>& problem, Product<Scalar> product)
      : CublasCalls<Scalar>(problem, std::move(product), CUBLAS_POINTER_MODE_HOST) {}

  double dot(const Scalar* x, const Scalar* y) const {
    Scalar result = 0;
    this->blas_.dot(this->size(), x, y, &result);
    return static_cast<double>(result);
  }
  void axpy(Scalar a, const Scalar* x, Scalar* y) const {
    this->blas_.axpy(this->size(), &a, x, y);
  }
  void xpby(const Scalar* x, Scalar b, Scalar* y) const {
    const Scalar one = 1;
    this->blas_.scal(this->size(), &b, y);
    this->blas_.axpy(this->size(), &one, x, y);
  }
};

/// Positions of the scalars of the recursion on the device.
enum DeviceScalar : int { rho, next_rho, curvature, squared, alpha, minus_alpha, beta, one, count };

template <class Scalar>
struct StepLength {
  Vector<Scalar, Space> at;
  KOKKOS_FUNCTION void operator()(const int) const {
    at(alpha) = at(rho) / at(curvature);
    at(minus_alpha) = -at(alpha);
  }
};

template <class Scalar>
struct TurnDirection {
  Vector<Scalar, Space> at;
  KOKKOS_FUNCTION void operator()(const int) const {
    at(beta) = at(next_rho) / at(rho);
    at(rho) = at(next_rho);
  }
};

/// Loop whose scalars stay on the device, computed by kernels of one thread. The host checks `r.r`
/// at intervals. If recorded, the iterations between two checks are one CUDA graph.
template <class Scalar>
class DeviceScalars : public CublasCalls<Scalar> {
 public:
  DeviceScalars(const PcgProblem<Kokkos::Cuda, Scalar>& problem, Product<Scalar> product,
                bool recorded)
      : CublasCalls<Scalar>(problem, std::move(product), CUBLAS_POINTER_MODE_DEVICE),
        at_(allocate<Vector<Scalar, Space>>(problem.exec, "Tomokkos::Bench::pcg_scalars", count)),
        recorded_(recorded) {
    refuse_unless(!recorded || Launches::can_record(problem.exec),
                  "this instance cannot record launches");
    Kokkos::deep_copy(problem.exec, at_, Scalar(1));
    problem.exec.fence();
  }

  PcgOutcome run(const PcgRequest& request, Scalar* x) {
    using Clock = std::chrono::steady_clock;
    start_pcg(*this, this->problem_.rhs.data(), x);
    dot(this->r(), this->r(), squared);
    dot(this->r(), this->z(), rho);
    const double bound = request.tolerance * request.tolerance * read_squared();
    const int block = std::min(request.check_every, request.iterations);
    if (recorded_ && (launches_.is_empty() || recorded_x_ != x || recorded_block_ != block)) {
      launches_.record(this->problem_.exec, [&] {
        for (int i = 0; i < block; ++i) iterate(x);
      });
      recorded_x_ = x;
      recorded_block_ = block;
    }
    PcgOutcome outcome;
    this->fence();
    const auto begin = Clock::now();
    while (outcome.iterations < request.iterations) {
      if (recorded_ && outcome.iterations + block <= request.iterations) {
        launches_.replay(this->problem_.exec);
        outcome.iterations += block;
      } else {
        iterate(x);
        ++outcome.iterations;
      }
      if (outcome.iterations % block != 0) continue;
      if (read_squared() <= bound) {
        outcome.reason = "converged";
        break;
      }
    }
    this->fence();
    outcome.seconds =
        std::chrono::duration<double>(Clock::now() - begin).count() / outcome.iterations;
    return outcome;
  }

 private:
  using Launches = Impl::RecordedLaunches<Kokkos::Cuda>;

  Scalar* at(DeviceScalar which) const { return at_.data() + which; }
  void dot(const Scalar* x, const Scalar* y, DeviceScalar result) const {
    this->blas_.dot(this->size(), x, y, at(result));
  }
  double read_squared() const {
    Scalar value = 0;
    Kokkos::deep_copy(this->problem_.exec, value, Kokkos::subview(at_, static_cast<int>(squared)));
    this->fence();
    return static_cast<double>(value);
  }

  void iterate(Scalar* x) const {
    const Kokkos::RangePolicy<Kokkos::Cuda> once(this->problem_.exec, 0, 1);
    const int n = this->size();
    this->multiply(this->p(), this->q());
    dot(this->p(), this->q(), curvature);
    Kokkos::parallel_for("Tomokkos::bench::step_length", once, StepLength<Scalar>{at_});
    this->blas_.axpy(n, at(alpha), this->p(), x);
    this->blas_.axpy(n, at(minus_alpha), this->q(), this->r());
    dot(this->r(), this->r(), squared);
    this->precondition(this->r(), this->z());
    dot(this->r(), this->z(), next_rho);
    Kokkos::parallel_for("Tomokkos::bench::turn_direction", once, TurnDirection<Scalar>{at_});
    this->blas_.scal(n, at(beta), this->p());
    this->blas_.axpy(n, at(one), this->z(), this->p());
  }

  Vector<Scalar, Space> at_;
  bool recorded_;
  Launches launches_;
  const Scalar* recorded_x_ = nullptr;
  int recorded_block_ = 0;
};

/// p = z + beta p needs two calls, which move two more vectors.
constexpr std::size_t moved_vectors = unfused_vectors + 2;

template <class Scalar>
PcgLoop<Scalar> device_scalars_loop(const PcgProblem<Kokkos::Cuda, Scalar>& problem,
                                    const Product<Scalar>& product, bool recorded) {
  const auto calls = std::make_shared<DeviceScalars<Scalar>>(problem, product, recorded);
  PcgLoop<Scalar> loop = product_loop(problem, product, moved_vectors);
  loop.run = [calls](const PcgRequest& request, Scalar* x) { return calls->run(request, x); };
  return loop;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> CusparsePeer<ExecutionSpace, Scalar>::pcg_loops(
    const PcgProblem<ExecutionSpace, Scalar>& problem) const {
  PcgLoopList<Scalar> list(this->name());
  BenchCase<ExecutionSpace, Scalar> matrix_case(problem.exec, problem.A, 0);
  const auto products = this->products(matrix_case, BenchOptions(), single_vector, false);
  list.append_refused(products, [](const std::string& variant) { return "cublas:" + variant; });
  for (const Product<Scalar>& product : products.entries()) {
    list.attempt("csr", "host_scalars:" + product.variant, [&] {
      return calls_loop(problem, product, std::make_shared<HostScalars<Scalar>>(problem, product),
                        moved_vectors);
    });
    for (const bool recorded : {false, true})
      list.attempt("csr", (recorded ? "graph:" : "device_scalars:") + product.variant,
                   [&] { return device_scalars_loop(problem, product, recorded); });
  }
  return list;
}

template <class ExecutionSpace, class Scalar>
VectorWork CusparsePeer<ExecutionSpace, Scalar>::vector_work(
    const VectorProblem<ExecutionSpace, Scalar>& problem) const {
  const auto blas = std::make_shared<Cublas<Scalar>>(
      problem.exec, problem.is_dot ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST);
  const int n = problem.size();
  if (!problem.is_dot)
    return {[problem, blas, n] { blas->axpy(n, &problem.a, problem.x.data(), problem.y.data()); }};
  const auto result = allocate<Vector<Scalar, Space>>(problem.exec, "Tomokkos::Bench::dot", 1);
  Kokkos::deep_copy(problem.exec, result, std::numeric_limits<Scalar>::quiet_NaN());
  return {[problem, blas, n, result] {
            blas->dot(n, problem.x.data(), problem.y.data(), result.data());
          },
          [problem, result] {
            Scalar value = 0;
            Kokkos::deep_copy(problem.exec, value, Kokkos::subview(result, 0));
            problem.exec.fence();
            return static_cast<double>(value);
          }};
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                          \
  template PcgLoopList<SCALAR> CusparsePeer<Kokkos::Cuda, SCALAR>::pcg_loops( \
      const PcgProblem<Kokkos::Cuda, SCALAR>&) const;                         \
  template VectorWork CusparsePeer<Kokkos::Cuda, SCALAR>::vector_work(        \
      const VectorProblem<Kokkos::Cuda, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
