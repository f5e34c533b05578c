// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the section `operator`, for all problems.
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_SectionKeys.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {
namespace {

template <class Enum>
std::string name_of(Enum value) {
  return std::string(to_string(value));
}

/// Name of the ranges of rows that a solver uses.
std::string row_ranges_of(const SolverSection& solver) {
  return solver.kind() == SolverKind::sart ? "the views of sart" : "the subsets (solver.subsets)";
}

/// Reason why the symmetries of a scan cannot be used; empty if they can.
std::string reason_against_symmetry(const ProblemSection& problem) {
  const auto* const scan = problem.as<ScanConfig>();
  if (!scan)
    return "scsr needs a parallel or fan beam whose matrix is computed from problem.geometry";
  if (scan->by_vectors)
    return "scsr does not know the symmetries of geometry.type: vectors; allowed: the other "
           "formats";
  const VolumeConfig& volume = problem.volume;
  if (volume.center != std::array<double, 2>{0, 0} ||
      volume.pixel_height.value_or(volume.pixel) != volume.pixel)
    return "scsr needs the symmetries of the square: square pixels (one number as "
           "problem.volume.pixel) around the axis (no problem.volume.center)";
  return {};
}

/// Reason why the entries cannot be computed; empty if they can.
std::string reason_against_computed(const ProblemSection& problem) {
  const bool has_rays = problem.as<ScanConfig>() || problem.as<ScannerConfig>();
  if (!has_rays && !problem.as<ConeBeamRows>())
    return "computed needs rays: a parallel, fan or cone beam that problem.geometry describes, or "
           "problem.scanner" +
           std::string(problem.matrix.empty() ? ""
                                              : "; the matrix of problem.matrix is stored anyway");
  if (problem.as<ConeBeamRows>() && !problem.mask.empty())
    return "computed traces all voxels of a cone beam, so problem.mask cannot leave any out; "
           "allowed: the other formats";
  return {};
}

/// Formats of this problem for a solver that needs \p property of stored formats.
/// \param with_blocks the solver also works with a row of blocks
std::string allowed_formats(const ProblemSection& problem, bool (*property)(MatrixFormat),
                            bool with_blocks) {
  std::vector<StoredPart> parts;
  if (reason_against_symmetry(problem).empty()) parts.push_back(StoredPart::orbits);
  if (with_blocks && problem.traits().is_circulant) parts.push_back(StoredPart::block_row);
  if (reason_against_computed(problem).empty()) parts.push_back(StoredPart::nothing);
  return names_of_formats(property, parts);
}

// The transposed product.

/// Names of the formats that have \p method.
std::string owners_of(TransposeMethod method) {
  if (method == TransposeMethod::direct) return "block_circulant";
  std::vector<std::string> owners;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (holds(transpose_methods(format), method)) owners.emplace_back(name);
  if (owners.size() > 2) return "other formats";
  return owners.size() == 2 ? owners[0] + " and " + owners[1] : owners[0];
}

/// Names of \p methods in the order of the enumeration, without private images on a GPU.
std::string names_of_methods(const std::vector<TransposeMethod>& methods, bool on_gpu) {
  std::string names;
  for (const auto& [method, name] : EnumNames<TransposeMethod>::names)
    if (holds(methods, method) && !(on_gpu && method == TransposeMethod::private_images))
      names += std::string(name) + ", ";
  return names + "automatic";
}

/// Names of the algorithms that form a transpose on a backend.
std::string names_of_transpositions(bool on_gpu) {
  std::vector<std::string_view> names;
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (has_transpose_variant(variant, on_gpu)) names.push_back(name);
  return join_names(names);
}

void check_transpose(const ConfigReader& root, const RunConfig& config) {
  const OperatorWish& section = config.matrix_operator;
  const bool on_gpu = config.run.backend == "cuda";
  const TransposeMethod method = section.transpose;
  const std::string name = name_of(method);
  root.rule(!has_transpose_variant(section.transposition, on_gpu), "operator.transposition",
            name_of(section.transposition) + " does not run on the backend " + config.run.backend +
                "; available there: " + names_of_transpositions(on_gpu));
  if (!section.has_one_copy()) {
    const std::vector<TransposeMethod> methods = methods_of(section);
    const bool is_known = method == TransposeMethod::automatic || holds(methods, method);
    root.rule(!is_known, "operator.transpose",
              name + " applies only to " + (is_known ? "" : owners_of(method)) + "; allowed for " +
                  section.format_name() + ": " + names_of_methods(methods, on_gpu));
    root.rule(method == TransposeMethod::private_images && on_gpu, "operator.transpose",
              name +
                  ": private images are available only on hosts; a GPU has too many threads; "
                  "allowed on cuda: " +
                  names_of_methods(methods, on_gpu));
  }
  root.rule(config.run.deterministic && method == TransposeMethod::atomic, "operator",
            "transpose: atomic adds in varying order, which run.deterministic excludes; use " +
                std::string(section.is(MatrixFormat::pair_blocked)
                                ? "fixed_point, which adds whole numbers"
                                : "stored, or windowed (csr only), which keeps no copy"));
  root.rule(section.transpose_format == MatrixFormat::sell &&
                (config.solver.uses_row_ranges() || config.solver.kind() == SolverKind::block_art),
            "operator.transpose_format",
            "sell needs products with all rays, which " + name_of(config.solver.kind()) +
                " does not form here; allowed: csr");
  root.rule(section.transpose_format &&
                (!section.is(MatrixFormat::csr) || method != TransposeMethod::stored),
            "operator.transpose_format",
            "applies only to a stored transpose in csr (stored_format: csr, transpose: stored)");
}

// The products.

void check_values(const ConfigReader& root, const RunConfig& config) {
  const StoredPrecision precision = config.matrix_operator.values();
  const std::string values = name_of(precision);
  const bool rounds = precision != StoredPrecision::plain;
  root.rule(
      rounds && config.run.scalar != scalar_name<float>(), "operator.values",
      values + ": 16-bit values require products in float; run.scalar is " + config.run.scalar);
  root.rule(rounds && solves_square_systems(config.solver.kind()), "operator.values",
            values + " rounds the matrix, so " + name_of(config.solver.kind()) +
                " would solve a different system; allowed: plain");
}

/// Variants of both products, with their keys.
std::array<std::pair<const char*, SpmvVariant>, 2> variants_of(const OperatorWish& section) {
  return {{{"operator.variant", section.variant},
           {"operator.transpose_variant", section.transpose_variant}}};
}

void check_variants(const ConfigReader& root, const RunConfig& config) {
  const OperatorWish& section = config.matrix_operator;
  const bool is_atomic = section.variant == SpmvVariant::merge_atomic;
  root.rule(is_atomic && config.solver.uses_row_ranges(), "operator.variant",
            "merge_atomic multiplies by all rows at once, but " + row_ranges_of(config.solver) +
                " use ranges of rows");
  root.rule(is_atomic && config.solver.kind() == SolverKind::block_art, "operator.variant",
            "merge_atomic multiplies by all rows at once, but block_art by the rows of a block");
  for (const auto& [key, variant] : variants_of(section))
    root.rule(config.run.deterministic && !is_repeatable(variant), key,
              name_of(variant) + " adds in varying order, which run.deterministic excludes");
}

// The order of rows and columns.

/// True if rows are in the order of views or subsets, and columns in their natural order.
bool keeps_views(const OrderingOptions& ordering) {
  return (ordering.rows == Ordering::natural || ordering.rows == Ordering::subsets) &&
         ordering.columns == Ordering::natural && ordering.entries == EntryOrder::sorted;
}

/// Refuses an order that needs a grid of pixels or rays, or a square matrix, if the problem shows
/// that it has none.
void check_grids(const ConfigReader& root, const OrderingOptions& ordering,
                 const ProblemSection& problem) {
  const char* const path = "operator.ordering";
  const std::string rows = name_of(ordering.rows), columns = name_of(ordering.columns);
  const bool is_image = problem.kind == ProblemKind::tomography;
  const bool orders_rays = ordering.rows == Ordering::tiles || ordering.rows == Ordering::hilbert;
  root.rule(!is_image && orders_pixels(ordering), path,
            "columns: " + columns +
                " orders pixels, which a linear system does not have; use natural or rcm");
  root.rule(!is_image && ordering.rows != ordering.columns, path,
            "rows and columns of a linear system need the same order, natural or rcm, not " + rows +
                " rows and " + columns + " columns");
  root.rule(
      problem.volume.slices && ordering.columns == Ordering::hilbert, path,
      "columns: hilbert applies only to images, and this is a volume; use tiles, which are boxes "
      "there");
  root.rule(problem.as<ConeBeamRows>() &&
                (ordering.columns != Ordering::natural ||
                 (ordering.rows != Ordering::natural && ordering.rows != Ordering::by_length &&
                  ordering.rows != Ordering::subsets)),
            path, "a cone beam allows only the orders natural, by_length (rows) and subsets");
  root.rule(
      problem.as<ScannerConfig>() && orders_rays, path,
      "rows: " + rows +
          " needs views and detectors; a scanner has pairs of crystals ({columns: tiles} orders "
          "only the columns)");
  root.rule(problem.as<ScannerConfig>() && ordering.rows == Ordering::rcm, path,
            "rcm needs a square matrix");
  const bool is_read = problem.traits().is_read;
  root.rule(is_read && orders_pixels(ordering) && !problem.volume.size, path,
            "columns: " + columns +
                " orders pixels; for a matrix from a file, give their arrangement as "
                "problem.volume.size");
  root.rule(is_read && orders_rays && problem.has_unknown_rows(), path,
            "rows: " + rows +
                " orders rays; for a matrix from a file, give their arrangement as "
                "problem.geometry.views and detectors");
  const auto* const scan = problem.as<ScanConfig>();
  if (!scan) return;
  const long long rays = scan->listed_views() * scan->detectors.value_or(0);
  const long long pixels = static_cast<long long>((*problem.volume.size)[0]) *
                           static_cast<long long>((*problem.volume.size)[1]);
  // A size that follows from the data is checked after reading them.
  root.rule(ordering.rows == Ordering::rcm && rays > 0 && rays != pixels, path,
            "rcm needs a square matrix; this one has " + std::to_string(rays) + " rays and " +
                std::to_string(pixels) + " pixels");
}

void check_order(const ConfigReader& root, const RunConfig& config) {
  const char* const path = "operator.ordering";
  const OperatorWish& section = config.matrix_operator;
  const OrderingOptions& ordering = section.ordering;
  const SolverKind solver = config.solver.kind();
  const bool is_natural = ordering.rows == Ordering::natural;
  const bool is_os_sart = solver == SolverKind::os_sart;
  root.rule(section.symmetric() && ordering != OrderingOptions{}, path,
            "scsr has its own order; allowed: natural");
  root.rule(
      section.computed() && !keeps_views(ordering), path,
      "computed multiplies view by view and reads the image row by row; allowed: natural, and "
      "subsets for the rows");
  root.rule(is_sart(solver) && !is_natural && !(ordering.rows == Ordering::subsets && is_os_sart),
            path,
            "rows: " + name_of(ordering.rows) + " separates the rows of a view, but " +
                name_of(solver) + " processes whole views; allowed for the rows: natural" +
                (is_os_sart ? ", subsets" : ""));
  check_grids(root, ordering, config.problem);
  root.rule(solver == SolverKind::block_art && !config.solver.sweep.is_sequential() && !is_natural,
            path,
            "rows: " + name_of(ordering.rows) +
                " conflicts with solver.order and solver.within_view, which number the rows of "
                "block_art; allowed: natural");
  if (ordering.entries == EntryOrder::sorted) return;
  root.rule(!section.is(MatrixFormat::csr), path,
            "entries: interleaved applies only to csr; " + section.format_name() +
                " arranges its entries itself");
  root.rule(
      section.transpose == TransposeMethod::windowed, path,
      "transpose: windowed needs successive entries of a row next to each other, but entries: "
      "interleaved separates them; choose one of the two");
  for (const auto& [key, variant] : variants_of(section))
    root.rule(
        variant == SpmvVariant::spmv4gpu, key,
        "spmv4gpu uses its own padded copy, on which ordering.entries: interleaved has no effect");
}

/// Checks that the subsets are subsets of the blocks, as far as their number is known.
void check_circulant(const ConfigReader& root, const RunConfig& config) {
  const OperatorWish& section = config.matrix_operator;
  const int subsets = config.solver.subsets();
  root.rule(section.ordering != default_ordering(subsets), "operator.ordering",
            "block_circulant has its own order; allowed: " +
                std::string(subsets > 1 ? "subsets" : "natural"));
  const auto* const row = config.problem.as<BlockRowConfig>();
  const Ordinal blocks = row != nullptr ? row->blocks : section.circulant.blocks;
  root.rule(blocks % subsets != 0, "solver.subsets",
            std::to_string(subsets) + " subsets do not divide the " + std::to_string(blocks) +
                " blocks of operator.format: block_circulant evenly; give a divisor");
}

/// Refuses keys that have no effect with the chosen storage of a chart's matrix.
void check_chart(const ConfigReader& root, const RunConfig& config) {
  const ChartForm form = config.problem.form;
  if (config.problem.kind != ProblemKind::parameterization || form == ChartForm::equations) return;
  const std::string why =
      "has no effect on problem.form: " + name_of(form) + "; it belongs to problem.form: equations";
  for (const std::string_view key : operator_keys()) {
    const std::string path = "operator." + std::string(key);
    root.rule(key != "ordering" && root.given(path), path, why);
  }
  root.rule(config.matrix_operator.ordering.entries != EntryOrder::sorted, "operator.ordering",
            "entries: interleaved " + why);
  root.rule(preconditioner_of(config.solver.params).kind == PreconditionerKind::block_jacobi,
            "solver.preconditioner",
            "block_jacobi " + why + "; use jacobi, which has blocks of two there");
}

}  // namespace

void check_format(const ConfigReader& root, const RunConfig& config) {
  const OperatorWish& section = config.matrix_operator;
  const ProblemSection& problem = config.problem;
  const SolverKind solver = config.solver.kind();
  const std::string name = name_of(solver);
  const std::string ranges = row_ranges_of(config.solver);
  const std::string computed = reason_against_computed(problem);
  const std::string symmetry = reason_against_symmetry(problem);
  const bool is_circulant = problem.traits().is_circulant;
  const bool is_stored = section.stored && !section.block_circulant();
  const bool reads_rows = is_stored && has_single_rows(format_of(*section.stored));
  const bool reads_ranges = is_stored && has_row_ranges(format_of(*section.stored));

  root.rule(solver == SolverKind::fbp && !section.computed(), "operator.format",
            "fbp uses no stored matrix; allowed: computed");
  root.rule(section.computed() && !computed.empty(), "operator.format", computed);
  if (section.block_circulant()) {
    root.rule(is_circulant && root.given("operator.blocks"), "operator.blocks",
              problem.traits().is_read
                  ? "applies only to problem.matrix; for problem.block_row give problem.blocks"
                  : "applies only to problem.matrix; a geometry has one block per view");
    root.rule(
        is_circulant && root.given("operator.circulant_order"), "operator.circulant_order",
        "applies only to problem.matrix; vectors of problem.block_row and of a cone beam always "
        "have the order rotations");
    root.rule(!is_circulant && (problem.kind != ProblemKind::tomography || problem.matrix.empty()),
              "operator.format",
              "block_circulant needs problem.block_row, problem.matrix with operator.blocks, or "
              "geometry.type: cone_beam");
    root.rule(!is_circulant && !root.given("operator.blocks"), "operator.blocks",
              "is required; the number of blocks of problem.matrix along each side");
  }
  root.rule(section.symmetric() && !symmetry.empty(), "operator.format", symmetry);
  // Ranges of natural rays are rays of many orbits, which are read row by row.
  root.rule(section.symmetric() && has_sweeps(solver) && !reads_rows, "operator.stored_format",
            name + " visits single rows; allowed: " + names_of_formats(has_single_rows));
  root.rule(section.symmetric() && config.solver.uses_row_ranges() && !reads_rows,
            "operator.stored_format",
            ranges + " use ranges of rows; allowed: " + names_of_formats(has_single_rows));
  // The blocks of a block-circulant matrix are views.
  if (solver == SolverKind::sart && !section.block_circulant()) {
    const std::string sart = "sart processes single views";
    root.rule(
        is_circulant, "solver.type",
        sart + ", which the format " + section.format_name() +
            " does not have for this matrix; use operator.format: block_circulant, or os_sart "
            "with as many solver.subsets as there are views");
    root.rule(!problem.traits().has_views, "solver.type",
              sart + ", which this matrix does not have; use os_sart");
    root.rule(problem.has_unknown_rows(), "solver.type",
              sart +
                  "; for a matrix from a file give their number as problem.geometry.views and "
                  "detectors");
  }
  root.rule(
      has_sweeps(solver) && (section.block_circulant() || (is_stored && !reads_rows)),
      "operator.format",
      name + " visits single rows; allowed: " + allowed_formats(problem, has_single_rows, false));
  root.rule(config.solver.uses_row_ranges() && is_stored && !reads_ranges, "operator.format",
            ranges + " use ranges of rows, which " +
                allowed_formats(problem, has_row_ranges, true) + " support");
  root.rule((section.is(MatrixFormat::ray_tiles) || section.is(MatrixFormat::pair_blocked)) &&
                !uses_transpose(solver) && !has_sweeps(solver),
            "operator.format",
            section.format_name() + " serves A x and A^T y from one copy, but " + name +
                " forms only A x; use csr or sell");
}

void check_operator(const ConfigReader& root, const RunConfig& config) {
  check_values(root, config);
  if (config.matrix_operator.block_circulant()) {
    check_circulant(root, config);
    return;
  }
  check_variants(root, config);
  check_transpose(root, config);
  check_order(root, config);
  check_chart(root, config);
}

}  // namespace Tomokkos
