// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of report.yaml, as plain data.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_PhantomRegions.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Times by phase: a phase ends where the next begins.
class PhaseClock {
 public:
  /// \brief Ends the current phase and begins \p name; a name that comes again goes on.
  void begin(const std::string& name);
  /// \brief Ends the current phase.
  void end();
  /// \brief Seconds of \p name so far.
  double seconds(const std::string& name) const;
  /// \brief All phases in their order, and `total` since construction.
  Description description() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_;
  std::string current_;
  std::vector<std::pair<std::string, double>> phases_;
};

/// \brief `{rows, columns, nonzeros, row_length: {min, mean, max, sigma}, empty_rows}`, and
/// `memory_bytes` where they are known.
Description matrix_description(const RowStatistics& statistics,
                               std::optional<std::size_t> memory_bytes = {});

/// \brief Bytes that are moved, by the models of the operator and of the solver.
struct TrafficBytes {
  std::size_t forward = 0;
  std::size_t transpose = 0;
  std::size_t iteration = 0;
};

/// \brief Most bytes that a process has taken, altogether and of them for a solver.
struct MemoryPeaks {
  std::uint64_t host = 0;
  std::uint64_t device = 0;
  std::uint64_t solver = 0;
};

/// \brief `{host_bytes, device_bytes, solver_bytes}`
Description memory_description(const MemoryPeaks& peaks);

/// \brief \p bytes, and what \p iterations in \p seconds come to.
Description traffic_description(const TrafficBytes& bytes, bool uses_transpose, int iterations,
                                double seconds);

/// \brief `{count, smallest, largest, order}`, sizes in rows; the order is the list of the classes
/// of views in which they come, or the name of the order of rows of which they are ranges.
Description subsets_description(const RowSubsets& subsets, const OrderingOptions& ordering);

/// \brief What is left of the hot and cold regions of a phantom, a line each: `{name, hot_pixels,
/// hot_mean, hot_sigma, cold_pixels, cold_mean, cold_sigma, contrast}`, contrast being the
/// difference of the means over that in the phantom.
template <class Scalar>
Description regions_description(const std::vector<PhantomRegion>& regions,
                                std::span<const double> phantom, std::span<const Scalar> image);

/// \param rmse error against the phantom by iteration; empty when there is none
Description result_description(const SolveResult& result, const std::map<int, double>& rmse);
Description history_description(const SolveResult& result, const std::map<int, double>& rmse);

/// \brief Of a stack: how its slices ended, and the ends of the range of their residuals.
Description stack_description(const std::vector<SolveResult>& results);

/// \brief The largest residual; NaN where a slice has none.
double largest_relative_residual(const std::vector<SolveResult>& results);

/// \brief Of a stack, a line per slice: `{slice, relative_residual: [...]}`.
Description stack_history_description(const std::vector<SolveResult>& results);

/// \brief `max_iterations`, or for a stack `6 slices: discrepancy 5, max_iterations 1`.
std::string describe_reasons(const std::vector<SolveResult>& results);

/// \brief The exit status of a run that ended so; says on the standard error which slice could not
/// be solved, and why.
int exit_status_of(const std::vector<SolveResult>& results, bool stack, bool tells = true);

/// \brief What a reason means, where its name alone misleads; otherwise empty.
std::string explain_reason(StopReason reason);

/// \brief A warning where the residual of the recursion of a result (CGLS) is off the true one by
/// more than a twentieth of it and x meets no rule; otherwise empty. \p in_float: what helps is
/// double.
std::string describe_drift(const std::vector<SolveResult>& results, bool in_float);

/// \brief `, residual 0.02, rmse 0.1`: those of the worst slice, as far as they are known.
///
/// \param records the last one of each slice
/// \param rmse of each slice by iteration
std::string describe_iteration(const std::vector<IterationRecord>& records,
                               const std::vector<std::map<int, double>>& rmse);

/// \brief `, 3 of 8 slices`: those that go on.
std::string describe_active(const std::vector<bool>& active);

}  // namespace Tomokkos
