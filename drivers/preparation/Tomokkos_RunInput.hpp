// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_CsrMatrix.hpp>
#include <Tomokkos_Description.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_FillMissing.hpp>
#include <Tomokkos_Masks.hpp>
#include <Tomokkos_PairCounts.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <Tomokkos_Suspicions.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Calls \p function and reports its refusals as bad input of \p key.
template <class Function>
auto as_config_error(const std::string& key, Function&& function) {
  try {
    return function();
  } catch (const ConfigError&) {
    throw;  // already contains its key
  } catch (const Error& error) {
    throw ConfigError(key + ": " + error.what());
  }
}

/// \brief All input of a run that is known before the matrix, in host memory.
struct RunInput : FieldEffects {
  RowSource rows;              ///< source of the rows of the matrix
  bool rows_are_rays = false;  ///< of a tomographic problem, also where a file holds the matrix
  VolumeGeometry volume;       ///< has 0 rows for a matrix from a file whose image has no shape
  Ordinal depth = 1;  ///< number of slices of a volume, each described by `volume`; 1 for an image
  bool is_volume = false;  ///< columns are voxels, also of a single slice
  /// Shape of the sinogram. 0 x 0 for a matrix from a file whose data have no shape.
  Ordinal views = 0;
  Ordinal detectors = 0;
  /// Number of blocks when only the first block row is given, otherwise 0.
  Ordinal blocks = 0;
  MatrixMasks masks;            ///< masks of rays and pixels
  std::vector<double> phantom;  ///< empty: no phantom
  /// Number of images in `phantom`: 1 shared by all slices, or one for each slice.
  Ordinal phantoms = 1;
  /// Number of slices of a stack. Without a stack, 1, and `stack` is false.
  Ordinal slices = 1;
  bool stack = false;
  /// Number of slices of which these are a slab, and of those before it. 0: not a slab.
  Ordinal all_slices = 0, slab_begin = 0;
  Ordinal repeated_slices = 0;  ///< slices at the end of a slab that repeat the one before
  std::vector<double> data;     ///< slice after slice; empty: simulated from the phantom
  DataFacts facts;              ///< about the data, for the memory of a run
  // Terms of the model of MLEM, one value per row; empty: none.
  std::vector<double> multiplicative;
  std::vector<double> background;
  /// Facts about the input, for the report.
  Description notes = Description::map();
  std::optional<RotationCenter>
      found_center;                ///< result of `rotation_center: auto`; empty: not searched
  std::size_t missing_rays = 0;    ///< rays without a measurement, left out by `masks`
  std::size_t missing_values = 0;  ///< NaN in `data`, for rays that only some slices miss
  /// Solver fbp: rays to be filled in the data, instead of `masks.rows` (zero; empty: none), and
  /// what has been filled.
  std::vector<char> fill_mask;
  FilledRays filled;
  /// Counts of pairs (j, i) of a scanner that were added to those of (i, j); empty: none.
  std::optional<PairCounts> added_counts;
  double unseen_counts = 0;  ///< counts of pairs that the matrix of a scanner does not hold
  std::vector<Suspicion> suspicions;  ///< suspicions that the run ignores

  /// \brief Adds a suspicion, if there is one.
  void suspect(std::optional<Suspicion> suspicion) {
    if (suspicion) suspicions.push_back(std::move(*suspicion));
  }

  std::int64_t num_voxels() const { return depth * volume.num_pixels(); }
};

/// \brief Slices of a volume that are read together.
struct Slab {
  Ordinal first = 0;  ///< first slice in the file
  Ordinal count = 0;
  Ordinal all = 0;               ///< number of selected slices, of which these are some
  Ordinal begin = 0;             ///< selected slices before these
  std::optional<double> center;  ///< rotation centre that was found; empty: that of the geometry
};

/// \brief Reads the measured data of \p problem and determines the values it leaves open: number of
/// views and detectors, angles, rotation centre.
///
/// \param slab slices to read; empty: all that the problem selects
/// \throws ConfigError, InputError or DimensionMismatch for bad input; InputError for suspicions
/// not in `run.allow`
RunInput read_input(const ProblemSection& problem, const RunSection& run, const InputUse& use,
                    const std::optional<Slab>& slab = {});

/// \brief Reads the measured data of a scan, if any, and determines the values that \p geometry
/// leaves open.
///
/// \param slab slices to read; empty: all that \p problem selects
/// \throws the errors of `read_input`
void read_scan(const ScanConfig& geometry, const ProblemSection& problem, const RunSection& run,
               const SolverNeeds& needs, const std::optional<Slab>& slab, RunInput& input);

/// \brief Sets the data of excluded rays to 0 in every slice.
void clear_masked_data(RunInput& input);

/// \brief Checks that the rows and columns of a matrix from a file match the data and the image,
/// as far as these are known.
///
/// \throws DimensionMismatch otherwise
void require_matrix_shape(const RunInput& input, Ordinal rows, Ordinal columns);

/// \brief Samples or reads the phantom, if any. Needs `8 rows columns` bytes per slice. In a volume
/// an image is repeated in all slices. The phantom of a cone beam is in polar voxels.
void draw_phantom(const ProblemSection& problem, RunInput& input);

/// \brief Reads the right-hand side of a matrix from a file or of a scanner, if any. Counts of a
/// scanner are moved to the pairs of crystals that its matrix holds (`fold_pair_counts`).
///
/// \throws InputError, DimensionMismatch
void read_rhs(const ProblemSection& problem, const RunSection& run, const SolverNeeds& needs,
              Ordinal rows, RunInput& input);

/// \brief Returns the shape of an array of \p pixels pixels or voxels, as results have it.
ArrayShape image_array(const RunInput& input, std::size_t pixels);

/// \brief Makes a vector from a number or a `.npy` file of this shape, or of one dimension.
///
/// \throws DimensionMismatch with both shapes for another shape
std::vector<double> read_constant_or_file(const ConstantOrFile& source, const std::string& key,
                                          const ArrayShape& shape);

/// \brief Reads the terms of the model, if any, from files with one value per row. A constant
/// background applies only to measured rows; for a scanner these are the pairs i < j.
///
/// \throws InputError with the first negative entry; DimensionMismatch
void read_terms(const SolverSection& solver, Ordinal rows, RunInput& input);

/// \brief Refuses negative values or sets them to 0, as configured. Returns the number of those
/// that were set.
std::size_t check_negative_data(const ProblemSection& problem, const SolverNeeds& needs,
                                RunInput& input);

// The task of the operator and the order of a sweep, which follow from the input.

/// \brief Task of building the operator of a reconstruction. The slices of \p input decide the
/// vectors of \p needs, and its views the subsets of `sart`.
///
/// \param input must outlive the task
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs, const RunInput& input);

/// \brief Task of preparing the operator of a linear system whose matrix exists already.
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs);

/// \brief Order of a sweep with all choices made.
struct SweepOrder {
  std::vector<Ordinal> rows;  ///< natural row indices in order of visit; empty: 0, 1, ...
  Ordinal stride = 1;
  Ordinal block_rows = 1;

  /// \brief Describes the order with every choice made, for the report.
  Description report(const SweepConfig& sweep, bool has_blocks) const;
};

/// \brief Makes the order of \p sweep. Views and detectors must be known.
///
/// \throws ConfigError if they are not, or if a stride of `auto` has no geometry
SweepOrder make_sweep_order(const SweepConfig& sweep, const RunInput& input);

}  // namespace Tomokkos
