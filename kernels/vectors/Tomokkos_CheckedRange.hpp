// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Types.hpp>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief \p rows with the placeholder resolved. Throws when they do not lie within \p size \p
/// what.
inline RowRange checked_range(RowRange rows, Ordinal size, const char* what) {
  const RowRange range = rows.resolved(size);
  require(range.begin >= 0 && range.begin <= range.end && range.end <= size, [&] {
    return text("the range of {} [{}, {}) does not lie within the {} {} of A", what, range.begin,
                range.end, size, what);
  });
  return range;
}

/// \brief The same of a slab of columns of a transposed product that can be cut at multiples of
/// \p unit; 0: that cannot be.
inline RowRange checked_slab(RowRange columns, Ordinal num_cols, Ordinal unit) {
  require(unit > 0, "this operator's transposed product cannot be cut into slabs of columns");
  const RowRange range = checked_range(columns, num_cols, "columns");
  const auto may_cut = [&](Ordinal at) { return at % unit == 0 || at == num_cols; };
  require(may_cut(range.begin) && may_cut(range.end), [&] {
    return text(
        "the slab of columns [{}, {}) does not begin and end at multiples of the slab unit {}, or "
        "with the {} columns of A",
        range.begin, range.end, unit, num_cols);
  });
  return range;
}

/// \brief What \p range counts, for messages: the rows of A, or those of a part of it.
inline std::string_view rows_in(RowRange range, Ordinal num_rows) {
  return range == RowRange{0, num_rows} ? "rows of A" : "rows of the range";
}

/// \brief `rows_in` for columns.
inline std::string_view columns_in(RowRange range, Ordinal num_cols) {
  return range == RowRange{0, num_cols} ? "columns of A" : "columns of the range";
}

}  // namespace Tomokkos::Impl
