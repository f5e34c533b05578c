// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckedRange.hpp>
#include <Tomokkos_CsrBuild.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <utility>

namespace Tomokkos {

/// \brief Copies the rows \p rows of A, with all columns of A, into the memory of \p exec.
///
/// A may be in host memory. The result is complete on return. Cost: the entries of the rows are
/// read and written once, three fences.
///
/// \throws Error when the range is not within the rows of A
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_row_range(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A, RowRange rows);

namespace Impl {

/// Subtracts the offset of the first row of a part from the row offsets.
template <class MemorySpace>
struct ShiftOffsets {
  Kokkos::View<Offset*, MemorySpace> offsets;
  Offset first;
  KOKKOS_FUNCTION void operator()(const Offset i) const { offsets(i) -= first; }
};

}  // namespace Impl

template <class ExecutionSpace, class Scalar, class MemorySpace>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_row_range(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, MemorySpace>& A, RowRange rows) {
  using Target = typename ExecutionSpace::memory_space;
  const RowRange range = Impl::checked_range(rows, A.num_rows, "rows");
  const auto begin = static_cast<std::size_t>(range.begin),
             end = static_cast<std::size_t>(range.end);
  const auto row_offsets = Impl::allocate_row_offsets<Target>(exec, range.end - range.begin);
  if (A.row_offsets.extent(0) == 0) {  // an empty matrix
    Kokkos::deep_copy(exec, row_offsets, Offset(0));
  } else {
    Kokkos::deep_copy(exec, row_offsets,
                      Kokkos::subview(A.row_offsets, std::make_pair(begin, end + 1)));
  }
  const Offset first = Impl::read_entry(exec, row_offsets, 0, "csr_row_range: the first entry");
  const Offset last = Impl::read_entry(exec, row_offsets, end - begin, "csr_row_range: the last");
  const auto arrays = Impl::allocate_entries<Scalar, Target>(exec, row_offsets, last - first);
  const auto entries =
      std::make_pair(static_cast<std::size_t>(first), static_cast<std::size_t>(last));
  Kokkos::deep_copy(exec, arrays.columns, Kokkos::subview(A.columns, entries));
  Kokkos::deep_copy(exec, arrays.values, Kokkos::subview(A.values, entries));
  Kokkos::parallel_for("Tomokkos::csr_row_range::shift",
                       Impl::element_range(exec, row_offsets.extent(0)),
                       Impl::ShiftOffsets<Target>{row_offsets, first});
  Impl::fence(exec, "csr_row_range: the matrix is complete");
  return arrays.matrix(range.end - range.begin, A.num_cols);
}

}  // namespace Tomokkos
