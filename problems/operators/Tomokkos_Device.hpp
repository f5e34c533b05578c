// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the machine is, and how much memory it has left.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cstdint>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief The most memory that this process has held so far.
std::uint64_t peak_host_memory();

/// \brief From now on `available_memory` and `available_host_memory` are an equal part of what
/// there is: processes on this machine, and those of them that share this process's GPU.
void set_memory_sharers(int on_host, int on_device);

/// \brief Bounds what all processes that share a machine and its GPUs take from now on, in bytes;
/// nothing: what there is. What the device holds already is not counted.
void set_memory_limits(std::optional<std::uint64_t> host, std::optional<std::uint64_t> device);

/// \brief Memory that can still be taken where \p ExecutionSpace works, by this process.
template <class ExecutionSpace>
std::uint64_t available_memory(const ExecutionSpace& exec);

/// \brief Memory of the device that is in use, by anyone; 0 for hosts.
template <class ExecutionSpace>
std::uint64_t used_device_memory(const ExecutionSpace& exec);

/// \brief Name of the processor or of the GPU.
template <class ExecutionSpace>
std::string device_name(const ExecutionSpace& exec);

/// \brief Threads of the host backend.
int host_threads();

}  // namespace Tomokkos
