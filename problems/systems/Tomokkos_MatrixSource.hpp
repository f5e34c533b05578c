// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices of tasks: samples of them, memory checks before they are built, and the matrices.
#pragma once

#include <Tomokkos_BlockCirculantMatrix.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_StreamedArrays.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Block-circulant matrix in memory of an execution space.
template <class ExecutionSpace, class Scalar>
using BlockRowOn = BlockCirculantMatrix<Scalar, typename ExecutionSpace::memory_space>;

/// \brief Estimates the nonzeros of the matrix of \p source from some rows (`sampled_nonzeros`), of
/// a cone beam from some elements of a view.
///
/// \param with_sizes builds some rows as well, with at most a few million nonzeros, for their sizes
///   in each format
/// \pre the matrix is built from the geometry of rays
template <class ExecutionSpace>
MatrixSample sample_matrix(const ExecutionSpace& exec, const RowSource& source, bool with_sizes);

/// \brief Checks that a matrix built from a geometry fits in the available memory. Uses its rows
/// and columns, an estimate of the nonzeros, or \p counted. A single process counts the nonzeros of
/// a scan here if necessary.
///
/// \throws MemoryError with the bytes and alternatives that need less
///
/// \param counted nonzeros of all rows and columns, including those that masks exclude
/// \param available bytes; empty: the available memory
template <class ExecutionSpace, class Scalar>
void require_memory_to_build(const ExecutionSpace& exec, const SystemTask& task, MatrixUse use,
                             std::optional<Offset> counted = {},
                             std::optional<std::uint64_t> available = {});

/// \brief Row offsets of such a matrix in natural order. The rows are counted once, for the memory
/// check and for the positions of the entries.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
OffsetsOn<ExecutionSpace> counted_offsets(const ExecutionSpace& exec, const SystemTask& task,
                                          MatrixUse use,
                                          std::optional<std::uint64_t> available = {});

/// \brief Checks that the run fits in memory together with a matrix that has been read.
///
/// \throws MemoryError as `require_memory_to_build`
template <class ExecutionSpace, class Scalar>
void require_read_memory(const ExecutionSpace& exec, const SystemTask& task,
                         const HostCsrMatrix<Scalar>& A, MatrixUse use,
                         std::optional<std::uint64_t> available = {});

/// \brief Calls \p work, which makes an order, and reports its errors with their key.
template <class Work>
auto in_order(const Work& work) {
  try {
    return work();
  } catch (const ConfigError& error) {
    throw ConfigError(std::string("operator.") + error.what());
  }
}

/// \brief Brings a square matrix without a grid into the order \p ordering.
///
/// \throws ConfigError with the position of `operator.ordering`
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> order_square(const ExecutionSpace& exec,
                                                   const OrderingOptions& ordering,
                                                   const MatrixOn<ExecutionSpace, Scalar>& A) {
  return in_order(
      [&] { return order_matrix<ExecutionSpace, Scalar>(exec, ordering, MatrixGrids{}, A); });
}

/// \brief Builds the matrix of a stencil, or some of its rows.
///
/// \throws MemoryError before anything is allocated
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> make_stencil(const ExecutionSpace& exec,
                                              const StencilRows& stencil, RowRange rows = all_rows);

/// \brief Builds the system matrix of \p task in memory of \p exec, in natural order, from the
/// geometry, a stencil or a file. Leaves out the rows and columns that `task.masks` exclude.
///
/// \throws MemoryError with the bytes if an estimate shows that the matrix does not fit; InputError
/// for the file
template <class ExecutionSpace, class Scalar>
MatrixOn<ExecutionSpace, Scalar> make_matrix(const ExecutionSpace& exec, const SystemTask& task,
                                             MatrixUse use);

/// \brief Order of a matrix that is built or read directly in it.
///
/// \param single_rows number of rows of a matrix whose views may be unknown: single rows replace
/// them in `rows: subsets`, as in `order_matrix`
///
/// \throws ConfigError with the position in the file if the geometry does not allow it
template <class ExecutionSpace>
OrderOn<ExecutionSpace> built_order(const ExecutionSpace& exec, const SystemTask& task,
                                    Ordinal single_rows = 0);

/// \brief Builds the matrix in the order of \p task, for products. Orders of grids of pixels and
/// rays, and pairs of crystals in subsets, are built directly. Any other order is made from the
/// natural matrix, which then exists at the same time for a moment.
///
/// \throws the errors of `make_matrix`; ConfigError if the matrix does not allow the order
template <class ExecutionSpace, class Scalar>
OrderedMatrix<ExecutionSpace, Scalar> make_ordered_matrix(const ExecutionSpace& exec,
                                                          const SystemTask& task);

/// \brief System matrix in ray tiles, built by blocks of rows.
template <class ExecutionSpace, class Scalar>
struct DirectTiles {
  BuiltOperator<ExecutionSpace, Scalar> made;
  RowStatistics statistics;
  /// `csr_fingerprint` of the matrix, if requested; otherwise 0.
  std::uint64_t fingerprint = 0;
  /// Number of blocks of rows, and how many of them were kept between the two passes; the others
  /// were built twice.
  std::size_t blocks = 0, kept = 0;
};

/// \brief Builds the matrix of \p task in ray tiles. `builds_tiles_directly` must hold. Every
/// byte agrees with a conversion from CSR.
///
/// Traces the rays by blocks of rows, each a CSR of at most a sixteenth of the memory, to count
/// segments and again to fill them in. Blocks that fit in memory are kept between these two passes
/// and not traced again.
///
/// \param order selection and order of the rows; contains all columns
/// \param natural_offsets row offsets of all rows, from `counted_offsets`
/// \param fingerprint true to compute the fingerprint
/// \param available bytes for blocks and tiles; empty: the available memory
/// \param streamed set: keeps the entries in host memory
/// \throws MemoryError with the bytes, from the number of segments, before the tiles are allocated;
/// ConfigError if 16-bit values cannot hold the entries
template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> make_direct_tiles(
    const ExecutionSpace& exec, const SystemTask& task, const OrderOn<ExecutionSpace>& order,
    const OffsetsOn<ExecutionSpace>& natural_offsets, bool fingerprint,
    std::optional<std::uint64_t> available = {},
    StreamedArrays<ExecutionSpace>* streamed = nullptr);

/// \brief Block-circulant matrix with the numbering of its rows and columns in the problem.
template <class ExecutionSpace, class Scalar>
struct CirculantSystem {
  BlockRowOn<ExecutionSpace, Scalar> A;
  OrderOn<ExecutionSpace> order;
};

/// \brief Reads the matrix of `problem.block_row` or computes that of a cone beam, numbered as in
/// `CirculantOrder::rotations`.
///
/// \param rows range of rows of the first block row, for a part of the matrix
/// \throws InputError for the file, its number of blocks, or the shape of image and data;
/// MemoryError with the bytes if an estimate shows that it does not fit
template <class ExecutionSpace, class Scalar>
BlockRowOn<ExecutionSpace, Scalar> make_block_row(const ExecutionSpace& exec,
                                                  const SystemTask& task, MatrixUse use,
                                                  RowRange rows = all_rows);

/// \brief Makes the matrix of a run with `format: block_circulant`: by `make_block_row`,
/// or from the first block row of `problem.matrix`.
///
/// \throws the errors of `make_block_row`; ConfigError at `operator.format` if the matrix is not
/// block-circulant
template <class ExecutionSpace, class Scalar>
CirculantSystem<ExecutionSpace, Scalar> make_circulant_system(const ExecutionSpace& exec,
                                                              const SystemTask& task,
                                                              MatrixUse use = MatrixUse::products);

/// \brief Row statistics of the expanded matrix.
template <class ExecutionSpace, class Scalar>
RowStatistics expanded_statistics(const ExecutionSpace& exec,
                                  const BlockRowOn<ExecutionSpace, Scalar>& A);

}  // namespace Tomokkos
