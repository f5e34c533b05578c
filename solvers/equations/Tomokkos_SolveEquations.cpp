// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SolveEquations.hpp>

namespace Tomokkos {
namespace {

BiCgStabParams bicgstab_params(const PcgParams& asked) {
  BiCgStabParams params;
  params.iterations = asked.iterations;
  params.check_every = asked.check_every;
  params.stop = asked.stop;
  params.preconditioner = asked.preconditioner;
  params.preconditioner.positive_definite = false;
  params.preconditioner.float_matrix = false;
  return params;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> solve_equations(
    const ExecutionSpace& exec, const AssembledEquations<ExecutionSpace, Scalar>& equations,
    const std::type_identity_t<MultiVectorView<Scalar, typename ExecutionSpace::memory_space>>& X,
    const PcgParams& params) {
  using MemorySpace = typename ExecutionSpace::memory_space;
  const auto& rows = equations.rows();
  require_equal("rows of X", static_cast<long long>(X.extent(0)), "number of variables",
                rows.num_variables());
  require_equal("columns of X", static_cast<long long>(X.extent(1)), "right-hand sides",
                rows.num_columns());
  const EquationSolver solver = equations.solver(exec);
  const auto free = allocate<MultiVector<Scalar, MemorySpace>>(
      exec, "Tomokkos::solve_equations::free", rows.num_free(), rows.num_columns());
  Kokkos::deep_copy(exec, as_vector(free), as_vector(rows.start()));
  std::vector<SolveResult> results(static_cast<std::size_t>(rows.num_columns()));
  if (rows.num_free() == 0) {
    for (SolveResult& result : results) result.reason = StopReason::zero_rhs;
  } else {
    OperatorOptions options;
    options.transpose = TransposeMethod::atomic;  // no transposed product is needed
    const CsrOperator<ExecutionSpace, Scalar> A(exec, equations.matrix(), options);
    if (solver == EquationSolver::pcg) {
      Pcg<ExecutionSpace, Scalar> pcg(exec, rows.num_free(), params, rows.num_columns());
      results = pcg.solve(exec, A, equations.right_hand_sides(), free);
    } else {
      BiCgStab<ExecutionSpace, Scalar> bicgstab(exec, rows.num_free(), bicgstab_params(params));
      const AnyOperator<ExecutionSpace, Scalar> any = A;
      bicgstab.prepare(exec, any);
      results = bicgstab.solve(exec, any, equations.right_hand_sides(), free);
    }
  }
  rows.scatter(exec, free, X);
  Impl::fence(exec, "solve_equations: all variables must have their values");
  return results;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                            \
  template std::vector<SolveResult> solve_equations<ExecutionSpace, Scalar>(    \
      const ExecutionSpace&, const AssembledEquations<ExecutionSpace, Scalar>&, \
      const MultiVectorView<Scalar, ExecutionSpace::memory_space>&, const PcgParams&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
