// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RankGroup.hpp>
#include <functional>
#include <memory>

namespace Tomokkos {

/// \brief Processes that share a run: one, unless a launcher (`mpirun`) has started several. One
/// object per process; must outlive Kokkos.
class RunRanks : public RankGroup {
 public:
  /// \brief Connects the processes.
  ///
  /// \throws ConfigError in a program without MPI that was started as several processes, since each
  /// would do the whole run and write the same files
  RunRanks();
  ~RunRanks();
  RunRanks(const RunRanks&) = delete;
  RunRanks& operator=(const RunRanks&) = delete;

  /// \brief Rank among the ranks on this machine.
  int local_rank() const;
  int local_size() const;

  /// \brief Communicator for arrays of \p exec; nullptr for a single process. Afterwards
  /// `available_memory` returns the share of this process in the memory that the ranks use
  /// together.
  template <class ExecutionSpace>
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator(const ExecutionSpace& exec,
                                                                   bool deterministic) const;

  /// \brief True if two ranks use the same GPU; false on hosts. Collective.
  template <class ExecutionSpace>
  bool share_devices(const ExecutionSpace& exec) const;

  /// \brief Runs \p command and returns the largest exit status of all ranks. An exception outside
  /// `together` is reported with the number of the rank and ends all ranks at once.
  int guarded(const std::function<int()>& command) const;

 private:
  struct Session;

  std::unique_ptr<Session> session_;
};

/// \brief Replaces `run.backend` in \p root by the entry of `run.ranks.backend` for this rank. No
/// effect if that key is no list.
///
/// \throws ConfigError with the position if the list does not have one entry for each rank
void set_backend_of_rank(ConfigNode& root, const RunRanks& ranks);

}  // namespace Tomokkos
