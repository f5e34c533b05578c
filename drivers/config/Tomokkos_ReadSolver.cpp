// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the section `solver` for all problems and checks it against the other sections.
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
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

/// Checks that the problem has the views that \p sweep orders.
void check_sweep(const ConfigReader& solver, const ProblemSection& problem,
                 const SweepConfig& sweep) {
  for (const std::string_view key : {"order", "within_view"}) {
    const bool is_natural = key == "order" ? sweep.order == ViewOrder::sequential
                                           : sweep.within_view == WithinView::sequential;
    if (is_natural) continue;
    if (!problem.traits().has_views)
      solver.fail(key,
                  "applies only to a parallel or fan beam, whose views it orders; allowed here: "
                  "sequential");
    if (problem.has_unknown_rows())
      solver.fail(key,
                  "orders views; for a matrix from a file give their arrangement as "
                  "problem.geometry.views and detectors");
  }
  if (sweep.within_view == WithinView::strided && !sweep.stride && !problem.as<ScanConfig>())
    solver.fail("within_view",
                "strided needs solver.stride here, because the distance between the rays is not "
                "known");
}

/// Says what filtered back projection lacks in a problem; empty: nothing.
std::string reason_against_fbp(const ProblemSection& problem) {
  const auto* const scan = problem.as<ScanConfig>();
  if (scan == nullptr) return "fbp needs problem.geometry.type: parallel_beam or fan_beam";
  if (scan->by_vectors || scan->detector_shape == DetectorShape::curved)
    return "fbp needs a flat detector that turns around the axis, not geometry.type: vectors or "
           "detector_shape: curved";
  return "";
}

void check_start(const ConfigReader& reader, const ProblemSection& problem,
                 const SolverSection& solver) {
  const StartConfig& start = solver.start;
  const bool is_mlem = solver.kind() == SolverKind::mlem;
  const std::string reason = reason_against_fbp(problem);
  const std::string fbp = reason.empty() ? "fbp, " : "";
  if (start.kind == StartKind::uniform && !is_mlem)
    reader.fail("start",
                "uniform is available only for mlem, which has counts as data; allowed here: "
                "zeros, ones, " +
                    fbp + "a number, a .npy file");
  if (start.kind == StartKind::fbp && !reason.empty())
    reader.fail("start", reason + "; allowed here: " + (is_mlem ? "uniform" : "zeros") +
                             ", ones, a number, a .npy file");
  if (is_mlem && start.kind == StartKind::given && start.image.file.empty() &&
      start.image.value <= 0.0)
    reader.fail("start",
                "mlem only multiplies the image, so zeros would remain zero; use uniform, " + fbp +
                    "ones, a positive number or a .npy file");
}

void check_stop(const ConfigReader& solver, const ProblemSection& problem, const StopRules& stop) {
  const StopProblem facts{problem.noise.kind != NoiseKind::none,
                          problem.traits().has_views && !problem.has_unknown_rows()};
  StopRules::for_active(stop, [&](const auto& rule) {
    const auto [key, refusal] = rule.refusal(facts);
    if (!key.empty()) solver.fail_at_path("stop." + key, refusal);
  });
}

void check_subsets(const ConfigReader& reader, const ProblemSection& problem, int subsets) {
  const std::string count = std::to_string(subsets);
  if (const auto views = problem.views(); views && subsets > *views)
    reader.fail("subsets",
                count + " subsets are more than the " + std::to_string(*views) + " views");
  if (const auto* pet = problem.as<ScannerConfig>();
      pet && subsets > pet->scanner.crystals_around())
    reader.fail("subsets", count + " subsets are more than the views of a scanner with " +
                               std::to_string(pet->scanner.crystals_around()) +
                               " crystals around the axis");
  if (const auto* beam = problem.as<ConeBeamRows>(); beam && beam->scan.views % subsets != 0)
    reader.fail("subsets", count + " subsets do not divide the " +
                               std::to_string(beam->scan.views) +
                               " views of a cone beam evenly; give a divisor");
}

/// Checks that the lower bound of x does not exceed the upper bound.
template <class Params>
void check_box(const ConfigReader& reader, const Params& params) {
  if constexpr (requires { params.minimum > params.maximum; })
    if (params.minimum > params.maximum)
      reader.fail("minimum", "must not be greater than solver.maximum");
}

bool reconstructs(SolverKind kind) { return !solves_square_systems(kind); }

/// Number of subsets that \p problem allows, as an example.
int example_subsets(const ProblemSection& problem) {
  const auto* const beam = problem.as<ConeBeamRows>();
  const auto* const pet = problem.as<ScannerConfig>();
  const Ordinal views = beam  ? beam->scan.views
                        : pet ? static_cast<Ordinal>(pet->scanner.crystals_around())
                              : problem.views().value_or(max_ordinal);
  int subsets = 10;
  while (subsets > 1 && (subsets > views || (beam && views % subsets != 0))) --subsets;
  return subsets;
}

/// Reads `solver.type` of a tomography. Accepts osem, the common name of mlem with ordered subsets.
SolverKind read_image_solver(const ConfigReader& reader, const ProblemSection& problem) {
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
                  "osem is mlem with ordered subsets of the views; give their number as "
                  "solver.subsets, for example " +
                      std::to_string(example_subsets(problem)));
    return SolverKind::mlem;
  }
  if (name == "fdk" || name == "gridrec")
    reader.fail("type", name +
                            " is not available; filtered back projection of parallel and fan "
                            "beams is fbp; available: " +
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
    reader.fail("float_matrix", "applies only to the scaled matrix; set scale_matrix: true");
  if (scalar == "float")
    reader.fail("float_matrix",
                "applies only to run.scalar: double; with float everything is in float already");
}

SolverSection read_image_section(const ConfigReader& reader, const ProblemSection& problem) {
  const SolverKind kind = read_image_solver(reader, problem);
  if (problem.slices && has_sweeps(kind))
    reader.fail("type", std::string(to_string(kind)) +
                            " solves one slice at a time; problem.slices is available for " +
                            join_names(solver_names([](SolverKind other) {
                              return !has_sweeps(other) && reconstructs(other);
                            })) +
                            " (to select a slice of measured data, give problem.sinogram.slice)");
  refuse_other_solvers(reader, kind, problem.kind);
  if (kind == SolverKind::os_sart)
    reader.require_key(
        "subsets", "the number of ordered subsets of the views (for one view per subset use sart)");
  if (kind == SolverKind::fbp)
    if (const std::string reason = reason_against_fbp(problem); !reason.empty())
      reader.fail("type",
                  reason + "; available here: " + join_names(solver_names([](SolverKind other) {
                    return other != SolverKind::fbp && reconstructs(other);
                  })));
  SolverSection result = default_solver(kind, problem.kind);
  if (reader.has("sweeps"))
    reader.refuse_key("iterations", "and sweeps are two names of the same number; give one");
  else if (counts_sweeps(kind))
    result.set_iterations(
        static_cast<int>(reader.integer("iterations", result.iterations(), 0, max_count)));
  read_keys(reader, result, problem.kind);
  std::visit([&](const auto& params) { check_box(reader, params); }, result.params);
  if (has_sweeps(kind)) check_sweep(reader, problem, result.sweep);
  check_subsets(reader, problem, result.subsets());
  check_start(reader, problem, result);
  check_stop(reader, problem, result.stop);
  return result;
}

SolverSection read_system_section(const ConfigReader& reader, ProblemKind problem,
                                  std::string_view scalar) {
  const SolverKind kind = read_system_solver(reader, problem);
  refuse_other_solvers(reader, kind, problem);
  SolverSection result = default_solver(kind, problem);
  // A rule given by the user replaces the default rules.
  StopRules::for_each(
      result.stop, [&]<class Rule>(const char*, StopReason, const std::optional<Rule>&) {
        if (!Rule::is_safeguard && reader.has_path(std::string("stop.") + Rule::key))
          result.stop = {};
      });
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
