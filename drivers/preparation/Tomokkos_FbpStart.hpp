// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection as the start of an iteration, and what it needs of the data.
#pragma once

#include <Tomokkos_RunInput.hpp>
#include <cstdint>
#include <string>

namespace Tomokkos {

/// \brief Checks that a filtered back projection can be computed from the data.
///
/// \param key key that asks for it, and \p remedy, what to do instead: for the message
/// \pre the scan is a parallel or fan beam, as `read_solver` checks
/// \throws InputError for excluded or missing rays, and for too few directions (see `view_shares`)
void check_fbp(const RunInput& input, const std::string& key, const std::string& remedy);

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
