// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_DistributedOperator.hpp>
#include <Tomokkos_Error.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Wishes for the distribution over several processes: the contents of `run.ranks` in a
/// configuration. Has no effect with one process.
struct RanksWish {
  std::vector<std::string> backend;        ///< backend of each rank; empty: `run.backend`
  std::vector<double> weights;             ///< shares of the rows; empty: equal or measured shares
  bool measured = false;                   ///< shares follow the measured speed of each rank
  std::optional<ImageDistribution> image;  ///< empty: replicated unless memory is short
  int slabs = 0;              ///< parts of the image in a sum; 0: chosen by the size of the image
  bool measure_sums = false;  ///< measures times of products and sums for the report

  /// \brief Weight of each of \p ranks, as given or equal.
  ///
  /// \throws ConfigError if their number is not that of the ranks
  std::vector<double> weights_of(int ranks) const {
    const auto size = static_cast<std::size_t>(ranks);
    if (weights.empty()) return std::vector<double>(size, 1.0);
    if (weights.size() != size)
      throw ConfigError("run.ranks.weights: lists " + std::to_string(weights.size()) +
                        " weights for " + std::to_string(size) + " ranks; give one for each rank");
    return weights;
  }

  /// \brief Refuses measured weights where the last bits of sums must not change from run to run.
  ///
  /// \throws ConfigError
  void require_steady(bool deterministic, bool has_checkpoints) const {
    if (!measured || !(deterministic || has_checkpoints)) return;
    throw ConfigError(
        std::string("run.ranks.weights: measured weights change from run to run, and with them the "
                    "rows of a rank and the last bits of sums, which ") +
        (deterministic ? "run.deterministic excludes" : "a checkpoint does not allow") +
        "; give the weights as numbers");
  }
};

}  // namespace Tomokkos
