// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace Tomokkos::Bench {

/// \brief Numbers and order of the timed executions.
struct TimingOptions {
  int warmup = 5;        ///< executions of each candidate before the first sample
  int repetitions = 20;  ///< samples of each candidate
  std::uint64_t seed = 1;
  /// Duration of a sample in seconds. A sample repeats the work until this time is filled, so that
  /// the cost of launching, waiting and reading the clock is negligible.
  double seconds_per_sample = 2e-3;
  /// Limit in seconds per candidate. Once exceeded, a candidate is not warmed up further after two
  /// executions and not sampled further after five samples, so that a very slow candidate does not
  /// take hours.
  double seconds_per_candidate = 10;
};

/// \brief Work that is timed. `launch` may return before the work is done; `fence` waits for it.
struct TimedWork {
  std::function<void()> launch;
  std::function<void()> fence;
  /// Runs the work and returns the seconds of one execution. For work with a preparation that must
  /// not be timed. Used instead of `launch` if set.
  std::function<double()> time_itself;
};

/// \brief Median, quartiles and minimum of the seconds of one execution.
struct TimingStatistics {
  double median = 0;
  double p25 = 0;
  double p75 = 0;
  double best = 0;
};

/// \brief Computes the quantiles of \p samples by linear interpolation between order statistics.
///
/// \pre \p samples is not empty
TimingStatistics timing_statistics(std::vector<double> samples);

/// \brief Times all of \p work in interleaved order.
///
/// In every round each work is sampled once. The order is shuffled in every round, starting from
/// the seed, so that drifts of the machine (clock rate, temperature, other processes) affect all of
/// them alike.
std::vector<TimingStatistics> time_interleaved(const std::vector<TimedWork>& work,
                                               const TimingOptions& options);

/// \brief Returns the order of each round: `repetitions` permutations of 0 ... count - 1.
std::vector<std::vector<std::size_t>> interleaved_orders(std::size_t count,
                                                         const TimingOptions& options);

}  // namespace Tomokkos::Bench
