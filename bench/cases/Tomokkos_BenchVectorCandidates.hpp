// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchPeers.hpp"

namespace Tomokkos::Bench {

/// \brief Makes candidates for `y = a x + y` or `x . y` on vectors of \p length, ours and those of
/// \p peers.
///
/// They are timed like other work. `axpy` moves `3 n` values, `dot` `2 n`; both perform `2 n`
/// operations. Results are checked in double: an entry of y may be off by two roundings, a dot
/// product by `4 (log2 n + 2) u sum |x_i y_i|`.
template <class ExecutionSpace, class Scalar>
CandidateList vector_candidates(const ExecutionSpace& exec, Operation operation, Ordinal length,
                                const BenchOptions& options,
                                const PeerLibraries<ExecutionSpace, Scalar>& peers);

}  // namespace Tomokkos::Bench
