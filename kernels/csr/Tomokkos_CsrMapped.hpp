// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>

namespace Tomokkos {

/// \brief A with its rows and columns in the order of two maps: `B(p, q) = A(row_map.to_natural(p),
/// column_map.to_natural(q))`, rows sorted. Entries in columns outside \p column_map are dropped.
///
/// Rows of A may be in any order. The entries keep their bits, so any two ways to the same maps
/// give the same matrix. Complete on return: any instance may read it.
///
/// Cost: two passes over the mapped rows of A (one where no column is left out), a sort of each
/// row, two fences (three on a GPU); the result beside A. Throws `DimensionMismatch`, `MemoryError`
/// with the bytes.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_mapped(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& column_map);

/// \brief A with the entries of each row dealt out for 16-byte loads by \p lanes lanes: what the
/// lanes hold in the c-th place of the packs that they load together (c = 0, ..., 3) are successive
/// entries of A. So with sorted rows they gather neighbours of x, one place after the other.
///
/// Packs are those of products with `entries_per_load = pack_entries`: on multiples of four
/// positions of the whole matrix, so that the first and the last one of a row hold less. The
/// offsets are shared, the rows of the result are in no order: for products and for `transpose`,
/// not for ranges of columns. Complete on return.
///
/// \param lanes a power of two up to 32, else `Error`. Cost: one pass over A, one fence, new
/// columns and values. Throws `MemoryError` with the bytes.
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int lanes);

}  // namespace Tomokkos
