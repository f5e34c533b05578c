// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_RunFiles.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tomokkos {

namespace {

/// Views that `sart` visits: of a block-circulant matrix, its blocks.
Ordinal number_of_views(const OperatorWish& wish, const RunInput& input) {
  if (!wish.block_circulant()) return input.views;
  return input.blocks > 0 ? input.blocks : wish.circulant.blocks;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
Reconstruction<ExecutionSpace, Scalar>::Reconstruction(const RunConfig& config,
                                                       const RunOptions& options)
    : run_(config, options),
      config_(run_.config()),
      exec_(run_.exec()),
      progress_(run_.progress()),
      output_(run_.output()),
      clock_(run_.clock()),
      ranks_(*options.ranks),
      overwrites_(options.overwrite),
      recorder_(options.recorder),
      communicator_(ranks_.communicator(exec_, config.run.deterministic)),
      checkpoints_(run_.checkpoints()) {
  config_.run.num_ranks = ranks_.size();
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
  if (input_.volume.rows > 0 && !polar_volume(input_.rows)) return image_shape();
  const auto slices = static_cast<std::size_t>(input_.slices);
  const std::size_t size = order_.columns ? static_cast<std::size_t>(order_.columns->natural_size())
                                          : x_.extent(0) / slices;
  const auto blocks = static_cast<std::size_t>(input_.blocks);
  std::vector<std::size_t> shape{size};
  if (blocks > 0) shape = {size / blocks, blocks};
  if (!input_.stack) return shape;
  // Solutions without a shape form pictures with one column.
  if (shape.size() == 1) shape.push_back(1);
  shape.insert(shape.begin(), slices);
  return shape;
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::sinogram_shape() const {
  const auto slices = static_cast<std::size_t>(input_.slices);
  const std::vector<Ordinal> lengths =
      data_shape(input_.rows, static_cast<Ordinal>(sinogram_.size() / slices));
  std::vector<std::size_t> shape(lengths.begin(), lengths.end());
  if (!input_.stack) return shape;
  // Data without a shape form pictures with one column.
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
    // Each rank holds only its own pixels.
    std::vector<double> sums(image.begin(), image.end());
    ranks_.sum(sums);
    image.assign(sums.begin(), sums.end());
  }
  keep_start_of_masked(masked_start_, image);
  return image;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::keep_start_of_masked(const std::vector<Scalar>& start,
                                                                  std::span<Scalar> images) const {
  const std::vector<char>& mask = input_.masks.columns;
  for (std::size_t i = 0; i < std::min(start.size(), images.size()); ++i)
    if (mask[i % mask.size()] == 0) images[i] = start[i];
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::measure_distances(const ExecutionSpace& exec,
                                                               const State& state) {
  // All sectors share the weights of their voxels, unless voxels are missing.
  const bool is_whole = input_.masks.columns.empty() && !image_is_split_;
  const Ordinal sharing = is_whole ? input_.blocks : 1;
  reduce_columns_to_device<1>(
      exec, "Tomokkos::Reconstruction::distance", static_cast<Offset>(state.x.extent(0)),
      input_.slices,
      DistanceToImages<Scalar, memory_space>{as_vector(state.x), phantom_, weights_, sharing},
      reduction_, sums_);
  std::vector<double> sums = to_host_vector<ExecutionSpace>(exec, sums_);
  auto pixels = static_cast<double>(state.x.extent(0));
  if (image_is_split_) {
    sums.push_back(pixels);
    ranks_.sum(sums);
    pixels = sums.back();
    sums.pop_back();
  }
  const KeptRecords kept(config_.solver.check_every());
  for (std::size_t j = 0; j < sums.size(); ++j) {
    const int iteration = state.records[j].iteration;
    rmse_[j][iteration] = std::sqrt(sums[j] / pixels);
    // Errors of iterates that the history does not keep.
    if (rmse_[j].size() > 3 * KeptRecords::most)
      std::erase_if(rmse_[j],
                    [&](const auto& known) { return !kept.keeps(known.first, iteration); });
  }
}

template <class ExecutionSpace, class Scalar>
std::string Reconstruction<ExecutionSpace, Scalar>::observe(const ExecutionSpace& exec,
                                                            const State& state) {
  // All ranks take part, even those without a pixel of a split image.
  if (!input_.phantom.empty()) measure_distances(exec, state);
  const int every = config_.output.every, iteration = state.iteration;
  if (every > 0 && iteration > 0 && iteration % every == 0) {
    const std::vector<Scalar> image = natural_solution(exec);
    char name[48];
    std::snprintf(name, sizeof name, "reconstruction_%05d", iteration);
    write_solution(name, image, image_shape());
  }
  return describe_iteration(state.records, rmse_) +
         (input_.stack ? describe_active(state.active) : "");
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
void Reconstruction<ExecutionSpace, Scalar>::solve(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared) {
  const AnyOperator<ExecutionSpace, Scalar>& A = prepared.A;
  reduction_ = ReductionWorkspace<memory_space>(exec_, input_.slices);
  sums_ = allocate<Vector<double, memory_space>>(exec_, "Tomokkos::Reconstruction::sums",
                                                 input_.slices);
  rmse_.resize(static_cast<std::size_t>(input_.slices));
  std::optional<SolveProgress> resumed;
  if (auto& checkpoint = checkpoints_.resumed()) resumed = std::move(checkpoint->progress);
  const auto save = [this](const ExecutionSpace& exec, const State& state, bool last) {
    // With slabs, checkpoints are written between them.
    if (!slabs_ && checkpoints_.is_due(state.iteration, last)) write_checkpoint(exec, state);
  };
  // Slices that correspond to the iterations of a slab.
  const auto position = [this](int iteration) {
    const int slices = std::min(input_.slices, slabs_->count - volume_.done);
    return volume_.done + static_cast<int>(static_cast<std::int64_t>(slices) * iteration /
                                           std::max(1, config_.solver.iterations()));
  };
  const auto numbering = [](const Map& map, Ordinal length, bool is_distributed) {
    Numbering result = make_numbering(map, length);
    result.is_distributed = is_distributed;
    return result;
  };
  // Entries that follow from the positions of rays are rounded themselves, by some units.
  const Offset units = config_.matrix_operator.computed() ? 32 : 1;
  run_.solve(A, columns_of<Scalar, memory_space>(b_, input_.slices),
             columns_of<Scalar, memory_space>(x_, input_.slices),
             {.params = solver_params(config_.solver, context_),
              .input = {{multiplicative_, additive_}, row_order_, subset_order_},
              .resumed = std::move(resumed),
              .observe = [this](const ExecutionSpace& exec,
                                const State& state) { return observe(exec, state); },
              .position = slabs_ ? position : std::function<int(int)>(),
              .save = save,
              .rows = numbering(order_.rows, A.num_rows(), ranks_.size() > 1),
              .columns = numbering(order_.columns, A.num_cols(), image_is_split_),
              .longest_row = units * prepared.statistics.longest});
}

template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  run_.begin("input");
  ranks_.together([&] {
    slabs_ = plan_slabs(config_, ranks_.size(), recorder_ != nullptr);
    if (slabs_ && config_.run.measure_steps)
      throw ConfigError(
          "run.measure_steps: problem.slices: all reads, solves and writes at the same time; give "
          "a number of slices, which are solved together");
    if (slabs_) {
      checkpoints_.use_slabs();
      if (!checkpoints_.is_resumed()) require_no_other_checkpoint(config_, overwrites_);
    }
    run_.open();
    input_ = read_input_of_matrix(config_, slabs_);
    require_replaceable_outputs(config_);
    if (config_.solver.kind() == SolverKind::sart)
      config_.solver.views = number_of_views(config_.matrix_operator, input_);
    if (has_sweeps(config_.solver.kind())) sweep_ = make_sweep_order(config_, input_);
    if (config_.solver.kind() == SolverKind::block_art)
      config_.solver.sweep.block_rows = sweep_.block_rows;
  });
  unusual_ = describe_unusual_input(config_, input_);
  if (ranks_.is_first()) {
    warn_of_suspicions(config_, input_);
    for (const std::string& line : unusual_)
      std::fprintf(stderr, "tomokkos: warning: %s\n", line.c_str());
  }
  for (const std::string& line : describe_scan(input_)) progress_.message(line);
  try {
    const PreparedOperator<ExecutionSpace, Scalar> prepared = prepare_matrix();
    int status = 0;
    if (slabs_) {
      status = solve_slabs(prepared);
    } else {
      prepare_data(prepared);
      prepare_start(prepared.A);
      solve(prepared);
      find_unexplained(config_, input_, context_.data.noise_levels, run_.solution().results,
                       unexplained_);
      write_results(prepared, run_.solution().results);
      status = exit_status_of(run_.solution().results, input_.stack, ranks_.is_first());
    }
    const Results& results = run_.solution().results;
    int iterations = 0;
    for (const SolveResult& result : results) iterations = std::max(iterations, result.iterations);
    char text[320];
    if (config_.solver.kind() == SolverKind::fbp)
      std::snprintf(text, sizeof text, "residual %.4g", largest_relative_residual(results));
    else
      std::snprintf(text, sizeof text, "%s after %d iterations, residual %.4g",
                    describe_reasons(results).c_str(), iterations,
                    largest_relative_residual(results));
    run_.print_end(text);
    for (const std::string& doubt :
         {describe_doubt(results, input_.stack), describe_unexplained(config_, unexplained_)})
      if (ranks_.is_first() && !doubt.empty())
        std::fprintf(stderr, "tomokkos: warning: %s\n", doubt.c_str());
    return output_.finish(status, !progress_.is_quiet() && !checkpoints_.is_resumed());
  } catch (const MemoryError& error) {
    // Before the first iteration, the problem is too large for this machine. Later, it is a failure
    // of the run.
    if (!run_.has_started()) throw;
    throw Error(error.what());
  }
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class Reconstruction<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
