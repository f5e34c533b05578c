// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief Division of the rows of an operator into consecutive ranges, the ordered subsets of an
/// iteration. Each row belongs to one subset.
///
/// Rows form units (for example the rays of a view) that are not divided. With u units and k
/// subsets each subset has `u / k` units, and the first `u % k` subsets have one more. The last
/// unit may be incomplete.
class RowSubsets {
 public:
  /// \brief Divides the rows evenly.
  ///
  /// \throws Error unless \p count lies between 1 and the number of units (a single subset may be
  /// empty) and \p unit is positive
  RowSubsets(Ordinal num_rows, int count, Ordinal unit = 1);

  /// \brief Divides the rows at the given positions: subset i begins with row \p begins[i]; the
  /// last one ends with the last row. Subsets may be empty (views without measurements). If \p
  /// begins is empty, divides the rows evenly.
  ///
  /// \throws Error unless \p begins has \p count entries, starts with 0, does not decrease and does
  /// not exceed \p num_rows
  RowSubsets(Ordinal num_rows, int count, Ordinal unit, const std::vector<Ordinal>& begins);

  int count() const { return count_; }

  /// \brief Rows of subset \p i; `all_rows` for a single subset.
  RowRange operator[](int i) const;

 private:
  Ordinal num_rows_, unit_;
  int count_;
  Ordinal num_units_ = 0;
  std::vector<Ordinal> begins_;  // with the end as its last entry; empty: whole units
};

/// \brief True when \p order contains each of 0, ..., \p count - 1 once.
bool is_order_of(const std::vector<Ordinal>& order, Ordinal count);

}  // namespace Tomokkos
