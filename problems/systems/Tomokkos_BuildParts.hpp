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

/// \brief Builds the matrix of \p task in the first way of \p planned that fits into memory.
///
/// In parts, the rows keep the order of the run: each subset has its rows on the device first.
/// Without given shares, some rows are built and multiplied to measure the speeds of the places;
/// shares, and with them the last bits of sums, then change from run to run.
///
/// \param parts places of the rows of a way in parts
/// \pre `obstacle_to_parts` is empty for a way in parts
/// \throws MemoryError with the bytes needed, and other errors of `build_system`, for the last way;
/// those of the others are messages of \p observer
template <class ExecutionSpace, class Scalar>
BuiltSystem<ExecutionSpace, Scalar> build_planned(const ExecutionSpace& exec,
                                                  const SystemTask& task, const RunPlan& planned,
                                                  const PartsWish& parts = {},
                                                  const BuildObserver& observer = {});

}  // namespace Tomokkos
