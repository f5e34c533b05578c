// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTilesLayout.hpp>

namespace Tomokkos {

/// \brief Converts A to ray tiles. Columns must ascend within each row; `half` and `scaled` round
/// the values.
///
/// The result is complete on return. Cost: four passes over A, a transposition of the segments,
/// some fences. Workspace in addition to the result: 8 bytes a row and, temporarily, about 70 a
/// segment (`RayTilesBuilder`).
///
/// \throws Error for options out of range, for values that are not finite, and for values beyond
///   65504 with `half`
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> ray_tiles_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options = {});

/// \brief Converts ray tiles to CSR with sorted rows. Values that `half` or `scaled` have rounded
/// stay rounded.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

/// \brief Counts the segments and packs that A would have in ray tiles. Two passes over its
/// columns, some fences; workspace of 8 bytes a row and 8 a segment.
template <class ExecutionSpace, class Scalar>
RayTilesSize ray_tiles_size(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            Ordinal tile = largest_tile);

}  // namespace Tomokkos
