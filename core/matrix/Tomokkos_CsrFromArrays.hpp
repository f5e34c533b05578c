// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Copies three plain CSR arrays to the memory of \p exec and checks them.
///
/// \param row_offsets start of each row and end of the last one; any integer type
/// \param columns column of each entry, ascending within a row
/// \throws Refused naming the first row that violates the contract of `CsrMatrix`
/// \throws MemoryError with the number of bytes when the arrays cannot be allocated
template <class ExecutionSpace, class Integer, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_arrays(
    const ExecutionSpace& exec, Ordinal num_cols, const std::vector<Integer>& row_offsets,
    const std::vector<Ordinal>& columns, const std::vector<Scalar>& values) {
  using MemorySpace = typename Impl::CompiledSpace<ExecutionSpace>::memory_space;
  require(!row_offsets.empty(),
          "row_offsets is empty; it needs one entry more than the matrix has rows");
  const std::vector<Offset> offsets(row_offsets.begin(), row_offsets.end());
  const CsrMatrix<Scalar, MemorySpace> A{
      static_cast<Ordinal>(offsets.size() - 1), num_cols, copy_to_device(exec, offsets),
      copy_to_device(exec, columns), copy_to_device(exec, values)};
  validate(exec, A);
  return A;
}

}  // namespace Tomokkos
