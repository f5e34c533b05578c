// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <vector>

namespace Tomokkos {

/// \brief Half plane that keeps one side of an ellipse: (p - c) . (cos normal_angle, sin
/// normal_angle) < distance, relative to the centre c of the ellipse.
struct HalfPlane {
  double normal_angle;  ///< radians, counter-clockwise from +x; the normal points out of the kept
                        ///< part
  double distance;      ///< in phantom units; negative if the centre itself is cut away
};

/// \brief Ellipse of constant density, added to the shapes below it.
///
/// The boundary belongs to the ellipse, the cutting lines do not. Lengths are in phantom units (see
/// `EllipsePhantom`).
struct Ellipse {
  double value;     ///< density added inside the ellipse
  double x, y;      ///< centre; y points upwards
  double a, b;      ///< semi-axes before the rotation, along x and along y; both > 0
  double rotation;  ///< radians, counter-clockwise
  std::vector<HalfPlane> cuts = {};
};

/// \brief Size of a phantom unit in an image of half width W and half height H.
enum class PhantomScaling {
  /// x and a are in units of W, y and b in units of H, and the ellipse is rotated by `rotation`
  /// after scaling: the rule of the Shepp-Logan phantom. A circle becomes an ellipse in an image
  /// that is not square. Cutting lines are scaled with the axes.
  per_axis,
  /// All lengths are in units of min(W, H): shapes keep their form in any image.
  uniform,
};

/// \brief Density made of ellipses: at each point the sum of the values of all shapes that contain
/// it.
struct EllipsePhantom {
  std::vector<Ellipse> shapes;
  PhantomScaling scaling = PhantomScaling::uniform;
  /// Sets negative sums to 0 when the phantom is sampled. Analytic sinograms ignore this: they use
  /// the sum without the clamp. For every phantom of `make_phantom` both agree, because the clamp
  /// only removes rounding errors of about 1e-16.
  bool clamp_at_zero = false;
};

/// \brief Half width and half height of an image, in the length unit of the scan.
struct HalfExtent {
  double width;
  double height;
};

/// \brief Returns the half extent of an image of \p rows x \p columns pixels, \p pixel wide and \p
/// aspect times as high.
///
/// \throws Error when a number is not positive
HalfExtent half_extent(long long rows, long long columns, double pixel, double aspect = 1.0);

/// \brief Returns the density of \p phantom at the point (\p x, \p y), in the length unit of \p
/// extent. The origin is the centre of the image, y points upwards.
///
/// Places every shape in each call: meant for tests and single points. Use `sample_phantom` for
/// images.
double phantom_value(const EllipsePhantom& phantom, const HalfExtent& extent, double x, double y);

/// \brief Returns an image of \p phantom: \p rows x \p columns values, row-major, row 0 at the top
/// (largest y).
///
/// A pixel is the mean over s x s equally spaced points, s = \p supersampling; s = 1 is the value
/// at its centre. A clamp acts on each point. The pixel size does not matter: the phantom scales
/// with the image.
///
/// \param aspect height of a pixel divided by its width
/// \throws Error when rows, columns, supersampling or a semi-axis are not positive
/// \note Time O(rows * columns * s^2 * shapes over a pixel); memory is the image and one row of
/// points.
std::vector<double> sample_phantom(const EllipsePhantom& phantom, long long rows, long long columns,
                                   int supersampling = 1, double aspect = 1.0);

}  // namespace Tomokkos
