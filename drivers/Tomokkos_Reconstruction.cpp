// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Reconstruction.hpp>
#include <Tomokkos_SimulatedData.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <typeinfo>

namespace Tomokkos {

template <class ExecutionSpace, class Scalar>
Reconstruction<ExecutionSpace, Scalar>::Reconstruction(const RunConfig& config, bool quiet)
    : config_(config), progress_(quiet), output_(config.output) {}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::sample_memory() {
  peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  sample_memory();
  InterruptGuard::check();
  clock_.begin(phase);
}

template <class ExecutionSpace, class Scalar>
typename Reconstruction<ExecutionSpace, Scalar>::VectorType
Reconstruction<ExecutionSpace, Scalar>::to_device(const char* label,
                                                  const std::vector<double>& values) const {
  std::vector<Scalar> converted(values.begin(), values.end());
  const auto result = allocate<VectorType>(exec_, label, converted.size());
  Kokkos::deep_copy(
      exec_, result,
      VectorView<const Scalar, Kokkos::HostSpace>(converted.data(), converted.size()));
  exec_.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
typename Reconstruction<ExecutionSpace, Scalar>::VectorType
Reconstruction<ExecutionSpace, Scalar>::to_solver(const char* label,
                                                  const std::vector<double>& values, const Map& map,
                                                  const char* checked_as, double minimum) const {
  const VectorType natural = to_device(label, values);
  if (!map) return natural;
  if (checked_as != nullptr) {
    try {
      require_entries<ExecutionSpace, Scalar>(exec_, checked_as, natural, minimum);
    } catch (const Error& error) {
      throw InputError(std::string(to_string(config_.solver.kind)) + ": " + error.what());
    }
  }
  const auto result = allocate<VectorType>(exec_, label, map->size());
  gather<ExecutionSpace, Scalar>(exec_, *map, VectorView<const Scalar, memory_space>(natural),
                                 VectorView<Scalar, memory_space>(result));
  exec_.fence();
  return result;
}

template <class ExecutionSpace, class Scalar>
std::vector<Scalar> Reconstruction<ExecutionSpace, Scalar>::from_solver(
    const ExecutionSpace& exec, const VectorView<const Scalar, memory_space>& values,
    const Map& map) const {
  VectorType buffer;
  VectorView<const Scalar, memory_space> natural = values;
  if (map) {
    buffer = allocate<VectorType>(exec, "Tomokkos::Reconstruction::natural", map->natural_size());
    scatter<ExecutionSpace, Scalar>(exec, *map, values, VectorView<Scalar, memory_space>(buffer));
    natural = buffer;
  }
  std::vector<Scalar> host(natural.extent(0));
  Kokkos::deep_copy(exec, VectorView<Scalar, Kokkos::HostSpace>(host.data(), host.size()), natural);
  exec.fence();
  return host;
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::image_shape() const {
  if (input_.volume.rows == 0) return {x_.extent(0)};
  return {static_cast<std::size_t>(input_.volume.rows),
          static_cast<std::size_t>(input_.volume.columns)};
}

template <class ExecutionSpace, class Scalar>
std::vector<std::size_t> Reconstruction<ExecutionSpace, Scalar>::sinogram_shape() const {
  if (input_.views == 0) return {b_.extent(0)};
  return {static_cast<std::size_t>(input_.views), static_cast<std::size_t>(input_.detectors)};
}

template <class ExecutionSpace, class Scalar>
PreparedOperator<ExecutionSpace, Scalar> Reconstruction<ExecutionSpace, Scalar>::prepare_matrix() {
  begin("matrix");
  auto [A, order] = make_ordered_matrix<ExecutionSpace, Scalar>(exec_, config_, input_);
  order_ = std::move(order);
  exec_.fence();
  clock_.end();
  char text[160];
  std::snprintf(text, sizeof text, "matrix: %d x %d, %lld nonzeros, %.3g MB, %s", A.num_rows,
                A.num_cols, static_cast<long long>(A.num_nonzeros()),
                1e-6 * static_cast<double>(A.memory_bytes()),
                describe_seconds(clock_.seconds("matrix")).c_str());
  progress_.message(text);

  begin("operator");
  auto prepared = prepare_operator<ExecutionSpace, Scalar>(exec_, config_, A);
  sample_memory();
  read_rhs(config_, A.num_rows, input_);
  return prepared;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::prepare_data(
    const AnyOperator<ExecutionSpace, Scalar>& A) {
  begin("data");
  draw_phantom(config_, input_);
  output_.set_window(input_.phantom);
  if (!input_.phantom.empty()) {
    phantom_ = to_solver("Tomokkos::Reconstruction::phantom", input_.phantom, order_.columns);
    if (config_.problem.data == DataSource::analytic) {
      input_.data = analytic_data(config_.problem, input_);
    } else {
      const auto projected =
          allocate<VectorType>(exec_, "Tomokkos::Reconstruction::projected", A.num_rows());
      A.apply(exec_, Scalar(1), as_multivector(phantom_), Scalar(0), as_multivector(projected));
      const std::vector<Scalar> host = from_solver(exec_, projected, order_.rows);
      input_.data.assign(host.begin(), host.end());
    }
    noise_level_ = add_noise(config_, input_.data);
    if (noise_level_) input_.notes.set("noise_level", ConfigNode::number(*noise_level_));
  }
  check_negative_data(config_, input_);
  constexpr double anything = -std::numeric_limits<double>::infinity();
  b_ = to_solver("Tomokkos::Reconstruction::b", input_.data, order_.rows, "the data",
                 config_.solver.kind == SolverKind::mlem ? 0 : anything);
  sinogram_.assign(input_.data.begin(), input_.data.end());

  const auto rows = static_cast<std::size_t>(A.num_rows());
  if (const auto& n = config_.solver.multiplicative)
    terms_.multiplicative =
        to_solver("Tomokkos::Reconstruction::multiplicative",
                  read_constant_or_file(*n, "solver.multiplicative", rows, "the data"), order_.rows,
                  "the multiplicative term");
  if (const auto& background = config_.solver.background)
    terms_.additive =
        to_solver("Tomokkos::Reconstruction::background",
                  read_constant_or_file(*background, "solver.background", rows, "the data"),
                  order_.rows, "the additive term");
  if (config_.solver.kind == SolverKind::art && order_.rows)
    terms_.row_order = order_.rows->from_natural;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::prepare_start(
    const AnyOperator<ExecutionSpace, Scalar>& A) {
  const auto columns = static_cast<std::size_t>(A.num_cols());
  if (config_.solver.start.uniform) {
    x_ = allocate<VectorType>(exec_, "Tomokkos::Reconstruction::x", columns);
    uniform_start(exec_, A, b_, x_, {terms_.multiplicative, terms_.additive});
  } else {
    x_ = to_solver(
        "Tomokkos::Reconstruction::x",
        read_constant_or_file(config_.solver.start.image, "solver.start", columns, "the image"),
        order_.columns, config_.solver.kind == SolverKind::mlem ? "the start image" : nullptr);
  }
}

template <class ExecutionSpace, class Scalar>
double Reconstruction<ExecutionSpace, Scalar>::distance_to_phantom(const ExecutionSpace& exec,
                                                                   const State& state) {
  squared_distance<ExecutionSpace, Scalar>(exec, reduction_, state.x, phantom_, sum_);
  const double sum = to_host<ExecutionSpace>(exec, sum_);
  return std::sqrt(sum / static_cast<double>(state.x.extent(0)));
}

template <class ExecutionSpace, class Scalar>
MonitorAction Reconstruction<ExecutionSpace, Scalar>::watch(const ExecutionSpace& exec,
                                                            const State& state) {
  using Clock = std::chrono::steady_clock;
  const int iteration = state.record.iteration;
  if (started_)
    iteration_seconds_ += std::chrono::duration<double>(Clock::now() - left_monitor_).count();
  else
    sample_memory();  // the solver holds all that it will
  started_ = true;
  iterations_done_ = iteration;

  if (phantom_.extent(0) > 0) rmse_[iteration] = distance_to_phantom(exec, state);
  const int every = config_.output.every;
  if (every > 0 && iteration > 0 && iteration % every == 0) {
    const std::vector<Scalar> image = from_solver(exec, state.x, order_.columns);
    char name[48];
    std::snprintf(name, sizeof name, "reconstruction_%05d", iteration);
    output_.write_image<Scalar>(name, image, image_shape());
  }
  std::string detail;
  char text[48];
  if (state.record.relative_residual) {
    std::snprintf(text, sizeof text, ", residual %.4g", *state.record.relative_residual);
    detail += text;
  }
  if (const auto error = rmse_.find(iteration); error != rmse_.end()) {
    std::snprintf(text, sizeof text, ", rmse %.4g", error->second);
    detail += text;
  }
  progress_.update(iteration, detail);
  left_monitor_ = Clock::now();
  return InterruptGuard::requested() ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
SolveResult Reconstruction<ExecutionSpace, Scalar>::solve(
    const AnyOperator<ExecutionSpace, Scalar>& A) {
  reduction_ = ReductionWorkspace<memory_space>(exec_);
  sum_ = allocate<Vector<double, memory_space>>(exec_, "Tomokkos::Reconstruction::sum", 1);
  progress_.begin(std::string(to_string(config_.solver.kind)), config_.solver.iterations);
  try {
    AnySolver<ExecutionSpace, Scalar> solver = make_solver<ExecutionSpace, Scalar>(
        exec_, config_.solver, A.num_rows(), A.num_cols(), noise_level_, terms_);
    iteration_bytes_ = solver.iteration_bytes(A);
    solver_bytes_ = solver.workspace_bytes();
    forward_bytes_ = A.apply_bytes();
    transpose_bytes_ = A.apply_transpose_bytes();
    SolveResult result = solver.solve(
        exec_, A, b_, x_,
        [this](const ExecutionSpace& exec, const State& state) { return watch(exec, state); });
    progress_.end();
    return result;
  } catch (const Error& error) {
    progress_.end();
    // What a solver says before its first iteration is about its input: negative data, a start of
    // zeros, rows that see nothing.
    if (started_ || typeid(error) != typeid(Error)) throw;
    throw InputError(std::string(to_string(config_.solver.kind)) + ": " + error.what());
  }
}

template <class ExecutionSpace, class Scalar>
ConfigNode Reconstruction<ExecutionSpace, Scalar>::report(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const SolveResult& result) {
  ConfigNode node = ConfigNode::map();
  node.set("configuration", to_node(config_));
  node.set("version", ConfigNode::text(version()));
  node.set("git", ConfigNode::text(git_commit()));
  node.set("kokkos", ConfigNode::text(kokkos_version()));
  node.set("backend", ConfigNode::text(backend_name<ExecutionSpace>()));
  node.set("device", ConfigNode::text(device_name(exec_)));
  node.set("threads", ConfigNode::integer(host_threads()));
  node.set("matrix", matrix_node(prepared.statistics, prepared.csr_bytes));
  node.set("operator", prepared.report);
  node.set("data", input_.notes);
  ConfigNode seconds = clock_.node();
  seconds.set("iterations", ConfigNode::number(iteration_seconds_));
  node.set("seconds", std::move(seconds));
  node.set("result", result_node(result, rmse_));

  ConfigNode traffic = ConfigNode::map();
  traffic.set("forward_bytes", ConfigNode::integer(static_cast<long long>(forward_bytes_)));
  traffic.set("transpose_bytes", uses_transpose(config_.solver.kind)
                                     ? ConfigNode::integer(static_cast<long long>(transpose_bytes_))
                                     : ConfigNode());
  traffic.set("iteration_bytes", ConfigNode::integer(static_cast<long long>(iteration_bytes_)));
  const double moved = static_cast<double>(iteration_bytes_) * iterations_done_;
  traffic.set("gigabytes_per_second", iterations_done_ > 0 && iteration_seconds_ > 0
                                          ? ConfigNode::number(1e-9 * moved / iteration_seconds_)
                                          : ConfigNode());
  node.set("traffic", std::move(traffic));

  ConfigNode memory = ConfigNode::map();
  memory.set("host_bytes", ConfigNode::integer(static_cast<long long>(peak_host_memory())));
  memory.set("device_bytes", ConfigNode::integer(static_cast<long long>(peak_device_memory_)));
  memory.set("solver_bytes", ConfigNode::integer(static_cast<long long>(solver_bytes_)));
  node.set("peak_memory", std::move(memory));
  node.set("window", output_.windows());
  ConfigNode files = ConfigNode::list();
  for (const auto& file : output_.files()) files.push_back(ConfigNode::text(file.filename()));
  node.set("files", std::move(files));
  node.set("history", history_node(result, rmse_));
  return node;
}

template <class ExecutionSpace, class Scalar>
void Reconstruction<ExecutionSpace, Scalar>::write_results(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const SolveResult& result) {
  clock_.begin("write");
  if (!input_.phantom.empty()) {
    const std::vector<Scalar> phantom(input_.phantom.begin(), input_.phantom.end());
    output_.write_image<Scalar>("phantom", phantom, image_shape());
  }
  output_.write_sinogram<Scalar>("sinogram", sinogram_, sinogram_shape());
  const std::vector<Scalar> image = from_solver(exec_, x_, order_.columns);
  output_.write_image<Scalar>("reconstruction", image, image_shape());
  clock_.end();
  output_.write_report(report(prepared, result));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

template <class ExecutionSpace, class Scalar>
int Reconstruction<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  begin("input");
  output_.check();
  input_ = read_input(config_);
  try {
    const PreparedOperator<ExecutionSpace, Scalar> prepared = prepare_matrix();
    const AnyOperator<ExecutionSpace, Scalar>& A = prepared.A;
    prepare_data(A);
    prepare_start(A);
    begin("solve");
    const SolveResult result = solve(A);
    exec_.fence();
    write_results(prepared, result);

    char text[160];
    std::snprintf(text, sizeof text, "%s: %s after %d iterations, residual %.4g, %s",
                  std::string(to_string(config_.solver.kind)).c_str(),
                  std::string(to_string(result.reason)).c_str(), result.iterations,
                  result.relative_residual, describe_seconds(clock_.seconds("solve")).c_str());
    progress_.message(text);
    switch (result.reason) {
      case StopReason::interrupted:
        return exit_interrupted;
      case StopReason::non_finite:
      case StopReason::indefinite:
      case StopReason::indefinite_preconditioner:
      case StopReason::zero_diagonal:
        std::fprintf(stderr, "tomokkos: error: not solved: %s\n",
                     std::string(to_string(result.reason)).c_str());
        return exit_failed;
      default:
        return exit_done;
    }
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
