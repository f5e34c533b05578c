// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_LaunchConfig.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_SpmvWindowed.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <impl/Tomokkos_CsrBuild_impl.hpp>

namespace Tomokkos {
namespace {

bool keeps_transpose(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind) &&
         config.matrix_operator.format != MatrixFormat::ray_tiles &&
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
         config.matrix_operator.format == MatrixFormat::csr &&
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
  if (use != MatrixUse::matrix && section.format == MatrixFormat::pair_blocked)
    return sizeof(Ordinal) + sizeof(Scalar);
  if (use == MatrixUse::matrix ||
      (section.format != MatrixFormat::ray_tiles && section.format != MatrixFormat::packed_csr))
    return 0;
  return section.values == TileValues::plain ? 2.0 + sizeof(Scalar) : 4.0;
}

// Bytes of a nonzero that values of 16 bits would save there.
template <class Scalar>
double saved_by_half(const RunConfig& config, MatrixUse use) {
  const bool plain = config.matrix_operator.values == TileValues::plain &&
                     config.matrix_operator.format != MatrixFormat::pair_blocked;
  if (!plain || !std::is_same_v<Scalar, float>) return 0;
  return std::max(tile_entry_bytes<Scalar>(config, use) - 4.0, 0.0);
}

// \p what and what would need less.
template <class Scalar>
void require_bytes(const RunConfig& config, MatrixUse use, const std::string& what, double bytes,
                   double nonzeros, std::uint64_t available) {
  std::string advice = "make the problem smaller";
  if (sizeof(Scalar) == sizeof(double)) advice += ", use run.scalar: float";
  if (keeps_transpose(config, use))
    advice += ", or operator.transpose: atomic, which needs no second copy";
  if (makes_windows(config, use)) advice += ", or operator.transpose: atomic, without windows";
  if (const double saved = saved_by_half<Scalar>(config, use) * nonzeros;
      saved > 0 && bytes - saved <= static_cast<double>(available))
    advice += ", or operator.values: half, with which it fits";
  Impl::require_memory(Impl::whole_bytes(bytes), what, available, advice);
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
  // Of rays that are spread over ranks each holds its share; all of them are counted.
  const double share = config.run.rank_share;
  const double rays = kept_rays * share, pixels = kept_pixels;
  // Nonzeros of all rays and pixels are counted; a mask keeps about its share of them.
  const double kept = kept_rays / static_cast<double>(input.scan.num_rays()) * pixels /
                      static_cast<double>(input.volume.num_pixels());
  const bool stored = keeps_transpose(config, use);
  const double vectors = vector_bytes<ExecutionSpace, Scalar>(config, rays, pixels, use);
  const double offsets = (kept_rays + 1.0 + (stored ? pixels + 1.0 : 0.0)) * sizeof(Offset);
  const auto windows = [&](double nonzeros) {
    return window_bytes<ExecutionSpace, Scalar>(config, use, rays, pixels, nonzeros);
  };
  require_bytes<Scalar>(config, use,
                        "the vectors and row offsets of " + std::to_string(kept_rays) +
                            " rays and " + std::to_string(kept_pixels) + " pixels need",
                        vectors + offsets + windows(0), 0, available);

  const auto needed = [&](double nonzeros) {
    return entries_bytes<ExecutionSpace, Scalar>(config, use, nonzeros * share,
                                                 static_cast<double>(available)) +
           offsets + vectors + windows(nonzeros * share);
  };
  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour. Where even
  // that fits nothing needs to be counted. A strip has no such bound.
  const double bound = 2.0 * (static_cast<double>(input.volume.rows) + input.volume.columns);
  if (config.problem.projector != Projector::strip &&
      needed(kept_rays * bound) <= static_cast<double>(available))
    return;
  const auto require_nonzeros = [&](double nonzeros, bool is_estimate) {
    char text[48];
    std::snprintf(text, sizeof text, "%s%.4g", is_estimate ? "about " : "", nonzeros);
    require_bytes<Scalar>(config, use,
                          "the system matrix has " + std::string(text) + " nonzeros; " +
                              on_ranks(config) + subject_of(config, use) +
                              (is_estimate ? " about" : ""),
                          needed(nonzeros), nonzeros, available);
  };
  if (counted) {
    require_nonzeros(kept * static_cast<double>(*counted), false);
    return;
  }
  if (config.run.num_ranks > 1) return;
  // Block by block, so that a problem far beyond the machine is refused after as much work as
  // filling its memory would be.
  constexpr std::int64_t block = 1 << 20;
  const std::int64_t all = input.scan.num_rays();
  double nonzeros = 0;
  for (std::int64_t begin = 0; begin < all; begin += block) {
    const std::int64_t end = std::min(begin + block, all);
    nonzeros += kept * static_cast<double>(count_system_matrix_nonzeros(
                           exec, input.volume, input.scan, config.problem.projector,
                           {static_cast<Ordinal>(begin), static_cast<Ordinal>(end)}));
    if (needed(nonzeros) <= static_cast<double>(available)) continue;
    require_nonzeros(nonzeros * static_cast<double>(all) / static_cast<double>(end), end < all);
  }
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
    // One in each of equal parts, by the golden section nowhere in step with modules and rings.
    const double place = static_cast<double>(k) + std::fmod(0.6180339887498949 * (k + 1), 1.0);
    const auto crystal = static_cast<std::int64_t>(place * static_cast<double>(crystals) /
                                                   static_cast<double>(samples));
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
  const bool stored = keeps_transpose(config, use);
  const double vectors = vector_bytes<ExecutionSpace, Scalar>(config, rows, voxels, use);
  // Those that are counted first lie beside those of the matrix, and of ray tiles.
  const double lists = use == MatrixUse::tiles ? 3 : 2;
  const double offsets =
      (lists * (all_pairs + 1.0) + (stored ? voxels + 1.0 : 0.0)) * sizeof(Offset);
  const auto windows = [&](double nonzeros) {
    return window_bytes<ExecutionSpace, Scalar>(config, use, rows, voxels, nonzeros);
  };
  require_bytes<Scalar>(config, use,
                        "the vectors and row offsets of " + std::to_string(scanner.num_rows()) +
                            " pairs of crystals and " + std::to_string(volume.num_voxels()) +
                            " voxels need",
                        vectors + offsets + windows(0), 0, available);
  const auto needed = [&](double nonzeros) {
    return entries_bytes<ExecutionSpace, Scalar>(config, use, nonzeros * share,
                                                 static_cast<double>(available)) +
           offsets + vectors + windows(nonzeros * share);
  };
  const auto require_nonzeros = [&](double nonzeros, const std::string& number, const char* about) {
    require_bytes<Scalar>(config, use,
                          "the system matrix has " + number + " nonzeros; " + on_ranks(config) +
                              subject_of(config, use) + about,
                          needed(nonzeros), nonzeros, available);
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

template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const RunConfig& config,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> given) {
  const auto bytes_of = [&](Ordinal rows) {
    return static_cast<double>(system_matrix_bytes<Scalar>(rows, A.num_nonzeros()));
  };
  const bool stored = keeps_transpose(config, use);
  // On a host the arrays that were read are one of the copies.
  const double copies = matrix_copies<ExecutionSpace>(config, use) -
                        (Impl::is_host_space<ExecutionSpace> ? 1.0 : 0.0);
  const double matrices =
      copies * bytes_of(stored ? std::max(A.num_rows, A.num_cols) : A.num_rows) +
      tile_entry_bytes<Scalar>(config, use) * static_cast<double>(A.num_nonzeros());
  const double vectors = vector_bytes<ExecutionSpace, Scalar>(config, A.num_rows, A.num_cols, use);
  const auto nonzeros = static_cast<double>(A.num_nonzeros());
  const double windows =
      window_bytes<ExecutionSpace, Scalar>(config, use, A.num_rows, A.num_cols, nonzeros);
  require_bytes<Scalar>(
      config, use,
      "the matrix " + config.problem.matrix.string() + " is " + std::to_string(A.num_rows) + " x " +
          std::to_string(A.num_cols) + " with " + std::to_string(A.num_nonzeros()) + " nonzeros; " +
          (stored        ? "its stored transpose and the vectors need"
           : windows > 0 ? "its windows and the vectors need"
                         : "the run needs"),
      matrices + vectors + windows, nonzeros, given ? *given : available_memory(exec));
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
