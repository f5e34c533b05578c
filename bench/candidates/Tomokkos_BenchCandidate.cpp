// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchCandidate.hpp"

namespace Tomokkos::Bench {

void measure(const CandidateList& list, const CandidateName& name, const TimingOptions& timing,
             BenchReport& report, int spread_runs) {
  const auto named = [&](const auto& entry) {
    CandidateName full = name;
    full.library = entry.library;
    full.format = entry.format;
    full.variant = entry.variant;
    return full;
  };
  for (const RefusedCandidate& refused : list.refused())
    report.skipped.push_back({named(refused), refused.reason});

  std::vector<const Candidate*> usable;
  std::vector<double> errors;
  std::vector<std::optional<SolveFigures>> figures;
  std::vector<std::optional<TranspositionFigures>> transpositions;
  std::vector<std::optional<SpreadFigures>> spreads;
  std::vector<std::optional<double>> distances;
  std::vector<TimedWork> work;
  for (const Candidate& candidate : list.candidates()) {
    // A library may refuse only when it is called; the others are measured all the same.
    try {
      candidate.poison();
      candidate.launch();
      candidate.fence();
      const double error = candidate.error();
      std::optional<SolveFigures> solve;
      if (candidate.solve) solve = candidate.solve();
      std::optional<TranspositionFigures> transposition;
      // Where it is wrong its offsets may be anything.
      if (candidate.is_sorted)
        transposition =
            TranspositionFigures{candidate.workspace_bytes, error == 0 && candidate.is_sorted()};
      std::optional<SpreadFigures> spread;
      if (spread_runs > 0 && candidate.spread) spread = candidate.spread(spread_runs);
      std::optional<double> distance;
      if (candidate.rmse_to_plain) distance = candidate.rmse_to_plain();
      // Nothing throws from here on: one entry in each list, or in none.
      errors.push_back(error);
      spreads.push_back(spread);
      distances.push_back(distance);
      figures.push_back(std::move(solve));
      transpositions.push_back(transposition);
    } catch (const std::exception& problem) {
      report.skipped.push_back({named(candidate), problem.what()});
      continue;
    }
    usable.push_back(&candidate);
    work.push_back({candidate.launch, candidate.fence, candidate.time_itself});
  }

  std::vector<std::size_t> place_of_product(usable.size());
  for (std::size_t i = 0; i < usable.size(); ++i) {
    if (!figures[i]) continue;
    place_of_product[i] = work.size();
    work.push_back({usable[i]->product, usable[i]->fence, {}});
  }
  const auto statistics = time_interleaved(work, timing);
  for (std::size_t i = 0; i < usable.size(); ++i) {
    const Candidate& candidate = *usable[i];
    BenchResult result;
    result.name = named(candidate);
    result.seconds_median = statistics[i].median;
    result.seconds_p25 = statistics[i].p25;
    result.seconds_p75 = statistics[i].p75;
    result.seconds_best = statistics[i].best;
    result.bytes_model = candidate.bytes_model;
    result.footprint_bytes = candidate.footprint_bytes;
    result.memory_bytes = candidate.memory_bytes;
    result.setup_seconds = candidate.setup_seconds;
    result.fill = candidate.fill;
    result.choice = candidate.choice;
    result.operations = candidate.operations;
    result.solve = figures[i];
    if (result.solve) result.solve->product_seconds = statistics[place_of_product[i]].median;
    result.transposition = transpositions[i];
    result.spread = spreads[i];
    result.rmse_to_plain = distances[i];
    result.error = errors[i];
    report.results.push_back(std::move(result));
  }
}

}  // namespace Tomokkos::Bench
