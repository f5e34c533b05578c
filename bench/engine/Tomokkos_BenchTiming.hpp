// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace Tomokkos::Bench {

/// \brief How often, and in which order.
struct TimingOptions {
  int warmup = 5;        ///< executions of each candidate that are not counted
  int repetitions = 20;  ///< samples of each candidate
  std::uint64_t seed = 1;
  /// A sample holds as many executions as fill this time, so that the cost of launching, of waiting
  /// and of reading the clock does not count.
  double seconds_per_sample = 2e-3;
  /// A candidate that has used this much time is not sampled again once it has five samples, nor
  /// warmed up again once it ran twice: one that is hopelessly slow must not cost hours.
  double seconds_per_candidate = 10;
};

/// \brief Something that is timed. `launch` may return before the work is done; `fence` waits.
struct TimedWork {
  std::function<void()> launch;
  std::function<void()> fence;
  /// Runs it and returns the seconds of one execution: for work that brings a preparation of its
  /// own, which must not count. Wins over `launch` where it is set.
  std::function<double()> time_itself;
};

/// \brief Median, quartiles and the least of the seconds of one execution.
struct TimingStatistics {
  double median = 0;
  double p25 = 0;
  double p75 = 0;
  double best = 0;
};

/// \brief Quantiles of \p samples by linear interpolation between order statistics.
/// \pre not empty
TimingStatistics timing_statistics(std::vector<double> samples);

/// \brief Times all of \p work against each other: in every round each is sampled once, in an order
/// shuffled anew from the seed, so that drifts of the machine (clock rate, temperature, neighbours)
/// meet all alike.
std::vector<TimingStatistics> time_interleaved(const std::vector<TimedWork>& work,
                                               const TimingOptions& options);

/// \brief The orders of the rounds: `repetitions` permutations of 0 ... count - 1.
std::vector<std::vector<std::size_t>> interleaved_orders(std::size_t count,
                                                         const TimingOptions& options);

}  // namespace Tomokkos::Bench
