// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_FormatKeys.hpp>
#include <Tomokkos_KokkosSession.hpp>
#include <Tomokkos_MemoryLimit.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_SolverKeys.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

namespace Tomokkos {

namespace {

RanksSection read_ranks(const ConfigReader& run) {
  const ConfigReader reader = run.section("ranks", {"weights", "image", "slabs", "measure_sums"});
  RanksSection result;
  if (const ConfigNode* weights = reader.find("weights")) {
    const std::string path = reader.path_of("weights");
    if (weights->is_list()) {
      for (const ConfigNode& weight : weights->items())
        result.weights.push_back(number_of(weight, path, NumberRange::positive()));
      if (result.weights.empty()) fail_at(*weights, path, "a weight for each rank is needed");
    } else {
      result.measured = reader.one_of("weights", "equal", {"equal", "measured"}) == "measured";
    }
  }
  const std::string image =
      reader.one_of("image", "automatic", {"automatic", "replicated", "split"});
  result.image = from_string<ImageSpread>(image);
  result.slabs = static_cast<int>(reader.integer("slabs", 0, 0, 1024));
  result.measure_sums = reader.boolean("measure_sums", false);
  return result;
}

std::vector<SuspicionKind> read_allowed(const ConfigReader& run) {
  std::vector<SuspicionKind> result;
  const ConfigNode* node = run.find("allow");
  if (node == nullptr) return result;
  const std::string path = run.path_of("allow");
  std::vector<std::string_view> names;
  for (const auto& [kind, name] : EnumNames<SuspicionKind>::names) names.push_back(name);
  if (!node->is_list())
    fail_at(
        *node, path,
        "expected a list of suspicions, of " + join_names(names) + "; found " + node->describe());
  for (const ConfigNode& item : node->items()) {
    const std::string& name = string_of(item, path);
    const auto kind = from_string<SuspicionKind>(name);
    if (!kind)
      fail_at(item, path, "unknown suspicion \"" + name + "\"; allowed: " + join_names(names));
    if (std::find(result.begin(), result.end(), *kind) == result.end()) result.push_back(*kind);
  }
  return result;
}

}  // namespace

RunSection read_run(const ConfigReader& root) {
  const ConfigReader reader = root.section("run", run_keys());
  RunSection result;
  const auto backends = backend_names();
  result.backend = reader.string("backend", std::string(backends.front()));
  if (std::find(backends.begin(), backends.end(), result.backend) == backends.end()) {
    const bool exists =
        result.backend == "cuda" || result.backend == "openmp" || result.backend == "serial";
    if (!exists) reader.one_of("backend", "", backends);
    reader.fail("backend",
                "\"" + result.backend +
                    "\" is not compiled into this program; compiled: " + join_names(backends));
  }
  result.scalar = reader.one_of("scalar", result.scalar, scalar_names());
  result.threads = static_cast<int>(reader.integer("threads", 0, 0, most_host_threads));
  result.seed = static_cast<std::uint64_t>(
      reader.integer("seed", 1, 0, std::numeric_limits<long long>::max()));
  result.deterministic = reader.boolean("deterministic", false);
  result.allow = read_allowed(reader);
  result.warn_of_suspicions = reader.one_of("on_suspicion", "error", {"error", "warn"}) == "warn";
  result.memory_limit = read_memory_limit(reader);
  result.ranks = read_ranks(reader);
  return result;
}

std::string read_report_name(const ConfigReader& reader, const std::string& fallback) {
  const std::string name = reader.string("report", fallback);
  const std::filesystem::path report(name);
  if (name.empty() || report.has_parent_path() || report == "." || report == "..")
    reader.fail("report", "expected the name of a file in output.directory, without a folder");
  for (const char* extension : {".npy", ".npz", ".png", ".obj", ".off", ".ply"})
    if (report.extension() == extension)
      reader.fail("report", std::string("is a text, and could take the place of a result in ") +
                                extension + "; name it otherwise, for example report.yaml");
  return name;
}

namespace {

// The keys that give a format its shape, and what the run excludes of them.
void read_shape(const ConfigReader& reader, const std::string& scalar, OperatorSection& result) {
  read_format_keys(reader, result);
  if (result.values() != TileValues::plain && scalar != scalar_name<float>())
    reader.fail("values", std::string(to_string(result.values())) +
                              " are 16 bits for products in float; run.scalar is " + scalar);
}

// Reads `format`: a stored format, the choice of one, or a matrix that is stored in another way.
void read_format(const ConfigReader& reader, const ProblemSection& problem,
                 OperatorSection& result) {
  const std::string name = reader.one_of(
      "format", problem.traits().is_circulant ? "block_circulant" : "csr", format_names());
  result.block_circulant = name == "block_circulant";
  result.symmetric = name == "scsr";
  if (name == "automatic")
    result.stored.reset();
  else if (const auto format = from_string<MatrixFormat>(name))
    result.stored = default_options(*format);
}

// Tiles of columns are squares of pixels, or boxes of voxels, where it is known how these lie.
Ordering default_columns(const ProblemSection& problem) {
  const RowTraits traits = problem.traits();
  if (traits.is_read ? !problem.volume.size : !traits.in_any_order) return Ordering::natural;
  return problem.volume.slices ? Ordering::tiles : Ordering::squares;
}

// The views of SART are neighbouring rows.
void check_views_stay_whole(const ConfigReader& reader, const OrderingOptions& ordering,
                            const SolverSection& solver) {
  if (!is_sart(solver.kind()) || ordering.rows == Ordering::natural ||
      (ordering.rows == Ordering::subsets && solver.kind() == SolverKind::os_sart))
    return;
  reader.fail("ordering", "rows: " + std::string(to_string(ordering.rows)) +
                              " tears the views apart, which " +
                              std::string(to_string(solver.kind())) +
                              " takes one by one; allowed for the rows: natural" +
                              (solver.kind() == SolverKind::os_sart ? ", subsets" : ""));
}

OperatorSection read_operator(const ConfigReader& root, const RunSection& run,
                              const ProblemSection& problem, const SolverSection& solver_section) {
  const SolverKind solver = solver_section.kind();
  std::vector<std::string_view> keys{
      "format", "variant",         "transpose", "transpose_variant", "ordering",
      "blocks", "circulant_order", "symmetry",  "stored_format",     "transpose_format"};
  for (const std::string_view key : format_keys()) keys.push_back(key);
  const ConfigReader reader = root.section("operator", keys);
  OperatorSection result;
  read_format(reader, problem, result);
  if (result.block_circulant) {
    read_circulant_operator(reader, problem, solver_section, result);
    return result;
  }
  for (const std::string_view key : circulant_keys())
    reader.refuse_key(key, "has no effect on the format " + result.format_name() +
                               "; it belongs to block_circulant");
  read_symmetry(reader, problem, solver_section, result);
  const bool is_csr = result.is(MatrixFormat::csr);
  if (!is_csr && !result.is_automatic() && has_sweeps(solver))
    reader.fail("format",
                std::string(to_string(solver)) + " visits single rows, which only csr offers");
  if (!result.is_automatic() && !has_row_ranges(format_of(*result.stored)) &&
      solver_section.takes_row_ranges())
    reader.fail("format", row_ranges_of(solver_section) + " are ranges of rows, which " +
                              formats_with_row_ranges() + " offer");
  if ((result.is(MatrixFormat::ray_tiles) || result.is(MatrixFormat::pair_blocked)) &&
      !uses_transpose(solver))
    reader.fail("format", result.format_name() + " serve A x and A^T y from one copy; " +
                              std::string(to_string(solver)) + " forms A x alone, by csr or sell");
  read_shape(reader, run.scalar, result);
  if (result.values() != TileValues::plain && solves_square_systems(solver))
    reader.fail("values", std::string(to_string(result.values())) + " rounds the matrix, and " +
                              std::string(to_string(solver)) +
                              " would solve another system; allowed: plain");
  if (!is_csr)
    for (const char* key : {"variant", "transpose_variant"})
      reader.refuse_key(key, result.is_automatic()
                                 ? "is chosen together with the format"
                                 : "is of csr; " + result.format_name() + " has one product");
  result.variant = reader.choice("variant", result.variant);
  check_repeats(reader, run, "variant", result.variant);
  if (result.variant == SpmvVariant::merge_atomic && solver_section.takes_row_ranges())
    reader.fail("variant", "merge_atomic takes all rows at once, " + row_ranges_of(solver_section) +
                               " are ranges of them");
  if (result.variant == SpmvVariant::merge_atomic && solver == SolverKind::block_art)
    reader.fail("variant", "merge_atomic takes all rows at once, block_art those of a block");
  read_transpose(reader, run, solver_section, result);
  result.ordering = read_ordering(reader, solver_section.subsets());
  // Not even that of subsets.
  if (result.symmetric && !reader.has("ordering")) result.ordering = {};
  if (result.symmetric && result.ordering != OrderingOptions{})
    reader.fail("ordering", "scsr has an order of its own; allowed: natural");
  check_views_stay_whole(reader, result.ordering, solver_section);
  const bool is_windowed = result.transpose == TransposeMethod::windowed;
  if ((result.is(MatrixFormat::ray_tiles) || is_windowed) && !result.symmetric &&
      !reader.has("ordering"))
    result.ordering.columns = default_columns(problem);
  if (const ConfigNode* ordering = reader.find("ordering"))
    result.ordering_position = ordering->position;
  check_ordering(reader, result.ordering, problem);
  if (solver == SolverKind::block_art && !solver_section.sweep.is_sequential() &&
      result.ordering.rows != Ordering::natural)
    reader.fail("ordering", "rows: " + std::string(to_string(result.ordering.rows)) +
                                "; the rows of block_art are numbered as solver.order and "
                                "solver.within_view say");
  if (!is_csr && result.ordering.entries != EntryOrder::sorted)
    reader.fail("ordering", "entries: interleaved is of csr; " + result.format_name() +
                                " places its own entries");
  if (is_windowed && result.ordering.entries != EntryOrder::sorted)
    reader.fail("ordering",
                "transpose: windowed adds up the successive entries of rows; entries: "
                "interleaved deals them out");
  if (result.ordering.entries == EntryOrder::interleaved)
    for (const auto& [key, variant] : {std::pair{"variant", result.variant},
                                       std::pair{"transpose_variant", result.transpose_variant}})
      if (variant == SpmvVariant::spmv4gpu)
        reader.fail(key,
                    "spmv4gpu multiplies a padded copy of its own; entries: interleaved has "
                    "no effect on it");
  return result;
}

/// A list of formats, each of which sets its flag; without the key all stay as they are.
void read_formats(const ConfigReader& reader, const char* key,
                  const std::vector<std::pair<std::string_view, bool*>>& formats) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return;
  std::vector<std::string_view> names;
  for (const auto& [name, is_wanted] : formats) {
    names.push_back(name);
    *is_wanted = false;
  }
  const std::string path = reader.path_of(key), allowed = join_names(names);
  if (!node->is_list())
    fail_at(*node, path,
            "expected a list of formats, [" + allowed + "]; found " + node->describe());
  for (const ConfigNode& item : node->items()) {
    const std::string& name = string_of(item, path);
    const auto format = std::find(names.begin(), names.end(), name);
    if (format == names.end())
      fail_at(item, path, "unknown format \"" + name + "\"; allowed: " + allowed);
    *formats[static_cast<std::size_t>(format - names.begin())].second = true;
  }
}

OutputSection read_linear_output(const ConfigReader& root, const std::string& name) {
  const ConfigReader reader = root.section("output", {"directory", "solution", "report"});
  OutputSection result;
  result.directory = reader.has("directory") ? reader.file("directory")
                                             : std::filesystem::current_path() / "out" / name;
  result.png = false;
  read_formats(reader, "solution", {{"npy", &result.npy}, {"mtx", &result.mtx}});
  result.report = read_report_name(reader, result.report);
  return result;
}

ConfigReader output_section(const ConfigReader& root) {
  return root.section("output", {"directory", "image", "report", "every", "checkpoint", "window"});
}

OutputSection read_output(const ConfigReader& root, const std::string& name) {
  const ConfigReader reader = output_section(root);
  OutputSection result;
  result.directory = reader.has("directory") ? reader.file("directory")
                                             : std::filesystem::current_path() / "out" / name;
  read_formats(reader, "image", {{"png", &result.png}, {"npy", &result.npy}});
  result.report = read_report_name(reader, result.report);
  constexpr int most = std::numeric_limits<int>::max();
  result.every = static_cast<int>(reader.integer("every", 0, 0, most));
  result.checkpoint = static_cast<int>(reader.integer("checkpoint", 0, 0, most));
  if (const ConfigNode* window = reader.find("window"); window && !is_auto(reader, "window")) {
    const std::string path = reader.path_of("window");
    if (!window->is_list() || window->items().size() != 2)
      fail_at(*window, path, "expected [low, high] or auto, found " + window->describe());
    result.window = {number_of(window->items()[0], path), number_of(window->items()[1], path)};
    if (!((*result.window)[0] < (*result.window)[1]))
      fail_at(*window, path, "the lower end must lie below the upper one");
  }
  return result;
}

void check_determinism(const ConfigReader& reader, const RunConfig& result) {
  if (result.run.deterministic && result.matrix_operator.transpose == TransposeMethod::atomic)
    reader.fail(
        "operator",
        std::string("transpose: atomic adds in any order, which run.deterministic excludes; "
                    "use ") +
            (result.matrix_operator.is(MatrixFormat::pair_blocked)
                 ? "fixed_point, in whole numbers"
                 : "stored, or of csr windowed, which keeps no copy"));
}

}  // namespace

bool is_hdf5_file(const std::filesystem::path& file) {
  const std::string extension = file.extension().string();
  return extension == ".h5" || extension == ".hdf5" || extension == ".hdf" || extension == ".nxs";
}

RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name) {
  // `bench` has a reader of its own and is passed over here.
  const ConfigReader reader(root, "", document_keys());
  RunConfig result;
  if (!reader.has("problem"))
    reader.fail("problem.type", "is required; available: " + problem_kinds());
  result.run = read_run(reader);
  if (const auto kind = mesh_problem_kind(*reader.find("problem"))) {
    if (!root.find("run") || !root.find("run")->find("scalar")) result.run.scalar = "double";
    result.problem = read_mesh_problem(reader, *kind, use);
    result.solver = read_mesh_solver(reader, *kind, result.run.scalar);
    result.matrix_operator = read_operator(reader, result.run, result.problem, result.solver);
    check_chart_form(reader, result);
    result.output = read_mesh_output(reader, *kind, name);
    return result;
  }
  if (const ConfigNode& problem = *reader.find("problem"); problem.is_map())
    if (const ConfigNode* type = problem.find("type");
        type != nullptr && type->is_scalar() &&
        type->scalar() == to_string(ProblemKind::linear_system)) {
      if (!root.find("run") || !root.find("run")->find("scalar")) result.run.scalar = "double";
      result.problem = read_linear_system(reader, use);
      result.solver = read_linear_solver(reader, result.run.scalar);
      result.matrix_operator = read_operator(reader, result.run, result.problem, result.solver);
      result.output = read_linear_output(reader, name);
      check_determinism(reader, result);
      return result;
    }
  result.problem = read_problem(reader, use);
  result.solver = read_solver(reader, result.problem, use);
  result.matrix_operator = read_operator(reader, result.run, result.problem, result.solver);
  result.output = read_output(reader, name);
  const auto check_multiple = [&](const char* key, int every) {
    if (every % result.solver.check_every() != 0)
      output_section(reader).fail(key, "must be a multiple of solver.check_every (" +
                                           std::to_string(result.solver.check_every()) +
                                           "), since images are only seen then");
  };
  check_multiple("every", result.output.every);
  check_multiple("checkpoint", result.output.checkpoint);
  if (result.output.checkpoint > 0 && !resumes(result.solver.kind()))
    output_section(reader).fail("checkpoint",
                                "is of " + join_names(solver_names(resumes)) + "; " +
                                    std::string(to_string(result.solver.kind())) +
                                    " cannot go on from an image as if it had not stopped");
  check_determinism(reader, result);
  return result;
}

}  // namespace Tomokkos
