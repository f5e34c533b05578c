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

namespace {

/// The type of the problem, as far as it decides which sections there are.
ProblemKind kind_of_problem(const ConfigReader& root) {
  const ConfigNode& problem = *root.find("problem");
  const ConfigNode* type = problem.is_map() ? problem.find("type") : nullptr;
  if (type == nullptr || !type->is_scalar()) return ProblemKind::tomography;
  return from_string<ProblemKind>(type->scalar()).value_or(ProblemKind::tomography);
}

}  // namespace

RunConfig read_run_config(const ConfigNode& root, ConfigUse use, const std::string& name) {
  // `bench` has a reader of its own and is passed over here.
  const ConfigReader reader(root, "", document_keys());
  RunConfig result;
  if (!reader.has("problem"))
    reader.fail("problem.type", "is required; available: " + problem_kinds());
  const ProblemKind kind = kind_of_problem(reader);
  result.run = read_run(reader, kind == ProblemKind::tomography ? "float" : "double");
  result.problem = read_problem(reader, kind, use);
  result.solver = read_solver(reader, result.problem, use, result.run.scalar);
  result.matrix_operator = read_operator(reader, result.run, result.problem, result.solver);
  check_chart_form(reader, result);
  result.output = read_output(reader, result, name);
  check_determinism(reader, result);
  return result;
}

}  // namespace Tomokkos
