// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Estimates of the rows of a matrix from some of them, against the rows that are built.
#include <gtest/gtest.h>

#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <cmath>
#include <string>
#include <vector>

namespace {

using namespace Tomokkos;
using Order = MatrixOrder<TestSpace::memory_space>;

ScanRows scan_rows(Beam beam, Projector projector) {
  ScanRows rows{{96, 80, 0.5}, {}, projector};
  rows.scan.beam = beam;
  rows.scan.views = ViewAngles::evenly_spaced(90, Angle{}, Angle::degrees(180));
  rows.scan.detectors = 140;
  rows.scan.detector_width = 0.6;
  rows.scan.source_to_origin = beam == Beam::fan ? 90 : 0;
  rows.scan.origin_to_detector = beam == Beam::fan ? 30 : 0;
  return rows;
}

ScannerRows scanner_rows() {
  RingScanner scanner = make_scanner(ScannerKind::madpet2_small);
  scanner.rays = 8;
  return {{10, 35, 35, 2, 2}, scanner};
}

ConeBeamRows cone_beam_rows() {
  ConeBeamScan scan;
  scan.views = 20;
  scan.detectors = {24, 16};
  scan.detector_width = {1, 1};
  scan.source_to_origin = 60;
  scan.origin_to_detector = 20;
  return {{8, 8, 6, 6, 20, 1}, scan};
}

/// Statistics of the matrix that is built in the order \p order.
RowStatistics exact_statistics(const RowSource& source, const Order& order) {
  const TestSpace exec;
  return row_statistics<TestSpace, float>(
      exec, build_ordered_rows<TestSpace, float>(exec, source, {}, order));
}

void expect_close(const RowSource& source, const Order& order = {}) {
  SCOPED_TRACE(describe(source));
  const RowStatistics expected = exact_statistics(source, order);
  const RowStatistics found = sample_rows(TestSpace(), source, order).statistics;
  EXPECT_EQ(found.rows, expected.rows);
  EXPECT_EQ(found.columns, expected.columns);
  const auto nonzeros = static_cast<double>(expected.nonzeros);
  EXPECT_GT(expected.nonzeros, 50000);
  EXPECT_NEAR(static_cast<double>(found.nonzeros), nonzeros, 0.05 * nonzeros);
  EXPECT_NEAR(found.mean, expected.mean, 0.05 * expected.mean);
  EXPECT_NEAR(found.sigma, expected.sigma, 0.1 * expected.sigma);
  EXPECT_NEAR(found.empty_rows, expected.empty_rows, 0.05 * expected.rows);
  EXPECT_LE(found.longest, expected.longest);
  EXPECT_GT(static_cast<double>(found.longest), 0.8 * static_cast<double>(expected.longest));
  EXPECT_GE(found.shortest, expected.shortest);
}

TEST(SampledRows, estimate_the_rows_of_every_traced_source) {
  for (const Beam beam : {Beam::parallel, Beam::fan})
    for (const Projector projector : {Projector::line, Projector::linear, Projector::strip}) {
      expect_close(scan_rows(beam, projector));
      EXPECT_TRUE(sample_rows(TestSpace(), scan_rows(beam, projector), {}).statistics.is_estimate);
    }
  expect_close(scanner_rows());
  EXPECT_TRUE(sample_rows(TestSpace(), scanner_rows(), {}).statistics.is_estimate);
  expect_close(cone_beam_rows());
}

/// Masks leave out the outer pixels, every third ray, and the ends of the detector.
TEST(SampledRows, count_only_the_rows_and_columns_of_the_run) {
  const TestSpace exec;
  const ScanRows source = scan_rows(Beam::parallel, Projector::line);
  std::vector<Ordinal> rays, pixels;
  for (Ordinal ray = 0; ray < 90 * 140; ++ray)
    if (ray % 3 != 0 && ray % 140 > 20 && ray % 140 < 110) rays.push_back(ray);
  for (Ordinal pixel = 96 * 80; pixel-- > 0;)
    if (std::hypot(pixel / 80 - 47.5, pixel % 80 - 39.5) < 40) pixels.push_back(pixel);
  expect_close(source,
               {make_index_map(exec, 90 * 140, rays), make_index_map(exec, 96 * 80, pixels)});
}

/// The number is exact where all rows are built, and for the equal views of a cone beam.
TEST(SampledRows, are_exact_where_all_rows_are_known) {
  const TestSpace exec;
  ScanRows small = scan_rows(Beam::parallel, Projector::linear);
  small.scan.views = ViewAngles::evenly_spaced(14, Angle{}, Angle::degrees(180));
  const ConeBeamRows cone = cone_beam_rows();
  std::vector<Ordinal> some;
  for (Ordinal row = 3; row < cone.num_rows(); row += 2) some.push_back(row);
  const Order part{make_index_map(exec, static_cast<Ordinal>(cone.num_rows()), some), {}};
  for (const auto& [source, order] :
       {std::pair<RowSource, Order>{small, {}}, {cone, {}}, {cone, part}}) {
    const RowStatistics expected = exact_statistics(source, order);
    const RowStatistics found = sample_rows(exec, source, order).statistics;
    EXPECT_FALSE(found.is_estimate);
    EXPECT_EQ(found.rows, expected.rows);
    EXPECT_EQ(found.nonzeros, expected.nonzeros);
    EXPECT_EQ(found.shortest, expected.shortest);
    EXPECT_EQ(found.longest, expected.longest);
    EXPECT_EQ(found.empty_rows, expected.empty_rows);
    EXPECT_DOUBLE_EQ(found.mean, expected.mean);
    EXPECT_NEAR(found.sigma, expected.sigma, 1e-9);
  }
}

/// Only one of many rays meets the image, and is not in the first sample.
TEST(SampledRows, find_the_only_row_with_entries) {
  RayRows source{{8, 8, 1.0}, std::vector<RayEnds>(50000, RayEnds{20, 0, 30, 1}), 1};
  source.rays[7777] = {-9, 0.5, 9, 0.5};
  const RowStatistics found = sample_rows(TestSpace(), source, {}).statistics;
  EXPECT_EQ(found.nonzeros, 8);
  EXPECT_EQ(found.empty_rows, 49999);
  EXPECT_FALSE(found.is_estimate);
  source.rays[7777] = source.rays.front();
  EXPECT_EQ(sample_rows(TestSpace(), source, {}).statistics.nonzeros, 0);
}

TEST(SampledRows, fingerprints_follow_the_entries) {
  const auto fingerprint = [](const RowSource& source) {
    return sample_rows(TestSpace(), source, {}).fingerprint;
  };
  const ScanRows scan = scan_rows(Beam::fan, Projector::line);
  EXPECT_EQ(fingerprint(scan), fingerprint(scan_rows(Beam::fan, Projector::line)));
  ScanRows moved = scan;
  moved.scan.detector_offset = 0.01;
  EXPECT_NE(fingerprint(moved), fingerprint(scan));
  ScannerRows other = scanner_rows();
  other.scanner.crystal_pitch[1] += 0.01;
  EXPECT_NE(fingerprint(other), fingerprint(scanner_rows()));
  ConeBeamRows cone = cone_beam_rows();
  cone.scan.source_to_origin += 0.01;
  EXPECT_NE(fingerprint(cone), fingerprint(cone_beam_rows()));
}

}  // namespace
