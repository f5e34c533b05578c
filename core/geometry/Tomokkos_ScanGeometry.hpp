// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <Tomokkos_VolumeGeometry.hpp>
#include <array>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Shape of the beam of a 2D scan.
enum class Beam {
  parallel,  ///< parallel rays
  fan        ///< rays from a point source to a detector
};

template <>
struct EnumNames<Beam> {
  static constexpr std::array<std::pair<Beam, std::string_view>, 2> names{{
      {Beam::parallel, "parallel_beam"},
      {Beam::fan, "fan_beam"},
  }};
};

/// \brief Model of a measurement: the weight of a pixel in a ray (docs/reference/conventions.md).
enum class Projector {
  line,    ///< exact length of the ray in the pixel
  linear,  ///< Joseph: linear interpolation along each row (or column) that the ray crosses
  strip    ///< overlap area of the pixel with the beam of a detector element, divided by its width
};

template <>
struct EnumNames<Projector> {
  static constexpr std::array<std::pair<Projector, std::string_view>, 3> names{{
      {Projector::line, "line"},
      {Projector::linear, "linear"},
      {Projector::strip, "strip"},
  }};
};

/// \brief Shape of the detector of a fan beam.
enum class DetectorShape {
  flat,   ///< a straight line
  curved  ///< an arc around the source, with elements at equal angles
};

template <>
struct EnumNames<DetectorShape> {
  static constexpr std::array<std::pair<DetectorShape, std::string_view>, 2> names{{
      {DetectorShape::flat, "flat"},
      {DetectorShape::curved, "curved"},
  }};
};

/// \brief Position of source and detector in one view, in the length unit of the scan.
///
///  - parallel: direction of the rays (rx, ry), centre of the detector (dx, dy), step from one
///    element to the next (ux, uy);
///  - fan: position of the source (sx, sy), centre of the detector, step.
/// Element i is at (dx, dy) + (i - (detectors - 1) / 2) (ux, uy).
using ViewVectors = std::array<double, 6>;

/// \brief 2D scan: views, and a row of detector elements.
///
/// Angles t are counter-clockwise; the detector axis is (cos t, sin t). Element i is at s_i = (i -
/// c) w on it, with c = (detectors - 1) / 2 - detector_offset, or c = rotation_center.
///  - parallel: element i measures along the line x cos t + y sin t = s_i;
///  - fan: the source is at source_to_origin (sin t, -cos t), the detector passes through
///    origin_to_detector (-sin t, cos t); w and s_i are measured on the detector. A curved detector
///    is an arc around the source through the same point, and its lengths are measured on the arc.
/// A scan with `vectors` (see `make_vector_scan`) has its source and detector there instead.
/// A measurement is row view * detectors + i of the system matrix.
struct ScanGeometry {
  Beam beam = Beam::parallel;
  ViewAngles views{};
  Ordinal detectors = 0;
  double detector_width = 1.0;  ///< in the length unit of the scan
  /// Shift of the detector in elements, positive towards growing index: s_i grows by this number of
  /// widths. Excludes `rotation_center`.
  std::optional<double> detector_offset{};
  /// Index of the element that sees the origin; need not be an integer.
  std::optional<double> rotation_center{};
  double source_to_origin = 0.0;    ///< for a fan beam only
  double origin_to_detector = 0.0;  ///< for a fan beam only
  DetectorShape detector_shape = DetectorShape::flat;
  /// Source and detector of each view; empty: they turn around the origin. With vectors `views` has
  /// the angles of the detector, and the numbers from `detector_width` on have no effect.
  std::vector<ViewVectors> vectors = {};

  bool has_vectors() const { return !vectors.empty(); }

  /// \brief Number of measurements: the rows of a system matrix. May exceed `Ordinal` until
  /// checked.
  std::int64_t num_rays() const { return static_cast<std::int64_t>(views.count()) * detectors; }

  /// \brief Index c at which s = 0.
  double center_index() const {
    return rotation_center ? *rotation_center
                           : 0.5 * (detectors - 1.0) - detector_offset.value_or(0.0);
  }

  /// \brief s_i of element \p detector, in the length unit of the scan.
  double position(Ordinal detector) const { return (detector - center_index()) * detector_width; }

  /// \brief Angle of an element of a curved detector, as seen from the source.
  double arc_step() const { return detector_width / (source_to_origin + origin_to_detector); }

  /// \brief Index at which the ray to index \p index meets the flat detector that touches the
  /// middle of a curved one. For a flat detector, \p index itself.
  double flat_index(double index) const;
};

/// \brief Makes a scan whose source and detector are given for each view.
///
/// \throws Error for no vectors or detectors, and naming the view for a number that is not finite,
/// a detector axis or ray direction of length zero, rays parallel to the detector axis, or a source
/// on the line of the detector
ScanGeometry make_vector_scan(Beam beam, std::vector<ViewVectors> vectors, Ordinal detectors);

/// \brief Returns the vectors of a view. For a curved detector they are those of the flat detector
/// that touches its middle.
ViewVectors vectors_of(const ScanGeometry& scan, Ordinal view);

/// \brief Checks the numbers of a scan. The message names the wrong one.
///
/// \throws Error for no views or detectors, a width or distance that is not positive and finite, an
/// offset given together with a rotation centre, a curved detector of a parallel beam or of a
/// quarter turn or more on one side, vectors as `make_vector_scan` refuses them, or more rays than
/// `Ordinal` can index
void check(const ScanGeometry& scan);

/// \brief Checks both and their combination.
///
/// The source of a fan beam must lie outside the circle around the image, and no part of the image
/// behind the source on the line of a ray, because every ray is a whole line. Strips are as wide as
/// a detector element; it must be at least 1e-7 of a pixel wide, because weights of strips are
/// differences of areas.
///
/// \throws Error naming the number that is wrong
void check(const VolumeGeometry& volume, const ScanGeometry& scan,
           Projector projector = Projector::line);

}  // namespace Tomokkos
