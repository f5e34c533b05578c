// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles of a scan or a scanner, built without a CSR of the whole matrix.
#pragma once

#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixSource.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_StreamedArrays.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

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

}  // namespace Tomokkos
