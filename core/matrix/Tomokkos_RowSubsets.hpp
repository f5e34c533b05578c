// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <vector>

namespace Tomokkos {

/// \brief The rows of an operator cut into ranges, the ordered subsets of an iteration: subset 0
/// are the first rows, and so on, each row in one subset.
///
/// Rows come in units (the rays of a view, say) that are not cut: of u units in k subsets each
/// holds `u / k`, the first `u % k` one more. The last unit may be incomplete.
class RowSubsets {
 public:
  /// \brief Throws `Error` unless \p count lies between 1 and the number of units (1 subset may be
  /// without rows), and \p unit is positive.
  RowSubsets(Ordinal num_rows, int count, Ordinal unit = 1);

  /// \brief Subsets that begin where \p begins says, the last ends with the rows; some may be
  /// without rows (views of which nothing is measured). Empty \p begins: as above.
  ///
  /// Throws `Error` unless there are \p count of them, the first 0, none less than the one before,
  /// and none more than \p num_rows.
  RowSubsets(Ordinal num_rows, int count, Ordinal unit, const std::vector<Ordinal>& begins);

  int count() const { return count_; }

  /// \brief The rows of subset \p i; `all_rows` where it is the only one.
  RowRange operator[](int i) const;

 private:
  Ordinal num_rows_, unit_;
  int count_;
  Ordinal num_units_ = 0;
  std::vector<Ordinal> begins_;  // with one past the end; empty: whole units
};

/// \brief True when \p order holds each of 0, ..., \p count - 1 once.
bool is_order_of(const std::vector<Ordinal>& order, Ordinal count);

}  // namespace Tomokkos
