// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_KokkosCompat.hpp>
#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Rows cut into contiguous parts whose nonzeros are as the weights: part p begins at row
/// `result[p]` and ends before row `result[p + 1]`.
///
/// \param row_offsets positions of the nonzeros that do not fall, one more than there are rows
/// \param rows those that are cut; `all_rows`: all of them
/// \param weights of the parts, positive
///
/// A cut lies at the row whose end is nearest to its share of the nonzeros, so no part is off by
/// more than the longest row. Rows without nonzeros count as a little, so that a matrix of them
/// alone is cut evenly, too. Of more parts than rows some are empty. Throws `Error` for no weights
/// and for one that is not positive and finite.
std::vector<Ordinal> partition_rows(
    const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets, RowRange rows,
    const std::vector<double>& weights);

/// \brief Parts of \p count rows that all have the same length, as the weights are.
std::vector<Ordinal> partition_evenly(Ordinal count, const std::vector<double>& weights);

/// \brief The largest excess of a part over its share, relative to that: 0.01 for nonzeros that are
/// 1 % more than the weight says. 0 where there are no nonzeros.
double partition_imbalance(const std::vector<Offset>& nonzeros, const std::vector<double>& weights);

}  // namespace Tomokkos
