// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Some rows of a square matrix in two parts: the columns that belong to these rows, and the
/// others that they meet, the halo.
///
/// `own` has all of the rows and the columns `[begin, end)`, renumbered from 0. `halo` has a row
/// for each of `halo_rows` (ascending: those that meet other columns) and a column for each of
/// `halo_columns` (ascending: the global numbers of these). Every entry stands in one of the two;
/// columns of a row ascend in both.
template <class Scalar, class MemorySpace>
struct HaloSplit {
  CsrMatrix<Scalar, MemorySpace> own, halo;
  Kokkos::View<const Ordinal*, MemorySpace> halo_rows;
  std::vector<Ordinal> halo_columns;
};

/// \brief The parts of \p A, rows of a square matrix with as many rows as A has columns. \p columns
/// are those that belong to the rows, as many.
///
/// Complete on return. Cost: three passes over A, sorts of its rows, `12 A.num_cols` bytes while it
/// works, seven fences. Throws `DimensionMismatch`, `Error` for columns that are not A's,
/// `MemoryError`.
template <class ExecutionSpace, class Scalar>
HaloSplit<Scalar, typename ExecutionSpace::memory_space> split_halo(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    RowRange columns);

}  // namespace Tomokkos
