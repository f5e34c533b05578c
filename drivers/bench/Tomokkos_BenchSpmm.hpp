// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchCase.hpp"

namespace Tomokkos::Bench {

/// \brief Our product of CSR with \p vectors vectors at once, row-major: `Y = A X`.
///
/// Column j of X is the vector of the case times a power of two of its own, so that every column of
/// Y is checked against the one reference, exactly scaled.
template <class ExecutionSpace, class Scalar>
void add_own_spmm(CandidateList& list, BenchCase<ExecutionSpace, Scalar>& matrix_case, int vectors);

}  // namespace Tomokkos::Bench
