// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_Types.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Pixels of an image, or voxels of a volume, where a phantom is hot, and nearby ones where
/// it is cold.
struct PhantomRegion {
  std::string name;
  std::vector<Ordinal> hot;
  std::vector<Ordinal> cold;
};

/// \brief Returns the regions of \p kind in an image of \p rows x \p columns. Empty for phantoms
/// with more than two densities and for a single pixel.
///
/// `derenzo`: one region for each of its six sectors, named `rods 4.8` and so on. Pixels whose
/// centres are inside a rod are hot; the others within the convex hull of the centres of the rods
/// are cold. `disc`, `off_center_disc`: inside and outside of the disc. `checkerboard`: its
/// squares.
///
/// \throws Error when a number is out of range
std::vector<PhantomRegion> phantom_regions(PhantomKind kind, long long rows, long long columns,
                                           const PhantomSampling& sampling = {});

/// \brief Repeats the regions in all \p slices slices of \p pixels pixels each, for a volume in
/// which the phantom extends through all slices.
std::vector<PhantomRegion> through_slices(const std::vector<PhantomRegion>& regions, Ordinal slices,
                                          Ordinal pixels);

/// \brief Mean and standard deviation of an image in a set of pixels; 0 for an empty set.
struct RegionValues {
  double mean = 0;
  double sigma = 0;
};

/// \brief Returns the mean and the standard deviation of \p image over the pixels with the indices
/// \p pixels. The variance is the mean of the squared deviations.
template <class Scalar>
RegionValues values_in(std::span<const Scalar> image, const std::vector<Ordinal>& pixels);

}  // namespace Tomokkos
