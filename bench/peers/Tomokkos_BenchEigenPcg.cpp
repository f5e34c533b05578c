// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#if defined(TOMOKKOS_BENCH_HAVE_EIGEN)

// Eigen runs on the host here, even if a CUDA compiler compiles this file.
#define EIGEN_NO_CUDA
#include <Eigen/IterativeLinearSolvers>
#include <Eigen/SparseCore>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>

#include "Tomokkos_BenchPcgPeers.hpp"

namespace Tomokkos::Bench {
namespace {

/// Conjugate gradients of Eigen with all threads. For a row-major matrix with both triangles Eigen
/// divides the rows among the threads.
template <class ExecutionSpace, class Scalar>
class EigenLoop {
 public:
  using Sparse = Eigen::SparseMatrix<Scalar, Eigen::RowMajor, std::int32_t>;
  using Solver = Eigen::ConjugateGradient<Sparse, Eigen::Lower | Eigen::Upper,
                                          Eigen::DiagonalPreconditioner<Scalar>>;
  using Dense = Eigen::Map<Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;
  using ConstDense = Eigen::Map<const Eigen::Matrix<Scalar, Eigen::Dynamic, 1>>;

  explicit EigenLoop(const PcgProblem<ExecutionSpace, Scalar>& problem)
      : problem_(problem),
        matrix_(problem.size(), problem.size(), static_cast<std::int32_t>(problem.A.num_nonzeros()),
                problem.offsets32.data(), problem.A.columns.data(), problem.A.values.data()) {
    solver_.compute(matrix_);
  }

  /// Solves and times. The work before the first iteration is a product and about the vector work
  /// of an iteration, so it counts as one more iteration.
  PcgOutcome run(const PcgRequest& request, Scalar* values) {
    Dense x(values, problem_.size());
    x.setZero();
    solver_.setMaxIterations(request.iterations);
    solver_.setTolerance(static_cast<Scalar>(request.tolerance));
    PcgOutcome outcome;
    const double seconds = seconds_of([&] {
      // Call the implementation: a plain expression may be evaluated into the start that it reads.
      solver_._solve_with_guess_impl(ConstDense(problem_.rhs.data(), problem_.size()), x);
    });
    // Eigen does not count the iteration that converges.
    outcome.iterations = std::min(static_cast<int>(solver_.iterations()) + 1, request.iterations);
    outcome.seconds = seconds / (outcome.iterations + 1);
    if (request.tolerance > 0 && solver_.info() == Eigen::Success) outcome.reason = "converged";
    return outcome;
  }

  void multiply(const Scalar* x, Scalar* y) const {
    Dense(y, problem_.size()).noalias() = matrix_ * ConstDense(x, problem_.size());
  }

 private:
  PcgProblem<ExecutionSpace, Scalar> problem_;
  Eigen::Map<const Sparse> matrix_;
  Solver solver_;
};

}  // namespace

template <class ExecutionSpace, class Scalar>
PcgLoopList<Scalar> EigenPeer<ExecutionSpace, Scalar>::pcg_loops(
    const PcgProblem<ExecutionSpace, Scalar>& problem) const {
  PcgLoopList<Scalar> list(this->name());
  list.attempt("csr", "conjugate_gradient", [&] {
    require_offsets32(problem);
    PcgLoop<Scalar> result = unfused_loop(problem, csr_bytes(problem.A, sizeof(std::int32_t)));
    std::shared_ptr<EigenLoop<ExecutionSpace, Scalar>> loop;
    result.setup_seconds =
        seconds_of([&] { loop = std::make_shared<EigenLoop<ExecutionSpace, Scalar>>(problem); });
    result.run = [loop](const PcgRequest& request, Scalar* x) { return loop->run(request, x); };
    result.multiply = [loop](const Scalar* x, Scalar* y) { loop->multiply(x, y); };
    return result;
  });
  return list;
}

#define TOMOKKOS_INSTANTIATE(SCALAR)                                              \
  template PcgLoopList<SCALAR> EigenPeer<TOMOKKOS_HOST_SPACE, SCALAR>::pcg_loops( \
      const PcgProblem<TOMOKKOS_HOST_SPACE, SCALAR>&) const;
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench

#endif
