// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Requirements on all row sources: their counts match the rows they build, ranges are parts of the
// whole, bounds hold, and messages can name them.
#include <gtest/gtest.h>

#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_OrderedRows.hpp>
#include <Tomokkos_RowSource.hpp>
#include <Tomokkos_SampledRows.hpp>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "DeviceCsr.hpp"
#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using Matrix = CsrMatrix<float, TestSpace::memory_space>;
using Offsets = Kokkos::View<const Offset*, TestSpace::memory_space>;

ScanRows scan_rows(Projector projector, Beam beam = Beam::parallel) {
  ScanRows rows{{13, 17, 0.5}, {}, projector};
  rows.scan.beam = beam;
  rows.scan.views = beam == Beam::fan ? ViewAngles::list({0.1, 0.9, 2.5, 4})
                                      : ViewAngles::evenly_spaced(7, Angle{}, Angle::degrees(180));
  rows.scan.detectors = 21;
  rows.scan.detector_width = 0.6;
  rows.scan.source_to_origin = beam == Beam::fan ? 30 : 0;
  rows.scan.origin_to_detector = beam == Beam::fan ? 20 : 0;
  return rows;
}

ScannerRows scanner_rows() {
  RingScanner scanner = make_scanner(ScannerKind::madpet2_small);
  scanner.crystals = {1, 2};
  scanner.rays = 8;
  return {{4, 10, 12, 6, 2}, scanner};
}

ConeBeamRows cone_beam_rows() {
  ConeBeamScan scan;
  scan.views = 6;
  scan.detectors = {5, 4};
  scan.detector_width = {2, 2};
  scan.source_to_origin = 40;
  scan.origin_to_detector = 10;
  return {{5, 8, 4, 3, 6, 1}, scan};
}

RayRows ray_rows(Ordinal views) {
  RayRows rows{{9, 12, 0.5, 0.75, 1, 0}, {}, views};
  for (int i = 0; i < 30; ++i)
    rows.rays.push_back({-4, 0.3 * i - 4, 5 * std::cos(0.9 * i), 5 * std::sin(0.9 * i)});
  return rows;
}

/// At least one source of each kind, with files in a temporary folder.
struct Sources {
  TemporaryFolder folder;
  std::vector<RowSource> all;

  Sources() {
    const auto A = make_matrix<float>(
        6, 9, {{0, 1, 5}, {0, 8, 1}, {1, 0, 6}, {1, 2, 7}, {3, 3, 2}, {5, 4, 1}, {5, 5, 3}});
    write_matrix(folder / "a.npz", A);
    for (const Projector projector : {Projector::line, Projector::linear, Projector::strip})
      all.push_back(scan_rows(projector));
    all.push_back(scan_rows(Projector::linear, Beam::fan));
    all.push_back(ray_rows(1));
    all.push_back(ray_rows(5));
    all.push_back(scanner_rows());
    all.push_back(cone_beam_rows());
    all.push_back(StencilRows{7, {4, 3, 5}, 1});
    all.push_back(StencilRows{27, {3, 3, 4}, 2});
    all.push_back(FileRows{folder / "a.npz", {}});
    all.push_back(CirculantFileRows{{folder / "a.npz", {}}, 3});
  }
};

struct Rows {
  std::vector<Offset> lengths;
  std::vector<Ordinal> columns;
  std::vector<float> values;

  void append(const Matrix& A) {
    const auto offsets = to_std_vector(A.row_offsets);
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i)
      lengths.push_back(offsets[i + 1] - offsets[i]);
    for (const Ordinal column : to_std_vector(A.columns)) columns.push_back(column);
    for (const float value : to_std_vector(A.values)) values.push_back(value);
  }
  bool operator==(const Rows&) const = default;
};

Rows rows_of(const Matrix& A) {
  Rows rows;
  rows.append(A);
  return rows;
}

/// Builds rows range by range, where \p cuts are the boundaries of the ranges.
Rows in_ranges(const RowSource& source, const std::vector<Ordinal>& cuts) {
  Rows rows;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    rows.append(build_rows<TestSpace, float>(TestSpace(), source, {cuts[i], cuts[i + 1]}));
  return rows;
}

std::vector<Offset> lengths_of(const Offsets& offsets) {
  Rows rows;
  Matrix A;
  A.row_offsets = offsets;
  rows.append(A);
  return rows.lengths;
}

template <class Check>
void for_each_source(const Check& check) {
  const Sources sources;
  for (const RowSource& source : sources.all) {
    SCOPED_TRACE(describe(source));
    check(source, build_rows<TestSpace, float>(TestSpace(), source));
  }
}

TEST(RowSource, counts_match_the_rows_it_builds) {
  for_each_source([](const RowSource& source, const Matrix& A) {
    const TestSpace exec;
    ASSERT_GT(A.num_nonzeros(), 0);
    EXPECT_EQ(num_rows(source), A.num_rows);
    EXPECT_EQ(num_cols(source), A.num_cols);
    EXPECT_EQ(count_nonzeros(exec, source), A.num_nonzeros());
    EXPECT_EQ(lengths_of(row_offsets(exec, source)), rows_of(A).lengths);
    const RowRange some{A.num_rows / 3, A.num_rows / 2};
    const auto part = build_rows<TestSpace, float>(exec, source, some);
    EXPECT_EQ(count_nonzeros(exec, source, some), part.num_nonzeros());
    EXPECT_EQ(lengths_of(row_offsets(exec, source, some)), rows_of(part).lengths);
    const std::vector<Ordinal> shape = data_shape(source, A.num_rows);
    EXPECT_EQ(std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<>()), A.num_rows);
  });
}

TEST(RowSource, ranges_together_form_the_whole) {
  for_each_source([](const RowSource& source, const Matrix& A) {
    const Ordinal n = A.num_rows;
    EXPECT_EQ(in_ranges(source, {0, 1, n / 3, n / 2, n}), rows_of(A));
    EXPECT_EQ(in_ranges(source, {0, n}), rows_of(A));
    // The comparison detects a missing row and a repeated row.
    EXPECT_FALSE(in_ranges(source, {0, n - 1}) == rows_of(A));
    Rows twice = in_ranges(source, {0, n});
    twice.append(build_rows<TestSpace, float>(TestSpace(), source, {0, 1}));
    EXPECT_FALSE(twice == rows_of(A));
  });
}

TEST(RowSource, bounds_hold_and_estimates_are_close) {
  for_each_source([](const RowSource& source, const Matrix& A) {
    const auto nonzeros = static_cast<double>(A.num_nonzeros());
    EXPECT_LE(nonzeros, most_nonzeros(source));
    const double sample = sampled_nonzeros(TestSpace(), source);
    EXPECT_GT(sample, 0.7 * nonzeros);
    EXPECT_LT(sample, 1.4 * nonzeros);
    if (traits_of(source).is_read) {
      EXPECT_EQ(expected_nonzeros(source), 0);
      return;
    }
    const auto* beam = std::get_if<ConeBeamRows>(&source);
    const double built = beam ? nonzeros / beam->scan.views : nonzeros;
    EXPECT_GT(expected_nonzeros(source), built / 5);
    EXPECT_LT(expected_nonzeros(source), built * 5);
  });
  // The number of entries of a stencil is known exactly.
  const StencilRows stencil{27, {3, 4, 5}, 2};
  EXPECT_EQ(stencil.most_nonzeros(), count_nonzeros(TestSpace(), stencil));
}

TEST(RowSource, rows_can_be_built_in_any_order) {
  for_each_source([](const RowSource& source, const Matrix& A) {
    const TestSpace exec;
    const auto reversed = [&](Ordinal count, Ordinal left_out) {
      std::vector<Ordinal> order(static_cast<std::size_t>(count));
      std::iota(order.rbegin(), order.rend(), 0);
      order.resize(order.size() - static_cast<std::size_t>(left_out));
      return make_index_map(exec, count, order);
    };
    const auto expected = [&](const MatrixOrder<TestSpace::memory_space>& order) {
      return csr_mapped<TestSpace, float>(exec, A, map_or_identity(exec, order.rows, A.num_rows),
                                          map_or_identity(exec, order.columns, A.num_cols));
    };
    const Offsets offsets = row_offsets(exec, source);
    MatrixOrder<TestSpace::memory_space> order;
    order.rows = reversed(A.num_rows, 2);
    for (int with_columns = 0; with_columns < 2; ++with_columns) {
      if (with_columns != 0) order.columns = reversed(A.num_cols, 0);
      for (const Offsets& known : {Offsets(), offsets})
        EXPECT_EQ(rows_of(build_ordered_rows<TestSpace, float>(exec, source, known, order)),
                  rows_of(expected(order)));
      const OrderedRows<TestSpace, float> rows(exec, source, order, offsets);
      Rows blocks;
      for (const RowRange block : rows.blocks(3.0 * static_cast<double>(A.num_nonzeros())))
        blocks.append(rows.build(exec, block));
      EXPECT_EQ(blocks, rows_of(expected(order)));
      EXPECT_EQ(rows.num_nonzeros(), expected(order).num_nonzeros());
    }
    order.columns = reversed(A.num_cols, 3);
    EXPECT_EQ(rows_of(build_ordered_rows<TestSpace, float>(exec, source, offsets, order)),
              rows_of(expected(order)));
  });
}

TEST(RowSource, rows_without_a_measurement_are_empty) {
  for_each_source([](const RowSource& source, const Matrix& A) {
    const std::vector<Offset> lengths = rows_of(A).lengths;
    Ordinal unmeasured = 0;
    for (Ordinal row = 0; row < A.num_rows; ++row) {
      if (is_measured(source, row)) continue;
      ++unmeasured;
      EXPECT_EQ(lengths[static_cast<std::size_t>(row)], 0) << row;
    }
    EXPECT_EQ(unmeasured > 0, std::holds_alternative<ScannerRows>(source));
  });
}

TEST(RowSource, provides_names_for_messages) {
  EXPECT_EQ(matrix_name(FileRows{"/data/a.mtx", {}}), "/data/a.mtx");
  EXPECT_EQ(matrix_name(CirculantFileRows{{"/data/b.npz", {}}, 4}), "/data/b.npz");
  EXPECT_EQ(matrix_name(scanner_rows()), "of the scanner");
  EXPECT_EQ(matrix_name(cone_beam_rows()), "of the cone beam");
  EXPECT_EQ(describe(scan_rows(Projector::line)),
            "scan: parallel beam, 21 detectors, 7 views, 0 to 154.3 deg, step 25.714 deg, rotation "
            "centre 10.00");
  EXPECT_EQ(
      describe(scan_rows(Projector::line, Beam::fan)),
      "scan: fan beam, 21 detectors, 4 views, 5.7 to 229.2 deg, steps 45.8 to 91.7 deg (listed), "
      "rotation centre 10.00");
  EXPECT_EQ(matrix_name(ray_rows(1)), "of the rays");
  EXPECT_EQ(describe(ray_rows(1)), "scan: 30 rays between two points");
  EXPECT_EQ(describe(ray_rows(5)), "scan: 30 rays between two points in 5 views");
  EXPECT_EQ(describe(scanner_rows()), "scanner: 72 crystals, 8 rays per pair");
  EXPECT_EQ(describe(cone_beam_rows()), "scan: cone beam, 6 views x 4 x 5 detectors");
  EXPECT_EQ(describe(RowSource()), "scan: matrix from a file");
  MatrixGrids grids;
  grids.views = 3;
  grids.detectors = 2;
  EXPECT_EQ(describe(FileRows{"a.mtx", grids}), "scan: 3 views x 2 detectors, matrix from a file");
  EXPECT_NE(polar_volume(cone_beam_rows()), nullptr);
  EXPECT_EQ(polar_volume(scanner_rows()), nullptr);
}

TEST(RowSource, a_square_scan_stores_one_ray_of_each_orbit) {
  ScanRows rows = scan_rows(Projector::linear);
  EXPECT_EQ(rows.count_symmetric({}), 0u);  // 13 x 17 pixels
  rows.volume = {16, 16, 0.5};
  EXPECT_EQ(rows.count_symmetric({}), 0u);  // seven views
  rows.scan.views = ViewAngles::evenly_spaced(8, Angle{}, Angle::degrees(180));
  const std::size_t stored = rows.count_symmetric({});
  EXPECT_GT(stored, 8u * 21 / 8);
  EXPECT_LT(stored, 8u * 21 / 2);
}

TEST(RowSource, invalid_sources_and_ranges_are_refused) {
  const TestSpace exec;
  const Sources sources;
  for (const RowSource& source : sources.all) {
    const Ordinal n = num_rows(source);
    EXPECT_THROW((build_rows<TestSpace, float>(exec, source, {n - 1, n + 7})), Error)
        << describe(source);
  }
  ScanRows none = scan_rows(Projector::line);
  none.scan.detectors = 0;
  EXPECT_THROW((build_rows<TestSpace, float>(exec, none)), Error);
  EXPECT_THROW((build_rows<TestSpace, float>(exec, FileRows{sources.folder / "b.npz", {}})),
               InputError);
  const CirculantFileRows four{{sources.folder / "a.npz", {}}, 4};
  EXPECT_THROW((build_rows<TestSpace, float>(exec, four)), InputError);
}

}  // namespace
