// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_AngleDirection.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Formatted.hpp>
#include <Tomokkos_RayOrbits.hpp>
#include <Tomokkos_ScanRows.hpp>
#include <Tomokkos_ViewRays.hpp>
#include <algorithm>

namespace Tomokkos {

std::string ScanRows::describe() const {
  const char* const beam = scan.beam == Beam::parallel ? "parallel beam"
                           : scan.detector_shape == DetectorShape::curved
                               ? "fan beam, curved detector"
                               : "fan beam";
  std::string text =
      scan.has_vectors()
          ? Impl::formatted("scan: %s by vectors, %d views x %d detectors", beam,
                            scan.views.count(), scan.detectors)
          : Impl::formatted("scan: %s, %d detectors, %s%s, rotation centre %.2f", beam,
                            scan.detectors, describe_angles(scan.views).c_str(),
                            scan.views.is_evenly_spaced() ? "" : " (listed)", scan.center_index());
  if (!volume.is_centered())
    text += Impl::formatted(", image around (%.6g, %.6g)", volume.center_x, volume.center_y);
  return text;
}

double ScanRows::expected_nonzeros() const {
  // On average a ray through the whole image crosses 4 / pi of its lines, and intersects as many
  // pixels.
  const double side = 0.5 * (static_cast<double>(volume.rows) + volume.columns);
  const double length = 0.5 * (volume.rows * volume.pixel_height() + volume.columns * volume.pixel);
  const double neighbours = projector == Projector::line ? 1.27 : 1.8;
  const double width = scan.has_vectors() ? least_ray_spacing(volume, scan) : scan.detector_width;
  const double seen = std::min(1.0, 1.27 * length / (scan.detectors * width));
  return static_cast<double>(num_rows()) * neighbours * side * seen;
}

double ScanRows::most_nonzeros() const {
  const auto rays = static_cast<double>(num_rows());
  // There is no better bound for strips.
  if (projector == Projector::strip) return rays * static_cast<double>(num_cols());
  // A ray enters fewer than rows + columns pixels, and may share each with a neighbour.
  return rays * 2.0 * (static_cast<double>(volume.rows) + volume.columns);
}

std::size_t ScanRows::count_symmetric(const MatrixMasks& masks) const {
  if (volume.rows != volume.columns) return 0;
  try {
    require_symmetric_pixels(volume.rows, masks.columns);
    return kept_orbits(find_ray_orbits(volume, scan), masks.rows).stored.size();
  } catch (const Error&) {
    return 0;
  }
}

}  // namespace Tomokkos
