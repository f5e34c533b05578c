// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Communicator.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Processes that share a run: one, unless a launcher (`mpirun`) has started several. One
/// object per process; must outlive Kokkos.
class RunRanks {
 public:
  /// \brief Connects the processes.
  ///
  /// \throws ConfigError in a program without MPI that was started as several processes, since each
  /// would do the whole run and write the same files
  RunRanks();
  ~RunRanks();
  RunRanks(const RunRanks&) = delete;
  RunRanks& operator=(const RunRanks&) = delete;

  /// \brief Communicator of the processes; nullptr for a single process.
  const Ranks* ranks() const { return ranks_; }
  int rank() const { return ranks_ ? ranks_->rank() : 0; }
  int size() const { return ranks_ ? ranks_->size() : 1; }
  /// \brief Rank among the ranks on this machine.
  int local_rank() const;
  int local_size() const;
  /// \brief True for the rank that prints and writes files.
  bool is_first() const { return rank() == 0; }

  /// \brief Communicator for arrays of \p exec; nullptr for a single process. Afterwards
  /// `available_memory` returns the share of this process in the memory that the ranks use
  /// together.
  template <class ExecutionSpace>
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator(const ExecutionSpace& exec,
                                                                   bool deterministic) const;

  /// \brief True if two ranks use the same GPU; false on hosts. Collective.
  template <class ExecutionSpace>
  bool share_devices(const ExecutionSpace& exec) const;

  /// \brief Calls \p step on all ranks and returns its result when all have finished. If it throws
  /// on one rank, all ranks end: the first rank with an exception rethrows it, the others stop
  /// silently. \p step must not wait for other ranks.
  template <class Step>
  auto together(const Step& step) const {
    std::exception_ptr error;
    if constexpr (std::is_void_v<decltype(step())>) {
      try {
        step();
      } catch (...) {
        error = std::current_exception();
      }
      agree(error);
    } else {
      std::optional<decltype(step())> result;
      try {
        result.emplace(step());
      } catch (...) {
        error = std::current_exception();
      }
      agree(error);
      return std::move(*result);
    }
  }

  /// \brief Runs \p command and returns the largest exit status of all ranks. An exception outside
  /// `together` is reported with the number of the rank and ends all ranks at once.
  int guarded(const std::function<int()>& command) const;

  /// \brief True on all ranks if the argument is true on any rank.
  bool any(bool value) const;
  /// \brief Combines the values of all ranks, in rank order, to one fingerprint.
  std::uint64_t fingerprint(std::uint64_t own) const;
  /// \brief Gathers a number of each rank on all ranks.
  std::vector<double> gather_from_all(double own) const;
  /// \brief Returns the text of the first rank on all ranks.
  std::string from_first(std::string text) const;
  /// \brief Replaces the argument by its sum over all ranks.
  void sum(std::vector<double>& values) const;

 private:
  struct Session;
  void agree(std::exception_ptr error) const;

  std::unique_ptr<Session> session_;
  const Ranks* ranks_ = nullptr;
  mutable bool agreed_ = false;  // the current exception is known to all ranks
};

}  // namespace Tomokkos
