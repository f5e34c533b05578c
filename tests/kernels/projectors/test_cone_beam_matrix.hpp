// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "ConeBeamReference.hpp"
#include "ConeBeamTesting.hpp"

namespace {

/// Expects equal entries, except for tiny ones caused by rounding.
void expect_same(const std::map<Ordinal, double>& row, const std::map<Ordinal, double>& expected) {
  for (const auto& [column, length] : expected) {
    const auto found = row.find(column);
    if (length > 1e-9) {
      ASSERT_NE(found, row.end()) << "column " << column << ": " << length;
    }
    if (found != row.end()) {
      ASSERT_NEAR(found->second, length, 1e-12) << "column " << column;
    }
  }
  for (const auto& [column, length] : row)
    ASSERT_TRUE(length <= 1e-9 || expected.count(column) > 0) << "column " << column;
}

/// Direction of rotation of views and blocks: the matrix is traced view by view, with every ray in
/// its own position.
TEST(ConeBeamMatrix, expanded_it_is_the_matrix_traced_view_by_view) {
  for (const auto& [volume, scan] : cases()) {
    SCOPED_TRACE(std::to_string(volume.rings) + " rings, " + std::to_string(scan.views) + " views");
    const PolarGrid grid(volume);
    const auto A = build<double>(volume, scan);
    ASSERT_EQ(A.block_rows, scan.num_elements());
    for (Ordinal view = 0; view < scan.views; ++view)
      for (Ordinal v = 0; v < scan.detectors[1]; ++v)
        for (Ordinal u = view % 2; u < scan.detectors[0]; u += 2) {
          const auto row = A.expanded(v * scan.detectors[0] + u, view);
          expect_same(row, ConeBeamReference::row(grid, scan, u, v, view));
          if (HasFatalFailure()) return;
        }
  }
}

TEST(ConeBeamMatrix, row_sums_are_chords_of_the_cylinder) {
  auto all = cases();
  // A scan with the numbers of a real scanner.
  all.push_back({{35, 60, 40, 30, 150, 1}, scan_of(150, 48, 40)});
  all.back().scan.source_to_origin = 300;
  all.back().scan.origin_to_detector = 150;
  for (const auto& [volume, scan] : all) {
    const auto A = build<double>(volume, scan);
    Ordinal seen = 0;
    for (Ordinal v = 0; v < scan.detectors[1]; ++v)
      for (Ordinal u = 0; u < scan.detectors[0]; ++u) {
        const double chord = ConeBeamReference::chord(volume, scan, u, v);
        ASSERT_NEAR(A.sum(v * scan.detectors[0] + u), chord, 1e-12 * (chord + volume.radius))
            << u << ", " << v;
        seen += chord > 0 ? 1 : 0;
      }
    EXPECT_GT(seen, scan.num_elements() / 4);
  }
}

/// Points along the ray, each added to the voxel that contains it.
TEST(ConeBeamMatrix, entries_are_lengths_of_points_along_the_ray) {
  const PolarVolume volume{8, 9, 6, 5, 12, 0.8};
  ConeBeamScan scan = scan_of(12, 10, 9);
  scan.detector_offset = {0.21, 0.13};
  const PolarGrid grid(volume);
  const auto A = build<float>(volume, scan);
  constexpr Ordinal points = 200000;
  for (Ordinal element = 3; element < A.block_rows; element += 7) {
    const auto ray = ConeBeamReference::ray(scan, element % 10, element / 10, 5, 0, 0);
    const auto [begin, end] = ConeBeamReference::within(ray, volume.radius, volume.height);
    std::map<Ordinal, double> expected;
    for (Ordinal k = 0; k < points && begin < end; ++k) {
      const auto t = begin + (end - begin) * (k + 0.5L) / points;
      const auto voxel = grid.index_at(static_cast<double>(ray.px + t * ray.dx),
                                       static_cast<double>(ray.py + t * ray.dy),
                                       static_cast<double>(ray.pz + t * ray.dz));
      ASSERT_TRUE(voxel.has_value());
      expected[*voxel] += static_cast<double>((end - begin) * ray.length() / points);
    }
    const auto row = A.expanded(element, 5);
    for (const auto& [column, length] : row)
      ASSERT_NEAR(length, expected[column], 1e-3) << element << ", column " << column;
    for (const auto& [column, length] : expected)
      ASSERT_TRUE(length < 1e-3 || row.count(column) > 0) << element << ", column " << column;
  }
}

/// A ray within borders is the mean of the rays that pass closely on either side of them.
TEST(ConeBeamMatrix, rays_in_borders_are_shared) {
  const double step = 1e-9;
  // With odd numbers of elements the middle ones see the axis and the plane z = 0. There are
  // half-planes at 90 degrees if 4 divides the number of sectors, and no border in the plane z = 0
  // if the number of slices is odd.
  for (const Ordinal views : {4, 5, 8, 12})
    for (const Ordinal slices : {1, 2, 3, 6}) {
      const PolarVolume volume{7, 8, 5, slices, views, 0.7};
      ConeBeamScan scan = scan_of(views, 3, 3);
      const auto A = build<double>(volume, scan);
      std::vector<HostRows> moved;
      for (const double u : {-step, step})
        for (const double v : {-step, step}) {
          scan.detector_offset = {u, v};
          moved.push_back(build<double>(volume, scan));
        }
      for (Ordinal row = 0; row < 9; ++row) {
        std::map<Ordinal, double> mean;
        for (const HostRows& rows : moved)
          for (const auto& [column, length] : rows.expanded(row, 0)) mean[column] += length / 4;
        const auto shared = A.expanded(row, 0);
        for (const auto& [column, length] : mean) {
          const auto found = shared.find(column);
          ASSERT_NEAR(found == shared.end() ? 0 : found->second, length, 1e-6)
              << views << " views, " << slices << " slices, row " << row << ", column " << column;
        }
        for (const auto& [column, length] : shared) ASSERT_TRUE(mean.count(column) > 0);
        scan.detector_offset = {0, 0};
        ASSERT_NEAR(A.sum(row), ConeBeamReference::chord(volume, scan, row % 3, row / 3), 1e-13);
      }
    }
}

/// A ray that misses the axis and the plane of the source only by rounding runs within the border.
TEST(ConeBeamMatrix, rounding_does_not_move_rays_out_of_borders) {
  for (const Ordinal views : {4, 8, 150}) {
    const PolarVolume volume{7, 8, 5, 4, views, 0.7};
    ConeBeamScan scan = scan_of(views, 3, 3);
    const auto A = build<double>(volume, scan);
    for (const double step : {-3e-15, 3e-15}) {
      scan.detector_offset = {step, -step};
      const auto B = build<double>(volume, scan);
      ASSERT_EQ(A.positions, B.positions);
      for (std::size_t e = 0; e < A.values.size(); ++e)
        ASSERT_NEAR(A.values[e], B.values[e], 1e-12);
    }
  }
}

/// The distance of its rays from the axis is 6: 10 times 7.5 / 12.5.
TEST(ConeBeamMatrix, a_ray_that_touches_a_circle_lies_outside) {
  const PolarVolume volume{8, 4, 8, 3, 10, 1};
  ConeBeamScan scan = scan_of(10, 2, 1);
  scan.detector_width = {15, 1};
  scan.source_to_origin = 10;
  scan.origin_to_detector = 0;
  const PolarGrid grid(volume);
  const auto A = build<double>(volume, scan);
  for (Ordinal row = 0; row < 2; ++row) {
    EXPECT_NEAR(A.sum(row), 2 * std::sqrt(28.0), 1e-13);
    EXPECT_GT(A.begin(row + 1) - A.begin(row), 4);
    for (const auto& [column, length] : A.expanded(row, 0))
      EXPECT_GE(grid.voxel(column).ring, 6) << length;
  }
}

/// Without offsets, a scan is unchanged by reflections at x = 0 and at z = 0.
TEST(ConeBeamMatrix, mirrored_elements_see_mirrored_voxels) {
  const PolarVolume volume{8, 9, 7, 6, 9, 0.6};
  ConeBeamScan scan = scan_of(9, 9, 8);
  scan.rays = 2;
  const PolarGrid grid(volume);
  const auto A = build<double>(volume, scan);
  for (Ordinal v = 0; v < 8; ++v)
    for (Ordinal u = 0; u < 9; ++u) {
      const auto row = A.expanded(v * 9 + u, 0);
      const auto beside = A.expanded(v * 9 + 8 - u, 0), below = A.expanded((7 - v) * 9 + u, 0);
      const auto value = [](const std::map<Ordinal, double>& values, Ordinal column) {
        const auto found = values.find(column);
        return found == values.end() ? 0.0 : found->second;
      };
      for (const auto& [column, length] : row) {
        PolarVoxel voxel = grid.voxel(column);
        voxel.slice = volume.slices - 1 - voxel.slice;
        ASSERT_NEAR(value(below, grid.index(voxel)), length, 1e-13);
        // The reflection at x = 0 maps sectors to sectors only if their number is even.
        voxel = grid.voxel(column);
        const Ordinal sectors = grid.sectors(voxel.ring);
        if (sectors % 2 != 0) continue;
        voxel.sector = (sectors / 2 - 1 - voxel.sector + sectors) % sectors;
        ASSERT_NEAR(value(beside, grid.index(voxel)), length, 1e-13);
      }
    }
}

TEST(ConeBeamMatrix, float_and_double_have_the_same_pattern) {
  for (const auto& [volume, scan] : cases()) {
    const auto A = build<double>(volume, scan), B = build<float>(volume, scan);
    ASSERT_EQ(A.offsets, B.offsets);
    ASSERT_EQ(A.positions, B.positions);
    for (std::size_t e = 0; e < A.values.size(); ++e)
      ASSERT_EQ(static_cast<float>(A.values[e]), B.values[e]);
  }
}

/// Rows are independent of each other, and therefore of the threads that build them.
TEST(ConeBeamMatrix, parts_are_rows_of_the_whole) {
  for (const auto& [volume, scan] : cases()) {
    const auto A = build<double>(volume, scan);
    EXPECT_EQ(count_cone_beam_nonzeros(TestSpace(), volume, scan), A.offsets.back());
    const Ordinal n = A.block_rows;
    for (const RowRange part : {RowRange{0, 0}, RowRange{n, n}, RowRange{5, 6}, RowRange{7, n}}) {
      const auto B = build<double>(volume, scan, part);
      ASSERT_EQ(B.block_rows, part.end - part.begin);
      const Offset first = A.begin(part.begin);
      EXPECT_EQ(count_cone_beam_nonzeros(TestSpace(), volume, scan, part), B.offsets.back());
      for (Ordinal row = 0; row <= B.block_rows; ++row)
        ASSERT_EQ(B.begin(row), A.begin(part.begin + row) - first);
      for (std::size_t e = 0; e < B.values.size(); ++e) {
        ASSERT_EQ(B.positions[e], A.positions[HostRows::at(first) + e]);
        ASSERT_EQ(B.values[e], A.values[HostRows::at(first) + e]);
      }
    }
  }
}

/// The published block-circulant matrices: their rows, columns and, to 15 %, nonzeros, from four
/// rows of the detector.
TEST(ConeBeamMatrix, the_grids_of_the_published_matrices) {
  struct Published {
    Ordinal rings, slices, side, rays;
    std::int64_t rows, columns, nonzeros;
  };
  for (const auto& [rings, slices, side, rays, rows, columns, nonzeros] :
       {Published{107, 80, 140, 4, 19600, 1284000, 7029618},
        Published{264, 141, 140, 4, 19600, 5583600, 18845735},
        Published{622, 169, 140, 3, 19600, 15767700, 40601519},
        Published{477, 416, 280, 4, 78400, 29764800, 120506745},
        Published{1014, 767, 280, 3, 78400, 116660700, 304228353}}) {
    const PolarVolume volume{37, 74, rings, slices, 150, 30};
    ConeBeamScan scan = scan_of(150, side, side);
    scan.detector_width = {112.0 / side, 112.0 / side};
    scan.source_to_origin = 300;
    scan.origin_to_detector = 150;
    scan.rays = rays;
    EXPECT_EQ(scan.num_elements(), rows);
    EXPECT_EQ(PolarGrid(volume).num_voxels(), columns);
    Offset found = 0;
    for (Ordinal k = 0; k < 4; ++k) {
      const Ordinal first = (2 * k + 1) * side / 8 * side;
      found += count_cone_beam_nonzeros(TestSpace(), volume, scan, {first, first + side});
    }
    const double mean = static_cast<double>(found) / (4.0 * side);
    EXPECT_NEAR(mean * static_cast<double>(rows) / static_cast<double>(nonzeros), 1, 0.15)
        << columns << " columns";
  }
}

TEST(ConeBeamMatrix, refuses_what_cannot_be_built) {
  const PolarVolume volume{8, 9, 5, 4, 7, 1};
  const auto refused = [&](const PolarVolume& cylinder, const ConeBeamScan& scan, RowRange part,
                           const std::string& word) {
    try {
      build_cone_beam_matrix<TestSpace, float>(TestSpace(), cylinder, scan, part);
      ADD_FAILURE() << "accepted; the message should hold " << word;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  };
  const ConeBeamScan scan = scan_of(7, 9, 8);
  for (const RowRange part : {RowRange{-1, 5}, RowRange{5, 3}, RowRange{0, 73}})
    refused(volume, scan, part, "rows " + std::to_string(part.begin) + " to");
  refused(volume, scan_of(8, 9, 8), all_rows, "8 views");
  refused({8, 9, 0, 4, 7, 1}, scan, all_rows, "0 rings");
  ConeBeamScan inside = scan;
  inside.source_to_origin = 8;
  refused(volume, inside, all_rows, "source_to_origin is 8");
}

}  // namespace
