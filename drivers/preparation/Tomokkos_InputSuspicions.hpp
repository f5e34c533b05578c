// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run does about input that is legal but almost certainly a mistake, and about rays that
// were not measured.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Sinogram.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief True when a run goes on with a suspicion of this kind (`run.allow`, `run.on_suspicion`).
bool is_allowed(const RunSection& run, SuspicionKind kind);

/// \brief Throws `InputError` with the suspicions that are not allowed and the key that allows
/// them.
void refuse_suspicions(const RunSection& run, const std::vector<Suspicion>& suspicions);

/// \brief What a person is told of the suspicions that a run goes on with: a line for each.
std::vector<std::string> describe_suspicions(const RunInput& input);

/// \brief Prints those lines as warnings to the standard error, unless each kind was allowed by
/// name.
void warn_of_suspicions(const RunConfig& config, const RunInput& input);

/// \brief Suspects the angles of a scan that were written without a unit.
///
/// \param measured data, whose angles may be used; nullptr: none
void suspect_angles(const ScanConfig& geometry, const MeasuredSinogram* measured,
                    std::vector<Suspicion>& suspicions);

/// \brief Takes the rays without a measurement (NaN in `input.data`) out of the reconstruction, as
/// `problem.ray_mask` does; rays that this mask leaves out already do not count.
///
/// A ray that only some slices of a stack miss stays in the matrix, and their data keep the NaN.
/// The solver leaves the ray out of these slices (`NanData::missing`).
///
/// \throw InputError when a slice has no ray left.
void remove_missing_rays(RunInput& input);

}  // namespace Tomokkos
