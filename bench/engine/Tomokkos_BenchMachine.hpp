// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Tomokkos_BenchReport.hpp"

namespace Tomokkos::Bench {

/// \brief What \p exec runs on: model, threads, last cache (all of them together where the host has
/// several), memory, versions.
template <class ExecutionSpace>
Machine describe_machine(const ExecutionSpace& exec);

}  // namespace Tomokkos::Bench
