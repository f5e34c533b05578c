// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Directions of the views of a scan: the angle that each stands for, and the gaps between them.
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Angles in a period, in ascending order, and the gap after each.
struct ViewCircle {
  std::vector<std::size_t> order;  ///< numbers of the views
  std::vector<double> gaps;        ///< from a view to the next one; their sum is the period
  std::size_t largest = 0;         ///< position of the largest gap
  double period = 0;

  ViewCircle(const std::vector<double>& angles, double period);

  double largest_gap() const { return gaps[largest]; }
  /// \brief Median of the gaps between different angles.
  double usual_gap() const;
  /// \brief True if the largest gap is at most four times the usual one, and there are two
  /// directions at least.
  bool is_closed() const {
    return largest_gap() <= 4 * usual_gap() && largest_gap() < period - 1e-9;
  }
};

/// \brief Share of each view in the integral over all directions.
struct ViewShares {
  std::vector<double> radians;  ///< of each view; their sum is at least half a turn
  double start = 0;             ///< first angle of the arc of the views, in radians
  double arc = 0;               ///< its length; a whole turn if the views surround the image
  double covered = 0;    ///< angle that the views cover, in radians, without the gap in `gap`
  double needed = 0;     ///< angle that filtered back projection needs
  double gap = 0;        ///< largest gap if it is more than four times the usual one, otherwise 0
  double gap_start = 0;  ///< angle of the view before it

  /// \brief True if directions are missing; the image is then an approximation.
  bool has_missing_directions() const { return gap > 0 || covered < needed * (1 - 1e-9); }
};

/// \brief Returns the shares of the views of \p scan.
///
/// Each view stands for the directions up to the middle between it and its neighbours. Views of a
/// parallel beam that are half a turn apart count as the same direction, unless the detector is
/// displaced so that they see other lines (`MeasuredLines`). Where directions are missing, the
/// views beside a gap stand for at most twice the usual gap on its side (or twice the next one, if
/// that is larger), and all shares are raised so that they cover the directions together: the mean
/// of the image is kept.
///
/// A parallel beam needs half a turn, a fan beam half a turn and the angle of the fan.
///
/// \throws Refused for a scan by vectors and for a curved detector
ViewShares view_shares(const ScanGeometry& scan);

}  // namespace Tomokkos
