// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief A measured sinogram as line integrals.
struct MeasuredSinogram {
  std::size_t views = 0;
  std::size_t detectors = 0;
  std::size_t slices = 1;
  std::vector<double> values;         ///< slices x views x detectors
  std::vector<double> theta_degrees;  ///< empty: the file does not tell
};

/// \brief How many slices the file of \p config holds. Reads its header alone.
std::size_t count_slices(const SinogramConfig& config);

/// \brief Reads the slices that \p slices names, one after the other in `values`. Else as
/// `read_sinogram`.
MeasuredSinogram read_sinogram_stack(const SinogramConfig& config, const SlicesConfig& slices,
                                     ConfigNode& notes);

/// \brief Reads the file of \p config: one slice of a NumPy array (views x detectors, or views x
/// rows x detectors) or of an HDF5 file in the DXchange layout; with flat fields it is turned from
/// transmission into line integrals.
///
/// \param notes gets what was replaced on the way.
/// \throw InputError, DimensionMismatch.
MeasuredSinogram read_sinogram(const SinogramConfig& config, ConfigNode& notes);

}  // namespace Tomokkos
