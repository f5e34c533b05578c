// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchPcg.hpp"

#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <algorithm>
#include <limits>

namespace Tomokkos::Bench {

template <class ExecutionSpace, class Scalar>
struct PcgBench<ExecutionSpace, Scalar>::State {
  using MemorySpace = typename ExecutionSpace::memory_space;

  PcgProblem<ExecutionSpace, Scalar> problem;
  PcgReference reference;
  PcgRequest timed;  // solves that are timed
  PcgOptions options;
  TimingOptions timing;
  Vector<Scalar, MemorySpace> x, y;  // iterate and scratch of the current candidate

  /// Returns the seconds of one iteration, from solves that fill a sample. Infinite for a loop that
  /// does not iterate or reports no time.
  double time(const PcgLoop<Scalar>& loop) const {
    double iterations = 0, seconds = 0;
    do {
      const PcgOutcome outcome = loop.run(timed, x.data());
      if (!(outcome.iterations > 0 && outcome.seconds > 0))
        return std::numeric_limits<double>::infinity();
      iterations += outcome.iterations;
      seconds += outcome.seconds * outcome.iterations;
    } while (seconds < timing.seconds_per_sample && iterations < 1e5);
    return seconds / iterations;
  }

  SolveFigures solve(const PcgLoop<Scalar>& loop) const {
    SolveFigures figures;
    figures.timed_iterations = timed.iterations;
    figures.timed_residual = relative_residual<ExecutionSpace, Scalar>(problem, x);
    figures.tolerance = options.tolerance;
    const PcgOutcome outcome = loop.run({options.max_iterations, options.tolerance, 1}, x.data());
    figures.iterations = outcome.iterations;
    figures.reason = outcome.reason;
    figures.residual = relative_residual<ExecutionSpace, Scalar>(problem, x);
    figures.common_bytes = fused_iteration_bytes<Scalar>(problem.size(), problem.A.num_nonzeros());
    return figures;
  }
};

template <class ExecutionSpace, class Scalar>
PcgBench<ExecutionSpace, Scalar>::PcgBench(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                           const BenchOptions& options) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto state = std::make_shared<State>();
  state->problem = make_pcg_problem(matrix_case);
  state->reference = make_pcg_reference(state->problem, options.pcg);
  state->options = options.pcg;
  state->timing = options.timing;
  // Time whole blocks of iterations between two checks, and two blocks if there are enough
  // iterations.
  const int wanted = state->reference.iterations;
  const int block = std::clamp(wanted / 2, 1, options.pcg.check_every);
  state->timed = {wanted / block * block, 0.0, block};
  state->reference.iterations = state->timed.iterations;
  for (auto* vector : {&state->x, &state->y}) {
    *vector = allocate<Vector<Scalar, MemorySpace>>(state->problem.exec, "Tomokkos::Bench::pcg",
                                                    state->problem.size());
    Kokkos::deep_copy(state->problem.exec, *vector, Scalar(0));
  }
  state->problem.exec.fence();
  state_ = state;
}

template <class ExecutionSpace, class Scalar>
PcgBench<ExecutionSpace, Scalar>::~PcgBench() = default;

template <class ExecutionSpace, class Scalar>
const PcgProblem<ExecutionSpace, Scalar>& PcgBench<ExecutionSpace, Scalar>::problem() const {
  return state_->problem;
}

template <class ExecutionSpace, class Scalar>
int PcgBench<ExecutionSpace, Scalar>::iterations() const {
  return state_->timed.iterations;
}

template <class ExecutionSpace, class Scalar>
void PcgBench<ExecutionSpace, Scalar>::add(CandidateList& list,
                                           const PcgLoopList<Scalar>& loops) const {
  list.append_refused(loops);
  for (const PcgLoop<Scalar>& loop : loops.entries()) {
    list.attempt(loops.library(), loop.format, loop.variant, [&] {
      const auto state = state_;
      const auto& exec = state->problem.exec;
      Candidate candidate;
      static_cast<NamedFigures&>(candidate) = loop;
      // Count the matrix, x, r, p and q, even if a loop keeps more.
      candidate.footprint_bytes = loop.matrix_bytes + 4 * state->problem.vector_bytes();
      candidate.launch = [state, loop] { loop.run(state->timed, state->x.data()); };
      candidate.fence = [exec] { exec.fence(); };
      candidate.time_itself = [state, loop] { return state->time(loop); };
      candidate.poison = [state] {
        Kokkos::deep_copy(state->problem.exec, state->x, std::numeric_limits<Scalar>::quiet_NaN());
        state->problem.exec.fence();
      };
      candidate.error = [state] {
        return state->reference.error(energy_of<ExecutionSpace, Scalar>(state->problem, state->x));
      };
      candidate.solve = [state, loop] { return state->solve(loop); };
      candidate.product = [state, loop] { loop.multiply(state->x.data(), state->y.data()); };
      return candidate;
    });
  }
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) template class PcgBench<SPACE, SCALAR>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Bench
