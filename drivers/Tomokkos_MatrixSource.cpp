// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ChooseTranspose.hpp>
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_LaunchConfig.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <impl/Tomokkos_CsrBuild_impl.hpp>

namespace Tomokkos {

namespace {

// `avoidable` tells whether a stored transpose is among the bytes that the format could do without.
void require_memory(const std::string& what, double bytes, std::uint64_t available,
                    bool avoidable) {
  Impl::require_memory(
      Impl::whole_bytes(bytes), what, available,
      std::string("make the problem smaller, use run.scalar: float") +
          (avoidable ? ", or operator.transpose: atomic, which needs no second copy" : ""));
}

bool keeps_transpose(const RunConfig& config, MatrixUse use) {
  return use == MatrixUse::products && uses_transpose(config.solver.kind) &&
         config.matrix_operator.format != MatrixFormat::ray_tiles &&
         config.matrix_operator.transpose == TransposeMethod::stored;
}

// Bytes of an entry of ray tiles, or of packed rows, which are there beside the matrix that they
// are made of.
template <class Scalar>
double tile_entry_bytes(const RunConfig& config, MatrixUse use) {
  const OperatorSection& section = config.matrix_operator;
  if (use == MatrixUse::matrix ||
      (section.format != MatrixFormat::ray_tiles && section.format != MatrixFormat::packed_csr))
    return 0;
  return section.values == TileValues::plain ? 2.0 + sizeof(Scalar) : 4.0;
}

// The most copies of the matrix that are there at the same time: the natural one and the ordered
// one, the transpose, and one more while entries are interleaved, which happens on a GPU alone.
template <class ExecutionSpace>
double matrix_copies(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::matrix) return 1;
  if (use == MatrixUse::tiles) return 0;
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  const bool moved = !is_natural(ordering) && !is_built_in_order(config);
  const bool interleaved =
      ordering.entries == EntryOrder::interleaved && !Impl::is_host_space<ExecutionSpace>;
  const double kept = (keeps_transpose(config, use) ? 2.0 : 1.0) + (interleaved ? 1.0 : 0.0);
  return moved ? std::max(kept, 2.0) : kept;
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

// What needs so much, as a message has it.
const char* subject_of(MatrixUse use, bool stored) {
  if (use == MatrixUse::tiles) return "in ray tiles, with a block of its rows, it needs";
  return stored ? "with its stored transpose and the vectors it needs" : "it needs";
}

// What is needed for sure, before anything is counted, and then with the nonzeros.
template <class ExecutionSpace, class Scalar>
void check_memory(const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
                  MatrixUse use) {
  const std::uint64_t available = available_memory(exec);
  const auto rays = static_cast<double>(input.scan.num_rays());
  const auto pixels = static_cast<double>(input.volume.num_pixels());
  const bool stored = keeps_transpose(config, use);
  const double vectors = vector_bytes<ExecutionSpace, Scalar>(config, rays, pixels, use);
  const double offsets = (rays + 1.0 + (stored ? pixels + 1.0 : 0.0)) * sizeof(Offset);
  require_memory("the vectors and row offsets of " + std::to_string(input.scan.num_rays()) +
                     " rays and " + std::to_string(input.volume.num_pixels()) + " pixels need",
                 vectors + offsets, available, stored);

  const auto needed = [&](double nonzeros) {
    return entries_bytes<ExecutionSpace, Scalar>(config, use, nonzeros,
                                                 static_cast<double>(available)) +
           offsets + vectors;
  };
  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour. Where even
  // that fits nothing needs to be counted. A strip has no such bound.
  const double bound = 2.0 * (static_cast<double>(input.volume.rows) + input.volume.columns);
  if (config.problem.projector != Projector::strip &&
      needed(rays * bound) <= static_cast<double>(available))
    return;
  // Block by block, so that a problem far beyond the machine is refused after as much work as
  // filling its memory would be.
  constexpr std::int64_t block = 1 << 20;
  const std::int64_t all = input.scan.num_rays();
  double nonzeros = 0;
  for (std::int64_t begin = 0; begin < all; begin += block) {
    const std::int64_t end = std::min(begin + block, all);
    nonzeros += static_cast<double>(
        count_system_matrix_nonzeros(exec, input.volume, input.scan, config.problem.projector,
                                     {static_cast<Ordinal>(begin), static_cast<Ordinal>(end)}));
    if (needed(nonzeros) <= static_cast<double>(available)) continue;
    const double total = nonzeros * static_cast<double>(all) / static_cast<double>(end);
    char text[48];
    std::snprintf(text, sizeof text, "%s%.4g", end < all ? "about " : "", total);
    require_memory("the system matrix has " + std::string(text) + " nonzeros; " +
                       subject_of(use, stored) + (end < all ? " about" : ""),
                   needed(total), available, stored);
  }
}

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

// Where the rows of a scanner begin, whose matrix fits. Its pairs are counted once, for the memory
// that they take and for where their entries lie.
template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> scanner_offsets(
    const ExecutionSpace& exec, const RunConfig& config, MatrixUse use) {
  const RingScanner& scanner = config.problem.scanner->scanner;
  const VolumeGeometry3D volume = config.problem.scanner_volume();
  const std::uint64_t available = available_memory(exec);
  const auto rows = static_cast<double>(scanner.num_rows());
  const auto voxels = static_cast<double>(volume.num_voxels());
  const bool stored = keeps_transpose(config, use);
  const double vectors = vector_bytes<ExecutionSpace, Scalar>(config, rows, voxels, use);
  // Those that are counted first lie beside those of the matrix, and of ray tiles.
  const double lists = use == MatrixUse::tiles ? 3 : 2;
  const double offsets = (lists * (rows + 1.0) + (stored ? voxels + 1.0 : 0.0)) * sizeof(Offset);
  require_memory("the vectors and row offsets of " + std::to_string(scanner.num_rows()) +
                     " pairs of crystals and " + std::to_string(volume.num_voxels()) +
                     " voxels need",
                 vectors + offsets, available, stored);
  const auto needed = [&](double nonzeros) {
    return entries_bytes<ExecutionSpace, Scalar>(config, use, nonzeros,
                                                 static_cast<double>(available)) +
           offsets + vectors;
  };
  const auto require_nonzeros = [&](double nonzeros, const std::string& number, const char* about) {
    require_memory(
        "the system matrix has " + number + " nonzeros; " + subject_of(use, stored) + about,
        needed(nonzeros), available, stored);
  };
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
  const auto row_offsets = scanner_row_offsets(exec, volume, scanner);
  const Offset nonzeros = Impl::read_entry(exec, row_offsets, row_offsets.extent(0) - 1,
                                           "make_matrix: number of nonzeros has arrived");
  require_nonzeros(static_cast<double>(nonzeros), std::to_string(nonzeros), "");
  return row_offsets;
}

// What a matrix that has been read needs beside the arrays that hold it.
template <class ExecutionSpace, class Scalar>
void check_memory(const ExecutionSpace& exec, const RunConfig& config,
                  const HostCsrMatrix<Scalar>& A, MatrixUse use) {
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
  require_memory("the matrix " + config.problem.matrix.string() + " is " +
                     std::to_string(A.num_rows) + " x " + std::to_string(A.num_cols) + " with " +
                     std::to_string(A.num_nonzeros()) + " nonzeros; " +
                     (stored ? "its stored transpose and the vectors need" : "the run needs"),
                 matrices + vectors, available_memory(exec), stored);
}

// What an order refuses, with its place in the file.
template <class Work>
auto in_order(const RunConfig& config, const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(prefix_of(config.matrix_operator.ordering_position) + "operator." +
                      error.what());
  }
}

}  // namespace

// The solvers hold up to four vectors of either length; data, image and phantom come on top, and on
// the host once more in double.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const RunConfig& config, double rows, double columns, MatrixUse use) {
  if (use == MatrixUse::matrix) return 0;
  constexpr double host_copy = Impl::is_host_space<ExecutionSpace> ? sizeof(double) : 0;
  const double maps = is_natural(config.matrix_operator.ordering) ? 0 : 2 * sizeof(Ordinal);
  // Weights of each subset, and the iterate before.
  const double subsets = config.solver.subsets > 1 ? config.solver.subsets + 1.0 : 0;
  const bool has_images = uses_transpose(config.solver.kind) &&
                          config.matrix_operator.transpose == TransposeMethod::private_images;
  const double images =
      has_images ? private_image_count(device_traits(ExecutionSpace()), config.run.deterministic)
                 : 0;
  return (5.0 * rows + (6.0 + subsets + images) * columns) * sizeof(Scalar) +
         (rows + columns) * (host_copy + maps);
}

// Pixels and rays of a scan come out in any order of their grids at once, and so do pairs of
// crystals.
bool is_built_in_order(const RunConfig& config) {
  const ProblemSection& problem = config.problem;
  return (problem.has_scan_geometry() || problem.scanner) &&
         is_geometric(config.matrix_operator.ordering);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_stencil(
    const ExecutionSpace& exec, const StencilSource& stencil) {
  const auto& [nx, ny, nz] = stencil.size;
  const auto A = build_stencil_matrix<ExecutionSpace, Scalar>(exec, stencil.points, nx, ny, nz);
  if (stencil.unknowns == 1) return A;
  return couple_unknowns<ExecutionSpace, Scalar>(exec, A, stencil.unknowns);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(const ExecutionSpace& exec,
                                                                     const RunConfig& config,
                                                                     const RunInput& input,
                                                                     MatrixUse use) {
  const ProblemSection& problem = config.problem;
  if (problem.stencil) return make_stencil<ExecutionSpace, Scalar>(exec, *problem.stencil);
  if (problem.scanner)
    return fill_scanner_matrix<ExecutionSpace, Scalar>(
        exec, problem.scanner_volume(), problem.scanner->scanner,
        scanner_offsets<ExecutionSpace, Scalar>(exec, config, use));
  if (problem.is_block_circulant())
    return make_expanded_matrix<ExecutionSpace, Scalar>(exec, config, input, use);
  if (problem.has_scan_geometry()) {
    check_memory<ExecutionSpace, Scalar>(exec, config, input, use);
    return build_system_matrix<ExecutionSpace, Scalar>(exec, input.volume, input.scan,
                                                       problem.projector);
  }
  const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(problem.matrix);
  require_matrix_shape(config, input, A.num_rows, A.num_cols);
  check_memory(exec, config, A, use);
  return copy_to<typename ExecutionSpace::memory_space>(exec, A);
}

template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> geometry_row_offsets(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use) {
  if (config.problem.scanner) return scanner_offsets<ExecutionSpace, Scalar>(exec, config, use);
  check_memory<ExecutionSpace, Scalar>(exec, config, input, use);
  return system_matrix_row_offsets(exec, input.volume, input.scan, config.problem.projector);
}

MatrixGrids matrix_grids(const RunConfig& config, const RunInput& input) {
  MatrixGrids grids;
  grids.image_slices = config.problem.volume.slices.value_or(0);
  grids.image_rows = input.volume.rows;
  grids.image_columns = input.volume.columns;
  if (config.problem.scanner) {
    const RingScanner& scanner = config.problem.scanner->scanner;
    grids.crystals = static_cast<Ordinal>(scanner.num_crystals());
    grids.crystals_around = scanner.crystals_around();
  } else {
    grids.views = input.views;
    grids.detectors = input.detectors;
  }
  return grids;
}

template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> built_order(const ExecutionSpace& exec,
                                                               const RunConfig& config,
                                                               const RunInput& input) {
  return in_order(config, [&] {
    return geometric_order(exec, config.matrix_operator.ordering, matrix_grids(config, input));
  });
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const RunConfig& config,
                                                          const RunInput& input) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  if (is_natural(ordering) || !is_built_in_order(config)) {
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
    return in_order(config, [&] {
      return order_matrix<ExecutionSpace, Scalar>(exec, ordering, matrix_grids(config, input), A);
    });
  }
  if (const auto& scanner = config.problem.scanner) {
    const auto offsets = scanner_offsets<ExecutionSpace, Scalar>(exec, config, MatrixUse::products);
    const auto order = built_order(exec, config, input);
    const VolumeGeometry3D volume = config.problem.scanner_volume();
    if (!order.columns)
      return {fill_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, scanner->scanner, offsets,
                                                          *order.rows),
              order};
    return {fill_mapped_scanner_matrix<ExecutionSpace, Scalar>(
                exec, volume, scanner->scanner, offsets,
                order.rows ? *order.rows
                           : identity_map(exec, static_cast<Ordinal>(scanner->scanner.num_rows())),
                *order.columns),
            order};
  }
  check_memory<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
  const auto order = built_order(exec, config, input);
  return {build_mapped_system_matrix<ExecutionSpace, Scalar>(
              exec, input.volume, input.scan, config.problem.projector,
              order.rows ? *order.rows
                         : identity_map(exec, static_cast<Ordinal>(input.scan.num_rays())),
              order.columns ? *order.columns
                            : identity_map(exec, static_cast<Ordinal>(input.volume.num_pixels()))),
          order};
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                            \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_stencil<ExecutionSpace, Scalar>(const ExecutionSpace&, const StencilSource&);            \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&, const RunInput&, \
                                      MatrixUse);                                               \
  template double vector_bytes<ExecutionSpace, Scalar>(const RunConfig&, double, double,        \
                                                       MatrixUse);                              \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                            \
  geometry_row_offsets<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&,         \
                                               const RunInput&, MatrixUse);                     \
  template OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix<ExecutionSpace, Scalar>(   \
      const ExecutionSpace&, const RunConfig&, const RunInput&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                            \
  template MatrixOrder<SPACE::memory_space> built_order<SPACE>(const SPACE&, const RunConfig&, \
                                                               const RunInput&);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
