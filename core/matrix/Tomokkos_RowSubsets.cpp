// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <algorithm>

namespace Tomokkos {

RowSubsets::RowSubsets(Ordinal num_rows, int count, Ordinal unit)
    : num_rows_(num_rows), unit_(unit), count_(count) {
  require(unit >= 1, Impl::text("the unit of subsets has {} rows; it must have at least 1", unit));
  num_units_ = num_rows / unit + (num_rows % unit != 0 ? 1 : 0);
  require(count == 1 || (count > 1 && count <= num_units_),
          Impl::text("{} subsets cannot be made of {} rows{}; 1 to {} are possible", count,
                     num_rows, unit > 1 ? Impl::text(" in units of {}", unit) : "",
                     std::max<Ordinal>(1, num_units_)));
}

RowSubsets::RowSubsets(Ordinal num_rows, int count, Ordinal unit,
                       const std::vector<Ordinal>& begins)
    : num_rows_(num_rows), unit_(unit), count_(count), begins_(begins) {
  if (begins.empty()) {
    *this = RowSubsets(num_rows, count, unit);
    return;
  }
  require(
      count >= 1 && begins.size() == static_cast<std::size_t>(count),
      Impl::text("{} subsets have {} first rows; each needs exactly one", count, begins.size()));
  require(
      begins.front() == 0 && begins.back() <= num_rows &&
          std::is_sorted(begins.begin(), begins.end()),
      Impl::text(
          "the first rows of subsets must begin with 0, must not decrease and must not exceed {}",
          num_rows));
  begins_.push_back(num_rows);
}

RowRange RowSubsets::operator[](int i) const {
  if (count_ == 1) return all_rows;
  if (!begins_.empty()) {
    const auto at = static_cast<std::size_t>(i);
    return {begins_[at], begins_[at + 1]};
  }
  const Ordinal size = num_units_ / count_;
  const Ordinal longer = num_units_ % count_;
  const auto row = [&](Ordinal subset) {
    const Offset first = Offset{subset} * size + std::min(subset, longer);
    return static_cast<Ordinal>(std::min<Offset>(first * unit_, num_rows_));
  };
  return {row(i), row(i + 1)};
}

bool is_order_of(const std::vector<Ordinal>& order, Ordinal count) {
  std::vector<bool> seen(static_cast<std::size_t>(std::max<Ordinal>(count, 0)), false);
  for (const Ordinal entry : order) {
    if (entry < 0 || entry >= count || seen[static_cast<std::size_t>(entry)]) return false;
    seen[static_cast<std::size_t>(entry)] = true;
  }
  return order.size() == seen.size();
}

}  // namespace Tomokkos
