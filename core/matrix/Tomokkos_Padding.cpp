// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_Padding.hpp>
#include <cstdio>
#include <string>

namespace Tomokkos {

void check_fill(std::string_view format, Offset stored, Offset nonzeros,
                const PaddingLimit& limit) {
  if (static_cast<double>(stored) <= limit.largest_fill * static_cast<double>(nonzeros)) return;
  const double fill =
      nonzeros > 0 ? static_cast<double>(stored) / static_cast<double>(nonzeros) : 0.0;
  char text[160];
  std::snprintf(text, sizeof text,
                "would store %lld entries for %lld nonzeros, %.4g times as many; the limit is %.4g",
                static_cast<long long>(stored), static_cast<long long>(nonzeros), fill,
                limit.largest_fill);
  throw Refused(std::string(format) + " " + text);
}

}  // namespace Tomokkos
