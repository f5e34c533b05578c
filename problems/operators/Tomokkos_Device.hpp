// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of the machine, and its free memory.
#pragma once

#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace Tomokkos {

/// \brief Backend of a run and the memory that this process can still allocate: what the bytes of a
/// run depend on besides its task.
struct MachineFacts {
  bool gpu = false;
  std::size_t scalar_bytes = sizeof(float);
  int threads = 1;       ///< that run at the same time
  int rays_at_once = 1;  ///< that products on a host compute; see `rays_at_once`
  /// Free bytes of the backend and of the host; of a host backend both are the same memory.
  std::uint64_t device_free = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t host_free = std::numeric_limits<std::uint64_t>::max();
  /// Bytes in use now: on the device by all processes, 0 on a host backend; on the host by this
  /// one.
  std::uint64_t device_held = 0, host_held = 0;
};

/// \brief Returns the facts about the backend of \p exec with values of type \p Scalar, with its
/// free memory at this moment.
template <class ExecutionSpace, class Scalar>
MachineFacts machine_facts(const ExecutionSpace& exec);

/// \brief Gives freed memory back to the system, which counts it as used by this process otherwise.
void release_host_memory();

/// \brief Returns the peak memory of this process so far, in bytes.
std::uint64_t peak_host_memory();

/// \brief Divides the results of `available_memory` and `available_host_memory` by the number of
/// processes that share the memory: those on this machine, and those that use the same GPU.
void set_memory_sharers(int on_host, int on_device);

/// \brief Limits the memory that all processes sharing a machine and its GPUs may use from now on,
/// in bytes. Empty: no limit. Memory already in use on the device does not count.
void set_memory_limits(std::optional<std::uint64_t> host, std::optional<std::uint64_t> device);

/// \brief Returns the bytes that this process can still allocate in the memory of \p
/// ExecutionSpace.
template <class ExecutionSpace>
std::uint64_t available_memory(const ExecutionSpace& exec);

/// \brief Returns the bytes in use on the device, by all processes; 0 for hosts.
template <class ExecutionSpace>
std::uint64_t used_device_memory(const ExecutionSpace& exec);

/// \brief Returns the name of the processor or of the GPU.
template <class ExecutionSpace>
std::string device_name(const ExecutionSpace& exec);

/// \brief Returns the number of threads of the host backend.
int host_threads();

}  // namespace Tomokkos
