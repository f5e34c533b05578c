// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the effective configuration as YAML, without keys that would be refused because they have
// no effect, and on request without those that have their default.
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_ProblemKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <Tomokkos_WriteYaml.hpp>
#include <cstddef>
#include <string>

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

/// Returns all values of the configuration \p root; empty if it is refused.
std::string all_values(const ConfigNode& root) {
  try {
    // The default folder has the name of the file. No run writes to this one, so that the folder
    // always differs.
    return to_yaml(to_node(read_run_config(root, ConfigUse::run, "/dev/null")));
  } catch (const Error&) {
    return "";
  }
}

/// Removes the keys of \p section without which \p root still has the values \p all. Returns false
/// if there are none.
bool remove_defaults(const ConfigNode& root, ConfigNode& section, const std::string& all) {
  bool has_removed = false;
  auto& entries = section.entries();
  for (std::size_t i = 0; i < entries.size();) {
    const auto at = entries.begin() + static_cast<std::ptrdiff_t>(i);
    ConfigNode::Entry entry = std::move(*at);
    entries.erase(at);
    if (all_values(root) == all) {
      has_removed = true;
      continue;
    }
    ConfigNode& value = entries.insert(at, std::move(entry))->value;
    if (value.is_map() && remove_defaults(root, value, all)) has_removed = true;
    ++i;
  }
  return has_removed;
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

ConfigNode to_short_node(const RunConfig& config) {
  ConfigNode node = to_node(config);
  // Without the keys that follow it, operator.format may have its default as well.
  const std::string all = all_values(node);
  while (remove_defaults(node, node, all)) {
  }
  return node;
}

}  // namespace Tomokkos
