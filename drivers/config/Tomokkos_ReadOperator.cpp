// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the section `operator` and checks it against the other sections.
#include <Tomokkos_Backends.hpp>
#include <Tomokkos_Formats.hpp>
#include <Tomokkos_OperatorKeys.hpp>
#include <Tomokkos_OrderingConfig.hpp>
#include <Tomokkos_ReadSections.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>
#include <algorithm>
#include <string>
#include <vector>

namespace Tomokkos {
namespace {

/// The section and the other sections that it is checked against.
struct Context {
  const ConfigReader& reader;
  const RunSection& run;
  const ProblemSection& problem;
  const SolverSection& solver;

  SolverKind kind() const { return solver.kind(); }
  std::string solver_name() const { return std::string(to_string(solver.kind())); }
};

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
  if (!problem.is_traced())
    return "computed needs rays: a parallel, fan or cone beam that problem.geometry describes, or "
           "problem.scanner" +
           std::string(problem.matrix.empty() ? ""
                                              : "; the matrix of problem.matrix is stored anyway");
  if (problem.as<ConeBeamRows>() && !problem.mask.empty())
    return "computed traces all voxels of a cone beam, so problem.mask cannot leave any out; "
           "allowed: the other formats";
  return {};
}

/// Formats of this problem for a solver that needs \p property of stored formats, for messages.
/// \param with_blocks the solver also works with a row of blocks
std::string allowed_formats(const Context& context, bool (*property)(MatrixFormat),
                            bool with_blocks) {
  std::vector<StoredPart> parts;
  if (reason_against_symmetry(context.problem).empty()) parts.push_back(StoredPart::orbits);
  if (with_blocks && context.problem.traits().is_circulant) parts.push_back(StoredPart::block_row);
  if (reason_against_computed(context.problem).empty()) parts.push_back(StoredPart::nothing);
  return names_of_formats(property, parts);
}

// The format is read first: it decides which keys exist.

void read_format(const Context& context, OperatorWish& result) {
  const bool is_fbp = context.kind() == SolverKind::fbp;
  const char* usual = "csr";
  if (context.problem.traits().is_circulant) usual = "block_circulant";
  if (is_fbp) usual = "computed";
  result.set_format(context.reader.one_of("format", usual, format_names()));
  if (is_fbp && !result.computed())
    context.reader.fail("format", "fbp uses no stored matrix; allowed: computed");
  if (!result.computed()) return;
  if (const std::string reason = reason_against_computed(context.problem); !reason.empty())
    context.reader.fail("format", reason);
}

/// Reads the format of the stored rays of `format: scsr`.
void read_stored_format(const Context& context, OperatorWish& result) {
  const ConfigReader& reader = context.reader;
  const char* const key = "stored_format";
  if (!result.symmetric()) {
    reader.refuse_key(
        key, result.computed()
                 ? "has no effect on the format computed, which stores no rays"
                 : "has no effect on the format " + result.format_name() + "; it belongs to scsr");
    return;
  }
  if (const std::string reason = reason_against_symmetry(context.problem); !reason.empty())
    reader.fail("format", reason);
  result.stored = default_options(*from_string<MatrixFormat>(
      reader.one_of(key, "csr", {"csr", "sell", "packed_csr", "ray_tiles", "pair_blocked"})));
  // Ranges of natural rays are rays of many orbits, which are read row by row.
  const bool reads_rows = has_single_rows(format_of(*result.stored));
  if (has_sweeps(context.kind()) && !reads_rows)
    reader.fail(key, context.solver_name() +
                         " visits single rows; allowed: " + names_of_formats(has_single_rows));
  if (context.solver.uses_row_ranges() && !reads_rows)
    reader.fail(key, row_ranges_of(context.solver) +
                         " use ranges of rows; allowed: " + names_of_formats(has_single_rows));
}

/// Checks the source of the number of blocks and of the order of the vectors.
void check_blocks(const Context& context) {
  const ConfigReader& reader = context.reader;
  const ProblemSection& problem = context.problem;
  if (problem.traits().is_circulant) {
    reader.refuse_key(
        "blocks", problem.traits().is_read
                      ? "applies only to problem.matrix; for problem.block_row give problem.blocks"
                      : "applies only to problem.matrix; a geometry has one block per view");
    reader.refuse_key("circulant_order",
                      "applies only to problem.matrix; vectors of problem.block_row and of a cone "
                      "beam always have the order rotations");
    return;
  }
  if (problem.kind != ProblemKind::tomography || problem.matrix.empty())
    reader.fail("format",
                "block_circulant needs problem.block_row, problem.matrix with operator.blocks, or "
                "geometry.type: cone_beam");
  reader.require_key("blocks", "the number of blocks of problem.matrix along each side");
}

/// Checks that sart finds its views in the matrix. The blocks of a block-circulant matrix are
/// views.
void check_views(const ConfigReader& root, const Context& context, const OperatorWish& result) {
  if (context.kind() != SolverKind::sart || result.block_circulant()) return;
  const ProblemSection& problem = context.problem;
  const auto fail = [&](const std::string& what) {
    root.fail_at_path("solver.type", "sart processes single views" + what);
  };
  if (problem.traits().is_circulant)
    fail(", which the format " + result.format_name() +
         " does not have for this matrix; use operator.format: block_circulant, or os_sart with "
         "as many solver.subsets as there are views");
  if (!problem.traits().has_views) fail(", which this matrix does not have; use os_sart");
  if (problem.has_unknown_rows())
    fail("; for a matrix from a file give their number as problem.geometry.views and detectors");
}

void check_format(const Context& context, const OperatorWish& result) {
  const ConfigReader& reader = context.reader;
  if (result.computed()) return;
  const bool is_named = !result.is_automatic() && !result.block_circulant();
  if (has_sweeps(context.kind()) &&
      (result.block_circulant() || (is_named && !has_single_rows(format_of(*result.stored)))))
    reader.fail("format", context.solver_name() + " visits single rows; allowed: " +
                              allowed_formats(context, has_single_rows, false));
  if (context.solver.uses_row_ranges() && is_named && !has_row_ranges(format_of(*result.stored)))
    reader.fail("format", row_ranges_of(context.solver) + " use ranges of rows, which " +
                              allowed_formats(context, has_row_ranges, true) + " support");
  if ((result.is(MatrixFormat::ray_tiles) || result.is(MatrixFormat::pair_blocked)) &&
      !uses_transpose(context.kind()) && !has_sweeps(context.kind()))
    reader.fail("format", result.format_name() + " serves A x and A^T y from one copy, but " +
                              context.solver_name() + " forms only A x; use csr or sell");
}

// The transposed product.

bool has(const std::vector<TransposeMethod>& methods, TransposeMethod method) {
  return std::find(methods.begin(), methods.end(), method) != methods.end();
}

/// Names of the formats that have \p method, for messages.
std::string owners_of(TransposeMethod method) {
  if (method == TransposeMethod::direct) return "block_circulant";
  std::vector<std::string> owners;
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names)
    if (has(transpose_methods(format), method)) owners.emplace_back(name);
  if (owners.size() > 2) return "other formats";
  return owners.size() == 2 ? owners[0] + " and " + owners[1] : owners[0];
}

/// Names of \p methods in the order of the enumeration, without private images on a GPU.
std::string names_of(const std::vector<TransposeMethod>& methods, bool on_cuda) {
  std::string names;
  for (const auto& [method, name] : EnumNames<TransposeMethod>::names)
    if (has(methods, method) && !(on_cuda && method == TransposeMethod::private_images))
      names += std::string(name) + ", ";
  return names + "automatic";
}

/// Default method. `sart` and `block_art` multiply by many small ranges of rows, for which a stored
/// transpose is slow.
TransposeMethod default_transpose(const Context& context, const OperatorWish& section) {
  const bool goes_by_ranges =
      context.kind() == SolverKind::sart || context.kind() == SolverKind::block_art;
  const bool may_be_csr = section.is_automatic() || section.is(MatrixFormat::csr);
  const bool chooses = may_be_csr && goes_by_ranges && !context.reader.has("transpose_variant");
  return chooses ? TransposeMethod::automatic : usual_transpose(section);
}

/// Refuses a method that the format or the backend does not support.
void check_transpose(const Context& context, const OperatorWish& section) {
  if (section.has_one_copy()) return;
  const std::vector<TransposeMethod> methods = methods_of(section);
  const bool on_cuda = context.run.backend == "cuda";
  const TransposeMethod method = section.transpose;
  const std::string name(to_string(method));
  if (method != TransposeMethod::automatic && !has(methods, method))
    context.reader.fail("transpose", name + " applies only to " + owners_of(method) +
                                         "; allowed for " + section.format_name() + ": " +
                                         names_of(methods, on_cuda));
  if (method == TransposeMethod::private_images && on_cuda)
    context.reader.fail("transpose", name +
                                         ": private images are available only on hosts; a GPU has "
                                         "too many threads; allowed on cuda: " +
                                         names_of(methods, on_cuda));
}

void read_transpose_format(const Context& context, OperatorWish& result) {
  const ConfigReader& reader = context.reader;
  if (!reader.has("transpose_format")) return;
  if (!uses_transpose(context.kind()))
    reader.refuse_key("transpose_format", "has no effect on the solver " + context.solver_name() +
                                              ", which needs no transposed product");
  const std::string name =
      reader.one_of("transpose_format", "automatic", {"automatic", "csr", "sell"});
  if (name == "automatic") return;
  result.transpose_format = *from_string<MatrixFormat>(name);
  if (result.transpose_format == MatrixFormat::sell &&
      (context.solver.uses_row_ranges() || context.kind() == SolverKind::block_art))
    reader.fail("transpose_format", name + " needs products with all rays, which " +
                                        context.solver_name() +
                                        " does not form here; allowed: csr");
}

void check_transpose_format(const Context& context, const OperatorWish& result) {
  if (!result.transpose_format) return;
  if (!result.is(MatrixFormat::csr) || result.transpose != TransposeMethod::stored)
    context.reader.fail(
        "transpose_format",
        "applies only to a stored transpose in csr (stored_format: csr, transpose: stored)");
}

// The products.

/// Refuses a product with atomic additions if the results must be reproducible bit by bit.
void check_repeats(const Context& context, const char* key, SpmvVariant variant) {
  if (context.run.deterministic && !is_repeatable(variant))
    context.reader.fail(key, std::string(to_string(variant)) +
                                 " adds in varying order, which run.deterministic excludes");
}

void check_variants(const Context& context, const OperatorWish& result) {
  const ConfigReader& reader = context.reader;
  if (result.variant == SpmvVariant::merge_atomic && context.solver.uses_row_ranges())
    reader.fail("variant", "merge_atomic multiplies by all rows at once, but " +
                               row_ranges_of(context.solver) + " use ranges of rows");
  if (result.variant == SpmvVariant::merge_atomic && context.kind() == SolverKind::block_art)
    reader.fail(
        "variant",
        "merge_atomic multiplies by all rows at once, but block_art by the rows of a block");
  check_repeats(context, "variant", result.variant);
  check_repeats(context, "transpose_variant", result.transpose_variant);
}

/// Refuses an algorithm that the backend does not have.
void check_transposition(const Context& context, const OperatorWish& result) {
  const bool on_gpu = context.run.backend == "cuda";
  if (has_transpose_variant(result.transposition, on_gpu)) return;
  std::vector<std::string_view> allowed;
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (has_transpose_variant(variant, on_gpu)) allowed.push_back(name);
  context.reader.fail("transposition", std::string(to_string(result.transposition)) +
                                           " does not run on the backend " + context.run.backend +
                                           "; available there: " + join_names(allowed));
}

void check_values(const Context& context, const OperatorWish& result) {
  if (result.values() == StoredPrecision::plain) return;
  const std::string values(to_string(result.values()));
  if (context.run.scalar != scalar_name<float>())
    context.reader.fail(
        "values",
        values + ": 16-bit values require products in float; run.scalar is " + context.run.scalar);
  if (solves_square_systems(context.kind()))
    context.reader.fail("values", values + " rounds the matrix, so " + context.solver_name() +
                                      " would solve a different system; allowed: plain");
}

// The order of rows and columns.

/// Default order of the columns: squares of pixels or boxes of voxels if their arrangement is
/// known.
Ordering default_columns(const ProblemSection& problem) {
  const RowTraits traits = problem.traits();
  if (traits.is_read ? !problem.volume.size : !traits.in_any_order) return Ordering::natural;
  return problem.volume.slices ? Ordering::tiles : Ordering::squares;
}

/// Refuses orders that separate the rows of a view, which SART needs together.
void check_views_stay_whole(const Context& context, const OrderingOptions& ordering) {
  if (!is_sart(context.kind()) || ordering.rows == Ordering::natural ||
      (ordering.rows == Ordering::subsets && context.kind() == SolverKind::os_sart))
    return;
  context.reader.fail("ordering", "rows: " + std::string(to_string(ordering.rows)) +
                                      " separates the rows of a view, but " +
                                      context.solver_name() +
                                      " processes whole views; allowed for the rows: natural" +
                                      (context.kind() == SolverKind::os_sart ? ", subsets" : ""));
}

void check_entries(const Context& context, const OperatorWish& result) {
  if (result.ordering.entries == EntryOrder::sorted) return;
  const ConfigReader& reader = context.reader;
  if (!result.is(MatrixFormat::csr))
    reader.fail("ordering", "entries: interleaved applies only to csr; " + result.format_name() +
                                " arranges its entries itself");
  if (result.transpose == TransposeMethod::windowed)
    reader.fail("ordering",
                "transpose: windowed needs successive entries of a row next to each other, but "
                "entries: interleaved separates them; choose one of the two");
  for (const auto& [key, variant] : {std::pair{"variant", result.variant},
                                     std::pair{"transpose_variant", result.transpose_variant}})
    if (variant == SpmvVariant::spmv4gpu)
      reader.fail(key,
                  "spmv4gpu uses its own padded copy, on which ordering.entries: interleaved has "
                  "no effect");
}

/// True if rows are in the order of views or subsets, and columns in their natural order.
bool keeps_views(const OrderingOptions& ordering) {
  return (ordering.rows == Ordering::natural || ordering.rows == Ordering::subsets) &&
         ordering.columns == Ordering::natural && ordering.entries == EntryOrder::sorted;
}

void complete_order(const Context& context, OperatorWish& result) {
  const ConfigReader& reader = context.reader;
  // Not even the default order of subsets.
  if (result.symmetric() && !reader.has("ordering")) result.ordering = {};
  if (result.symmetric() && result.ordering != OrderingOptions{})
    reader.fail("ordering", "scsr has its own order; allowed: natural");
  if (result.computed() && !keeps_views(result.ordering))
    reader.fail(
        "ordering",
        "computed multiplies view by view and reads the image row by row; allowed: natural, "
        "and subsets for the rows");
  check_views_stay_whole(context, result.ordering);
  const bool is_windowed = result.transpose == TransposeMethod::windowed;
  if ((result.is(MatrixFormat::ray_tiles) || is_windowed) && !result.symmetric() &&
      !reader.has("ordering"))
    result.ordering.columns = default_columns(context.problem);
  check_ordering(reader, result.ordering, context.problem);
  if (context.kind() == SolverKind::block_art && !context.solver.sweep.is_sequential() &&
      result.ordering.rows != Ordering::natural)
    reader.fail("ordering", "rows: " + std::string(to_string(result.ordering.rows)) +
                                " conflicts with solver.order and solver.within_view, which number "
                                "the rows of block_art; allowed: natural");
  check_entries(context, result);
}

/// Checks that the subsets are subsets of the blocks, as far as their number is known.
void check_circulant_subsets(const ConfigReader& root, const Context& context,
                             const OperatorWish& result) {
  const int subsets = context.solver.subsets();
  if (result.ordering != default_ordering(subsets))
    context.reader.fail("ordering", "block_circulant has its own order; allowed: " +
                                        std::string(subsets > 1 ? "subsets" : "natural"));
  const auto* const row = context.problem.as<BlockRowConfig>();
  const Ordinal blocks = row != nullptr ? row->blocks : result.circulant.blocks;
  if (blocks % subsets != 0)
    root.fail_at_path("solver.subsets", std::to_string(subsets) + " subsets do not divide the " +
                                            std::to_string(blocks) +
                                            " blocks of operator.format: block_circulant evenly; "
                                            "give a divisor");
}

}  // namespace

OperatorWish read_operator(const ConfigReader& root, const RunSection& run,
                           const ProblemSection& problem, const SolverSection& solver) {
  const ConfigReader reader = root.section("operator", operator_keys());
  const Context context{reader, run, problem, solver};
  OperatorWish result;
  read_format(context, result);
  if (result.block_circulant())
    check_blocks(context);
  else
    read_stored_format(context, result);
  check_views(root, context, result);
  check_format(context, result);
  refuse_other_formats(reader, result);
  if (!result.block_circulant()) {
    if (result.symmetric()) read_transpose_format(context, result);
    result.transpose = default_transpose(context, result);
  }
  result.ordering = default_ordering(solver.subsets());
  read_keys(reader, result, solver);
  complete_ordering(reader, result.ordering, solver.subsets());
  if (result.block_circulant()) {
    check_values(context, result);
    check_circulant_subsets(root, context, result);
    return result;
  }
  if (result.largest_fill && !result.is_automatic())
    with_format(*result.stored, [&]<class Format>(typename Format::Options& options) {
      if constexpr (Format::pads) options.limit.largest_fill = *result.largest_fill;
    });
  check_values(context, result);
  check_variants(context, result);
  check_transposition(context, result);
  check_transpose(context, result);
  check_transpose_format(context, result);
  complete_order(context, result);
  return result;
}

}  // namespace Tomokkos
