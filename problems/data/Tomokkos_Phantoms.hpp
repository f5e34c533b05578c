// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EllipsePhantom.hpp>
#include <Tomokkos_EnumNames.hpp>

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

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
  static constexpr std::array<std::pair<PhantomKind, std::string_view>, 8> names{{
      {PhantomKind::shepp_logan, "shepp_logan"},
      {PhantomKind::shepp_logan_original, "shepp_logan_original"},
      {PhantomKind::forbild_head, "forbild_head"},
      {PhantomKind::derenzo, "derenzo"},
      {PhantomKind::disc, "disc"},
      {PhantomKind::off_center_disc, "off_center_disc"},
      {PhantomKind::checkerboard, "checkerboard"},
      {PhantomKind::single_pixel, "single_pixel"},
  }};
};

/// \brief Returns true when \p kind is a sum of ellipses, so that it has an analytic sinogram and
/// can be supersampled.
bool is_made_of_ellipses(PhantomKind kind);

/// \brief Returns the ellipses of \p kind.
///
/// \throws Error when it is not made of ellipses
EllipsePhantom make_phantom(PhantomKind kind);

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

}  // namespace Tomokkos
