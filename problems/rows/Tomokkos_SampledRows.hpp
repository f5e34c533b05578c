// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <cmath>
#include <cstdint>

namespace Tomokkos {

/// \brief Place of sample \p k within its part of the rows, from 0 to 1, by the golden section:
/// samples then do not follow the period of views, modules and rings.
inline double golden_place(std::int64_t k) {
  return std::fmod(0.6180339887498949 * static_cast<double>(k + 1), 1.0);
}

/// \brief Facts about a matrix from some of its rows.
struct SampledRows {
  RowStatistics statistics;
  std::uint64_t fingerprint = 0;  ///< changes with any entry of a row that was built
};

/// \brief Builds up to 2048 rows of a matrix whose rows are rays, spread evenly over the rows in
/// the order of \p order. Rows and columns that the order leaves out are not counted.
///
/// The statistics are exact if all rows were built, and for a cone beam, whose views have
/// rows of equal lengths: one view is counted. All rows are built if the others are empty.
///
/// \pre the source is a cone beam or has `traits.in_any_order`
/// \throws MemoryError; the errors of `build_rows`
template <class ExecutionSpace>
SampledRows sample_rows(const ExecutionSpace& exec, const RowSource& source,
                        const OrderOn<ExecutionSpace>& order);

/// \brief Returns the approximate number of nonzeros of the whole matrix, from `sample_rows`.
/// Counts all rows of a source that is not traced.
template <class ExecutionSpace>
double sampled_nonzeros(const ExecutionSpace& exec, const RowSource& source);

}  // namespace Tomokkos
