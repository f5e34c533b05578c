// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Values from the data of a run that the parameters of a solver need.
struct SolverContext {
  /// Rows of a block of block ART.
  Ordinal block_rows = 1;
  /// Rows that stay together in an ordered subset.
  Ordinal subset_unit = 1;
  /// Where the subsets begin; empty: they are cut evenly.
  std::vector<Ordinal> subset_begins;
  /// Where rows lie in the data, for `StopRules::ncp`.
  WhiteNoise rays;
  /// Norm of the noise in each slice, for the rules that know it; empty: not known.
  std::vector<double> noise_levels;
  /// Rays of each slice that were measured and are not masked.
  std::vector<double> counted_rays;
  /// Whether a NaN among the data is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief The parameters that \p config asks for.
SolverParams solver_params(const SolverSection& config, const SolverContext& context = {});

}  // namespace Tomokkos
