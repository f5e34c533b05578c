// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

namespace Tomokkos::Impl {

/// \brief Text of `printf`, for messages with numbers of a given number of digits. Cut after 500
/// characters.
[[gnu::format(printf, 1, 2)]] inline std::string formatted(const char* pattern, ...) {
  char text[500];
  std::va_list values;
  va_start(values, pattern);
  std::vsnprintf(text, sizeof text, pattern, values);
  va_end(values);
  return text;
}

}  // namespace Tomokkos::Impl
