// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies between the host and a memory space, compiled once for all tests. Without these functions
// Kokkos would compile a copy for every pair of View types in each test body.
#pragma once

#include <cstddef>

namespace Tomokkos::Testing {

/// \brief Copies \p bytes bytes from host memory to \p to in the memory space of \p exec, and waits
/// only for this instance.
template <class ExecutionSpace>
void copy_from_host(const ExecutionSpace& exec, void* to, const void* from, std::size_t bytes);

/// \brief Copies \p bytes bytes from `MemorySpace` to \p to in host memory, after all work started
/// on any instance, and waits for the copy.
template <class MemorySpace>
void copy_to_host(void* to, const void* from, std::size_t bytes);

}  // namespace Tomokkos::Testing
