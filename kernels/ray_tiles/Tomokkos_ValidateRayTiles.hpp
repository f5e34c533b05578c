// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Throws `Error` naming what breaks the contract of \p A, and the first block, tile or
/// group where it does; `DimensionMismatch` for an array of another length. Values must be finite.
///
/// Four passes over the lists and one over the entries by a thread a block, with fences: for tests
/// and for matrices from elsewhere.
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void validate(const ExecutionSpace& exec,
              const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

}  // namespace Tomokkos
