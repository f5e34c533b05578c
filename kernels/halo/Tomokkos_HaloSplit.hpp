// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Rows of a square matrix in two parts: the columns that belong to these rows, and the
/// other columns that they use, the halo.
///
/// `own` has all of the rows and the columns `[begin, end)`, renumbered from 0. `halo` has one row
/// for each of `halo_rows` (the rows that use other columns, ascending) and one column for each of
/// `halo_columns` (their global numbers, ascending). Every entry is in exactly one of the two. The
/// columns of a row ascend in both.
template <class Scalar, class MemorySpace>
struct HaloSplit {
  CsrMatrix<Scalar, MemorySpace> own, halo;
  Kokkos::View<const Ordinal*, MemorySpace> halo_rows;
  std::vector<Ordinal> halo_columns;
};

/// \brief Splits \p A, some rows of a square matrix with all its columns, into its own part and the
/// halo.
///
/// The result is complete on return. Cost: three passes over A, sorts of its rows, a workspace of
/// `12 A.num_cols` bytes, seven fences.
///
/// \param columns columns that belong to the rows; there must be as many as rows
/// \throws DimensionMismatch when the numbers of rows and columns differ
/// \throws Error when the range is not within the columns of A
/// \throws MemoryError when the memory does not suffice
template <class ExecutionSpace, class Scalar>
HaloSplit<Scalar, typename ExecutionSpace::memory_space> split_halo(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    RowRange columns);

}  // namespace Tomokkos
