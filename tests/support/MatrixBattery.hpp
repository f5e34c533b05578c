// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices that reveal mistakes: empty, one row, one column, empty rows, one huge row, row lengths
// close to the width of a warp or a pack, and unsorted rows.
#pragma once

#include <algorithm>
#include <random>

#include "PlainCsr.hpp"

namespace battery {

/// Picks distinct columns for a row of \p length entries in a matrix of \p columns columns.
inline std::vector<std::int32_t> pick_columns(std::mt19937& random, std::int32_t columns,
                                              std::int32_t length) {
  std::vector<std::int32_t> picked;
  if (2 * length >= columns) {
    std::vector<std::int32_t> all(static_cast<std::size_t>(columns));
    for (std::int32_t j = 0; j < columns; ++j) all[j] = j;
    std::shuffle(all.begin(), all.end(), random);
    picked.assign(all.begin(), all.begin() + length);
  } else {
    std::uniform_int_distribution<std::int32_t> any(0, columns - 1);
    while (static_cast<std::int32_t>(picked.size()) < length) {
      const auto column = any(random);
      if (std::find(picked.begin(), picked.end(), column) == picked.end()) picked.push_back(column);
    }
  }
  return picked;
}

template <class LengthOfRow>
PlainCsr make(const std::string& name, std::int32_t rows, std::int32_t columns, LengthOfRow length,
              bool sorted = true) {
  std::mt19937 random(static_cast<unsigned>(std::hash<std::string>{}(name)));
  std::uniform_real_distribution<double> value(-1, 1);
  PlainCsr A;
  A.name = name;
  A.columns = columns;
  for (std::int32_t i = 0; i < rows; ++i) {
    auto picked =
        pick_columns(random, columns, std::min(columns, static_cast<std::int32_t>(length(i))));
    if (sorted) std::sort(picked.begin(), picked.end());
    for (const auto column : picked) A.add(column, value(random));
    A.end_row();
  }
  return A;
}

inline std::vector<PlainCsr> matrices() {
  std::vector<PlainCsr> all;
  all.push_back(make("no rows", 0, 5, [](int) { return 0; }));
  all.push_back(make("no columns", 5, 0, [](int) { return 0; }));
  all.push_back(make("neither", 0, 0, [](int) { return 0; }));
  all.push_back(make("no entries", 40, 30, [](int) { return 0; }));
  all.push_back(make("one entry", 1, 1, [](int) { return 1; }));
  all.push_back(make("1 x n", 1, 3000, [](int) { return 3000; }));
  all.push_back(make("n x 1", 3000, 1, [](int i) { return i % 2; }));
  all.push_back(make("wide", 7, 5000, [](int i) { return 100 * i + 1; }));
  all.push_back(make("tall", 5000, 7, [](int i) { return i % 8; }));
  all.push_back(make("short rows", 2000, 2000, [](int i) { return i % 5; }));
  all.push_back(
      make("empty rows at the ends", 300, 100, [](int i) { return i < 100 || i > 200 ? 0 : 9; }));
  all.push_back(make("about a warp", 400, 600, [](int i) { return 30 + i % 5; }));
  all.push_back(make("about a pack", 500, 64, [](int i) { return i % 10; }));
  all.push_back(make("long rows", 60, 4000, [](int i) { return 900 + 7 * i; }));
  all.push_back(make("one huge row", 1000, 40000, [](int i) { return i == 500 ? 40000 : i % 3; }));
  all.push_back(make("huge rows at the ends", 200, 30000,
                     [](int i) { return i == 0 || i == 199 ? 30000 : 2; }));
  all.push_back(make("one full column", 9000, 9000, [](int i) { return i % 4; }));
  for (std::int32_t i = 0, k = 0; i < all.back().rows; ++i)
    if (k = static_cast<std::int32_t>(all.back().offsets[i]); all.back().offsets[i + 1] > k)
      all.back().indices[k] = 0;
  all.push_back(make(
      "rows in no order", 700, 900, [](int i) { return i % 97; }, false));
  return all;
}

}  // namespace battery
