// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Orders of pixels, rays and rows: each is a permutation with its documented properties.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_RowSubsets.hpp>
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <tuple>

#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

bool is_permutation_of(std::vector<Ordinal> order, std::size_t size) {
  std::sort(order.begin(), order.end());
  std::vector<Ordinal> all(size);
  std::iota(all.begin(), all.end(), 0);
  return order == all;
}

std::vector<Ordinal> rcm(const PlainCsr& A) { return reverse_cuthill_mckee(A.offsets, A.indices); }

/// Largest |p - q| over all entries, where p and q are the places of row and column in the order.
Ordinal bandwidth(const PlainCsr& A, const std::vector<Ordinal>& order) {
  std::vector<Ordinal> position(order.size());
  for (std::size_t p = 0; p < order.size(); ++p) position[order[p]] = static_cast<Ordinal>(p);
  Ordinal widest = 0;
  for (Ordinal i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      widest = std::max(widest, std::abs(position[i] - position[A.indices[k]]));
  return widest;
}

/// Adjacency matrix of a five-point grid of rows x columns points, numbered by `number`.
PlainCsr grid(Ordinal rows, Ordinal columns, const std::vector<Ordinal>& number) {
  std::vector<std::vector<Ordinal>> neighbours(number.size());
  for (Ordinal r = 0; r < rows; ++r)
    for (Ordinal c = 0; c < columns; ++c)
      for (const auto& [dr, dc] : {std::pair{0, 0}, {0, 1}, {1, 0}, {0, -1}, {-1, 0}})
        if (r + dr >= 0 && r + dr < rows && c + dc >= 0 && c + dc < columns)
          neighbours[number[r * columns + c]].push_back(number[(r + dr) * columns + c + dc]);
  PlainCsr A;
  A.columns = rows * columns;
  for (auto& row : neighbours) {
    std::sort(row.begin(), row.end());
    for (const Ordinal column : row) A.add(column, 1);
    A.end_row();
  }
  return A;
}

}  // namespace

TEST(Orderings, orders_of_grids_are_permutations) {
  const std::vector<std::pair<const char*, std::function<std::vector<Ordinal>(Ordinal, Ordinal)>>>
      orders{{"hilbert", hilbert_order},
             {"pixels", tiled_pixel_order},
             {"squares", square_pixel_order},
             {"rays", tiled_ray_order},
             {"3 x 5", [](Ordinal r, Ordinal c) { return tiled_order(r, c, 3, 5); }},
             {"1 x 1", [](Ordinal r, Ordinal c) { return tiled_order(r, c, 1, 1); }},
             {"larger than the grid",
              [](Ordinal r, Ordinal c) { return tiled_order(r, c, 1000, 2000000000); }}};
  for (const auto& [name, order] : orders)
    for (const auto& [rows, columns] : {std::pair{0, 0},
                                        {0, 7},
                                        {7, 0},
                                        {1, 1},
                                        {1, 37},
                                        {37, 1},
                                        {2, 3},
                                        {5, 5},
                                        {8, 8},
                                        {13, 29},
                                        {29, 13},
                                        {16, 33},
                                        {64, 31},
                                        {100, 3},
                                        {1, 100000}})
      EXPECT_TRUE(is_permutation_of(order(rows, columns), static_cast<std::size_t>(rows) * columns))
          << name << ": " << rows << " x " << columns;
}

TEST(Orderings, invalid_grids_and_tiles_are_refused) {
  EXPECT_THROW(tiled_order(-1, 5, 4, 8), Error);
  EXPECT_THROW(tiled_order(5, 5, 0, 8), Error);
  EXPECT_THROW(tiled_order(5, 5, 4, -8), Error);
  EXPECT_THROW(tiled_order(65536, 65536, 4, 8), Error);
  EXPECT_THROW(hilbert_order(5, -1), Error);
  EXPECT_THROW(hilbert_order(65536, 65536), Error);
}

TEST(Orderings, tiles_are_ordered_as_documented) {
  // 3 x 5 cells in tiles of 2 x 2.
  EXPECT_EQ(tiled_order(3, 5, 2, 2),
            (std::vector<Ordinal>{0, 1, 5, 6, 2, 3, 7, 8, 4, 9, 10, 11, 12, 13, 14}));
  // A tile of pixels has 8 rows of 4 pixels. A tile of rays has 8 views of 4 detectors.
  const auto pixels = tiled_pixel_order(16, 8);
  const auto rays = tiled_ray_order(16, 8);
  for (Ordinal p = 0; p < 32; ++p) {
    EXPECT_EQ(pixels[p], p / 4 * 8 + p % 4);
    EXPECT_EQ(rays[p], p / 4 * 8 + p % 4);
  }
  EXPECT_EQ(pixels[32], 4);
  EXPECT_EQ(rays[32], 4);
}

// Repeats the drawings in docs/library/orderings.md, given as the place of each cell.
TEST(Orderings, grids_are_ordered_as_drawn) {
  const auto places = [](const std::vector<Ordinal>& order) {
    std::vector<Ordinal> result(order.size());
    for (std::size_t p = 0; p < order.size(); ++p) result[order[p]] = static_cast<Ordinal>(p);
    return result;
  };
  EXPECT_EQ(places(tiled_pixel_order(10, 6)),
            (std::vector<Ordinal>{0,  1,  2,  3,  32, 33, 4,  5,  6,  7,  34, 35, 8,  9,  10,
                                  11, 36, 37, 12, 13, 14, 15, 38, 39, 16, 17, 18, 19, 40, 41,
                                  20, 21, 22, 23, 42, 43, 24, 25, 26, 27, 44, 45, 28, 29, 30,
                                  31, 46, 47, 48, 49, 50, 51, 56, 57, 52, 53, 54, 55, 58, 59}));
  EXPECT_EQ(
      places(hilbert_order(4, 5)),
      (std::vector<Ordinal>{0, 3, 4, 5, 19, 1, 2, 7, 6, 18, 14, 13, 8, 9, 17, 15, 12, 11, 10, 16}));
}

TEST(Orderings, the_hilbert_curve_steps_to_neighbours_and_keeps_squares_together) {
  EXPECT_EQ(hilbert_order(2, 2), (std::vector<Ordinal>{0, 2, 3, 1}));
  for (const Ordinal side : {2, 4, 32}) {
    const auto order = hilbert_order(side, side);
    for (std::size_t p = 1; p < order.size(); ++p)
      EXPECT_EQ(std::abs(order[p] / side - order[p - 1] / side) +
                    std::abs(order[p] % side - order[p - 1] % side),
                1)
          << side << ", " << p;
  }
  const Ordinal rows = 21, columns = 35;
  const auto order = hilbert_order(rows, columns);
  for (const Ordinal side : {2, 4, 8, 16}) {
    // The order enters each aligned square once.
    std::vector<int> entered(static_cast<std::size_t>(64 * 64), 0);
    Ordinal previous = -1;
    for (const Ordinal cell : order) {
      const Ordinal square = cell / columns / side * 64 + cell % columns / side;
      if (square != previous) {
        EXPECT_EQ(++entered[square], 1) << side;
      }
      previous = square;
    }
  }
}

TEST(Orderings, order_by_length_is_stable) {
  EXPECT_EQ(order_by_length(std::vector<Offset>{0, 2, 5, 5, 7, 10}),
            (std::vector<Ordinal>{1, 4, 0, 3, 2}));
  EXPECT_TRUE(order_by_length({}).empty());
  EXPECT_TRUE(order_by_length(std::vector<Offset>{0}).empty());
  for (const PlainCsr& A : battery::matrices()) {
    const auto order = order_by_length(A.offsets);
    EXPECT_TRUE(is_permutation_of(order, static_cast<std::size_t>(A.rows))) << A.name;
    for (std::size_t p = 1; p < order.size(); ++p) {
      const auto before = A.offsets[order[p - 1] + 1] - A.offsets[order[p - 1]];
      const auto here = A.offsets[order[p] + 1] - A.offsets[order[p]];
      EXPECT_TRUE(before > here || (before == here && order[p - 1] < order[p])) << A.name;
    }
  }
}

TEST(Orderings, reverse_cuthill_mc_kee_is_a_permutation) {
  EXPECT_TRUE(reverse_cuthill_mckee({}, {}).empty());
  int squares = 0;
  for (const PlainCsr& A : battery::matrices()) {
    if (A.rows != A.columns) continue;
    ++squares;
    const auto order = rcm(A);
    EXPECT_TRUE(is_permutation_of(order, static_cast<std::size_t>(A.rows))) << A.name;
    EXPECT_EQ(order, rcm(A)) << A.name;
    // The order is computed from A + A^T, so A^T has the same order.
    EXPECT_EQ(order, rcm(A.transposed())) << A.name;
  }
  EXPECT_GE(squares, 4);
  const auto wide = battery::make("", 3, 8, [](int) { return 8; });
  EXPECT_THROW(rcm(wide), Error);
}

TEST(Orderings, reverse_cuthill_mc_kee_narrows_the_band) {
  std::mt19937 random(7);
  for (const auto& [rows, columns] : {std::pair{1, 200}, {5, 40}, {17, 60}}) {
    std::vector<Ordinal> number(static_cast<std::size_t>(rows * columns));
    std::iota(number.begin(), number.end(), 0);
    std::shuffle(number.begin(), number.end(), random);
    const PlainCsr A = grid(rows, columns, number);
    // The order proceeds level by level from an end of the grid. A level has at most as many points
    // as the shorter side, and the band spans at most two levels.
    EXPECT_LE(bandwidth(A, rcm(A)), 2 * rows) << rows << " x " << columns;
  }
}

TEST(Orderings, reverse_cuthill_mc_kee_keeps_components_together) {
  // The components are a path 0-2-4, a path 1-3-5 and the single point 6. Entries are stored on one
  // side of the diagonal only.
  PlainCsr A;
  A.columns = 7;
  for (const int neighbour : {2, 3, 4, 5, -1, -1, -1}) {
    if (neighbour >= 0) A.add(neighbour, 1);
    A.end_row();
  }
  const auto order = rcm(A);
  ASSERT_TRUE(is_permutation_of(order, 7));
  EXPECT_EQ(order[0], 6);
  EXPECT_EQ(order[1] % 2 + order[2] % 2 + order[3] % 2, 3);
  EXPECT_EQ(bandwidth(A, order), 1);
}

TEST(Orderings, subsets_distribute_the_views) {
  for (const auto& [views, detectors, subsets] :
       {std::tuple{16, 3, 4}, {18, 2, 4}, {7, 1, 3}, {5, 4, 5}, {3, 2, 8}, {0, 4, 3}, {9, 0, 2}})
    EXPECT_TRUE(is_permutation_of(subset_ray_order(views, detectors, subsets),
                                  static_cast<std::size_t>(views * detectors)));
  EXPECT_EQ(subset_ray_order(8, 1, 8), (std::vector<Ordinal>{0, 4, 2, 6, 1, 5, 3, 7}));
  EXPECT_EQ(subset_ray_order(6, 2, 3),
            (std::vector<Ordinal>{0, 1, 6, 7, 4, 5, 10, 11, 2, 3, 8, 9}));
  EXPECT_EQ(subset_ray_order(3, 2, 1), (std::vector<Ordinal>{0, 1, 2, 3, 4, 5}));
  // The views of each subset are evenly spaced over all directions.
  const auto order = subset_ray_order(48, 5, 6);
  const RowSubsets cut(48 * 5, 6, 5);
  for (int i = 0; i < 6; ++i)
    for (Ordinal p = cut[i].begin; p < cut[i].end; ++p) {
      EXPECT_EQ(order[p] / 5 % 6, order[cut[i].begin] / 5);
      EXPECT_EQ(order[p] % 5, p % 5);
    }
  EXPECT_THROW(subset_ray_order(4, 4, 0), Error);
  EXPECT_THROW(subset_ray_order(65536, 65536, 2), Error);
}

TEST(Orderings, voxels_are_ordered_box_by_box) {
  EXPECT_EQ(boxed_order(2, 2, 3, 2, 1, 2),
            (std::vector<Ordinal>{0, 1, 6, 7, 2, 8, 3, 4, 9, 10, 5, 11}));
  EXPECT_EQ(boxed_order(3, 1, 2, 2, 4, 1), (std::vector<Ordinal>{0, 2, 1, 3, 4, 5}));
  EXPECT_EQ(boxed_order(1, 5, 10, 3, 4, 8), tiled_order(5, 10, 4, 8));
  for (const auto& [slices, rows, columns] :
       {std::tuple{1, 1, 1}, {40, 33, 17}, {16, 32, 48}, {0, 3, 4}, {5, 0, 4}})
    EXPECT_TRUE(is_permutation_of(boxed_voxel_order(slices, rows, columns),
                                  static_cast<std::size_t>(slices * rows * columns)));
  // A whole box is a run of 4096 voxels, 16 on a side.
  const auto order = boxed_voxel_order(32, 16, 48);
  for (std::size_t p = 0; p < order.size(); ++p) {
    const auto box = p / 4096;
    EXPECT_EQ(order[p] / (16 * 48) / 16, static_cast<Ordinal>(box / 3));
    EXPECT_EQ(order[p] % 48 / 16, static_cast<Ordinal>(box % 3));
  }
  EXPECT_THROW(boxed_order(2, 2, 2, 0, 1, 1), Error);
  EXPECT_THROW(boxed_order(2, 2, 2, 1, 1, 0), Error);
  EXPECT_THROW(boxed_order(-1, 2, 2, 1, 1, 1), Error);
  EXPECT_THROW(boxed_voxel_order(2048, 1024, 1024), Error);
}

TEST(Orderings, subsets_distribute_pairs_of_crystals) {
  for (const int subsets : {1, 2, 3, 4, 6, 12}) {
    const auto order = subset_pair_order(24, 12, subsets);
    EXPECT_TRUE(is_permutation_of(order, 24 * 24));
    const auto classes = subset_class_order(subsets);
    const RowSubsets cut(24 * 24, subsets, 24 * 24 / 12);
    for (int i = 0; i < subsets; ++i) {
      int pairs = 0;
      const RowRange rows = cut[i].resolved(24 * 24);
      for (Ordinal p = rows.begin; p < rows.end; ++p) {
        const Ordinal row = order[p];
        // The directions of the views in a subset differ by multiples of `subsets`.
        EXPECT_EQ((row / 24 + row % 24) % 12 % subsets, classes[i]) << subsets;
        pairs += row / 24 < row % 24 ? 1 : 0;
      }
      // All subsets have equally many rows with entries, apart from rows on the diagonal.
      EXPECT_NEAR(pairs, 24 * 23 / 2.0 / subsets, 12) << subsets;
    }
  }
  EXPECT_EQ(subset_pair_order(4, 4, 2),
            (std::vector<Ordinal>{0, 7, 10, 13, 2, 5, 8, 15, 1, 4, 11, 14, 3, 6, 9, 12}));
  EXPECT_TRUE(is_permutation_of(subset_pair_order(10, 5, 3), 100));
  EXPECT_THROW(subset_pair_order(10, 4, 2), Error);
  EXPECT_THROW(subset_pair_order(10, 0, 2), Error);
  EXPECT_THROW(subset_pair_order(46342, 2, 2), Error);
  EXPECT_EQ(subset_class_order(1), (std::vector<Ordinal>{0}));
  EXPECT_EQ(subset_class_order(6), (std::vector<Ordinal>{0, 4, 2, 1, 5, 3}));
  EXPECT_THROW(subset_class_order(0), Error);
}
