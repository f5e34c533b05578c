// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace Tomokkos {

/// \brief Index of a row or a column of a matrix, in every format.
using Ordinal = std::int32_t;

/// \brief Position in the nonzero arrays of a matrix; 64 bits, because matrices have more than 2^32
/// nonzeros.
using Offset = std::int64_t;

/// \brief Half-open range of rows `[begin, end)` of an operator: a view of a scan, an ordered
/// subset.
///
/// `all_rows`, the default of every function with a range, means all rows of the operator, whatever
/// their number. No other range may have a negative end: functions reject it with an `Error`.
struct RowRange {
  Ordinal begin = 0;
  Ordinal end = -1;

  /// \brief True for the placeholder `all_rows`.
  constexpr bool is_all() const { return begin == 0 && end == -1; }

  /// \brief Number of rows for an operator with \p num_rows rows.
  constexpr Ordinal size(Ordinal num_rows) const { return is_all() ? num_rows : end - begin; }

  /// \brief Replaces the placeholder `all_rows` by `[0, num_rows)`; returns other ranges unchanged.
  constexpr RowRange resolved(Ordinal num_rows) const {
    return is_all() ? RowRange{0, num_rows} : *this;
  }

  friend constexpr bool operator==(const RowRange&, const RowRange&) = default;
};

inline constexpr RowRange all_rows{};

}  // namespace Tomokkos
