// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of one rank of a system: their choice, and their operator.
#pragma once

#include <Tomokkos_PreparedOperator.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RankRows.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Offsets of the rows of a matrix, on the host.
using HostOffsets = Kokkos::View<const Offset*, Kokkos::HostSpace>;

/// \brief Rows that a rank holds.
template <class MemorySpace>
struct RowsOfRank {
  MatrixOrder<MemorySpace> order;      ///< rows of the rank, always with a map, and all columns
  RowSubsets subsets{0, 1};            ///< division of the rows of all ranks
  std::vector<Ordinal> subset_begins;  ///< first row of each subset among those of the rank
  std::uint64_t fingerprint = 0;       ///< of the rows of the rank; 0 unless it was asked for
};

/// \brief Rows that a rank holds, with their operator.
template <class ExecutionSpace, class Scalar>
struct ShareOfRank {
  PreparedOperator<ExecutionSpace, Scalar> prepared;
  RowsOfRank<typename ExecutionSpace::memory_space> rows;
};

/// \brief Offsets that `build_share` needs, of which each rank counts some: those of the rows of a
/// scan or a scanner, or of the first row of blocks of a cone beam, in natural order. Empty for
/// other sources. Collective.
///
/// \throws MemoryError on all ranks when the share of one does not fit
template <class ExecutionSpace, class Scalar>
HostOffsets count_on_ranks(const ExecutionSpace& exec, const SystemTask& task,
                           const RankGroup& ranks);

/// \brief Builds or reads the rows of this rank and prepares their operator. No other rank is
/// waited for.
///
/// \param unit_offsets from `count_on_ranks`
/// \param weights shares of the ranks in the nonzeros
/// \throws the errors of `build_system`
template <class ExecutionSpace, class Scalar>
ShareOfRank<ExecutionSpace, Scalar> build_share(const ExecutionSpace& exec, const SystemTask& task,
                                                int rank, const HostOffsets& unit_offsets,
                                                const std::vector<double>& weights,
                                                bool wants_fingerprint);

}  // namespace Tomokkos
