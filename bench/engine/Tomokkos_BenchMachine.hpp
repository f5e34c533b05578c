// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief Describes the machine on which \p exec runs: model, threads, last cache, memory,
/// versions.
///
/// If a host has several last caches, their sizes are added.
template <class ExecutionSpace>
Machine describe_machine(const ExecutionSpace& exec);

}  // namespace Tomokkos::Bench
