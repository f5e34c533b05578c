// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to the matrix of a run, decided before anything is built.
#pragma once

#include <Tomokkos_SplitPlan.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Facts about the machine and the run that decide the way to a matrix, besides the task.
struct PlanFacts {
  bool gpu = false;
  std::size_t scalar_bytes = sizeof(float);
  double nonzeros = 0;  ///< estimate for the matrix; needed where `plan_needs_nonzeros`
  Overflow overflow = Overflow::automatic;
  bool divides_rows = false;  ///< two backends, or given shares of one
  bool keeps_bits = false;    ///< deterministic sums or checkpoints: shares must not be measured
};

/// \brief A way to the matrix, and the places of its rows.
struct PlannedWay {
  OperatorWish wish;
  bool in_parts = false;  ///< rows on the device, streamed from host memory, and on the host
  std::string because;    ///< why it is taken, or what it does where the way before does not fit
};

/// \brief Name of a way: `parts`, `scsr`, `computed`, `block_circulant`, a format, or `automatic`.
std::string name_of(const PlannedWay& way);

/// \brief Ways to the matrix of a run.
struct RunPlan {
  /// The first one is taken. Each of the others follows where memory is too short for the one
  /// before it.
  std::vector<PlannedWay> ways;
  /// Why `automatic` stores the matrix of a scan on a GPU instead of computing its entries; empty:
  /// it does not, or was not asked.
  std::optional<std::string> not_computed;
};

/// \brief True if `plan` needs an estimate of the nonzeros of \p task.
bool plan_needs_nonzeros(const SystemTask& task, const PlanFacts& facts);

/// \brief Plans the ways to the matrix of \p task. A pure function: it depends on its arguments
/// alone.
RunPlan plan(const SystemTask& task, const PlanFacts& facts);

/// \brief Reason why the rows of \p task cannot be divided into parts; empty if they can.
std::string obstacle_to_parts(const SystemTask& task);

}  // namespace Tomokkos
