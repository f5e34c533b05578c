// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cstdint>
#include <vector>

namespace Tomokkos {

/// \brief A measured sinogram as line integrals; NaN where nothing was measured.
struct MeasuredSinogram {
  std::size_t views = 0;
  std::size_t detectors = 0;
  std::size_t slices = 1;
  std::vector<double> values;  ///< slices x views x detectors
  std::vector<double> theta;   ///< in `theta_unit`; empty: the file does not tell
  AngleUnit theta_unit = AngleUnit::degrees;
  bool theta_has_unit = false;      ///< whether the file names it
  bool is_integer = false;          ///< whether an HDF5 file holds whole numbers
  bool has_dark_fields = false;     ///< whether a dark field was taken off them
  bool has_flat_fields = false;     ///< whether the values were counts
  std::vector<char> dead_elements;  ///< slices x detectors: no open beam; empty without flat fields
  std::size_t clamped = 0;          ///< values of a transmission below the smallest one
};

/// \brief Bytes of host memory that a slice takes: for each ray, and for its image.
struct HostStackNeed {
  std::uint64_t ray_bytes = sizeof(double);
  std::uint64_t image_bytes = 0;
};

/// \brief Reads the slices that \p slices names, one after the other in `values`. Else as
/// `read_sinogram`.
///
/// \param need what a run will hold of them on the host; throws `MemoryError` before anything is
/// read when that is more than there is, saying how many slices can be had.
MeasuredSinogram read_sinogram_stack(const SinogramConfig& config, const SlicesConfig& slices,
                                     const HostStackNeed& need, Description& notes);

/// \brief Reads the file of \p config: one slice of a NumPy array (views x detectors, or views x
/// rows x detectors) or of an HDF5 file in the DXchange layout; with flat fields it is turned from
/// transmission into line integrals. NaN in the file is a value that was not measured.
///
/// \param notes gets the name of the file and whether it was a transmission.
/// \throw InputError, also for infinite values; DimensionMismatch.
MeasuredSinogram read_sinogram(const SinogramConfig& config, Description& notes);

}  // namespace Tomokkos
