// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of report.yaml, as plain data.
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_OrderingOptions.hpp>
#include <Tomokkos_PhantomRegions.hpp>
#include <Tomokkos_RowStatistics.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <Tomokkos_RunPlan.hpp>
#include <Tomokkos_Solve.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <chrono>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Measures times by phase. A phase ends when the next one begins.
class PhaseClock {
 public:
  /// \brief Ends the current phase and begins \p name. Times of phases with the same name are
  /// added.
  void begin(const std::string& name);
  /// \brief Ends the current phase.
  void end();
  /// \brief Accumulated seconds of the phase \p name.
  double seconds(const std::string& name) const;
  /// \brief Seconds of all phases in their order, the current one until now, and `total` since
  /// construction.
  Description description() const;

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
  Clock::time_point phase_start_;
  std::string current_;
  std::vector<std::pair<std::string, double>> phases_;
};

/// \brief Describes a matrix: `{rows, columns, nonzeros, row_length: {min, mean, max, sigma},
/// empty_rows}`, and `memory_bytes` if known.
Description matrix_description(const RowStatistics& statistics,
                               std::optional<std::size_t> memory_bytes = {});

/// \brief Peak memory of a process in bytes: on the host, on the device, and the part used by the
/// solver.
struct MemoryPeaks {
  std::uint64_t host = 0;
  std::uint64_t device = 0;
  std::uint64_t solver = 0;
};

/// \brief Describes peak memory: `{host_bytes, device_bytes, solver_bytes}`.
Description memory_description(const MemoryPeaks& peaks);

/// \brief Rounds estimated bytes to three decimal digits: estimates have no more.
std::int64_t rounded_bytes(double bytes);

/// \brief Describes the way that a run has taken: `{way, why, peak_bytes}`, and `peak_host_bytes`
/// if the backend has memory of its own. The bytes are left out if they were not known.
Description plan_description(const PlannedWay& way);

/// \brief Bandwidth in 1e9 bytes per second; empty if nothing was moved or measured.
Description bandwidth_description(double bytes, double seconds);

/// \brief Describes \p bytes and the bandwidth of \p iterations in \p seconds.
Description traffic_description(const TrafficBytes& bytes, bool uses_transpose, int iterations,
                                double seconds);

/// \brief Describes subsets: `{count, smallest, largest, order}`, sizes in rows. `order` lists the
/// classes of views in the order of the subsets, or names the order of the rows if subsets are
/// ranges of it.
Description subsets_description(const RowSubsets& subsets, const OrderingOptions& ordering);

/// \brief Describes the hot and cold regions of a phantom in the image, one entry each: `{name,
/// hot_pixels, hot_mean, hot_sigma, cold_pixels, cold_mean, cold_sigma, contrast}`. Contrast is the
/// difference of the means divided by that in the phantom.
template <class Scalar>
Description regions_description(const std::vector<PhantomRegion>& regions,
                                std::span<const double> phantom, std::span<const Scalar> image);

/// \param rmse error against the phantom by iteration; empty when there is none
Description result_description(const SolveResult& result, const std::map<int, double>& rmse);

/// \brief Adds `history`, a record for each iteration, and before it `history_every: n` if the
/// history of a long solve holds every n-th (`KeptRecords`).
void set_history(Description& described, const SolveResult& result,
                 const std::map<int, double>& rmse);

/// \brief Describes a stack: the stop reasons of its slices, and their smallest and largest
/// residuals.
Description stack_description(const std::vector<SolveResult>& results);

/// \brief Largest relative residual. NaN if the residual of a slice is NaN.
double largest_relative_residual(const std::vector<SolveResult>& results);

/// \brief History of a stack, one entry per slice: `{slice, relative_residual: [...]}`, with
/// `iteration: [...]` if the history does not hold every iteration.
Description stack_history_description(const std::vector<SolveResult>& results);

/// \brief Describes the stop reasons: `max_iterations`, or of several results `6 slices:
/// discrepancy 5, max_iterations 1`.
std::string describe_reasons(const std::vector<SolveResult>& results,
                             const std::string& plural = "slices");

/// \brief True if x satisfies a stopping rule for a solution.
bool is_solved(const SolveResult& result);

/// \brief Describes results: `converged after 12 iterations, residual 1e-7`, or `breakdown at
/// iteration 1356; x is iterate 0, residual 1` if x is an earlier iterate. For several right-hand
/// sides: the number for each stop reason, the most iterations and the largest residual.
std::string describe_results(const std::vector<SolveResult>& results);

/// \brief Summary of several right-hand sides: their number, how many are solved, most iterations,
/// largest residual.
Description summary_description(const std::vector<SolveResult>& results);

/// \brief Result and history of each of several right-hand sides.
Description results_description(const std::vector<SolveResult>& results);

/// \brief Exit status of a run with these results. If \p logs, prints to standard error which
/// slices were not solved and why.
int exit_status_of(const std::vector<SolveResult>& results, bool stack, bool logs = true);

/// \brief Explanation of a stop reason whose name alone is unclear; otherwise empty.
std::string explain_reason(StopReason reason);

/// \brief Warning if the recursive residual of a result (CGLS, LSMR) differs from the true one by
/// more than a twentieth and no stopping rule is met; otherwise empty. A true residual at rounding
/// level, or no smaller than that of a start which was good already, is as small as it can be: no
/// warning.
///
/// \param solver its name in the warning
/// \param in_float the warning also suggests double precision
std::string describe_drift(const std::vector<SolveResult>& results, const std::string& solver,
                           bool in_float);

/// \brief Warning if every system was solved before the first iteration, up to rounding; otherwise
/// empty. A start of a file is rarely meant so.
std::string describe_solved_start(const std::vector<SolveResult>& results, bool in_float);

/// \brief Lists at most ten numbers: `3, 4, 9`, and `, ...` if there are more.
std::string list_some(const std::vector<std::size_t>& numbers);
/// \brief Names slices for a message: `slice 3`, `slices 3, 4, 9`.
std::string name_slices(const std::vector<std::size_t>& slices);

/// \brief Warning if `stop.ncp` has stopped a slice although much of its data is not explained
/// (`is_doubtful`); otherwise empty. \p stack: the warning names the slices.
std::string describe_doubt(const std::vector<SolveResult>& results, bool stack);

/// \brief Describes an iteration: `, residual 0.02, rmse 0.1`, the known values of the worst slice.
///
/// \param records last record of each slice
/// \param rmse error of each slice by iteration; empty: not known
std::string describe_iteration(const std::vector<IterationRecord>& records,
                               const std::vector<std::map<int, double>>& rmse = {});

/// \brief Number of slices that are not finished: `, 3 of 8 slices`.
std::string describe_active(const std::vector<bool>& active, const std::string& plural = "slices");

}  // namespace Tomokkos
