// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the report of any run says of where it ran and what it took.
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_RunConfig.hpp>
#include <Tomokkos_SolveResult.hpp>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace Tomokkos {

/// \brief The beginning of a report: `configuration`, `version`, `git`, `kokkos`, `backend`,
/// `device`, `threads`.
template <class ExecutionSpace>
ConfigNode report_head(const ExecutionSpace& exec, const RunConfig& config);

/// \brief `{iteration_bytes, gigabytes_per_second}`; no rate where nothing was iterated.
ConfigNode traffic_node(std::size_t iteration_bytes, int iterations, double seconds);

/// \brief `{host_bytes, device_bytes, solver_bytes}`, the first of this process so far.
ConfigNode peak_memory_node(std::uint64_t device_bytes, std::size_t solver_bytes);

/// \brief The names of \p files.
ConfigNode files_node(const std::vector<std::filesystem::path>& files);

/// \brief The most iterations of several right-hand sides.
int most_iterations_of(const std::vector<SolveResult>& results);

/// \brief How a run of several right-hand sides has ended: 130 where one was interrupted, 0 where
/// all are solved, else 1, and a message on the standard error that begins with the name of the
/// first that is not.
///
/// \param names of the right-hand sides
int exit_status_of(const std::vector<SolveResult>& results, const std::vector<const char*>& names);

}  // namespace Tomokkos
