// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the effective configuration as YAML, without keys that would be refused because they have
// no effect.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <utility>

namespace Tomokkos {

using namespace Impl;

namespace {

template <class Section, class... What>
ConfigNode node_of(const Section& section, const What&... what) {
  ConfigNode node = ConfigNode::map();
  write_keys(node, section, what...);
  return node;
}

/// Writes `operator` for a chart whose matrix is not stored in one of the formats.
ConfigNode chart_operator_node(const OperatorWish& section) {
  ConfigNode node = ConfigNode::map();
  node.set("ordering", ordering_node(section.ordering));
  return node;
}

}  // namespace

ConfigNode to_node(const RunConfig& config) {
  ConfigNode node = ConfigNode::map();
  node.set("run", node_of(config.run));
  node.set("problem", node_of(config.problem, ConfigUse::run));
  node.set("operator", config.problem.kind == ProblemKind::parameterization &&
                               config.problem.form != ChartForm::equations
                           ? chart_operator_node(config.matrix_operator)
                           : node_of(config.matrix_operator, config.solver));
  node.set("solver", node_of(config.solver, config.problem.kind));
  node.set("output", node_of(config.output, config.problem.kind));
  return node;
}

}  // namespace Tomokkos
