// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short descriptions of the input of a run, for users.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Describes views, detectors, angles and rotation centre of a scan, or the shape of another
/// source of rows. Adds a line for each suspicion that the run ignores.
std::vector<std::string> describe_scan(const RunInput& input);

/// \brief Describes the source of the data, the corrections applied, and their range.
///
/// \param data data of the solver in natural order; 0 for a ray that is left out
std::string describe_data(const ProblemSection& problem, const RunInput& input,
                          std::span<const double> data);

/// \brief Says that the data do not reach zero at the ends of the detector (`data_ends`); nothing
/// if they do, or if the opposite views of a whole turn measure what is missing. Looks at all
/// slices of a stack.
std::optional<std::string> describe_truncation(const RunInput& input);

/// \brief Describes counts of a scanner that were added to others, and those that the matrix does
/// not hold, one line each.
std::vector<std::string> describe_counts(const RunInput& input);

/// \brief Stores the sum of the data in rows without entries, with a note for the report.
///
/// \param row_sums sums of the rows of the matrix, in natural order
void note_unseen_counts(std::span<const double> row_sums, RunInput& input);

/// \brief Adds the range of the data to `input.notes` for the report.
void note_data(std::span<const double> data, RunInput& input);

/// \brief Checks that at least one ray of a scan meets the image.
///
/// \throws InputError otherwise
void require_seen_image(const RunInput& input, Offset nonzeros);

}  // namespace Tomokkos
