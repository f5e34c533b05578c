// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Task of building the operator of a reconstruction. The slices of \p input decide the
/// vectors of \p needs, and its views the subsets of `sart`.
///
/// \param input must outlive the task
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs, const RunInput& input);

/// \brief Task of preparing the operator of a linear system whose matrix exists already.
SystemTask system_task(const OperatorWish& wish, const SolverNeeds& needs);

/// \brief Order of a sweep with all choices made.
struct SweepOrder {
  std::vector<Ordinal> rows;  ///< natural row indices in order of visit; empty: 0, 1, ...
  Ordinal stride = 1;
  Ordinal block_rows = 1;

  /// \brief Describes the order with every choice made, for the report.
  Description report(const SweepConfig& sweep, bool has_blocks) const;
};

/// \brief Makes the order of \p sweep. Views and detectors must be known.
///
/// \throws ConfigError if they are not, or if a stride of `auto` has no geometry
SweepOrder make_sweep_order(const SweepConfig& sweep, const RunInput& input);

}  // namespace Tomokkos
