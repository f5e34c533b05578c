// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ways to the matrix of a run, decided before anything is built.
#pragma once

#include <Tomokkos_RunBytes.hpp>
#include <Tomokkos_SplitPlan.hpp>
#include <Tomokkos_SystemTask.hpp>
#include <optional>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Facts about the machine and the run that decide the way to a matrix, besides the task.
struct PlanFacts {
  MachineFacts machine = {};
  /// From `sample_matrix`, or estimated otherwise; 0 nonzeros: not sampled.
  MatrixSample sample = {};
  std::optional<SlabPlan> slabs = {};  ///< empty: all slices are solved as one stack
  PartsWish parts = {};
  bool keeps_bits = false;  ///< deterministic sums or checkpoints: shares must not be measured
};

/// \brief A way to the matrix, and the places of its rows.
struct PlannedWay {
  OperatorWish wish;
  bool in_parts = false;  ///< rows on the device, streamed from host memory, and on the host
  std::string because;    ///< why it is taken, or what it does where the way before does not fit
  /// Estimated memory of the process when the run needs most, with what it held before; on a host
  /// backend all of it is that of the device. Empty: not known before the matrix is built.
  std::optional<PlaceBytes> peak_bytes = {};
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

/// \brief True if `plan` chooses between ways by the nonzeros of \p task.
bool plan_needs_nonzeros(const SystemTask& task, const PlanFacts& facts);

/// \brief True if `plan` needs a sample of the matrix of \p task, to choose a way or to say its
/// bytes.
bool plan_needs_sample(const SystemTask& task, const PlanFacts& facts);

/// \brief Bytes of a run whose matrix is built from a geometry in the way that `task.wish` says,
/// with all slices or the slabs of a volume. Empty if they are known only with the matrix: its
/// format is chosen for it, or the sample does not tell its size.
std::optional<RunBytes> bytes_of_way(const SystemTask& task, const PlanFacts& facts);

/// \brief Plans the ways to the matrix of \p task. A pure function: it depends on its arguments
/// alone.
RunPlan plan(const SystemTask& task, const PlanFacts& facts);

/// \brief Reason why the rows of \p task cannot be divided into parts; empty if they can.
std::string obstacle_to_parts(const SystemTask& task);

}  // namespace Tomokkos
