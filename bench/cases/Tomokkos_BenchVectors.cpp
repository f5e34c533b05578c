// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchVectorCandidates.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_VectorOps.hpp>
#include <cmath>
#include <limits>

namespace Tomokkos::Bench {
namespace {

template <class Scalar, class MemorySpace>
struct AddReference {
  Vector<Scalar, MemorySpace> x, y;
  double a, unit;
  Kokkos::View<double*, MemorySpace> value, bound;
  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const double term = a * static_cast<double>(x(i)), before = static_cast<double>(y(i));
    value(i) = before + term;
    bound(i) = 2 * unit * ((term < 0 ? -term : term) + (before < 0 ? -before : before));
  }
};

template <class ExecutionSpace, class Scalar>
VectorWork own_work(const VectorProblem<ExecutionSpace, Scalar>& problem) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  if (!problem.is_dot)
    return {[problem] {
      axpby<ExecutionSpace, Scalar>(problem.exec, problem.a, problem.x, Scalar(1), problem.y);
    }};
  const ReductionWorkspace<MemorySpace> workspace(problem.exec);
  const auto result =
      allocate<Vector<double, MemorySpace>>(problem.exec, "Tomokkos::Bench::dot", 1);
  Kokkos::deep_copy(problem.exec, result, std::numeric_limits<double>::quiet_NaN());
  return {[problem, workspace, result] {
            dot<ExecutionSpace, Scalar>(problem.exec, workspace, problem.x, problem.y, result);
          },
          [problem, result] { return to_host<ExecutionSpace>(problem.exec, result); }};
}

/// Vectors with the correct result.
template <class ExecutionSpace, class Scalar>
class VectorBench {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  VectorBench(const ExecutionSpace& exec, Operation operation, Ordinal length, std::uint64_t seed) {
    problem_.exec = exec;
    problem_.is_dot = operation == Operation::dot;
    // Use the vectors of products with an empty matrix of this size.
    CsrMatrix<Scalar, MemorySpace> shape;
    shape.num_rows = shape.num_cols = length;
    BenchCase<ExecutionSpace, Scalar> source(exec, shape, seed);
    problem_.x = source.x(false);
    start_ = source.x(true);
    problem_.y = start_;
    const Kokkos::RangePolicy<ExecutionSpace> range(exec, 0, length);
    const double unit = 0.5 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
    if (problem_.is_dot) {
      value_ = dot_in_double(exec, problem_.x, start_);
      const double size = dot_in_double(exec, problem_.x, start_, true);
      bound_ = 4 * (std::log2(static_cast<double>(length)) + 2) * unit * size;
      return;
    }
    problem_.y = allocate<Vector<Scalar, MemorySpace>>(exec, "Tomokkos::Bench::y", length);
    const auto value =
        allocate<Kokkos::View<double*, MemorySpace>>(exec, "Tomokkos::Bench::reference", length);
    const auto bound =
        allocate<Kokkos::View<double*, MemorySpace>>(exec, "Tomokkos::Bench::bound", length);
    Kokkos::parallel_for(
        "Tomokkos::bench::axpy", range,
        AddReference<Scalar, MemorySpace>{problem_.x, start_, static_cast<double>(problem_.a), unit,
                                          value, bound});
    exec.fence();
    reference_ = {value, bound};
  }

  const VectorProblem<ExecutionSpace, Scalar>& problem() const { return problem_; }

  Candidate candidate(const VectorWork& work) const {
    const auto n = static_cast<std::size_t>(problem_.size());
    Candidate candidate;
    candidate.bytes_model = (problem_.is_dot ? 2 : 3) * n * sizeof(Scalar);
    candidate.footprint_bytes = 2 * n * sizeof(Scalar);
    candidate.memory_bytes = candidate.footprint_bytes;
    candidate.operations = 2.0 * static_cast<double>(n);
    candidate.launch = work.launch;
    candidate.fence = [exec = problem_.exec] { exec.fence(); };
    if (problem_.is_dot) {
      // There is nothing to overwrite: the result is a number that only a launch can set.
      candidate.poison = [] {};
      candidate.error = [value = work.value, right = value_, bound = bound_] {
        const double distance = std::abs(value() - right);
        return distance <= std::numeric_limits<double>::max()
                   ? (distance > 0 ? distance / bound : 0.0)
                   : std::numeric_limits<double>::max();
      };
    } else {
      candidate.poison = [problem = problem_, start = start_] {
        Kokkos::deep_copy(problem.exec, problem.y, start);
        problem.exec.fence();
      };
      candidate.error = [problem = problem_, reference = reference_] {
        return largest_error<ExecutionSpace, Scalar>(problem.exec, reference, problem.y);
      };
    }
    return candidate;
  }

 private:
  VectorProblem<ExecutionSpace, Scalar> problem_;
  Vector<Scalar, MemorySpace> start_;  // y before the first addition
  ProductReference<MemorySpace> reference_;
  double value_ = 0, bound_ = 0;
};

template <class ExecutionSpace, class Scalar>
CandidateList candidates_of(const VectorBench<ExecutionSpace, Scalar>& bench,
                            const std::string& name,
                            const PeerLibraries<ExecutionSpace, Scalar>& peers) {
  CandidateList list;
  list.attempt("tomokkos", "vector", name,
               [&] { return bench.candidate(own_work(bench.problem())); });
  for (const auto& peer : peers) {
    if (peer->peer() == Peer::eigen) continue;  // Eigen uses only one thread
    list.attempt(peer->name(), "vector", name,
                 [&] { return bench.candidate(peer->vector_work(bench.problem())); });
  }
  return list;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
CandidateList vector_candidates(const ExecutionSpace& exec, Operation operation, Ordinal length,
                                const BenchOptions& options,
                                const PeerLibraries<ExecutionSpace, Scalar>& peers) {
  return candidates_of(
      VectorBench<ExecutionSpace, Scalar>(exec, operation, length, options.timing.seed),
      std::string(to_string(operation)), peers);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                \
  template CandidateList vector_candidates<SPACE, SCALAR>( \
      const SPACE&, Operation, Ordinal, const BenchOptions&, const PeerLibraries<SPACE, SCALAR>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
