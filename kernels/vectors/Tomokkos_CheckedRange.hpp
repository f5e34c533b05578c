// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Types.hpp>
#include <string_view>

namespace Tomokkos::Impl {

/// \brief Returns \p rows with the placeholder for all rows resolved.
///
/// \param size number of rows or columns of the matrix
/// \param what counted objects for the message, "rows" or "columns"
/// \throws Error when the range is not within \p size
inline RowRange checked_range(RowRange rows, Ordinal size, const char* what) {
  const RowRange range = rows.resolved(size);
  require(range.begin >= 0 && range.begin <= range.end && range.end <= size, [&] {
    return text("the range of {} [{}, {}) is not within the {} {} of A", what, range.begin,
                range.end, size, what);
  });
  return range;
}

/// \brief Returns a slab of columns of a transposed product, resolved and checked.
///
/// \param unit slabs must begin and end at multiples of this number; 0: the product cannot be cut
/// into slabs
/// \throws Error when the slab is not within the columns or not at multiples of \p unit
inline RowRange checked_slab(RowRange columns, Ordinal num_cols, Ordinal unit) {
  require(unit > 0, "this operator's transposed product cannot be cut into slabs of columns");
  const RowRange range = checked_range(columns, num_cols, "columns");
  const auto may_cut = [&](Ordinal at) { return at % unit == 0 || at == num_cols; };
  require(may_cut(range.begin) && may_cut(range.end), [&] {
    return text(
        "the slab of columns [{}, {}) must begin and end at multiples of the slab unit {}, or end "
        "with the {} columns of A",
        range.begin, range.end, unit, num_cols);
  });
  return range;
}

/// \brief Returns the words for the rows of \p range in messages: rows of A, or rows of a part of
/// it.
inline std::string_view rows_in(RowRange range, Ordinal num_rows) {
  return range == RowRange{0, num_rows} ? "rows of A" : "rows of the range";
}

/// \brief Returns the words for the columns of \p range in messages.
inline std::string_view columns_in(RowRange range, Ordinal num_cols) {
  return range == RowRange{0, num_cols} ? "columns of A" : "columns of the range";
}

}  // namespace Tomokkos::Impl
