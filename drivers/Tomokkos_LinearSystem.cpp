// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_LinearSystem.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <Tomokkos_SliceVectors.hpp>
#include <Tomokkos_SystemReport.hpp>
#include <Tomokkos_SystemVectors.hpp>
#include <Tomokkos_Version.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>

namespace Tomokkos {

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
  const HostCsrMatrix<Scalar> host = Tomokkos::read_matrix<Scalar>(config_.problem.matrix);
  check_shape(host);
  const Matrix A = copy_to<memory_space>(exec_, host);
  if (config_.solver.kind == SolverKind::pcg && !config_.solver.assume_symmetric) check_symmetry(A);
  return A;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::check_shape(const HostCsrMatrix<Scalar>& A) const {
  const bool by_least_squares = config_.solver.kind == SolverKind::cgls;
  if (A.num_rows == A.num_cols) return;
  const std::string shape = config_.problem.matrix.string() + ": the matrix is " +
                            std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols);
  if (!by_least_squares)
    throw InputError(shape +
                     "; a linear system needs a square one, and solver.type: cgls solves others by "
                     "least squares");
  if (!is_natural(config_.matrix_operator.ordering))
    throw ConfigError(prefix_of(config_.matrix_operator.ordering_position) +
                      "operator.ordering: " + shape + ", and only a square one can be ordered");
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
                   ": the matrix is not symmetric, which pcg needs (bicgstab and gmres do not); "
                   "solver.assume_symmetric: true takes it for symmetric up to rounding");
}

/// Columns, one after the other, side by side in the order of the solver.
template <class ExecutionSpace, class Scalar>
typename LinearSystem<ExecutionSpace, Scalar>::VectorType
LinearSystem<ExecutionSpace, Scalar>::to_solver(const char* label,
                                                const std::vector<double>& values,
                                                const std::optional<IndexMap<memory_space>>& map) {
  const VectorType natural =
      to_device_columns<ExecutionSpace, Scalar>(exec_, label, values, columns_);
  if (!map) return natural;
  return mapped_columns<ExecutionSpace, Scalar>(exec_, label, natural, columns_, *map);
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::read_vectors(const Matrix& A) {
  begin("vectors");
  const HostColumns b = make_rhs(config_, A.num_rows);
  columns_ = static_cast<Ordinal>(b.columns);
  for (std::size_t i = 0; i < b.values.size(); ++i)
    if (!std::isfinite(static_cast<Scalar>(b.values[i])))
      throw InputError("problem.rhs: entry " + std::to_string(i % A.num_rows + 1) +
                       (columns_ > 1 ? " of column " + std::to_string(i / A.num_rows + 1) : "") +
                       " (the first is 1) is not finite in this precision");
  b_ = to_solver("Tomokkos::LinearSystem::b", b.values, order_.rows);
  x_ = to_solver("Tomokkos::LinearSystem::x", make_start(config_, A.num_cols, b.columns),
                 order_.columns);
}

template <class ExecutionSpace, class Scalar>
std::optional<typename LinearSystem<ExecutionSpace, Scalar>::System>
LinearSystem<ExecutionSpace, Scalar>::prepare_system(const AnyOperator<ExecutionSpace, Scalar>& A) {
  begin("preconditioner");
  if (config_.solver.kind == SolverKind::cgls) return std::nullopt;
  const System system(exec_, A, preconditioner_options(config_.solver));
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
    const std::vector<IterationRecord>& records, const std::vector<bool>& active) {
  int iteration = 0;
  for (const auto& record : records) iteration = std::max(iteration, record.iteration);
  // By the first look the solver holds all that it will.
  if (iteration == 0)
    peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
  std::string detail =
      describe_iteration(records, std::vector<std::map<int, double>>(records.size()));
  if (active.size() > 1)
    detail += ", " + std::to_string(std::count(active.begin(), active.end(), true)) + " of " +
              std::to_string(active.size()) + " right-hand sides";
  progress_.update(iteration, detail);
  return InterruptGuard::requested() ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::solve(const AnyOperator<ExecutionSpace, Scalar>& A,
                                                 const std::optional<System>& system) {
  begin("solve");
  progress_.begin(solver_name(), config_.solver.iterations);
  const VectorView<const Scalar, memory_space> b = b_;
  solution_ = solve_system<ExecutionSpace, Scalar>(
      exec_, config_.solver, A, system, columns_of<const Scalar, memory_space>(b, columns_),
      columns_of<Scalar, memory_space>(x_, columns_),
      [this](const auto& records, const auto& active) { return watch(records, active); });
  exec_.fence();
  clock_.end();
  if (system) solution_.solver_bytes += system->memory_bytes();
  progress_.end();
}

template <class ExecutionSpace, class Scalar>
ConfigNode LinearSystem<ExecutionSpace, Scalar>::report(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const std::optional<System>& system) {
  const std::vector<SolveResult>& results = solution_.results;
  const bool is_single = results.size() == 1;
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
  node.set("scaled", ConfigNode::boolean(system && system->is_scaled()));
  node.set("seconds", clock_.node());
  node.set("result", is_single ? result_node(results.front(), {}) : summary_node(results));
  ConfigNode traffic = ConfigNode::map();
  traffic.set("iteration_bytes",
              ConfigNode::integer(static_cast<long long>(solution_.iteration_bytes)));
  const double seconds = clock_.seconds("solve");
  traffic.set("gigabytes_per_second",
              solution_.moved_bytes > 0 && seconds > 0
                  ? ConfigNode::number(1e-9 * solution_.moved_bytes / seconds)
                  : ConfigNode());
  node.set("traffic", std::move(traffic));
  ConfigNode memory = ConfigNode::map();
  memory.set("host_bytes", ConfigNode::integer(static_cast<long long>(peak_host_memory())));
  memory.set("device_bytes", ConfigNode::integer(static_cast<long long>(peak_device_memory_)));
  memory.set("solver_bytes", ConfigNode::integer(static_cast<long long>(solution_.solver_bytes)));
  node.set("peak_memory", std::move(memory));
  ConfigNode files = ConfigNode::list();
  for (const auto& file : output_.files()) files.push_back(ConfigNode::text(file.filename()));
  node.set("files", std::move(files));
  if (is_single)
    node.set("history", history_node(results.front(), {}));
  else
    node.set("results", results_node(results));
  return node;
}

template <class ExecutionSpace, class Scalar>
void LinearSystem<ExecutionSpace, Scalar>::write_results(
    const PreparedOperator<ExecutionSpace, Scalar>& prepared, const std::optional<System>& system) {
  begin("write");
  const std::vector<Scalar> x =
      to_host_slices<ExecutionSpace, Scalar>(exec_, x_, columns_, order_.columns);
  output_.write_columns<Scalar>("solution", x, static_cast<std::size_t>(columns_));
  clock_.end();
  output_.write_report(report(prepared, system));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

template <class ExecutionSpace, class Scalar>
int LinearSystem<ExecutionSpace, Scalar>::exit_status() const {
  const auto& results = solution_.results;
  if (std::any_of(results.begin(), results.end(),
                  [](const auto& r) { return r.reason == StopReason::interrupted; }))
    return exit_interrupted;
  if (std::all_of(results.begin(), results.end(), is_solved)) return exit_done;
  std::fprintf(stderr, "tomokkos: error: not solved: %s\n", describe_results(results).c_str());
  return exit_failed;
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
  read_vectors(A);
  const std::optional<System> system = prepare_system(prepared.A);
  try {
    solve(prepared.A, system);
  } catch (const MemoryError&) {
    throw;
  } catch (const Error& error) {
    progress_.end();
    throw InputError(solver_name() + ": " + error.what());
  }
  write_results(prepared, system);
  progress_.message(solver_name() + ": " + describe_results(solution_.results) + ", " +
                    describe_seconds(clock_.seconds("solve")));
  return exit_status();
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class LinearSystem<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
