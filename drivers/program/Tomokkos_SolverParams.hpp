// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Values that the parameters of a solver need and that follow from the data of a run.
struct SolverContext {
  /// Rows of a block of block ART.
  Ordinal block_rows = 1;
  /// First row of each block among the rows of this rank. Empty: blocks of equal size.
  std::vector<Ordinal> block_begins;
  /// Rows that stay together in an ordered subset.
  Ordinal subset_unit = 1;
  /// First row of each subset. Empty: subsets of equal size.
  std::vector<Ordinal> subset_begins;
  /// Values for stop rules.
  StopData data;
  /// Meaning of NaN in the data: an error or a missing measurement.
  NanData nan_data = NanData::refused;
};

/// \brief Parameters of the solver in \p config.
SolverParams solver_params(const SolverSection& config, const SolverContext& context = {});

}  // namespace Tomokkos
