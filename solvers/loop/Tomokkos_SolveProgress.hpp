// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <map>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief State of an interrupted solve. Together with the image it is all that a solver needs to
/// continue as if it had never stopped.
struct SolveProgress {
  /// Index k of the iterate `x_k` that belongs to this state.
  int iteration = 0;
  /// History of each slice up to `x_k` or to the iterate at which the slice has stopped.
  std::vector<SolveResult> results;
  /// Flags of the slices that continue, if there are iterations left.
  std::vector<bool> active;
  /// Arrays that the solver needs besides x, by name: vectors and scalars of its recursion, for all
  /// slices and the part on this rank. Empty if x is sufficient.
  std::map<std::string, std::vector<double>> held = {};
};

}  // namespace Tomokkos
