// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A matrix in parts: in the memory of the device, streamed from host memory, and multiplied by the
// cores of the host.
#pragma once

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_SplitPlan.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Places of the rows of a matrix in parts.
struct PartsWish {
  bool with_host = false;  ///< the cores of the host multiply some rows even if all fit
  /// Shares of device and host, or of device, streamed rows and host. Empty: measured.
  std::vector<double> shares;
  Overflow overflow = Overflow::automatic;
};

/// \brief Builds the matrix of \p task in parts. The rows keep the order of the run: each subset
/// has its rows on the device first.
///
/// Without given shares, some rows are built and multiplied to measure the speeds of the places;
/// shares, and with them the last bits of sums, then change from run to run.
///
/// \pre `obstacle_to_parts(task)` is empty
/// \throws MemoryError with the bytes needed; the errors of `build_system`
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_parts(const ExecutionSpace& exec, const SystemTask& task,
                                                const PartsWish& wish,
                                                const BuildObserver& observer = {});

/// \brief Builds the matrix of \p task in the first way of \p planned that fits into memory.
///
/// \param parts places of the rows of a way in parts
/// \throws the errors of the last way; those of the others are messages of \p observer
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_planned(const ExecutionSpace& exec,
                                                  const SystemTask& task, const RunPlan& planned,
                                                  const PartsWish& parts = {},
                                                  const BuildObserver& observer = {});

}  // namespace Tomokkos
