// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>

namespace Tomokkos {

/// \brief The lengths of the rows of a matrix, which decide what runs fast on it.
struct RowStatistics {
  Ordinal rows = 0;
  Ordinal columns = 0;
  Offset nonzeros = 0;
  Offset shortest = 0;
  Offset longest = 0;
  double mean = 0;
  double sigma = 0;  ///< standard deviation over all rows
  Ordinal empty_rows = 0;
};

/// \brief The statistics of \p A: one pass over its offsets, one fence.
template <class ExecutionSpace, class Scalar>
RowStatistics row_statistics(const ExecutionSpace& exec,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

}  // namespace Tomokkos
