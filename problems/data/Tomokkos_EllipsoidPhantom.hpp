// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_VolumeGeometry3D.hpp>
#include <array>
#include <vector>

namespace Tomokkos {

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
  static constexpr std::array<std::pair<SolidPhantomKind, std::string_view>, 3> names{{
      {SolidPhantomKind::shepp_logan, "shepp_logan"},
      {SolidPhantomKind::shepp_logan_original, "shepp_logan_original"},
      {SolidPhantomKind::ball, "ball"},
  }};
};

EllipsoidPhantom make_solid_phantom(SolidPhantomKind kind);

/// \brief Half width, half height and half depth of a volume, in the length unit of the scan.
struct HalfExtent3D {
  double width, height, depth;
};

/// \brief Returns the density of \p phantom at a point, in the length unit of \p extent. Places
/// every shape in each call: meant for tests and single points.
double phantom_value(const EllipsoidPhantom& phantom, const HalfExtent3D& extent, double x,
                     double y, double z);

/// \brief Returns the values of \p phantom in the voxels of a box, in their order. A voxel is the
/// mean over s x s x s equally spaced points, s = \p supersampling; a clamp acts on each point.
///
/// \throws Error when `check(volume)` fails, the supersampling is less than 1, or a semi-axis is
/// not positive
std::vector<double> sample_phantom(const EllipsoidPhantom& phantom, const VolumeGeometry3D& volume,
                                   int supersampling = 1);

}  // namespace Tomokkos
