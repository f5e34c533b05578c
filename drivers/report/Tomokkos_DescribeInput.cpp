// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DataEnds.hpp>
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_InputSuspicions.hpp>
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

namespace {

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

std::string describe_data(const ProblemSection& problem, const RunInput& input,
                          std::span<const double> data) {
  const Range range = range_of(data);
  std::string text = "data: ";
  if (problem.sinogram) {
    text += problem.sinogram->file.filename().string();
    text += input.has_dark_fields   ? ", flat and dark fields applied"
            : input.has_flat_fields ? ", flat fields applied"
                                    : ", no flat fields";
    text += frames_text(input.notes);
    text += Impl::formatted(", line integrals %.2f to %.2f", range.low, range.high);
  } else if (problem.phantom) {
    text += problem.data == DataSource::analytic ? "exact projections of the phantom"
                                                 : "projections of the phantom by the matrix";
    if (problem.noise.kind != NoiseKind::none)
      text += ", " + std::string(to_string(problem.noise.kind)) + " noise";
    text += Impl::formatted(", %.4g to %.4g", range.low, range.high);
  } else {
    text +=
        problem.rhs.filename().string() + Impl::formatted(", %.4g to %.4g", range.low, range.high);
  }
  if (input.clamped > 0)
    text += Impl::formatted("; %zu values without signal clamped", input.clamped);
  if (input.missing_rays > 0)
    text += Impl::formatted("; %zu of %zu rays hold no measurement and are left out",
                            input.missing_rays, input.masks.rows.size());
  if (input.missing_values > 0)
    text +=
        Impl::formatted("; %zu of %zu values hold no measurement and are left out of their slices",
                        input.missing_values, data.size());
  return text;
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

std::vector<std::string> describe_counts(const RunInput& input) {
  std::vector<std::string> lines;
  if (const auto& added = input.added_counts)
    lines.push_back(
        Impl::formatted("counts: %.12g of pairs (i, j) with i < j, and %.12g of (j, i), which "
                        "were added to them",
                        added->above, added->below));
  if (input.unseen_counts != 0)
    lines.push_back(Impl::formatted(
        "counts: %.12g of pairs that the matrix does not hold are left out", input.unseen_counts));
  return lines;
}

void note_unseen_counts(std::span<const double> row_sums, RunInput& input) {
  input.unseen_counts = 0;
  for (std::size_t i = 0; i < input.data.size(); ++i)
    if (row_sums[i % row_sums.size()] == 0) input.unseen_counts += input.data[i];
  if (input.unseen_counts != 0) input.notes.set("counts_left_out", input.unseen_counts);
}

void note_data(std::span<const double> data, RunInput& input) {
  const Range range = range_of(data);
  Description result = Description::map(true);
  result.set("smallest", range.low);
  result.set("largest", range.high);
  input.notes.set("values", std::move(result));
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

}  // namespace Tomokkos
