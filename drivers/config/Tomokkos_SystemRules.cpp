// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of linear systems and of problems on meshes.
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_Rules.hpp>

namespace Tomokkos {
namespace {

void check_mesh(const RuleCheck& rule, const MeshConfig& mesh) {
  if (!mesh.file.empty()) return;
  rule(mesh.size.vertices == 0 && mesh.size.triangles == 0, "problem.mesh.vertices",
       "is required to set the size of the mesh (or give triangles)");
  double triangles =
      static_cast<double>(mesh.size.triangles > 0 ? mesh.size.triangles : 2 * mesh.size.vertices);
  for (int level = 0; level < mesh.refine; ++level) triangles *= 4;
  rule(triangles > static_cast<double>(max_triangles), "problem.mesh.refine",
       std::to_string(mesh.refine) + " levels of refinement make " +
           ConfigNode::number(triangles).scalar() + " triangles; a mesh has at most " +
           std::to_string(max_triangles));
}

}  // namespace

void check_stencil(const RuleCheck& rule, std::string_view path, const StencilRows& stencil) {
  const Offset plane = static_cast<Offset>(stencil.size[0]) * stencil.size[1];
  rule(plane > max_ordinal / stencil.unknowns / stencil.size[2], path,
       "has more unknowns than a 32-bit index can number; choose a smaller grid");
}

void check_system(const RuleCheck& rule, const ProblemSection& problem) {
  if (problem.stencil) check_stencil(rule, "problem.stencil.size", *problem.stencil);
  if (problem.mesh) check_mesh(rule, *problem.mesh);
}

void check_system_solver(const RuleCheck& rule, const RunConfig& config) {
  const RunSection& run = config.run;
  rule(!run.host_backend.empty() || !run.shares.empty(),
       run.host_backend.empty() ? "run.shares" : "run.backend",
       "only the rows of a reconstruction are divided, not those of a problem of type " +
           std::string(to_string(config.problem.kind)));
  const auto* const pcg = std::get_if<PcgParams>(&config.solver.params);
  if (!pcg) return;
  rule(pcg->launches == PcgLaunches::resident && pcg->scheme == PcgScheme::standard,
       "solver.launches", "resident needs solver.scheme: single_reduction, not standard");
  const bool in_float = pcg->preconditioner.float_matrix;
  rule(in_float && !pcg->preconditioner.scale_matrix, "solver.float_matrix",
       "applies only to the scaled matrix; set scale_matrix: true");
  rule(in_float && config.run.scalar == "float", "solver.float_matrix",
       "applies only to run.scalar: double; with float everything is in float already");
}

void check_chart(const RuleCheck& rule, const RunConfig& config) {
  const ChartForm form = config.problem.form;
  if (config.problem.kind != ProblemKind::parameterization || form == ChartForm::equations) return;
  const std::string why = "has no effect on problem.form: " + std::string(to_string(form)) +
                          "; it belongs to problem.form: equations";
  for (const std::string_view key : operator_keys()) {
    const std::string path = "operator." + std::string(key);
    rule(key != "ordering" && rule.given(path), path, why);
  }
  rule(config.matrix_operator.ordering.entries != EntryOrder::sorted, "operator.ordering",
       "entries: interleaved " + why);
  rule(preconditioner_of(config.solver.params).kind == PreconditionerKind::block_jacobi,
       "solver.preconditioner",
       "block_jacobi " + why + "; use jacobi, which has blocks of two there");
}

}  // namespace Tomokkos
