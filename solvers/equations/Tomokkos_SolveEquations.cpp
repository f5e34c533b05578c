// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SolveEquations.hpp>

namespace Tomokkos {
namespace Impl {

/// One column after the other, each in a vector of its own.
template <class ExecutionSpace, class Scalar>
std::vector<SolveResult> solve_columns_by_bicgstab(
    const ExecutionSpace& exec, const CsrOperator<ExecutionSpace, Scalar>& A,
    const MultiVectorView<const Scalar, typename ExecutionSpace::memory_space>& B,
    const MultiVectorView<Scalar, typename ExecutionSpace::memory_space>& X,
    const PcgParams& asked) {
  using VectorType = Vector<Scalar, typename ExecutionSpace::memory_space>;
  BiCgStabParams params;
  params.iterations = asked.iterations;
  params.check_every = asked.check_every;
  params.stop = asked.stop;
  params.preconditioner = asked.preconditioner;
  params.preconditioner.positive_definite = false;
  params.preconditioner.float_matrix = false;
  BiCgStab<ExecutionSpace, Scalar> solver(exec, A.num_rows(), params);
  const PreconditionedSystem<ExecutionSpace, Scalar> system(exec, A, params.preconditioner);
  const auto b = allocate<VectorType>(exec, "Tomokkos::solve_equations::b", B.extent(0));
  const auto x = allocate<VectorType>(exec, "Tomokkos::solve_equations::x", X.extent(0));
  std::vector<SolveResult> results;
  for (std::size_t j = 0; j < B.extent(1); ++j) {
    const auto column = Kokkos::subview(X, Kokkos::ALL(), j);
    Kokkos::deep_copy(exec, b, Kokkos::subview(B, Kokkos::ALL(), j));
    Kokkos::deep_copy(exec, x, column);
    results.push_back(solver.solve(exec, system, b, x));
    Kokkos::deep_copy(exec, column, x);
  }
  return results;
}

}  // namespace Impl

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
    options.transpose = TransposeMethod::atomic;  // none is needed
    const CsrOperator<ExecutionSpace, Scalar> A(exec, equations.matrix(), options);
    if (solver == EquationSolver::pcg) {
      Pcg<ExecutionSpace, Scalar> pcg(exec, rows.num_free(), params, rows.num_columns());
      results = pcg.solve_stack(exec, A, equations.right_hand_sides(), free);
    } else {
      results = Impl::solve_columns_by_bicgstab<ExecutionSpace, Scalar>(
          exec, A, equations.right_hand_sides(), free, params);
    }
  }
  rows.scatter(exec, free, X);
  Impl::fence(exec, "solve_equations: all variables have their values");
  return results;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                            \
  template std::vector<SolveResult> solve_equations<ExecutionSpace, Scalar>(    \
      const ExecutionSpace&, const AssembledEquations<ExecutionSpace, Scalar>&, \
      const MultiVectorView<Scalar, ExecutionSpace::memory_space>&, const PcgParams&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
