// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

void check_determinism(const ConfigReader& reader, const RunConfig& result) {
  if (result.run.deterministic && result.matrix_operator.transpose == TransposeMethod::atomic)
    reader.fail(
        "operator",
        std::string(
            "transpose: atomic adds in varying order, which run.deterministic excludes; use ") +
            (result.matrix_operator.is(MatrixFormat::pair_blocked)
                 ? "fixed_point, which adds whole numbers"
                 : "stored, or windowed (csr only), which keeps no copy"));
}

/// Type of the problem; tomography if the key is missing or unknown, which is reported later.
ProblemKind kind_of_problem(const ConfigReader& root) {
  const ConfigNode& problem = *root.find("problem");
  const ConfigNode* type = problem.is_map() ? problem.find("type") : nullptr;
  if (type == nullptr || !type->is_scalar()) return ProblemKind::tomography;
  return from_string<ProblemKind>(type->scalar()).value_or(ProblemKind::tomography);
}

}  // namespace

RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name) {
  // `bench` is a known section, but a separate reader handles it.
  const ConfigReader reader(root, "", document_keys());
  RunConfig result;
  if (!reader.has("problem"))
    reader.fail("problem.type", "is required; available: " + problem_kinds());
  const ProblemKind kind = kind_of_problem(reader);
  result.run = read_run(reader, kind == ProblemKind::tomography ? "float" : "double");
  result.problem = read_problem(reader, kind, use);
  result.solver = read_solver(reader, result.problem, use, result.run.scalar);
  if (kind != ProblemKind::tomography &&
      !(result.run.host_backend.empty() && result.run.shares.empty()))
    reader.section("run", names_of_keys(result.run))
        .fail(result.run.host_backend.empty() ? "shares" : "backend",
              "only the rows of a reconstruction are divided, not those of a problem of type " +
                  std::string(to_string(kind)));
  result.matrix_operator = read_operator(reader, result.run, result.problem, result.solver);
  check_chart_form(reader, result);
  result.output = read_output(reader, result, name);
  check_determinism(reader, result);
  return result;
}

}  // namespace Tomokkos
