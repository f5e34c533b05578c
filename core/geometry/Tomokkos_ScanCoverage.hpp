// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which part of the image and which lines the detector of a scan does not see.
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Lengths, in detector elements, by which the image projects beyond the two ends of the
/// detector in one view. 0: it does not.
struct Overhang {
  double below = 0;            ///< beyond the first element
  double beyond = 0;           ///< beyond the last element
  double first = 0, last = 0;  ///< indices at which the image begins and ends, beyond them as well
};

/// \brief Side of a detector.
enum class DetectorSide { none, low, high };

/// \brief Lines that a scan measures, by their distance from the axis of rotation.
///
/// All distances are 0 for a scan by vectors, which has no axis.
struct MeasuredLines {
  double none = 0;       ///< nearer lines meet no element: the axis lies beside the detector
  double two_sided = 0;  ///< up to here, lines meet elements on both sides of the axis
  double one_sided = 0;  ///< up to here, lines meet elements on at least one side
  /// Every direction has an opposite view, up to the gaps that `view_shares` bridges.
  bool is_whole_turn = false;
  /// The detector extends further on one side of the axis than on the other, by more than a tenth
  /// of its length: half fans, half acquisition.
  bool is_displaced = false;
  /// Side on which the detector is shorter; none: both are equal up to rounding.
  DetectorSide short_side = DetectorSide::none;

  /// \brief How often every line at \p distance from the axis is measured: 0 (some directions are
  /// not), 1, or 2 (from both sides).
  int times(double distance) const;
};

/// \brief Parts of an image that the detector of a scan does not see, and the lines that it
/// measures.
struct ScanCoverage {
  std::vector<Overhang> views;
  Overhang largest;        ///< over all views, of each end
  double width = 0;        ///< largest width of the image in a view, in elements
  double rays = 0;         ///< share of the rays that meet the image
  double image = 0;        ///< largest share of the width of the image that a view sees
  bool is_inside = false;  ///< the views together see the whole image
  MeasuredLines lines;
};

/// \brief Largest gap between neighbouring views of a whole turn that a displaced detector may
/// leave, in radians. Data of the other views stand for those in the gap.
inline constexpr double largest_turn_gap = 0.5235987755982988;  // 30 deg

/// \brief Returns the lines that \p scan measures. Curved detectors and fan beams included.
MeasuredLines measured_lines(const ScanGeometry& scan);

/// \brief Returns, for every view, which part of the image projects beyond the detector, how much
/// of the image and of the detector see each other, and which lines are measured once, twice or not
/// at all. Host work: a few operations for each view.
///
/// \pre `check(volume, scan)` has passed
ScanCoverage scan_coverage(const VolumeGeometry& volume, const ScanGeometry& scan);

/// \brief Returns the weight of each detector element in the sum over all views of a whole turn;
/// empty if all are 1.
///
/// A line at position s, measured in one view, is measured at -s in the opposite view (in a fan
/// beam: of the opposite ray, which starts elsewhere). Its two measurements share a weight of 2:
///
///     w(s) + w(-s) = 2,   w(s) = 1 +- sin(pi/2 clamp((|s| - (h - t)) / t, 0, 1))   for |s| <= h,
///
/// with + on the side on which the detector is longer, and h the length of the shorter side. Beyond
/// h, on the longer side, w = 2, as the line is measured once. w is 0 at the end of the shorter
/// side. The ramp has the length t = min(h, 8 e), with e the difference of the two sides: a ramp
/// over the whole overlap (Wang 2002) if the detector is clearly displaced, and none if it is
/// centred. If h is less than an element, elements count by the part of them that is measured
/// twice.
std::vector<double> opposite_weights(const ScanGeometry& scan);

}  // namespace Tomokkos
