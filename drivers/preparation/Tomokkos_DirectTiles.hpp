// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ray tiles of a scan or a scanner without a CSR of the whole in between.
#pragma once

#include <Tomokkos_MakeOperator.hpp>
#include <Tomokkos_MatrixOrder.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cstdint>
#include <optional>

namespace Tomokkos {

/// \brief A system matrix that was brought into ray tiles block of rows by block of rows.
template <class ExecutionSpace, class Scalar>
struct DirectTiles {
  BuiltOperator<ExecutionSpace, Scalar> made;
  MatrixOrder<typename ExecutionSpace::memory_space> order;
  RowStatistics statistics;
  /// `csr_fingerprint` of the matrix, where it was asked for.
  std::uint64_t fingerprint = 0;
  /// Blocks of rows that were built, and those of them that were kept between the two passes over
  /// them; the others were built twice.
  std::size_t blocks = 0, kept = 0;
};

/// \brief Rows that are all, or some, of those of a run.
template <class ExecutionSpace>
struct DirectRows {
  /// The row offsets that `counted_offsets` returned.
  Kokkos::View<const Offset*, typename ExecutionSpace::memory_space> natural_offsets;
  /// Which rows, in which order; all columns.
  MatrixOrder<typename ExecutionSpace::memory_space> order;
};

/// \brief True when the matrix of \p config goes from its geometry into ray tiles: a scan, or a
/// scanner, with `format: ray_tiles` in an order that its grids give, and all of its pixels.
bool builds_tiles_directly(const RunConfig& config);

/// \brief The matrix of \p config, for which `builds_tiles_directly`, in ray tiles: the bytes of a
/// conversion from CSR.
///
/// The rays are followed once to count what each row holds, then, in blocks of rows in CSR of at
/// most a sixteenth of the memory, to count segments, and to fill them in. Blocks are kept between
/// these two for which there is room, and not followed again.
///
/// \param fingerprint whether it is wanted
/// \param available bytes that may be taken for blocks and tiles; nothing: what there is
/// \param rows some of the rows; nothing: all of them
/// \throw MemoryError with the figure: before anything is built from an estimate or the number of
/// nonzeros, before the tiles are allocated from the number of segments; ConfigError for what
/// values of 16 bits do not hold, and for the order.
template <class ExecutionSpace, class Scalar>
DirectTiles<ExecutionSpace, Scalar> make_direct_tiles(
    const ExecutionSpace& exec, const RunConfig& config, const RunInput& input, bool fingerprint,
    std::optional<std::uint64_t> available = {},
    std::optional<DirectRows<ExecutionSpace>> rows = {});

}  // namespace Tomokkos
