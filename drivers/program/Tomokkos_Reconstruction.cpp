// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Reconstruction<ExecutionSpace, Scalar>::Reconstruction(const RunConfig& config, bool quiet,
                                                       bool resume, const RunRanks& ranks)
    : config_(config),
      ranks_(ranks),
      communicator_(ranks.communicator(exec_, config.run.deterministic)),
      progress_(quiet || !ranks.is_first()),
      output_(config.output, ranks.is_first()),
      checkpoints_(config_, resume) {
  config_.run.num_ranks = ranks.size();
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::sample_memory() {
  peaks_.device = std::max(peaks_.device, used_device_memory(exec_));
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  sample_memory();
  InterruptGuard::check();
  clock_.begin(phase);
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::image_shape() const {
  if (input_.volume.rows == 0) return solution_shape();
  std::vector<std::size_t> shape{static_cast<std::size_t>(input_.volume.rows),
                                 static_cast<std::size_t>(input_.volume.columns)};
  if (config_.problem.volume.slices)
    shape.insert(shape.begin(), static_cast<std::size_t>(input_.depth));
  if (input_.stack) shape.insert(shape.begin(), static_cast<std::size_t>(input_.slices));
  return shape;
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::solution_shape() const {
  const std::size_t size = order_.columns
                               ? static_cast<std::size_t>(order_.columns->natural_size()) *
                                     static_cast<std::size_t>(input_.slices)
                               : x_.extent(0);
  if (input_.volume.rows > 0 && !polar_volume(input_.rows)) return image_shape();
  if (input_.blocks == 0) return {size};
  return {size / static_cast<std::size_t>(input_.blocks), static_cast<std::size_t>(input_.blocks)};
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::sinogram_shape() const {
  const auto slices = static_cast<std::size_t>(input_.slices);
  const std::vector<Ordinal> lengths =
      data_shape(input_.rows, static_cast<Ordinal>(sinogram_.size() / slices));
  std::vector<std::size_t> shape(lengths.begin(), lengths.end());
  if (!input_.stack) return shape;
  // A stack of data without a shape is one of rows of a picture's length 1.
  if (shape.size() == 1) shape.push_back(1);
  shape.insert(shape.begin(), slices);
  return shape;
}

template <class ExecutionSpace, class Scalar>
std::vector<Scalar> Reconstruction<ExecutionSpace, Scalar>::natural_solution(
    const ExecutionSpace& exec) const {
  std::vector<Scalar> image =
      to_host_slices<ExecutionSpace, Scalar>(exec, x_, input_.slices, order_.columns);
  if (image_is_split_) {
    // Each rank has the pixels of its own.
    std::vector<double> sums(image.begin(), image.end());
    ranks_.sum(sums);
    image.assign(sums.begin(), sums.end());
  }
  const std::vector<char>& mask = input_.masks.columns;
  for (std::size_t i = 0; i < masked_start_.size(); ++i)
    if (mask[i % mask.size()] == 0) image[i] = masked_start_[i];
  return image;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::measure_distances(const ExecutionSpace& exec,
                                                               const State& state) {
  reduce_columns_to_device<1>(
      exec, "Tomokkos::Reconstruction::distance", static_cast<Offset>(state.x.extent(0)),
      input_.slices,
      DistanceToImages<Scalar, memory_space>{as_vector(state.x), phantom_, weights_, input_.blocks},
      reduction_, sums_);
  std::vector<double> sums = to_host_vector<ExecutionSpace>(exec, sums_);
  auto pixels = static_cast<double>(state.x.extent(0));
  if (image_is_split_) {
    sums.push_back(pixels);
    ranks_.sum(sums);
    pixels = sums.back();
    sums.pop_back();
  }
  for (std::size_t j = 0; j < sums.size(); ++j)
    rmse_[j][state.records[j].iteration] = std::sqrt(sums[j] / pixels);
}

template <class ExecutionSpace, class Scalar>
MonitorAction Reconstruction<ExecutionSpace, Scalar>::watch(const ExecutionSpace& exec,
                                                            const State& state) {
  using Clock = std::chrono::steady_clock;
  const int iteration = state.iteration;
  if (started_) {
    iteration_seconds_ += std::chrono::duration<double>(Clock::now() - left_monitor_).count();
  } else {
    sample_memory();  // the solver holds all that it will
    first_seen_ = iteration;
  }
  started_ = true;
  iterations_done_ = iteration - first_seen_;

  // A rank may have no pixel of a split image, and takes part nevertheless.
  if (!input_.phantom.empty()) measure_distances(exec, state);
  const int every = config_.output.every;
  if (every > 0 && iteration > 0 && iteration % every == 0) {
    const std::vector<Scalar> image = natural_solution(exec);
    char name[48];
    std::snprintf(name, sizeof name, "reconstruction_%05d", iteration);
    write_solution(name, image, image_shape());
  }
  progress_.update(iteration, describe_iteration(state.records, rmse_) +
                                  (input_.stack ? describe_active(state.active) : ""));
  const bool interrupted = ranks_.any(InterruptGuard::requested());
  if (checkpoints_.due(iteration, state.last || interrupted)) write_checkpoint(exec, state);
  left_monitor_ = Clock::now();
  return interrupted ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_checkpoint(const ExecutionSpace& exec,
                                                              const State& state) {
  std::vector<Scalar> image = natural_solution(exec);
  if (!ranks_.is_first()) return;
  output_.write_by(checkpoints_.file(), [&] {
    checkpoints_.write(state.progress(), rmse_, std::move(image), solution_shape());
  });
}

template <class ExecutionSpace, class Scalar>
typename Reconstruction<ExecutionSpace, Scalar>::Results
Reconstruction<ExecutionSpace, Scalar>::solve(const AnyOperator<ExecutionSpace, Scalar>& A) {
  reduction_ = ReductionWorkspace<memory_space>(exec_, input_.slices);
  sums_ = allocate<Vector<double, memory_space>>(exec_, "Tomokkos::Reconstruction::sums",
                                                 input_.slices);
  rmse_.resize(static_cast<std::size_t>(input_.slices));
  progress_.begin(std::string(to_string(config_.solver.kind())), config_.solver.iterations(),
                  checkpoints_.first_iteration());
  try {
    const auto solver = make_solver<ExecutionSpace, Scalar>(
        exec_, solver_params(config_.solver, context_), A.num_rows(), A.num_cols(), input_.slices,
        {{multiplicative_, additive_}, row_order_, subset_order_});
    if (auto& checkpoint = checkpoints_.resumed()) {
      progress_.message("resumed from iteration " + std::to_string(checkpoint->progress.iteration));
      solver->resume(std::move(checkpoint->progress));
    }
    peaks_.solver = solver->workspace_bytes();
    traffic_ = {A.apply_bytes(input_.slices), A.apply_transpose_bytes(input_.slices),
                solver->iteration_bytes(A)};
    const MultiVectorView<const Scalar, memory_space> B =
        columns_of<Scalar, memory_space>(b_, input_.slices);
    Results results = solver->solve(
        exec_, A, B, columns_of<Scalar, memory_space>(x_, input_.slices),
        [this](const ExecutionSpace& exec, const State& state) { return watch(exec, state); });
    progress_.end();
    return results;
  } catch (const Refused& error) {
    progress_.end();
    // A refusal before the first iteration is about the input: negative data, a start of zeros,
    // rows that see nothing.
    if (started_) throw;
    throw InputError(std::string(to_string(config_.solver.kind())) + ": " + error.what());
  } catch (const Error&) {
    progress_.end();
    throw;
  }
}

template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  begin("input");
  ranks_.together([&] {
    output_.check();
    checkpoints_.open();
    input_ = read_input(config_);
    if (config_.solver.kind() == SolverKind::sart) config_.solver.views = input_.views;
    if (has_sweeps(config_.solver.kind())) sweep_ = make_sweep_order(config_, input_);
    if (config_.solver.kind() == SolverKind::block_art)
      config_.solver.sweep.block_rows = sweep_.block_rows;
  });
  if (ranks_.is_first()) warn_of_suspicions(config_, input_);
  for (const std::string& line : describe_scan(input_)) progress_.message(line);
  try {
    const PreparedOperator<ExecutionSpace, Scalar> prepared = prepare_matrix();
    const AnyOperator<ExecutionSpace, Scalar>& A = prepared.A;
    prepare_data(A);
    prepare_start(A);
    begin("solve");
    const Results results = solve(A);
    exec_.fence();
    write_results(prepared, results);

    int iterations = 0;
    for (const SolveResult& result : results) iterations = std::max(iterations, result.iterations);
    char text[320];
    std::snprintf(text, sizeof text, "%s: %s after %d iterations, residual %.4g, %s",
                  std::string(to_string(config_.solver.kind())).c_str(),
                  describe_reasons(results).c_str(), iterations, largest_relative_residual(results),
                  describe_seconds(clock_.seconds("solve")).c_str());
    progress_.message(text);
    if (const auto drift = describe_drift(results, std::is_same_v<Scalar, float>);
        !drift.empty() && task_of(config_.solver.kind()) == SolverTask::least_squares)
      progress_.message(drift);
    return output_.finish(exit_status_of(results, input_.stack, ranks_.is_first()),
                          !progress_.is_quiet() && !checkpoints_.is_resumed());
  } catch (const MemoryError& error) {
    // Before the first iteration nothing is lost: the problem is too large for this machine. Later
    // it is a failure of the run.
    if (!started_) throw;
    throw Error(error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class Reconstruction<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
