// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_Padding.hpp>
#include <Tomokkos_Types.hpp>
#include <Tomokkos_Views.hpp>
#include <string>
#include <string_view>

namespace Tomokkos::Impl {

/// Checks that \p stored entries of \p bytes_each bytes are within \p limit.
///
/// On a host it also checks the memory that is left, because a host promises more memory than it
/// has. Throws `Error` or `MemoryError`.
template <class ExecutionSpace>
void check_storage(std::string_view format, Offset stored, Offset nonzeros,
                   const PaddingLimit& limit, std::size_t bytes_each) {
  check_fill(format, stored, nonzeros, limit);
  if constexpr (is_host_space<ExecutionSpace>)
    MemoryNeed()
        .add(static_cast<std::uint64_t>(stored), bytes_each)
        .require_available("the matrix as " + std::string(format));
  else
    (void)bytes_each;
}

}  // namespace Tomokkos::Impl
