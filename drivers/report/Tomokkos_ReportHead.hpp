// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_Version.hpp>

namespace Tomokkos {

/// \brief Describes the program and the machine, the first part of a report after the
/// configuration.
template <class ExecutionSpace>
Description report_head(const ExecutionSpace& exec) {
  Description result = Description::map();
  result.set("version", version());
  result.set("git", git_commit());
  result.set("kokkos", kokkos_version());
  result.set("backend", backend_name<ExecutionSpace>());
  result.set("device", device_name(exec));
  result.set("threads", host_threads());
  return result;
}

}  // namespace Tomokkos
