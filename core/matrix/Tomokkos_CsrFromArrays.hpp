// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <vector>

namespace Tomokkos {

/// \brief The matrix that three plain arrays hold in CSR: copied to the memory of \p exec and
/// checked.
///
/// \param row_offsets where each row begins, and where the last one ends; of any integer type
/// \param columns of each entry, those of a row in ascending order
/// \throws Refused naming the first row that breaks the contract of `CsrMatrix`
/// \throws MemoryError with the bytes
template <class ExecutionSpace, class Integer, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_from_arrays(
    const ExecutionSpace& exec, Ordinal num_cols, const std::vector<Integer>& row_offsets,
    const std::vector<Ordinal>& columns, const std::vector<Scalar>& values) {
  require(!row_offsets.empty(), "row_offsets is empty; it has an entry more than there are rows");
  const std::vector<Offset> offsets(row_offsets.begin(), row_offsets.end());
  const CsrMatrix<Scalar, typename ExecutionSpace::memory_space> A{
      static_cast<Ordinal>(offsets.size() - 1), num_cols, copy_to_device(exec, offsets),
      copy_to_device(exec, columns), copy_to_device(exec, values)};
  validate(exec, A);
  return A;
}

}  // namespace Tomokkos
