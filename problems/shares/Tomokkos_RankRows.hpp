// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which rows of a matrix each of several ranks holds.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_IndexMap.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_Views.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief The rows of one rank: of every ordered subset a contiguous range, one behind the other.
/// With one subset a contiguous range of all rows.
struct RankRows {
  std::vector<RowRange> ranges;        ///< of each subset, by position in the order of the run
  std::vector<Ordinal> subset_begins;  ///< where the subsets begin among these rows
  std::vector<Offset> rank_nonzeros;   ///< of every rank
  std::vector<Ordinal> rank_num_rows;  ///< of every rank
  double imbalance = 0;                ///< see `partition_imbalance`

  Ordinal num_rows() const;
};

/// \brief The rows of rank \p rank, of as many ranks as there are \p weights, which share the
/// nonzeros of every subset in their ratio.
///
/// \param row_offsets of all rows, in the order of the run
RankRows share_rows(const Kokkos::View<const Offset*, Kokkos::HostSpace>& row_offsets,
                    const RowSubsets& subsets, const std::vector<double>& weights, int rank);

/// \brief \p map, or the identity of \p natural_size indices where there is none, at the positions
/// of \p ranges alone, one range behind the other.
template <class ExecutionSpace>
IndexMap<typename ExecutionSpace::memory_space> restrict_map(
    const ExecutionSpace& exec,
    const std::optional<IndexMap<typename ExecutionSpace::memory_space>>& map, Ordinal natural_size,
    const std::vector<RowRange>& ranges);

}  // namespace Tomokkos
