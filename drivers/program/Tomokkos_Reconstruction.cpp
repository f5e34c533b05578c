// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RankTiming.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

namespace Tomokkos {

namespace {

/// Performs the steps of a reconstruction, and watches its solve.
template <class ExecutionSpace, class Scalar>
class ReconstructionSteps final : public SlicesObserver<ExecutionSpace, Scalar> {
 public:
  using Base = SlicesObserver<ExecutionSpace, Scalar>;
  using typename Base::ConstColumns;
  using typename Base::Images;
  using typename Base::State;

  explicit ReconstructionSteps(Reconstruction<ExecutionSpace, Scalar>& parts)
      : parts_(parts), run_(parts.run), ranks_(parts.ranks) {}

  int run() {
    run_.begin("input");
    read_input();
    try {
      build();
      const SlicesSettings settings{parts_.solver.solver_params(), parts_.solver.sweep.order,
                                    parts_.solver.sweep.seed};
      const int status =
          parts_.slabs ? solve_volume(parts_, settings, watch()) : solve_stack(settings);
      if (parts_.slabs) write_results(parts_, {});
      print_end();
      return run_.output().finish(status,
                                  !run_.progress().is_quiet() && !run_.checkpoints().is_resumed());
    } catch (const MemoryError& error) {
      // Before the first iteration, the problem is too large for this machine. Later, it is a
      // failure of the run.
      if (!run_.outcome().has_started) throw;
      throw Error(error.what());
    }
  }

  void slices_begin(const SliceData<Scalar>&, const Images& images) override { images_ = &images; }

  /// Writes the image of every so many iterations.
  MonitorAction sees(const ExecutionSpace& exec, const State& state, bool) override {
    const int every = parts_.output.every, iteration = state.iteration;
    if (every > 0 && iteration > 0 && iteration % every == 0)
      write_solution<ExecutionSpace, Scalar>(
          parts_, Impl::formatted("reconstruction_%05d", iteration),
          images_->on_host(exec, state.x), image_shape(parts_.input, parts_.natural().pixels));
    return MonitorAction::proceed;
  }

  bool slices_end(const SolveOutcome& outcome, const ConstColumns& x, Images& images) override {
    find_unexplained(parts_.task.needs, parts_.input, parts_.noise_levels, outcome.results,
                     parts_.unexplained);
    run_.begin_write();
    write_results(parts_, images.on_host(run_.exec(), x));
    return true;
  }

 private:
  /// Reads what is known before the matrix, and plans the slabs.
  void read_input() {
    const RunSection& settings = parts_.settings;
    RunInput& input = parts_.input;
    ranks_.together([&] {
      plan_volume();
      run_.open();
      input = read_input_of_matrix(parts_.problem, settings, parts_.use, parts_.slabs);
      require_replaceable_outputs(parts_.problem, parts_.output, parts_.files);
      SystemTask& task = parts_.task = system_task(parts_.wish, parts_.use.needs, input);
      if (task.needs.rows) {
        parts_.sweep = make_sweep_order(parts_.solver.sweep, input);
        task.visits = parts_.sweep.rows;
        task.needs.block_rows = parts_.sweep.block_rows;
      }
    });
    if (parts_.problem.sinogram) parts_.unusual = describe_unusual_input(parts_.use, input);
    if (ranks_.is_first()) {
      warn_of_suspicions(settings, input);
      for (const std::string& line : parts_.unusual) warn(line);
    }
    for (const std::string& line : describe_scan(input)) run_.progress().message(line);
  }

  /// Plans the slabs of a volume that does not fit in memory, if it is one.
  void plan_volume() {
    parts_.slabs = plan_slabs(parts_.problem, sizeof(Scalar), ranks_.size(),
                              parts_.options.recorder != nullptr);
    if (!parts_.slabs) return;
    check_slabs(*parts_.slabs, parts_.output, parts_.solver.stop);
    if (parts_.settings.measure_steps)
      throw ConfigError(
          "run.measure_steps: problem.slices: all reads, solves and writes at the same time; give "
          "a number of slices, which are solved together");
    run_.checkpoints().use_slabs();
    if (!run_.checkpoints().is_resumed())
      require_no_other_checkpoint(parts_.output.directory, parts_.options.overwrite);
  }

  BuildObserver build_observer() {
    BuildObserver observer;
    observer.wants_fingerprint = run_.checkpoints().is_used();
    observer.way_begins = [&](const PlannedWay& way) {
      parts_.task.wish = way.wish;
      if (way.in_parts) require_parts();
    };
    observer.message = [&](const std::string& text) { run_.progress().message(text); };
    observer.shares_chosen = [&](const std::vector<double>& weights, ImageDistribution image) {
      ranks_.together([&] { run_.checkpoints().set_ranks(weights, image); });
    };
    observer.matrix_begins = [&](const std::string& what) {
      run_.begin("matrix");
      run_.progress().announce_reading(parts_.problem.matrix);
      run_.progress().announce(what, expected_nonzeros(parts_.input.rows));
    };
    observer.matrix_built = [&](const BuiltMatrix& matrix) {
      ranks_.together([&] {
        run_.checkpoints().set_matrix(matrix.rows, matrix.columns, matrix.nonzeros,
                                      matrix.fingerprint);
        require_seen_image(parts_.input, matrix.nonzeros);
      });
      run_.exec().fence();
      run_.clock().end();
      run_.progress().message(Impl::formatted(
          "matrix: %d x %d, %lld nonzeros, %.3g MB%s, %s", matrix.rows, matrix.columns,
          static_cast<long long>(matrix.nonzeros), 1e-6 * static_cast<double>(matrix.bytes),
          matrix.how.c_str(), describe_seconds(run_.clock().seconds("matrix")).c_str()));
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
  void require_parts() {
    if (const std::string obstacle = obstacle_to_parts(parts_.task); !obstacle.empty())
      throw ConfigError("run.backend: two backends divide the rows of a matrix, but " + obstacle);
    const bool deterministic = parts_.settings.deterministic;
    if (!parts_.settings.shares.empty() || !(deterministic || run_.checkpoints().is_used())) return;
    throw ConfigError(
        std::string("run.shares: measured shares change from run to run, and with them the last "
                    "bits of sums, which ") +
        (deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
        "; give the shares as numbers: run.shares: [device, streamed, host]");
  }

  /// Builds the matrix in the first planned way that fits into memory.
  BuiltSystem<ExecutionSpace, Scalar> build_whole_or_parts() {
    PlanFacts facts;
    facts.slabs = parts_.slabs;
    facts.parts = places_of_rows();
    facts.keeps_bits = parts_.settings.deterministic || run_.checkpoints().is_used();
    return build_planned<ExecutionSpace, Scalar>(run_.exec(), parts_.task, std::move(facts),
                                                 build_observer());
  }

  PartsWish places_of_rows() const {
    const RunSection& settings = parts_.settings;
    return {!settings.host_backend.empty(), settings.shares, settings.overflow};
  }

  /// Builds the matrix on several ranks.
  BuiltSystem<ExecutionSpace, Scalar> build_shared(
      std::shared_ptr<const Communicator<ExecutionSpace>> communicator) {
    const RunSection& settings = parts_.settings;
    ranks_.together([&] {
      if (places_of_rows().divides_rows())
        throw ConfigError(std::string(settings.host_backend.empty()
                                          ? "run.shares: divides the rows of one process"
                                          : "run.backend: two backends work in one process") +
                          ", but " + std::to_string(ranks_.size()) +
                          " were started; give each its backend with run.ranks.backend");
    });
    return build_on_ranks<ExecutionSpace, Scalar>(
        run_.exec(), parts_.task,
        {.ranks = ranks_,
         .communicator = std::move(communicator),
         .wish = settings.ranks,
         .deterministic = settings.deterministic,
         .has_checkpoints = run_.checkpoints().is_used(),
         .share_devices = settings.ranks.measure_sums && ranks_.share_devices(run_.exec())},
        build_observer());
  }

  /// Builds the system, and reads what only a known matrix allows.
  void build() {
    const auto communicator = ranks_.communicator(run_.exec(), parts_.settings.deterministic);
    parts_.system.emplace(communicator ? build_shared(communicator) : build_whole_or_parts());
    auto& system = *parts_.system;
    parts_.task.share.ranks = ranks_.size();
    parts_.task.share.image_is_split = system.image_is_split;
    run_.sample_memory();
    ranks_.together([&] {
      read_rhs(parts_.problem, parts_.settings, parts_.task.needs, parts_.natural().rays,
               parts_.input);
    });
    if (!parts_.settings.ranks.measure_sums || communicator) return;
    run_.begin("measure");
    const RowStatistics& matrix = system.statistics;
    const Description seconds = measure_products<ExecutionSpace, Scalar>(
        run_.exec(), system.A, parts_.input.slices, parts_.task.needs.transpose);
    system.report.set("ranks", describe_map({{"count", 1},
                                             {"rows", std::array{matrix.rows}},
                                             {"nonzeros", std::array{matrix.nonzeros}},
                                             {"seconds", seconds}}));
  }

  /// Text, numbering and rounding of the iterates.
  SolveWatch<ExecutionSpace, Scalar> watch() {
    const auto& system = *parts_.system;
    const auto numbering = [](const auto& map, Ordinal length, bool is_distributed) {
      return make_numbering(map, static_cast<std::size_t>(length), is_distributed);
    };
    // Entries that follow from the positions of rays are rounded themselves, by some units.
    const Offset units = parts_.task.wish.computed() ? 32 : 1;
    SolveWatch<ExecutionSpace, Scalar> watch;
    watch.describe = [this](const State& state) {
      return describe_iteration(state.records, parts_.errors.by_slice()) +
             (parts_.input.stack ? describe_active(state.active) : "");
    };
    watch.numbering = {numbering(system.order.rows, parts_.kept().rays, ranks_.size() > 1),
                       numbering(system.order.columns, parts_.kept().pixels, system.image_is_split),
                       units * system.statistics.longest};
    return watch;
  }

  /// Solves all slices together.
  int solve_stack(const SlicesSettings& settings) {
    auto watch = this->watch();
    watch.save = [this](const ExecutionSpace& exec, const State& state, bool last) {
      if (!run_.checkpoints().is_due(state.iteration, last)) return;
      std::vector<Scalar> image = images_->on_host(exec, state.x);
      if (!ranks_.is_first()) return;
      run_.output().write_by(run_.checkpoints().file(), [&] {
        run_.checkpoints().write(state.progress(), parts_.errors.by_slice(), std::move(image),
                                 solution_shape(parts_.input, parts_.natural().pixels));
      });
    };
    run_.watch(parts_.system->A, std::move(watch));
    bool is_read = false;
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
  void print_end() {
    const std::vector<SolveResult>& results = run_.outcome().results;
    int iterations = 0;
    for (const SolveResult& result : results) iterations = std::max(iterations, result.iterations);
    const std::string residual =
        Impl::formatted("residual %.4g", largest_relative_residual(results));
    run_.print_end(parts_.task.needs.filters
                       ? residual
                       : describe_reasons(results) + " after " + std::to_string(iterations) +
                             " iterations, " + residual);
    for (const std::string& doubt :
         {describe_doubt(results, parts_.input.stack), describe_unexplained(parts_.unexplained)})
      if (ranks_.is_first() && !doubt.empty()) warn(doubt);
  }

  Reconstruction<ExecutionSpace, Scalar>& parts_;
  Run<ExecutionSpace, Scalar>& run_;
  const RunRanks& ranks_;
  const Images* images_ = nullptr;  // of the slices that are being solved
};

}  // namespace

template <class ExecutionSpace, class Scalar>
int run_reconstruction(const RunConfig& config, const RunOptions& options) {
  Run<ExecutionSpace, Scalar> run(config.run, config.solver, config.output, to_node(config),
                                  options);
  Reconstruction<ExecutionSpace, Scalar> parts{
      .problem = config.problem,
      .solver = config.solver,
      .output = config.output,
      .settings = config.run,
      .wish = config.matrix_operator,
      .use = config.input_use(),
      .files = input_files(config),
      .options = options,
      .run = run,
      .ranks = *options.ranks,
      .errors = {run.exec(), *options.ranks, config.solver.check_every()}};
  const InterruptGuard guard;
  return ReconstructionSteps<ExecutionSpace, Scalar>(parts).run();
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR) \
  template int run_reconstruction<SPACE, SCALAR>(const RunConfig&, const RunOptions&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
