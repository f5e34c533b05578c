// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_RankErrors.hpp>
#include <Tomokkos_RankReport.hpp>
#include <Tomokkos_ReportHead.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <Tomokkos_Run.hpp>
#include <algorithm>
#include <cstdio>
#include <map>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Run<ExecutionSpace, Scalar>::Run(const RunConfig& config, bool quiet,
                                             const RunRanks* ranks)
    : config_(config),
      ranks_(ranks),
      progress_(quiet || !is_first()),
      output_(config.output, is_first()) {}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  peaks_.device = std::max(peaks_.device, used_device_memory(exec_));
  InterruptGuard::check();
  clock_.begin(phase);
}

template <class ExecutionSpace, class Scalar>
std::optional<PreconditionedSystem<ExecutionSpace, Scalar>>
Run<ExecutionSpace, Scalar>::prepare(const OperatorType& A) {
  begin("preconditioner");
  if (task_of(config_.solver.kind()) == SolverTask::least_squares) return std::nullopt;
  if (config_.solver.preconditioner().float_matrix && !scales_in_float(A))
    throw ConfigError(
        "solver.float_matrix: the matrix is not stored in a form that can be in float for vectors "
        "in double; operator.format: csr is, and the forms shared and complex of a chart");
  try {
    return SystemType(exec_, A, config_.solver.preconditioner());
  } catch (const Refused& error) {
    throw ConfigError("solver.preconditioner: " + std::string(error.what()));
  }
}

template <class ExecutionSpace, class Scalar>
MonitorAction Run<ExecutionSpace, Scalar>::watch(
    const MonitorState<ExecutionSpace, Scalar>& state) {
  const std::vector<IterationRecord>& records = state.records;
  const std::vector<bool>& active = state.active;
  int iteration = 0;
  for (const auto& record : records) iteration = std::max(iteration, record.iteration);
  // By the first look the solver holds all that it will.
  if (iteration == 0) peaks_.device = std::max(peaks_.device, used_device_memory(exec_));
  std::string detail =
      describe_iteration(records, std::vector<std::map<int, double>>(records.size()));
  if (active.size() > 1)
    detail += ", " + std::to_string(std::count(active.begin(), active.end(), true)) + " of " +
              std::to_string(active.size()) + " right-hand sides";
  progress_.update(iteration, detail);
  const bool requested = InterruptGuard::requested();
  return (ranks_ != nullptr ? ranks_->any(requested) : requested) ? MonitorAction::interrupt
                                                                  : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::solve(const OperatorType& A,
                                              const std::optional<SystemType>& system,
                                              const MultiVectorView<const Scalar, memory_space>& B,
                                              const MultiVectorView<Scalar, memory_space>& X) {
  begin("solve");
  progress_.begin(solver_name(), config_.solver.iterations());
  try {
    const auto solver =
        make_solver<ExecutionSpace, Scalar>(exec_, solver_params(config_.solver), A.num_rows(),
                                            A.num_cols(), static_cast<Ordinal>(B.extent(1)));
    if (system) dynamic_cast<KrylovSolver<ExecutionSpace, Scalar>&>(*solver).prepare(*system);
    solution_ = {};
    solution_.iteration_bytes = solver->iteration_bytes(A);
    solution_.results = solver->solve(
        exec_, A, B, X, [this](const ExecutionSpace&, const auto& state) { return watch(state); });
    solution_.solver_bytes = solver->workspace_bytes();
    int most = 0, all = 0;
    for (const auto& result : solution_.results) {
      most = std::max(most, result.iterations);
      all += result.iterations;
    }
    solution_.moved_bytes =
        static_cast<double>(solution_.iteration_bytes) * (solver->solves_together() ? most : all);
    if (const auto* pcg = dynamic_cast<const Pcg<ExecutionSpace, Scalar>*>(solver.get()))
      solution_.way = pcg->way(exec_, *system);
  } catch (const MemoryError&) {
    throw;
  } catch (const RankError&) {
    throw;  // not for this rank to tell
  } catch (const Error& error) {
    progress_.end();
    throw InputError(solver_name() + ": " + error.what());
  }
  exec_.fence();
  clock_.end();
  if (system) solution_.solver_bytes += system->memory_bytes();
  progress_.end();
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::skip(Ordinal columns) {
  solution_ = {};
  solution_.results.resize(static_cast<std::size_t>(columns));
  for (SolveResult& result : solution_.results) result.reason = StopReason::zero_rhs;
}

template <class ExecutionSpace, class Scalar>
ConfigNode Run<ExecutionSpace, Scalar>::report_head() const {
  return Tomokkos::report_head(exec_, config_);
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_solve(
    ConfigNode& node, const std::optional<SystemType>& system) const {
  const std::vector<SolveResult>& results = solution_.results;
  node.set("scaled", ConfigNode::boolean(system && system->is_scaled()));
  if (solution_.way) {
    ConfigNode way = ConfigNode::map();
    way.set("scheme", ConfigNode::text(std::string(to_string(solution_.way->scheme))));
    way.set("launches", ConfigNode::text(std::string(to_string(solution_.way->launches))));
    node.set("way", std::move(way));
  }
  node.set("seconds", clock_.node());
  node.set("result",
           results.size() == 1 ? result_node(results.front(), {}) : summary_node(results));
  std::vector<double> bytes{static_cast<double>(solution_.iteration_bytes), solution_.moved_bytes};
  MemoryPeaks peaks = peaks_;
  peaks.host = peak_host_memory();
  peaks.solver = solution_.solver_bytes;
  if (ranks_ != nullptr) {
    ranks_->sum(bytes);
    peaks = largest_peaks(*ranks_, peaks);
  }
  ConfigNode traffic = ConfigNode::map();
  traffic.set("iteration_bytes", ConfigNode::integer(static_cast<long long>(bytes[0])));
  const double seconds = clock_.seconds("solve");
  traffic.set("gigabytes_per_second", bytes[1] > 0 && seconds > 0
                                          ? ConfigNode::number(1e-9 * bytes[1] / seconds)
                                          : ConfigNode());
  node.set("traffic", std::move(traffic));
  node.set("peak_memory", memory_node(peaks));
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_files(ConfigNode& node) const {
  ConfigNode files = ConfigNode::list();
  for (const auto& file : output_.files()) files.push_back(ConfigNode::text(file.filename()));
  node.set("files", std::move(files));
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_tail(ConfigNode& node) const {
  report_files(node);
  if (solution_.results.size() == 1)
    node.set("history", history_node(solution_.results.front(), {}));
  else
    node.set("results", results_node(solution_.results));
}

template <class ExecutionSpace, class Scalar>
int Run<ExecutionSpace, Scalar>::finish(const std::vector<const char*>& names) {
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
  const auto& results = solution_.results;
  progress_.message(solver_name() + ": " + describe_results(results) + ", " +
                    describe_seconds(clock_.seconds("solve")));
  if (const auto drift = describe_drift(results, std::is_same_v<Scalar, float>);
      !drift.empty() && task_of(config_.solver.kind()) == SolverTask::least_squares)
    progress_.message(drift);
  const bool tells_earlier = !progress_.is_quiet();
  if (std::any_of(results.begin(), results.end(),
                  [](const auto& r) { return r.reason == StopReason::interrupted; }))
    return output_.finish(exit_interrupted, tells_earlier);
  const auto first = std::find_if_not(results.begin(), results.end(), is_solved);
  if (first == results.end()) return output_.finish(exit_done, tells_earlier);
  if (!is_first()) return exit_failed;
  const auto which = static_cast<std::size_t>(first - results.begin());
  std::fprintf(
      stderr, "tomokkos: error: %s%snot solved: %s%s\n", which < names.size() ? names[which] : "",
      which < names.size() ? ": " : "",
      describe_results(which < names.size() ? std::vector<SolveResult>{*first} : results).c_str(),
      explain_reason(first->reason).c_str());
  return output_.finish(exit_failed, tells_earlier);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class Run<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
