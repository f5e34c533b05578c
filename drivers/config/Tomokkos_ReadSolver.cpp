// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverList.hpp>
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

/// The names of the solvers for which `test` is true.
template <class Test>
std::vector<std::string_view> names_of(const Test& test) {
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (test(kind)) names.push_back(name);
  return names;
}

// Rules that look at the residual itself are measured by some solvers alone.
void check_residual_rules(const ConfigReader& reader, const ProblemSection& problem,
                          const SolverSection& solver, const StopConfig& stop) {
  const std::string type(to_string(solver.kind));
  if (stop.ncp && !measures_ncp(solver.kind))
    reader.fail("ncp", "is not measured by the solver " + type + "; it belongs to " +
                           join_names(names_of(measures_ncp)));
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
      static_cast<int>(reader.integer("minimum_iterations", 0, 0, max_iterations));
  result.discrepancy = read_noise_rule(reader, "discrepancy", problem);
  result.monotone_error = read_noise_rule(reader, "monotone_error", problem);
  if (reader.has("ncp")) result.ncp = reader.choice("ncp", NcpSignals::views);
  check_residual_rules(reader, problem, section, result);
  return result;
}

// Views, or subsets of them, have to be known.
void read_sart(const ConfigReader& reader, const ProblemSection& problem, SolverSection& result) {
  if (result.kind == SolverKind::sart && !problem.traits().has_views)
    reader.fail("type", "sart takes the views of a scan one by one; os_sart is for this matrix");
  if (result.kind == SolverKind::sart && problem.has_unknown_rows())
    reader.fail("type",
                "sart takes the views one by one, and the matrix is from a file: "
                "problem.geometry.views and detectors must say how many there are");
  if (result.kind == SolverKind::os_sart)
    reader.require_key("subsets", "how many ordered subsets of the views (each view one: sart)");
  result.smallest_product =
      reader.number("smallest_product", result.smallest_product, NumberRange::not_negative());
  // Views, or subsets of them: as the sweeps of rows visit them.
  result.sweep.order = reader.choice("order", result.sweep.order);
  if (result.sweep.order != ViewOrder::random) reader.refuse_key("seed", "is of order: random");
  result.sweep.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 1, 0, std::numeric_limits<long long>::max()));
}

/// The solvers of a tomography.
std::vector<std::string_view> solver_names() {
  return names_of([](SolverKind kind) { return !solves_square_systems(kind); });
}

/// The solvers of a tomography for whose parameters `test` is true.
template <class Test>
std::vector<SolverKind> reconstructing(const Test& test) {
  std::vector<SolverKind> kinds = solvers_with(test);
  std::erase_if(kinds, solves_square_systems);
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
                            join_names(solver_names()));
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
                            join_names(solver_names()));
  return *from_string<SolverKind>(reader.one_of("type", to_string(fallback), solver_names()));
}

}  // namespace

SolverSection read_solver(const ConfigReader& root, const ProblemSection& problem, ConfigUse use) {
  const ConfigReader reader = root.section("solver", {"type",           "iterations",
                                                      "sweeps",         "relaxation",
                                                      "minimum",        "maximum",
                                                      "smallest_sum",   "smallest_product",
                                                      "damping",        "restart_every",
                                                      "start",          "background",
                                                      "multiplicative", "sensitivity_threshold",
                                                      "subsets",        "check_every",
                                                      "stop",           "relaxation_decay",
                                                      "order",          "within_view",
                                                      "stride",         "seed",
                                                      "block_rows"});
  if (use == ConfigUse::run) reader.require_key("type", "available: " + join_names(solver_names()));
  SolverSection result;
  result.kind = read_kind(reader, result.kind);
  const std::string type(to_string(result.kind));
  if (problem.slices && has_sweeps(result.kind))
    reader.fail("type", type + " takes one slice at a time; problem.slices is for " +
                            join_names(names_of([](SolverKind kind) {
                              return !has_sweeps(kind) && !solves_square_systems(kind);
                            })) +
                            " (measured data have problem.sinogram.slice)");
  const auto only_for = [&](std::string_view key, std::vector<SolverKind> kinds) {
    if (std::find(kinds.begin(), kinds.end(), result.kind) != kinds.end()) return;
    std::vector<std::string_view> names;
    for (const SolverKind kind : kinds) names.push_back(to_string(kind));
    reader.refuse_key(
        key, "has no effect on the solver " + type + "; it belongs to " + join_names(names));
  };
#define TOMOKKOS_ONLY_WITH(key, member)                 \
  only_for(key, reconstructing([](const auto& params) { \
             return requires { params.member; };        \
           }))
  TOMOKKOS_ONLY_WITH("sweeps", sweeps);
  TOMOKKOS_ONLY_WITH("relaxation", relaxation);
  TOMOKKOS_ONLY_WITH("minimum", minimum);
  TOMOKKOS_ONLY_WITH("maximum", maximum);
  for (const std::string_view key : sweep_keys())
    if (key == "order" || key == "seed")
      TOMOKKOS_ONLY_WITH(key, sweeps);
    else
      TOMOKKOS_ONLY_WITH(key, relaxation_decay);
  TOMOKKOS_ONLY_WITH("block_rows", block_rows);
  TOMOKKOS_ONLY_WITH("smallest_sum", smallest_sum);
  TOMOKKOS_ONLY_WITH("smallest_product", view_rows);
  TOMOKKOS_ONLY_WITH("sensitivity_threshold", sensitivity_threshold);
  TOMOKKOS_ONLY_WITH("damping", damping);
  TOMOKKOS_ONLY_WITH("restart_every", restart_every);
#undef TOMOKKOS_ONLY_WITH
  only_for("subsets", {SolverKind::mlem, SolverKind::sirt, SolverKind::os_sart});
  only_for("background", {SolverKind::mlem});
  only_for("multiplicative", {SolverKind::mlem});

  if (reader.has("sweeps"))
    reader.refuse_key("iterations", "is the same as sweeps, which is given, too; give one");
  const std::string_view count_key = reader.has("sweeps") ? "sweeps" : "iterations";
  result.iterations = static_cast<int>(
      reader.integer(count_key, counts_sweeps(result.kind) ? 10 : 50, 0, max_iterations));
  result.relaxation = reader.number("relaxation", 1.0, NumberRange::positive());
  if (result.relaxation >= 2.0)
    reader.fail("relaxation", "must lie below 2; the iteration converges between 0 and 2");
  if (has_sweeps(result.kind)) result.sweep = read_sweep(reader, problem);
  result.minimum = reader.optional_number("minimum");
  result.maximum = reader.optional_number("maximum");
  if (result.minimum && result.maximum && *result.minimum > *result.maximum)
    reader.fail("minimum", "lies above the maximum");
  result.smallest_sum =
      reader.number("smallest_sum", result.smallest_sum, NumberRange::not_negative());
  if (is_sart(result.kind)) read_sart(reader, problem, result);
  result.sensitivity_threshold =
      reader.number("sensitivity_threshold", result.sensitivity_threshold, {0.0, 1.0});
  if (result.sensitivity_threshold == 1.0)
    reader.fail("sensitivity_threshold",
                "1 is out of range; it is a share of the largest sensitivity, under 1");
  result.subsets = static_cast<int>(reader.integer("subsets", 1, 1, max_iterations));
  if (const auto views = problem.views(); views && result.subsets > *views)
    reader.fail("subsets", std::to_string(result.subsets) + " subsets cannot be made of " +
                               std::to_string(*views) + " views");
  if (const auto* pet = problem.as<ScannerConfig>();
      pet && result.subsets > pet->scanner.crystals_around())
    reader.fail("subsets",
                std::to_string(result.subsets) + " subsets cannot be made of the views of " +
                    std::to_string(pet->scanner.crystals_around()) + " crystals around the axis");
  if (const auto* beam = problem.as<ConeBeamRows>(); beam && beam->scan.views % result.subsets != 0)
    reader.fail("subsets", std::to_string(result.subsets) + " subsets cannot be made of the " +
                               std::to_string(beam->scan.views) +
                               " views of a cone beam, which are dealt out evenly: give a divisor");
  result.damping = reader.number("damping", 0.0, NumberRange::not_negative());
  result.restart_every = static_cast<int>(reader.integer("restart_every", 0, 0, max_iterations));
  result.start = read_start(reader, result.kind);
  if (reader.has("background"))
    result.background = read_constant_or_file(reader, "background", NumberRange::not_negative());
  if (reader.has("multiplicative"))
    result.multiplicative =
        read_constant_or_file(reader, "multiplicative", NumberRange::positive());
  result.check_every = static_cast<int>(reader.integer("check_every", 1, 1, max_iterations));
  result.stop = read_stop(reader, problem, result);
  return result;
}

}  // namespace Tomokkos
