// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `solver`: those of the parameters of a solver, and those of what it takes
// beside them.
#pragma once

#include <Tomokkos_Keys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Describes the keys of `solver` in a problem of \p problem, for the solver that it holds.
void describe(Keys& key, SolverSection& section, ProblemKind problem);

/// \brief The solvers of a problem, those of square systems first.
std::vector<SolverKind> solvers_of(ProblemKind problem);

/// \brief The names of the solvers for which \p test is true, those of square systems first.
template <class Test>
std::vector<std::string_view> solver_names(const Test& test) {
  std::vector<std::string_view> names;
  for (const bool square : {true, false})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names)
      if (solves_square_systems(kind) == square && test(kind)) names.push_back(name);
  return names;
}
std::vector<std::string_view> solver_names(ProblemKind problem);

/// \brief A solver with the defaults that it has in a problem.
SolverSection default_solver(SolverKind kind, ProblemKind problem);

/// \brief The keys that one of the solvers of a problem has.
std::vector<std::string_view> solver_keys(ProblemKind problem);

/// \brief Refuses the keys of \p reader that belong to other solvers of the problem than \p kind,
/// and names those.
void refuse_other_solvers(const ConfigReader& reader, SolverKind kind, ProblemKind problem);

/// \brief The reader of `solver`, for messages at its keys.
inline ConfigReader solver_section(const ConfigReader& root, ProblemKind problem) {
  return root.section("solver", solver_keys(problem));
}

}  // namespace Tomokkos
