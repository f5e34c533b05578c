// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tomokkos_BenchTiming.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <random>

namespace Tomokkos::Bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Returns the mean seconds of \p executions executions, measured from an idle device to an idle
/// device.
double sample(const TimedWork& work, long executions) {
  if (work.time_itself) return work.time_itself();
  work.fence();
  const auto begin = Clock::now();
  for (long i = 0; i < executions; ++i) work.launch();
  work.fence();
  return std::chrono::duration<double>(Clock::now() - begin).count() /
         static_cast<double>(executions);
}

/// Chooses the number of executions per sample from the fastest of a few single executions, which
/// also warm up.
long executions_per_sample(const TimedWork& work, const TimingOptions& options) {
  constexpr int fewest = 2;
  double fastest = sample(work, 1);
  double spent = fastest;
  for (int i = 1; i < options.warmup; ++i) {
    if (i >= fewest && spent > options.seconds_per_candidate) break;
    const double seconds = sample(work, 1);
    spent += seconds;
    fastest = std::min(fastest, seconds);
  }
  constexpr double most = 10000;
  const double wanted = options.seconds_per_sample / std::max(fastest, 1e-9);
  return std::lround(std::clamp(std::ceil(wanted), 1.0, most));
}

}  // namespace

TimingStatistics timing_statistics(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto quantile = [&](double q) {
    const double position = q * static_cast<double>(samples.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const std::size_t above = std::min(below + 1, samples.size() - 1);
    if (samples[below] == samples[above]) return samples[below];  // avoids NaN if both are infinite
    return samples[below] +
           (position - static_cast<double>(below)) * (samples[above] - samples[below]);
  };
  return {quantile(0.5), quantile(0.25), quantile(0.75), samples.front()};
}

std::vector<std::vector<std::size_t>> interleaved_orders(std::size_t count,
                                                         const TimingOptions& options) {
  std::mt19937_64 random(options.seed);
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::vector<std::vector<std::size_t>> orders;
  for (int round = 0; round < options.repetitions; ++round) {
    // Fisher-Yates written out here: std::shuffle differs between standard libraries.
    for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
    orders.push_back(order);
  }
  return orders;
}

std::vector<TimingStatistics> time_interleaved(const std::vector<TimedWork>& work,
                                               const TimingOptions& options) {
  std::vector<long> executions;
  for (const TimedWork& candidate : work)
    executions.push_back(executions_per_sample(candidate, options));

  // Short work finds the caches full of the data of its predecessor. The steady state is what
  // counts, so short work runs once untimed before each sample. Long work moves more data than a
  // cache holds anyway.
  constexpr double short_work = 0.02;
  constexpr std::size_t enough = 5;
  std::vector<std::vector<double>> samples(work.size());
  std::vector<double> spent(work.size(), 0.0);
  for (const auto& order : interleaved_orders(work.size(), options)) {
    for (const std::size_t c : order) {
      if (samples[c].size() >= enough && spent[c] > options.seconds_per_candidate) continue;
      const bool is_short = samples[c].empty() || samples[c].back() < short_work;
      if (is_short && !work[c].time_itself) work[c].launch();
      samples[c].push_back(sample(work[c], executions[c]));
      spent[c] += samples[c].back() * static_cast<double>(executions[c]);
    }
  }

  std::vector<TimingStatistics> statistics;
  for (auto& of_candidate : samples)
    statistics.push_back(timing_statistics(std::move(of_candidate)));
  return statistics;
}

}  // namespace Tomokkos::Bench
