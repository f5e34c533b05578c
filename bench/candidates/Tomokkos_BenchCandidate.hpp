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

/// \brief Names of an entry of a list, and its figures that are known before it is timed.
struct NamedFigures : CandidateFigures {
  std::string library;
  std::string format = "csr";
  std::string variant;
};

/// \brief Entry that could not be made.
struct RefusedCandidate {
  std::string library;
  std::string format;
  std::string variant;
  std::string reason;
};

/// \brief Entries that libraries offer, and the refused ones with the reason.
///
/// `Entry` derives from `NamedFigures`. Everything that was requested is in one of the two lists.
template <class Entry>
class OfferList {
 public:
  /// \param library name of the library of these entries, unless a call of `attempt` names another
  explicit OfferList(std::string library = "tomokkos") : library_(std::move(library)) {}

  const std::string& library() const { return library_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<RefusedCandidate>& refused() const { return refused_; }

  /// \brief Adds the entry that \p make returns, under \p variant unless it already has one.
  ///
  /// If \p make throws, the message becomes the reason of a refused entry.
  template <class Make>
  void attempt(const std::string& library, const std::string& format, const std::string& variant,
               const Make& make) {
    try {
      Entry entry = make();
      entry.library = library;
      entry.format = format;
      if (entry.variant.empty()) entry.variant = variant;
      entries_.push_back(std::move(entry));
    } catch (const std::exception& problem) {
      refused_.push_back({library, format, variant, problem.what()});
    }
  }
  template <class Make>
  void attempt(const std::string& format, const std::string& variant, const Make& make) {
    attempt(library_, format, variant, make);
  }
  template <class Make>
  void attempt(const std::string& variant, const Make& make) {
    attempt(library_, "csr", variant, make);
  }

  void refuse(const std::string& format, const std::string& variant, const std::string& reason) {
    refused_.push_back({library_, format, variant, reason});
  }
  /// \brief Appends the refused entries of \p other, with their variants renamed by \p rename.
  template <class Other, class Rename>
  void append_refused(const OfferList<Other>& other, const Rename& rename) {
    for (RefusedCandidate refused : other.refused()) {
      refused.variant = rename(refused.variant);
      refused_.push_back(std::move(refused));
    }
  }
  template <class Other>
  void append_refused(const OfferList<Other>& other) {
    append_refused(other, [](const std::string& variant) { return variant; });
  }

  /// \brief Finds the entry called \p variant of \p format, otherwise the first one of that format;
  /// nullptr if there is none.
  const Entry* find_or_first(const std::string& format, const std::string& variant) const {
    const Entry* found = nullptr;
    for (const Entry& entry : entries_) {
      if (entry.format != format) continue;
      if (entry.variant == variant) return &entry;
      if (found == nullptr) found = &entry;
    }
    return found;
  }

 private:
  std::string library_;
  std::vector<Entry> entries_;
  std::vector<RefusedCandidate> refused_;
};

/// \brief One way to perform an operation on a case, ready to be checked and timed. The functions
/// own the data that they use.
struct Candidate : NamedFigures {
  /// Runs the operation once, on the vectors that `error` checks.
  std::function<void()> launch;
  /// Waits until the launched work is done.
  std::function<void()> fence;
  /// See `TimedWork`; empty for most candidates.
  std::function<double()> time_itself;
  /// Overwrites the result with values that no correct result contains, so that a stale result
  /// cannot pass the check.
  std::function<void()> poison;
  /// Returns the largest error of a row divided by its bound, for the result of the last launch.
  std::function<double()> error;
  /// Compares the results of \p runs launches; empty if that is not supported.
  std::function<SpreadFigures(int runs)> spread;
  /// Returns the figures of a solver other than its time; call it right after `error`. Empty for
  /// other candidates. If set, `product` is set, too, and is timed separately.
  std::function<SolveFigures()> solve;
  std::function<void()> product;
  /// See `BenchResult`; call it right after `error`. Empty for most candidates.
  std::function<double()> rmse_to_plain;
  /// Workspace of a transposition in bytes, without A and the result; empty: not known.
  std::optional<std::size_t> workspace_bytes;
  /// Returns whether the rows of the last result of a transposition, which was correct, are sorted.
  /// Empty for other operations.
  std::function<bool()> is_sorted;
};

/// \brief Candidates of all libraries for one case, operation and scalar.
using CandidateList = OfferList<Candidate>;

/// \brief Checks all candidates of \p list, times them against each other and appends the results
/// to \p report.
///
/// \param name matrix, operation, scalar and backend of the results
/// \param spread_runs number of runs whose results are compared; 0: none
void measure(const CandidateList& list, const CandidateName& name, const TimingOptions& timing,
             BenchReport& report, int spread_runs = 0);

/// \brief Measures the seconds that \p work takes.
template <class Work>
double seconds_of(const Work& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace Tomokkos::Bench
