// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phantoms made of ellipses or of ellipsoids, named phantoms, and their images.
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
#include <array>
#include <string_view>
#include <utility>
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
  double value;           ///< density added inside the ellipse
  double x, y;            ///< centre; y points upwards
  double a, b;            ///< semi-axes before the rotation, along x and along y; both > 0
  double rotation = 0.0;  ///< radians, counter-clockwise
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

/// \brief Ellipsoid of constant density, added to the shapes below it. The boundary belongs to it.
/// Lengths are in phantom units (see `EllipsoidPhantom`).
struct Ellipsoid {
  double value;           ///< density added inside the ellipsoid
  double x, y, z;         ///< centre
  double a, b, c;         ///< semi-axes along x, y (before the rotation) and z; all > 0
  double rotation = 0.0;  ///< around the z axis, radians, counter-clockwise
};

/// \brief Density made of ellipsoids: at each point the sum of the values of all shapes that
/// contain it.
///
/// x and a are in units of the half width of the volume, y and b of its half height, z and c of its
/// half depth. Ellipsoids are rotated after scaling, as in the Shepp-Logan phantom. In a cylinder
/// the first two units are its radius.
struct EllipsoidPhantom {
  std::vector<Ellipsoid> shapes;
  bool clamp_at_zero = false;  ///< sets negative sums to 0 when the phantom is sampled
};

/// \brief Named phantoms.
enum class PhantomKind {
  /// Shepp-Logan with the contrasts of Toft (densities 0 ... 1), ten ellipses.
  shepp_logan,
  /// Shepp-Logan with the original contrasts (densities 0 ... 2, brain about 1), ten ellipses.
  shepp_logan_original,
  /// Two-dimensional FORBILD head with both ears, from the tables of Z. Yu, F. Noo, F. Dennerlein,
  /// A. Wunderlich, G. Lauritsch, J. Hornegger, Phys. Med. Biol. 57 (2012) N237: 17 ellipses of
  /// head and skull, five of them cut by lines; the right ear (one cut ellipse and 53 air holes);
  /// the left ear (80 small discs, a resolution pattern). Densities relative to water, 0 ... 1.8,
  /// without the paper's optional attenuation factors of water and bone. One phantom unit is 12.8
  /// cm (our choice: a square image shows 25.6 cm x 25.6 cm). The face points up.
  forbild_head,
  /// Derenzo: six sectors of 60 degrees with discs of density 1 on a background of 0. Diameters,
  /// counter-clockwise from the sector around 30 degrees: 4.8, 6.4, 7.9, 9.5, 11.1, 12.7 in a
  /// circle of radius 108 (the rods of a common hot-rod insert, in mm); that circle is 0.95 phantom
  /// units. The centres form a triangular lattice with a spacing of twice the diameter; discs that
  /// would cross the circle are left out.
  derenzo,
  /// Disc of density 1, radius 0.8, in the centre.
  disc,
  /// Disc of density 1, radius 0.3, centre (0.35, -0.25): to the right of the centre and below it.
  off_center_disc,
  /// Squares of 1 and 0, with 1 at the top left (not made of ellipses).
  checkerboard,
  /// 1 at pixel (rows / 2, columns / 2), otherwise 0 (not made of ellipses).
  single_pixel,
};

template <>
struct EnumNames<PhantomKind> {
  static constexpr auto names = names_up_to<PhantomKind::single_pixel>(
      "shepp_logan", "shepp_logan_original", "forbild_head", "derenzo", "disc", "off_center_disc",
      "checkerboard", "single_pixel");
};

/// \brief Returns true when \p kind is a sum of ellipses, so that it has an analytic sinogram and
/// can be supersampled.
bool is_made_of_ellipses(PhantomKind kind);

/// \brief Returns the ellipses of \p kind.
///
/// \throws Error when it is not made of ellipses
EllipsePhantom make_phantom(PhantomKind kind);

/// \brief Named three-dimensional phantoms.
enum class SolidPhantomKind {
  /// Shepp-Logan in three dimensions with the contrasts of Toft (densities 0 ... 1): the ten
  /// ellipses of `PhantomKind::shepp_logan` with extents along z. Its slice z = 0 equals that
  /// phantom except for three ellipses. No ellipsoid is tilted out of its slice.
  shepp_logan,
  /// Shepp-Logan in three dimensions with the original contrasts (densities 0 ... 2).
  shepp_logan_original,
  /// Ball of density 1 with half the extent of the volume, in the centre.
  ball,
};

template <>
struct EnumNames<SolidPhantomKind> {
  static constexpr auto names =
      names_up_to<SolidPhantomKind::ball>("shepp_logan", "shepp_logan_original", "ball");
};

EllipsoidPhantom make_solid_phantom(SolidPhantomKind kind);

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

/// \brief Sampling options of `sample_phantom` for a named phantom.
struct PhantomSampling {
  /// Number of points per pixel along each axis; without effect on the checkerboard and the single
  /// pixel.
  int supersampling = 1;
  /// Side length of the squares of the checkerboard in pixels; 0: an eighth of the shorter side of
  /// the image, at least 1.
  long long checkerboard_tile = 0;
  /// Height of a pixel divided by its width, for phantoms made of ellipses.
  double aspect = 1.0;
};

/// \brief Returns an image of \p kind: \p rows x \p columns values, row-major, row 0 at the top.
///
/// \throws Error when a number is out of range
std::vector<double> sample_phantom(PhantomKind kind, long long rows, long long columns,
                                   const PhantomSampling& sampling = {});

/// \brief Returns the values of \p phantom in the voxels of a box, in their order. A voxel is the
/// mean over s x s x s equally spaced points, s = \p supersampling; a clamp acts on each point.
///
/// \throws Error when `check(volume)` fails, the supersampling is less than 1, or a semi-axis is
/// not positive
std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const VolumeGeometry3D& volume,
                                   int supersampling = 1);

}  // namespace Tomokkos
