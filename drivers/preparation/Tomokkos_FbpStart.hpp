// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection as the start of an iteration.
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <cstdint>

namespace Tomokkos {

/// \brief Checks that `solver.start: fbp` can be computed.
///
/// \throws InputError for another geometry than a parallel or fan beam, for excluded or missing
/// rays, and for too few directions (see `view_shares`)
void check_fbp_start(const RunInput& input);

/// \brief Images, slice after slice, and what MLEM required of them.
struct FbpStart {
  std::vector<double> images;
  std::int64_t raised = 0;  ///< pixels that were raised to a positive value, for MLEM
};

/// \brief Computes the start from the data of \p input. Complete on return; the memory of one slice
/// is in use at a time.
///
/// Background is subtracted from the data, which are then divided by the multiplicative factors.
///
/// \param is_positive raise pixels to a thousandth of the mean of the positive ones
/// \throws InputError for a multiplicative factor of 0; MemoryError
template <class ExecutionSpace, class Scalar>
FbpStart fbp_start(const ExecutionSpace& exec, const RunInput& input, bool is_positive);

}  // namespace Tomokkos
