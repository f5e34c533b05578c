// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <string_view>

namespace Tomokkos {

/// \brief Column of a padding entry in every padded format. Products skip padding instead of
/// multiplying it, so an infinity or a NaN in x affects only rows that use it.
inline constexpr Ordinal padding_column = -1;

/// \brief Limit for padding, beyond which a conversion is refused.
struct PaddingLimit {
  /// Stored entries divided by nonzeros. Beyond this limit a format is larger and slower than CSR
  /// by more than it could gain.
  double largest_fill = 8;
};

/// \brief Checks that \p stored entries for \p nonzeros nonzeros do not exceed \p limit.
///
/// \param format name of the format, the first word of the message
/// \throws Error when they do; the message has both numbers, their ratio and the limit
void check_fill(std::string_view format, Offset stored, Offset nonzeros, const PaddingLimit& limit);

/// \brief Stored entries of \p A, including padding and fill-in, divided by its nonzeros; 1 for an
/// empty matrix.
template <class Matrix>
double fill_of(const Matrix& A) {
  return A.num_nonzeros() > 0
             ? static_cast<double>(A.num_stored()) / static_cast<double>(A.num_nonzeros())
             : 1.0;
}

}  // namespace Tomokkos
