// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>

namespace Tomokkos::Impl {

/// Writes bytes at a position of an open file. Returns false for a failure, with its `errno`.
inline bool write_at(int descriptor, std::uint64_t position, const void* data, std::size_t bytes) {
  const char* source = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::pwrite(descriptor, source, bytes, static_cast<off_t>(position));
    if (written < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    position += static_cast<std::uint64_t>(written);
    source += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace Tomokkos::Impl
