// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The section `solver` of all problems, and what it must agree with.
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <Tomokkos_SweepOrder.hpp>
#include <algorithm>

namespace Tomokkos {

ConstantOrFile read_constant_or_file(const ConfigReader& reader, std::string_view key,
                                     NumberRange range) {
  const ConfigNode& node = *reader.find(key);
  if (as_number(node)) return {number_of(node, reader.path_of(key), range), {}};
  if (node.is_scalar() && node.scalar().ends_with(".npy"))
    return {0.0, file_of(node, reader.path_of(key))};
  reader.fail(key, "expected a number or a .npy file, found " + node.describe());
}

namespace {

void check_start(const ConfigReader& reader, const SolverSection& solver) {
  const StartConfig& start = solver.start;
  const bool is_mlem = solver.kind() == SolverKind::mlem;
  if (start.uniform && !is_mlem)
    reader.fail("start",
                "uniform is made from the counts of the data, which only mlem has; "
                "allowed here: zeros, ones, a number, a .npy file");
  if (is_mlem && !start.uniform && start.image.file.empty() && start.image.value <= 0.0)
    reader.fail("start",
                "mlem multiplies the image and never leaves zero; start from uniform, "
                "ones, a positive number or a .npy file");
}

void check_stop(const ConfigReader& solver, const ProblemSection& problem, const StopConfig& stop) {
  for (const auto& [key, rule] :
       {std::pair{"discrepancy", &stop.discrepancy}, {"monotone_error", &stop.monotone_error}})
    if (*rule && (*rule)->is_of_added_noise() && problem.noise.kind == NoiseKind::none)
      solver.fail_at_path(std::string("stop.") + key + ".noise_level",
                          "auto needs problem.noise; the noise of measured data is not known to "
                          "the program");
  if (stop.ncp == NcpSignals::views && (!problem.traits().has_views || problem.has_unknown_rows()))
    solver.fail_at_path("stop.ncp",
                        "views needs data of views and detectors, which this matrix does not "
                        "have; whole takes all rays as one signal");
}

// Views, or subsets of them, have to be known.
void check_sart(const ConfigReader& reader, const ProblemSection& problem, SolverKind kind) {
  if (kind == SolverKind::sart && !problem.traits().has_views)
    reader.fail("type", "sart takes the views of a scan one by one; os_sart is for this matrix");
  if (kind == SolverKind::sart && problem.has_unknown_rows())
    reader.fail("type",
                "sart takes the views one by one, and the matrix is from a file: "
                "problem.geometry.views and detectors must say how many there are");
  if (kind == SolverKind::os_sart)
    reader.require_key("subsets", "how many ordered subsets of the views (each view one: sart)");
}

void check_subsets(const ConfigReader& reader, const ProblemSection& problem, int subsets) {
  const std::string count = std::to_string(subsets);
  if (const auto views = problem.views(); views && subsets > *views)
    reader.fail("subsets",
                count + " subsets cannot be made of " + std::to_string(*views) + " views");
  if (const auto* pet = problem.as<ScannerConfig>();
      pet && subsets > pet->scanner.crystals_around())
    reader.fail("subsets", count + " subsets cannot be made of the views of " +
                               std::to_string(pet->scanner.crystals_around()) +
                               " crystals around the axis");
  if (const auto* beam = problem.as<ConeBeamRows>(); beam && beam->scan.views % subsets != 0)
    reader.fail("subsets", count + " subsets cannot be made of the " +
                               std::to_string(beam->scan.views) +
                               " views of a cone beam, which are dealt out evenly: give a divisor");
}

/// The smallest and the largest value that x may take.
template <class Params>
void check_box(const ConfigReader& reader, const Params& params) {
  if constexpr (requires { params.minimum > params.maximum; })
    if (params.minimum > params.maximum) reader.fail("minimum", "lies above the maximum");
}

bool reconstructs(SolverKind kind) { return !solves_square_systems(kind); }

/// `solver.type` of a tomography, also by the name that ordered subsets have in the field.
SolverKind read_image_solver(const ConfigReader& reader) {
  const ConfigNode* node = reader.find("type");
  const std::string name = node && node->is_scalar() ? node->scalar() : "";
  if (const auto known = from_string<SolverKind>(name); known && solves_square_systems(*known))
    reader.fail("type", name +
                            " solves square systems (problem.type: linear_system); available "
                            "here: " +
                            join_names(solver_names(reconstructs)));
  if (name == "osem") {
    const auto subsets = reader.has("subsets") ? as_number(*reader.find("subsets")) : std::nullopt;
    if (!reader.has("subsets") || subsets == 1)
      reader.fail("type",
                  "osem is mlem over ordered subsets of the views; solver.subsets says how many, "
                  "for example 10");
    return SolverKind::mlem;
  }
  if (name == "fbp" || name == "fdk" || name == "gridrec")
    reader.fail("type", "there is no filtered back projection (" + name +
                            "); sirt and cgls need no more than the data, available: " +
                            join_names(solver_names(reconstructs)));
  return *from_string<SolverKind>(
      reader.one_of("type", to_string(SolverSection().kind()), solver_names(reconstructs)));
}

SolverKind read_system_solver(const ConfigReader& reader, ProblemKind problem) {
  const std::vector<std::string_view> available = solver_names(problem);
  if (const ConfigNode* type = reader.find("type");
      type && type->is_scalar() && problem == ProblemKind::linear_system)
    if (from_string<SolverKind>(type->scalar()) &&
        std::find(available.begin(), available.end(), type->scalar()) == available.end())
      reader.fail("type", type->scalar() +
                              " reconstructs images (problem.type: tomography); available here: " +
                              join_names(available));
  return *from_string<SolverKind>(reader.one_of("type", "pcg", available));
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

SolverSection read_image_section(const ConfigReader& reader, const ProblemSection& problem) {
  const SolverKind kind = read_image_solver(reader);
  if (problem.slices && has_sweeps(kind))
    reader.fail("type", std::string(to_string(kind)) +
                            " takes one slice at a time; problem.slices is for " +
                            join_names(solver_names([](SolverKind other) {
                              return !has_sweeps(other) && reconstructs(other);
                            })) +
                            " (measured data have problem.sinogram.slice)");
  refuse_other_solvers(reader, kind, problem.kind);
  if (is_sart(kind)) check_sart(reader, problem, kind);
  SolverSection result = default_solver(kind, problem.kind);
  if (reader.has("sweeps"))
    reader.refuse_key("iterations", "is the same as sweeps, which is given, too; give one");
  else if (counts_sweeps(kind))
    result.set_iterations(
        static_cast<int>(reader.integer("iterations", result.iterations(), 0, most_count)));
  read_keys(reader, result, problem.kind);
  std::visit([&](const auto& params) { check_box(reader, params); }, result.params);
  if (has_sweeps(kind)) check_sweep(reader, problem, result.sweep);
  check_subsets(reader, problem, result.subsets());
  check_start(reader, result);
  check_stop(reader, problem, result.stop);
  return result;
}

SolverSection read_system_section(const ConfigReader& reader, ProblemKind problem,
                                  std::string_view scalar) {
  const SolverKind kind = read_system_solver(reader, problem);
  refuse_other_solvers(reader, kind, problem);
  SolverSection result = default_solver(kind, problem);
  // One rule of the user's takes the place of those by default.
  for (const char* rule : {"stop.residual", "stop.absolute_residual", "stop.relative_change"})
    if (reader.has_path(rule)) result.stop = {};
  read_keys(reader, result, problem);
  if (const auto* pcg = std::get_if<PcgParams>(&result.params)) check_pcg(reader, *pcg, scalar);
  return result;
}

}  // namespace

SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use,
                          std::string_view scalar) {
  const ConfigReader reader = solver_section(root, problem.kind);
  if (problem.kind != ProblemKind::tomography)
    return read_system_section(reader, problem.kind, scalar);
  if (use == ConfigUse::run)
    reader.require_key("type", "available: " + join_names(solver_names(reconstructs)));
  return read_image_section(reader, problem);
}

}  // namespace Tomokkos
