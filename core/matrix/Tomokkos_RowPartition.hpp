// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Divides rows into contiguous parts whose nonzeros are in proportion to \p weights.
///
/// Part p has the rows from `result[p]` up to but not including `result[p + 1]`. A part ends with
/// the row at which the count of nonzeros so far is closest to the shares so far. The nonzeros of a
/// part therefore differ from its share by at most the longest row. Each row counts as another
/// millionth of a nonzero, so that a matrix without nonzeros is also divided evenly. With more
/// parts than rows some parts are empty.
///
/// \param row_offsets nondecreasing positions of the nonzeros, one more than there are rows
/// \param rows rows to divide; `all_rows`: all of them
/// \param weights weights of the parts, positive
/// \throws Error when there are no weights, when a weight is not positive and finite, or when
/// \p rows do not lie within the rows of the matrix
std::vector<Ordinal> partition_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, RowRange rows,
    const std::vector<double>& weights);

/// \brief Divides \p count rows of equal length into parts in proportion to the weights.
std::vector<Ordinal> partition_evenly(Ordinal count, const std::vector<double>& weights);

/// \brief Largest excess of a part over its share, relative to the share: 0.01 for 1 % more
/// nonzeros than its weight requires. 0 if there are no nonzeros.
double partition_imbalance(const std::vector<Offset>& nonzeros, const std::vector<double>& weights);

}  // namespace Tomokkos
