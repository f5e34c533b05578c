// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_AnySolver.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <vector>

namespace Tomokkos {

/// \brief What a solver takes besides the data; empty: absent. Must outlive the solver.
template <class Scalar, class MemorySpace>
struct SolverTerms {
  // Terms of the model of MLEM, one value per row.
  Vector<Scalar, MemorySpace> multiplicative;
  Vector<Scalar, MemorySpace> additive;
  /// The rows in the order in which ART visits them.
  Kokkos::View<const Ordinal*, MemorySpace> row_order;
  /// Rows of a block of block ART.
  Ordinal block_rows = 1;
  /// Rows that stay together in an ordered subset.
  Ordinal subset_unit = 1;
  /// Where rows lie in the data, for `StopRules::ncp`.
  WhiteNoise rays = {};
  /// Where the subsets begin; empty: they are cut evenly.
  std::vector<Ordinal> subset_begins = {};
  /// The subsets, or views, in the order in which SART visits them; empty: as their rows lie.
  std::vector<Ordinal> subset_order = {};
  /// Whether a NaN among the data is an error or a ray that was not measured.
  NanData nan_data = NanData::refused;
};

/// \brief The solver that \p config asks for.
///
/// \param slices how many slices it solves at once; `art` and `block_art` take one
/// \param noise_levels norm of the noise in each slice for the discrepancy rule, where it is known.
template <class ExecutionSpace, class Scalar>
AnySolver<ExecutionSpace, Scalar> make_solver(
    const ExecutionSpace& exec, const SolverSection& config, Ordinal rows, Ordinal columns,
    Ordinal slices, const std::vector<double>& noise_levels,
    const SolverTerms<Scalar, typename ExecutionSpace::memory_space>& terms);

}  // namespace Tomokkos
