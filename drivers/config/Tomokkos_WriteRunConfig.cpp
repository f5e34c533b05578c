// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The effective configuration as YAML. Keys that would be refused, because they have no effect, are
// left out.
#include <Tomokkos_FormatKeys.hpp>
#include <Tomokkos_Keys.hpp>
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

ConfigNode operator_node(const OperatorSection& section, SolverKind solver) {
  if (section.block_circulant) return circulant_operator_node(section, solver);
  ConfigNode node = ConfigNode::map();
  node.set("format", ConfigNode::text(section.symmetric ? "scsr" : section.format_name()));
  if (section.symmetric) node.set("stored_format", ConfigNode::text(section.format_name()));
  if (section.transpose_format) node.set("transpose_format", name_of(*section.transpose_format));
  const bool is_csr = section.is(MatrixFormat::csr);
  if (is_csr) node.set("variant", name_of(section.variant));
  write_format_keys(section, node);
  const bool has_methods =
      section.is_automatic() || !transpose_methods(format_of(*section.stored)).empty();
  if (uses_transpose(solver) && has_methods) {
    node.set("transpose", name_of(section.transpose));
    if (is_csr && section.transpose_format != MatrixFormat::sell &&
        (section.transpose == TransposeMethod::stored ||
         section.transpose == TransposeMethod::automatic))
      node.set("transpose_variant", name_of(section.transpose_variant));
  }
  node.set("ordering", ordering_node(section.ordering));
  return node;
}

/// Of a form that is no format.
ConfigNode chart_operator_node(const OperatorSection& section) {
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
                           : operator_node(config.matrix_operator, config.solver.kind()));
  node.set("solver", node_of(config.solver, config.problem.kind));
  node.set("output", node_of(config.output, config.problem.kind));
  return node;
}

}  // namespace Tomokkos
