// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Run.hpp>
#include <Tomokkos_Slices.hpp>
#include <Tomokkos_Version.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <variant>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Run<ExecutionSpace, Scalar>::Run(const RunSection& settings, const SolverSection& solver,
                                 const OutputSection& output, ConfigNode configuration,
                                 const RunOptions& options)
    : settings_(settings),
      solver_(solver),
      configuration_(std::move(configuration)),
      ranks_(options.ranks),
      recorder_(options.recorder),
      progress_(options.quiet || !is_first()),
      output_(output, is_first()),
      checkpoints_(settings, solver, output, configuration_, options.resume,
                   ranks_ != nullptr ? ranks_->size() : 1) {}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  sample_memory();
  InterruptGuard::check();
  clock_.begin(phase);
}

/// Prepares the recording of a solve of \p B, which it may replace by rounded data.
template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::begin_record(SolverParams& params, ConstColumns& B) {
  recorder_->record.is_recursive = needs_.recursive;
  observation_.emplace(*recorder_, exec_, ranks_, *A_, watch_.numbering.rows,
                       watch_.numbering.unknowns, watch_.numbering.longest_row);
  // The recorder copies every checked iterate.
  std::visit(
      [](auto& own) {
        if constexpr (requires { own.monitor_sees_x; }) own.monitor_sees_x = true;
      },
      params);
  const auto vectors = static_cast<Ordinal>(B.extent(1));
  observation_->record_products(vectors, needs_.transpose);
  if (!recorder_->is_rounded()) return;
  rounded_ = observation_->rounded(B);
  B = columns_of<const Scalar, memory_space>(VectorView<const Scalar, memory_space>(rounded_),
                                             vectors);
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::begins(SolverParams& params, ConstColumns& B) {
  begin("solve");
  observation_.reset();
  if (recorder_ != nullptr) begin_record(params, B);
  if (settings_.measure_steps)
    // Launches that are recorded, or of one kernel for many iterations, have no steps.
    std::visit(
        [](auto& own) {
          if constexpr (requires { own.launches; }) own.launches = PcgLaunches::direct;
        },
        params);
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::ready(int first) {
  if (!watch_.position) progress_.begin(solver_name(), solver_.iterations(), first);
  if (first > 0) progress_.message("resumed from iteration " + std::to_string(first));
  if (settings_.measure_steps) measures_.emplace(steps_);
}

template <class ExecutionSpace, class Scalar>
MonitorAction Run<ExecutionSpace, Scalar>::sees(const ExecutionSpace& exec, const State& state,
                                                bool is_ended) {
  if (observation_)
    recorder_->add_iterate(state.iteration, state.records, observation_->iterate(state.x));
  if (outcome_.iterations == 0) sample_memory();  // all memory of the solver is allocated now
  progress_.update(watch_.position ? watch_.position(state.iteration) : state.iteration,
                   watch_.describe(state));
  const bool requested = InterruptGuard::requested();
  const bool interrupted = ranks_ != nullptr ? ranks_->any(requested) : requested;
  if (watch_.save) watch_.save(exec, state, state.last || interrupted || is_ended);
  return interrupted ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::ended(const SolveOutcome& outcome, const ConstColumns& X) {
  measures_.reset();
  measured_iterations_ += outcome.passes;
  exec_.fence();
  clock_.end();
  if (observation_) observation_->record_results(outcome.results, X);
  observation_.reset();
  rounded_ = {};
  if (!watch_.position) progress_.end();
}

/// Checks that the right-hand sides are those of the checkpoint to resume from, and restores its x.
template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::take_up(PlacedSystem<ExecutionSpace, Scalar>& system) {
  if (!checkpoints_.is_used()) return;
  if (system.columns > 1 && !needs_.together)
    throw ConfigError(checkpoints_.asked_by() + ": " + solver_name() +
                      " solves right-hand sides one after the other and can store a checkpoint of "
                      "only one; this system has " +
                      std::to_string(system.columns) +
                      "; solve each in a separate run, or use pcg");
  checkpoints_.set_data(Slices<ExecutionSpace, Scalar>::to_host(exec_, system.b, 1), {}, {});
  auto& saved = checkpoints_.resumed();
  if (!saved) return;
  const std::vector<Scalar>& x = saved->image;
  require_equal("values of x in " + checkpoints_.file().string(), static_cast<long long>(x.size()),
                "the unknowns", static_cast<long long>(system.x.size()));
  Kokkos::deep_copy(exec_, system.x,
                    VectorView<const Scalar, Kokkos::HostSpace>(x.data(), x.size()));
  exec_.fence();
  system.resumed = std::move(saved->progress);
}

/// Writes a checkpoint with x in the order of the solver.
template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::write_checkpoint(
    const ExecutionSpace& exec, const State& state,
    const MultiVectorView<const Scalar, memory_space>& X) {
  std::vector<std::size_t> shape{X.extent(0)};
  if (X.extent(1) > 1) shape.push_back(X.extent(1));
  output_.write_by(checkpoints_.file(), [&] {
    checkpoints_.write(state.progress(), std::vector<std::map<int, double>>(X.extent(1)),
                       Slices<ExecutionSpace, Scalar>::to_host(exec, as_vector(X), 1), shape);
  });
}

/// Watches the solve of \p system, and continues that of a checkpoint.
template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::watch_system(PlacedSystem<ExecutionSpace, Scalar>& system) {
  const auto describe = [](const State& state) {
    return describe_iteration(state.records) +
           (state.active.size() > 1 ? describe_active(state.active, "right-hand sides") : "");
  };
  const auto save = [this, X = system.X()](const ExecutionSpace& exec, const State& state,
                                           bool last) {
    if (checkpoints_.is_due(state.iteration, last)) write_checkpoint(exec, state, X);
  };
  take_up(system);
  const auto& [rows, unknowns] = system.prepared.order;
  watch(system.prepared.A,
        {.describe = describe,
         .save = save,
         .numbering = {make_numbering(rows, system.B().extent(0), system.shares_rows),
                       make_numbering(unknowns, system.X().extent(0), system.shares_unknowns),
                       system.longest_row}});
}

template <class ExecutionSpace, class Scalar>
SystemObserver<ExecutionSpace, Scalar> Run<ExecutionSpace, Scalar>::system_observer() {
  SystemObserver<ExecutionSpace, Scalar> observer;
  observer.solve = {this};
  observer.outcome = &outcome_;
  observer.phase_begins = [this](const char* phase) { begin(phase); };
  observer.matrix_made = [this](const auto& A) { checkpoints_.set_matrix(exec_, A); };
  observer.solve_begins = [this](auto& system) { watch_system(system); };
  return observer;
}

template <class ExecutionSpace, class Scalar>
Description Run<ExecutionSpace, Scalar>::report_head() const {
  return describe_map({{"version", version()},
                       {"git", git_commit()},
                       {"kokkos", kokkos_version()},
                       {"backend", backend_name<ExecutionSpace>()},
                       {"device", device_name(exec_)},
                       {"threads", host_threads()}});
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::write_report(const Description& report) {
  // The last entry, the history, is the longest. Its text is made before the seconds are taken, so
  // that they include it.
  const std::size_t last = report.items().size() - 1;
  ConfigNode history = ConfigNode::map();
  history.set(report.names()[last], to_node(report.items()[last]));
  const std::string history_text = to_yaml(history);
  clock_.end();
  ConfigNode document = ConfigNode::map();
  document.set("configuration", configuration_);
  for (std::size_t i = 0; i < last; ++i) {
    Description described = report.items()[i];
    if (report.names()[i] == "seconds") described.set_all(clock_.description());
    document.set(report.names()[i], to_node(described));
  }
  output_.write_report(to_yaml(document) + history_text);
}

template <class ExecutionSpace, class Scalar>
MemoryPeaks Run<ExecutionSpace, Scalar>::peaks() const {
  const auto largest = [&](std::uint64_t bytes) {
    if (ranks_ == nullptr) return bytes;
    const std::vector<double> all = ranks_->gather_from_all(static_cast<double>(bytes));
    return static_cast<std::uint64_t>(*std::max_element(all.begin(), all.end()));
  };
  return {largest(peak_host_memory()), largest(device_peak_), largest(outcome_.solver_bytes)};
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_solve(Description& node, bool is_scaled) const {
  const std::vector<SolveResult>& results = outcome_.results;
  report_resumed(node);
  node.set("scaled", is_scaled);
  if (const auto& way = outcome_.pcg_variant)
    node.set("way", describe_map({{"scheme", way->scheme}, {"launches", way->launches}}));
  node.set("seconds", clock_.description());
  report_steps(node);
  node.set("result", results.size() == 1 ? result_description(results.front(), {})
                                         : summary_description(results));
  std::vector<double> bytes{static_cast<double>(outcome_.traffic.iteration), outcome_.moved_bytes};
  if (ranks_ != nullptr) ranks_->sum(bytes);
  const double seconds = clock_.seconds("solve");
  node.set("traffic",
           describe_map({{"iteration_bytes", static_cast<long long>(bytes[0])},
                         {"gigabytes_per_second", bandwidth_description(bytes[1], seconds)}}));
  node.set("peak_memory", memory_description(peaks()));
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_files(Description& node) const {
  Description files = Description::list();
  for (const auto& file : output_.files()) files.add(file.filename().string());
  node.set("files", std::move(files));
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::report_tail(Description& node) const {
  report_files(node);
  if (outcome_.results.size() == 1)
    set_history(node, outcome_.results.front(), {});
  else
    node.set("results", results_description(outcome_.results));
}

template <class ExecutionSpace, class Scalar>
void Run<ExecutionSpace, Scalar>::print_end(const std::string& how) {
  progress_.message(solver_name() + ": " + how + ", " + describe_seconds(clock_.seconds("solve")));
  if (task_of(solver_.kind()) != SolverTask::least_squares) return;
  if (const auto drift =
          describe_drift(outcome_.results, solver_name(), std::is_same_v<Scalar, float>);
      !drift.empty())
    progress_.message(drift);
}

template <class ExecutionSpace, class Scalar>
int Run<ExecutionSpace, Scalar>::finish(const std::vector<const char*>& names) {
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
  const auto& results = outcome_.results;
  print_end(describe_results(results));
  const bool reports_earlier = !progress_.is_quiet() && !checkpoints_.is_resumed();
  if (std::any_of(results.begin(), results.end(),
                  [](const auto& r) { return r.reason == StopReason::interrupted; }))
    return output_.finish(exit_interrupted, reports_earlier);
  const auto first = std::find_if_not(results.begin(), results.end(), is_solved);
  if (first == results.end()) return output_.finish(exit_done, reports_earlier);
  if (!is_first()) return exit_failed;
  const auto which = static_cast<std::size_t>(first - results.begin());
  const bool is_named = which < names.size();
  std::fprintf(stderr, "tomokkos: error: %snot solved: %s%s\n",
               is_named ? (std::string(names[which]) + ": ").c_str() : "",
               describe_results(is_named ? std::vector<SolveResult>{*first} : results).c_str(),
               explain_reason(first->reason).c_str());
  return output_.finish(exit_failed, reports_earlier);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) template class Run<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
