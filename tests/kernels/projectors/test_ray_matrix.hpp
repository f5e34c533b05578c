// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays that are given by their ends, against parallel scans and closed forms.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_RayMatrix.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace {

using namespace Tomokkos;

HostCsrMatrix<double> host_matrix(const VolumeGeometry& volume, const std::vector<RayEnds>& rays) {
  const TestSpace exec;
  const auto A = build_ray_matrix<TestSpace, double>(exec, volume, rays);
  validate(exec, A, ColumnOrder::sorted);
  return copy_to<Kokkos::HostSpace>(exec, A);
}

std::map<Ordinal, double> row_of(const HostCsrMatrix<double>& A, Ordinal row) {
  std::map<Ordinal, double> entries;
  for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
    entries[A.columns(k)] = A.values(k);
  return entries;
}

double sum_of(const HostCsrMatrix<double>& A, Ordinal row) {
  double sum = 0;
  for (const auto& [column, length] : row_of(A, row)) sum += length;
  return sum;
}

/// Largest difference of two rows, of which either may have entries that the other lacks.
double difference(const std::map<Ordinal, double>& a, std::map<Ordinal, double> b) {
  double largest = 0;
  for (const auto& [column, length] : a) b[column] -= length;
  for (const auto& [column, length] : b) largest = std::fmax(largest, std::fabs(length));
  return largest;
}

/// Rays of a parallel scan from well outside the image to well outside.
std::vector<RayEnds> ends_of(const VolumeGeometry& volume, const ScanGeometry& scan) {
  const double reach =
      3 * volume.radius() + std::hypot(volume.center_x, volume.center_y) + scan.detectors;
  std::vector<RayEnds> rays;
  for (Ordinal view = 0; view < scan.views.count(); ++view)
    for (Ordinal i = 0; i < scan.detectors; ++i) {
      const double x = std::cos(scan.views.radians()[view]),
                   y = std::sin(scan.views.radians()[view]);
      const double s = scan.position(i);
      rays.push_back({s * x + reach * y, s * y - reach * x, s * x - reach * y, s * y + reach * x});
    }
  return rays;
}

/// Views along the axes and diagonals, and rays along grid lines, are among them.
TEST(RayMatrix, long_rays_are_those_of_a_parallel_scan) {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(16, Angle{}, ViewAngles::full_turn());
  scan.detectors = 27;
  for (const VolumeGeometry& volume :
       {VolumeGeometry{14, 15, 1.0}, VolumeGeometry{1, 1, 1.0}, VolumeGeometry{20, 9, 0.75, 0.5},
        VolumeGeometry{12, 12, 1.0, 0, 3.5, -2.25}}) {
    SCOPED_TRACE(std::to_string(volume.rows) + " x " + std::to_string(volume.columns));
    const auto expected = copy_to<Kokkos::HostSpace>(
        TestSpace(),
        build_system_matrix<TestSpace, double>(TestSpace(), volume, scan, Projector::line));
    const auto A = host_matrix(volume, ends_of(volume, scan));
    ASSERT_EQ(A.num_rows, expected.num_rows);
    ASSERT_EQ(A.num_cols, expected.num_cols);
    EXPECT_GT(A.num_nonzeros(), 0);
    for (Ordinal row = 0; row < A.num_rows; ++row)
      ASSERT_LT(difference(row_of(A, row), row_of(expected, row)), 1e-11) << row;
  }
}

/// Pixel 5 of an image of 3 x 4 pixels, 2 wide and 1 high, has the corners (-2, -0.5), (0, 0.5).
TEST(RayMatrix, only_the_part_between_the_ends_counts) {
  const VolumeGeometry volume{3, 4, 2.0, 1.0};
  const auto A = host_matrix(volume, {{-1.5, 0, -0.5, 0},      // within pixel 5
                                      {-1.5, -0.25, 1, 0.25},  // from pixel 5 to pixel 6
                                      {1, 0.25, -1.5, -0.25},  // back
                                      {-9, 0, -5, 0},          // ends before the image
                                      {-1, 9, -1, 0.25}});     // comes from above
  using Entries = std::map<Ordinal, double>;
  EXPECT_LT(difference(row_of(A, 0), Entries{{5, 1.0}}), 1e-15);
  const double length = std::hypot(2.5, 0.5);
  const Entries across{{5, 0.6 * length}, {6, 0.4 * length}};
  EXPECT_LT(difference(row_of(A, 1), across), 1e-14);
  EXPECT_LT(difference(row_of(A, 2), across), 1e-14);
  EXPECT_EQ(row_of(A, 3).size(), 0u);
  EXPECT_LT(difference(row_of(A, 4), Entries{{1, 1.0}, {5, 0.25}}), 1e-14);
}

/// The parts of a ray that is cut anywhere have the lengths of the whole.
TEST(RayMatrix, parts_add_up_to_the_whole) {
  const VolumeGeometry volume{17, 13, 0.7, 0.9, 1, -1};
  std::vector<RayEnds> rays;
  for (int i = 0; i < 200; ++i) {
    const double a = 0.37 * i, b = 2.1 * i * i;
    const RayEnds whole{9 * std::cos(a), 7 * std::sin(a) - 1, 6 * std::cos(b), 9 * std::sin(b)};
    const double cut = 0.05 + 0.9 * std::fmod(0.618 * i, 1.0);
    const double x = whole.start_x + cut * (whole.end_x - whole.start_x);
    const double y = whole.start_y + cut * (whole.end_y - whole.start_y);
    rays.push_back(whole);
    rays.push_back({whole.start_x, whole.start_y, x, y});
    rays.push_back({x, y, whole.end_x, whole.end_y});
  }
  const auto A = host_matrix(volume, rays);
  double sum = 0;
  for (Ordinal row = 0; row < A.num_rows; row += 3) {
    auto parts = row_of(A, row + 1);
    for (const auto& [column, length] : row_of(A, row + 2)) parts[column] += length;
    ASSERT_LT(difference(row_of(A, row), parts), 1e-11) << row;
    sum += sum_of(A, row);
  }
  EXPECT_GT(sum, 500);
}

TEST(RayMatrix, a_ray_along_a_grid_line_is_shared) {
  const VolumeGeometry volume{2, 2, 1.0};
  const auto A =
      host_matrix(volume, {{0, -5, 0, 5}, {-5, 0, 0.5, 0}, {-1, -5, -1, 5}, {5, 5, -5, -5}});
  using Entries = std::map<Ordinal, double>;
  EXPECT_LT(difference(row_of(A, 0), Entries{{0, 0.5}, {1, 0.5}, {2, 0.5}, {3, 0.5}}), 1e-14);
  EXPECT_LT(difference(row_of(A, 1), Entries{{0, 0.5}, {1, 0.25}, {2, 0.5}, {3, 0.25}}), 1e-15);
  EXPECT_LT(difference(row_of(A, 2), Entries{{0, 0.5}, {2, 0.5}}), 1e-14);
  EXPECT_LT(difference(row_of(A, 3), Entries{{1, std::sqrt(2.0)}, {2, std::sqrt(2.0)}}), 1e-14);
}

TEST(RayMatrix, wrong_rays_are_refused_with_their_row) {
  const auto refused = [](const std::vector<RayEnds>& rays, const std::string& message) {
    try {
      build_ray_matrix<TestSpace, float>(TestSpace(), {8, 8, 1.0}, rays);
      ADD_FAILURE() << "accepted; expected: " << message;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  };
  const RayEnds good{-9, 0, 9, 1};
  refused({good, {2, 3, 2, 3}}, "ray 1 has length zero");
  refused({good, good, {0, std::numeric_limits<double>::quiet_NaN(), 1, 1}}, "ray 2 has an end");
  refused({{0, 0, 1e12, 0}}, "ray 0 has an end at a distance of 1e+12");
}

}  // namespace
