// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Interrupt.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MeshPictures.hpp>
#include <Tomokkos_RunFacts.hpp>
#include <Tomokkos_SmoothingRun.hpp>
#include <Tomokkos_VertexLocks.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <typeinfo>

namespace Tomokkos {

namespace {

const std::vector<const char*> coordinate_names{"x", "y", "z"};

ConfigNode roughness_node(const Point3& roughness) {
  ConfigNode node = ConfigNode::map(true);
  for (std::size_t d = 0; d < 3; ++d)
    node.set(coordinate_names[d], ConfigNode::number(roughness[d]));
  node.set("sum", ConfigNode::number(roughness[0] + roughness[1] + roughness[2]));
  return node;
}

ConfigNode coordinates_node(const std::vector<SolveResult>& results) {
  ConfigNode node = ConfigNode::map();
  for (std::size_t d = 0; d < results.size(); ++d) {
    ConfigNode entry = result_node(results[d], {});
    entry.set("history", history_node(results[d], {}));
    node.set(coordinate_names[d], std::move(entry));
  }
  return node;
}

std::string describe_solution(const std::vector<SolveResult>& results) {
  std::string reasons(to_string(results.front().reason));
  for (const SolveResult& result : results)
    if (result.reason != results.front().reason)
      reasons = std::string(to_string(results[0].reason)) + ", " +
                std::string(to_string(results[1].reason)) + ", " +
                std::string(to_string(results[2].reason));
  char numbers[96];
  std::snprintf(numbers, sizeof numbers, " after %d iterations, residual %.4g",
                most_iterations_of(results), largest_relative_residual(results));
  return reasons + numbers;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
SmoothingRun<ExecutionSpace, Scalar>::SmoothingRun(const RunConfig& config, bool quiet)
    : config_(config), progress_(quiet), output_(config.output) {}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::begin(const char* phase) {
  exec_.fence();
  peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
  InterruptGuard::check();
  clock_.begin(phase);
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::make_mesh() {
  begin("mesh");
  mesh_ = load_mesh(*config_.problem.mesh);
  topology_ = mesh_topology(mesh_.mesh);
  rings_ = vertex_rings(mesh_.mesh);
  before_ = mesh_.mesh;
  clock_.end();
  progress_.message("mesh: " + mesh_.name + ", " + std::to_string(num_vertices(mesh_.mesh)) +
                    " vertices, " + std::to_string(num_triangles(mesh_.mesh)) + " triangles, " +
                    describe_seconds(clock_.seconds("mesh")));
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::choose_locks() {
  begin("locks");
  const LocksConfig& locks = config_.problem.locked;
  const Ordinal n = num_vertices(mesh_.mesh);
  switch (locks.rule) {
    case LockRule::share:
      locked_ = lock_share(n, locks.share, config_.run.seed);
      break;
    case LockRule::border:
      locked_ = lock_border(mesh_.mesh);
      if (num_locked(locked_) == 0)
        throw ConfigError(prefix_of(locks.position) + "problem.locked: border: " + mesh_.name +
                          " is closed and has none");
      break;
    case LockRule::file:
      locked_ = read_locks(locks.file, n);
      break;
  }
  check_locks(rings_, locked_, mesh_.name);
  char text[120];
  std::snprintf(text, sizeof text, "locked: %d of %d vertices, a share of %.4g",
                num_locked(locked_), n, static_cast<double>(num_locked(locked_)) / n);
  progress_.message(text);
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::assemble() {
  begin("equations");
  try {
    smoothing_.emplace(exec_, mesh_.mesh, rings_, locked_);
  } catch (const Error& error) {
    if (typeid(error) != typeid(Error)) throw;
    throw InputError(mesh_.name + ": " + error.what());
  }
}

template <class ExecutionSpace, class Scalar>
typename SmoothingRun<ExecutionSpace, Scalar>::Matrix
SmoothingRun<ExecutionSpace, Scalar>::ordered_matrix() {
  try {
    auto [A, order] = order_matrix<ExecutionSpace, Scalar>(
        exec_, config_.matrix_operator.ordering, MatrixGrids{}, smoothing_->equations().matrix());
    order_ = std::move(order);
    return A;
  } catch (const ConfigError& error) {
    throw ConfigError(prefix_of(config_.matrix_operator.ordering_position) + "operator." +
                      error.what());
  }
}

template <class ExecutionSpace, class Scalar>
typename SmoothingRun<ExecutionSpace, Scalar>::Prepared
SmoothingRun<ExecutionSpace, Scalar>::prepare() {
  begin("operator");
  const Matrix A = ordered_matrix();
  // The coordinates are a stack of three to whoever chooses a format.
  RunConfig stacked = config_;
  stacked.problem.slices.emplace();
  Prepared prepared = prepare_operator<ExecutionSpace, Scalar>(exec_, stacked, A);
  clock_.end();
  progress_.message("matrix: " + std::to_string(A.num_rows) + " rows, " +
                    std::to_string(A.num_nonzeros()) + " nonzeros, " +
                    describe_seconds(clock_.seconds("equations") + clock_.seconds("operator")));
  return prepared;
}

template <class ExecutionSpace, class Scalar>
PcgParams SmoothingRun<ExecutionSpace, Scalar>::params() const {
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

/// A copy of \p natural, of the free vertices, in the order of the solver.
template <class ExecutionSpace, class Scalar>
typename SmoothingRun<ExecutionSpace, Scalar>::Coordinates
SmoothingRun<ExecutionSpace, Scalar>::in_order(const char* label,
                                               const ConstCoordinates& natural) const {
  const auto result = allocate<Coordinates>(exec_, label, natural.extent(0), std::size_t{3});
  if (order_.columns)
    gather<ExecutionSpace, Scalar>(exec_, *order_.columns, natural, result);
  else
    Kokkos::deep_copy(exec_, as_vector(result), as_vector(natural));
  return result;
}

template <class ExecutionSpace, class Scalar>
MonitorAction SmoothingRun<ExecutionSpace, Scalar>::watch(
    const StackMonitorState<ExecutionSpace, Scalar>& state) {
  // By the first look the solver holds all that it will.
  if (state.iteration == 0)
    peak_device_memory_ = std::max(peak_device_memory_, used_device_memory(exec_));
  progress_.update(
      state.iteration,
      describe_iteration(state.records, std::vector<std::map<int, double>>(state.records.size())) +
          ", " + std::to_string(std::count(state.active.begin(), state.active.end(), true)) +
          " of 3 coordinates");
  return InterruptGuard::requested() ? MonitorAction::interrupt : MonitorAction::proceed;
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::iterate(const System& system) {
  const Coordinates b =
      in_order("Tomokkos::SmoothingRun::b", smoothing_->equations().right_hand_sides());
  begin("solve");
  progress_.begin("pcg", config_.solver.iterations);
  Pcg<ExecutionSpace, Scalar> solver(exec_, system.num_rows(), params(), 3);
  iteration_bytes_ = solver.iteration_bytes(system);
  results_ = solver.solve_stack(
      exec_, system, b, x_,
      [this](const ExecutionSpace&, const StackMonitorState<ExecutionSpace, Scalar>& state) {
        return watch(state);
      });
  exec_.fence();
  clock_.end();
  solver_bytes_ = solver.workspace_bytes() + system.memory_bytes();
  progress_.end();
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::solve(const Prepared& prepared) {
  begin("preconditioner");
  x_ = in_order("Tomokkos::SmoothingRun::x", smoothing_->equations().rows().start());
  results_.assign(3, {});
  for (SolveResult& result : results_) result.reason = StopReason::zero_rhs;
  // Where all vertices are locked nothing is left to find.
  if (prepared.A.num_rows() == 0) return clock_.end();
  try {
    const System system(exec_, prepared.A, params().preconditioner);
    scaled_ = system.is_scaled();
    iterate(system);
  } catch (const Error& error) {
    progress_.end();
    if (typeid(error) != typeid(Error)) throw;
    throw InputError(mesh_.name + ": pcg: " + error.what());
  }
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::move_vertices() {
  begin("write");
  const auto& rows = smoothing_->equations().rows();
  Coordinates natural = x_;
  if (order_.columns) {
    natural = allocate<Coordinates>(exec_, "Tomokkos::SmoothingRun::natural", x_.extent(0),
                                    std::size_t{3});
    scatter<ExecutionSpace, Scalar>(exec_, *order_.columns, x_, natural);
  }
  const auto all = allocate<Coordinates>(exec_, "Tomokkos::SmoothingRun::all", rows.num_variables(),
                                         std::size_t{3});
  rows.scatter(exec_, natural, all);
  smoothing_->move_vertices(exec_, all, mesh_.mesh);
}

template <class ExecutionSpace, class Scalar>
ConfigNode SmoothingRun<ExecutionSpace, Scalar>::locks_node() const {
  const LocksConfig& locks = config_.problem.locked;
  const Ordinal count = num_locked(locked_);
  ConfigNode node = ConfigNode::map();
  node.set("vertices", ConfigNode::integer(count));
  node.set("share", ConfigNode::number(static_cast<double>(count) / num_vertices(mesh_.mesh)));
  node.set("chosen_by", ConfigNode::text(locks.rule == LockRule::share    ? "run.seed"
                                         : locks.rule == LockRule::border ? "border"
                                                                          : locks.file.string()));
  return node;
}

template <class ExecutionSpace, class Scalar>
ConfigNode SmoothingRun<ExecutionSpace, Scalar>::report(const Prepared& prepared) const {
  ConfigNode node = report_head(exec_, config_);
  node.set("mesh", mesh_node(mesh_, topology_));
  node.set("locked", locks_node());
  node.set("matrix", matrix_node(prepared.statistics, prepared.csr_bytes));
  node.set("operator", prepared.report);
  node.set("scaled", ConfigNode::boolean(scaled_));
  node.set("seconds", clock_.node());
  ConfigNode roughness = ConfigNode::map();
  roughness.set("before", roughness_node(Tomokkos::roughness(before_, rings_)));
  roughness.set("after", roughness_node(Tomokkos::roughness(mesh_.mesh, rings_)));
  node.set("roughness", std::move(roughness));
  ConfigNode result = ConfigNode::map();
  result.set("iterations", ConfigNode::integer(most_iterations_of(results_)));
  result.set("largest_relative_residual", ConfigNode::number(largest_relative_residual(results_)));
  node.set("result", std::move(result));
  node.set("traffic",
           traffic_node(iteration_bytes_, most_iterations_of(results_), clock_.seconds("solve")));
  node.set("peak_memory", peak_memory_node(peak_device_memory_, solver_bytes_));
  node.set("files", files_node(output_.files()));
  node.set("coordinates", coordinates_node(results_));
  return node;
}

template <class ExecutionSpace, class Scalar>
void SmoothingRun<ExecutionSpace, Scalar>::write_results(const Prepared& prepared) {
  output_.write_mesh("smoothed", mesh_.mesh);
  if (const int size = config_.output.picture_size; size > 0) {
    output_.write_picture("before", render_shaded(before_, static_cast<std::size_t>(size)));
    output_.write_picture("after", render_shaded(mesh_.mesh, static_cast<std::size_t>(size)));
  }
  clock_.end();
  output_.write_report(report(prepared));
  for (const auto& file : output_.files()) progress_.message("wrote " + file.string());
}

template <class ExecutionSpace, class Scalar>
int SmoothingRun<ExecutionSpace, Scalar>::run() {
  const InterruptGuard guard;
  output_.check();
  make_mesh();
  choose_locks();
  assemble();
  const Prepared prepared = prepare();
  solve(prepared);
  move_vertices();
  write_results(prepared);
  progress_.message("pcg: " + describe_solution(results_) + ", " +
                    describe_seconds(clock_.seconds("solve")));
  return exit_status_of(results_, coordinate_names);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar) \
  template class SmoothingRun<ExecutionSpace, Scalar>;
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
