// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection as the start of an iteration, and what it needs of the data.
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief Prepares the input of a run with a filtered back projection, as solver or as start; no
/// effect on other runs.
///
/// Adds suspicions: directions or opposite rays are missing (`views`), or more than 2 % of the data
/// (`data`). As the solver needs the data of all rays, missing and excluded rays are filled
/// (`fill_missing`); for a start, only `fbp_start` fills its own copy.
///
/// \pre the scan is a parallel or fan beam, as `read_solver` checks
void prepare_filtered_data(const InputUse& use, RunInput& input);

/// \brief Fills the rays of `input.fill_mask`, and NaN, in the data. For data that are simulated,
/// or read after the matrix.
void fill_excluded_rays(RunInput& input);

/// \brief Images, slice after slice, and what MLEM required of them.
struct FbpStart {
  std::vector<double> images;
  std::int64_t raised = 0;  ///< pixels that were raised to a positive value, for MLEM
  FilledRays filled;        ///< values that were filled
};

/// \brief Computes the start from the data of \p input. Complete on return; the memory of one slice
/// is in use at a time.
///
/// Background is subtracted from the data, which are then divided by the multiplicative factors.
/// Rays that are missing, excluded or have a factor of 0 are filled (`fill_missing`).
///
/// \param is_positive raise pixels to a thousandth of the mean of the positive ones
/// \throws InputError for a slice without any measurement; MemoryError
template <class ExecutionSpace, class Scalar>
FbpStart fbp_start(const ExecutionSpace& exec, const RunInput& input, bool is_positive);

}  // namespace Tomokkos
