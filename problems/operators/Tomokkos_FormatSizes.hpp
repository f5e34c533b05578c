// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <string>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief What a format would store of a matrix.
struct FormatSize {
  std::string name;         ///< as in configurations, with the block of `bcsr`: `bcsr_2x2`
  Offset stored = 0;        ///< entries, padding and fill included
  std::size_t indices = 0;  ///< bytes of everything but the values

  /// \brief Bytes with values of \p scalar_bytes each.
  std::size_t bytes(std::size_t scalar_bytes) const {
    return indices + static_cast<std::size_t>(stored) * scalar_bytes;
  }
};

/// \brief The sizes of \p A in every format, counted on the calling thread without converting:
/// `hyb` with its usual quantile, `sell` with chunks of 32 rows as they come, `bcsr` with blocks of
/// 2 and 4. \p row_offsets and \p columns are those of CSR, rows sorted.
std::vector<FormatSize> format_sizes(
    Ordinal num_rows, const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
    const Kokkos::View<const Ordinal*, Kokkos::HostSpace>& columns);

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
