// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Tomokkos_BenchReport.hpp"
#include "Tomokkos_BenchTiming.hpp"

namespace Tomokkos::Bench {

/// \brief One way to do an operation on a matrix, ready to run. The functions own what they need.
struct Candidate {
  std::string library;
  std::string format = "csr";
  std::string variant;
  std::size_t bytes_model = 0;
  std::size_t footprint_bytes = 0;
  std::size_t memory_bytes = 0;
  double setup_seconds = 0;
  double fill = 1;        ///< entries in memory over nonzeros
  std::string choice;     ///< as in `BenchResult`
  double operations = 0;  ///< additions and multiplications that count; 0: not said
  /// Runs the operation once on the vectors that the check looks at.
  std::function<void()> launch;
  /// Waits for what was launched.
  std::function<void()> fence;
  /// As in `TimedWork`; empty for most.
  std::function<double()> time_itself;
  /// Fills the result with what no right answer holds, so that nothing stale passes the check.
  std::function<void()> poison;
  /// Largest row error over its bound of the result of the last launch.
  std::function<double()> error;
  /// Compares the results of so many launches; empty where that is not known.
  std::function<SpreadFigures(int runs)> spread;
  /// What a solver tells beside its time, right after `error`; empty for the others. Comes with
  /// `product`, which is timed by itself beside the candidates.
  std::function<SolveFigures()> solve;
  std::function<void()> product;
  /// As in `BenchResult`, right after `error`; empty for most.
  std::function<double()> rmse_to_plain;
  /// Of a transposition: bytes beside A and the result, where they are known.
  std::optional<std::size_t> workspace_bytes;
  /// Of a transposition: whether the rows of the last result, which was right, are sorted; empty
  /// for the others.
  std::function<bool()> is_sorted;
};

/// \brief A candidate that could not be made.
struct RefusedCandidate {
  std::string library;
  std::string format;
  std::string variant;
  std::string reason;
};

/// \brief The candidates of one matrix, operation and scalar.
class CandidateList {
 public:
  /// \brief Adds what \p make returns; what it throws becomes the reason for its absence.
  template <class Make>
  void attempt(const std::string& library, const std::string& format, const std::string& variant,
               const Make& make) {
    try {
      Candidate candidate = make();
      candidate.library = library;
      candidate.format = format;
      candidate.variant = variant;
      candidates_.push_back(std::move(candidate));
    } catch (const std::exception& problem) {
      refuse(library, format, variant, problem.what());
    }
  }

  void refuse(const std::string& library, const std::string& format, const std::string& variant,
              const std::string& reason) {
    refused_.push_back({library, format, variant, reason});
  }

  const std::vector<Candidate>& candidates() const { return candidates_; }
  const std::vector<RefusedCandidate>& refused() const { return refused_; }

 private:
  std::vector<Candidate> candidates_;
  std::vector<RefusedCandidate> refused_;
};

/// \brief Checks, then times all candidates of \p list against each other and appends them to \p
/// report under the matrix, operation, scalar and backend of \p name.
///
/// \param spread_runs runs whose results are compared; 0: none
void measure(const CandidateList& list, const CandidateName& name, const TimingOptions& timing,
             BenchReport& report, int spread_runs = 0);

/// \brief Seconds that \p work takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace Tomokkos::Bench
