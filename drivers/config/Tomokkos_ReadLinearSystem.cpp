// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverList.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

StartConfig read_linear_start(const ConfigReader& reader) {
  StartConfig result;
  const ConfigNode* node = reader.find("start");
  if (!node) return result;
  if (node->is_scalar() && !as_number(*node) && !node->scalar().ends_with(".npy"))
    result.image.value = reader.one_of("start", "", {"zeros", "ones"}) == "ones" ? 1.0 : 0.0;
  else
    result.image = read_constant_or_file(reader, "start", {});
  return result;
}

StopConfig read_linear_stop(const ConfigReader& solver, const SolverSection& section,
                            double default_residual) {
  const ConfigReader reader = solver.section(
      "stop", {"residual", "absolute_residual", "relative_change", "minimum_iterations"});
  StopConfig result;
  if (section.kind == SolverKind::gmres)
    reader.refuse_key("relative_change",
                      "has no effect on the solver gmres, which forms no x in "
                      "every iteration");
  if (section.kind == SolverKind::pcg && section.scheme == PcgScheme::single_reduction)
    reader.refuse_key("relative_change",
                      "is not measured by solver.scheme: single_reduction; it belongs to standard");
  if (section.kind == SolverKind::pcg && section.launches == PcgLaunches::resident)
    reader.refuse_key("relative_change",
                      "is not measured by solver.launches: resident; it belongs to others");
  result.residual = reader.optional_number("residual", NumberRange::not_negative());
  result.absolute_residual = reader.optional_number("absolute_residual", NumberRange::positive());
  result.relative_change = reader.optional_number("relative_change", NumberRange::positive());
  if (!result.residual && !result.absolute_residual && !result.relative_change) {
    // What least squares leave over is not known before.
    if (task_of(section.kind) == SolverTask::least_squares)
      result.relative_change = 1e-8;
    else
      result.residual = default_residual;
  }
  result.minimum_iterations =
      static_cast<int>(reader.integer("minimum_iterations", 0, 0, max_iterations));
  return result;
}

/// The names of the solvers of linear systems. Solvers of square systems come first.
std::vector<std::string_view> linear_solver_names() {
  std::vector<std::string_view> names;
  for (const SolverTask task : {SolverTask::square_systems, SolverTask::least_squares})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names)
      if (task_of(kind) == task) names.push_back(name);
  return names;
}

}  // namespace

ProblemSection read_linear_system(const ConfigReader& root, ConfigUse use) {
  const ConfigReader reader = root.section("problem", {"type", "matrix", "stencil", "rhs"});
  ProblemSection result;
  result.kind = ProblemKind::linear_system;
  if (reader.has("stencil")) {
    reader.refuse_key("matrix", "and stencil are two matrices; give one");
    result.stencil = read_stencil(reader);
  } else {
    reader.require_key("matrix",
                       "the matrix: a .mtx, .mtx.gz, .tar.gz or .npz file (or problem.stencil)");
    result.matrix = reader.file("matrix");
    if (!is_matrix_file(result.matrix) ||
        matrix_file_format(result.matrix) == MatrixFileFormat::csr4)
      reader.fail("matrix",
                  result.matrix.string() + ": expected a .mtx, .mtx.gz, .tar.gz or .npz file");
  }
  if (use == ConfigUse::run)
    reader.require_key("rhs", "the right-hand side: a .mtx or .npy file, ones, or random");
  const std::string rhs = reader.string("rhs", "ones");
  if (rhs == "ones") {
    result.linear_rhs = LinearRhs::ones;
  } else if (rhs == "random") {
    result.linear_rhs = LinearRhs::random;
  } else {
    result.rhs = reader.file("rhs");
    if (!is_vector_file(result.rhs))
      reader.fail("rhs",
                  "expected a .mtx, .mtx.gz or .npy file, ones or random; found \"" + rhs + "\"");
  }
  return result;
}

SolverSection read_linear_solver(const ConfigReader& root, std::string_view scalar,
                                 const LinearDefaults& defaults) {
  const ConfigReader reader =
      root.section("solver", {"type", "iterations", "restart", "scheme", "launches", "damping",
                              "restart_every", "preconditioner", "block", "scale_matrix",
                              "float_matrix", "assume_symmetric", "start", "check_every", "stop"});
  SolverSection result;
  const std::vector<std::string_view> available = linear_solver_names();
  if (const ConfigNode* type = reader.find("type"); type && type->is_scalar())
    if (from_string<SolverKind>(type->scalar()) &&
        std::find(available.begin(), available.end(), type->scalar()) == available.end())
      reader.fail("type", type->scalar() +
                              " reconstructs images (problem.type: tomography); available here: " +
                              join_names(available));
  result.kind = *from_string<SolverKind>(reader.one_of("type", "pcg", available));
  const auto only_for_solvers = [&](std::string_view key, std::vector<SolverKind> kinds) {
    if (std::find(kinds.begin(), kinds.end(), result.kind) != kinds.end()) return;
    std::vector<std::string_view> names;
    for (const SolverKind kind : kinds) names.push_back(to_string(kind));
    reader.refuse_key(key, "has no effect on the solver " + std::string(to_string(result.kind)) +
                               "; it belongs to " + join_names(names));
  };
#define TOMOKKOS_ONLY_WITH(key, member)                       \
  only_for_solvers(key, solvers_with([](const auto& params) { \
                     return requires { params.member; };      \
                   }))
  TOMOKKOS_ONLY_WITH("restart", restart);
  for (const char* key : {"scheme", "launches", "scale_matrix", "float_matrix", "assume_symmetric"})
    TOMOKKOS_ONLY_WITH(key, scheme);
  TOMOKKOS_ONLY_WITH("damping", damping);
  TOMOKKOS_ONLY_WITH("restart_every", restart_every);
  for (const char* key : {"preconditioner", "block"}) TOMOKKOS_ONLY_WITH(key, preconditioner);
#undef TOMOKKOS_ONLY_WITH
  result.iterations =
      static_cast<int>(reader.integer("iterations", defaults.iterations, 0, max_iterations));
  result.restart = static_cast<int>(reader.integer("restart", result.restart, 1, 10000));
  result.scheme = reader.choice("scheme", result.scheme);
  result.launches = reader.choice("launches", result.launches);
  if (result.launches == PcgLaunches::resident && result.scheme == PcgScheme::standard)
    reader.refuse_key("launches", "resident needs solver.scheme: single_reduction, not standard");
  result.damping = reader.number("damping", 0.0, NumberRange::not_negative());
  result.restart_every = static_cast<int>(reader.integer("restart_every", 0, 0, max_iterations));
  result.preconditioner = *from_string<PreconditionerKind>(
      reader.one_of("preconditioner", "jacobi", {"none", "jacobi", "block_jacobi"}));
  const auto only_for = [&](std::string_view key, PreconditionerKind kind) {
    if (result.preconditioner != kind)
      reader.refuse_key(key, "has no effect on the preconditioner " +
                                 std::string(to_string(result.preconditioner)) +
                                 "; it belongs to " + std::string(to_string(kind)));
  };
  only_for("block", PreconditionerKind::block_jacobi);
  only_for("scale_matrix", PreconditionerKind::jacobi);
  only_for("float_matrix", PreconditionerKind::jacobi);
  result.block = static_cast<int>(reader.integer("block", 2, 2, 4));
  result.scale_matrix = reader.boolean("scale_matrix", true);
  result.float_matrix = reader.boolean("float_matrix", false);
  if (result.float_matrix && !result.scale_matrix)
    reader.fail("float_matrix", "is of the scaled matrix; it needs scale_matrix: true");
  if (result.float_matrix && scalar == "float")
    reader.fail("float_matrix", "is for vectors in double; with run.scalar: float all is in float");
  result.assume_symmetric = reader.boolean("assume_symmetric", false);
  result.start = read_linear_start(reader);
  result.check_every = static_cast<int>(reader.integer("check_every", 25, 1, max_iterations));
  result.stop = read_linear_stop(reader, result, defaults.residual);
  return result;
}

}  // namespace Tomokkos
