// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_PackedCsr.hpp>

namespace Tomokkos {

/// \brief `y = alpha A x + beta y`, x of length `A.num_cols`, y of length `A.num_rows`; `beta == 0`
/// overwrites y, whatever it held.
///
/// Reads the stored matrix once (of a run on a host not the 16 bits), x once if it stays in cache,
/// writes y. Sums of a row keep the bound of the CSR products, of values as they are stored; the
/// bits are the same on every run, on hosts for any number of threads. Padding is passed over. One
/// launch, no fence, no allocation, no plan. Throws `DimensionMismatch`.
///
/// Fast for what the conversion makes of a matrix on the same backend; other shapes are read entry
/// by entry.
template <class ExecutionSpace, class Scalar, TileValues Values>
void spmv(const ExecutionSpace& exec,
          const PackedCsrMatrix<Scalar, typename ExecutionSpace::memory_space, Values>& A,
          Scalar alpha, const VectorView<const Scalar, typename ExecutionSpace::memory_space>& x,
          Scalar beta, const VectorView<Scalar, typename ExecutionSpace::memory_space>& y);

}  // namespace Tomokkos
