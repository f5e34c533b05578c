// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_CheckpointIdentity.hpp>
#include <Tomokkos_SolveProgress.hpp>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief The state of a run after a whole number of iterations.
template <class Scalar>
struct Checkpoint {
  CheckpointIdentity identity;
  SolveProgress progress;
  std::vector<std::map<int, double>> rmse;  ///< of each slice, by iteration
  /// Slice after slice, in natural order; of systems x, in the order of the solver.
  std::vector<Scalar> image;
  std::string version;                      ///< of the program that wrote it
};

/// \brief Writes an archive that NumPy opens (`image` of \p shape, `history`, `slices`,
/// `state.yaml`); it appears whole or not at all. Throws `OutputError`.
template <class Scalar>
void write_checkpoint(const std::filesystem::path& file, const Checkpoint<Scalar>& checkpoint,
                      const std::vector<std::size_t>& shape);

/// \brief Reads what `write_checkpoint` wrote. Throws `InputError` when there is none, for a
/// damaged one, for one of another format, and where image or tables are not those that were
/// written (by their fingerprints), naming what is wrong.
///
/// \param check looks at whose it is before the arrays are read, which it may refuse by an
/// exception
template <class Scalar>
Checkpoint<Scalar> read_checkpoint(
    const std::filesystem::path& file,
    const std::function<void(const CheckpointIdentity&)>& check = {});

}  // namespace Tomokkos
