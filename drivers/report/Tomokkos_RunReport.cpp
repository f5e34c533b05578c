// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_StopRules.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

namespace Tomokkos {

namespace {

/// Larger of two residuals; NaN (never printed as `-nan`) if one of them is NaN.
double larger(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
}

/// Number of slices that ended for each reason.
std::map<StopReason, int> count_reasons(const std::vector<SolveResult>& results) {
  std::map<StopReason, int> counts;
  for (const auto& result : results) ++counts[result.reason];
  return counts;
}

/// Iterations of the longest solve.
int most_iterations(const std::vector<SolveResult>& results) {
  int most = 0;
  for (const auto& result : results) most = std::max(most, result.last_iteration());
  return most;
}

double epsilon_of(bool in_float) {
  return in_float ? static_cast<double>(std::numeric_limits<float>::epsilon())
                  : std::numeric_limits<double>::epsilon();
}

/// True if a residual is no larger than the rounding of a product.
bool is_rounding(double residual, const SolveResult& result, bool in_float) {
  return residual <= 64 * epsilon_of(in_float) * result.rhs_norm;
}

/// True if the precision, not the recursion, keeps the true residual from falling.
bool is_at_rounding(const SolveResult& result, bool in_float) {
  if (is_rounding(result.residual, result, in_float)) return true;
  if (result.history.empty() || !result.history.front().residual) return false;
  const double first = *result.history.front().residual;
  return first <= std::sqrt(epsilon_of(in_float)) * result.rhs_norm &&
         result.residual >= 0.1 * first;
}

/// Why a result is not a solution; empty: it is one.
std::string failure_of(const SolveResult& result) {
  switch (result.reason) {
    case StopReason::non_finite:
    case StopReason::indefinite:
    case StopReason::indefinite_preconditioner:
    case StopReason::breakdown:
    case StopReason::diverged:
    case StopReason::zero_diagonal:
      return std::string(to_string(result.reason)) + explain_reason(result.reason);
    default:
      break;
  }
  if (result.history.empty() || !result.history.front().residual) return {};
  // A zero image may be better than the start.
  const double first = std::max(*result.history.front().residual, result.rhs_norm);
  if (!(result.residual > 1.001 * first)) return {};
  return Impl::formatted("the relative residual is %.4g, larger than at the start",
                         result.relative_residual);
}

}  // namespace

void PhaseClock::begin(const std::string& name) {
  end();
  current_ = name;
  phase_start_ = Clock::now();
}

void PhaseClock::end() {
  if (current_.empty()) return;
  const double seconds = std::chrono::duration<double>(Clock::now() - phase_start_).count();
  const auto known = std::find_if(phases_.begin(), phases_.end(),
                                  [&](const auto& phase) { return phase.first == current_; });
  if (known != phases_.end())
    known->second += seconds;
  else
    phases_.emplace_back(current_, seconds);
  current_.clear();
}

double PhaseClock::seconds(const std::string& name) const {
  for (const auto& [phase, seconds] : phases_)
    if (phase == name) return seconds;
  return 0.0;
}

Description PhaseClock::description() const {
  PhaseClock now = *this;
  now.end();
  Description described = Description::map();
  for (const auto& [phase, seconds] : now.phases_) described.set(phase, seconds);
  described.set("total", std::chrono::duration<double>(Clock::now() - start_).count());
  return described;
}

Description matrix_description(const RowStatistics& statistics,
                               std::optional<std::size_t> memory_bytes) {
  Description described = describe_map({{"rows", statistics.rows},
                                        {"columns", statistics.columns},
                                        {"nonzeros", statistics.nonzeros}});
  if (statistics.is_estimate) described.set("estimated", true);
  described.set("row_length", describe_map({{"min", statistics.shortest},
                                            {"mean", statistics.mean},
                                            {"max", statistics.longest},
                                            {"sigma", statistics.sigma}},
                                           true));
  described.set("empty_rows", statistics.empty_rows);
  return described.set_if("memory_bytes", memory_bytes);
}

Description memory_description(const MemoryPeaks& peaks) {
  return describe_map(
      {{"host_bytes", peaks.host}, {"device_bytes", peaks.device}, {"solver_bytes", peaks.solver}});
}

std::int64_t rounded_bytes(double bytes) {
  if (!(bytes > 0) || !std::isfinite(bytes)) return 0;
  const double unit = std::max(1.0, std::pow(10.0, std::floor(std::log10(bytes)) - 2));
  return static_cast<std::int64_t>(std::round(bytes / unit) * unit);
}

Description plan_description(const PlannedWay& way) {
  Description described = describe_map({{"way", name_of(way)}, {"why", way.because}}, true);
  if (!way.peak_bytes) return described;
  described.set("peak_bytes", rounded_bytes(way.peak_bytes->device));
  if (way.peak_bytes->host > 0)
    described.set("peak_host_bytes", rounded_bytes(way.peak_bytes->host));
  return described;
}

Description bandwidth_description(double bytes, double seconds) {
  return bytes > 0 && seconds > 0 ? Description(1e-9 * bytes / seconds) : Description();
}

Description traffic_description(const TrafficBytes& bytes, bool uses_transpose, int iterations,
                                double seconds) {
  const double moved = static_cast<double>(bytes.iteration) * iterations;
  return describe_map(
      {{"forward_bytes", bytes.forward},
       {"transpose_bytes", uses_transpose ? Description(bytes.transpose) : Description()},
       {"iteration_bytes", bytes.iteration},
       {"gigabytes_per_second", bandwidth_description(moved, seconds)}});
}

Description subsets_description(const RowSubsets& subsets, const OrderingOptions& ordering) {
  Ordinal smallest = std::numeric_limits<Ordinal>::max(), largest = 0;
  for (int i = 0; i < subsets.count(); ++i) {
    smallest = std::min(smallest, subsets[i].end - subsets[i].begin);
    largest = std::max(largest, subsets[i].end - subsets[i].begin);
  }
  const Description order = ordering.rows == Ordering::subsets
                                ? Description(subset_class_order(subsets.count()))
                                : Description(ordering.rows);
  return describe_map(
      {{"count", subsets.count()}, {"smallest", smallest}, {"largest", largest}, {"order", order}},
      true);
}

template <class Scalar>
Description regions_description(const std::vector<PhantomRegion>& regions,
                                std::span<const double> phantom, std::span<const Scalar> image) {
  Description described = Description::list(false);
  for (const PhantomRegion& region : regions) {
    const RegionValues hot = values_in(image, region.hot), cold = values_in(image, region.cold);
    const double difference =
        values_in(phantom, region.hot).mean - values_in(phantom, region.cold).mean;
    Description entry = describe_map({{"name", region.name},
                                      {"hot_pixels", region.hot.size()},
                                      {"hot_mean", hot.mean},
                                      {"hot_sigma", hot.sigma},
                                      {"cold_pixels", region.cold.size()},
                                      {"cold_mean", cold.mean},
                                      {"cold_sigma", cold.sigma}},
                                     true);
    // A region that is too small for this image may have no hot or no cold pixels.
    if (!region.hot.empty() && !region.cold.empty())
      entry.set("contrast", (hot.mean - cold.mean) / difference);
    described.add(std::move(entry));
  }
  return described;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                          \
  template Description regions_description(const std::vector<PhantomRegion>&, \
                                           std::span<const double>, std::span<const Scalar>);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

Description result_description(const SolveResult& result, const std::map<int, double>& rmse) {
  Description described =
      describe_map({{"reason", result.reason}, {"iterations", result.iterations}});
  if (result.last_iteration() != result.iterations)
    described.set("last_iteration", result.last_iteration());
  described.set("residual", result.residual);
  described.set("relative_residual", result.relative_residual);
  described.set("rhs_norm", result.rhs_norm);
  described.set_if("recursive_residual", result.recursive_residual);
  described.set_if("row", result.row);
  if (result.describe_solver_figures != nullptr)
    described.set_all(result.describe_solver_figures(result));
  if (const auto last = rmse.find(result.iterations); last != rmse.end())
    described.set("rmse", last->second);
  return described.set_if("non_finite_iteration", result.non_finite_iteration)
      .set_if("non_finite_source", result.non_finite_source);
}

void set_history(Description& described, const SolveResult& result,
                 const std::map<int, double>& rmse) {
  Description history = Description::list(false);
  for (const IterationRecord& record : result.history) {
    Description entry = describe_map({{"iteration", record.iteration}}, true);
    for (const RecordFigure& figure : record_figures)
      if (figure.key != nullptr) entry.set_if(figure.key, record.*figure.member);
    if (const auto known = rmse.find(record.iteration); known != rmse.end())
      entry.set("rmse", known->second);
    history.add(std::move(entry));
  }
  if (const int step = KeptRecords::step(result.last_iteration()); step > 1)
    described.set("history_every", step);
  described.set("history", std::move(history));
}

Description stack_description(const std::vector<SolveResult>& results) {
  Description reasons = Description::map(true);
  for (const auto& [reason, count] : count_reasons(results))
    reasons.set(std::string(to_string(reason)), count);
  int iterations = 0;
  double smallest = std::nan("");
  for (const auto& result : results) {
    iterations = std::max(iterations, result.iterations);
    smallest = std::fmin(smallest, result.relative_residual);
  }
  return describe_map({{"slices", results.size()},
                       {"reasons", reasons},
                       {"iterations", iterations},
                       {"smallest_relative_residual", smallest},
                       {"largest_relative_residual", largest_relative_residual(results)}});
}

double largest_relative_residual(const std::vector<SolveResult>& results) {
  double largest = 0;
  for (const auto& result : results) largest = larger(largest, result.relative_residual);
  return largest;
}

Description stack_history_description(const std::vector<SolveResult>& results) {
  Description described = Description::list(false);
  for (std::size_t j = 0; j < results.size(); ++j) {
    Description entry = describe_map({{"slice", j}}, true);
    Description iterations = Description::list(), residuals = Description::list();
    for (const auto& record : results[j].history) {
      iterations.add(record.iteration);
      residuals.add(record.relative_residual);
    }
    if (KeptRecords::step(results[j].last_iteration()) > 1)
      entry.set("iteration", std::move(iterations));
    entry.set("relative_residual", std::move(residuals));
    described.add(std::move(entry));
  }
  return described;
}

std::string describe_reasons(const std::vector<SolveResult>& results, const std::string& plural) {
  if (results.size() == 1) return std::string(to_string(results.front().reason));
  std::string text = std::to_string(results.size()) + " " + plural;
  const char* separator = ": ";
  for (const auto& [reason, count] : count_reasons(results)) {
    text += separator + std::string(to_string(reason)) + " " + std::to_string(count);
    separator = ", ";
  }
  return text;
}

bool is_solved(const SolveResult& result) {
  return result.reason == StopReason::converged || result.reason == StopReason::discrepancy ||
         result.reason == StopReason::relative_change || result.reason == StopReason::zero_rhs;
}

std::string describe_results(const std::vector<SolveResult>& results) {
  const std::string text = describe_reasons(results, "right-hand sides");
  const double residual = largest_relative_residual(results);
  if (results.size() == 1)
    if (const SolveResult& result = results.front(); result.last_iteration() != result.iterations)
      return text + Impl::formatted(" at iteration %d; x is iterate %d, residual %.4g",
                                    result.last_iteration(), result.iterations, residual);
  return text +
         Impl::formatted(" after %d iterations, residual %.4g", most_iterations(results), residual);
}

Description summary_description(const std::vector<SolveResult>& results) {
  return describe_map({{"right_hand_sides", results.size()},
                       {"solved", std::count_if(results.begin(), results.end(), is_solved)},
                       {"iterations", most_iterations(results)},
                       {"largest_relative_residual", largest_relative_residual(results)}});
}

Description results_description(const std::vector<SolveResult>& results) {
  Description described = Description::list(false);
  for (const auto& result : results) {
    Description entry = result_description(result, {});
    set_history(entry, result, {});
    described.add(std::move(entry));
  }
  return described;
}

std::string explain_reason(StopReason reason) {
  if (reason == StopReason::indefinite)
    return " (the matrix is singular with the right-hand side outside its range, or indefinite)";
  if (reason == StopReason::diverged)
    return " (the residual has grown beyond solver.stop.divergence: the solver does not suit the "
           "matrix)";
  return {};
}

std::string describe_drift(const std::vector<SolveResult>& results, const std::string& solver,
                           bool in_float) {
  for (const SolveResult& result : results) {
    const bool passes = result.reason == StopReason::converged ||
                        result.reason == StopReason::discrepancy ||
                        result.reason == StopReason::zero_rhs;
    if (passes || !result.recursive_residual || !std::isfinite(result.residual)) continue;
    const double drift = std::abs(result.residual - *result.recursive_residual);
    if (!(drift > 0.05 * result.residual) || is_at_rounding(result, in_float)) continue;
    // A solve that has failed returns an earlier iterate than the one of the recursion.
    if (result.iterations != result.last_iteration() &&
        *result.recursive_residual > result.residual)
      continue;
    return Impl::formatted(
        "warning: the recursive residual of %s, %.4g, has drifted from the true residual, %.4g; "
        "use %ssolver.restart_every",
        solver.c_str(), *result.recursive_residual, result.residual,
        in_float ? "run.scalar: double or " : "");
  }
  return {};
}

std::string describe_solved_start(const std::vector<SolveResult>& results, bool in_float) {
  double largest = 0;
  for (const SolveResult& result : results) {
    if (result.rhs_norm == 0 || result.history.empty()) return {};
    const auto& first = result.history.front();
    if (first.iteration != 0 || !first.residual || !is_rounding(*first.residual, result, in_float))
      return {};
    largest = std::max(largest, *first.residual / result.rhs_norm);
  }
  return Impl::formatted(
      "warning: solver.start is a solution already, up to rounding (residual %.4g)", largest);
}

std::string list_some(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t most_listed = 10;
  std::string text;
  for (std::size_t i = 0; i < std::min(numbers.size(), most_listed); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() > most_listed ? ", ..." : "");
}

std::string name_slices(const std::vector<std::size_t>& slices) {
  return (slices.size() > 1 ? "slices " : "slice ") + list_some(slices);
}

std::string describe_doubt(const std::vector<SolveResult>& results, bool stack) {
  std::vector<std::size_t> slices;
  double largest = 0;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (!is_doubtful(results[j])) continue;
    largest = std::max(largest, results[j].relative_residual);
    slices.push_back(j);
  }
  if (slices.empty()) return {};
  return Impl::formatted(
      "solver.stop.ncp%s: the residual looks like noise, but it is %.4g of the data. "
      "Noise is rarely so large: if the image is blurred, set "
      "solver.stop.minimum_iterations",
      (stack ? " (" + name_slices(slices) + ")" : "").c_str(), largest);
}

int exit_status_of(const std::vector<SolveResult>& results, bool stack, bool logs) {
  int status = exit_done;
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (results[j].reason == StopReason::interrupted) return exit_interrupted;
    const std::string failure = failure_of(results[j]);
    if (failure.empty()) continue;
    status = exit_failed;
    if (logs)
      std::fprintf(stderr, "tomokkos: error: %snot solved: %s\n",
                   (stack ? "slice " + std::to_string(j) + ": " : "").c_str(), failure.c_str());
  }
  return status;
}

std::string describe_iteration(const std::vector<IterationRecord>& records,
                               const std::vector<std::map<int, double>>& rmse) {
  double residual = -1, error = -1;
  for (std::size_t j = 0; j < records.size(); ++j) {
    residual = larger(residual, records[j].relative_residual.value_or(-1));
    if (rmse.empty()) continue;
    if (const auto known = rmse[j].find(records[j].iteration); known != rmse[j].end())
      error = larger(error, known->second);
  }
  std::string detail;
  if (!(residual < 0)) detail += Impl::formatted(", residual %.4g", residual);
  if (!(error < 0)) detail += Impl::formatted(", rmse %.4g", error);
  return detail;
}

std::string describe_active(const std::vector<bool>& active, const std::string& plural) {
  return ", " + std::to_string(std::count(active.begin(), active.end(), true)) + " of " +
         std::to_string(active.size()) + " " + plural;
}

}  // namespace Tomokkos
