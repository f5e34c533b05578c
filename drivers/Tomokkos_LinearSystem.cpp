// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LinearSystem.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_Philox.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace Tomokkos {

namespace {

std::vector<double> make_rhs(const RunConfig& config, Ordinal n) {
  const ProblemSection& problem = config.problem;
  std::vector<double> b(static_cast<std::size_t>(n), 1.0);
  if (problem.linear_rhs == LinearRhs::random)
    for (std::size_t i = 0; i < b.size(); ++i)
      b[i] = 2 * CounterRandom(config.run.seed, i).uniform() - 1;
  if (problem.linear_rhs == LinearRhs::file) {
    b = read_vector<double>(problem.rhs);
    if (b.size() != static_cast<std::size_t>(n))
      throw DimensionMismatch(problem.rhs.string() + ": holds " + std::to_string(b.size()) +
                              " values, the matrix has " + std::to_string(n) + " rows");
  }
  return b;
}

/// Why a diagonal cannot be used.
std::string describe_fault(const SystemFault& fault, Ordinal row) {
  std::string text = "row " + std::to_string(row + 1) + " (the first is 1): ";
  if (fault.reason == StopReason::zero_diagonal)
    return text +
           "the diagonal entry is zero, and the preconditioner divides by it; choose "
           "solver.preconditioner: none if the matrix is meant so";
  if (fault.reason == StopReason::non_finite) return text + "the diagonal entry is not finite";
  return text + "the diagonal is not positive, so the matrix is not positive definite";
}

}  // namespace

template <class ExecutionSpace, class Scalar>
LinearSystem<ExecutionSpace, Scalar>::LinearSystem(const RunConfig& config, bool quiet)
    : config_(config), progress_(quiet), output_(config.output) {}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
  InterruptGuard::check();
  clock_.begin(phase);
}

template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::Matrix
LinearSystem<ExecutionSpace, Scalar>::natural_matrix() {
  if (const auto& stencil = config_.problem.stencil)
    return make_stencil<ExecutionSpace, Scalar>(exec_, *stencil);
  const auto& file = config_.problem.matrix;
  const HostCsrMatrix<Scalar> host = Tomokkos::read_matrix<Scalar>(file);
  if (host.num_rows != host.num_cols)
    throw InputError(file.string() + ": the matrix is " + std::to_string(host.num_rows) + " x " +
                     std::to_string(host.num_cols) + "; a linear system needs a square one");
  const Matrix A = copy_to<memory_space>(exec_, host);
  if (!config_.solver.assume_symmetric) check_symmetry(A);
  return A;
}

template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::Matrix
LinearSystem<ExecutionSpace, Scalar>::make_matrix() {
  begin("matrix");
  const Matrix natural = natural_matrix();
  try {
    auto [A, order] = order_matrix<ExecutionSpace, Scalar>(exec_, config_.matrix_operator.ordering,
                                                           MatrixGrids{}, natural);
    order_ = std::move(order);
    return A;
  } catch (const ConfigError& error) {
    throw ConfigError(prefix_of(config_.matrix_operator.ordering_position) + "operator." +
                      error.what());
  }
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::check_symmetry(const Matrix& A) {
  if (matrix_symmetry<ExecutionSpace, Scalar>(exec_, A).numeric) return;
  throw InputError(config_.problem.matrix.string() +
                   ": the matrix is not symmetric, which pcg needs; solver.assume_symmetric: true "
                   "takes it for symmetric up to rounding");
}

template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::VectorType
LinearSystem<ExecutionSpace, Scalar>::to_solver(const char* label,
                                                const std::vector<double>& values) {
  const VectorType natural = to_device_columns<ExecutionSpace, Scalar>(exec_, label, values, 1);
  if (!order_.columns) return natural;
  return mapped_columns<ExecutionSpace, Scalar>(exec_, label, natural, 1, *order_.columns);
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::read_vectors(Ordinal n) {
  begin("vectors");
  const std::vector<double> b = make_rhs(config_, n);
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!std::isfinite(static_cast<Scalar>(b[i])))
      throw InputError(std::string("problem.rhs: entry ") + std::to_string(i + 1) +
                       " (the first is 1) is not finite in this precision");
  b_ = to_solver("Tomokkos::LinearSystem::b", b);
  x_ = to_solver("Tomokkos::LinearSystem::x",
                 read_constant_or_file(config_.solver.start.image, "solver.start",
                                       static_cast<std::size_t>(n), "the system"));
}

template <class ExecutionSpace, class Scalar>
PcgParams LinearSystem<ExecutionSpace, Scalar>::params() const {
  const SolverSection& solver = config_.solver;
  PcgParams params;
  params.iterations = solver.iterations;
  params.check_every = solver.check_every;
  params.stop = {};
  params.stop.relative_residual = solver.stop.residual;
  params.stop.absolute_residual = solver.stop.absolute_residual;
  params.stop.relative_change = solver.stop.relative_change;
  params.stop.minimum_iterations = solver.stop.minimum_iterations;
  params.preconditioner = {solver.preconditioner, solver.block, solver.scale_matrix};
  return params;
}

template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::System
LinearSystem<ExecutionSpace, Scalar>::prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A) {
  begin("preconditioner");
  const System system(exec_, A, params().preconditioner);
  if (const auto& fault = system.fault()) {
    Ordinal row = fault->row.value_or(0);
    if (order_.rows) {
      const auto natural =
          Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), order_.rows->to_natural);
      row = natural(row);
    }
    throw InputError(
        (config_.problem.stencil ? "problem.stencil" : config_.problem.matrix.string()) + ": " +
        describe_fault(*fault, row));
  }
  return system;
}

template <class ExecutionSpace, class Scalar>
MonitorAction LinearSystem<ExecutionSpace, Scalar>::watch(
    const MonitorState<ExecutionSpace, Scalar>& state) {
  // By the first look the solver holds all that it will.
  if (state.record.iteration == 0)
    peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
  progress_.update(state.record.iteration, describe_iteration({state.record}, {{}}));
  return InterruptGuard::requested() ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
SolveResult LinearSystem<ExecutionSpace, Scalar>::solve(const System& system) {
  begin("solve");
  progress_.begin("pcg", config_.solver.iterations);
  Pcg<ExecutionSpace, Scalar> solver(exec_, system.num_rows(), params());
  iteration_bytes_ = solver.iteration_bytes(system);
  const SolveResult result = solver.solve(
      exec_, system, b_, x_,
      [this](const ExecutionSpace&, const MonitorState<ExecutionSpace, Scalar>& state) {
        return watch(state);
      });
  exec_.fence();
  clock_.end();
  solver_bytes_ = solver.workspace_bytes() + system.memory_bytes();
  progress_.end();
  return result;
}

template <class ExecutionSpace, class Scalar>
ConfigNode LinearSystem<ExecutionSpace, Scalar>::report(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const System& system,
    const SolveResult& result) {
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
  node.set("scaled", ConfigNode::boolean(system.is_scaled()));
  node.set("seconds", clock_.node());
  node.set("result", result_node(result, {}));
  ConfigNode traffic = ConfigNode::map();
  traffic.set("iteration_bytes", ConfigNode::integer(static_cast<long long>(iteration_bytes_)));
  const double moved = static_cast<double>(iteration_bytes_) * result.iterations;
  const double seconds = clock_.seconds("solve");
  traffic.set("gigabytes_per_second", result.iterations > 0 && seconds > 0
                                          ? ConfigNode::number(1e-9 * moved / seconds)
                                          : ConfigNode());
  node.set("traffic", std::move(traffic));
  ConfigNode memory = ConfigNode::map();
  memory.set("host_bytes", ConfigNode::integer(static_cast<long long>(peak_host_memory())));
  memory.set("device_bytes", ConfigNode::integer(static_cast<long long>(peak_device_memory_)));
  memory.set("solver_bytes", ConfigNode::integer(static_cast<long long>(solver_bytes_)));
  node.set("peak_memory", std::move(memory));
  ConfigNode files = ConfigNode::list();
  for (const auto& file : output_.files()) files.push_back(ConfigNode::text(file.filename()));
  node.set("files", std::move(files));
  node.set("history", history_node(result, {}));
  return node;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::write_results(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const System& system,
    const SolveResult& result) {
  begin("write");
  const std::vector<Scalar> x =
      to_host_slices<ExecutionSpace, Scalar>(exec_, x_, 1, order_.columns);
  output_.write_vector<Scalar>("solution", x);
  clock_.end();
  output_.write_report(report(prepared, system, result));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

template <class ExecutionSpace, class Scalar>
int LinearSystem<ExecutionSpace, Scalar>::exit_status(const SolveResult& result) const {
  switch (result.reason) {
    case StopReason::converged:
    case StopReason::discrepancy:
    case StopReason::relative_change:
    case StopReason::zero_rhs:
      return exit_done;
    case StopReason::interrupted:
      return exit_interrupted;
    default:
      std::fprintf(stderr, "tomokkos: error: not solved: %s after %d iterations, residual %.4g\n",
                   std::string(to_string(result.reason)).c_str(), result.iterations,
                   result.relative_residual);
      return exit_failed;
  }
}

template <class ExecutionSpace, class Scalar>
int LinearSystem<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  output_.check();
  const Matrix A = make_matrix();
  begin("operator");
  const auto prepared = prepare_operator<ExecutionSpace, Scalar>(exec_, config_, A);
  clock_.end();
  char text[200];
  std::snprintf(text, sizeof text, "matrix: %d rows, %lld nonzeros, %s", A.num_rows,
                static_cast<long long>(A.num_nonzeros()),
                describe_seconds(clock_.seconds("matrix")).c_str());
  progress_.message(text);
  read_vectors(A.num_rows);
  const System system = prepare_system(prepared.A);
  SolveResult result;
  try {
    result = solve(system);
  } catch (const MemoryError&) {
    throw;
  } catch (const Error& error) {
    progress_.end();
    throw InputError(std::string("pcg: ") + error.what());
  }
  write_results(prepared, system, result);
  std::snprintf(text, sizeof text, "pcg: %s after %d iterations, residual %.4g, %s",
                std::string(to_string(result.reason)).c_str(), result.iterations,
                result.relative_residual, describe_seconds(clock_.seconds("solve")).c_str());
  progress_.message(text);
  return exit_status(result);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class LinearSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
