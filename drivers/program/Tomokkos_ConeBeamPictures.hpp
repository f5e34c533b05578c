// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Element for element what a view of \p data, an array (v, u, view), shows: rows of growing
/// u, the one with the largest v on top.
template <class Scalar>
std::vector<Scalar> view_of(const ConeBeamScan& scan, std::span<const Scalar> data,
                            Ordinal view = 0);

/// \brief Of each in-sector voxel, the volume of one of its rotations over the mean of all voxels.
std::vector<double> voxel_weights(const PolarVolume& volume);

}  // namespace Tomokkos
