// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_DeviceTraits.hpp>
#include <Tomokkos_DirectTiles.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_SquareSymmetry.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <type_traits>
#include <vector>

namespace Tomokkos {

namespace Impl {

/// Numbers that the need of a matrix follows from.
struct MatrixNumbers {
  double rays = 0, pixels = 0;  ///< of this rank, and those that masks keep
  double nonzeros = 0;          ///< of this rank
  double offsets = 0;           ///< row offsets beside those of a stored transpose
  double stored_rays = 0;       ///< rows of the matrix in `scsr`; 0: the scan is not symmetric
  std::uint64_t available = 0;
};

}  // namespace Impl

namespace {

using Impl::MatrixNumbers;

bool keeps_transpose(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind) &&
         !config.matrix_operator.has_one_copy() &&
         config.matrix_operator.transpose == TransposeMethod::stored;
}

// Of several ranks rows have been moved when they come from their file.
bool is_moved(const RunConfig& config) {
  return !is_natural(config.matrix_operator.ordering) && !is_built_in_order(config) &&
         config.run.num_ranks == 1;
}

// Windows, unless the matrix is there twice before they are, while it is brought in order.
bool makes_windows(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind) &&
         config.matrix_operator.is(MatrixFormat::csr) &&
         config.matrix_operator.transpose == TransposeMethod::windowed && !is_moved(config);
}

// Bytes of windows, at least: how long their segments are is known when the matrix is there. A ray
// enters fewer than 2 x 64 of the 64 x 64 pixels of a tile, and may share each with a neighbour.
template <class ExecutionSpace, class Scalar>
double window_bytes(const RunConfig& config, MatrixUse use, double rows, double columns,
                    double nonzeros) {
  if (!makes_windows(config, use)) return 0;
  constexpr double longest_segment = 256;
  return static_cast<double>(windowed_need<ExecutionSpace, Scalar>(
      static_cast<std::uint64_t>(rows), static_cast<std::uint64_t>(columns),
      static_cast<std::uint64_t>(nonzeros / longest_segment)));
}

// Bytes of an entry of ray tiles, packed rows or pairs of rows, which are there beside the matrix
// that they are made of.
template <class Scalar>
double tile_entry_bytes(const RunConfig& config, MatrixUse use) {
  const OperatorSection& section = config.matrix_operator;
  if (use != MatrixUse::matrix && section.is(MatrixFormat::pair_blocked))
    return sizeof(Ordinal) + sizeof(Scalar);
  if (use == MatrixUse::matrix ||
      (!section.is(MatrixFormat::ray_tiles) && !section.is(MatrixFormat::packed_csr)))
    return 0;
  return section.values() == TileValues::plain ? 2.0 + sizeof(Scalar) : 4.0;
}

// The most copies of the matrix that are there at the same time: the natural one and the ordered
// one, the transpose, and one more while entries are interleaved, which happens on a GPU alone.
template <class ExecutionSpace>
double matrix_copies(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::matrix) return 1;
  if (use == MatrixUse::tiles) return 0;
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  const bool interleaved =
      ordering.entries == EntryOrder::interleaved && !Impl::is_host_space<ExecutionSpace>;
  const double kept = (keeps_transpose(config, use) ? 2.0 : 1.0) + (interleaved ? 1.0 : 0.0);
  return is_moved(config) ? std::max(kept, 2.0) : kept;
}

// What a matrix with so many nonzeros takes, without its row offsets.
template <class ExecutionSpace, class Scalar>
double entries_bytes(const RunConfig& config, MatrixUse use, double nonzeros, double available) {
  const double entry =
      matrix_copies<ExecutionSpace>(config, use) * (sizeof(Ordinal) + sizeof(Scalar)) +
      tile_entry_bytes<Scalar>(config, use);
  return nonzeros * entry +
         (use == MatrixUse::tiles ? tile_block_bytes<Scalar>(nonzeros, available) : 0);
}

// Where there are several ranks.
std::string on_ranks(const RunConfig& config) {
  if (config.run.num_ranks == 1) return "";
  return "on each of " + std::to_string(config.run.num_ranks) + " ranks ";
}

// What needs so much, as a message has it.
const char* subject_of(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::tiles) return "in ray tiles, with a block of its rows, it needs";
  if (makes_windows(config, use)) return "with its windows and the vectors it needs";
  return keeps_transpose(config, use) ? "with its stored transpose and the vectors it needs"
                                      : "it needs";
}

/// Bytes of the matrix of a scan or of a scanner, with all that is there beside it.
template <class ExecutionSpace, class Scalar>
double matrix_need(const RunConfig& config, MatrixUse use, const MatrixNumbers& of) {
  const bool stored = keeps_transpose(config, use);
  return vector_bytes<ExecutionSpace, Scalar>(config, of.rays, of.pixels, use) +
         (of.offsets + (stored ? of.pixels + 1.0 : 0.0)) * sizeof(Offset) +
         window_bytes<ExecutionSpace, Scalar>(config, use, of.rays, of.pixels, of.nonzeros) +
         entries_bytes<ExecutionSpace, Scalar>(config, use, of.nonzeros,
                                               static_cast<double>(of.available));
}

/// The same of the stored rays of a symmetric scan, which have eight images each, of \p slices.
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
  // On a GPU the transpose is in SELL, beside one in CSR while that is made.
  const double third = Impl::is_host_space<ExecutionSpace> || !keeps_transpose(config, use)
                           ? 0
                           : stored.nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return matrix_need<ExecutionSpace, Scalar>(of_stored, use, stored) + vectors + third +
         images * (of.pixels + of.stored_rays) * slices * sizeof(Scalar) +
         sizeof(Ordinal) * (3 * of.pixels + 2 * of.rays + images * of.stored_rays);
}

/// A way to need less, as a message has it.
struct Alternative {
  std::string name;
  double bytes = 0;
};

/// What needs less than \p config with values of the precision \p Scalar, which \p more asks for:
/// the symmetries of the scan, no second copy, ray tiles, values of 16 bits.
template <class ExecutionSpace, class Scalar>
void add_alternatives(const RunConfig& config, MatrixUse use, const MatrixNumbers& of,
                      const std::string& more, std::vector<Alternative>& ways) {
  const OperatorSection& section = config.matrix_operator;
  const SolverKind solver = config.solver.kind;
  const bool is_csr = section.is(MatrixFormat::csr) || section.is_automatic();
  const bool is_scan = config.problem.kind == ProblemKind::tomography;
  const double slices = config.problem.slices ? config.problem.slices->count : 1.0;
  const auto add = [&](const std::string& name, const OperatorSection& changed_section) {
    RunConfig changed = config;
    changed.matrix_operator = changed_section;
    MatrixUse changed_use = use;
    if (changed_section.format_name() != section.format_name())
      changed_use = goes_into_tiles(changed) ? MatrixUse::tiles : MatrixUse::products;
    double bytes = changed_section.symmetric
                       ? symmetric_need<ExecutionSpace, Scalar>(changed, of, slices)
                       : matrix_need<ExecutionSpace, Scalar>(changed, changed_use, of);
    // Segments of another format leave room in their packs.
    if (changed_section.is(MatrixFormat::ray_tiles) && !section.is(MatrixFormat::ray_tiles))
      bytes += 0.25 * of.nonzeros * tile_entry_bytes<Scalar>(changed, changed_use);
    ways.push_back({(more.empty() || name.empty() ? more : more + " with ") + name, bytes});
  };
  if (!more.empty()) add("", section);
  const bool may_add = !config.run.deterministic && uses_transpose(solver) && is_csr &&
                       (keeps_transpose(config, use) || makes_windows(config, use));
  if (is_scan && is_csr && of.stored_rays > 0 && !section.symmetric) {
    OperatorSection changed;
    changed.symmetric = true;
    changed.stored = CsrOptions{};
    add("operator.format: scsr", changed);
    changed.transpose = TransposeMethod::atomic;
    if (may_add) add("operator: {format: scsr, transpose: atomic}", changed);
  }
  if (may_add) {
    OperatorSection changed = section;
    changed.transpose = TransposeMethod::atomic;
    add("operator.transpose: atomic", changed);
  }
  if (is_scan && is_csr && !section.symmetric && uses_transpose(solver) && !has_sweeps(solver) &&
      section.variant == SpmvVariant::automatic) {
    OperatorSection changed = section;
    changed.stored = TiledOptions{};
    changed.ordering.columns = Ordering::squares;
    add("operator.format: ray_tiles", changed);
    changed.set_values(TileValues::half);
    if (std::is_same_v<Scalar, float>) add("operator: {format: ray_tiles, values: half}", changed);
  }
  if (std::is_same_v<Scalar, float> && section.values() == TileValues::plain &&
      (section.is(MatrixFormat::ray_tiles) || section.is(MatrixFormat::packed_csr))) {
    OperatorSection changed = section;
    changed.set_values(TileValues::half);
    add("operator.values: half", changed);
  }
}

/// Those of \p ways that fit, or the one that needs least.
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
  if (!fitting.empty()) return "what fits: " + fitting;
  const auto least = std::min_element(
      ways.begin(), ways.end(),
      [](const Alternative& a, const Alternative& b) { return a.bytes < b.bytes; });
  if (least == ways.end()) return "make the problem smaller";
  return "make the problem smaller; even " + described(*least) + " does not fit";
}

/// What would fit instead of the matrix of \p config.
template <class ExecutionSpace, class Scalar>
std::string advice_for(const RunConfig& config, MatrixUse use, const MatrixNumbers& of) {
  if (use == MatrixUse::matrix) return "make the problem smaller";
  std::vector<Alternative> ways;
  add_alternatives<ExecutionSpace, Scalar>(config, use, of, "", ways);
  if (std::is_same_v<Scalar, double>)
    add_alternatives<ExecutionSpace, float>(config, use, of, "run.scalar: float", ways);
  return advice_of(ways, of.available);
}

/// Rows of the matrix in `scsr`; 0 where a scan has not the symmetries of the square.
double stored_rays_of(const RunConfig& config, const RunInput& input) {
  constexpr std::int64_t most_rays = 200'000'000;  // what is worth a look for a message
  if (config.run.num_ranks > 1 || input.scan.num_rays() > most_rays ||
      input.volume.rows != input.volume.columns)
    return 0;
  try {
    require_symmetric_pixels(input.volume.rows, input.masks.columns);
    const RayOrbits orbits =
        kept_orbits(find_ray_orbits(input.volume, input.scan), input.masks.rows);
    return static_cast<double>(orbits.stored.size());
  } catch (const Error&) {
    return 0;
  }
}

/// Sample \p k of \p samples from \p count: one in each of equal parts, by the golden section
/// nowhere in step with views, modules and rings.
std::int64_t golden_place(std::int64_t k, std::int64_t samples, std::int64_t count) {
  const double place =
      static_cast<double>(k) + std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
  return static_cast<std::int64_t>(place * static_cast<double>(count) /
                                   static_cast<double>(samples));
}

/// About how many nonzeros the matrix of a scan has, from some of its views.
template <class ExecutionSpace>
double sampled_nonzeros(const ExecutionSpace& exec, const RunConfig& config,
                        const RunInput& input) {
  const std::int64_t views = input.scan.views.count();
  const std::int64_t samples = std::min<std::int64_t>(views, 16);
  double sum = 0;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t ray = golden_place(k, samples, views) * input.scan.detectors;
    sum += static_cast<double>(count_system_matrix_nonzeros(
        exec, input.volume, input.scan, config.problem.projector,
        {static_cast<Ordinal>(ray), static_cast<Ordinal>(ray + input.scan.detectors)}));
  }
  return sum * static_cast<double>(views) / static_cast<double>(samples);
}

}  // namespace

// What is needed for sure, before anything is counted, and then with the nonzeros.
template <class ExecutionSpace, class Scalar>
void require_scan_memory(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
                         MatrixUse use, std::optional<Offset> counted,
                         std::optional<std::uint64_t> given) {
  const std::uint64_t available = given ? *given : available_memory(exec);
  const Ordinal kept_rays =
      count_kept(input.masks.rows, static_cast<Ordinal>(input.scan.num_rays()));
  const Ordinal kept_pixels =
      count_kept(input.masks.columns, static_cast<Ordinal>(input.volume.num_pixels()));
  const bool is_symmetric = config.matrix_operator.symmetric && use == MatrixUse::products;
  // Of rays that are spread over ranks each holds its share; all of them are counted.
  const double share = config.run.rank_share;
  MatrixNumbers numbers;
  numbers.rays = kept_rays * share;
  numbers.pixels = kept_pixels;
  numbers.offsets = kept_rays + 1.0;
  numbers.available = available;
  if (is_symmetric) numbers.stored_rays = stored_rays_of(config, input);
  if (is_symmetric && numbers.stored_rays == 0) return;  // refused with its reason when it is built
  // Nonzeros of all rays and pixels are counted; a mask keeps about its share of them.
  const double kept = kept_rays / static_cast<double>(input.scan.num_rays()) * numbers.pixels /
                      static_cast<double>(input.volume.num_pixels());
  const auto with = [&](double nonzeros) {
    MatrixNumbers result = numbers;
    result.nonzeros = nonzeros * share;
    return result;
  };
  const auto needed = [&](double nonzeros) {
    // The images of a stack are refused with their own message.
    return is_symmetric ? symmetric_need<ExecutionSpace, Scalar>(config, with(nonzeros), 1)
                        : matrix_need<ExecutionSpace, Scalar>(config, use, with(nonzeros));
  };
  const auto fits = [&](double nonzeros) {
    return needed(nonzeros) <= static_cast<double>(available);
  };
  Impl::require_memory(Impl::whole_bytes(needed(0)),
                       "the vectors and row offsets of " + std::to_string(kept_rays) +
                           " rays and " + std::to_string(kept_pixels) + " pixels need",
                       available, "make the problem smaller");

  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour. Where even
  // that fits nothing needs to be counted. A strip has no such bound.
  const double most =
      kept_rays * 2.0 * (static_cast<double>(input.volume.rows) + input.volume.columns);
  if (config.problem.projector != Projector::strip && fits(most)) return;
  const auto require_nonzeros = [&](double nonzeros, bool is_estimate) {
    if (fits(nonzeros)) return;
    MatrixNumbers of = with(nonzeros);
    if (of.stored_rays == 0) of.stored_rays = stored_rays_of(config, input);
    char text[48];
    std::snprintf(text, sizeof text, "%s%.4g", is_estimate ? "about " : "", nonzeros);
    Impl::require_memory(
        Impl::whole_bytes(needed(nonzeros)),
        "the system matrix has " + std::string(text) + " nonzeros; " + on_ranks(config) +
            (is_symmetric ? "as scsr with the vectors it needs" : subject_of(config, use)) +
            (is_estimate || is_symmetric ? " about" : ""),
        available, advice_for<ExecutionSpace, Scalar>(config, use, of));
  };
  if (counted) return require_nonzeros(kept * static_cast<double>(*counted), false);
  if (config.run.num_ranks > 1) return;
  // Counting takes as long as a product, and most matrices are far from the limit on either side.
  constexpr double quickly_counted = 3e8, sample_error = 0.05;
  if (most > quickly_counted) {
    const double estimate = kept * sampled_nonzeros(exec, config, input);
    if (fits((1 + sample_error) * estimate)) return;
    if (is_symmetric || !fits((1 - sample_error) * estimate))
      return require_nonzeros(estimate, true);
  }
  const auto all = static_cast<Ordinal>(input.scan.num_rays());
  require_nonzeros(kept * static_cast<double>(count_system_matrix_nonzeros(
                              exec, input.volume, input.scan, config.problem.projector, {0, all})),
                   false);
}

namespace {

// About how many nonzeros the matrix of a scanner has, from the pairs of some first crystals.
template <class ExecutionSpace>
double estimated_nonzeros(const ExecutionSpace& exec, const VolumeGeometry3D& volume,
                          const RingScanner& scanner) {
  const std::int64_t crystals = scanner.num_crystals();
  const std::int64_t samples = std::min<std::int64_t>(crystals, 16);
  double sum = 0;
  for (std::int64_t k = 0; k < samples; ++k) {
    const std::int64_t crystal = golden_place(k, samples, crystals);
    const RowRange rows{static_cast<Ordinal>(crystal * crystals),
                        static_cast<Ordinal>((crystal + 1) * crystals)};
    sum += static_cast<double>(count_scanner_matrix_nonzeros(exec, volume, scanner, rows));
  }
  return sum * static_cast<double>(crystals) / static_cast<double>(samples);
}

}  // namespace

template <class ExecutionSpace, class Scalar>
void require_scanner_memory(const ExecutionSpace& exec, const RunConfig& config, MatrixUse use,
                            std::optional<Offset> counted, std::optional<std::uint64_t> given) {
  const RingScanner& scanner = config.problem.scanner->scanner;
  const VolumeGeometry3D volume = config.problem.scanner_volume();
  const std::uint64_t available = given ? *given : available_memory(exec);
  const double share = config.run.rank_share;
  const auto all_pairs = static_cast<double>(scanner.num_rows());
  const double rows = all_pairs * share;
  const auto voxels = static_cast<double>(volume.num_voxels());
  MatrixNumbers numbers;
  numbers.rays = rows;
  numbers.pixels = voxels;
  numbers.available = available;
  // Those that are counted first lie beside those of the matrix, and of ray tiles.
  numbers.offsets = (use == MatrixUse::tiles ? 3 : 2) * (all_pairs + 1.0);
  const auto with = [&](double nonzeros) {
    MatrixNumbers result = numbers;
    result.nonzeros = nonzeros * share;
    return result;
  };
  const auto needed = [&](double nonzeros) {
    return matrix_need<ExecutionSpace, Scalar>(config, use, with(nonzeros));
  };
  Impl::require_memory(Impl::whole_bytes(needed(0)),
                       "the vectors and row offsets of " + std::to_string(scanner.num_rows()) +
                           " pairs of crystals and " + std::to_string(volume.num_voxels()) +
                           " voxels need",
                       available, "make the problem smaller");
  const auto require_nonzeros = [&](double nonzeros, const std::string& number, const char* about) {
    if (needed(nonzeros) <= static_cast<double>(available)) return;
    Impl::require_memory(Impl::whole_bytes(needed(nonzeros)),
                         "the system matrix has " + number + " nonzeros; " + on_ranks(config) +
                             subject_of(config, use) + about,
                         available,
                         advice_for<ExecutionSpace, Scalar>(config, use, with(nonzeros)));
  };
  if (counted) {
    require_nonzeros(static_cast<double>(*counted), std::to_string(*counted), "");
    return;
  }
  // A ray enters fewer voxels than the three sides of the volume together have. Where that fits a
  // sample would be wasted; where even most of an estimate does not, counting all would be.
  const double sides = static_cast<double>(volume.slices) + volume.rows + volume.columns;
  const double most = static_cast<double>(scanner.num_pairs()) *
                      std::min(voxels, static_cast<double>(scanner.rays) * sides);
  if (needed(most) > static_cast<double>(available)) {
    const double estimate = estimated_nonzeros(exec, volume, scanner);
    char text[48];
    std::snprintf(text, sizeof text, "about %.3g", estimate);
    if (needed(0.95 * estimate) > static_cast<double>(available))
      require_nonzeros(estimate, text, " about");
  }
}

// The pairs are counted once, for the memory that they take and for where their entries lie.
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> scanner_offsets(
    const ExecutionSpace& exec, const RunConfig& config, MatrixUse use,
    std::optional<std::uint64_t> given) {
  require_scanner_memory<ExecutionSpace, Scalar>(exec, config, use, {}, given);
  const auto row_offsets =
      scanner_row_offsets(exec, config.problem.scanner_volume(), config.problem.scanner->scanner);
  require_scanner_memory<ExecutionSpace, Scalar>(
      exec, config, use,
      Impl::read_entry(exec, row_offsets, row_offsets.extent(0) - 1,
                       "make_matrix: number of nonzeros has arrived"),
      given);
  return row_offsets;
}

namespace {

/// Bytes beside the arrays of a matrix that has been read, which on a host are one of the copies.
template <class ExecutionSpace, class Scalar>
double read_need(const RunConfig& config, double rows, double columns, double nonzeros,
                 MatrixUse use) {
  const double copies = matrix_copies<ExecutionSpace>(config, use) -
                        (Impl::is_host_space<ExecutionSpace> ? 1.0 : 0.0);
  const double lists = keeps_transpose(config, use) ? std::max(rows, columns) : rows;
  const double matrix =
      (lists + 1) * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar));
  return copies * matrix + tile_entry_bytes<Scalar>(config, use) * nonzeros +
         vector_bytes<ExecutionSpace, Scalar>(config, rows, columns, use) +
         window_bytes<ExecutionSpace, Scalar>(config, use, rows, columns, nonzeros);
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
  if (std::is_same_v<Scalar, float> && section.values() == TileValues::plain &&
      tile_entry_bytes<Scalar>(config, use) > 0 && !section.is(MatrixFormat::pair_blocked)) {
    RunConfig changed = config;
    changed.matrix_operator.set_values(TileValues::half);
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

// The solvers hold up to four vectors of either length; data, image and phantom come on top, and on
// the host once more in double. Of an image that ranks have split there are a whole one as
// workspace, and one on its way from the host, beside the parts.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const RunConfig& config, double rows, double columns, MatrixUse use) {
  if (use == MatrixUse::matrix) return 0;
  constexpr double host_copy = Impl::is_host_space<ExecutionSpace> ? sizeof(double) : 0;
  const RunSection& run = config.run;
  const bool is_mapped = !is_natural(config.matrix_operator.ordering) || config.problem.is_masked();
  const double column_maps = is_mapped ? 2 * sizeof(Ordinal) * columns : 0;
  // The rows of a rank are always mapped, from those of all; a host has the data of all.
  const double all_rows = rows / run.rank_share;
  const double row_maps = is_mapped || run.num_ranks > 1 ? sizeof(Ordinal) * (rows + all_rows) : 0;
  // Weights of each subset, and the iterate before.
  const double subsets = config.solver.subsets > 1 ? config.solver.subsets + 1.0 : 0;
  const bool has_images = uses_transpose(config.solver.kind) &&
                          config.matrix_operator.transpose == TransposeMethod::private_images;
  const double images =
      has_images ? private_image_count(device_traits(ExecutionSpace()), config.run.deterministic)
                 : 0;
  const bool is_split = run.num_ranks > 1 && run.ranks.image != ImageSpread::replicated;
  const double kept = images + (is_split ? 2.0 + (6.0 + subsets) / run.num_ranks : 6.0 + subsets);
  return (5.0 * rows + kept * columns) * sizeof(Scalar) + (all_rows + columns) * host_copy +
         row_maps + column_maps;
}

// Pixels and rays of a scan come out in any order of their grids at once, and so do pairs of
// crystals.
bool is_built_in_order(const RunConfig& config) {
  const ProblemSection& problem = config.problem;
  return (problem.has_scan_geometry() || problem.scanner) &&
         is_geometric(config.matrix_operator.ordering);
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                              \
  template double vector_bytes<ExecutionSpace, Scalar>(const RunConfig&, double, double,          \
                                                       MatrixUse);                                \
  template void require_scan_memory<ExecutionSpace, Scalar>(                                      \
      const ExecutionSpace&, const RunConfig&, const RunInput&, MatrixUse, std::optional<Offset>, \
      std::optional<std::uint64_t>);                                                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                              \
  scanner_offsets<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&, MatrixUse,     \
                                          std::optional<std::uint64_t>);                          \
  template void require_scanner_memory<ExecutionSpace, Scalar>(                                   \
      const ExecutionSpace&, const RunConfig&, MatrixUse, std::optional<Offset>,                  \
      std::optional<std::uint64_t>);                                                              \
  template void require_read_memory<ExecutionSpace, Scalar>(                                      \
      const ExecutionSpace&, const RunConfig&, const HostCsrMatrix<Scalar>&, MatrixUse,           \
      std::optional<std::uint64_t>);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
