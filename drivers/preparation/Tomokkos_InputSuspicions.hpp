// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Handling of input that is valid but almost certainly a mistake, and of rays without a
// measurement.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief True if a suspicion of this kind has been found.
bool has_suspicion(const RunInput& input, SuspicionKind kind);

/// \brief Refuses suspicions that are not allowed.
///
/// \throws InputError with these suspicions and the key that allows them
void refuse_suspicions(const RunSection& run, const std::vector<Suspicion>& suspicions);

/// \brief Describes the suspicions that a run ignores, one line each.
std::vector<std::string> describe_suspicions(const RunInput& input);

/// \brief Adds these lines to the notes for the report.
void note_suspicions(RunInput& input);

/// \brief Prints these lines as warnings to standard error if `run.on_suspicion` is `warn`.
void warn_of_suspicions(const RunSection& run, const RunInput& input);

/// \brief Refuses right-hand sides from \p file that look like counts, unless that is allowed. Data
/// of a scanner may be counts, and data without a shape are not judged.
///
/// \throws InputError
void suspect_rhs(const std::filesystem::path& file, const RunSection& run, RunInput& input);

/// \brief Describes what is unusual about measured data of a scan, but not wrong: warnings, one
/// line each.
std::vector<std::string> describe_unusual_input(const InputUse& use, const RunInput& input);

/// \brief Removes rays without a measurement (NaN in `input.data`) from the reconstruction, as
/// `problem.ray_mask` does. Adds suspicions for views that are like the dark field, for many
/// transmissions that were raised to the smallest one (unless \p negative is `clamp`), and for many
/// missing rays. Ignores rays that the mask already excludes.
///
/// A ray that is missing in only some slices of a stack stays in the matrix, and the data keep the
/// NaN. The solver leaves the ray out of these slices (`NanData::missing`). In a slab of a volume
/// this applies to all missing rays.
///
/// \param first_slice number of the first slice in its file
/// \throws InputError if a slice has no ray left
void settle_missing_data(Ordinal first_slice, NegativeData negative, RunInput& input);

}  // namespace Tomokkos
