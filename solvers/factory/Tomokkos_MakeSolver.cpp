// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeSolver.hpp>
#include <type_traits>

namespace Tomokkos {

SolverParams default_params(SolverKind kind) {
  switch (kind) {
#define TOMOKKOS_CASE(name, Params) \
  case SolverKind::name:            \
    return Params();
    TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_CASE)
#undef TOMOKKOS_CASE
  }
  throw Refused("this solver does not exist");
}

SolverTask task_of(SolverKind kind) {
  switch (kind) {
#define TOMOKKOS_CASE(name, Params) \
  case SolverKind::name:            \
    return SolverOf<Params>::task;
    TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_CASE)
#undef TOMOKKOS_CASE
  }
  throw Refused("this solver does not exist");
}

bool supports_ranks(SolverKind kind) {
  return solver_has(kind,
                    []<class Params>(const Params&) { return SolverOf<Params>::supports_ranks; });
}

namespace {

template <class Chosen, class ExecutionSpace, class Params>
std::unique_ptr<Chosen> construct(const ExecutionSpace& exec, const Params& params,
                                  Ordinal num_rows, Ordinal num_cols, Ordinal num_slices) {
  if constexpr (SolverOf<Params>::task == SolverTask::square_systems) {
    require_equal("number of rows", num_rows, "the number of columns", num_cols);
    if constexpr (std::is_constructible_v<Chosen, const ExecutionSpace&, Ordinal, const Params&,
                                          Ordinal>)
      return std::make_unique<Chosen>(exec, num_rows, params, num_slices);
    else
      return std::make_unique<Chosen>(exec, num_rows, params);
  } else if constexpr (std::is_constructible_v<Chosen, const ExecutionSpace&, Ordinal, Ordinal,
                                               const Params&, Ordinal>) {
    return std::make_unique<Chosen>(exec, num_rows, num_cols, params, num_slices);
  } else {
    return std::make_unique<Chosen>(exec, num_rows, num_cols, params);
  }
}

}  // namespace

template <class ExecutionSpace, class Scalar>
std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(
    const ExecutionSpace& exec, const SolverParams& params, Ordinal num_rows, Ordinal num_cols,
    Ordinal num_slices, const SolverInput<Scalar, typename ExecutionSpace::memory_space>& input) {
  return std::visit(
      [&]<class Params>(const Params& own) -> std::unique_ptr<Solver<ExecutionSpace, Scalar>> {
        using Chosen = typename SolverOf<Params>::template Type<ExecutionSpace, Scalar>;
        auto solver = construct<Chosen>(exec, own, num_rows, num_cols, num_slices);
        if constexpr (requires { solver->set_terms(input.terms); }) solver->set_terms(input.terms);
        if constexpr (requires { solver->set_order(exec, input.row_order); })
          if (input.row_order.extent(0) > 0) solver->set_order(exec, input.row_order);
        if constexpr (requires { solver->set_order(input.subset_order); })
          solver->set_order(input.subset_order);
        return solver;
      },
      params);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                         \
  template std::unique_ptr<Solver<ExecutionSpace, Scalar>> make_solver(      \
      const ExecutionSpace&, const SolverParams&, Ordinal, Ordinal, Ordinal, \
      const SolverInput<Scalar, ExecutionSpace::memory_space>&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
