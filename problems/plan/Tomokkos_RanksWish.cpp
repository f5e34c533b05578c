// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RanksWish.hpp>

namespace Tomokkos {

std::vector<double> RanksWish::weights_of(int ranks) const {
  const auto size = static_cast<std::size_t>(ranks);
  if (weights.empty()) return std::vector<double>(size, 1.0);
  if (weights.size() != size)
    throw ConfigError("run.ranks.weights: lists " + std::to_string(weights.size()) +
                      " weights for " + std::to_string(size) + " ranks; give one for each rank");
  return weights;
}

void RanksWish::require_steady(bool deterministic, bool has_checkpoints) const {
  if (!measured || !(deterministic || has_checkpoints)) return;
  throw ConfigError(
      std::string("run.ranks.weights: measured weights change from run to run, and with them the "
                  "rows of a rank and the last bits of sums, which ") +
      (deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
      "; give the weights as numbers");
}

}  // namespace Tomokkos
