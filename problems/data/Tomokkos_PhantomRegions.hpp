// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_Types.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Pixels of an image, or voxels of a volume, in which a phantom is hot, and others near
/// them in which it is cold.
struct PhantomRegion {
  std::string name;
  std::vector<Ordinal> hot;
  std::vector<Ordinal> cold;
};

/// \brief The regions of \p kind in an image of \p rows x \p columns; none for phantoms of more
/// than two densities and for a single pixel.
///
/// `derenzo`: a region for each of its six sectors, `rods 4.8` and so on; hot are the pixels whose
/// centres lie in a rod, cold the others within the hull of the rods' centres. `disc`,
/// `off_center_disc`: inside and outside of it. `checkerboard`: its squares.
///
/// \throw Error when a number is out of range.
std::vector<PhantomRegion> phantom_regions(PhantomKind kind, long long rows, long long columns,
                                           const PhantomSampling& sampling = {});

/// \brief The same regions in all of \p slices slices of \p pixels pixels each: those of a volume
/// through which the phantom reaches.
std::vector<PhantomRegion> through_slices(const std::vector<PhantomRegion>& regions, Ordinal slices,
                                          Ordinal pixels);

/// \brief Mean and standard deviation of an image in a set of pixels; 0 of none.
struct RegionValues {
  double mean = 0;
  double sigma = 0;
};

/// \brief The values of \p image in \p pixels.
template <class Scalar>
RegionValues values_in(std::span<const Scalar> image, const std::vector<Ordinal>& pixels);

}  // namespace Tomokkos
