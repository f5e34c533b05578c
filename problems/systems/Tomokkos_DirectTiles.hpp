// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles of a scan or a scanner, built without a CSR of the whole matrix.
#pragma once

#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_StreamedArrays.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief System matrix in ray tiles, built by blocks of rows.
template <class ExecutionSpace, class Scalar>
struct DirectTiles {
  BuiltOperator<ExecutionSpace, Scalar> made;
  MatrixOrder<typename ExecutionSpace::memory_space> order;
  RowStatistics statistics;
  /// `csr_fingerprint` of the matrix, if requested; otherwise 0.
  std::uint64_t fingerprint = 0;
  /// Number of blocks of rows, and how many of them were kept between the two passes; the others
  /// were built twice.
  std::size_t blocks = 0, kept = 0;
};

/// \brief All or some of the rows of a run.
template <class ExecutionSpace>
struct DirectRows {
  /// Row offsets from `counted_offsets`.
  Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> natural_offsets;
  /// Selection and order of the rows; contains all columns.
  MatrixOrder<typename ExecutionSpace::memory_space> order;
};

/// \brief Builds the matrix of \p task in ray tiles. `builds_tiles_directly` must hold. Every
/// byte agrees with a conversion from CSR.
///
/// Traces the rays once to count the entries of each row. Then traces them by blocks of rows, each
/// a CSR of at most a sixteenth of the memory, to count segments and again to fill them in. Blocks
/// that fit in memory are kept between these two passes and not traced again.
///
/// \param fingerprint true to compute the fingerprint
/// \param available bytes for blocks and tiles; empty: the available memory
/// \param rows selected rows; empty: all rows
/// \param streamed set: keeps the entries in host memory
/// \throws MemoryError with the bytes: before building, from an estimate or the number of nonzeros;
/// before the tiles are allocated, from the number of segments. ConfigError if 16-bit values cannot
/// hold the entries, or for the order
template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> make_direct_tiles(
    const ExecutionSpace& exec, const SystemTask& task, bool fingerprint,
    std::optional<std::uint64_t> available = {},
    std::optional<DirectRows<ExecutionSpace>> rows = {},
    StreamedArrays<ExecutionSpace>* streamed = nullptr);

}  // namespace Tomokkos
