// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_ComputedProjection.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <Tomokkos_TracedProjection.hpp>
#include <Tomokkos_ViewOrbits.hpp>
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <type_traits>
#include <vector>

namespace Tomokkos {

namespace Impl {

/// Sizes that determine the memory of a matrix.
struct MatrixNumbers {
  double rays = 0, pixels = 0;  ///< number on this rank that masks keep
  double nonzeros = 0;          ///< number on this rank
  double offsets = 0;           ///< row offsets, without those of a stored transpose
  double all_rays = 0;          ///< number of the scan, with those of other ranks and masked ones
  double slices = 1;
  double stored_rays = 0;  ///< rows of the matrix in `scsr`; 0: the scan is not symmetric
  std::uint64_t available = 0;
};

}  // namespace Impl

namespace {

using Impl::MatrixNumbers;

bool keeps_transpose(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind()) &&
         !config.matrix_operator.has_one_copy() &&
         config.matrix_operator.transpose == TransposeMethod::stored;
}

// With several ranks, rows from a file are already in their order when read.
bool is_moved(const RunConfig& config) {
  return !is_natural(config.matrix_operator.ordering) && !is_built_in_order(config) &&
         config.run.num_ranks == 1;
}

// True if windows determine the peak of memory. Reordering a matrix needs it twice before windows
// exist.
bool makes_windows(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind()) &&
         config.matrix_operator.is(MatrixFormat::csr) &&
         config.matrix_operator.transpose == TransposeMethod::windowed && !is_moved(config);
}

// Lower bound for the bytes of windows; the lengths of their segments are known only with the
// matrix. A ray enters fewer than 2 x 64 of the 64 x 64 pixels of a tile, and may share each with a
// neighbour.
template <class ExecutionSpace, class Scalar>
double window_bytes(const RunConfig& config, MatrixUse use, double rows, double columns,
                    double nonzeros) {
  if (!makes_windows(config, use)) return 0;
  constexpr double longest_segment = 256;
  return static_cast<double>(windowed_construction_bytes<ExecutionSpace, Scalar>(
      static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
      static_cast<std::uint64_t>(nonzeros / longest_segment)));
}

// Known bytes of an entry in its format, which exists together with the CSR matrix that it is
// converted from.
template <class Scalar>
double format_entry_bytes(const RunConfig& config, MatrixUse use) {
  double bytes = 0;
  if (use == MatrixUse::matrix || !config.matrix_operator.stored) return bytes;
  with_format(*config.matrix_operator.stored,
              [&]<class Format>(const typename Format::Options& options) {
                bytes = Format::entry_bytes(options, sizeof(Scalar));
              });
  return bytes;
}

// Largest number of copies of the matrix at the same time: natural and ordered, the transpose, and
// one more while entries are interleaved (only on a GPU).
template <class ExecutionSpace>
double matrix_copies(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::matrix) return 1;
  if (use == MatrixUse::tiles || config.matrix_operator.computed()) return 0;
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  const bool interleaved =
      ordering.entries == EntryOrder::interleaved && !Impl::is_host_space<ExecutionSpace>;
  // Two transpositions need about a copy of the entries as their workspace.
  const TransposeVariant transposition = config.matrix_operator.transposition;
  const bool has_workspace = transposition == TransposeVariant::merge_trans ||
                             transposition == TransposeVariant::scan_trans;
  const double kept = (keeps_transpose(config, use) ? (has_workspace ? 3.0 : 2.0) : 1.0) +
                      (interleaved ? 1.0 : 0.0);
  return is_moved(config) ? std::max(kept, 2.0) : kept;
}

// Bytes of a matrix with this number of nonzeros, without its row offsets.
template <class ExecutionSpace, class Scalar>
double entries_bytes(const RunConfig& config, MatrixUse use, double nonzeros, double available) {
  const double entry =
      matrix_copies<ExecutionSpace>(config, use) * (sizeof(Ordinal) + sizeof(Scalar)) +
      format_entry_bytes<Scalar>(config, use);
  return nonzeros * entry +
         (use == MatrixUse::tiles ? tile_block_bytes<Scalar>(nonzeros, available) : 0);
}

// Text for several ranks.
std::string on_ranks(const RunConfig& config) {
  if (config.run.num_ranks == 1) return "";
  return "on each of " + std::to_string(config.run.num_ranks) + " ranks ";
}

// Subject of a message about the needed bytes.
const char* subject_of(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::tiles) return "in ray tiles, together with a block of rows, it needs";
  if (makes_windows(config, use)) return "with its windows and the vectors it needs";
  return keeps_transpose(config, use) ? "with its stored transpose and the vectors it needs"
                                      : "it needs";
}

/// Bytes of `computed`. Of a scan: the lines of the rays; copies of the image and of whole views of
/// the data for all slices; two values of each ray of a fan beam. Of any other geometry: integer
/// sums of the voxels, offsets of the rows while they are counted.
template <class Scalar>
double computed_bytes(const RunConfig& config, const MatrixNumbers& of) {
  if (!config.matrix_operator.computed()) return 0;
  if (!config.problem.as<ScanConfig>())
    return (sizeof(long long) + 1) * of.pixels * std::min<double>(of.slices, max_traced_vectors) +
           sizeof(Offset) * of.rays;
  return computed_ray_bytes * of.rays +
         ((2 * of.pixels + of.all_rays) * of.slices + 2 * of.all_rays) * sizeof(Scalar);
}

/// Bytes of the tiles of `merge_path`, 12 each, if their size is given.
double tile_bytes(const RunConfig& config, MatrixUse use, double rows, double columns,
                  double nonzeros) {
  const OperatorSection& section = config.matrix_operator;
  if (section.sections == 0 || use == MatrixUse::matrix) return 0;
  const auto of = [&](SpmvVariant variant, double lines) {
    return variant == SpmvVariant::merge_path
               ? 12 * (lines + nonzeros) / static_cast<double>(section.sections)
               : 0.0;
  };
  return of(section.variant, rows) +
         (keeps_transpose(config, use) ? of(section.transpose_variant, columns) : 0.0);
}

/// Bytes of the matrix of a scan or a scanner, together with all other memory at the same time.
template <class ExecutionSpace, class Scalar>
double matrix_need(const RunConfig& config, MatrixUse use, const MatrixNumbers& of) {
  const bool stored = keeps_transpose(config, use);
  return vector_bytes<ExecutionSpace, Scalar>(config, of.rays, of.pixels, use) +
         (of.offsets + (stored ? of.pixels + 1.0 : 0.0)) * sizeof(Offset) +
         computed_bytes<Scalar>(config, of) +
         window_bytes<ExecutionSpace, Scalar>(config, use, of.rays, of.pixels, of.nonzeros) +
         tile_bytes(config, use, of.rays, of.pixels, of.nonzeros) +
         entries_bytes<ExecutionSpace, Scalar>(config, use, of.nonzeros,
                                               static_cast<double>(of.available));
}

/// Bytes of the stored rays of a symmetric scan, with the eight images of each of \p slices slices.
template <class ExecutionSpace, class Scalar>
double symmetric_need(const RunConfig& config, const MatrixNumbers& of, double slices) {
  constexpr double images = num_square_symmetries;
  MatrixNumbers stored = of;
  stored.rays = of.stored_rays;
  stored.offsets = of.stored_rays + 1.0;
  stored.nonzeros = of.nonzeros * of.stored_rays / of.rays;
  RunConfig of_stored = config;
  of_stored.matrix_operator.ordering = {};
  const MatrixUse use = MatrixUse::products;
  const double vectors =
      vector_bytes<ExecutionSpace, Scalar>(of_stored, of.rays, of.pixels, use) -
      vector_bytes<ExecutionSpace, Scalar>(of_stored, of.stored_rays, of.pixels, use);
  // On a GPU the transpose is in SELL, and a CSR transpose exists while it is made.
  const double third = Impl::is_host_space<ExecutionSpace> || !keeps_transpose(config, use)
                           ? 0
                           : stored.nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return matrix_need<ExecutionSpace, Scalar>(of_stored, use, stored) + vectors + third +
         images * (of.pixels + of.stored_rays) * slices * sizeof(Scalar) +
         sizeof(Ordinal) * (3 * of.pixels + 2 * of.rays + images * of.stored_rays);
}

/// Alternative that needs less memory, for messages.
struct Alternative {
  std::string name;
  double bytes = 0;
};

/// Adds alternatives to \p config that need less memory with values of the precision \p Scalar,
/// selected by the setting \p more: the symmetries of the scan, no second copy, ray tiles, 16-bit
/// values.
template <class ExecutionSpace, class Scalar>
void add_alternatives(const RunConfig& config, MatrixUse use, const MatrixNumbers& of,
                      const std::string& more, std::vector<Alternative>& ways) {
  const OperatorSection& section = config.matrix_operator;
  const SolverKind solver = config.solver.kind();
  const bool is_csr = section.is(MatrixFormat::csr) || section.is_automatic();
  const bool is_scan = config.problem.kind == ProblemKind::tomography;
  const auto add = [&](const std::string& name, const OperatorSection& changed_section) {
    RunConfig changed = config;
    changed.matrix_operator = changed_section;
    MatrixUse changed_use = use;
    if (changed_section.format_name() != section.format_name())
      changed_use = builds_tiles_directly(changed) ? MatrixUse::tiles : MatrixUse::products;
    double bytes = changed_section.symmetric()
                       ? symmetric_need<ExecutionSpace, Scalar>(changed, of, of.slices)
                       : matrix_need<ExecutionSpace, Scalar>(changed, changed_use, of);
    // Packs of another format are not completely filled by segments.
    if (changed_section.is(MatrixFormat::ray_tiles) && !section.is(MatrixFormat::ray_tiles))
      bytes += 0.25 * of.nonzeros * format_entry_bytes<Scalar>(changed, changed_use);
    ways.push_back({(more.empty() || name.empty() ? more : more + " with ") + name, bytes});
  };
  if (!more.empty()) add("", section);
  const bool may_add = !config.run.deterministic && uses_transpose(solver) && is_csr &&
                       !section.library &&
                       (keeps_transpose(config, use) || makes_windows(config, use));
  if (is_scan && is_csr && of.stored_rays > 0 && !section.symmetric()) {
    OperatorSection changed;
    changed.set_format("scsr");
    add("operator.format: scsr", changed);
    changed.transpose = TransposeMethod::atomic;
    if (may_add) add("operator: {format: scsr, transpose: atomic}", changed);
  }
  if (may_add) {
    OperatorSection changed = section;
    changed.transpose = TransposeMethod::atomic;
    add("operator.transpose: atomic", changed);
  }
  if (is_scan && is_csr && !section.symmetric() && uses_transpose(solver) && !has_sweeps(solver) &&
      section.variant == SpmvVariant::automatic && !section.library) {
    OperatorSection changed = section;
    changed.stored = TiledOptions{};
    changed.ordering.columns = Ordering::squares;
    add("operator.format: ray_tiles", changed);
    changed.set_values(StoredPrecision::half);
    if (std::is_same_v<Scalar, float>) add("operator: {format: ray_tiles, values: half}", changed);
  }
  if (config.problem.is_traced() && !section.computed()) {
    OperatorSection changed;
    changed.set_format("computed");
    add("operator: {format: computed}", changed);
  }
  if (std::is_same_v<Scalar, float> && section.may_use_halves()) {
    OperatorSection changed = section;
    changed.set_values(StoredPrecision::half);
    add("operator.values: half", changed);
  }
}

/// Describes the alternatives that fit, or the smallest one.
std::string advice_of(const std::vector<Alternative>& ways, std::uint64_t available) {
  const auto described = [](const Alternative& way) {
    const std::string bytes = describe_bytes(Impl::whole_bytes(way.bytes));
    return way.name + " (about " + bytes.substr(0, bytes.find(" (")) + ")";
  };
  std::string fitting;
  int count = 0;
  for (const Alternative& way : ways)
    if (way.bytes <= static_cast<double>(available) && count++ < 3)
      fitting += (fitting.empty() ? "" : ", or ") + described(way);
  if (!fitting.empty()) return "these settings fit: " + fitting;
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const Alternative& a, const Alternative& b) { return a.bytes < b.bytes; });
  if (least == ways.end()) return "make the problem smaller";
  return "make the problem smaller: even " + described(*least) + " does not fit";
}

/// Describes alternatives to the matrix of \p config that would fit.
template <class ExecutionSpace, class Scalar>
std::string advice_for(const RunConfig& config, MatrixUse use, const MatrixNumbers& of) {
  if (use == MatrixUse::matrix) return "make the problem smaller";
  std::vector<Alternative> ways;
  add_alternatives<ExecutionSpace, Scalar>(config, use, of, "", ways);
  if (std::is_same_v<Scalar, double>)
    add_alternatives<ExecutionSpace, float>(config, use, of, "run.scalar: float", ways);
  return advice_of(ways, of.available);
}

/// Number of rows of the matrix in `scsr`; 0 if the scan lacks the symmetries of the square.
double stored_rays_of(const RunConfig& config, const RunInput& input) {
  constexpr std::int64_t most_rays = 200'000'000;  // limit of the effort for a message
  const auto* scan = std::get_if<ScanRows>(&input.rows);
  if (!scan || config.run.num_ranks > 1 || scan->num_rows() > most_rays) return 0;
  return static_cast<double>(scan->count_symmetric(input.masks));
}

/// Numbers of rows and columns that masks keep. Where all rows are counted first, masks apply
/// later.
struct KeptShares {
  Ordinal rows, columns;

  explicit KeptShares(const RunInput& input) {
    const MatrixMasks masks = traits_of(input.rows).counts_first ? MatrixMasks{} : input.masks;
    rows = count_kept(masks.rows, num_rows(input.rows));
    columns = count_kept(masks.columns, num_cols(input.rows));
  }
  double of_rows(const RunInput& input) const {
    return rows / static_cast<double>(num_rows(input.rows));
  }
  /// The count includes all nonzeros; a mask keeps about a proportional share.
  double of_nonzeros(const RunInput& input) const {
    return of_rows(input) * columns / static_cast<double>(num_cols(input.rows));
  }
};

/// Numbers of a matrix from a geometry, without its nonzeros.
MatrixNumbers numbers_of(const RunConfig& config, const RunInput& input, MatrixUse use,
                         const KeptShares& kept, std::uint64_t available) {
  MatrixNumbers numbers;
  // Each rank holds its share of the rows.
  numbers.rays = kept.rows * config.run.rank_share;
  numbers.pixels = kept.columns;
  numbers.all_rays = num_rows(input.rows);
  numbers.slices = input.slices;
  // Offsets from counting exist together with the offsets of the matrix or of ray tiles.
  numbers.offsets =
      (traits_of(input.rows).counts_first ? (use == MatrixUse::tiles ? 3.0 : 2.0) : 1.0) *
      (kept.rows + 1.0);
  numbers.available = available;
  if (config.matrix_operator.symmetric() && use == MatrixUse::products)
    numbers.stored_rays = stored_rays_of(config, input);
  return numbers;
}

/// Text for a number of nonzeros. Numbers of counted rows are exact.
std::string text_of_nonzeros(const RowTraits& traits, double nonzeros, bool is_estimate) {
  char text[48];
  if (traits.counts_first)
    std::snprintf(text, sizeof text, is_estimate ? "about %.3g" : "%.0f", nonzeros);
  else
    std::snprintf(text, sizeof text, is_estimate ? "about %.4g" : "%.4g", nonzeros);
  return text;
}

}  // namespace

template <class ExecutionSpace, class Scalar>
double estimated_run_bytes(const ExecutionSpace& exec, const RunConfig& config,
                           const RunInput& input, MatrixUse use, double nonzeros) {
  const KeptShares kept(input);
  MatrixNumbers numbers = numbers_of(config, input, use, kept, available_memory(exec));
  numbers.nonzeros = nonzeros * kept.of_nonzeros(input) * config.run.rank_share;
  return numbers.stored_rays > 0
             ? symmetric_need<ExecutionSpace, Scalar>(config, numbers, numbers.slices)
             : matrix_need<ExecutionSpace, Scalar>(config, use, numbers);
}

template <class ExecutionSpace, class Scalar>
bool images_fit(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input) {
  const auto* const scan = std::get_if<ScanRows>(&input.rows);
  if (scan == nullptr || scan->scan.has_vectors()) return false;
  std::vector<Ordinal> views(static_cast<std::size_t>(scan->scan.views.count()));
  std::iota(views.begin(), views.end(), Ordinal{0});
  const ViewOrbits orbits = find_view_orbits(scan->volume, scan->scan, views);
  const auto maps = static_cast<double>(orbits.maps.size());
  const double images = std::max(maps, std::min(8.0, maps * input.slices));
  const double stored = static_cast<double>(orbits.stored.size()) * scan->scan.detectors;
  const double pixels = static_cast<double>(scan->volume.num_pixels());
  // The copies with their margins, and the images themselves.
  constexpr double margins = 1.1;
  const double bytes =
      computed_ray_bytes * stored + margins * images * (3 * pixels + 2 * stored) * sizeof(Scalar);
  return bytes + estimated_run_bytes<ExecutionSpace, Scalar>(exec, config, input,
                                                             MatrixUse::products, 0) <=
         static_cast<double>(available_memory(exec));
}

// The first check uses an estimate of the nonzeros; the second follows when they have been counted.
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const RunConfig& config,
                             const RunInput& input, MatrixUse use, std::optional<Offset> counted,
                             std::optional<std::uint64_t> given) {
  const std::uint64_t available = given ? *given : available_memory(exec);
  const RowTraits traits = traits_of(input.rows);
  const KeptShares kept_shares(input);
  const auto [rows, columns] = kept_shares;
  const double kept_rows = kept_shares.of_rows(input), kept = kept_shares.of_nonzeros(input);
  const bool is_symmetric = config.matrix_operator.symmetric() && use == MatrixUse::products;
  MatrixNumbers numbers = numbers_of(config, input, use, kept_shares, available);
  if (is_symmetric && numbers.stored_rays == 0) return;  // refused with a reason when it is built
  const auto needed = [&](double nonzeros) {
    numbers.nonzeros = nonzeros * config.run.rank_share;
    // The images of a stack are checked separately.
    return is_symmetric ? symmetric_need<ExecutionSpace, Scalar>(config, numbers, 1)
                        : matrix_need<ExecutionSpace, Scalar>(config, use, numbers);
  };
  const auto fits = [&](double nonzeros) {
    return needed(nonzeros) <= static_cast<double>(available);
  };
  Impl::require_memory(Impl::whole_bytes(needed(0)),
                       "the vectors and row offsets of " + std::to_string(rows) + " " +
                           traits.rows + " and " + std::to_string(columns) + " " + traits.columns +
                           " need",
                       available, "make the problem smaller");

  // No counting is needed if the upper bound fits.
  const double most = most_nonzeros(input.rows) * kept_rows;
  if (fits(most)) return;
  const auto require_nonzeros = [&](double nonzeros, bool is_estimate) {
    if (fits(nonzeros)) return;
    const double need = needed(nonzeros);
    if (numbers.stored_rays == 0) numbers.stored_rays = stored_rays_of(config, input);
    Impl::require_memory(
        Impl::whole_bytes(need),
        "the system matrix has " + text_of_nonzeros(traits, nonzeros, is_estimate) + " nonzeros; " +
            on_ranks(config) +
            (is_symmetric ? "as scsr with the vectors it needs" : subject_of(config, use)) +
            (is_estimate || is_symmetric ? " about" : ""),
        available, advice_for<ExecutionSpace, Scalar>(config, use, numbers));
  };
  if (counted) return require_nonzeros(kept * static_cast<double>(*counted), false);
  if (config.run.num_ranks > 1 && !traits.counts_first) return;
  // Counting takes as long as a product, and most matrices are far below or above the limit.
  constexpr double quickly_counted = 3e8, sample_error = 0.05;
  if (traits.counts_first || most > quickly_counted) {
    const double estimate = kept * sampled_nonzeros(exec, input.rows);
    if (fits((1 + sample_error) * estimate)) return;
    if (is_symmetric || !fits((1 - sample_error) * estimate))
      return require_nonzeros(estimate, true);
  }
  if (!traits.counts_first)
    require_nonzeros(kept * static_cast<double>(count_nonzeros(exec, input.rows)), false);
}

template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> counted_offsets(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use,
    std::optional<std::uint64_t> given) {
  require_memory_to_build<ExecutionSpace, Scalar>(exec, config, input, use, {}, given);
  const auto offsets = row_offsets(exec, input.rows);
  require_memory_to_build<ExecutionSpace, Scalar>(
      exec, config, input, use,
      Impl::read_entry(exec, offsets, offsets.extent(0) - 1,
                       "make_matrix: number of nonzeros has arrived"),
      given);
  return offsets;
}

namespace {

/// Bytes needed in addition to the arrays of a matrix that has been read, which on a host are one
/// of the copies.
template <class ExecutionSpace, class Scalar>
double read_need(const RunConfig& config, double rows, double columns, double nonzeros,
                 MatrixUse use) {
  const double copies = matrix_copies<ExecutionSpace>(config, use) -
                        (Impl::is_host_space<ExecutionSpace> ? 1.0 : 0.0);
  const double lists = keeps_transpose(config, use) ? std::max(rows, columns) : rows;
  const double matrix =
      (lists + 1) * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return copies * matrix + format_entry_bytes<Scalar>(config, use) * nonzeros +
         vector_bytes<ExecutionSpace, Scalar>(config, rows, columns, use) +
         window_bytes<ExecutionSpace, Scalar>(config, use, rows, columns, nonzeros) +
         tile_bytes(config, use, rows, columns, nonzeros);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const RunConfig& config,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> given) {
  const std::uint64_t available = given ? *given : available_memory(exec);
  const auto need = [&](const RunConfig& changed) {
    return read_need<ExecutionSpace, Scalar>(changed, A.num_rows, A.num_cols,
                                             static_cast<double>(A.num_nonzeros()), use);
  };
  const double bytes = need(config);
  if (bytes <= static_cast<double>(available)) return;
  std::vector<Alternative> ways;
  const OperatorSection& section = config.matrix_operator;
  const bool has_windows = makes_windows(config, use);
  if ((keeps_transpose(config, use) || has_windows) && !config.run.deterministic) {
    RunConfig changed = config;
    changed.matrix_operator.transpose = TransposeMethod::atomic;
    ways.push_back({"operator.transpose: atomic", need(changed)});
  }
  if (std::is_same_v<Scalar, float> && use != MatrixUse::matrix && section.may_use_halves()) {
    RunConfig changed = config;
    changed.matrix_operator.set_values(StoredPrecision::half);
    ways.push_back({"operator.values: half", need(changed)});
  }
  Impl::require_memory(
      Impl::whole_bytes(bytes),
      "the matrix " + config.problem.matrix.string() + " is " + std::to_string(A.num_rows) + " x " +
          std::to_string(A.num_cols) + " with " + std::to_string(A.num_nonzeros()) + " nonzeros; " +
          (keeps_transpose(config, use) ? "its stored transpose and the vectors need"
           : has_windows                ? "its windows and the vectors need"
                                        : "the run needs"),
      available, advice_of(ways, available));
}

// Solvers hold up to four vectors of each length. Data, image and phantom are added, and once more
// in double on the host. A split image also needs a whole image as workspace and one for transfers
// from the host.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const RunConfig& config, double rows, double columns, MatrixUse use) {
  if (use == MatrixUse::matrix) return 0;
  constexpr double host_copy = Impl::is_host_space<ExecutionSpace> ? sizeof(double) : 0;
  const RunSection& run = config.run;
  const bool is_mapped = !is_natural(config.matrix_operator.ordering) || config.problem.is_masked();
  const double column_maps = is_mapped ? 2 * sizeof(Ordinal) * columns : 0;
  // With several ranks, rows are always mapped, and each host holds the data of all rows.
  const double all_rows = rows / run.rank_share;
  const double row_maps = is_mapped || run.num_ranks > 1 ? sizeof(Ordinal) * (rows + all_rows) : 0;
  // Weights of each subset, and the previous iterate.
  const double subsets = config.solver.subsets() > 1 ? config.solver.subsets() + 1.0 : 0;
  const bool has_images = uses_transpose(config.solver.kind()) &&
                          config.matrix_operator.transpose == TransposeMethod::private_images;
  const double images =
      has_images ? private_image_count(device_traits(ExecutionSpace()), config.run.deterministic)
                 : 0;
  const bool is_split = run.num_ranks > 1 && run.ranks.image != ImageDistribution::replicated;
  const double kept = images + (is_split ? 2.0 + (6.0 + subsets) / run.num_ranks : 6.0 + subsets);
  return (5.0 * rows + kept * columns) * sizeof(Scalar) + (all_rows + columns) * host_copy +
         row_maps + column_maps;
}

bool is_built_in_order(const RunConfig& config) {
  return config.problem.traits().in_any_order && is_geometric(config.matrix_operator.ordering);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                              \
  template double vector_bytes<ExecutionSpace, Scalar>(const RunConfig&, double, double,          \
                                                       MatrixUse);                                \
  template double estimated_run_bytes<ExecutionSpace, Scalar>(                                    \
      const ExecutionSpace&, const RunConfig&, const RunInput&, MatrixUse, double);               \
  template bool images_fit<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&,       \
                                                   const RunInput&);                              \
  template void require_memory_to_build<ExecutionSpace, Scalar>(                                  \
      const ExecutionSpace&, const RunConfig&, const RunInput&, MatrixUse, std::optional<Offset>, \
      std::optional<std::uint64_t>);                                                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                              \
  counted_offsets<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&,                \
                                          const RunInput&, MatrixUse,                             \
                                          std::optional<std::uint64_t>);                          \
  template void require_read_memory<ExecutionSpace, Scalar>(                                      \
      const ExecutionSpace&, const RunConfig&, const HostCsrMatrix<Scalar>&, MatrixUse,           \
      std::optional<std::uint64_t>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
