// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_SystemSolver.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

template <class Params>
Params common_params(const SolverSection& config) {
  Params params;
  params.iterations = config.iterations;
  params.check_every = config.check_every;
  params.stop = {};
  params.stop.relative_residual = config.stop.residual;
  params.stop.absolute_residual = config.stop.absolute_residual;
  params.stop.relative_change = config.stop.relative_change;
  params.stop.minimum_iterations = config.stop.minimum_iterations;
  return params;
}

template <class ExecutionSpace, class Scalar>
StackMonitor<ExecutionSpace, Scalar> stack_monitor(const SystemWatch& watch) {
  return [&watch](const ExecutionSpace&, const StackMonitorState<ExecutionSpace, Scalar>& state) {
    return watch(state.records, state.active);
  };
}

/// All columns together, by a solver that takes stacks of them.
template <class Solver, class System, class In, class Out>
SystemSolution solve_together(const typename Solver::execution_space& exec, Solver& solver,
                              const System& system, const In& B, const Out& X,
                              const SystemWatch& watch) {
  SystemSolution solution;
  solution.solver_bytes = solver.workspace_bytes();
  solution.iteration_bytes = solver.iteration_bytes(system);
  solution.results = solver.solve_stack(
      exec, system, B, X,
      stack_monitor<typename Solver::execution_space, typename Solver::scalar_type>(watch));
  solution.solver_bytes = solver.workspace_bytes();
  int iterations = 0;
  for (const auto& result : solution.results) iterations = std::max(iterations, result.iterations);
  solution.moved_bytes = static_cast<double>(solution.iteration_bytes) * iterations;
  return solution;
}

/// One column after the other.
template <class Solver, class System, class In, class Out>
SystemSolution solve_one_by_one(const typename Solver::execution_space& exec, Solver& solver,
                                const System& system, const In& B, const Out& X,
                                const SystemWatch& watch) {
  using Space = typename Solver::execution_space;
  using Scalar = typename Solver::scalar_type;
  SystemSolution solution;
  solution.iteration_bytes = solver.iteration_bytes(system);
  Vector<Scalar, typename Space::memory_space> b =
      allocate<Vector<Scalar, typename Space::memory_space>>(exec, "Tomokkos::SystemSolver::b",
                                                             B.extent(0));
  Vector<Scalar, typename Space::memory_space> x =
      allocate<Vector<Scalar, typename Space::memory_space>>(exec, "Tomokkos::SystemSolver::x",
                                                             X.extent(0));
  const Monitor<Space, Scalar> monitor = [&](const Space&,
                                             const MonitorState<Space, Scalar>& state) {
    return watch({state.record}, {!state.last});
  };
  double moved = 0;
  for (std::size_t j = 0; j < B.extent(1); ++j) {
    const auto column = Kokkos::subview(X, Kokkos::ALL(), j);
    Kokkos::deep_copy(exec, b, Kokkos::subview(B, Kokkos::ALL(), j));
    Kokkos::deep_copy(exec, x, column);
    solution.results.push_back(solver.solve(exec, system, b, x, monitor));
    Kokkos::deep_copy(exec, column, x);
    moved += static_cast<double>(solution.iteration_bytes) * solution.results.back().iterations;
  }
  solution.moved_bytes = moved;
  solution.solver_bytes = solver.workspace_bytes() + (b.extent(0) + x.extent(0)) * sizeof(Scalar);
  return solution;
}

}  // namespace

PreconditionerOptions preconditioner_options(const SolverSection& config) {
  PreconditionerOptions options{config.preconditioner, config.block, config.scale_matrix};
  options.positive_definite = config.kind == SolverKind::pcg;
  options.float_matrix = config.float_matrix;
  return options;
}

template <class ExecutionSpace, class Scalar>
SystemSolution solve_system(
    const ExecutionSpace& exec, const SolverSection& config,
    const AnyOperator<ExecutionSpace, Scalar>& A,
    const std::optional<PreconditionedSystem<ExecutionSpace, Scalar>>& system,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
    const SystemWatch& watch) {
  const auto columns = static_cast<Ordinal>(B.extent(1));
  switch (config.kind) {
    case SolverKind::pcg: {
      auto params = common_params<PcgParams>(config);
      params.scheme = config.scheme;
      params.launches = config.launches;
      params.monitor_sees_x = false;
      Pcg<ExecutionSpace, Scalar> solver(exec, A.num_rows(), params, columns);
      SystemSolution solution = solve_together(exec, solver, *system, B, X, watch);
      solution.way = solver.way(exec, *system);
      return solution;
    }
    case SolverKind::cgls: {
      auto params = common_params<CglsParams>(config);
      params.damping = config.damping;
      params.restart_every = config.restart_every;
      Cgls<ExecutionSpace, Scalar> solver(exec, A.num_rows(), A.num_cols(), params, columns);
      return solve_together(exec, solver, A, B, X, watch);
    }
    case SolverKind::bicgstab: {
      BiCgStab<ExecutionSpace, Scalar> solver(exec, A.num_rows(),
                                              common_params<BiCgStabParams>(config));
      return solve_one_by_one(exec, solver, *system, B, X, watch);
    }
    case SolverKind::gmres: {
      auto params = common_params<GmresParams>(config);
      params.restart = config.restart;
      Gmres<ExecutionSpace, Scalar> solver(exec, A.num_rows(), params);
      return solve_one_by_one(exec, solver, *system, B, X, watch);
    }
    case SolverKind::mlem:
    case SolverKind::sirt:
    case SolverKind::art:
    case SolverKind::block_art:
    case SolverKind::sart:
    case SolverKind::os_sart:
      break;  // reconstruct
  }
  throw Error("a solver that solves no linear systems");
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                           \
  template SystemSolution solve_system<ExecutionSpace, Scalar>(                                \
      const ExecutionSpace&, const SolverSection&, const AnyOperator<ExecutionSpace, Scalar>&, \
      const std::optional<PreconditionedSystem<ExecutionSpace, Scalar>>&,                      \
      const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>&,             \
      const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>&, const SystemWatch&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
