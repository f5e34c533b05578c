// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_RayTilesLayout.hpp>

namespace Tomokkos {

/// \brief A, its rows sorted, in ray tiles: the same entries, those of `half` and `scaled` rounded.
///
/// Complete on return. Cost: four passes over A, a transposition of the segments, some fences; 8
/// bytes a row and, in between, some 70 a segment of workspace beside the result
/// (`RayTilesBuilder`). Throws `Error` for options out of range,
/// for values that are not finite, and for `half` for values beyond 65504; `MemoryError` with the
/// bytes.
template <class ExecutionSpace, class Scalar, StoredPrecision Values = StoredPrecision::plain>
RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values> ray_tiles_from_csr(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const RayTilesOptions& options = {});

/// \brief A in CSR, rows sorted, with the values as ray tiles hold them.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> to_csr(
    const ExecutionSpace& exec,
    const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

/// \brief What ray tiles of A would be. Two passes over its columns, some fences; 8 bytes a row and
/// 8 a segment of workspace.
template <class ExecutionSpace, class Scalar>
RayTilesSize ray_tiles_size(const ExecutionSpace& exec,
                            const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                            Ordinal tile = largest_tile);

}  // namespace Tomokkos
