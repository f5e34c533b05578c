// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_SolveSystem.hpp>
#include <utility>

namespace Tomokkos {

SystemSettings system_settings(SolverParams params, const OperatorWish& wish,
                               const std::string& name) {
  SystemSettings settings{std::move(params), {}, {}, name};
  settings.task.needs = needs_of(kind_of(settings.params));
  settings.task.wish = wish;
  return settings;
}

template <class ExecutionSpace, class Scalar>
SolvedSystem<Scalar> solve_placed(const ExecutionSpace& exec,
                                  PlacedSystem<ExecutionSpace, Scalar> system,
                                  const SystemSettings& settings,
                                  const SharedSystem<ExecutionSpace, Scalar>& shared,
                                  const SystemObserver<ExecutionSpace, Scalar>& observer,
                                  const std::function<void(const SystemFault&)>& refuse) {
  system.shares_rows = shared.is_used();
  system.shares_unknowns = shared.is_used() && settings.is_square();
  observer.phase_begins("preconditioner");
  const AnyOperator<ExecutionSpace, Scalar>& A = system.prepared.A;
  auto& preconditioned = system.preconditioned;
  if (settings.is_square()) {
    const PreconditionerOptions options = preconditioner_of(settings.params);
    if (options.float_matrix && !scales_in_float(A))
      throw ConfigError(
          "solver.float_matrix: this format cannot store the matrix in float for vectors in "
          "double; use operator.format: csr, or problem.form: shared or complex for a chart");
    preconditioned = Impl::as_choice("solver.preconditioner", [&] {
      return PreconditionedSystem<ExecutionSpace, Scalar>(exec, A, options);
    });
    if (preconditioned->fault()) refuse(*preconditioned->fault());
  }
  observer.solve_begins(system);
  SolveRequest<ExecutionSpace, Scalar> request{settings.params};
  std::visit(
      [](auto& own) {
        if constexpr (requires { own.keep_best; }) own.keep_best = true;
      },
      request.params);
  request.system = preconditioned ? &*preconditioned : nullptr;
  request.resumed = std::move(system.resumed);
  SolveOutcome own;
  SolveOutcome& outcome = observer.outcome ? *observer.outcome : own;
  try {
    solve<ExecutionSpace, Scalar>(exec, A, system.B(), system.X(), std::move(request),
                                  observer.solve, outcome);
  } catch (const Refused& error) {
    // May also occur later, if this precision cannot represent the solution.
    throw InputError(std::string(to_string(kind_of(settings.params))) + ": " + error.what());
  }
  std::vector<Scalar> x = Slices<ExecutionSpace, Scalar>::to_host(exec, system.x, system.columns,
                                                                  system.prepared.order.columns);
  // Entries of other ranks are zero.
  if (system.shares_unknowns) shared.ranks()->sum(x);
  return {std::move(x),
          system.columns,
          outcome.results,
          system.prepared.statistics,
          system.prepared.csr_bytes(),
          std::move(system.prepared.report),
          preconditioned && preconditioned->is_scaled()};
}

#define TOMOKKOS_INSTANTIATE(SPACE, SCALAR)                                     \
  template SolvedSystem<SCALAR> solve_placed<SPACE, SCALAR>(                    \
      const SPACE&, PlacedSystem<SPACE, SCALAR>, const SystemSettings&,         \
      const SharedSystem<SPACE, SCALAR>&, const SystemObserver<SPACE, SCALAR>&, \
      const std::function<void(const SystemFault&)>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
