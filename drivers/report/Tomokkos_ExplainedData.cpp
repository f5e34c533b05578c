// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_ExplainedData.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

namespace {

constexpr double most_unexplained = 0.5;
constexpr int least_iterations = 5;
constexpr double most_beside = 0.2;  // share of the norm of the data

/// For each ray of a scan, true if it misses an image that may be a region of interest: it lies in
/// the field, or the object reaches beyond the field. Empty: it is none.
std::vector<bool> rays_beside(const RunInput& input) {
  const auto* const rows = scan_of(input.rows);
  if (rows == nullptr) return {};
  const ScanCoverage coverage = scan_coverage(rows->volume, rows->scan);
  if (!coverage.is_inside && !describe_truncation(input)) return {};
  std::vector<bool> beside;
  for (const Overhang& shadow : coverage.views)
    for (Ordinal i = 0; i < rows->scan.detectors; ++i)
      beside.push_back(i + 0.5 < shadow.first || i - 0.5 > shadow.last);
  return beside;
}

/// Sums over the measured values of a slice.
struct DataSums {
  double values = 0, squares = 0;
  double beside = 0;  // squares of rays that miss the image
  bool is_whole = true;
};

DataSums sums_of(std::span<const double> data, const std::vector<bool>& beside) {
  DataSums sums;
  for (std::size_t i = 0; i < data.size(); ++i) {
    const double value = data[i];
    if (std::isnan(value)) continue;
    sums.values += value;
    sums.squares += value * value;
    if (!beside.empty() && beside[i]) sums.beside += value * value;
    sums.is_whole = sums.is_whole && value >= 0 && value == std::trunc(value);
  }
  return sums;
}

/// True if a filtered back projection need not agree with the data.
bool is_approximate(const RunInput& input) {
  return describe_truncation(input) || has_suspicion(input, SuspicionKind::views) ||
         has_suspicion(input, SuspicionKind::data);
}

}  // namespace

void find_unexplained(const SolverNeeds& needs, const RunInput& input,
                      std::span<const double> noise_levels, std::span<const SolveResult> results,
                      UnexplainedData& found) {
  found.stack = input.stack;
  found.are_measured = input.facts.are_measured;
  const bool is_fbp = needs.filters;
  const auto is_candidate = [&](const SolveResult& result) {
    return std::isfinite(result.relative_residual) && result.relative_residual > most_unexplained &&
           (is_fbp || result.iterations >= least_iterations) &&
           exit_status_of({result}, false, false) == exit_done;
  };
  // A system without an image is no scan.
  if (input.volume.rows == 0 || std::none_of(results.begin(), results.end(), is_candidate) ||
      (is_fbp && is_approximate(input)))
    return;
  const std::vector<bool> beside = rays_beside(input);
  const std::size_t rays = input.data.size() / static_cast<std::size_t>(input.slices);
  for (std::size_t j = 0; j < results.size(); ++j) {
    if (!is_candidate(results[j])) continue;
    const DataSums sums = sums_of(std::span(input.data).subspan(j * rays, rays), beside);
    // The image is a region of interest.
    if (sums.beside > most_beside * most_beside * sums.squares) continue;
    const bool are_counts =
        found.are_measured && !input.has_flat_fields && (needs.likelihood || sums.is_whole);
    double noise = are_counts ? sums.values : 0;  // its expected square
    if (j < noise_levels.size()) noise = noise_levels[j] * noise_levels[j];
    const double residual = results[j].relative_residual;
    const double unexplained = residual * residual - noise / sums.squares;
    if (!(unexplained > most_unexplained * most_unexplained)) continue;
    found.slices.push_back(j + static_cast<std::size_t>(input.slab_begin));
    found.largest = std::max(found.largest, residual);
  }
}

std::string describe_unexplained(const UnexplainedData& found) {
  if (found.slices.empty()) return {};
  constexpr std::size_t most_listed = 10;
  const std::size_t count = found.slices.size();
  std::string slices;
  for (std::size_t i = 0; i < std::min(count, most_listed); ++i)
    slices += (i > 0 ? ", " : "") + std::to_string(found.slices[i]);
  if (count > most_listed) slices += ", ...";
  const std::string which =
      !found.stack ? "the image explains"
      : count == 1 ? "the image of slice " + slices + " explains"
                   : "the images of " + std::to_string(count) + " slices (" + slices + ") explain";
  return which + " less than half of the data " +
         Impl::formatted("(relative residual %s%.3g)", count > 1 ? "up to " : "", found.largest) +
         (!found.are_measured
              ? ": these data are simulated, so the solver needs more iterations or other settings"
              : ": check the geometry (angles, lengths, sense of rotation), then the logarithm "
                "(flat fields), the order of the axes, and the rotation centre");
}

}  // namespace Tomokkos
