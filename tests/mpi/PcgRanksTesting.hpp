// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems for conjugate gradients that are distributed over ranks.
#pragma once

#include "OverRanksTesting.hpp"

namespace spread_testing {

constexpr PcgScheme all_schemes[] = {PcgScheme::automatic, PcgScheme::standard,
                                     PcgScheme::single_reduction};

using Kind = PreconditionerKind;
inline const std::vector<std::pair<std::string, PreconditionerOptions>> preparations{
    {"none", {Kind::none}},
    {"jacobi, scaled", {Kind::jacobi}},
    {"jacobi", {Kind::jacobi, 2, false}},
    {"blocks of 3", {Kind::block_jacobi, 3}}};

template <class Scalar>
System<Scalar> spread_system(const TestSpace& exec, const PlainCsr& A, const Begins& begins,
                             const Comm& comm, const PreconditionerOptions& options = {}) {
  return System<Scalar>(exec, make_spread<Scalar>(exec, A, begins, comm), options);
}

/// Returns the whole solution. `b` and `start` are also whole.
template <class Scalar>
std::vector<Scalar> solve_spread(const System<Scalar>& system, const Begins& begins,
                                 const Values& b, const Values& start, const PcgParams& params,
                                 SolveResult& result) {
  return whole_of(
      solve<Cg<Scalar>>(system, part_of(b, begins), part_of(start, begins), params, result),
      begins);
}

}  // namespace spread_testing
