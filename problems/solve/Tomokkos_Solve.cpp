// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_KrylovSolver.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_Solve.hpp>
#include <algorithm>
#include <chrono>
#include <utility>

namespace Tomokkos {

void SolveOutcome::add(const SolveOutcome& other) {
  results.insert(results.end(), other.results.begin(), other.results.end());
  solver_bytes = std::max(solver_bytes, other.solver_bytes);
  traffic.forward = std::max(traffic.forward, other.traffic.forward);
  traffic.transpose = std::max(traffic.transpose, other.traffic.transpose);
  moved_bytes += other.moved_bytes;
  iterations += other.iterations;
  passes += other.passes;
  iteration_seconds += other.iteration_seconds;
  has_started |= other.has_started;
}

template <class ExecutionSpace, class Scalar>
void solve(const ExecutionSpace& exec, const AnyOperator<ExecutionSpace, Scalar>& A,
           const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
           const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
           SolveRequest<ExecutionSpace, Scalar> request,
           const SolveObservers<ExecutionSpace, Scalar>& observers, SolveOutcome& outcome) {
  using Clock = std::chrono::steady_clock;
  outcome = {};
  auto data = B;
  for (auto* observer : observers) observer->begins(request.params, data);
  const auto vectors = static_cast<Ordinal>(B.extent(1));
  const int first = request.resumed ? request.resumed->iteration : 0;
  const auto solver = make_solver<ExecutionSpace, Scalar>(exec, request.params, A.num_rows(),
                                                          A.num_cols(), vectors, request.input);
  if (request.system != nullptr)
    dynamic_cast<KrylovSolver<ExecutionSpace, Scalar>&>(*solver).prepare(*request.system);
  if (request.resumed) solver->resume(std::move(*request.resumed));
  outcome.solver_bytes = solver->workspace_bytes();
  outcome.traffic = {A.apply_bytes(vectors), A.apply_transpose_bytes(vectors),
                     solver->iteration_bytes(A)};
  for (auto* observer : observers) observer->ready(first);
  int first_seen = 0;
  Clock::time_point left_monitor;
  outcome.results = solver->solve(
      exec, A, data, X,
      [&](const ExecutionSpace& space, const MonitorState<ExecutionSpace, Scalar>& state) {
        if (outcome.has_started)
          outcome.iteration_seconds +=
              std::chrono::duration<double>(Clock::now() - left_monitor).count();
        else
          first_seen = state.iteration;
        outcome.has_started = true;
        outcome.iterations = state.iteration - first_seen;
        MonitorAction action = MonitorAction::proceed;
        for (auto* observer : observers) {
          const bool is_ended = action != MonitorAction::proceed;
          const MonitorAction wish = observer->sees(space, state, is_ended);
          if (!is_ended) action = wish;
        }
        left_monitor = Clock::now();
        return action;
      });
  outcome.solver_bytes = solver->workspace_bytes();
  if (request.system != nullptr) outcome.solver_bytes += request.system->memory_bytes();
  int most = 0, all = 0;
  for (const SolveResult& result : outcome.results) {
    most = std::max(most, result.last_iteration());
    all += result.last_iteration();
  }
  const int passes = solver->solves_columns_together() ? most : all;
  outcome.moved_bytes = static_cast<double>(outcome.traffic.iteration) * passes;
  outcome.passes = passes - first;
  if (const auto* pcg = dynamic_cast<const Pcg<ExecutionSpace, Scalar>*>(solver.get()))
    outcome.pcg_variant = pcg->variant(exec, *request.system);
  for (auto* observer : observers) observer->ended(outcome, X);
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                                      \
  template void solve<SPACE, SCALAR>(                                                            \
      const SPACE&, const AnyOperator<SPACE, SCALAR>&,                                           \
      const MultiVectorView<const SCALAR, typename SPACE::memory_space>&,                        \
      const MultiVectorView<SCALAR, typename SPACE::memory_space>&, SolveRequest<SPACE, SCALAR>, \
      const SolveObservers<SPACE, SCALAR>&, SolveOutcome&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
