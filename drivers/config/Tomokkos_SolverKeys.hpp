// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `solver`: the parameters of a solver and the keys that solvers share.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <functional>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Describes the keys of `solver` for the solver in \p section and a problem of kind \p
/// problem.
void describe(Keys& key, SolverSection& section, ProblemKind problem);

/// \brief Solvers of a kind of problem, solvers of square systems first.
std::vector<SolverKind> solvers_of(ProblemKind problem);

/// \brief Names of the solvers for which \p test is true, or of a kind of problem, solvers of
/// square systems first.
std::vector<std::string_view> solver_names(const std::function<bool(SolverKind)>& test);
std::vector<std::string_view> solver_names(ProblemKind problem);

/// \brief Solver with its defaults for a kind of problem.
SolverSection default_solver(SolverKind kind, ProblemKind problem);

/// \brief Keys that at least one solver of a kind of problem has.
std::vector<std::string_view> solver_keys(ProblemKind problem);

}  // namespace Tomokkos
