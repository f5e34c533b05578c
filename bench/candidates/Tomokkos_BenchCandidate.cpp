// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {
namespace {

/// Completes \p name, which is that of the case, with the library, format and variant of \p entry.
template <class Entry>
CandidateName named(CandidateName name, const Entry& entry) {
  name.library = entry.library;
  name.format = entry.format;
  name.variant = entry.variant;
  return name;
}

/// Runs \p candidate once and records all its figures except the times.
BenchResult checked(const Candidate& candidate, const CandidateName& name, int spread_runs) {
  BenchResult result;
  static_cast<CandidateFigures&>(result) = candidate;
  result.name = named(name, candidate);
  candidate.poison();
  candidate.launch();
  candidate.fence();
  result.error = candidate.error();
  if (candidate.solve) result.solve = candidate.solve();
  // If the result is wrong its offsets may hold anything, so do not look at its rows.
  if (candidate.is_sorted)
    result.transposition =
        TranspositionFigures{candidate.workspace_bytes, result.error == 0 && candidate.is_sorted()};
  if (spread_runs > 0 && candidate.spread) result.spread = candidate.spread(spread_runs);
  if (candidate.rmse_to_plain) result.rmse_to_plain = candidate.rmse_to_plain();
  return result;
}

}  // namespace

void measure(const CandidateList& list, const CandidateName& name, const TimingOptions& timing,
             BenchReport& report, int spread_runs) {
  for (const RefusedCandidate& refused : list.refused())
    report.skipped.push_back({named(name, refused), refused.reason});

  std::vector<BenchResult> results;
  std::vector<TimedWork> work, products;
  for (const Candidate& candidate : list.entries()) {
    // A library may refuse a product only when it is called; the other candidates are still
    // measured.
    try {
      results.push_back(checked(candidate, name, spread_runs));
    } catch (const std::exception& problem) {
      report.skipped.push_back({named(name, candidate), problem.what()});
      continue;
    }
    work.push_back({candidate.launch, candidate.fence, candidate.time_itself});
    if (results.back().solve) products.push_back({candidate.product, candidate.fence, {}});
  }

  work.insert(work.end(), products.begin(), products.end());
  const auto statistics = time_interleaved(work, timing);
  std::size_t product = results.size();
  for (std::size_t i = 0; i < results.size(); ++i) {
    BenchResult& result = results[i];
    result.seconds_median = statistics[i].median;
    result.seconds_p25 = statistics[i].p25;
    result.seconds_p75 = statistics[i].p75;
    result.seconds_best = statistics[i].best;
    if (result.solve) result.solve->product_seconds = statistics[product++].median;
    report.results.push_back(std::move(result));
  }
}

}  // namespace Tomokkos::Bench
