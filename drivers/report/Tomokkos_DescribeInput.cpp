// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DataEnds.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ExitStatus.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_RunReport.hpp>
#include <Tomokkos_ScanCoverage.hpp>
#include <algorithm>
#include <cmath>

namespace Tomokkos {

namespace {

std::string describe_center(const RotationCenter& found) {
  std::string text = Impl::formatted(" (found from %zu views", found.views);
  if (const auto apart = found.disagreement())
    text += Impl::formatted(", two methods agree within %.2g", *apart);
  else if (found.pairs > 0)
    text += ", from opposite views only";
  else
    text += ", from the centre of mass only";
  if (found.discarded_views > 0)
    text += Impl::formatted("; %zu views without signal left out", found.discarded_views);
  return text + ")";
}

struct Range {
  double low = 0, high = 0;
};

/// Returns the smallest and the largest value, ignoring NaN.
Range range_of(std::span<const double> data) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const double value : data) {
    if (value < range.low) range.low = value;
    if (value > range.high) range.high = value;
  }
  return range.low <= range.high ? range : Range{};
}

/// Numbers of frames in the data and their fields: ` (181 views, 10 flat and 5 dark frames)`.
std::string frames_text(const Description& notes) {
  const Description* const frames = notes.find("frames");
  if (frames == nullptr) return "";
  std::string text;
  for (std::size_t i = 0; i < frames->items().size(); ++i) {
    const auto* const count = std::get_if<std::int64_t>(&frames->items()[i].value());
    if (count == nullptr) continue;
    std::string name = frames->names()[i];
    std::replace(name.begin(), name.end(), '_', ' ');
    if (*count == 1 && name.ends_with('s')) name.pop_back();
    text += (text.empty() ? "" : ", ") + std::to_string(*count) + " " + name;
  }
  return text.empty() ? "" : " (" + text + ")";
}

}  // namespace

std::vector<std::string> describe_scan(const RunInput& input) {
  std::string text = describe(input.rows);
  if (input.found_center) text += describe_center(*input.found_center);
  if (input.stack)
    text += Impl::formatted(", %d slices", input.all_slices > 0 ? input.all_slices : input.slices);
  std::vector<std::string> lines{text};
  if (const Description* files = input.notes.find("files"))
    lines.push_back("files: " + std::get<std::string>(files->value()));
  for (std::string& line : describe_suspicions(input)) lines.push_back(std::move(line));
  return lines;
}

std::vector<std::string> describe_data(const ProblemSection& problem, const RunInput& input) {
  const auto [low, high] = range_of(input.data);
  std::string text = "data: ";
  if (problem.sinogram) {
    text += problem.sinogram->file.filename().string();
    text += input.has_dark_fields   ? ", flat and dark fields applied"
            : input.has_flat_fields ? ", flat fields applied"
                                    : ", no flat fields";
    text += frames_text(input.notes) + Impl::formatted(", line integrals %.2f to %.2f", low, high);
  } else {
    if (!problem.phantom)
      text += problem.rhs.filename().string();
    else if (problem.data == DataSource::analytic)
      text += "exact projections of the phantom";
    else
      text += "projections of the phantom by the matrix";
    if (problem.phantom && problem.noise.kind != NoiseKind::none)
      text += ", " + std::string(to_string(problem.noise.kind)) + " noise";
    text += Impl::formatted(", %.4g to %.4g", low, high);
  }
  if (input.clamped > 0)
    text += Impl::formatted("; %zu values without signal clamped", input.clamped);
  if (input.missing_rays > 0)
    text += Impl::formatted("; %zu of %zu rays hold no measurement and are left out",
                            input.missing_rays, input.masks.rows.size());
  if (input.missing_values > 0)
    text +=
        Impl::formatted("; %zu of %zu values hold no measurement and are left out of their slices",
                        input.missing_values, input.data.size());
  std::vector<std::string> lines{text};
  if (const auto& added = input.added_counts)
    lines.push_back(
        Impl::formatted("counts: %.12g of pairs (i, j) with i < j, and %.12g of (j, i), which "
                        "were added to them",
                        added->above, added->below));
  if (input.unseen_counts != 0)
    lines.push_back(Impl::formatted(
        "counts: %.12g of pairs that the matrix does not hold are left out", input.unseen_counts));
  if (const auto line = describe_truncation(input)) lines.push_back(*line);
  return lines;
}

std::optional<std::string> describe_truncation(const RunInput& input) {
  const auto* const rows = scan_of(input.rows);
  if (rows == nullptr || input.data.empty()) return std::nullopt;
  std::vector<double> data = input.data;
  if (!input.background.empty())
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] -= input.background[i % input.background.size()];
  const DataEnds ends = data_ends(data, input.views, input.detectors, input.masks.rows);
  // In a whole turn opposite views measure what the shorter side of the detector does not see.
  const MeasuredLines lines = measured_lines(rows->scan);
  const DetectorSide covered = lines.is_whole_turn ? lines.short_side : DetectorSide::none;
  const bool low = ends.low.is_truncated() && covered != DetectorSide::low;
  const bool high = ends.high.is_truncated() && covered != DetectorSide::high;
  if (!low && !high) return std::nullopt;
  const double level = std::max(low ? ends.low.level : 0.0, high ? ends.high.level : 0.0);
  return Impl::formatted(
      "truncated data: up to %.0f %% of the peak at the %s of the detector; the object "
      "reaches beyond it, so values are less certain towards the border",
      100 * level, low && high ? "ends" : (low ? "first element" : "last element"));
}

void note_unseen_counts(std::span<const double> row_sums, RunInput& input) {
  input.unseen_counts = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i)
    if (row_sums[i % row_sums.size()] == 0) input.unseen_counts += input.data[i];
  if (input.unseen_counts != 0) input.notes.set("counts_left_out", input.unseen_counts);
}

void note_data(RunInput& input) {
  const auto [low, high] = range_of(input.data);
  input.notes.set("values", describe_map({{"smallest", low}, {"largest", high}}, true));
}

void require_seen_image(const RunInput& input, Offset nonzeros) {
  if (nonzeros > 0 || traits_of(input.rows).is_read) return;
  std::string message = "problem.geometry: no ray meets the image";
  if (const auto* rays = scan_of(input.rows); rays && !rays->scan.has_vectors()) {
    const ScanGeometry& scan = rays->scan;
    message += Impl::formatted(
        ": the detector extends from %.6g to %.6g relative to the axis of rotation, but the image "
        "lies within %.6g of the axis",
        scan.position(0) - 0.5 * scan.detector_width,
        scan.position(scan.detectors - 1) + 0.5 * scan.detector_width,
        rays->volume.radius() + std::hypot(rays->volume.center_x, rays->volume.center_y));
  }
  throw InputError(
      message +
      "; check rotation_center, detector_offset, detector_width, problem.volume.pixel and "
      "volume.center");
}

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
  const std::size_t count = found.slices.size();
  const std::string slices = list_some(found.slices);
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
