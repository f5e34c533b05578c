// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of one rank of a system: their choice, and their operator.
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {

/// \brief Offsets of the rows of a matrix, on the host.
using HostOffsets = Kokkos::View<const Offset*, Kokkos::HostSpace>;

/// \brief Offsets that `build_share` needs, of which each rank counts some: those of the rows of a
/// scan or a scanner, or of the first row of blocks of a cone beam, in natural order. Empty for
/// other sources. Collective.
///
/// \throws MemoryError on all ranks when the share of one does not fit
template <class ExecutionSpace, class Scalar>
HostOffsets count_on_ranks(const ExecutionSpace& exec, const SystemTask& task,
                           const RankGroup& ranks);

/// \brief Builds or reads the rows of this rank and prepares their operator. No other rank is
/// waited for. The order has a map of the rows of the rank, and all columns. The subsets are those
/// of the rows of all ranks.
///
/// \param unit_offsets from `count_on_ranks`
/// \param weights shares of the ranks in the nonzeros
/// \param fingerprint set: receives that of the rows of the rank
/// \throws the errors of `build_system`
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_share(const ExecutionSpace& exec, const SystemTask& task,
                                                int rank, const HostOffsets& unit_offsets,
                                                const std::vector<double>& weights,
                                                std::uint64_t* fingerprint);

}  // namespace Tomokkos
