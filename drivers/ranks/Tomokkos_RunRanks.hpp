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
#include <type_traits>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief The processes that share a run of the program: one, unless a launcher (`mpirun`) has
/// started several. One object per process, which outlives Kokkos.
class RunRanks {
 public:
  /// \brief Throws `ConfigError` in a program without MPI that was started as several processes:
  /// each would do all of the run, and all write the same files.
  RunRanks();
  ~RunRanks();
  RunRanks(const RunRanks&) = delete;
  RunRanks& operator=(const RunRanks&) = delete;

  /// \brief nullptr where there is one process.
  const Ranks* ranks() const { return ranks_; }
  int rank() const { return ranks_ ? ranks_->rank() : 0; }
  int size() const { return ranks_ ? ranks_->size() : 1; }
  /// \brief Among the ranks on this machine.
  int local_rank() const;
  int local_size() const;
  /// \brief The one that talks and writes files.
  bool is_first() const { return rank() == 0; }

  /// \brief What moves arrays of \p exec between the ranks; nullptr where there is one process.
  /// From then on `available_memory` is this process's part of what they share.
  template <class ExecutionSpace>
  std::shared_ptr<const Communicator<ExecutionSpace>> communicator(const ExecutionSpace& exec,
                                                                   bool deterministic) const;

  /// \brief Whether any two ranks compute with the same GPU; of hosts false. All ranks together.
  template <class ExecutionSpace>
  bool share_devices(const ExecutionSpace& exec) const;

  /// \brief Returns what \p step does, after all ranks have done it. What it throws on one rank
  /// ends it on all of them, without haste: the first rank with an exception throws it on, the
  /// others stop without a word. \p step itself must not wait for other ranks.
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

  /// \brief The exit status of \p command, the largest one of all ranks. An exception that was not
  /// agreed on by `together` is told with the number of the rank, and ends all of them at once.
  int guarded(const std::function<int()>& command) const;

  /// \brief True where it is on any rank.
  bool any(bool value) const;
  /// \brief A number that tells apart what the ranks hold, in their order.
  std::uint64_t fingerprint(std::uint64_t own) const;
  /// \brief A figure of each rank, on all of them.
  std::vector<double> gather_from_all(double own) const;
  /// \brief Becomes the sum over all ranks.
  void sum(std::vector<double>& values) const;

 private:
  struct Session;
  void agree(std::exception_ptr error) const;

  std::unique_ptr<Session> session_;
  const Ranks* ranks_ = nullptr;
  mutable bool agreed_ = false;  // what is thrown now is known to all ranks
};

}  // namespace Tomokkos
