// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the section `solver` that describe a solver: those of its parameters, and those of
// what it takes beside them.
#pragma once

#include <Tomokkos_DescribedKeys.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief Describes the order in which a solver visits views, and rows within them.
template <class Visitor>
void describe(Visitor&& key, SweepConfig& sweep, SolverKind kind) {
  key.name("order", sweep.order, "Order in which a sweep visits the views.");
  key.only("order", sweep.order, ViewOrder::random)
      .integer("seed", sweep.seed, 0, std::numeric_limits<long long>::max(),
               "Seed of the random order.");
  if (!has_sweeps(kind)) return;
  key.name("within_view", sweep.within_view, "Order of the rays of a view.");
  key.only("within_view", sweep.within_view, WithinView::strided)
      .count_or_auto("stride", sweep.stride, "Rays from one visit to the next.");
  if (kind == SolverKind::block_art)
    key.count_or_auto("block_rows", sweep.block_rows, "Rows that are visited at once.");
}

/// \brief Describes the keys of \p section that belong to its solver, but for those that every
/// solver has: `type`, `start` and `stop`.
template <class Visitor>
void describe(Visitor&& key, SolverSection& section) {
  const SolverKind kind = section.kind();
  std::visit([&](auto& params) { describe(key, params); }, section.params);
  if (counts_sweeps(kind)) describe(key, section.sweep, kind);
  if (kind == SolverKind::mlem) {
    key.constant_or_file("background", section.background, KeyRange::not_negative(),
                         "Scatter and randoms: counts that are added to the model.");
    key.constant_or_file("multiplicative", section.multiplicative, KeyRange::positive(),
                         "Attenuation and normalisation: factors of the model.");
  }
  if (kind == SolverKind::pcg)
    key.boolean("assume_symmetric", section.assume_symmetric,
                "Does not compare the matrix with its transpose.");
}

/// \brief The names of the solvers for which \p test is true, those of square systems first.
template <class Test>
std::vector<std::string_view> solver_names(const Test& test) {
  std::vector<std::string_view> names;
  for (const bool square : {true, false})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names)
      if (solves_square_systems(kind) == square && test(kind)) names.push_back(name);
  return names;
}

/// \brief The keys of `solver` where \p kinds are available.
std::vector<std::string_view> solver_keys(const std::vector<SolverKind>& kinds);

/// \brief Refuses the keys of \p reader that belong to others of \p kinds than \p kind, and names
/// those.
void refuse_other_solvers(const ConfigReader& reader, SolverKind kind,
                          const std::vector<SolverKind>& kinds);

}  // namespace Tomokkos
