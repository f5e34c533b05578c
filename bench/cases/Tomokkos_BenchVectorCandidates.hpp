// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief `y = a x + y` or `x . y` of vectors of \p length, by us and by \p peers.
///
/// Timed as any other work: `axpy` moves `3 n` values, `dot` `2 n`. Both are `2 n` operations.
/// Checked in double: an entry of y within two roundings; a dot product within `4 (log2 n + 2) u
/// sum |x_i y_i|`.
template <class ExecutionSpace, class Scalar>
CandidateList vector_candidates(const ExecutionSpace& exec, Operation operation, Ordinal length,
                                const BenchOptions& options,
                                const PeerLibraries<ExecutionSpace, Scalar>& peers);

}  // namespace Tomokkos::Bench
