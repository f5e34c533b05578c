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

bool keeps_transpose(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  return use == MatrixUse::products && task.needs.transpose && !wish.has_one_copy() &&
         wish.transpose == TransposeMethod::stored;
}

// With several ranks, rows from a file are already in their order when read.
bool is_moved(const SystemTask& task, const OperatorWish& wish) {
  return !is_natural(wish.ordering) && !task.is_built_in_order(wish) && task.share.ranks == 1;
}

// True if windows determine the peak of memory. Reordering a matrix needs it twice before windows
// exist.
bool makes_windows(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  return use == MatrixUse::products && task.needs.transpose && wish.is(MatrixFormat::csr) &&
         wish.transpose == TransposeMethod::windowed && !is_moved(task, wish);
}

// Lower bound for the bytes of windows; the lengths of their segments are known only with the
// matrix. A ray enters fewer than 2 x 64 of the 64 x 64 pixels of a tile, and may share each with a
// neighbour.
template <class ExecutionSpace, class Scalar>
double window_bytes(const SystemTask& task, const OperatorWish& wish, MatrixUse use, double rows,
                    double columns, double nonzeros) {
  if (!makes_windows(task, wish, use)) return 0;
  constexpr double longest_segment = 256;
  return static_cast<double>(windowed_construction_bytes<ExecutionSpace, Scalar>(
      static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
      static_cast<std::uint64_t>(nonzeros / longest_segment)));
}

// Known bytes of an entry in its format, which exists together with the CSR matrix that it is
// converted from.
template <class Scalar>
double format_entry_bytes(const OperatorWish& wish, MatrixUse use) {
  double bytes = 0;
  if (use == MatrixUse::matrix || !wish.stored) return bytes;
  with_format(*wish.stored, [&]<class Format>(const typename Format::Options& options) {
    bytes = Format::entry_bytes(options, sizeof(Scalar));
  });
  return bytes;
}

// Largest number of copies of the matrix at the same time: natural and ordered, the transpose, and
// one more while entries are interleaved (only on a GPU).
template <class ExecutionSpace>
double matrix_copies(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  if (use == MatrixUse::matrix) return 1;
  if (use == MatrixUse::tiles || wish.computed()) return 0;
  const OrderingOptions& ordering = wish.ordering;
  const bool interleaved =
      ordering.entries == EntryOrder::interleaved && !Impl::is_host_space<ExecutionSpace>;
  // Two transpositions need about a copy of the entries as their workspace.
  const TransposeVariant transposition = wish.transposition;
  const bool has_workspace = transposition == TransposeVariant::merge_trans ||
                             transposition == TransposeVariant::scan_trans;
  const double kept = (keeps_transpose(task, wish, use) ? (has_workspace ? 3.0 : 2.0) : 1.0) +
                      (interleaved ? 1.0 : 0.0);
  return is_moved(task, wish) ? std::max(kept, 2.0) : kept;
}

// Bytes of a matrix with this number of nonzeros, without its row offsets.
template <class ExecutionSpace, class Scalar>
double entries_bytes(const SystemTask& task, const OperatorWish& wish, MatrixUse use,
                     double nonzeros, double available) {
  const double entry =
      matrix_copies<ExecutionSpace>(task, wish, use) * (sizeof(Ordinal) + sizeof(Scalar)) +
      format_entry_bytes<Scalar>(wish, use);
  return nonzeros * entry +
         (use == MatrixUse::tiles ? tile_block_bytes<Scalar>(nonzeros, available) : 0);
}

// Text for several ranks.
std::string on_ranks(const SystemTask& task) {
  if (task.share.ranks == 1) return "";
  return "on each of " + std::to_string(task.share.ranks) + " ranks ";
}

// Subject of a message about the needed bytes.
const char* subject_of(const SystemTask& task, const OperatorWish& wish, MatrixUse use) {
  if (use == MatrixUse::tiles) return "in ray tiles, together with a block of rows, it needs";
  if (makes_windows(task, wish, use)) return "with its windows and the vectors it needs";
  return keeps_transpose(task, wish, use) ? "with its stored transpose and the vectors it needs"
                                          : "it needs";
}

/// Bytes of `computed`. Of a scan: the lines of the rays; copies of the image and of whole views of
/// the data for all slices; two values of each ray of a fan beam. Of any other geometry: integer
/// sums of the voxels, offsets of the rows while they are counted.
template <class Scalar>
double computed_bytes(const SystemTask& task, const OperatorWish& wish, const MatrixNumbers& of) {
  if (!wish.computed()) return 0;
  if (!std::holds_alternative<ScanRows>(task.rows))
    return (sizeof(long long) + 1) * of.pixels * std::min<double>(of.slices, max_traced_vectors) +
           sizeof(Offset) * of.rays;
  return computed_ray_bytes * of.rays +
         ((2 * of.pixels + of.all_rays) * of.slices + 2 * of.all_rays) * sizeof(Scalar);
}

/// Bytes of the tiles of `merge_path`, 12 each, if their size is given.
double tile_bytes(const SystemTask& task, const OperatorWish& wish, MatrixUse use, double rows,
                  double columns, double nonzeros) {
  if (wish.sections == 0 || use == MatrixUse::matrix) return 0;
  const auto of = [&](SpmvVariant variant, double lines) {
    return variant == SpmvVariant::merge_path
               ? 12 * (lines + nonzeros) / static_cast<double>(wish.sections)
               : 0.0;
  };
  return of(wish.variant, rows) +
         (keeps_transpose(task, wish, use) ? of(wish.transpose_variant, columns) : 0.0);
}

/// Bytes of the matrix of a scan or a scanner, together with all other memory at the same time.
template <class ExecutionSpace, class Scalar>
double matrix_need(const SystemTask& task, const OperatorWish& wish, MatrixUse use,
                   const MatrixNumbers& of) {
  const bool stored = keeps_transpose(task, wish, use);
  return vector_bytes<ExecutionSpace, Scalar>(task, wish, of.rays, of.pixels, use) +
         (of.offsets + (stored ? of.pixels + 1.0 : 0.0)) * sizeof(Offset) +
         computed_bytes<Scalar>(task, wish, of) +
         window_bytes<ExecutionSpace, Scalar>(task, wish, use, of.rays, of.pixels, of.nonzeros) +
         tile_bytes(task, wish, use, of.rays, of.pixels, of.nonzeros) +
         entries_bytes<ExecutionSpace, Scalar>(task, wish, use, of.nonzeros,
                                               static_cast<double>(of.available));
}

/// Bytes of the stored rays of a symmetric scan, with the eight images of each of \p slices slices.
template <class ExecutionSpace, class Scalar>
double symmetric_need(const SystemTask& task, const OperatorWish& wish, const MatrixNumbers& of,
                      double slices) {
  constexpr double images = num_square_symmetries;
  MatrixNumbers stored = of;
  stored.rays = of.stored_rays;
  stored.offsets = of.stored_rays + 1.0;
  stored.nonzeros = of.nonzeros * of.stored_rays / of.rays;
  OperatorWish of_stored = wish;
  of_stored.ordering = {};
  const MatrixUse use = MatrixUse::products;
  const double vectors =
      vector_bytes<ExecutionSpace, Scalar>(task, of_stored, of.rays, of.pixels, use) -
      vector_bytes<ExecutionSpace, Scalar>(task, of_stored, of.stored_rays, of.pixels, use);
  // On a GPU the transpose is in SELL, and a CSR transpose exists while it is made.
  const double third = Impl::is_host_space<ExecutionSpace> || !keeps_transpose(task, wish, use)
                           ? 0
                           : stored.nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return matrix_need<ExecutionSpace, Scalar>(task, of_stored, use, stored) + vectors + third +
         images * (of.pixels + of.stored_rays) * slices * sizeof(Scalar) +
         sizeof(Ordinal) * (3 * of.pixels + 2 * of.rays + images * of.stored_rays);
}

/// Alternative that needs less memory, for messages.
struct Alternative {
  std::string name;
  double bytes = 0;
};

/// Adds alternatives to \p task that need less memory with values of the precision \p Scalar,
/// selected by the setting \p more: the symmetries of the scan, no second copy, ray tiles, 16-bit
/// values.
template <class ExecutionSpace, class Scalar>
void add_alternatives(const SystemTask& task, const OperatorWish& wish, MatrixUse use,
                      const MatrixNumbers& of, const std::string& more,
                      std::vector<Alternative>& ways) {
  const bool is_csr = wish.is(MatrixFormat::csr) || wish.is_automatic();
  const SolverNeeds& needs = task.needs;
  const auto add = [&](const std::string& name, const OperatorWish& changed) {
    MatrixUse changed_use = use;
    if (changed.format_name() != wish.format_name())
      changed_use = builds_tiles_directly(task, changed) ? MatrixUse::tiles : MatrixUse::products;
    double bytes = changed.symmetric()
                       ? symmetric_need<ExecutionSpace, Scalar>(task, changed, of, of.slices)
                       : matrix_need<ExecutionSpace, Scalar>(task, changed, changed_use, of);
    // Packs of another format are not completely filled by segments.
    if (changed.is(MatrixFormat::ray_tiles) && !wish.is(MatrixFormat::ray_tiles))
      bytes += 0.25 * of.nonzeros * format_entry_bytes<Scalar>(changed, changed_use);
    ways.push_back({(more.empty() || name.empty() ? more : more + " with ") + name, bytes});
  };
  if (!more.empty()) add("", wish);
  const bool may_add = !task.needs.deterministic && needs.transpose && is_csr &&
                       (keeps_transpose(task, wish, use) || makes_windows(task, wish, use));
  if (task.rows_are_rays && is_csr && of.stored_rays > 0 && !wish.symmetric()) {
    OperatorWish changed;
    changed.set_format("scsr");
    add("operator.format: scsr", changed);
    changed.transpose = TransposeMethod::atomic;
    if (may_add) add("operator: {format: scsr, transpose: atomic}", changed);
  }
  if (may_add) {
    OperatorWish changed = wish;
    changed.transpose = TransposeMethod::atomic;
    add("operator.transpose: atomic", changed);
  }
  if (task.rows_are_rays && is_csr && !wish.symmetric() && needs.transpose && !needs.rows &&
      wish.variant == SpmvVariant::automatic) {
    OperatorWish changed = wish;
    changed.stored = TiledOptions{};
    changed.ordering.columns = Ordering::squares;
    add("operator.format: ray_tiles", changed);
    changed.set_values(StoredPrecision::half);
    if (std::is_same_v<Scalar, float>) add("operator: {format: ray_tiles, values: half}", changed);
  }
  if (is_traced(task.rows) && !wish.computed()) {
    OperatorWish changed;
    changed.set_format("computed");
    add("operator: {format: computed}", changed);
  }
  if (std::is_same_v<Scalar, float> && wish.may_use_halves()) {
    OperatorWish changed = wish;
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

/// Describes alternatives to the matrix of \p task that would fit.
template <class ExecutionSpace, class Scalar>
std::string advice_for(const SystemTask& task, MatrixUse use, const MatrixNumbers& of) {
  if (use == MatrixUse::matrix) return "make the problem smaller";
  std::vector<Alternative> ways;
  add_alternatives<ExecutionSpace, Scalar>(task, task.wish, use, of, "", ways);
  if (std::is_same_v<Scalar, double>)
    add_alternatives<ExecutionSpace, float>(task, task.wish, use, of, "run.scalar: float", ways);
  return advice_of(ways, of.available);
}

/// Number of rows of the matrix in `scsr`; 0 if the scan lacks the symmetries of the square.
double stored_rays_of(const SystemTask& task) {
  constexpr std::int64_t most_rays = 200'000'000;  // limit of the effort for a message
  const auto* scan = std::get_if<ScanRows>(&task.rows);
  if (!scan || task.share.ranks > 1 || scan->num_rows() > most_rays) return 0;
  return static_cast<double>(scan->count_symmetric(task.masks));
}

/// Numbers of rows and columns that masks keep. Where all rows are counted first, masks apply
/// later.
struct KeptShares {
  Ordinal rows, columns;

  explicit KeptShares(const SystemTask& task) {
    const MatrixMasks masks = traits_of(task.rows).counts_first ? MatrixMasks{} : task.masks;
    rows = count_kept(masks.rows, num_rows(task.rows));
    columns = count_kept(masks.columns, num_cols(task.rows));
  }
  double of_rows(const SystemTask& task) const {
    return rows / static_cast<double>(num_rows(task.rows));
  }
  /// The count includes all nonzeros; a mask keeps about a proportional share.
  double of_nonzeros(const SystemTask& task) const {
    return of_rows(task) * columns / static_cast<double>(num_cols(task.rows));
  }
};

/// Numbers of a matrix from a geometry, without its nonzeros.
MatrixNumbers numbers_of(const SystemTask& task, MatrixUse use, const KeptShares& kept,
                         std::uint64_t available) {
  MatrixNumbers numbers;
  // Each rank holds its share of the rows.
  numbers.rays = kept.rows * task.share.part;
  numbers.pixels = kept.columns;
  numbers.all_rays = num_rows(task.rows);
  numbers.slices = task.needs.vectors;
  // Offsets from counting exist together with the offsets of the matrix or of ray tiles.
  numbers.offsets =
      (traits_of(task.rows).counts_first ? (use == MatrixUse::tiles ? 3.0 : 2.0) : 1.0) *
      (kept.rows + 1.0);
  numbers.available = available;
  if (task.wish.symmetric() && use == MatrixUse::products)
    numbers.stored_rays = stored_rays_of(task);
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
double estimated_run_bytes(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                           double nonzeros) {
  const KeptShares kept(task);
  MatrixNumbers numbers = numbers_of(task, use, kept, available_memory(exec));
  numbers.nonzeros = nonzeros * kept.of_nonzeros(task) * task.share.part;
  return numbers.stored_rays > 0
             ? symmetric_need<ExecutionSpace, Scalar>(task, task.wish, numbers, numbers.slices)
             : matrix_need<ExecutionSpace, Scalar>(task, task.wish, use, numbers);
}

template <class ExecutionSpace, class Scalar>
bool images_fit(const ExecutionSpace& exec, const SystemTask& task) {
  const auto* const scan = std::get_if<ScanRows>(&task.rows);
  if (scan == nullptr || scan->scan.has_vectors()) return false;
  std::vector<Ordinal> views(static_cast<std::size_t>(scan->scan.views.count()));
  std::iota(views.begin(), views.end(), Ordinal{0});
  const ViewOrbits orbits = find_view_orbits(scan->volume, scan->scan, views);
  const auto maps = static_cast<double>(orbits.maps.size());
  const double images = std::max(maps, std::min(8.0, maps * task.needs.vectors));
  const double stored = static_cast<double>(orbits.stored.size()) * scan->scan.detectors;
  const double pixels = static_cast<double>(scan->volume.num_pixels());
  // The copies with their margins, and the images themselves.
  constexpr double margins = 1.1;
  const double bytes =
      computed_ray_bytes * stored + margins * images * (3 * pixels + 2 * stored) * sizeof(Scalar);
  return bytes + estimated_run_bytes<ExecutionSpace, Scalar>(exec, task, MatrixUse::products, 0) <=
         static_cast<double>(available_memory(exec));
}

// The first check uses an estimate of the nonzeros; the second follows when they have been counted.
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                             std::optional<Offset> counted, std::optional<std::uint64_t> given) {
  const std::uint64_t available = given ? *given : available_memory(exec);
  const RowTraits traits = traits_of(task.rows);
  const KeptShares kept_shares(task);
  const auto [rows, columns] = kept_shares;
  const double kept_rows = kept_shares.of_rows(task), kept = kept_shares.of_nonzeros(task);
  const bool is_symmetric = task.wish.symmetric() && use == MatrixUse::products;
  MatrixNumbers numbers = numbers_of(task, use, kept_shares, available);
  if (is_symmetric && numbers.stored_rays == 0) return;  // refused with a reason when it is built
  const auto needed = [&](double nonzeros) {
    numbers.nonzeros = nonzeros * task.share.part;
    // The images of a stack are checked separately.
    return is_symmetric ? symmetric_need<ExecutionSpace, Scalar>(task, task.wish, numbers, 1)
                        : matrix_need<ExecutionSpace, Scalar>(task, task.wish, use, numbers);
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
  const double most = most_nonzeros(task.rows) * kept_rows;
  if (fits(most)) return;
  const auto require_nonzeros = [&](double nonzeros, bool is_estimate) {
    if (fits(nonzeros)) return;
    const double need = needed(nonzeros);
    if (numbers.stored_rays == 0) numbers.stored_rays = stored_rays_of(task);
    Impl::require_memory(Impl::whole_bytes(need),
                         "the system matrix has " +
                             text_of_nonzeros(traits, nonzeros, is_estimate) + " nonzeros; " +
                             on_ranks(task) +
                             (is_symmetric ? "as scsr with the vectors it needs"
                                           : subject_of(task, task.wish, use)) +
                             (is_estimate || is_symmetric ? " about" : ""),
                         available, advice_for<ExecutionSpace, Scalar>(task, use, numbers));
  };
  if (counted) return require_nonzeros(kept * static_cast<double>(*counted), false);
  if (task.share.ranks > 1 && !traits.counts_first) return;
  // Counting takes as long as a product, and most matrices are far below or above the limit.
  constexpr double quickly_counted = 3e8, sample_error = 0.05;
  if (traits.counts_first || most > quickly_counted) {
    const double estimate = kept * sampled_nonzeros(exec, task.rows);
    if (fits((1 + sample_error) * estimate)) return;
    if (is_symmetric || !fits((1 - sample_error) * estimate))
      return require_nonzeros(estimate, true);
  }
  if (!traits.counts_first)
    require_nonzeros(kept * static_cast<double>(count_nonzeros(exec, task.rows)), false);
}

template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> counted_offsets(
    const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
    std::optional<std::uint64_t> given) {
  require_memory_to_build<ExecutionSpace, Scalar>(exec, task, use, {}, given);
  const auto offsets = row_offsets(exec, task.rows);
  require_memory_to_build<ExecutionSpace, Scalar>(
      exec, task, use,
      Impl::read_entry(exec, offsets, offsets.extent(0) - 1,
                       "make_matrix: number of nonzeros has arrived"),
      given);
  return offsets;
}

namespace {

/// Bytes needed in addition to the arrays of a matrix that has been read, which on a host are one
/// of the copies.
template <class ExecutionSpace, class Scalar>
double read_need(const SystemTask& task, const OperatorWish& wish, double rows, double columns,
                 double nonzeros, MatrixUse use) {
  const double copies = matrix_copies<ExecutionSpace>(task, wish, use) -
                        (Impl::is_host_space<ExecutionSpace> ? 1.0 : 0.0);
  const double lists = keeps_transpose(task, wish, use) ? std::max(rows, columns) : rows;
  const double matrix =
      (lists + 1) * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return copies * matrix + format_entry_bytes<Scalar>(wish, use) * nonzeros +
         vector_bytes<ExecutionSpace, Scalar>(task, wish, rows, columns, use) +
         window_bytes<ExecutionSpace, Scalar>(task, wish, use, rows, columns, nonzeros) +
         tile_bytes(task, wish, use, rows, columns, nonzeros);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const SystemTask& task,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> given) {
  const std::uint64_t available = given ? *given : available_memory(exec);
  const auto need = [&](const OperatorWish& changed) {
    return read_need<ExecutionSpace, Scalar>(task, changed, A.num_rows, A.num_cols,
                                             static_cast<double>(A.num_nonzeros()), use);
  };
  const OperatorWish& wish = task.wish;
  const double bytes = need(wish);
  if (bytes <= static_cast<double>(available)) return;
  std::vector<Alternative> ways;
  const bool has_windows = makes_windows(task, wish, use);
  if ((keeps_transpose(task, wish, use) || has_windows) && !task.needs.deterministic) {
    OperatorWish changed = wish;
    changed.transpose = TransposeMethod::atomic;
    ways.push_back({"operator.transpose: atomic", need(changed)});
  }
  if (std::is_same_v<Scalar, float> && use != MatrixUse::matrix && wish.may_use_halves()) {
    OperatorWish changed = wish;
    changed.set_values(StoredPrecision::half);
    ways.push_back({"operator.values: half", need(changed)});
  }
  Impl::require_memory(
      Impl::whole_bytes(bytes),
      "the matrix " + matrix_name(task.rows) + " is " + std::to_string(A.num_rows) + " x " +
          std::to_string(A.num_cols) + " with " + std::to_string(A.num_nonzeros()) + " nonzeros; " +
          (keeps_transpose(task, wish, use) ? "its stored transpose and the vectors need"
           : has_windows                    ? "its windows and the vectors need"
                                            : "the run needs"),
      available, advice_of(ways, available));
}

// Solvers hold up to four vectors of each length. Data, image and phantom are added, and once more
// in double on the host. A split image also needs a whole image as workspace and one for transfers
// from the host.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const SystemTask& task, const OperatorWish& wish, double rows, double columns,
                    MatrixUse use) {
  if (use == MatrixUse::matrix) return 0;
  constexpr double host_copy = Impl::is_host_space<ExecutionSpace> ? sizeof(double) : 0;
  const RankShare& share = task.share;
  const bool is_mapped = !is_natural(wish.ordering) || task.masks.any();
  const double column_maps = is_mapped ? 2 * sizeof(Ordinal) * columns : 0;
  // With several ranks, rows are always mapped, and each host holds the data of all rows.
  const double all_rows = rows / share.part;
  const double row_maps = is_mapped || share.ranks > 1 ? sizeof(Ordinal) * (rows + all_rows) : 0;
  // Weights of each subset, and the previous iterate.
  const double subsets = task.needs.subsets > 1 ? task.needs.subsets + 1.0 : 0;
  const bool has_images = task.needs.transpose && wish.transpose == TransposeMethod::private_images;
  const double images =
      has_images ? private_image_count(device_traits(ExecutionSpace()), task.needs.deterministic)
                 : 0;
  const bool is_split = share.ranks > 1 && share.image_is_split;
  const double kept = images + (is_split ? 2.0 + (6.0 + subsets) / share.ranks : 6.0 + subsets);
  return (5.0 * rows + kept * columns) * sizeof(Scalar) + (all_rows + columns) * host_copy +
         row_maps + column_maps;
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                           \
  template double vector_bytes<ExecutionSpace, Scalar>(const SystemTask&, const OperatorWish&, \
                                                       double, double, MatrixUse);             \
  template double estimated_run_bytes<ExecutionSpace, Scalar>(                                 \
      const ExecutionSpace&, const SystemTask&, MatrixUse, double);                            \
  template bool images_fit<ExecutionSpace, Scalar>(const ExecutionSpace&, const SystemTask&);  \
  template void require_memory_to_build<ExecutionSpace, Scalar>(                               \
      const ExecutionSpace&, const SystemTask&, MatrixUse, std::optional<Offset>,              \
      std::optional<std::uint64_t>);                                                           \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                           \
  counted_offsets<ExecutionSpace, Scalar>(const ExecutionSpace&, const SystemTask&, MatrixUse, \
                                          std::optional<std::uint64_t>);                       \
  template void require_read_memory<ExecutionSpace, Scalar>(                                   \
      const ExecutionSpace&, const SystemTask&, const HostCsrMatrix<Scalar>&, MatrixUse,       \
      std::optional<std::uint64_t>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
