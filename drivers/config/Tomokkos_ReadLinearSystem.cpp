// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
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
  if (section.kind() == SolverKind::gmres)
    reader.refuse_key("relative_change",
                      "has no effect on the solver gmres, which forms no x in "
                      "every iteration");
  if (const auto* pcg = std::get_if<PcgParams>(&section.params)) {
    if (pcg->scheme == PcgScheme::single_reduction)
      reader.refuse_key(
          "relative_change",
          "is not measured by solver.scheme: single_reduction; it belongs to standard");
    if (pcg->launches == PcgLaunches::resident)
      reader.refuse_key("relative_change",
                        "is not measured by solver.launches: resident; it belongs to others");
  }
  result.residual = reader.optional_number("residual", NumberRange::not_negative());
  result.absolute_residual = reader.optional_number("absolute_residual", NumberRange::positive());
  result.relative_change = reader.optional_number("relative_change", NumberRange::positive());
  if (!result.residual && !result.absolute_residual && !result.relative_change) {
    // What least squares leave over is not known before.
    if (task_of(section.kind()) == SolverTask::least_squares)
      result.relative_change = 1e-8;
    else
      result.residual = default_residual;
  }
  result.minimum_iterations =
      static_cast<int>(reader.integer("minimum_iterations", 0, 0, most_count));
  return result;
}

/// The solvers of linear systems. Those of square systems come first.
std::vector<SolverKind> linear_solvers() {
  std::vector<SolverKind> kinds;
  for (const SolverTask task : {SolverTask::square_systems, SolverTask::least_squares})
    for (const auto& [kind, name] : EnumNames<SolverKind>::names)
      if (task_of(kind) == task) kinds.push_back(kind);
  return kinds;
}

void check_pcg(const ConfigReader& reader, const PcgParams& params, std::string_view scalar) {
  if (params.launches == PcgLaunches::resident && params.scheme == PcgScheme::standard)
    reader.fail("launches", "resident needs solver.scheme: single_reduction, not standard");
  if (!params.preconditioner.float_matrix) return;
  if (!params.preconditioner.scale_matrix)
    reader.fail("float_matrix", "is of the scaled matrix; it needs scale_matrix: true");
  if (scalar == "float")
    reader.fail("float_matrix", "is for vectors in double; with run.scalar: float all is in float");
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
  const std::vector<SolverKind> kinds = linear_solvers();
  const ConfigReader reader = root.section("solver", solver_keys(kinds));
  std::vector<std::string_view> available;
  for (const SolverKind kind : kinds) available.push_back(to_string(kind));
  if (const ConfigNode* type = reader.find("type"); type && type->is_scalar())
    if (from_string<SolverKind>(type->scalar()) &&
        std::find(available.begin(), available.end(), type->scalar()) == available.end())
      reader.fail("type", type->scalar() +
                              " reconstructs images (problem.type: tomography); available here: " +
                              join_names(available));
  SolverSection result;
  const SolverKind kind = *from_string<SolverKind>(reader.one_of("type", "pcg", available));
  result.params = default_params(kind);
  refuse_other_solvers(reader, kind, kinds);
  result.set_iterations(defaults.iterations);
  std::visit([](auto& params) { params.check_every = 25; }, result.params);
  describe(Impl::ReadKeys(reader), result);
  if (const auto* pcg = std::get_if<PcgParams>(&result.params)) check_pcg(reader, *pcg, scalar);
  result.start = read_linear_start(reader);
  result.stop = read_linear_stop(reader, result, defaults.residual);
  return result;
}

}  // namespace Tomokkos
