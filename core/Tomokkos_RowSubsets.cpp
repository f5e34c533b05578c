// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <algorithm>
#include <string>

namespace Tomokkos {

RowSubsets::RowSubsets(Ordinal num_rows, int count, Ordinal unit)
    : num_rows_(num_rows), unit_(unit), count_(count) {
  require(unit >= 1, "a unit of " + std::to_string(unit) + " rows cannot be in a subset");
  num_units_ = num_rows / unit + (num_rows % unit != 0 ? 1 : 0);
  require(count == 1 || (count > 1 && count <= num_units_),
          std::to_string(count) + " subsets cannot be made of " + std::to_string(num_rows) +
              " rows" + (unit > 1 ? " in units of " + std::to_string(unit) : "") +
              ": there are 1 to " + std::to_string(std::max<Ordinal>(1, num_units_)));
}

RowRange RowSubsets::operator[](int i) const {
  if (count_ == 1) return all_rows;
  const Ordinal size = num_units_ / count_;
  const Ordinal longer = num_units_ % count_;
  const auto row = [&](Ordinal subset) {
    const Offset first = Offset{subset} * size + std::min(subset, longer);
    return static_cast<Ordinal>(std::min<Offset>(first * unit_, num_rows_));
  };
  return {row(i), row(i + 1)};
}

}  // namespace Tomokkos
