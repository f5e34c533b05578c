// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Memory of a matrix in a format of packed rows: `packed_csr`, `packed_csr_half`,
/// `packed_csr_scaled`.
struct PackedRowsSize {
  std::string name;
  std::vector<std::pair<std::string, std::size_t>> bytes;  ///< bytes by name of the scalar
};

/// \brief Returns the bytes of \p A in packed rows as laid out for \p exec, in the order of \p
/// rows, without converting it: see `packed_csr_size`. Empty if A does not fit the format.
template <class ExecutionSpace, class Scalar>
std::vector<PackedRowsSize> packed_rows_sizes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& rows);

}  // namespace Tomokkos
