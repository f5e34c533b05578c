// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the sections of a configuration one after another. Each begins with its defaults, is read
// as it is described, completed by what the other sections say, and checked by its rules.
#include <Tomokkos_Keys.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>

namespace Tomokkos {

namespace {

// `problem`.

/// Section with the defaults that depend on the kind of problem.
ProblemSection default_problem(const ConfigReader& root, ProblemKind kind) {
  ProblemSection result;
  result.kind = kind;
  result.linear_rhs = LinearRhs::ones;
  if (kind != ProblemKind::tomography) return result;
  result.geometry = default_geometry(root);
  if (const auto* pet = result.as<ScannerConfig>()) {
    const VolumeGeometry3D known = make_scanner_volume(pet->kind);
    if (pet->kind != ScannerKind::ring) {
      result.volume.slices = known.slices;
      result.volume.size = {known.rows, known.columns};
    }
    result.volume.pixel = known.pixel;
    result.volume.thickness = known.thickness;
  }
  return result;
}

// Complete the values that a geometry leaves open.

void complete(const ConfigReader& root, ProblemSection& problem, ScanConfig& scan) {
  const bool has_angles = problem.sinogram && problem.sinogram->is_hdf5();
  const auto given = [&](const char* key) {
    return root.given(std::string("problem.geometry.") + key);
  };
  if (!given("angles"))
    scan.angles_from_data =
        has_angles && !scan.by_vectors && !given("views") && !given("start") && !given("range");
  else if (scan.angles_unit && scan.angles_file.empty() && has_angles)
    scan.angles_from_data = true;
}

/// A geometry that leaves nothing open.
template <class Geometry>
void complete(const ConfigReader&, ProblemSection&, Geometry&) {}

void complete(const ConfigReader& root, ProblemSection& problem, ScannerConfig&) {
  if (root.given("problem.volume.pixel") && !root.given("problem.volume.thickness"))
    problem.volume.thickness = problem.volume.pixel;
}

void complete(const ConfigReader&, ProblemSection& problem, ConeBeamRows& cone) {
  PolarVolume& polar = cone.volume;
  polar.rotations = cone.scan.views;
  // Box around the cylinder, shown in pictures.
  VolumeConfig& volume = problem.volume;
  const Ordinal side = std::min(polar.rings, Ordinal{1} << 14) * 2;
  if (!volume.size) volume.size = {side, side};
  if (!volume.slices) volume.slices = polar.slices;
  volume.pixel = 2 * polar.radius / std::min((*volume.size)[0], (*volume.size)[1]);
  volume.thickness = polar.height / *volume.slices;
}

ProblemSection read_problem(const ConfigReader& root, ProblemKind kind, ConfigUse use) {
  ProblemSection result = default_problem(root, kind);
  const ConfigReader problem = root.section("problem", names_of_keys(result, use));
  const bool is_image = kind == ProblemKind::tomography;
  Keys keys(problem, [&] {
    if (!is_image) return;
    check_keys_of_data(root);
    // An unknown geometry has no keys that could be read.
    if (result.as<ScanConfig>())
      check_geometry_type(problem.section("geometry", names_of_keys(result.geometry)));
  });
  describe(keys, result, use);
  if (!result.mask.empty()) result.mask_position = problem.find("mask")->position;
  if (result.mesh) result.mesh->position = problem.find("mesh")->position;
  if (!is_image) {
    check_system(root, result);
    return result;
  }
  std::visit([&](auto& geometry) { complete(root, result, geometry); }, result.geometry);
  check_tomography(root, result, use);
  return result;
}

// `solver`.

void read_solver(const ConfigReader& root, ConfigUse use, RunConfig& config) {
  const ProblemKind problem = config.problem.kind;
  const ConfigReader reader = root.section("solver", solver_keys(problem));
  const bool is_image = problem == ProblemKind::tomography;
  if (is_image && use == ConfigUse::run)
    reader.require_key("type", "available: " + join_names(solver_names(problem)));
  config.solver = default_solver(is_image ? SolverSection().kind() : SolverKind::pcg, problem);
  Keys keys(reader, [&] {
    if (is_image) check_image_solver_type(root, config);
  });
  describe(keys, config.solver, problem);
  check_solver(root, config);
}

// `operator`.

/// Default order of the columns: squares of pixels or boxes of voxels if their arrangement is
/// known.
Ordering default_columns(const ProblemSection& problem) {
  const RowTraits traits = problem.traits();
  if (traits.is_read ? !problem.volume.size : !traits.in_any_order) return Ordering::natural;
  return problem.volume.slices ? Ordering::tiles : Ordering::squares;
}

/// Default format. Keys that are given without a format, such as `variant`, are those of csr.
std::string_view default_format(const ConfigReader& reader, const RunConfig& config) {
  if (config.solver.kind() == SolverKind::fbp) return "computed";
  // Other formats have no copy in float for vectors in double.
  if (preconditioner_of(config.solver.params).float_matrix) return "csr";
  if (config.problem.traits().is_circulant) return "block_circulant";
  for (const std::string_view key : operator_keys())
    if (key != "format" && key != "largest_fill" && reader.has(key)) return "csr";
  return "automatic";
}

void read_operator(const ConfigReader& root, RunConfig& config) {
  const ConfigReader reader = root.section("operator", operator_keys());
  const SolverSection& solver = config.solver;
  OperatorWish& result = config.matrix_operator;
  result.set_format(default_format(reader, config));
  result.ordering = default_ordering(solver.subsets());
  Keys keys(reader, [&] { check_format(root, config); });
  describe(keys, result, solver);
  complete_ordering(reader, result.ordering, solver.subsets());
  const bool is_windowed = result.transpose == TransposeMethod::windowed;
  if (result.symmetric() && !reader.has("ordering"))
    result.ordering = {};  // not even the default order of subsets
  else if ((result.is(MatrixFormat::ray_tiles) || is_windowed) && !reader.has("ordering"))
    result.ordering.columns = default_columns(config.problem);
  if (result.largest_fill && !result.is_automatic())
    with_format(*result.stored, [&]<class Format>(typename Format::Options& options) {
      if constexpr (Format::pads) options.limit.largest_fill = *result.largest_fill;
    });
  check_operator(root, config);
}

// `output`.

void read_output(const ConfigReader& root, const std::string& name, RunConfig& config) {
  const ProblemKind problem = config.problem.kind;
  config.output.directory = std::filesystem::current_path() / "out" / name;
  read_section(root, "output", config.output, problem);
  check_output(root, config);
}

}  // namespace

std::optional<Ordinal> ProblemSection::views() const {
  return std::visit(
      [](const auto& kind) -> std::optional<Ordinal> {
        if constexpr (requires { kind.views; }) return kind.views;
        return std::nullopt;
      },
      geometry);
}

RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name) {
  // `bench` is a known section, but a separate reader handles it.
  const ConfigReader reader(root, "", document_keys());
  if (!reader.has("problem"))
    reader.fail("problem.type", "is required; available: " + problem_kinds());
  // If the type is missing or unknown, this is reported later.
  const ProblemKind kind =
      from_string<ProblemKind>(reader.text_at("problem.type")).value_or(ProblemKind::tomography);
  RunConfig result;
  result.run = read_run(reader, kind == ProblemKind::tomography ? "float" : "double");
  result.problem = read_problem(reader, kind, use);
  read_solver(reader, use, result);
  read_operator(reader, result);
  read_output(reader, name, result);
  return result;
}

SolverNeeds RunConfig::needs(Ordinal vectors) const {
  SolverNeeds result = needs_of(solver.kind(), solver.subsets());
  result.iterations = solver.iterations();
  result.block_rows = solver.sweep.block_rows;
  result.vectors = vectors;
  result.deterministic = run.deterministic;
  return result;
}

InputUse RunConfig::input_use() const {
  const StartConfig& start = solver.start;
  const bool filters = start.kind == StartKind::fbp;
  return {needs(), filters,
          filters || (start.kind == StartKind::given && !start.image.file.empty()),
          solver.background, matrix_operator.symmetric()};
}

std::vector<std::filesystem::path> data_files(const RunConfig& config) {
  const ProblemSection& problem = config.problem;
  std::vector<std::filesystem::path> files{problem.mask,        problem.ray_mask,
                                           problem.rhs,         problem.matrix,
                                           problem.locked.file, config.solver.start.image.file};
  std::visit(
      [&](const auto& geometry) {
        if constexpr (requires { geometry.files(); })
          for (const auto& file : geometry.files()) files.push_back(file);
      },
      problem.geometry);
  if (problem.phantom) files.push_back(problem.phantom->file);
  if (problem.sinogram)
    for (const auto* file :
         {&problem.sinogram->file, &problem.sinogram->flat, &problem.sinogram->dark})
      for (const auto& each : matching_files(*file)) files.push_back(each);
  if (problem.mesh) files.push_back(problem.mesh->file);
  for (const auto* source : {&config.solver.background, &config.solver.multiplicative})
    if (*source) files.push_back((*source)->file);
  std::erase_if(files, [](const std::filesystem::path& file) { return file.empty(); });
  return files;
}

std::vector<std::filesystem::path> input_files(const RunConfig& config) {
  std::vector<std::filesystem::path> files = data_files(config);
  if (!config.file.empty()) files.insert(files.begin(), config.file);
  return files;
}

// Writes the effective configuration, without keys that would be refused because they have no
// effect, and on request without those that have their default.

namespace {

/// Returns all values of the configuration \p root; empty if it is refused.
std::string all_values(const ConfigNode& root) {
  try {
    // The default folder has the name of the file. No run writes to this one, so that the folder
    // always differs.
    return to_yaml(to_node(read_run_config(root, ConfigUse::run, "/dev/null")));
  } catch (const Error&) {
    return "";
  }
}

/// Removes the keys of \p section without which \p root still has the values \p all. Returns false
/// if there are none.
bool remove_defaults(const ConfigNode& root, ConfigNode& section, const std::string& all) {
  bool has_removed = false;
  auto& entries = section.entries();
  for (std::size_t i = 0; i < entries.size();) {
    const auto at = entries.begin() + static_cast<std::ptrdiff_t>(i);
    ConfigNode::Entry entry = std::move(*at);
    entries.erase(at);
    if (all_values(root) == all) {
      has_removed = true;
      continue;
    }
    ConfigNode& value = entries.insert(at, std::move(entry))->value;
    if (value.is_map() && remove_defaults(root, value, all)) has_removed = true;
    ++i;
  }
  return has_removed;
}

}  // namespace

ConfigNode to_node(const RunConfig& config) {
  ConfigNode node = ConfigNode::map();
  for_each_section(config, [&](std::string_view name, const auto&... section) {
    node.set(name, written_section(section...));
  });
  if (config.problem.kind == ProblemKind::parameterization &&
      config.problem.form != ChartForm::equations) {
    // The matrix of such a chart is not stored in one of the formats.
    ConfigNode stored = ConfigNode::map();
    stored.set("ordering", ordering_node(config.matrix_operator.ordering));
    node.set("operator", std::move(stored));
  }
  return node;
}

ConfigNode to_short_node(const RunConfig& config) {
  ConfigNode node = to_node(config);
  // Without the keys that follow it, operator.format may have its default as well.
  const std::string all = all_values(node);
  while (remove_defaults(node, node, all)) {
  }
  return node;
}

}  // namespace Tomokkos
