// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_WhiteNoise.hpp>
#include <algorithm>

namespace Tomokkos {

bool WhiteNoise::stops_after(const std::vector<IterationRecord>& history, int) const {
  const IterationRecord& last = history.back();
  if (!last.ncp) return false;
  const auto is_measured = [](const IterationRecord& record) {
    return record.ncp && record.iteration > 0;
  };
  const double first = *std::find_if(history.begin(), history.end() - 1, is_measured)->ncp;
  double distance = *last.ncp;
  int risen = 0;
  for (auto record = history.rbegin() + 1; record != history.rend(); ++record) {
    if (!is_measured(*record)) continue;
    if (!(distance > *record->ncp)) break;
    distance = *record->ncp;
    if (++risen == rises) return true;
  }
  return risen > 0 && *last.ncp <= share * first;
}

void WhiteNoise::validate(const char*) const {
  require(view_length >= 0, "stop rule ncp: view_length is negative");
  for (std::size_t i = 0; i < natural.size(); ++i)
    require(natural[i] >= 0 && natural[i] < natural_size,
            "stop rule ncp: row " + std::to_string(i) + " has the natural number " +
                std::to_string(natural[i]) + "; it must be at least 0 and less than " +
                std::to_string(natural_size));
}

std::pair<std::string, std::string> WhiteNoise::refusal(const StopProblem& problem) const {
  if (signals == NcpSignals::whole || problem.has_views) return {};
  return {key,
          "views needs a matrix whose rows are views and detectors; use whole, which treats all "
          "rays as one signal"};
}

void WhiteNoise::complete(const StopData& data) {
  view_length = signals == NcpSignals::views ? data.view_length : 0;
  natural = data.natural;
  natural_size = data.natural_size;
}

}  // namespace Tomokkos
