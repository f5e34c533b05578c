// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of problems on meshes.
#include <Tomokkos_ReadSections.hpp>

namespace Tomokkos {

std::optional<ProblemKind> mesh_problem_kind(const ConfigNode& problem) {
  const ConfigNode* type = problem.is_map() ? problem.find("type") : nullptr;
  if (type == nullptr || !type->is_scalar()) return std::nullopt;
  for (const ProblemKind kind : {ProblemKind::parameterization, ProblemKind::smoothing})
    if (type->scalar() == to_string(kind)) return kind;
  return std::nullopt;
}

ProblemSection read_mesh_problem(const ConfigReader& root, ProblemKind kind, ConfigUse use) {
  const bool smooths = kind == ProblemKind::smoothing;
  const ConfigReader reader = smooths ? root.section("problem", {"type", "mesh", "locked"})
                                      : root.section("problem", {"type", "mesh", "form", "pins"});
  if (use == ConfigUse::matrix)
    reader.fail("type", std::string(to_string(kind)) +
                            " has its matrix from a mesh, which run alone makes; available here: "
                            "tomography, linear_system");
  ProblemSection result;
  result.kind = kind;
  result.mesh = read_mesh_config(reader);
  if (smooths) {
    result.locked = read_locks(reader);
  } else {
    result.form = reader.choice("form", result.form);
    result.pins = read_pins(reader);
  }
  return result;
}

SolverSection read_mesh_solver(const ConfigReader& root, ProblemKind kind,
                               std::string_view scalar) {
  const ConfigReader reader = root.section("solver", mesh_solver_keys());
  reader.one_of("type", "pcg", {"pcg"});
  // A narrow part of a chart may be off by half of its size at a residual of 1e-6, without a
  // triangle turned over; and locks along a border alone take many iterations.
  return read_linear_solver(
      root, scalar,
      {.iterations = 100000, .residual = kind == ProblemKind::parameterization ? 1e-10 : 1e-6});
}

OutputSection read_mesh_output(const ConfigReader& root, ProblemKind kind,
                               const std::string& name) {
  const bool smooths = kind == ProblemKind::smoothing;
  const ConfigReader reader =
      smooths ? root.section("output", {"directory", "mesh", "picture_size", "report"})
              : root.section("output", {"directory", "picture_size", "report"});
  OutputSection result;
  result.directory = reader.has("directory") ? reader.file("directory")
                                             : std::filesystem::current_path() / "out" / name;
  if (smooths) result.mesh = reader.choice("mesh", result.mesh);
  result.picture_size = static_cast<int>(reader.integer("picture_size", 1000, 0, 8192));
  if (result.picture_size > 0 && result.picture_size < 16)
    reader.fail("picture_size", "pictures have 16 to 8192 pixels; 0 leaves them out");
  result.report = read_report_name(reader, result.report);
  return result;
}

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
    root.section("solver", mesh_solver_keys())
        .fail("preconditioner", "block_jacobi " + why + ", and blocks of two are jacobi there");
}

}  // namespace Tomokkos
