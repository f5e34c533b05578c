// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Views.hpp>

namespace Tomokkos {

/// \brief A sorted list of entries: `A(rows(k), columns(k)) = values(k)`.
///
/// Contract, checked by `validate`: the three arrays have the same length; rows never fall, columns
/// ascend within a row, and both lie within the matrix. There is no padding and no entry twice.
///
/// ```
///     1 . 2        rows     0 0 1 2 2
///     . 3 .        columns  0 2 1 0 1
///     4 5 .        values   1 2 3 4 5
/// ```
///
/// Memory: `(8 + sizeof(Scalar)) nnz` bytes, whatever the number of rows.
template <class Scalar, class MemorySpace>
struct CooMatrix {
  using scalar_type = Scalar;
  using memory_space = MemorySpace;

  Ordinal num_rows = 0;
  Ordinal num_cols = 0;
  Kokkos::View<const Ordinal*, MemorySpace> rows;
  Kokkos::View<const Ordinal*, MemorySpace> columns;
  Kokkos::View<const Scalar*, MemorySpace> values;

  Offset num_nonzeros() const { return static_cast<Offset>(values.extent(0)); }
  /// \brief Entries in memory, padding included.
  Offset num_stored() const { return num_nonzeros(); }
  std::size_t memory_bytes() const {
    return values.extent(0) * (2 * sizeof(Ordinal) + sizeof(Scalar));
  }
};

/// \brief Throws `Error` naming the first entry that breaks the contract. One pass, one fence.
template <class ExecutionSpace, class Scalar, class MemorySpace>
void validate(const ExecutionSpace& exec, const CooMatrix<Scalar, MemorySpace>& A);

}  // namespace Tomokkos

#include <impl/Tomokkos_CooMatrix_impl.hpp>
