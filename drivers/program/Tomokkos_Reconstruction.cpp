// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_StackData.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Reconstruction<ExecutionSpace, Scalar>::Reconstruction(const RunConfig& config,
                                                       const RunOptions& options)
    : run_(config.run, config.solver, config.output, to_node(config), options),
      config_(config),
      ranks_(*options.ranks),
      overwrites_(options.overwrite),
      parts_(config, run_, ranks_, options.recorder) {}

/// Reads what is known before the matrix, and plans the slabs.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::read_input() {
  ranks_.together([&] {
    slabs_ = plan_slabs(config_.problem, sizeof(Scalar), ranks_.size(), parts_.recorder != nullptr);
    if (slabs_) check_slabs(*slabs_, config_.output, config_.solver.stop);
    if (slabs_ && config_.run.measure_steps)
      throw ConfigError(
          "run.measure_steps: problem.slices: all reads, solves and writes at the same time; give "
          "a number of slices, which are solved together");
    if (slabs_) {
      run_.checkpoints().use_slabs();
      if (!run_.checkpoints().is_resumed())
        require_no_other_checkpoint(config_.output.directory, overwrites_);
    }
    run_.open();
    parts_.input = read_input_of_matrix(config_.problem, config_.run, config_.input_use(), slabs_);
    require_replaceable_outputs(config_.problem, config_.output, input_files(config_));
    SystemTask& task = parts_.task =
        system_task(config_.matrix_operator, config_.needs(), parts_.input);
    if (task.needs.rows) {
      sweep_ = make_sweep_order(config_.solver.sweep, parts_.input);
      task.visits = sweep_.rows;
      task.needs.block_rows = sweep_.block_rows;
    }
  });
  if (config_.problem.sinogram)
    unusual_ = describe_unusual_input(config_.input_use(), parts_.input);
  if (ranks_.is_first()) {
    warn_of_suspicions(config_.run, parts_.input);
    for (const std::string& line : unusual_)
      std::fprintf(stderr, "tomokkos: warning: %s\n", line.c_str());
  }
  for (const std::string& line : describe_scan(parts_.input)) run_.progress().message(line);
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::print_matrix(const BuiltMatrix& matrix) {
  ranks_.together([&] { require_seen_image(parts_.input, matrix.nonzeros); });
  run_.exec().fence();
  run_.clock().end();
  run_.progress().message(Impl::formatted(
      "matrix: %d x %d, %lld nonzeros, %.3g MB%s, %s", matrix.rows, matrix.columns,
      static_cast<long long>(matrix.nonzeros), 1e-6 * static_cast<double>(matrix.bytes),
      matrix.how.c_str(), describe_seconds(run_.clock().seconds("matrix")).c_str()));
}

template <class ExecutionSpace, class Scalar>
BuildObserver Reconstruction<ExecutionSpace, Scalar>::build_observer() {
  BuildObserver observer;
  observer.wants_fingerprint = run_.checkpoints().is_used();
  observer.way_begins = [&](const PlannedWay& way) {
    parts_.task.wish = way.wish;
    if (way.in_parts) require_parts(parts_.task);
  };
  observer.message = [&](const std::string& text) { run_.progress().message(text); };
  observer.shares_chosen = [&](const std::vector<double>& weights, ImageDistribution image) {
    ranks_.together([&] { run_.checkpoints().set_ranks(weights, image); });
  };
  observer.matrix_begins = [&](const std::string& what) {
    run_.begin("matrix");
    run_.progress().announce_reading(config_.problem.matrix);
    run_.progress().announce(what, expected_nonzeros(parts_.input.rows));
  };
  observer.matrix_built = [&](const BuiltMatrix& matrix) {
    ranks_.together([&] {
      run_.checkpoints().set_matrix(matrix.rows, matrix.columns, matrix.nonzeros,
                                    matrix.fingerprint);
    });
    print_matrix(matrix);
  };
  observer.operator_begins = [&](double entries) {
    run_.begin("operator");
    run_.progress().announce(preparation_of(parts_.task.wish, parts_.task.needs.transpose),
                             entries);
  };
  return observer;
}

/// Refuses rows that cannot be divided, and measured shares where the last bits of sums must not
/// change from run to run.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::require_parts(const SystemTask& task) {
  if (const std::string obstacle = obstacle_to_parts(task); !obstacle.empty())
    throw ConfigError("run.backend: two backends divide the rows of a matrix, but " + obstacle);
  const bool deterministic = config_.run.deterministic;
  if (!config_.run.shares.empty() || !(deterministic || run_.checkpoints().is_used())) return;
  throw ConfigError(
      std::string("run.shares: measured shares change from run to run, and with them the last bits "
                  "of sums, which ") +
      (deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
      "; give the shares as numbers: run.shares: [device, streamed, host]");
}

/// Builds the matrix in the first planned way that fits into memory.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::build_whole_or_parts() {
  const RunSection& run = config_.run;
  PlanFacts facts;
  facts.machine = machine_facts<ExecutionSpace, Scalar>(run_.exec());
  facts.slabs = slabs_;
  facts.overflow = run.overflow;
  facts.divides_rows = !run.host_backend.empty() || !run.shares.empty();
  facts.keeps_bits = run.deterministic || run_.checkpoints().is_used();
  facts.sample = sample_for_plan(run_.exec(), parts_.task, facts);
  return build_planned<ExecutionSpace, Scalar>(
      run_.exec(), parts_.task, plan(parts_.task, facts),
      {!run.host_backend.empty(), run.shares, run.overflow}, build_observer());
}

/// Builds the matrix on several ranks.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::build_on_ranks(
    std::shared_ptr<const Communicator<ExecutionSpace>> communicator) {
  const RunSection& run = config_.run;
  ranks_.together([&] {
    if (!run.host_backend.empty() || !run.shares.empty())
      throw ConfigError(std::string(run.host_backend.empty()
                                        ? "run.shares: divides the rows of one process"
                                        : "run.backend: two backends work in one process") +
                        ", but " + std::to_string(ranks_.size()) +
                        " were started; give each its backend with run.ranks.backend");
  });
  return Tomokkos::build_on_ranks<ExecutionSpace, Scalar>(
      run_.exec(), parts_.task,
      {.ranks = ranks_,
       .communicator = std::move(communicator),
       .wish = run.ranks,
       .deterministic = run.deterministic,
       .has_checkpoints = run_.checkpoints().is_used(),
       .share_devices = run.ranks.measure_sums && ranks_.share_devices(run_.exec())},
      build_observer());
}

/// Builds the system, and reads what only a known matrix allows.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::build() {
  const auto communicator = ranks_.communicator(run_.exec(), config_.run.deterministic);
  parts_.system.emplace(communicator ? build_on_ranks(communicator) : build_whole_or_parts());
  auto& system = *parts_.system;
  parts_.task.share.ranks = ranks_.size();
  parts_.task.share.image_is_split = system.image_is_split;
  run_.sample_memory();
  ranks_.together([&] {
    read_rhs(config_.problem, config_.run, parts_.task.needs, parts_.natural().rays, parts_.input);
  });
  if (!config_.run.ranks.measure_sums || communicator) return;
  run_.begin("measure");
  const RowStatistics& matrix = system.statistics;
  Description result = Description::map();
  result.set("count", 1);
  result.set("rows", std::array{matrix.rows});
  result.set("nonzeros", std::array{matrix.nonzeros});
  result.set("seconds",
             measure_products<ExecutionSpace, Scalar>(run_.exec(), system.A, parts_.input.slices,
                                                      parts_.task.needs.transpose));
  system.report.set("ranks", std::move(result));
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::slices_begin(const SliceData<Scalar>&,
                                                          const typename Base::Images& images) {
  images_ = &images;
}

/// Writes the image of every so many iterations.
template <class ExecutionSpace, class Scalar>
MonitorAction Reconstruction<ExecutionSpace, Scalar>::sees(const ExecutionSpace& exec,
                                                           const typename Base::State& state,
                                                           bool) {
  const int every = config_.output.every, iteration = state.iteration;
  if (every > 0 && iteration > 0 && iteration % every == 0)
    write_solution(Impl::formatted("reconstruction_%05d", iteration),
                   images_->on_host(exec, state.x), image_shape());
  return MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
bool Reconstruction<ExecutionSpace, Scalar>::slices_end(const SolveOutcome& outcome,
                                                        const typename Base::ConstColumns& x,
                                                        typename Base::Images& images) {
  find_unexplained(parts_.task.needs, parts_.input, parts_.noise_levels, outcome.results,
                   parts_.unexplained);
  run_.begin_write();
  write_results(images.on_host(run_.exec(), x));
  return true;
}

/// Sets what the frame of the run does at each iterate.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::watch(
    const VolumeRun<ExecutionSpace, Scalar>* volume) {
  const auto& system = *parts_.system;
  const auto numbering = [](const auto& map, Ordinal length, bool is_distributed) {
    Numbering result = make_numbering(map, length);
    result.is_distributed = is_distributed;
    return result;
  };
  // Entries that follow from the positions of rays are rounded themselves, by some units.
  const Offset units = parts_.task.wish.computed() ? 32 : 1;
  SolveWatch<ExecutionSpace, Scalar> watch;
  watch.describe = [this](const typename Base::State& state) {
    return describe_iteration(state.records, parts_.errors.by_slice()) +
           (parts_.input.stack ? describe_active(state.active) : "");
  };
  if (volume != nullptr) {
    // Checkpoints are written between the slabs.
    watch.position = [volume](int iteration) { return volume->position(iteration); };
  } else {
    watch.save = [this](const ExecutionSpace& exec, const typename Base::State& state, bool last) {
      if (!run_.checkpoints().is_due(state.iteration, last)) return;
      std::vector<Scalar> image = images_->on_host(exec, state.x);
      if (!ranks_.is_first()) return;
      run_.output().write_by(run_.checkpoints().file(), [&] {
        run_.checkpoints().write(state.progress(), parts_.errors.by_slice(), std::move(image),
                                 solution_shape());
      });
    };
  }
  watch.rows = numbering(system.order.rows, parts_.kept().rays, ranks_.size() > 1);
  watch.unknowns = numbering(system.order.columns, parts_.kept().pixels, system.image_is_split);
  watch.longest_row = units * system.statistics.longest;
  run_.watch(system.A, std::move(watch));
}

/// Solves all slices together.
template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::solve_stack(const SlicesSettings& settings) {
  bool is_read = false;
  watch(nullptr);
  run_.guard([&] {
    solve_slices<ExecutionSpace, Scalar>(
        run_.exec(), parts_.task, *parts_.system, settings,
        [&]() -> std::optional<SliceData<Scalar>> {
          if (std::exchange(is_read, true)) return std::nullopt;
          return read_stack(parts_);
        },
        {&parts_.errors, this, &run_}, run_.outcome(), ranks_);
  });
  return exit_status_of(run_.outcome().results, parts_.input.stack, ranks_.is_first());
}

/// Says how the run has ended.
template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::print_end() {
  const Results& results = run_.outcome().results;
  int iterations = 0;
  for (const SolveResult& result : results) iterations = std::max(iterations, result.iterations);
  const std::string residual = Impl::formatted("residual %.4g", largest_relative_residual(results));
  run_.print_end(parts_.task.needs.filters
                     ? residual
                     : describe_reasons(results) + " after " + std::to_string(iterations) +
                           " iterations, " + residual);
  for (const std::string& doubt :
       {describe_doubt(results, parts_.input.stack), describe_unexplained(parts_.unexplained)})
    if (ranks_.is_first() && !doubt.empty())
      std::fprintf(stderr, "tomokkos: warning: %s\n", doubt.c_str());
}

template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  run_.begin("input");
  read_input();
  try {
    build();
    const SlicesSettings settings{config_.solver.solver_params(), config_.solver.sweep.order,
                                  config_.solver.sweep.seed};
    int status = 0;
    if (slabs_) {
      VolumeRun<ExecutionSpace, Scalar> volume(parts_, *slabs_);
      watch(&volume);
      status = volume.solve(settings);
      traffic_ = run_.outcome().traffic;
      peaks_ = run_.peaks();
      write_report({});
    } else {
      status = solve_stack(settings);
    }
    print_end();
    return run_.output().finish(status,
                                !run_.progress().is_quiet() && !run_.checkpoints().is_resumed());
  } catch (const MemoryError& error) {
    // Before the first iteration, the problem is too large for this machine. Later, it is a failure
    // of the run.
    if (!run_.outcome().has_started) throw;
    throw Error(error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class Reconstruction<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
