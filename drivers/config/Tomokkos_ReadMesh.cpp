// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the sections of problems on meshes.
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>

namespace Tomokkos {

void check_chart_form(const ConfigReader& root, const RunConfig& config) {
  if (config.problem.kind != ProblemKind::parameterization ||
      config.problem.form == ChartForm::equations)
    return;
  const std::string why =
      "has no effect on problem.form: " + std::string(to_string(config.problem.form)) +
      "; it belongs to problem.form: equations";
  if (const ConfigNode* section = root.find("operator"); section != nullptr && section->is_map()) {
    std::vector<std::string_view> keys;
    for (const auto& entry : section->entries()) keys.push_back(entry.key);
    const ConfigReader reader = root.section("operator", keys);
    for (const std::string_view key : keys)
      if (key != "ordering") reader.refuse_key(key, why);
    if (config.matrix_operator.ordering.entries != EntryOrder::sorted)
      reader.fail("ordering", "entries: interleaved " + why);
  }
  if (config.solver.preconditioner().kind == PreconditionerKind::block_jacobi)
    solver_section(root, config.problem.kind)
        .fail("preconditioner",
              "block_jacobi " + why + "; use jacobi, which has blocks of two there");
}

}  // namespace Tomokkos
