// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_CirculantSource.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMemory.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_SystemMatrix.hpp>

namespace Tomokkos {

namespace {

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

// The map of an order, or the one that changes nothing.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> map_or_identity(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, std::int64_t count) {
  return map ? *map : identity_map(exec, static_cast<Ordinal>(count));
}

}  // namespace

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_stencil(const ExecutionSpace& exec,
                                                                      const StencilSource& stencil,
                                                                      RowRange points) {
  const auto& [nx, ny, nz] = stencil.size;
  // Known before anything is counted: neighbours there are but for those beyond a face.
  const double x = nx, y = ny, z = nz;
  const double entries = stencil.points == 27 ? (3 * x - 2) * (3 * y - 2) * (3 * z - 2)
                                              : 7 * x * y * z - 2 * (x * y + y * z + z * x);
  const auto all = static_cast<double>(Offset{nx} * ny * nz);
  const double share = points.size(static_cast<Ordinal>(all)) / all;
  const double rows = share * all * stencil.unknowns;
  const double nonzeros = share * entries * stencil.unknowns * stencil.unknowns;
  Impl::require_memory(
      Impl::whole_bytes(rows * sizeof(Offset) + nonzeros * (sizeof(Ordinal) + sizeof(Scalar))),
      "the matrix of the stencil needs", available_memory(exec), "make it smaller");
  const auto A =
      build_stencil_matrix<ExecutionSpace, Scalar>(exec, stencil.points, nx, ny, nz, points);
  if (stencil.unknowns == 1) return A;
  return couple_unknowns<ExecutionSpace, Scalar>(exec, A, stencil.unknowns);
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> build_in_order(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input,
    const MatrixOrder<typename ExecutionSpace::memory_space>& order, MatrixUse use,
    Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> offsets) {
  const ProblemSection& problem = config.problem;
  if (const auto& scanner = problem.scanner) {
    if (offsets.extent(0) == 0)
      offsets = scanner_offsets<ExecutionSpace, Scalar>(exec, config, use);
    const VolumeGeometry3D volume = problem.scanner_volume();
    const RingScanner& ring = scanner->scanner;
    if (!order.columns)
      return fill_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, ring, offsets, *order.rows);
    const auto rows = map_or_identity(exec, order.rows, ring.num_rows());
    // Of rows that lose voxels the lengths are not known.
    if (!order.columns->is_permutation())
      return build_mapped_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, ring, rows,
                                                                 *order.columns);
    return fill_mapped_scanner_matrix<ExecutionSpace, Scalar>(exec, volume, ring, offsets, rows,
                                                              *order.columns);
  }
  if (offsets.extent(0) == 0) require_scan_memory<ExecutionSpace, Scalar>(exec, config, input, use);
  return build_mapped_system_matrix<ExecutionSpace, Scalar>(
      exec, input.volume, input.scan, problem.projector,
      map_or_identity(exec, order.rows, input.scan.num_rays()),
      map_or_identity(exec, order.columns, input.volume.num_pixels()));
}

template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> make_matrix(const ExecutionSpace& exec,
                                                                     const RunConfig& config,
                                                                     const RunInput& input,
                                                                     MatrixUse use) {
  const ProblemSection& problem = config.problem;
  if (problem.stencil) return make_stencil<ExecutionSpace, Scalar>(exec, *problem.stencil);
  if (input.masks.any() && !problem.has_matrix_file())
    return build_in_order<ExecutionSpace, Scalar>(
        exec, config, input, geometric_order(exec, {}, matrix_grids(config, input), input.masks),
        use);
  if (problem.scanner)
    return fill_scanner_matrix<ExecutionSpace, Scalar>(
        exec, problem.scanner_volume(), problem.scanner->scanner,
        scanner_offsets<ExecutionSpace, Scalar>(exec, config, use));
  if (problem.is_block_circulant())
    return make_expanded_matrix<ExecutionSpace, Scalar>(exec, config, input, use);
  if (problem.has_scan_geometry()) {
    require_scan_memory<ExecutionSpace, Scalar>(exec, config, input, use);
    return build_system_matrix<ExecutionSpace, Scalar>(exec, input.volume, input.scan,
                                                       problem.projector);
  }
  const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(problem.matrix);
  require_matrix_shape(config, input, A.num_rows, A.num_cols);
  require_read_memory(exec, config, A, use);
  const auto whole = copy_to<typename ExecutionSpace::memory_space>(exec, A);
  if (!input.masks.any()) return whole;
  const auto order = geometric_order(exec, {}, matrix_grids(config, input), input.masks);
  return csr_mapped<ExecutionSpace, Scalar>(exec, whole,
                                            map_or_identity(exec, order.rows, A.num_rows),
                                            map_or_identity(exec, order.columns, A.num_cols));
}

template <class ExecutionSpace, class Scalar>
Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> geometry_row_offsets(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, MatrixUse use) {
  if (config.problem.scanner) return scanner_offsets<ExecutionSpace, Scalar>(exec, config, use);
  require_scan_memory<ExecutionSpace, Scalar>(exec, config, input, use);
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
    return geometric_order(exec, config.matrix_operator.ordering, matrix_grids(config, input),
                           input.masks);
  });
}

template <class ExecutionSpace>
MatrixOrder<typename ExecutionSpace::memory_space> file_order(const ExecutionSpace& exec,
                                                              const RunConfig& config,
                                                              const RunInput& input,
                                                              Ordinal num_rows) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  MatrixGrids grids = matrix_grids(config, input);
  if (ordering.rows == Ordering::subsets && grids.views == 0) {
    grids.views = num_rows;
    grids.detectors = 1;
  }
  return in_order(config, [&] { return geometric_order(exec, ordering, grids, input.masks); });
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const RunConfig& config,
                                                          const RunInput& input) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  if (is_natural(ordering) || !is_built_in_order(config)) {
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
    return in_order(config, [&] {
      return order_matrix<ExecutionSpace, Scalar>(exec, ordering, matrix_grids(config, input), A,
                                                  input.masks);
    });
  }
  const auto order = built_order(exec, config, input);
  return {build_in_order<ExecutionSpace, Scalar>(exec, config, input, order, MatrixUse::products),
          order};
}

#define TOMOKKOS_INSTANTIATE(ExecutionSpace, Scalar)                                            \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_stencil<ExecutionSpace, Scalar>(const ExecutionSpace&, const StencilSource&, RowRange);  \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  make_matrix<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&, const RunInput&, \
                                      MatrixUse);                                               \
  template Kokkos::View<const Offset*, ExecutionSpace::memory_space>                            \
  geometry_row_offsets<ExecutionSpace, Scalar>(const ExecutionSpace&, const RunConfig&,         \
                                               const RunInput&, MatrixUse);                     \
  template CsrMatrix<Scalar, typename ExecutionSpace::memory_space>                             \
  build_in_order<ExecutionSpace, Scalar>(                                                       \
      const ExecutionSpace&, const RunConfig&, const RunInput&,                                 \
      const MatrixOrder<typename ExecutionSpace::memory_space>&, MatrixUse,                     \
      Kokkos::View<const Offset*, typename ExecutionSpace::memory_space>);                      \
  template OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix<ExecutionSpace, Scalar>(   \
      const ExecutionSpace&, const RunConfig&, const RunInput&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

#define TOMOKKOS_INSTANTIATE(SPACE)                                                            \
  template MatrixOrder<SPACE::memory_space> built_order<SPACE>(const SPACE&, const RunConfig&, \
                                                               const RunInput&);               \
  template MatrixOrder<SPACE::memory_space> file_order<SPACE>(const SPACE&, const RunConfig&,  \
                                                              const RunInput&, Ordinal);
TOMOKKOS_FOR_EACH_SPACE(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
