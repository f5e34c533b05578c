// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief What packed rows would take: `packed_csr`, `packed_csr_half`, `packed_csr_scaled`.
struct PackedRowsSize {
  std::string name;
  std::vector<std::pair<std::string, std::size_t>> bytes;  ///< by the name of the scalar
};

/// \brief The bytes of \p A in packed rows as \p exec has them, in the order of \p rows, counted
/// without converting: see `packed_csr_size`. None where A is no matrix for this format.
template <class ExecutionSpace, class Scalar>
std::vector<PackedRowsSize> packed_rows_sizes(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& rows);

}  // namespace Tomokkos
