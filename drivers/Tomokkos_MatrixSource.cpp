// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cstdio>

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

// Bytes of an entry of ray tiles, which are there beside the matrix that they are made of.
template <class Scalar>
double tile_entry_bytes(const RunConfig& config, MatrixUse use) {
  const OperatorSection& section = config.matrix_operator;
  if (use == MatrixUse::matrix || section.format != MatrixFormat::ray_tiles) return 0;
  return section.values == TileValues::plain ? 2.0 + sizeof(Scalar) : 4.0;
}

// Pixels and rays of a scan come out in any order of their grids at once.
bool is_built_in_order(const RunConfig& config) {
  return config.problem.matrix.empty() && is_geometric(config.matrix_operator.ordering);
}

// The most copies of the matrix that are there at the same time: the natural one and the ordered
// one, the transpose, and one more while entries are interleaved, which happens on a GPU alone.
template <class ExecutionSpace>
double matrix_copies(const RunConfig& config, MatrixUse use) {
  if (use == MatrixUse::matrix) return 1;
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  const bool moved = !is_natural(ordering) && !is_built_in_order(config);
  const bool interleaved =
      ordering.entries == EntryOrder::interleaved && !Impl::is_host_space<ExecutionSpace>;
  const double kept = (keeps_transpose(config, use) ? 2.0 : 1.0) + (interleaved ? 1.0 : 0.0);
  return moved ? std::max(kept, 2.0) : kept;
}

// The solvers hold up to four vectors of either length; data, image and phantom come on top, and on
// the host once more in double.
template <class ExecutionSpace, class Scalar>
double vector_bytes(const RunConfig& config, double rows, double columns, MatrixUse use) {
  if (use == MatrixUse::matrix) return 0;
  constexpr double host_copy = Impl::is_host_space<ExecutionSpace> ? sizeof(double) : 0;
  const double maps = is_natural(config.matrix_operator.ordering) ? 0 : 2 * sizeof(Ordinal);
  return (5.0 * rows + 6.0 * columns) * sizeof(Scalar) + (rows + columns) * (host_copy + maps);
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

  const double entry =
      matrix_copies<ExecutionSpace>(config, use) * (sizeof(Ordinal) + sizeof(Scalar)) +
      tile_entry_bytes<Scalar>(config, use);
  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour. Where even
  // that fits nothing needs to be counted. A strip has no such bound.
  const double bound = 2.0 * (static_cast<double>(input.volume.rows) + input.volume.columns);
  if (config.problem.projector != Projector::strip &&
      rays * bound * entry + offsets + vectors <= static_cast<double>(available))
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
    if (nonzeros * entry + offsets + vectors <= static_cast<double>(available)) continue;
    const double total = nonzeros * static_cast<double>(all) / static_cast<double>(end);
    char text[48];
    std::snprintf(text, sizeof text, "%s%.4g", end < all ? "about " : "", total);
    require_memory(
        "the system matrix has " + std::string(text) + " nonzeros; " +
            (stored ? "with its stored transpose and the vectors it needs" : "it needs") +
            (end < all ? " about" : ""),
        total * entry + offsets + vectors, available, stored);
  }
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

}  // namespace

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
  if (problem.matrix.empty()) {
    check_memory<ExecutionSpace, Scalar>(exec, config, input, use);
    return build_system_matrix<ExecutionSpace, Scalar>(exec, input.volume, input.scan,
                                                       problem.projector);
  }
  const HostCsrMatrix<Scalar> A = read_matrix<Scalar>(problem.matrix);
  const std::int64_t pixels = input.volume.num_pixels();
  if (input.volume.rows > 0 && pixels != A.num_cols)
    throw DimensionMismatch("problem.volume.size: " + std::to_string(input.volume.rows) + " x " +
                            std::to_string(input.volume.columns) + " = " + std::to_string(pixels) +
                            " pixels, the matrix " + problem.matrix.string() + " has " +
                            std::to_string(A.num_cols) + " columns");
  const std::int64_t rays = static_cast<std::int64_t>(input.views) * input.detectors;
  if (input.views > 0 && rays != A.num_rows)
    throw DimensionMismatch("problem.geometry: " + std::to_string(input.views) + " views x " +
                            std::to_string(input.detectors) + " detectors = " +
                            std::to_string(rays) + " rays, the matrix " + problem.matrix.string() +
                            " has " + std::to_string(A.num_rows) + " rows");
  check_memory(exec, config, A, use);
  return copy_to<typename ExecutionSpace::memory_space>(exec, A);
}

template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const RunConfig& config,
                                                          const RunInput& input) {
  const OrderingOptions& ordering = config.matrix_operator.ordering;
  const MatrixGrids grids{input.volume.rows, input.volume.columns, input.views, input.detectors};
  const auto in_order = [&](const auto& work) {
    try {
      return work();
    } catch (const ConfigError& error) {
      throw ConfigError(prefix_of(config.matrix_operator.ordering_position) + "operator." +
                        error.what());
    }
  };
  if (is_natural(ordering) || !is_built_in_order(config)) {
    const auto A = make_matrix<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
    return in_order([&] { return order_matrix<ExecutionSpace, Scalar>(exec, ordering, grids, A); });
  }
  check_memory<ExecutionSpace, Scalar>(exec, config, input, MatrixUse::products);
  const auto order = in_order([&] { return geometric_order(exec, ordering, grids); });
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
  template OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix<ExecutionSpace, Scalar>(   \
      const ExecutionSpace&, const RunConfig&, const RunInput&);
TOMOKKOS_FOR_EACH_SPACE_AND_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos
