// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_KaczmarzLevels.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {
namespace {

std::span<const Ordinal> columns_of_row(Ordinal row, std::span<const Offset> row_offsets,
                                        std::span<const Ordinal> columns) {
  const auto i = static_cast<std::size_t>(row);
  if (row < 0 || i + 1 >= row_offsets.size())
    throw Refused(Impl::text("row {} of a sweep does not exist; there are {} rows", row,
                             row_offsets.size() - 1));
  return columns.subspan(static_cast<std::size_t>(row_offsets[i]),
                         static_cast<std::size_t>(row_offsets[i + 1] - row_offsets[i]));
}

template <class Visit>
void for_each_visit(std::span<const Offset> row_offsets, std::span<const Ordinal> order,
                    const Visit& visit) {
  const auto rows = static_cast<Ordinal>(row_offsets.empty() ? 0 : row_offsets.size() - 1);
  for (const Ordinal row : order) visit(row);
  for (Ordinal row = 0; order.empty() && row < rows; ++row) visit(row);
}

}  // namespace

double KaczmarzLevels::mean_width() const {
  return num_levels() == 0 ? 0.0 : static_cast<double>(num_visits()) / num_levels();
}

Offset KaczmarzLevels::largest_width() const {
  Offset largest = 0;
  for (std::size_t l = 1; l < offsets.size(); ++l)
    largest = std::max(largest, offsets[l] - offsets[l - 1]);
  return largest;
}

KaczmarzLevelBuilder::KaczmarzLevelBuilder(Ordinal num_cols)
    : next_level_(static_cast<std::size_t>(num_cols), 0) {}

void KaczmarzLevelBuilder::visit(Ordinal row, std::span<const Ordinal> columns) {
  if (columns.empty()) {
    ++empty_rows_;
    return;
  }
  Ordinal level = 0;
  for (const Ordinal column : columns)
    level = std::max(level, next_level_[static_cast<std::size_t>(column)]);
  for (const Ordinal column : columns) next_level_[static_cast<std::size_t>(column)] = level + 1;
  rows_.push_back(row);
  levels_.push_back(level);
  num_levels_ = std::max(num_levels_, level + 1);
}

KaczmarzLevels KaczmarzLevelBuilder::finish() {
  KaczmarzLevels result;
  result.empty_rows = empty_rows_;
  result.offsets.assign(static_cast<std::size_t>(num_levels_) + 1, 0);
  for (const Ordinal level : levels_) ++result.offsets[static_cast<std::size_t>(level) + 1];
  for (std::size_t l = 1; l < result.offsets.size(); ++l)
    result.offsets[l] += result.offsets[l - 1];
  std::vector<Offset> next(result.offsets.begin(), result.offsets.end() - 1);
  result.rows.resize(rows_.size());
  for (std::size_t v = 0; v < rows_.size(); ++v)
    result.rows[static_cast<std::size_t>(next[static_cast<std::size_t>(levels_[v])]++)] = rows_[v];
  return result;
}

KaczmarzLevels kaczmarz_levels(Ordinal num_cols, std::span<const Offset> row_offsets,
                               std::span<const Ordinal> columns, std::span<const Ordinal> order) {
  KaczmarzLevelBuilder builder(num_cols);
  for_each_visit(row_offsets, order, [&](Ordinal row) {
    builder.visit(row, columns_of_row(row, row_offsets, columns));
  });
  return builder.finish();
}

void validate(const KaczmarzLevels& levels, Ordinal num_cols, std::span<const Offset> row_offsets,
              std::span<const Ordinal> columns, std::span<const Ordinal> order) {
  require(!levels.offsets.empty() && levels.offsets.front() == 0 &&
              levels.offsets.back() == levels.num_visits() &&
              std::is_sorted(levels.offsets.begin(), levels.offsets.end()),
          Impl::text("the offsets of the levels do not divide the {} visits", levels.num_visits()));
  const auto size = static_cast<std::size_t>(num_cols);
  std::vector<std::vector<Ordinal>> wanted(size);  // rows that contain each column, in the order of
                                                   // visits
  Offset visits = 0;
  Ordinal empty_rows = 0;
  for_each_visit(row_offsets, order, [&](Ordinal row) {
    const auto own = columns_of_row(row, row_offsets, columns);
    if (own.empty())
      ++empty_rows;
    else
      ++visits;
    for (const Ordinal column : own) wanted[static_cast<std::size_t>(column)].push_back(row);
  });
  require_equal("visits in the levels", levels.num_visits(), "the visits of rows with entries",
                visits);
  require_equal("empty rows of the levels", levels.empty_rows, "empty rows of the order",
                empty_rows);
  std::vector<std::size_t> met(size, 0);
  std::vector<Ordinal> last(size, -1);
  for (Ordinal level = 0; level < levels.num_levels(); ++level)
    for (Offset v = levels.offsets[static_cast<std::size_t>(level)];
         v < levels.offsets[static_cast<std::size_t>(level) + 1]; ++v) {
      const Ordinal row = levels.rows[static_cast<std::size_t>(v)];
      for (const Ordinal column : columns_of_row(row, row_offsets, columns)) {
        const auto j = static_cast<std::size_t>(column);
        const std::string where = Impl::text("level {}: row {} and column {}", level, row, column);
        require(last[j] != level, where + ": another row of the level shares it");
        last[j] = level;
        require(met[j] < wanted[j].size() && wanted[j][met[j]] == row,
                where + ": the rows that share it are in another order");
        ++met[j];
      }
    }
}

}  // namespace Tomokkos
