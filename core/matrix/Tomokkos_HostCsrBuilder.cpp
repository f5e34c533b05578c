// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_HostCsrBuilder.hpp>
#include <algorithm>
#include <cmath>
#include <utility>

namespace Tomokkos::Impl {

namespace {

template <class Scalar>
class RowSorter {
 public:
  RowSorter(Ordinal* columns, Scalar* values) : columns_(columns), values_(values) {}

  // Sorts [begin, end), moves it to \p target and adds equal columns. Returns the new end of the
  // row and reports the first repeated column.
  Offset sort(Offset begin, Offset end, Offset target, bool& repeated, Ordinal& column) {
    const bool ascending =
        std::adjacent_find(columns_ + begin, columns_ + end,
                           [](Ordinal a, Ordinal b) { return a >= b; }) == columns_ + end;
    if (ascending) {
      if (target != begin) {
        std::copy(columns_ + begin, columns_ + end, columns_ + target);
        std::copy(values_ + begin, values_ + end, values_ + target);
      }
      return target + (end - begin);
    }
    entries_.clear();
    for (Offset k = begin; k < end; ++k) entries_.emplace_back(columns_[k], values_[k]);
    // Stable, so that equal columns are added in the order of the file.
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    const Offset first = target;
    for (const auto& [c, value] : entries_) {
      if (target > first && columns_[target - 1] == c) {
        if (!repeated) column = c;
        repeated = true;
        values_[target - 1] += value;
        continue;
      }
      columns_[target] = c;
      values_[target] = value;
      ++target;
    }
    return target;
  }

 private:
  Ordinal* columns_;
  Scalar* values_;
  std::vector<std::pair<Ordinal, Scalar>> entries_;
};

}  // namespace

template <class Scalar>
void HostCsrBuilder<Scalar>::allocate_rows(Ordinal rows, Ordinal cols) {
  num_rows = rows;
  num_cols = cols;
  row_offsets = allocate_host<Offset>(static_cast<std::uint64_t>(rows) + 1,
                                      "Tomokkos::CsrMatrix::row_offsets");
}

template <class Scalar>
void HostCsrBuilder<Scalar>::allocate_entries(std::uint64_t count) {
  columns = allocate_host<Ordinal>(count, "Tomokkos::CsrMatrix::columns");
  values = allocate_host<Scalar>(count, "Tomokkos::CsrMatrix::values");
}

template <class Scalar>
HostCsrMatrix<Scalar> HostCsrBuilder<Scalar>::finish(
    DuplicatePolicy duplicates, bool allow_non_finite,
    const std::function<std::string(Ordinal, Ordinal)>& locate, Ordinal first_row) {
  RowSorter<Scalar> sorter(columns.data(), values.data());
  Offset begin = 0;
  Offset target = 0;
  for (Ordinal row = 0; row < num_rows; ++row) {
    const Offset end = row_offsets(row + 1);
    bool repeated = false;
    Ordinal column = 0;
    const Offset row_start = target;
    target = sorter.sort(begin, end, target, repeated, column);
    if (repeated && duplicates == DuplicatePolicy::refuse) {
      throw InputError(
          Impl::text("{}the entry of row {}, column {} (both counted from 0) is given twice",
                     locate(first_row + row, column), first_row + row, column));
    }
    if (repeated && !allow_non_finite) {
      for (Offset k = row_start; k < target; ++k) {
        if (std::isfinite(values(k))) continue;
        throw InputError(Impl::text(
            "{}the sum of the entries of row {}, column {} (both counted from 0) is not finite",
            locate(first_row + row, columns(k)), first_row + row, columns(k)));
      }
    }
    row_offsets(row + 1) = target;
    begin = end;
  }
  HostCsrMatrix<Scalar> A;
  A.num_rows = num_rows;
  A.num_cols = num_cols;
  A.row_offsets = row_offsets;
  const auto kept = std::make_pair(std::size_t{0}, static_cast<std::size_t>(target));
  A.columns = Kokkos::subview(columns, kept);
  A.values = Kokkos::subview(values, kept);
  return A;
}

template <class Scalar>
HostCsrBuilder<Scalar> builder_from_triplets(Ordinal num_rows, Ordinal num_cols,
                                             Triplets<Scalar>&& triplets, Mirror mirror) {
  const Triplets<Scalar> list = std::move(triplets);
  const std::size_t count = list.rows.size();
  HostCsrBuilder<Scalar> A;
  A.allocate_rows(num_rows, num_cols);
  Offset* offsets = A.row_offsets.data();
  std::fill(offsets, offsets + num_rows + 1, Offset{0});
  for (std::size_t k = 0; k < count; ++k) {
    ++offsets[list.rows[k] + 1];
    if (mirror != Mirror::none && list.rows[k] != list.columns[k]) ++offsets[list.columns[k] + 1];
  }
  for (Ordinal row = 0; row < num_rows; ++row) offsets[row + 1] += offsets[row];
  const std::uint64_t total = static_cast<std::uint64_t>(offsets[num_rows]);
  A.allocate_entries(total);

  // While the rows are filled, offsets[row] is the next free position of the row; shifted back at
  // the end.
  const auto put = [&](Ordinal row, Ordinal column, Scalar value) {
    const Offset place = offsets[row]++;
    A.columns(place) = column;
    A.values(place) = value;
  };
  for (std::size_t k = 0; k < count; ++k) {
    const Ordinal i = list.rows[k];
    const Ordinal j = list.columns[k];
    put(i, j, list.values[k]);
    if (mirror == Mirror::none || i == j) continue;
    put(j, i, mirror == Mirror::negated ? -list.values[k] : list.values[k]);
  }
  for (Ordinal row = num_rows; row > 0; --row) offsets[row] = offsets[row - 1];
  offsets[0] = 0;
  return A;
}

#define TOMOKKOS_INSTANTIATE(Scalar)                                                          \
  template struct HostCsrBuilder<Scalar>;                                                     \
  template HostCsrBuilder<Scalar> builder_from_triplets(Ordinal, Ordinal, Triplets<Scalar>&&, \
                                                        Mirror);
TOMOKKOS_FOR_EACH_SCALAR(TOMOKKOS_INSTANTIATE)
#undef TOMOKKOS_INSTANTIATE

}  // namespace Tomokkos::Impl
