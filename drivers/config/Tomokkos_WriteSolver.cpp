// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The section `solver` as YAML.
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverList.hpp>
#include <Tomokkos_SweepOrder.hpp>
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
  if (measures_ncp(solver.kind)) node.set("ncp", stop.ncp ? name_of(*stop.ncp) : ConfigNode());
  if (measures_monotone_error(solver))
    node.set("monotone_error", noise_rule_node(stop.monotone_error));
  node.set("minimum_iterations", ConfigNode::integer(stop.minimum_iterations));
  return node;
}

ConfigNode linear_stop_node(const SolverSection& solver) {
  const StopConfig& stop = solver.stop;
  const bool measures_change =
      solver.kind != SolverKind::gmres &&
      (solver.kind != SolverKind::pcg ||
       (solver.scheme != PcgScheme::single_reduction && solver.launches != PcgLaunches::resident));
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

void set_least_squares(const SolverSection& solver, ConfigNode& node) {
  std::visit(
      [&](const auto& params) {
        if constexpr (requires { params.damping; })
          node.set("damping", ConfigNode::number(solver.damping));
        if constexpr (requires { params.restart_every; })
          node.set("restart_every", ConfigNode::integer(solver.restart_every));
      },
      default_params(solver.kind));
}

ConfigNode linear_solver_node(const SolverSection& solver) {
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(solver.kind));
  node.set("iterations", ConfigNode::integer(solver.iterations));
  const bool is_pcg = solver.kind == SolverKind::pcg;
  if (solver.kind == SolverKind::gmres) node.set("restart", ConfigNode::integer(solver.restart));
  if (is_pcg) {
    node.set("scheme", name_of(solver.scheme));
    node.set("launches", name_of(solver.launches));
  }
  set_least_squares(solver, node);
  if (solves_square_systems(solver.kind)) {
    node.set("preconditioner", name_of(solver.preconditioner));
    if (solver.preconditioner == PreconditionerKind::block_jacobi)
      node.set("block", ConfigNode::integer(solver.block));
  }
  if (is_pcg && solver.preconditioner == PreconditionerKind::jacobi) {
    node.set("scale_matrix", ConfigNode::boolean(solver.scale_matrix));
    node.set("float_matrix", ConfigNode::boolean(solver.float_matrix));
  }
  if (is_pcg) node.set("assume_symmetric", ConfigNode::boolean(solver.assume_symmetric));
  node.set("start", start_node(solver.start));
  node.set("check_every", ConfigNode::integer(solver.check_every));
  node.set("stop", linear_stop_node(solver));
  return node;
}

ConfigNode image_solver_node(const SolverSection& solver) {
  ConfigNode node = ConfigNode::map();
  node.set("type", name_of(solver.kind));
  node.set(counts_sweeps(solver.kind) ? "sweeps" : "iterations",
           ConfigNode::integer(solver.iterations));
  if (solver.kind == SolverKind::sirt || counts_sweeps(solver.kind)) {
    node.set("relaxation", ConfigNode::number(solver.relaxation));
    node.set("minimum", number_or_null(solver.minimum));
    node.set("maximum", number_or_null(solver.maximum));
  }
  if (has_sweeps(solver.kind)) set_sweep(solver, node);
  if (solver.kind == SolverKind::sirt)
    node.set("smallest_sum", ConfigNode::number(solver.smallest_sum));
  if (is_sart(solver.kind)) {
    node.set("smallest_product", ConfigNode::number(solver.smallest_product));
    node.set("order", name_of(solver.sweep.order));
    if (solver.sweep.order == ViewOrder::random)
      node.set("seed", ConfigNode::integer(solver.sweep.seed));
  }
  if (solver.kind == SolverKind::mlem || solver.kind == SolverKind::sirt ||
      solver.kind == SolverKind::os_sart)
    node.set("subsets", ConfigNode::integer(solver.subsets));
  set_least_squares(solver, node);
  node.set("start", start_node(solver.start));
  if (solver.kind == SolverKind::mlem) {
    node.set("background", solver.background ? constant_or_file(*solver.background) : ConfigNode());
    node.set("multiplicative",
             solver.multiplicative ? constant_or_file(*solver.multiplicative) : ConfigNode());
    node.set("sensitivity_threshold", ConfigNode::number(solver.sensitivity_threshold));
  }
  node.set("check_every", ConfigNode::integer(solver.check_every));
  node.set("stop", stop_node(solver));
  return node;
}

ConfigNode mesh_solver_node(const SolverSection& solver) {
  const ConfigNode every_key = linear_solver_node(solver);
  ConfigNode node = ConfigNode::map();
  for (const std::string_view key : mesh_solver_keys())
    if (const ConfigNode* value = every_key.find(key)) node.set(key, *value);
  return node;
}

}  // namespace

ConfigNode solver_node(const SolverSection& solver, ProblemKind problem, bool has_mesh) {
  if (has_mesh) return mesh_solver_node(solver);
  return problem == ProblemKind::linear_system ? linear_solver_node(solver)
                                               : image_solver_node(solver);
}

}  // namespace Tomokkos::Impl
