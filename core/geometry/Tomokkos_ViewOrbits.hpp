// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ScanGeometry.hpp>
#include <array>
#include <vector>

namespace Tomokkos {

/// \brief Relative time that a product with several vectors takes for each of them, if they share
/// the work of computing weights. Measured on a GPU with 1, 2, 4 and 8 vectors
/// (docs/scans/computed.md); on a host sharing pays more.
double shared_cost(int vectors);

/// \brief Views of a scan in groups. The rays of all views of a group are images of the rays of one
/// of them, the stored view, under maps of the square (Tomokkos_SquareSymmetry.hpp).
///
/// Element d of a view that is the image under map g of a stored view has, for pixel `T_g p`, the
/// weight that element d of the stored view (or, if the view is reversed, element
/// `detectors - 1 - d`) has for pixel p.
struct ViewOrbits {
  static constexpr Ordinal none = -1;

  struct Image {
    Ordinal group = none;  ///< position of the stored view in \c stored; none: a view not asked for
    int map = 0;           ///< position in \c maps
    bool reversed = false;
  };

  std::vector<unsigned> maps{0};  ///< 1, 2, 4 or 8 of them; the first is the identity
  std::vector<Ordinal> stored;    ///< one view of each group, ascending
  std::vector<Image> images;      ///< of all views of the scan

  /// \brief Relative time of a product with \p vectors vectors that computes the stored views for
  /// the images of all vectors under all maps.
  double cost(int vectors) const;
  /// \brief Relative time of a product that computes each view by itself.
  double cost_of_all(int vectors) const;
};

/// \brief Groups \p views so that `cost(1)` is lowest. Images that no view has are computed in
/// vain; views that measure the same lines share one.
///
/// An image that is not square or not around the origin has no map but the identity. Views are
/// compared by the bits of their directions, as by `find_ray_orbits`.
///
/// \param views any views of the scan; duplicates are ignored
/// \pre `check(volume, scan)`; no vectors
/// \note Host work: eight searches for each view.
ViewOrbits find_view_orbits(const VolumeGeometry& volume, const ScanGeometry& scan,
                            const std::vector<Ordinal>& views);

}  // namespace Tomokkos
