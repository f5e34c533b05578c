// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Types.hpp>
#include <span>
#include <vector>

namespace Tomokkos {

/// \brief Visits of a Kaczmarz sweep, ordered by levels of dependency, on the host.
///
/// The level of a visit is one more than the largest level of earlier visits whose rows share a
/// column with its row, or 0 if no earlier visit does. Rows of one level share no column, and rows
/// that share a column are in the order of their visits. Processing the levels one after the other,
/// with the rows of each in any order or concurrently, therefore changes every x_j by the same rows
/// in the same order as visit after visit. The result is the same to the last bit. Visits of rows
/// without entries are dropped.
struct KaczmarzLevels {
  /// Rows, level after level; those of a level are in the order of visits.
  std::vector<Ordinal> rows;
  /// Level l is `rows[offsets[l]]` up to but excluding `rows[offsets[l + 1]]`.
  std::vector<Offset> offsets{0};
  /// Number of visits of rows without entries.
  Ordinal empty_rows = 0;

  Ordinal num_levels() const { return static_cast<Ordinal>(offsets.size()) - 1; }
  Offset num_visits() const { return static_cast<Offset>(rows.size()); }
  /// \brief Mean number of rows of a level; 0 without levels.
  double mean_width() const;
  /// \brief Number of rows of the widest level.
  Offset largest_width() const;
};

/// \brief Builds `KaczmarzLevels` visit by visit.
///
/// Cost: two passes over the columns of each row, the second from a cache: about 5 ns an entry with
/// 262144 columns. Memory: 4 bytes a column and 8 bytes a visit, briefly 16 at the end.
class KaczmarzLevelBuilder {
 public:
  explicit KaczmarzLevelBuilder(Ordinal num_cols);

  /// \brief Adds the next visit: \p row with entries in \p columns, each in `[0, num_cols)`.
  void visit(Ordinal row, std::span<const Ordinal> columns);

  /// \brief Returns the levels of all visits. The builder must not be used afterwards.
  KaczmarzLevels finish();

 private:
  std::vector<Ordinal> next_level_;  // of each column: the least level of a further row
  std::vector<Ordinal> rows_, levels_;
  Ordinal num_levels_ = 0;
  Ordinal empty_rows_ = 0;
};

/// \brief Builds the levels of \p order (empty: 0, 1, ...) for a CSR matrix in host memory.
KaczmarzLevels kaczmarz_levels(Ordinal num_cols, std::span<const Offset> row_offsets,
                               std::span<const Ordinal> columns, std::span<const Ordinal> order);

/// \brief Checks that \p levels are levels of dependency of \p order.
///
/// Keeps a list of visits for each column, so it is meant for tests.
///
/// \throws Error naming the level, the row and the column of a violation: rows of a level that
///   share a column, a missing or extra visit, or rows with a common column in another order than
///   that of their visits
void validate(const KaczmarzLevels& levels, Ordinal num_cols, std::span<const Offset> row_offsets,
              std::span<const Ordinal> columns, std::span<const Ordinal> order);

}  // namespace Tomokkos
