// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Divides rows into contiguous parts with nonzeros in proportion to \p weights. Part p
/// contains the rows from `result[p]` up to but not including `result[p + 1]`.
///
/// \param row_offsets nondecreasing positions of the nonzeros, one more than there are rows
/// \param rows rows to divide; `all_rows`: all of them
/// \param weights weights of the parts, positive
/// \throws Error when there are no weights, or a weight is not positive and finite
///
/// Each boundary is the end of the row closest to its share of the nonzeros, so the error of a part
/// is at most the longest row. Empty rows count slightly, so that a matrix without nonzeros is also
/// divided evenly. With more parts than rows some parts are empty.
std::vector<Ordinal> partition_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, RowRange rows,
    const std::vector<double>& weights);

/// \brief Divides \p count rows of equal length into parts in proportion to the weights.
std::vector<Ordinal> partition_evenly(Ordinal count, const std::vector<double>& weights);

/// \brief Largest excess of a part over its share, relative to the share: 0.01 for 1 % more
/// nonzeros than its weight requires. 0 if there are no nonzeros.
double partition_imbalance(const std::vector<Offset>& nonzeros, const std::vector<double>& weights);

}  // namespace Tomokkos
