// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief A number that tells matrices apart: a sum modulo 2^64 over all entries, of their place
/// among the nonzeros, column and bits, and over the row offsets. The same on every backend and for
/// any number of threads; two matrices that differ anywhere have the same one by a chance of 2^-64.
///
/// Cost: reads A once; two launches, two fences.
template <class ExecutionSpace, class Scalar>
std::uint64_t csr_fingerprint(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
