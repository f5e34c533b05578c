// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tells a reconstruction that explains little of its data, as with a wrong geometry.
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <span>
#include <string>
#include <vector>

namespace Tomokkos {

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
