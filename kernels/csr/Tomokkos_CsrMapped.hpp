// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_IndexMap.hpp>

namespace Tomokkos {

/// \brief Returns A with its rows and columns permuted by two maps, with sorted rows:
/// `B(p, q) = A(row_map.to_natural(p), column_map.to_natural(q))`.
///
/// Entries in columns outside \p column_map are dropped. Rows of A may be unsorted. The entries
/// keep their bits, so the result depends only on A and the maps. The result is complete on return:
/// any execution-space instance may read it.
///
/// Cost: two passes over the mapped rows of A (one if no column is dropped), a sort of each row,
/// two fences (three on a GPU). The result is allocated in addition to A.
///
/// \throws DimensionMismatch when a map does not fit A
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_mapped(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    const IndexMap<typename ExecutionSpace::memory_space>& row_map,
    const IndexMap<typename ExecutionSpace::memory_space>& column_map);

/// \brief Returns A with the entries of each row interleaved for 16-byte loads by \p lanes lanes.
///
/// The lanes load packs of four entries together. The entries that the lanes hold in place c of
/// these packs (c = 0, ..., 3) are successive entries of A. With sorted rows the lanes therefore
/// gather neighbouring elements of x, one place after another.
///
/// Packs are those of products with `entries_per_load = pack_entries`. They start at multiples of
/// four positions of the whole matrix, so the first and the last pack of a row may be incomplete.
/// The row offsets are shared with A. The rows of the result are unsorted: use it for products and
/// for `transpose`, not for ranges of columns. The result is complete on return.
///
/// Cost: one pass over A, one fence, new columns and values.
///
/// \param lanes a power of two up to 32
/// \throws Error when \p lanes has another value
/// \throws MemoryError with the bytes needed
template <class ExecutionSpace, class Scalar>
CsrMatrix<Scalar, typename ExecutionSpace::memory_space> csr_interleaved(
    const ExecutionSpace& exec, const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A,
    int lanes);

}  // namespace Tomokkos
