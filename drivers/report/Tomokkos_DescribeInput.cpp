// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

namespace Tomokkos {

namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, values...);
  return text;
}

std::string describe_angles(const ViewAngles& views) {
  constexpr double degree = std::numbers::pi / 180;
  if (views.is_evenly_spaced()) {
    const double start = views.start().in_radians() / degree;
    return format("%.6g to %.6g deg", start, start + views.range().in_radians() / degree);
  }
  const std::vector<double> angles = views.radians();
  const auto [low, high] = std::minmax_element(angles.begin(), angles.end());
  return format("%.6g to %.6g deg (listed)", *low / degree, *high / degree);
}

std::string describe_center(const RunInput& input) {
  std::string text = format("rotation centre %.2f", input.scan.center_index());
  if (!input.found_center) return text;
  const RotationCenter& found = *input.found_center;
  text += format(" (found from %zu views", found.views);
  if (const auto apart = found.disagreement())
    text += format(", two methods agree within %.2g", *apart);
  else if (found.pairs > 0)
    text += ", by opposite views alone";
  else
    text += ", by the centre of mass alone";
  if (found.discarded_views > 0) text += format("; %zu dead views left out", found.discarded_views);
  return text + ")";
}

struct Range {
  double low = 0, high = 0;
};

/// Returns the smallest and the largest of the values that are numbers.
Range range_of(std::span<const double> data) {
  Range range{HUGE_VAL, -HUGE_VAL};
  for (const double value : data) {
    if (value < range.low) range.low = value;
    if (value > range.high) range.high = value;
  }
  return range.low <= range.high ? range : Range{};
}

}  // namespace

std::vector<std::string> describe_scan(const RunConfig& config, const RunInput& input) {
  const ProblemSection& problem = config.problem;
  std::string text;
  if (problem.scanner) {
    text = format("scanner: %d crystals, %d rays per pair", input.views,
                  problem.scanner->scanner.rays);
  } else if (problem.cone_beam) {
    const ConeBeamScan& scan = problem.cone_beam->scan;
    text = format("scan: cone beam, %d views x %d x %d detectors", scan.views, scan.detectors[1],
                  scan.detectors[0]);
  } else if (problem.has_scan_geometry()) {
    text = format("scan: %s, %d views x %d detectors, ",
                  input.scan.beam == Beam::fan ? "fan beam" : "parallel beam", input.views,
                  input.detectors) +
           describe_angles(input.scan.views) + ", " + describe_center(input);
  } else if (input.views > 0) {
    text =
        format("scan: %d views x %d detectors, matrix from a file", input.views, input.detectors);
  } else {
    text = "scan: matrix from a file";
  }
  if (input.stack) text += format(", %d slices", input.slices);
  std::vector<std::string> lines{text};
  for (std::string& line : describe_suspicions(input)) lines.push_back(std::move(line));
  return lines;
}

std::string describe_data(const RunConfig& config, const RunInput& input,
                          std::span<const double> data) {
  const ProblemSection& problem = config.problem;
  const Range range = range_of(data);
  std::string text = "data: ";
  if (problem.sinogram) {
    text += problem.sinogram->file.filename().string();
    text += input.has_dark_fields   ? ", flat and dark fields applied"
            : input.has_flat_fields ? ", flat fields applied"
                                    : ", no flat fields";
    text += format(", line integrals %.2f to %.2f", range.low, range.high);
  } else if (problem.phantom) {
    text += problem.data == DataSource::analytic ? "exact projections of the phantom"
                                                 : "projections of the phantom by the matrix";
    if (problem.noise.kind != NoiseKind::none)
      text += ", " + std::string(to_string(problem.noise.kind)) + " noise";
    text += format(", %.4g to %.4g", range.low, range.high);
  } else {
    text += problem.rhs.filename().string() + format(", %.4g to %.4g", range.low, range.high);
  }
  if (input.clamped > 0) text += format("; %zu values without light clamped", input.clamped);
  if (input.missing_rays > 0)
    text += format("; %zu of %zu rays hold no measurement and are left out", input.missing_rays,
                   input.masks.rows.size());
  if (input.missing_values > 0)
    text += format("; %zu of %zu values hold no measurement and are left out of their slices",
                   input.missing_values, data.size());
  return text;
}

void note_data(std::span<const double> data, RunInput& input) {
  const Range range = range_of(data);
  ConfigNode node = ConfigNode::map(true);
  node.set("smallest", ConfigNode::number(range.low));
  node.set("largest", ConfigNode::number(range.high));
  input.notes.set("values", std::move(node));
}

void require_seen_image(const RunConfig& config, const RunInput& input, Offset nonzeros) {
  if (nonzeros > 0 || config.problem.has_matrix_file()) return;
  std::string message = "problem.geometry: no ray meets the image";
  if (config.problem.has_scan_geometry()) {
    const ScanGeometry& scan = input.scan;
    message += format(
        ": the detector reaches from %.6g to %.6g beside the axis of rotation, the "
        "image lies within %.6g of it",
        scan.position(0) - 0.5 * scan.detector_width,
        scan.position(scan.detectors - 1) + 0.5 * scan.detector_width, input.volume.radius());
  }
  throw InputError(message +
                   "; look at rotation_center, detector_offset, detector_width and "
                   "problem.volume.pixel");
}

}  // namespace Tomokkos
