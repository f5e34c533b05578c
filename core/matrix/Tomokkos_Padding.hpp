// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <string_view>

namespace Tomokkos {

/// \brief Column of a padding entry in every padded format. Padding is passed over, never
/// multiplied: an infinity or a NaN in x reaches only the rows that touch it.
inline constexpr Ordinal padding_column = -1;

/// \brief When a conversion is refused instead of made.
struct PaddingLimit {
  /// Stored entries over nonzeros. Beyond this a format is slower and larger than CSR by more than
  /// it could ever gain.
  double largest_fill = 8;
};

/// \brief Throws `Error`, with the numbers, when \p stored entries for \p nonzeros exceed \p limit.
/// \param format the name of the format, which begins the message
void check_fill(std::string_view format, Offset stored, Offset nonzeros, const PaddingLimit& limit);

/// \brief Entries of \p A in memory, padding and fill included, over its nonzeros; 1 for none.
template <class Matrix>
double fill_of(const Matrix& A) {
  return A.num_nonzeros() > 0
             ? static_cast<double>(A.num_stored()) / static_cast<double>(A.num_nonzeros())
             : 1.0;
}

}  // namespace Tomokkos
