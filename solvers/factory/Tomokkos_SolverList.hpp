// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Art.hpp>
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Fbp.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_Lsmr.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <variant>
#include <vector>

namespace Tomokkos {

namespace Impl {

template <class Nothing, class... Params>
struct EachSolver {
  using Variant = std::variant<Params...>;
};
#define TOMOKKOS_PARAMS(name, Params) , Params
using AllSolvers = EachSolver<void TOMOKKOS_FOR_EACH_SOLVER(TOMOKKOS_PARAMS)>;
#undef TOMOKKOS_PARAMS

}  // namespace Impl

/// \brief Parameters of any one solver.
using SolverParams = Impl::AllSolvers::Variant;

/// \brief Returns the solver to which \p params belong.
inline SolverKind kind_of(const SolverParams& params) {
  return static_cast<SolverKind>(params.index());
}

/// \brief Returns the default parameters of \p kind.
SolverParams default_params(SolverKind kind);

/// \brief Returns the result of \p test for the default parameters of \p kind.
template <class Test>
bool solver_has(SolverKind kind, const Test& test) {
  return std::visit(test, default_params(kind));
}

/// \brief Returns the solvers for whose default parameters \p test is true, in the order of the
/// list.
template <class Test>
std::vector<SolverKind> solvers_with(const Test& test) {
  std::vector<SolverKind> result;
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (solver_has(kind, test)) result.push_back(kind);
  return result;
}

}  // namespace Tomokkos
