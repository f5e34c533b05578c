// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RayTiles.hpp>

namespace Tomokkos {

/// \brief Checks the contract of \p A and that its values are finite.
///
/// Cost: four passes over the lists and one over the entries (one thread a block), with fences.
/// Meant for tests and for matrices from other sources.
///
/// \throws Error naming the violated rule and the first block, tile or group that violates it
/// \throws DimensionMismatch if an array has the wrong length
template <class ExecutionSpace, class Scalar, StoredPrecision Values>
void validate(const ExecutionSpace& exec,
              const RayTilesMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A);

}  // namespace Tomokkos
