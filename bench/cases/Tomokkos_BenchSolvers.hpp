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

/// \brief Number of iterations after which iterates are compared.
inline constexpr int checked_iterations = 3;

/// \brief Solver of the library with the parameters that are timed.
struct NamedSolver {
  std::string name;  ///< `cgls`, `os_mlem` and so on, as in configurations and reports
  SolverParams params;
};

/// \brief Returns every solver of the library with its default parameters. Solvers with ordered
/// subsets appear also with eight of them, as `os_<name>`.
std::vector<NamedSolver> all_solvers();

/// \brief Returns the name of a solver with \p params.
std::string solver_name(const SolverParams& params);

/// \brief Parameters of the solver of a run, and a function that makes its operator.
template <class ExecutionSpace, class Scalar>
struct ConfiguredRun {
  NamedSolver solver;
  std::function<AnyOperator<ExecutionSpace, Scalar>()> make_operator;
};

/// \brief Makes candidates for an iteration (or a sweep) of \p solver on our operators, in every
/// shape of `options.formats`. If \p run is given and names this solver, its operator is added as
/// `as_configured`.
///
/// The data are `b = A x` with an image in [0.5, 1.5); the start is 0.75 everywhere. The time is
/// measured between the first and the last iterate of one solve, so the preparation does not count.
/// Stop rules and the likelihood are left out. The check compares the iterate after
/// `checked_iterations` with that of the same solver in double on CSR, one row after the other. The
/// error is their distance, divided by the length of the latter and by the square root of the unit
/// round-off of the scalar.
///
/// \throws Error when the solver refuses the matrix
template <class ExecutionSpace, class Scalar>
CandidateList solver_candidates(BenchCase<ExecutionSpace, Scalar>& matrix_case,
                                const NamedSolver& solver, const BenchOptions& options,
                                const ConfiguredRun<ExecutionSpace, Scalar>* run = nullptr);

}  // namespace Tomokkos::Bench
