// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system whose rows are on several ranks.
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <Tomokkos_RanksWish.hpp>
#include <memory>

namespace Tomokkos {

/// \brief Ranks that hold the rows of a system, and what is asked of their division.
template <class ExecutionSpace>
struct RankPlaces {
  const RankGroup& ranks;
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator;
  RanksWish wish;
  bool deterministic = false;
  bool has_checkpoints = false;
  bool share_devices = false;  ///< two ranks use the same GPU
};

/// \brief Builds the system of \p task on several ranks: each builds or reads its own rows of every
/// ordered subset. The image is on every rank, or each rank holds a part of it. Collective.
///
/// The result has the `order` of the rows and pixels of this rank, the `subsets` of all rows, and
/// the `statistics` of all ranks. Its report describes the ranks.
///
/// \throws ConfigError for settings that need a single process; the errors of `build_system`. An
/// error of one rank ends all ranks.
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_on_ranks(const ExecutionSpace& exec, SystemTask task,
                                                   const RankPlaces<ExecutionSpace>& places,
                                                   const BuildObserver& observer = {});

}  // namespace Tomokkos
