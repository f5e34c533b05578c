// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Levels of dependency compared with their definition, pair by pair, and the errors that validation
// finds.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_KaczmarzLevels.hpp>
#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "PlainCsr.hpp"

using namespace Tomokkos;

namespace {

PlainCsr random_matrix(int rows, int columns, int longest, unsigned seed) {
  std::mt19937 random(seed);
  PlainCsr A;
  A.columns = columns;
  for (int i = 0; i < rows; ++i) {
    std::set<int> chosen;
    const int length = static_cast<int>(random() % static_cast<unsigned>(longest + 1));
    for (int e = 0; e < length; ++e)
      chosen.insert(static_cast<int>(random() % static_cast<unsigned>(columns)));
    for (const int column : chosen) A.add(column, 1);
    A.end_row();
  }
  return A;
}

std::vector<Ordinal> shuffled(int rows, unsigned seed) {
  std::vector<Ordinal> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

bool share_a_column(const PlainCsr& A, int i, int j) {
  for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
    for (auto l = A.offsets[j]; l < A.offsets[j + 1]; ++l)
      if (A.indices[k] == A.indices[l]) return true;
  return false;
}

KaczmarzLevels levels_of(const PlainCsr& A, const std::vector<Ordinal>& order) {
  return kaczmarz_levels(A.columns, A.offsets, A.indices, order);
}

void check(const KaczmarzLevels& levels, const PlainCsr& A, const std::vector<Ordinal>& order) {
  validate(levels, A.columns, A.offsets, A.indices, order);
}

TEST(KaczmarzLevels, are_those_of_the_definition) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    const PlainCsr A = random_matrix(60, 40, 1 + static_cast<int>(seed % 6), seed);
    std::vector<Ordinal> order = shuffled(A.rows, seed);
    if (seed % 3 == 1) order.resize(25);  // leaves out some rows
    if (seed % 3 == 2)
      order.insert(order.end(), order.begin(), order.begin() + 20);  // visits some rows twice
    std::vector<std::vector<Ordinal>> expected;
    std::vector<int> level(order.size(), -1);
    int empty = 0;
    for (std::size_t v = 0; v < order.size(); ++v) {
      if (A.offsets[order[v]] == A.offsets[order[v] + 1]) {
        ++empty;
        continue;
      }
      level[v] = 0;
      for (std::size_t u = 0; u < v; ++u)
        if (level[u] >= level[v] && share_a_column(A, order[u], order[v])) level[v] = level[u] + 1;
      if (static_cast<std::size_t>(level[v]) == expected.size()) expected.emplace_back();
      expected[static_cast<std::size_t>(level[v])].push_back(order[v]);
    }
    const KaczmarzLevels levels = levels_of(A, order);
    EXPECT_EQ(levels.empty_rows, empty);
    ASSERT_EQ(levels.num_levels(), static_cast<int>(expected.size()));
    Offset widest = 0, visits = 0;
    for (std::size_t l = 0; l < expected.size(); ++l) {
      const std::vector<Ordinal> found(levels.rows.begin() + levels.offsets[l],
                                       levels.rows.begin() + levels.offsets[l + 1]);
      EXPECT_EQ(found, expected[l]) << "level " << l << ", seed " << seed;
      for (std::size_t a = 0; a < found.size(); ++a)
        for (std::size_t b = 0; b < a; ++b)
          EXPECT_FALSE(share_a_column(A, found[a], found[b])) << found[a] << " and " << found[b];
      widest = std::max(widest, static_cast<Offset>(found.size()));
      visits += static_cast<Offset>(found.size());
    }
    EXPECT_EQ(levels.largest_width(), widest);
    EXPECT_EQ(levels.num_visits(), visits);
    if (!expected.empty()) {
      EXPECT_DOUBLE_EQ(levels.mean_width(), static_cast<double>(visits) / expected.size());
    }
    EXPECT_NO_THROW(check(levels, A, order));
  }
}

TEST(KaczmarzLevels, of_rows_that_share_all_or_nothing) {
  PlainCsr dense, diagonal;
  dense.columns = diagonal.columns = 5;
  for (int i = 0; i < 5; ++i) {
    for (int j = 0; j < 5; ++j) dense.add(j, 1);
    dense.end_row();
    diagonal.add(i, 1);
    diagonal.end_row();
  }
  EXPECT_EQ(levels_of(dense, {}).num_levels(), 5);
  EXPECT_EQ(levels_of(dense, {}).rows, (std::vector<Ordinal>{0, 1, 2, 3, 4}));
  EXPECT_EQ(levels_of(diagonal, {}).num_levels(), 1);
  PlainCsr nothing;
  EXPECT_EQ(levels_of(nothing, {}).num_levels(), 0);
  EXPECT_EQ(levels_of(nothing, {}).mean_width(), 0);
  EXPECT_EQ(levels_of(nothing, {}).largest_width(), 0);
}

TEST(KaczmarzLevels, the_check_finds_what_is_wrong) {
  const PlainCsr A = random_matrix(50, 30, 4, 7);
  const std::vector<Ordinal> order = shuffled(A.rows, 3);
  const KaczmarzLevels good = levels_of(A, order);
  const auto error_of = [&](const KaczmarzLevels& levels) -> std::string {
    try {
      check(levels, A, order);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_EQ(error_of(good), "");
  ASSERT_GE(good.num_levels(), 3);
  KaczmarzLevels merged = good;  // merges the first two levels
  merged.offsets.erase(merged.offsets.begin() + 1);
  EXPECT_NE(error_of(merged).find("level 0"), std::string::npos);
  EXPECT_NE(error_of(merged).find("another row of the level shares it"), std::string::npos);
  KaczmarzLevels turned = good;  // puts the last level first
  std::reverse(turned.rows.begin(), turned.rows.end());
  for (std::size_t l = 0; l < turned.offsets.size(); ++l)
    turned.offsets[l] = good.num_visits() - good.offsets[good.offsets.size() - 1 - l];
  EXPECT_NE(error_of(turned).find("in another order"), std::string::npos);
  KaczmarzLevels shorter = good;
  shorter.rows.pop_back();
  --shorter.offsets.back();
  EXPECT_NE(error_of(shorter).find("visits"), std::string::npos);
  KaczmarzLevels cut = good;
  cut.offsets.back() -= 1;
  EXPECT_NE(error_of(cut).find("offsets"), std::string::npos);
  KaczmarzLevels foreign = good;
  foreign.rows.back() = A.rows;
  EXPECT_NE(error_of(foreign).find("does not exist; there are 50 rows"), std::string::npos);
}

}  // namespace
