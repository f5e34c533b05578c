// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_SolveResult.hpp>
#include <map>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief How far the slices of a stack have come: with the image all that a solver needs to go on
/// as if it had never stopped.
struct SolveProgress {
  /// k of the iterate `x_k` that belongs to it.
  int iteration = 0;
  /// Of each slice, its history up to `x_k` or to where it has stopped.
  std::vector<SolveResult> results;
  /// Which slices go on, if there are iterations left.
  std::vector<bool> active;
  /// What the solver holds beside x, by its names: vectors and scalars of its recursion, of all
  /// slices, and of the rank that they are on. Empty where x is all of it.
  std::map<std::string, std::vector<double>> held = {};
};

}  // namespace Tomokkos
