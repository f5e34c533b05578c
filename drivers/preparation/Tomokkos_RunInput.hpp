// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <optional>
#include <vector>

namespace Tomokkos {

/// \brief Everything that a run reads or knows before there is a matrix, in host memory.
struct RunInput {
  RowSource rows;         ///< what the matrix is made of
  VolumeGeometry volume;  ///< no rows: a matrix from a file whose image has no shape
  Ordinal depth = 1;      ///< slices of a volume, each as `volume` says; 1 for an image
  /// Shape of the sinogram; 0 x 0: a matrix from a file whose data have no shape.
  Ordinal views = 0;
  Ordinal detectors = 0;
  /// Blocks of a matrix of which the first row of them is given; 0: of any other.
  Ordinal blocks = 0;
  MatrixMasks masks;            ///< of rays and pixels
  std::vector<double> phantom;  ///< empty: there is none
  /// Images in `phantom`: 1 that all slices share, or one of each slice.
  Ordinal phantoms = 1;
  /// Slices of a stack; without one 1, and `stack` is false.
  Ordinal slices = 1;
  bool stack = false;
  std::vector<double> data;  ///< slice after slice; empty: made from the phantom
  // Terms of the model of MLEM, one value per row; empty: there is none.
  std::vector<double> multiplicative;
  std::vector<double> background;
  /// What was found out on the way, for the report.
  Description notes = Description::map();
  std::optional<RotationCenter> found_center;  ///< `rotation_center: auto`
  /// Of measured slices and their detector elements: whether one has no open beam; empty: none.
  std::vector<char> dead_elements;
  std::size_t clamped = 0;            ///< values of a transmission below the smallest one
  bool has_dark_fields = false;       ///< a dark field was taken off them
  bool has_flat_fields = false;       ///< measured data were counts
  std::size_t missing_rays = 0;       ///< without a measurement, left out by `masks`
  std::size_t missing_values = 0;     ///< NaN in `data`: rays that only some slices miss
  std::vector<Suspicion> suspicions;  ///< with which the run goes on

  std::int64_t num_voxels() const { return depth * volume.num_pixels(); }
};

/// \brief Reads the measured data of \p config, and settles what it left open: number of views and
/// detectors, angles, rotation centre.
///
/// \throw ConfigError, InputError, DimensionMismatch: bad input. InputError for suspicions that
/// `run.allow` does not name.
RunInput read_input(const RunConfig& config);

/// \brief Sets the data of rays that are left out to 0, in every slice.
void clear_masked_data(RunInput& input);

/// \brief Rays of each slice that were measured and are not left out. The data are there.
std::vector<double> counted_rays(const RunInput& input);

/// \brief Throws `DimensionMismatch` when a matrix from a file has other rows and columns than data
/// and image of \p config, as far as these are known.
void require_matrix_shape(const RunConfig& config, const RunInput& input, Ordinal rows,
                          Ordinal columns);

/// \brief Samples or reads the phantom, if there is one: `8 rows columns` bytes a slice. In a
/// volume an image reaches through all slices; that of a cone beam is in polar voxels.
void draw_phantom(const RunConfig& config, RunInput& input);

/// \brief Reads the right-hand side of a matrix from a file, or of a scanner, if there is one.
///
/// \throw InputError, DimensionMismatch.
void read_rhs(const RunConfig& config, Ordinal rows, RunInput& input);

/// \brief A vector of \p length values from a number or a `.npy` file (of any shape).
std::vector<double> read_constant_or_file(const ConstantOrFile& source, const std::string& key,
                                          std::size_t length, const std::string& length_name);

/// \brief Reads the terms of the model, as far as there are any: files of one value per row. A
/// number as background is for rows that are measured: of a scanner for pairs i < j alone.
///
/// \throw InputError, naming the first negative entry; DimensionMismatch.
void read_terms(const RunConfig& config, Ordinal rows, RunInput& input);

/// \brief Refuses negative values, or sets them to 0, as the configuration says.
void check_negative_data(const RunConfig& config, RunInput& input);

}  // namespace Tomokkos
