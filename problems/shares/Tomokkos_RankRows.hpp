// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Distribution of the rows of a matrix over ranks.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Rows of one rank: a contiguous range of every ordered subset, one after the other. With
/// one subset, this is a contiguous range of all rows.
struct RankRows {
  std::vector<RowRange> ranges;        ///< one range per subset, by position in the order of the
                                       ///< run
  std::vector<Ordinal> subset_begins;  ///< first row of each subset among these rows
};

/// \brief Returns the rows of rank \p rank. The number of ranks is the number of \p weights; the
/// nonzeros of every subset are distributed in the ratio of the weights.
///
/// \param row_offsets offsets of all rows, in the order of the run
RankRows share_rows(const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                    const RowSubsets& subsets, const std::vector<double>& weights, int rank);

/// \brief Returns \p map, or the identity of \p natural_size indices if it is empty, restricted to
/// the positions in \p ranges, one range after the other.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> restrict_map(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, Ordinal natural_size,
    const std::vector<RowRange>& ranges);

}  // namespace Tomokkos
