// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief Part of the plane that an ellipse is cut by, relative to the centre c of that ellipse:
/// (p - c) . (cos normal_angle, sin normal_angle) < distance.
struct HalfPlane {
  double normal_angle;  ///< radians, counter-clockwise from +x; the normal points out of what stays
  double distance;      ///< in phantom units; negative when the centre itself is cut away
};

/// \brief Ellipse of constant density, added to whatever lies under it.
///
/// The boundary belongs to the ellipse, the cutting lines do not. Lengths are in phantom units (see
/// `EllipsePhantom`).
struct Ellipse {
  double value;     ///< density that is added inside
  double x, y;      ///< centre, y upwards
  double a, b;      ///< semi-axes before the rotation, along x and along y; both > 0
  double rotation;  ///< radians, counter-clockwise
  std::vector<HalfPlane> cuts = {};
};

/// \brief What one phantom unit is in an image of half width W and half height H.
enum class PhantomScaling {
  /// x and a count in W, y and b in H, and the ellipse is turned by `rotation` after that: the rule
  /// of the Shepp-Logan phantom. A circle becomes an ellipse in an image that is not square. A
  /// cutting line is mapped with the axes.
  per_axis,
  /// Everything counts in min(W, H): shapes stay as they are, whatever the image.
  uniform,
};

/// \brief Density made of ellipses: the sum of the values of all shapes that contain a point.
struct EllipsePhantom {
  std::vector<Ellipse> shapes;
  PhantomScaling scaling = PhantomScaling::uniform;
  /// Negative sums count as 0 when the phantom is sampled. Analytic sinograms know nothing of this:
  /// they belong to the sum without the clamp, which is the same thing for every phantom of
  /// `make_phantom` (the clamp removes rounding errors of about 1e-16 there).
  bool clamp_at_zero = false;
};

/// \brief Half width and half height of an image, in the length unit of the scan.
struct HalfExtent {
  double width;
  double height;
};

/// \brief Half extent of an image of \p rows x \p columns square pixels of size \p pixel.
///
/// \throw Error when a number is not positive.
HalfExtent half_extent(long long rows, long long columns, double pixel);

/// \brief Density of \p phantom at the point (\p x, \p y), origin in the middle of the image and y
/// upwards, in the length unit of \p extent.
///
/// Places every shape anew: meant for tests and single points, `sample_phantom` is for images.
double phantom_value(const EllipsePhantom& phantom, const HalfExtent& extent, double x, double y);

/// \brief Image of \p phantom: \p rows x \p columns values, row-major, row 0 at the top (largest
/// y).
///
/// A pixel is the mean over s x s equally spaced points, s = \p supersampling; s = 1 is the value
/// at its centre. The clamp, where the phantom asks for it, acts on each point. The pixel size does
/// not matter: the phantom grows with the image.
///
/// \throw Error when rows, columns or supersampling are not positive, or a semi-axis is not.
/// \note Time O(rows * columns * s^2 * shapes over a pixel); memory is the image and one row of
/// points.
std::vector<double> sample_phantom(const EllipsePhantom& phantom, long long rows, long long columns,
                                   int supersampling = 1);

}  // namespace Tomokkos
