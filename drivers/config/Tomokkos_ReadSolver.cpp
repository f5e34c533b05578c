// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

StartConfig read_start(const ConfigReader& reader, SolverKind kind) {
  StartConfig result;
  result.uniform = kind == SolverKind::mlem;
  const ConfigNode* node = reader.find("start");
  if (!node) return result;
  result.uniform = false;
  const bool is_word = node->is_scalar() && !as_number(*node) && !node->scalar().ends_with(".npy");
  if (is_word) {
    const std::string name = reader.one_of("start", "", {"zeros", "ones", "uniform"});
    result.uniform = name == "uniform";
    result.image.value = name == "ones" ? 1.0 : 0.0;
  } else {
    result.image = read_constant_or_file(reader, "start", {});
  }
  if (result.uniform && kind != SolverKind::mlem)
    reader.fail("start",
                "uniform is made from the counts of the data, which only mlem has; "
                "allowed here: zeros, ones, a number, a .npy file");
  if (kind == SolverKind::mlem && !result.uniform && result.image.file.empty() &&
      result.image.value <= 0.0)
    reader.fail("start",
                "mlem multiplies the image and never leaves zero; start from uniform, "
                "ones, a positive number or a .npy file");
  return result;
}

NoiseRule read_noise_rule(const ConfigReader& stop, const char* key,
                          const ProblemSection& problem) {
  NoiseRule result;
  if (!stop.has(key)) return result;
  const ConfigReader reader = stop.section(key, {"noise_level", "tau"});
  reader.require_key("noise_level",
                     "the norm of the noise in the data, or auto for the noise added");
  result.tau = reader.number("tau", 1.0, NumberRange::positive());
  if (!is_auto(reader, "noise_level")) {
    result.level = reader.number("noise_level", 0.0, NumberRange::positive());
    return result;
  }
  if (problem.noise.kind == NoiseKind::none)
    reader.fail("noise_level",
                "auto needs problem.noise; the noise of measured data is not known to the "
                "program");
  result.from_noise = true;
  return result;
}

// Rules that look at the residual itself are measured by some solvers alone.
void check_residual_rules(const ConfigReader& reader, const ProblemSection& problem,
                          const SolverSection& solver, const StopConfig& stop) {
  const std::string type(to_string(solver.kind()));
  if (stop.ncp && !measures_ncp(solver.kind()))
    reader.fail("ncp", "is not measured by the solver " + type + "; it belongs to " +
                           join_names(solver_names(measures_ncp)));
  if (stop.ncp == NcpSignals::views && (!problem.traits().has_views || problem.has_unknown_rows()))
    reader.fail("ncp",
                "views needs data of views and detectors, which this matrix does not have; "
                "whole takes all rays as one signal");
  if (stop.monotone_error.is_set() && !measures_monotone_error(solver))
    reader.fail("monotone_error",
                "is of sirt without ordered subsets, whose steps it weighs; discrepancy is of "
                "all solvers");
}

StopConfig read_stop(const ConfigReader& solver, const ProblemSection& problem,
                     const SolverSection& section) {
  const ConfigReader reader =
      solver.section("stop", {"relative_change", "residual", "discrepancy", "ncp", "monotone_error",
                              "minimum_iterations"});
  StopConfig result;
  result.relative_change = reader.optional_number("relative_change", NumberRange::positive());
  result.residual = reader.optional_number("residual", NumberRange::positive());
  result.minimum_iterations =
      static_cast<int>(reader.integer("minimum_iterations", 0, 0, most_count));
  result.discrepancy = read_noise_rule(reader, "discrepancy", problem);
  result.monotone_error = read_noise_rule(reader, "monotone_error", problem);
  if (reader.has("ncp")) result.ncp = reader.choice("ncp", NcpSignals::views);
  check_residual_rules(reader, problem, section, result);
  return result;
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

/// The solvers of a tomography.
std::vector<SolverKind> reconstructing() {
  std::vector<SolverKind> kinds;
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (reconstructs(kind)) kinds.push_back(kind);
  return kinds;
}

/// `solver.type`, also by the name that ordered subsets have in the field.
SolverKind read_kind(const ConfigReader& reader, SolverKind fallback) {
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
      reader.one_of("type", to_string(fallback), solver_names(reconstructs)));
}

}  // namespace

SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use) {
  const std::vector<SolverKind> kinds = reconstructing();
  const ConfigReader reader = root.section("solver", solver_keys(kinds));
  if (use == ConfigUse::run)
    reader.require_key("type", "available: " + join_names(solver_names(reconstructs)));
  SolverSection result;
  const SolverKind kind = read_kind(reader, result.kind());
  result.params = default_params(kind);
  if (problem.slices && has_sweeps(kind))
    reader.fail("type", std::string(to_string(kind)) +
                            " takes one slice at a time; problem.slices is for " +
                            join_names(solver_names([](SolverKind other) {
                              return !has_sweeps(other) && reconstructs(other);
                            })) +
                            " (measured data have problem.sinogram.slice)");
  refuse_other_solvers(reader, kind, kinds);
  if (is_sart(kind)) check_sart(reader, problem, kind);

  result.set_iterations(counts_sweeps(kind) ? 10 : 50);
  if (reader.has("sweeps"))
    reader.refuse_key("iterations", "is the same as sweeps, which is given, too; give one");
  else if (counts_sweeps(kind))
    result.set_iterations(
        static_cast<int>(reader.integer("iterations", result.iterations(), 0, most_count)));
  std::visit([](auto& params) { params.check_every = 1; }, result.params);
  describe(Impl::ReadKeys(reader), result);
  std::visit([&](const auto& params) { check_box(reader, params); }, result.params);
  if (has_sweeps(kind)) check_sweep(reader, problem, result.sweep);
  check_subsets(reader, problem, result.subsets());
  result.start = read_start(reader, kind);
  result.stop = read_stop(reader, problem, result);
  return result;
}

}  // namespace Tomokkos
