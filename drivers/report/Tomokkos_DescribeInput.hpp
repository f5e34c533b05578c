// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Short descriptions of the input of a run, for users, and of a result that explains little of it.
#pragma once

#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Describes views, detectors, angles and rotation centre of a scan, or the shape of another
/// source of rows. Adds a line for each suspicion that the run ignores.
std::vector<std::string> describe_scan(const RunInput& input);

/// \brief Describes the source of the data, the corrections applied, and their range. Adds lines
/// for counts of a scanner that were added to others, or that the matrix does not hold, and for
/// truncated data.
std::vector<std::string> describe_data(const ProblemSection& problem, const RunInput& input);

/// \brief Says that the data do not reach zero at the ends of the detector (`data_ends`); nothing
/// if they do, or if the opposite views of a whole turn measure what is missing. Looks at all
/// slices of a stack.
std::optional<std::string> describe_truncation(const RunInput& input);

/// \brief Stores the sum of the data in rows without entries, with a note for the report.
///
/// \param row_sums sums of the rows of the matrix, in natural order
void note_unseen_counts(std::span<const double> row_sums, RunInput& input);

/// \brief Adds the range of the data to `input.notes` for the report.
void note_data(RunInput& input);

/// \brief Checks that at least one ray of a scan meets the image.
///
/// \throws InputError otherwise
void require_seen_image(const RunInput& input, Offset nonzeros);

/// \brief Slices of a run whose image explains less than half of the data.
struct UnexplainedData {
  std::vector<std::size_t> slices;
  double largest = 0;         ///< largest relative residual of these slices
  bool stack = false;         ///< false: the run has a single slice
  bool are_measured = false;  ///< false: the data are simulated
};

/// \brief Adds the slices of \p input whose relative residual r exceeds 0.5 by more than noise of
/// the relative norm n explains: `sqrt(r^2 - n^2) > 0.5`.
///
/// n follows from \p noise_levels if the data are simulated; for counts b (whole numbers, or the
/// data of `mlem` without flat fields), it is `sqrt(sum b) / |b|`.
///
/// No slice is added after less than five iterations, or if the solver has failed, or if the image
/// is a region of interest: it lies in the field of the detector, or the object reaches beyond that
/// field, and the rays beside the image have more than a fifth of the norm of the data. Truncated
/// data, missing directions and missing data excuse a filtered back projection.
///
/// \param noise_levels norm of the noise in each slice; empty: not known
/// \param results results of the slices of \p input
void find_unexplained(const SolverNeeds& needs, const RunInput& input,
                      std::span<const double> noise_levels, std::span<const SolveResult> results,
                      UnexplainedData& found);

/// \brief Warning of unexplained data with the likely causes; empty: none were found.
std::string describe_unexplained(const UnexplainedData& found);

}  // namespace Tomokkos
