// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions between a block-circulant matrix and all of its entries.
#pragma once

#include <Tomokkos_CsrBuild.hpp>
#include <array>
#include <cstdio>
#include <cstring>
#include <impl/Tomokkos_CirculantNumbering.hpp>
#include <impl/Tomokkos_SortedColumns.hpp>
#include <map>
#include <string>

namespace Tomokkos::Impl {

/// \brief Writes all entries of C. Each index is a row of C; the index after the last row writes
/// the final offset.
template <class Scalar, class MemorySpace>
struct ExpandRow {
  BlockCirculantMatrix<Scalar, MemorySpace> A;
  CirculantNumbering numbering;
  CirculantPlaces places;
  Offset* row_offsets;
  Ordinal* columns;
  Scalar* values;

  KOKKOS_FUNCTION void operator()(const Offset index) const {
    const Offset nonzeros = static_cast<Offset>(A.values.extent(0)) * A.blocks;
    if (index == Offset{A.block_rows} * A.blocks) {
      row_offsets[index] = nonzeros;
      return;
    }
    const auto row = static_cast<Ordinal>(index);
    const Ordinal i = numbering.row_in_block(row), p = numbering.block_row(row);
    const Offset begin = A.row_offsets(i), end = A.row_offsets(i + 1);
    Offset to = numbering.by_blocks ? p * static_cast<Offset>(A.values.extent(0)) + begin
                                    : A.blocks * begin + p * (end - begin);
    row_offsets[index] = to;
    for (Offset e = begin; e < end; ++e, ++to) {
      columns[to] = numbering.column(places(A.positions(e)), p);
      values[to] = A.values(e);
    }
  }
};

/// \brief Counts the entries of each row of the first row of blocks.
template <class Scalar, class MemorySpace>
struct CountFirstBlockRow {
  CsrMatrix<Scalar, MemorySpace> C;
  CirculantNumbering numbering;
  Offset* counts;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal row = numbering.row(i, 0);
    counts[i] = C.row_offsets(row + 1) - C.row_offsets(row);
  }
};

/// \brief Copies the first row of blocks and converts its columns to keys.
template <class Scalar, class MemorySpace>
struct CopyFirstBlockRow {
  CsrMatrix<Scalar, MemorySpace> C;
  CirculantNumbering numbering;
  DivideBy block_cols;
  const Offset* row_offsets;
  Ordinal* keys;
  Scalar* values;

  KOKKOS_FUNCTION void operator()(const Ordinal i) const {
    const Ordinal row = numbering.row(i, 0);
    const Offset begin = C.row_offsets(row), count = row_offsets[i + 1] - row_offsets[i];
    const KeysOfColumns make{C.columns.data() + begin, keys + row_offsets[i], block_cols,
                             numbering.blocks};
    for (Offset e = 0; e < count; ++e) {
      if (numbering.by_blocks)
        make(e);
      else
        keys[row_offsets[i] + e] = C.columns(begin + e);
      values[row_offsets[i] + e] = C.values(begin + e);
    }
  }
};

template <class Scalar>
KOKKOS_FORCEINLINE_FUNCTION bool same_bits(const Scalar& a, const Scalar& b) {
  const auto* left = reinterpret_cast<const unsigned char*>(&a);
  const auto* right = reinterpret_cast<const unsigned char*>(&b);
  for (unsigned i = 0; i < sizeof(Scalar); ++i)
    if (left[i] != right[i]) return false;
  return true;
}

/// \brief Finds the first row of C that differs from the first row of blocks. The result is the
/// number of rows if no row differs. The rows of C are sorted.
template <class Scalar, class MemorySpace>
struct FirstDifferingRow {
  CsrMatrix<Scalar, MemorySpace> C;
  BlockCirculantMatrix<Scalar, MemorySpace> A;
  CirculantNumbering numbering;
  CirculantPlaces places;

  KOKKOS_FUNCTION bool is_unlike(Ordinal row) const {
    const Ordinal i = numbering.row_in_block(row), p = numbering.block_row(row);
    const Offset begin = C.row_offsets(row), end = C.row_offsets(row + 1);
    // If both rows have equally many entries and each entry is found, there is no extra entry.
    if (end - begin != A.row_offsets(i + 1) - A.row_offsets(i)) return true;
    for (Offset e = A.row_offsets(i); e < A.row_offsets(i + 1); ++e) {
      const Ordinal column = numbering.column(places(A.positions(e)), p);
      const Offset found = find_column(C.columns.data(), begin, end, column);
      if (found < 0 || !same_bits(C.values(found), A.values(e))) return true;
    }
    return false;
  }

  KOKKOS_FUNCTION void operator()(const Ordinal row, Ordinal& first) const {
    if (row < first && is_unlike(row)) first = row;
  }
};

/// \brief Copies a part of a device array to the host. Fences.
template <class ExecutionSpace, class View>
auto host_range(const ExecutionSpace& exec, const View& source, Offset begin, Offset end) {
  using Value = typename View::non_const_value_type;
  Kokkos::View<Value*, Kokkos::HostSpace> host("Tomokkos::host_range",
                                               static_cast<std::size_t>(end - begin));
  Kokkos::deep_copy(exec, host, Kokkos::subview(source, std::make_pair(begin, end)));
  fence(exec, "host_range: has arrived");
  return host;
}

/// \brief Formats a value with all its digits.
template <class Scalar>
std::string all_digits(Scalar value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), sizeof(Scalar) == sizeof(float) ? "%.9g" : "%.17g",
                static_cast<double>(value));
  return text.data();
}

/// \brief Describes the first wrong entry of row \p row.
template <class ExecutionSpace, class Scalar, class MemorySpace>
std::string describe_unlike_row(const ExecutionSpace& exec,
                                const FirstDifferingRow<Scalar, MemorySpace>& work, Ordinal row) {
  const auto& [C, A, numbering, places] = work;
  const Ordinal i = numbering.row_in_block(row), p = numbering.block_row(row);
  const auto entries = [&](const auto& offsets, Ordinal r, const auto& keys, const auto& values) {
    const auto ends = host_range(exec, offsets, r, r + 2);
    return std::make_pair(host_range(exec, keys, ends(0), ends(1)),
                          host_range(exec, values, ends(0), ends(1)));
  };
  const auto [positions, says] = entries(A.row_offsets, i, A.positions, A.values);
  const auto [columns, values] = entries(C.row_offsets, row, C.columns, C.values);
  // For each column of C: the expected value, its column in the first row of blocks, and the value
  // found.
  struct Meeting {
    const Scalar* expected = nullptr;
    const Scalar* found = nullptr;
    Ordinal source = 0;
  };
  std::map<Ordinal, Meeting> row_of_c;
  for (std::size_t e = 0; e < positions.extent(0); ++e) {
    Meeting& meeting = row_of_c[numbering.column(places(positions(e)), p)];
    meeting.expected = &says(e);
    meeting.source = numbering.column(places(positions(e)), 0);
  }
  for (std::size_t e = 0; e < columns.extent(0); ++e) row_of_c[columns(e)].found = &values(e);
  for (const auto& [column, meeting] : row_of_c) {
    const auto& [expected, found, source] = meeting;
    if (expected != nullptr && found != nullptr && same_bits(*expected, *found)) continue;
    const std::string where = Impl::text("row {}, column {}", row, column);
    const std::string first = Impl::text("row {}", numbering.row(i, 0));
    if (expected == nullptr)
      return where + " is " + all_digits(*found) + ", but " + first +
             " of the first row of blocks has no such entry";
    const std::string origin = Impl::text("{}, column {} of the first row of blocks, is {}", first,
                                          source, all_digits(*expected));
    if (found == nullptr) return where + " is not stored, but its counterpart, " + origin;
    return where + " is " + all_digits(*found) + ", but its counterpart, " + origin;
  }
  return Impl::text("row {} is not sorted", row);
}

}  // namespace Tomokkos::Impl
