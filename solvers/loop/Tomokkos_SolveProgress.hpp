// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <vector>

namespace Tomokkos {

/// \brief How far the slices of a stack have come: with the image all that `Mlem` and `Sirt` need
/// to go on as if they had never stopped.
struct SolveProgress {
  /// k of the iterate `x_k` that belongs to it.
  int iteration = 0;
  /// Of each slice, its history up to `x_k` or to where it has stopped.
  std::vector<SolveResult> results;
  /// Which slices go on, if there are iterations left.
  std::vector<bool> active;
};

}  // namespace Tomokkos
