// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_SystemMatrix.hpp>
#include <array>
#include <cmath>
#include <impl/Tomokkos_TracedRows_impl.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "DeviceCsr.hpp"

namespace {

using Tomokkos::Angle;
using Tomokkos::Beam;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using Tomokkos::Projector;
using Tomokkos::RowRange;
using Tomokkos::ScanGeometry;
using Tomokkos::ViewAngles;
using Tomokkos::VolumeGeometry;

constexpr std::array all_projectors{Projector::line, Projector::linear, Projector::strip};

template <class Scalar>
Tomokkos::HostCsrMatrix<Scalar> host_matrix(const VolumeGeometry& volume, const ScanGeometry& scan,
                                            Projector projector,
                                            RowRange rows = Tomokkos::all_rows) {
  const TestSpace exec;
  const auto A =
      Tomokkos::build_system_matrix<TestSpace, Scalar>(exec, volume, scan, projector, rows);
  Tomokkos::validate(exec, A, Tomokkos::ColumnOrder::sorted);
  return Tomokkos::copy_to<Kokkos::HostSpace>(exec, A);
}

/// Scan with all special cases: views along the axes and diagonals, rays along grid lines, and rays
/// that miss the image.
ScanGeometry special_scan(Beam beam, Ordinal views = 16, Ordinal detectors = 33) {
  ScanGeometry scan;
  scan.beam = beam;
  scan.views = ViewAngles::evenly_spaced(views, {}, ViewAngles::full_turn());
  scan.detectors = detectors;
  scan.detector_width = 1.0;
  scan.source_to_origin = 40;
  scan.origin_to_detector = 10;
  return scan;
}

/// Properties that must not depend on how the matrix is built.
TEST(SystemMatrix, sorted_pattern_is_the_same_in_float_and_double) {
  for (const Beam beam : {Beam::parallel, Beam::fan}) {
    for (const Projector projector : all_projectors) {
      for (const VolumeGeometry volume : {VolumeGeometry{16, 16, 1.0}, VolumeGeometry{1, 1, 1.0},
                                          VolumeGeometry{1, 30, 0.9}, VolumeGeometry{21, 2, 1.1}}) {
        const ScanGeometry scan = special_scan(beam);
        const auto A = host_matrix<double>(volume, scan, projector);
        const auto B = host_matrix<float>(volume, scan, projector);
        ASSERT_EQ(A.num_rows, 16 * 33);
        ASSERT_EQ(A.num_cols, volume.rows * volume.columns);
        ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
        const auto offsets = to_std_vector(
            Tomokkos::system_matrix_row_offsets(TestSpace(), volume, scan, projector));
        EXPECT_EQ(offsets, to_std_vector(A.row_offsets));
        EXPECT_EQ(A.memory_bytes(),
                  Tomokkos::system_matrix_bytes<double>(A.num_rows, A.num_nonzeros()));
        for (Ordinal row = 0; row <= A.num_rows; ++row)
          ASSERT_EQ(A.row_offsets(row), B.row_offsets(row));
        for (Offset k = 0; k < A.num_nonzeros(); ++k) {
          ASSERT_EQ(A.columns(k), B.columns(k));
          ASSERT_GT(A.values(k), 0);
          ASSERT_EQ(static_cast<float>(A.values(k)), B.values(k));
        }
      }
    }
  }
}

/// Rays are independent of each other, and therefore of the threads and processes that build them:
/// each ray separately, and blocks of rays, equal the rows of the whole matrix bit for bit.
TEST(SystemMatrix, blocks_of_rays_are_rows_of_the_whole) {
  const VolumeGeometry volume{15, 12, 1.0};
  for (const Beam beam : {Beam::parallel, Beam::fan}) {
    const ScanGeometry scan = special_scan(beam, 6, 21);
    for (const Projector projector : all_projectors) {
      const auto A = host_matrix<double>(volume, scan, projector);
      std::vector<RowRange> blocks{{0, A.num_rows}, {0, 0},   {A.num_rows, A.num_rows},
                                   {5, 21},         {21, 42}, {20, 64},
                                   {100, 126}};
      for (Ordinal row = 0; row < A.num_rows; row += 11) blocks.push_back({row, row + 1});
      for (const RowRange block : blocks) {
        SCOPED_TRACE("rays " + std::to_string(block.begin) + " to " + std::to_string(block.end));
        const auto B = host_matrix<double>(volume, scan, projector, block);
        ASSERT_EQ(B.num_rows, block.end - block.begin);
        ASSERT_EQ(B.num_cols, A.num_cols);
        EXPECT_EQ(to_std_vector(Tomokkos::system_matrix_row_offsets(TestSpace(), volume, scan,
                                                                    projector, block)),
                  to_std_vector(B.row_offsets));
        const Offset first = A.row_offsets(block.begin);
        for (Ordinal row = 0; row <= B.num_rows; ++row)
          ASSERT_EQ(B.row_offsets(row), A.row_offsets(block.begin + row) - first);
        for (Offset k = 0; k < B.num_nonzeros(); ++k) {
          ASSERT_EQ(B.columns(k), A.columns(first + k));
          ASSERT_EQ(B.values(k), A.values(first + k));
        }
      }
    }
  }
}

/// On a grid line, half of the length goes to the pixels on each side. Nothing outside the image is
/// stored.
TEST(SystemMatrix, ray_along_grid_line_is_shared_by_its_neighbours) {
  const Ordinal n = 4;
  const double pixel = 0.5;
  // Elements 0, ..., 6 lie at s = -1.5, ..., 1.5: outside, on the border, and on the grid lines.
  for (const Ordinal view : {0, 1, 2, 3}) {
    ScanGeometry scan = special_scan(Beam::parallel, 4, 7);
    scan.detector_width = pixel;
    const auto A =
        host_matrix<double>({n, n, pixel}, scan, Projector::line, {view * 7, view * 7 + 7});
    const bool vertical = view % 2 == 0;
    // Growing s is right, up, left, down; rows count from the top.
    const bool ascending = view == 0 || view == 3;
    for (Ordinal detector = 0; detector < 7; ++detector) {
      std::vector<double> weights(16, 0.0);
      for (Offset k = A.row_offsets(detector); k < A.row_offsets(detector + 1); ++k)
        weights[static_cast<std::size_t>(A.columns(k))] = A.values(k);
      const Ordinal grid_line =
          ascending ? detector - 1 : 5 - detector;  // from the left or the top
      for (Ordinal pixel_index = 0; pixel_index < 16; ++pixel_index) {
        const Ordinal position = vertical ? pixel_index % n : pixel_index / n;
        const bool touched = position == grid_line || position == grid_line - 1;
        EXPECT_EQ(weights[static_cast<std::size_t>(pixel_index)], touched ? pixel / 2 : 0.0)
            << "view " << view << ", detector " << detector << ", pixel " << pixel_index;
      }
    }
  }
}

/// The diagonal through the corners touches the neighbouring pixels only in points.
TEST(SystemMatrix, diagonal_through_corners_has_one_pixel_per_row) {
  ScanGeometry scan = special_scan(Beam::parallel, 8, 1);
  const auto A = host_matrix<double>({6, 6, 1.0}, scan, Projector::line);
  const auto diagonal = [&](Ordinal view, bool rising) {
    ASSERT_EQ(A.row_offsets(view + 1) - A.row_offsets(view), 6);
    for (Ordinal row = 0; row < 6; ++row) {
      const Offset k = A.row_offsets(view) + row;
      EXPECT_EQ(A.columns(k), row * 6 + (rising ? 5 - row : row));
      EXPECT_DOUBLE_EQ(A.values(k), std::sqrt(2.0));
    }
  };
  diagonal(1, false);
  diagonal(3, true);
  diagonal(5, false);
  diagonal(7, true);
}

TEST(SystemMatrix, rays_that_miss_the_image_are_empty_rows) {
  ScanGeometry scan = special_scan(Beam::parallel, 9, 2);
  scan.detector_width = 100;
  for (const Projector projector : {Projector::line, Projector::linear}) {
    const auto A = host_matrix<double>({16, 16, 1.0}, scan, projector);
    EXPECT_EQ(A.num_rows, 18);
    EXPECT_EQ(A.num_nonzeros(), 0);
  }
  // The beam covers the whole image: every pixel has its area divided by the width.
  const auto A =
      host_matrix<double>({16, 16, 1.0}, special_scan(Beam::parallel, 9, 1), Projector::strip);
  scan.detectors = 1;
  const auto whole = host_matrix<double>({16, 16, 1.0}, scan, Projector::strip);
  EXPECT_LT(A.num_nonzeros(), 9 * 256);
  ASSERT_EQ(whole.num_nonzeros(), 9 * 256);
  for (Offset k = 0; k < whole.num_nonzeros(); ++k) EXPECT_EQ(whole.values(k), 0.01);
}

/// Expects an exception whose message contains every word.
template <class Exception>
void expect_refused(const VolumeGeometry& volume, const ScanGeometry& scan,
                    const std::vector<std::string>& words, RowRange rows = Tomokkos::all_rows,
                    Projector projector = Projector::line) {
  try {
    Tomokkos::build_system_matrix<TestSpace, float>(TestSpace(), volume, scan, projector, rows);
    FAIL() << "accepted; the message should hold " << words.front();
  } catch (const Exception& error) {
    for (const std::string& word : words)
      EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
          << "no '" << word << "' in: " << error.what();
  }
}

TEST(SystemMatrix, refuses_what_cannot_be_built) {
  using Tomokkos::Error;
  const VolumeGeometry volume{8, 8, 1.0};
  const ScanGeometry scan = special_scan(Beam::fan);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const auto changed = [&](auto change) {
    ScanGeometry other = scan;
    change(other);
    return other;
  };

  expect_refused<Error>({0, 8, 1.0}, scan, {"0 x 8"});
  expect_refused<Error>({8, -3, 1.0}, scan, {"8 x -3"});
  expect_refused<Error>({8, 8, 0.0}, scan, {"pixel size", "0"});
  expect_refused<Error>({8, 8, nan}, scan, {"pixel size", "nan"});
  expect_refused<Error>({8, 8, 1e-46}, scan, {"pixel size", "1e-46", "1e-15"});
  expect_refused<Error>({8, 8, 1e39}, scan, {"pixel size", "1e+39"});
  expect_refused<Error>({1000000000, 1000000000, 1.0}, scan,
                        {"1000000000 x 1000000000", "1000000000000000000", "2147483647"});
  expect_refused<Error>(volume, changed([](auto& s) { s.views = {}; }), {"0 views"});
  expect_refused<Error>(volume, changed([](auto& s) { s.detectors = 0; }), {"0 detectors"});
  expect_refused<Error>(volume, changed([](auto& s) { s.detector_width = -0.5; }),
                        {"detector_width", "-0.5"});
  expect_refused<Error>(volume, changed([&](auto& s) { s.detector_width = nan; }),
                        {"detector_width", "nan"});
  expect_refused<Error>(volume, changed([&](auto& s) { s.detector_width = 1e200; }),
                        {"detector_width", "1e+200"});
  expect_refused<Error>(volume, changed([](auto& s) { s.detector_width = 1e-200; }),
                        {"detector_width", "1e-200"});
  expect_refused<Error>(volume, changed([](auto& s) { s.detector_width = 1e-8; }),
                        {"detector_width", "1e-08", "strips"}, Tomokkos::all_rows,
                        Projector::strip);
  expect_refused<Error>(volume, changed([&](auto& s) { s.detector_offset = infinity; }),
                        {"detector_offset", "inf"});
  expect_refused<Error>(volume, changed([&](auto& s) { s.rotation_center = nan; }),
                        {"rotation_center", "nan"});
  expect_refused<Error>(volume, changed([](auto& s) {
                          s.detector_offset = 1.5;
                          s.rotation_center = 7.25;
                        }),
                        {"detector_offset", "1.5", "rotation_center", "7.25"});
  expect_refused<Error>(volume, changed([](auto& s) { s.source_to_origin = 5.0; }),
                        {"source_to_origin", "5", "5.65"});
  expect_refused<Error>(volume, changed([](auto& s) { s.source_to_origin = 0.0; }),
                        {"source_to_origin", "0"});
  expect_refused<Error>(volume, changed([](auto& s) { s.origin_to_detector = -1.0; }),
                        {"origin_to_detector", "-1"});
  expect_refused<Error>(volume, changed([](auto& s) {
                          s.views = ViewAngles::evenly_spaced(100000);
                          s.detectors = 100000;
                        }),
                        {"100000 views x 100000 detectors", "10000000000", "2147483647"});
  expect_refused<Error>(volume, scan, {"rays 3 to 1000", "528"}, {3, 1000});
  expect_refused<Error>(volume, scan, {"rays -1 to 5"}, {-1, 5});
  expect_refused<Error>(volume, scan, {"rays 9 to 5"}, {9, 5});
}

// An address sanitizer ends the process at such a request instead of refusing it.
#if !defined(__SANITIZE_ADDRESS__)
TEST(SystemMatrix, says_how_much_memory_is_missing) {
  using View = Kokkos::View<double*, TestSpace::memory_space>;
  constexpr std::int64_t extent = std::int64_t{1} << 50;
  try {
    Tomokkos::Impl::allocate_for_matrix(std::uint64_t{3} << 52, [] {
      return Tomokkos::allocate<View>(TestSpace(), "values", extent);
    });
    FAIL() << "8 PiB allocated";
  } catch (const Tomokkos::MemoryError& error) {
    EXPECT_NE(std::string(error.what()).find("12.00 PiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("cannot allocate 8.00 PiB"), std::string::npos)
        << error.what();
  }
}
#endif

}  // namespace
