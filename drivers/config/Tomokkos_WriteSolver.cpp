// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The section `solver` as YAML.
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_WriteSections.hpp>
#include <string_view>
#include <utility>

namespace Tomokkos::Impl {

namespace {

ConfigNode noise_rule_node(const NoiseRule& rule) {
  if (!rule.is_set()) return ConfigNode();
  ConfigNode node = ConfigNode::map();
  node.set("noise_level", rule.level ? ConfigNode::number(*rule.level) : ConfigNode::text("auto"));
  node.set("tau", ConfigNode::number(rule.tau));
  return node;
}

ConfigNode stop_node(const SolverSection& solver) {
  const StopConfig& stop = solver.stop;
  ConfigNode node = ConfigNode::map();
  node.set("relative_change", number_or_null(stop.relative_change));
  node.set("residual", number_or_null(stop.residual));
  node.set("discrepancy", noise_rule_node(stop.discrepancy));
  if (measures_ncp(solver.kind())) node.set("ncp", stop.ncp ? name_of(*stop.ncp) : ConfigNode());
  if (measures_monotone_error(solver))
    node.set("monotone_error", noise_rule_node(stop.monotone_error));
  node.set("minimum_iterations", ConfigNode::integer(stop.minimum_iterations));
  return node;
}

ConfigNode linear_stop_node(const SolverSection& solver) {
  const StopConfig& stop = solver.stop;
  const auto* const pcg = std::get_if<PcgParams>(&solver.params);
  const bool measures_change = solver.kind() != SolverKind::gmres &&
                               (pcg == nullptr || (pcg->scheme != PcgScheme::single_reduction &&
                                                   pcg->launches != PcgLaunches::resident));
  ConfigNode node = ConfigNode::map();
  node.set("residual", number_or_null(stop.residual));
  node.set("absolute_residual", number_or_null(stop.absolute_residual));
  if (measures_change) node.set("relative_change", number_or_null(stop.relative_change));
  node.set("minimum_iterations", ConfigNode::integer(stop.minimum_iterations));
  return node;
}

ConfigNode start_node(const StartConfig& start) {
  if (start.uniform) return ConfigNode::text("uniform");
  if (start.image.file.empty() && start.image.value == 0.0) return ConfigNode::text("zeros");
  return constant_or_file(start.image);
}

ConfigNode any_solver_node(SolverSection solver, ConfigNode stop) {
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(solver.kind()));
  describe(WriteKeys(node), solver);
  node.set("start", start_node(solver.start));
  node.set("stop", std::move(stop));
  return node;
}

}  // namespace

ConfigNode solver_node(const SolverSection& solver, ProblemKind problem, bool has_mesh) {
  const bool is_image = problem == ProblemKind::tomography;
  ConfigNode every_key =
      any_solver_node(solver, is_image ? stop_node(solver) : linear_stop_node(solver));
  if (!has_mesh) return every_key;
  ConfigNode node = ConfigNode::map();
  for (const std::string_view key : mesh_solver_keys())
    if (const ConfigNode* value = every_key.find(key)) node.set(key, *value);
  return node;
}

}  // namespace Tomokkos::Impl
