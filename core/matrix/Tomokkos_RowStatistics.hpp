// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CsrMatrix.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Statistics of row lengths, which determine the fastest format and product.
struct RowStatistics {
  Ordinal rows = 0;
  Ordinal columns = 0;
  Offset nonzeros = 0;
  Offset shortest = 0;
  Offset longest = 0;
  double mean = 0;
  double sigma = 0;  ///< standard deviation over all rows
  Ordinal empty_rows = 0;
  bool is_estimate = false;  ///< all but the first two follow from some of the rows
};

/// \brief Computes the statistics of \p A in one pass over its offsets, with one fence.
template <class ExecutionSpace, class Scalar>
RowStatistics row_statistics(const ExecutionSpace& exec,
                             const CsrMatrix<Scalar, typename ExecutionSpace::memory_space>& A);

/// \brief Returns the statistics of a matrix from those of its parts, which have all columns and
/// some of the rows each.
RowStatistics statistics_of_parts(const std::vector<RowStatistics>& parts);

}  // namespace Tomokkos
