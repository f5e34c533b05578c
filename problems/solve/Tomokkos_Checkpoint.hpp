// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_SolveProgress.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Texts that a checkpoint keeps for the run that resumes it, by name: what must be equal in
/// both, so that the bits are those of an uninterrupted run.
using CheckpointTexts = std::map<std::string, std::string>;

/// \brief State of a run after an iteration.
template <class Scalar>
struct Checkpoint {
  CheckpointTexts texts;
  SolveProgress progress;
  std::vector<std::map<int, double>> rmse;  ///< error of each slice by iteration
  /// Image, slice after slice, in natural order. For linear systems x, in the order of the solver.
  std::vector<Scalar> image;
};

/// \brief Slices of a volume that are complete. A checkpoint of a volume has their results, and no
/// image: their images are in partial files.
struct VolumeProgress {
  int done = 0, slices = 0;
  // Facts about the data of these slices, for the report.
  double smallest = 0, largest = 0;
  double clamped = 0, clamped_negative = 0, missing = 0;
  /// Fingerprint of the data of each slice, as they were read.
  std::vector<double> data;
  /// Fingerprint of each slice in the files of the volume, by the extension of the file.
  std::map<std::string, std::vector<double>> written;
};

/// \brief Stores \p volume in \p progress.
void set_volume(SolveProgress& progress, const VolumeProgress& volume);
/// \brief Progress of a volume; empty if the checkpoint belongs to another kind of run.
std::optional<VolumeProgress> volume_of(const SolveProgress& progress);

/// \brief Kind of the files that `write_checkpoint` writes and may replace.
extern const OutputKind checkpoint_output;

/// \brief Writes a NumPy archive (`image` of \p shape, `history`, `slices`, and `state.yaml` with
/// the texts), completely or not at all.
///
/// \throws OutputError
template <class Scalar>
void write_checkpoint(const std::filesystem::path& file, const Checkpoint<Scalar>& checkpoint,
                      const std::vector<std::size_t>& shape);

/// \brief Reads a checkpoint.
///
/// \throws InputError if it is missing, damaged or of another format, or if image or tables do not
/// match their fingerprints
///
/// \param check called with the texts before the arrays are read; may throw to refuse the
/// checkpoint
template <class Scalar>
Checkpoint<Scalar> read_checkpoint(const std::filesystem::path& file,
                                   const std::function<void(const CheckpointTexts&)>& check = {});

/// \brief Reads the texts of a checkpoint alone.
///
/// \throws InputError as `read_checkpoint`
CheckpointTexts read_checkpoint_texts(const std::filesystem::path& file);

}  // namespace Tomokkos
