// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Types.hpp>
#include <string>

namespace Tomokkos::Impl {

/// \brief \p rows with the placeholder resolved. Throws when they do not lie within \p size \p
/// what.
inline RowRange checked_range(RowRange rows, Ordinal size, const char* what) {
  const RowRange range = rows.resolved(size);
  require(range.begin >= 0 && range.begin <= range.end && range.end <= size,
          std::string("the range of ") + what + " [" + std::to_string(range.begin) + ", " +
              std::to_string(range.end) + ") does not lie within the " + std::to_string(size) +
              " " + what + " of A");
  return range;
}

}  // namespace Tomokkos::Impl
