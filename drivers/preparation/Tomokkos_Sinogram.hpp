// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_ViewAngles.hpp>
#include <cstdint>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Traces that flat and dark fields have left in the data.
struct FieldEffects {
  bool has_dark_fields = false;     ///< true if a dark field was subtracted
  bool has_flat_fields = false;     ///< true if the values were counts
  std::vector<char> dead_elements;  ///< slices x detectors, nonzero without an open beam; empty
                                    ///< without flat fields
  std::size_t clamped = 0;  ///< number of transmission values raised to the smallest allowed one
  /// slices x views, nonzero where a view is like the dark field; empty without flat fields
  std::vector<char> without_signal;
};

/// \brief Measured sinogram as line integrals, with NaN for missing measurements.
struct MeasuredSinogram : FieldEffects {
  std::size_t views = 0;
  std::size_t detectors = 0;
  std::size_t slices = 1;
  std::vector<double> values;  ///< slices x views x detectors
  std::vector<double> theta;   ///< angles in `theta_unit`; empty: not in the file
  AngleUnit theta_unit = AngleUnit::degrees;
  bool theta_has_unit = false;  ///< true if the file contains the unit
  Hdf5ScanPaths paths;          ///< places of the parts of an HDF5 scan; empty for other files
  std::vector<Suspicion> suspicions;  ///< about the files and the order of their axes
};

/// \brief Shape of a scan, as far as it is known before its data are read.
struct ExpectedScan {
  std::optional<std::size_t> views, detectors;
  bool has_own_views = false;  ///< the views are those whose angles an HDF5 file lists
};

/// \brief Bytes of host memory for a slice: per ray, and for its image.
struct HostStackNeed {
  std::uint64_t ray_bytes = sizeof(double);
  std::uint64_t image_bytes = 0;
};

/// \brief Slices that a configuration selects, from the header of the file.
struct StackShape {
  std::uint64_t first = 0;
  std::uint64_t slices = 1;
  std::uint64_t rays = 0;  ///< rays of a slice
};

/// \brief Reads the number of slices and their size.
///
/// \throws ConfigError if the file does not contain the slices; InputError
StackShape read_stack_shape(const SinogramConfig& config, const SlicesConfig& slices);

/// \brief Reads the slices selected by \p slices, one after the other in `values`, otherwise as
/// `read_sinogram`.
///
/// \param need bytes of a slice on the host; empty: the slices are known to fit
/// \throws MemoryError before reading if the slices do not fit, with the number that does
MeasuredSinogram read_sinogram_stack(const SinogramConfig& config, const SlicesConfig& slices,
                                     const ExpectedScan& expected,
                                     const std::optional<HostStackNeed>& need, Description& notes);

/// \brief Reads one slice of an array (views x detectors, or views x rows x detectors, or in the
/// order of `config.order`) or of an HDF5 file in the layout of DXchange or NXtomo. With flat
/// fields, converts transmission to line integrals. NaN in the file marks a value that was not
/// measured.
///
/// Data without a stated order that fit \p expected only with views and detectors exchanged are
/// read so, and are a suspicion.
///
/// \param notes receives the name of the file, the series of files and whether it was a
/// transmission \throws InputError, also for infinite values; DimensionMismatch with the order that
/// fits
MeasuredSinogram read_sinogram(const SinogramConfig& config, const ExpectedScan& expected,
                               Description& notes);

}  // namespace Tomokkos
