// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Ranks.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Processes that share a problem: one, or those of `Ranks`. All members but `rank`, `size`
/// and `is_first` are collective.
class RankGroup {
 public:
  /// \brief Thrown on a rank when another rank has failed and reports the reason.
  struct FailedElsewhere {};

  /// \param ranks must outlive this object; null: a single process
  explicit RankGroup(const Ranks* ranks = nullptr) : ranks_(ranks) {}

  /// \brief Communicator of the processes; nullptr for a single process.
  const Ranks* ranks() const { return ranks_; }
  int rank() const { return ranks_ ? ranks_->rank() : 0; }
  int size() const { return ranks_ ? ranks_->size() : 1; }
  /// \brief True for the rank that prints and writes files.
  bool is_first() const { return rank() == 0; }

  /// \brief Calls \p step on all ranks and returns its result when all have finished. If it throws
  /// on one rank, all ranks end: the first rank with an exception rethrows it, the others throw
  /// `FailedElsewhere`. \p step must not wait for other ranks.
  template <class Step>
  auto together(const Step& step) const {
    if constexpr (std::is_void_v<decltype(step())>) {
      together([&] {
        step();
        return true;
      });
    } else {
      std::optional<decltype(step())> result;
      std::exception_ptr error;
      try {
        result.emplace(step());
      } catch (...) {
        error = std::current_exception();
      }
      agree(error);
      return std::move(*result);
    }
  }

  /// \brief True on all ranks if the argument is true on any rank.
  bool any(bool value) const;
  /// \brief Combines the values of all ranks, in rank order, to one fingerprint.
  std::uint64_t fingerprint(std::uint64_t own) const;
  /// \brief Gathers a number of each rank on all ranks.
  std::vector<double> gather_from_all(double own) const;
  /// \brief Returns the text of the first rank on all ranks.
  std::string from_first(std::string text) const;
  /// \brief Replaces the argument by its sum over all ranks, which is formed in double.
  void sum(std::vector<double>& values) const;
  void sum(std::vector<float>& values) const;

  /// \brief Nonzeros per second of each rank, of which this one multiplied \p nonzeros in \p
  /// seconds. A rank without rows is assumed to be as fast as the slowest other rank.
  std::vector<double> speeds(double nonzeros, double seconds) const;
  /// \brief Statistics of all rows, from the statistics of the rows of each rank.
  RowStatistics statistics_of_all(const RowStatistics& own) const;

 protected:
  void set_ranks(const Ranks* ranks) { ranks_ = ranks; }
  /// \brief True when all ranks know of the exception that is on its way.
  bool has_agreed() const { return agreed_; }

 private:
  void agree(const std::exception_ptr& error) const;

  const Ranks* ranks_ = nullptr;
  mutable bool agreed_ = false;
};

/// \brief Weight of \p rank divided by the sum of all weights.
double share_of(const std::vector<double>& weights, int rank);

}  // namespace Tomokkos
