// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief The visits of a sweep by levels of dependency, on the host.
///
/// The level of a visit is one more than the largest of those before it whose rows share a column
/// with its row, 0 where there is none. Rows of one level share no column, and rows that share one
/// are in the order of their visits. So the levels one after the other, the rows of each in any
/// order or at once, change every x_j by the same rows in the same order as visit after visit does:
/// the result is the same to the last bit. Visits of rows without entries are left out.
struct KaczmarzLevels {
  /// The rows, level after level, those of a level in order of visit.
  std::vector<Ordinal> rows;
  /// Level l is `rows[offsets[l]]` up to, not with, `rows[offsets[l + 1]]`.
  std::vector<Offset> offsets{0};
  /// Visits of rows without entries.
  Ordinal empty_rows = 0;

  Ordinal num_levels() const { return static_cast<Ordinal>(offsets.size()) - 1; }
  Offset num_visits() const { return static_cast<Offset>(rows.size()); }
  /// \brief Rows of a level on average; 0 without levels.
  double mean_width() const;
  /// \brief Rows of the widest level.
  Offset largest_width() const;
};

/// \brief Forms `KaczmarzLevels` visit by visit.
///
/// Cost: two passes over the columns of each row, the second from a cache: some 5 ns an entry with
/// 262144 columns. Memory: 4 bytes a column, and 8 bytes a visit, 16 for a moment at the end.
class KaczmarzLevelBuilder {
 public:
  explicit KaczmarzLevelBuilder(Ordinal num_cols);

  /// \brief The next visit: \p row with entries in \p columns, each in `[0, num_cols)`.
  void visit(Ordinal row, std::span<const Ordinal> columns);

  /// \brief The levels of all visits. The builder is spent.
  KaczmarzLevels finish();

 private:
  std::vector<Ordinal> next_level_;  // of each column: the least level of a further row
  std::vector<Ordinal> rows_, levels_;
  Ordinal num_levels_ = 0;
  Ordinal empty_rows_ = 0;
};

/// \brief The levels of \p order (0, 1, ... where it is empty) on a CSR matrix in host memory.
KaczmarzLevels kaczmarz_levels(Ordinal num_cols, std::span<const Offset> row_offsets,
                               std::span<const Ordinal> columns, std::span<const Ordinal> order);

/// \brief Throws `Error` naming the level, the row and the column where \p levels are not levels of
/// dependency of \p order: rows of a level that share a column, a visit left out or invented, or
/// rows with a common column in another order than that of their visits.
///
/// Keeps a list of visits for each column, so it is meant for tests.
void validate(const KaczmarzLevels& levels, Ordinal num_cols, std::span<const Offset> row_offsets,
              std::span<const Ordinal> columns, std::span<const Ordinal> order);

}  // namespace Tomokkos
