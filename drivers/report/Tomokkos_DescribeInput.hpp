// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a run understood its input, in a few lines for a person.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Views, detectors, angles and rotation centre of a scan, or the shape of what takes their
/// place; then a line for each suspicion that the run goes on with.
std::vector<std::string> describe_scan(const RunInput& input);

/// \brief Where the data come from, what was done to them, and their range.
///
/// \param data as the solver gets them, in natural order, 0 where a ray is left out
std::string describe_data(const RunConfig& config, const RunInput& input,
                          std::span<const double> data);

/// \brief Adds the same facts to `input.notes`, for the report.
void note_data(std::span<const double> data, RunInput& input);

/// \brief Throws `InputError` when no ray of a scan meets the image.
void require_seen_image(const RunInput& input, Offset nonzeros);

}  // namespace Tomokkos
