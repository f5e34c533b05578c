// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConeBeamScan.hpp>
#include <Tomokkos_PolarVolume.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Picture of one view of \p data, an array (v, u, view). Each row has increasing u; the row
/// with the largest v is on top.
template <class Scalar>
std::vector<Scalar> view_of(const ConeBeamScan& scan, std::span<const Scalar> data,
                            Ordinal view = 0);

/// \brief Weight of each in-sector voxel: its volume divided by the mean volume of all voxels.
std::vector<double> voxel_weights(const PolarVolume& volume);

}  // namespace Tomokkos
