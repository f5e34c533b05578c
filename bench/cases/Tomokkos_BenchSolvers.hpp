// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MakeSolver.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "Tomokkos_BenchCase.hpp"
#include "Tomokkos_BenchOptions.hpp"

namespace Tomokkos::Bench {

/// \brief Iterations after which iterates are compared.
inline constexpr int checked_iterations = 3;

/// \brief A solver of the library, with the parameters that are timed.
struct NamedSolver {
  std::string name;  ///< `cgls`, `os_mlem`, as configurations and reports have it
  SolverParams params;
};

/// \brief Every solver of the library with its default parameters, and with eight ordered subsets
/// as `os_<name>` where it takes them.
std::vector<NamedSolver> all_solvers();

/// \brief The name of a solver with \p params.
std::string solver_name(const SolverParams& params);

/// \brief The parameters of a run's solver, and the way its operator is made.
template <class ExecutionSpace, class Scalar>
struct ConfiguredRun {
  NamedSolver solver;
  std::function<AnyOperator<ExecutionSpace, Scalar>()> make_operator;
};

/// \brief An iteration (a sweep, of solvers that have sweeps) of \p solver on our operators: in
/// every shape of `options.formats`, and of \p run, where that is given, as `as_configured`.
///
/// The data are `b = A x` of an image in [0.5, 1.5), the start is 0.75 everywhere. Timed between
/// the first and the last iterate of one solve, so that its preparation does not count. Stop rules
/// and the likelihood are left out. The check compares the iterate after `checked_iterations` with
/// that of the same solver in double on CSR, one row after the other: their distance over the
/// length of the latter, over the square root of the unit round-off of the scalar.
///
/// \throw Error where the solver refuses the matrix
template <class ExecutionSpace, class Scalar>
CandidateList solver_candidates(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                const NamedSolver& solver, const BenchOptions& options,
                                const ConfiguredRun<ExecutionSpace, Scalar>* run = nullptr);

}  // namespace Tomokkos::Bench
