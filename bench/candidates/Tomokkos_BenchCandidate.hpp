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

/// \brief The names of an entry of a list, and the figures of what it takes.
struct NamedFigures : CandidateFigures {
  std::string library;
  std::string format = "csr";
  std::string variant;
};

/// \brief An entry that could not be made.
struct RefusedCandidate {
  std::string library;
  std::string format;
  std::string variant;
  std::string reason;
};

/// \brief The entries that libraries offer, and those that were refused, with the reason. `Entry`
/// derives from `NamedFigures`; nothing that was asked for is in neither list.
template <class Entry>
class OfferList {
 public:
  /// \param library whose entries these are, unless `attempt` says otherwise
  explicit OfferList(std::string library = "tomokkos") : library_(std::move(library)) {}

  const std::string& library() const { return library_; }
  const std::vector<Entry>& entries() const { return entries_; }
  const std::vector<RefusedCandidate>& refused() const { return refused_; }

  /// \brief Adds what \p make returns, under \p variant unless it has one already; what it throws
  /// becomes the reason for its absence.
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
  /// \brief Takes over what was refused from \p other, its variants renamed by \p rename.
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

  /// \brief The entry called \p variant of \p format, else the first one of that format, else
  /// nullptr.
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

/// \brief One way to do an operation on a case, ready to be checked and timed. The functions own
/// what they need.
struct Candidate : NamedFigures {
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

/// \brief The candidates of one case, operation and scalar, of all libraries.
using CandidateList = OfferList<Candidate>;

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
