// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <limits>
#include <vector>

namespace Tomokkos {

/// \brief Copies three plain CSR arrays to the memory of \p exec and checks them.
///
/// \param num_columns number of columns of the matrix; that of its rows follows from \p row_offsets
/// \param row_offsets start of each row and end of the last one; any integer type
/// \param columns column of each entry, ascending within a row
/// \throws Refused naming the first row that violates the contract of `CsrMatrix`
/// \throws MemoryError with the number of bytes when the arrays cannot be allocated
template <class ExecutionSpace, class Integer, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_arrays(
    const ExecutionSpace& exec, Ordinal num_columns, const std::vector<Integer>& row_offsets,
    const std::vector<Ordinal>& columns, const std::vector<Scalar>& values) {
  using MemorySpace = typename Impl::CompiledSpace<ExecutionSpace>::memory_space;
  require(!row_offsets.empty(),
          "row_offsets is empty; it needs one entry more than the matrix has rows");
  require(row_offsets.size() - 1 <= std::numeric_limits<Ordinal>::max(), [&] {
    return Impl::text("row_offsets has {} entries; a matrix has at most {} rows",
                      row_offsets.size(), std::numeric_limits<Ordinal>::max());
  });
  require(num_columns >= 0, [&] {
    return Impl::text("the number of columns is {}; it must not be negative", num_columns);
  });
  const std::vector<Offset> offsets(row_offsets.begin(), row_offsets.end());
  const CsrMatrix<Scalar, MemorySpace> A{
      static_cast<Ordinal>(offsets.size() - 1), num_columns, copy_to_device(exec, offsets),
      copy_to_device(exec, columns), copy_to_device(exec, values)};
  validate(exec, A);
  return A;
}

}  // namespace Tomokkos
