// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_IndexMap.hpp>

namespace Tomokkos {

/// \brief Describes the bytes of \p A in packed rows as laid out for \p exec, in the order of \p
/// rows, without converting it: by name of the scalar for `packed_csr`, `packed_csr_half` and
/// `packed_csr_scaled`. See `packed_csr_size`. An empty map if A does not fit the format.
template <class ExecutionSpace, class Scalar>
Description packed_rows_sizes(const ExecutionSpace& exec,
                              const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
                              const IndexMap<typename ExecutionSpace::memory_space>& rows);

}  // namespace Tomokkos
