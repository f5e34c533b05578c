// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Index maps, and matrices and vectors reordered by them.
#include <gtest/gtest.h>

#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_CsrOps.hpp>
#include <Tomokkos_MapVectors.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Orderings.hpp>
#include <Tomokkos_Spmv.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_Transpose.hpp>
#include <map>
#include <numeric>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using MemorySpace = TestSpace::memory_space;
using Map = IndexMap<MemorySpace>;

std::vector<Ordinal> shuffled(Ordinal size, unsigned seed) {
  std::vector<Ordinal> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(seed));
  return order;
}

/// About half of the indices, in random order.
std::vector<Ordinal> random_half(Ordinal size, unsigned seed) {
  auto order = shuffled(size, seed);
  order.resize(static_cast<std::size_t>((size + 1) / 2));
  return order;
}

/// Reference for `csr_mapped`: B(p, q) = A(rows[p], columns[q]).
PlainCsr permuted(const PlainCsr& A, const std::vector<Ordinal>& rows,
                  const std::vector<Ordinal>& columns) {
  std::vector<Ordinal> position(static_cast<std::size_t>(A.columns), -1);
  for (std::size_t q = 0; q < columns.size(); ++q) position[columns[q]] = static_cast<Ordinal>(q);
  PlainCsr B;
  B.name = A.name;
  B.columns = static_cast<Ordinal>(columns.size());
  for (const Ordinal row : rows) {
    std::map<Ordinal, double> entries;
    for (auto k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (position[A.indices[k]] >= 0) entries[position[A.indices[k]]] = A.values[k];
    for (const auto& [column, value] : entries) B.add(column, value);
    B.end_row();
  }
  return B;
}

template <class Scalar>
void expect_equal(const CsrMatrix<Scalar, MemorySpace>& computed, const PlainCsr& expected,
                  const std::string& what) {
  ASSERT_EQ(computed.num_rows, expected.rows) << what;
  ASSERT_EQ(computed.num_cols, expected.columns) << what;
  EXPECT_EQ(to_std_vector(computed.row_offsets), expected.offsets) << what;
  EXPECT_EQ(to_std_vector(computed.columns), expected.indices) << what;
  EXPECT_EQ(to_std_vector(computed.values),
            std::vector<Scalar>(expected.values.begin(), expected.values.end()))
      << what;
}

template <class Scalar>
void check_mapped(const PlainCsr& plain) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  for (const bool some_rows : {false, true})
    for (const bool some_columns : {false, true}) {
      const auto rows = some_rows ? random_half(plain.rows, 1) : shuffled(plain.rows, 2);
      const auto columns =
          some_columns ? random_half(plain.columns, 3) : shuffled(plain.columns, 4);
      const Map row_map = make_index_map(exec, plain.rows, rows);
      const Map column_map = make_index_map(exec, plain.columns, columns);
      expect_equal(csr_mapped<TestSpace, Scalar>(exec, A, row_map, column_map),
                   permuted(plain, rows, columns), plain.name);
    }
}

}  // namespace

TEST(IndexMap, holds_an_order_and_its_inverse) {
  const TestSpace exec;
  const Map map = make_index_map(exec, 5, {3, 0, 4});
  validate(exec, map);
  EXPECT_EQ(map.size(), 3);
  EXPECT_EQ(map.natural_size(), 5);
  EXPECT_FALSE(map.is_permutation());
  EXPECT_EQ(to_std_vector(map.to_natural), (std::vector<Ordinal>{3, 0, 4}));
  EXPECT_EQ(to_std_vector(map.from_natural), (std::vector<Ordinal>{1, -1, -1, 0, 2}));

  const Map identity = identity_map(exec, 4);
  validate(exec, identity);
  EXPECT_TRUE(identity.is_permutation());
  EXPECT_EQ(to_std_vector(identity.to_natural), (std::vector<Ordinal>{0, 1, 2, 3}));
  EXPECT_EQ(to_std_vector(identity.from_natural), (std::vector<Ordinal>{0, 1, 2, 3}));

  for (const Ordinal size : {0, 1, 1000}) {
    const Map order = make_index_map(exec, size, shuffled(size, 5));
    validate(exec, order);
    EXPECT_TRUE(order.is_permutation());
    validate(exec, identity_map(exec, size));
    validate(exec, make_index_map(exec, size, {}));
  }
}

TEST(IndexMap, refuses_invalid_orders) {
  const TestSpace exec;
  const auto message = [&](const std::vector<Ordinal>& order) -> std::string {
    try {
      make_index_map(exec, 4, order);
    } catch (const Error& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_NE(message({0, 4}).find("position 1 of the order: index 4 is outside 0 to 3"),
            std::string::npos);
  EXPECT_NE(message({-1}).find("index -1 is outside"), std::string::npos);
  EXPECT_NE(message({2, 1, 2}).find("position 2 of the order: index 2 also occurs at position 0"),
            std::string::npos);
  EXPECT_THROW(make_index_map(exec, -1, {}), Error);
}

TEST(IndexMap, validate_refuses_inconsistent_maps) {
  const TestSpace exec;
  const auto indices = [&](const std::vector<Ordinal>& values) {
    return to_device<TestSpace, Ordinal>(exec, values);
  };
  validate(exec, Map{indices({2, 0}), indices({1, -1, 0})});
  for (const Map& broken : {Map{indices({2, 0}), indices({0, -1, 1})},   // not the inverse
                            Map{indices({2, 2}), indices({-1, -1, 0})},  // index occurs twice
                            Map{indices({3, 0}), indices({1, -1, -1})},  // index out of range
                            Map{indices({-1, 0}), indices({1, -1, -1})},
                            Map{indices({2, 0}), indices({1, 0, 0})},   // omitted index has a place
                            Map{indices({2, 0}), indices({1, 2, 0})},   // place out of range
                            Map{indices({2, 0}), indices({1, -2, 0})},  // not the sentinel -1
                            Map{indices({2, 0}), indices({1})}})
    EXPECT_THROW(validate(exec, broken), Error);
}

TEST(IndexMap, scatter_undoes_gather) {
  const TestSpace exec;
  for (const int s : {1, 3})
    for (const auto& order : {shuffled(501, 6), random_half(501, 7), std::vector<Ordinal>{}}) {
      const Map map = make_index_map(exec, 501, order);
      const auto plain = random_vector(static_cast<std::size_t>(501 * s), 8);
      const auto natural = to_device<TestSpace, float>(exec, plain);
      const auto mapped = to_device<TestSpace, float>(
          exec, std::vector<float>(order.size() * static_cast<std::size_t>(s), -7));
      const auto back = to_device<TestSpace, float>(exec, std::vector<float>(plain.size(), -7));
      using Multi = MultiVectorView<float, MemorySpace>;
      using ConstMulti = MultiVectorView<const float, MemorySpace>;
      gather<TestSpace, float>(exec, map, ConstMulti(natural.data(), 501, s),
                               Multi(mapped.data(), order.size(), s));
      scatter<TestSpace, float>(exec, map, ConstMulti(mapped.data(), order.size(), s),
                                Multi(back.data(), 501, s));
      exec.fence();
      std::vector<float> expected(plain.size(), -7);
      const auto in_map = to_std_vector(mapped);
      for (std::size_t p = 0; p < order.size(); ++p)
        for (int j = 0; j < s; ++j) {
          const std::size_t at = static_cast<std::size_t>(order[p] * s + j);
          expected[at] = static_cast<float>(plain[at]);
          EXPECT_EQ(in_map[p * s + j], expected[at]);
        }
      EXPECT_EQ(to_std_vector(back), expected);
    }
}

TEST(IndexMap, vectors_of_the_wrong_length_are_refused) {
  const TestSpace exec;
  const Map map = make_index_map(exec, 5, {3, 0, 4});
  const Vector<double, MemorySpace> three("three", 3), five("five", 5);
  EXPECT_THROW((gather<TestSpace, double>(exec, map, three, three)), DimensionMismatch);
  EXPECT_THROW((gather<TestSpace, double>(exec, map, five, five)), DimensionMismatch);
  EXPECT_THROW((scatter<TestSpace, double>(exec, map, five, five)), DimensionMismatch);
  const MultiVector<double, MemorySpace> wide("wide", 5, 2);
  const MultiVector<double, MemorySpace> narrow("narrow", 3, 1);
  EXPECT_THROW(
      (gather<TestSpace, double>(exec, map, MultiVectorView<const double, MemorySpace>(wide),
                                 MultiVectorView<double, MemorySpace>(narrow))),
      DimensionMismatch);
}

TEST(CsrMapped, equals_the_matrix_permuted_by_hand) {
  for (const PlainCsr& plain : battery::matrices()) {
    check_mapped<float>(plain);
    check_mapped<double>(plain);
  }
}

TEST(CsrMapped, rows_of_any_length_are_sorted) {
  const TestSpace exec;
  PlainCsr A;
  A.columns = 7000;
  for (const int length : {2047, 2048, 2049, 0, 5, 7000, 4096}) {
    for (int column = 0; column < length; ++column) A.add(column, column + 0.25);
    A.end_row();
  }
  const auto rows = shuffled(A.rows, 1);
  const auto columns = shuffled(A.columns, 2);
  expect_equal(csr_mapped<TestSpace, double>(exec, to_device<TestSpace, double>(exec, A),
                                             make_index_map(exec, A.rows, rows),
                                             make_index_map(exec, A.columns, columns)),
               permuted(A, rows, columns), "rows of any length");
}

TEST(CsrMapped, identity_maps_only_sort_the_rows) {
  const TestSpace exec;
  for (const PlainCsr& plain : battery::matrices()) {
    std::vector<Ordinal> rows(static_cast<std::size_t>(plain.rows));
    std::vector<Ordinal> columns(static_cast<std::size_t>(plain.columns));
    std::iota(rows.begin(), rows.end(), 0);
    std::iota(columns.begin(), columns.end(), 0);
    expect_equal(csr_mapped<TestSpace, float>(exec, to_device<TestSpace, float>(exec, plain),
                                              identity_map(exec, plain.rows),
                                              identity_map(exec, plain.columns)),
                 permuted(plain, rows, columns), plain.name);
  }
}

TEST(CsrMapped, maps_of_the_wrong_size_are_refused) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, float>(exec, battery::make("", 4, 6, [](int) { return 3; }));
  EXPECT_THROW(
      (csr_mapped<TestSpace, float>(exec, A, identity_map(exec, 6), identity_map(exec, 6))),
      DimensionMismatch);
  EXPECT_THROW(
      (csr_mapped<TestSpace, float>(exec, A, identity_map(exec, 4), identity_map(exec, 4))),
      DimensionMismatch);
}

// Lanes load packs of four together. Within such a load, the entries in place c of the packs must
// be successive. The test walks each row in the order of `team_vector`.
TEST(CsrInterleaved, lanes_find_successive_entries_in_each_place) {
  const TestSpace exec;
  for (const PlainCsr& plain : battery::matrices()) {
    const auto A = to_device<TestSpace, float>(exec, plain);
    for (const int lanes : {1, 2, 8, 32}) {
      const auto B = csr_interleaved<TestSpace, float>(exec, A, lanes);
      EXPECT_EQ(to_std_vector(B.row_offsets), plain.offsets);
      const auto columns = to_std_vector(B.columns);
      const auto values = to_std_vector(B.values);
      for (Ordinal row = 0; row < plain.rows; ++row) {
        const Offset begin = plain.offsets[row], end = plain.offsets[row + 1];
        const Offset start = begin / 4 * 4;
        Offset from = begin;
        for (Offset first_pack = 0; start + 4 * first_pack < end; first_pack += lanes)
          for (int place = 0; place < 4; ++place)
            for (int lane = 0; lane < lanes; ++lane) {
              const Offset k = start + 4 * (first_pack + lane) + place;
              if (k < begin || k >= end) continue;
              ASSERT_EQ(columns[k], plain.indices[from]) << plain.name << ", row " << row;
              ASSERT_EQ(values[k], static_cast<float>(plain.values[from]));
              ++from;
            }
        ASSERT_EQ(from, end);
      }
    }
  }
  const auto A = to_device<TestSpace, float>(exec, battery::make("", 4, 6, [](int) { return 3; }));
  for (const int lanes : {0, -1, 3, 64})
    EXPECT_THROW((csr_interleaved<TestSpace, float>(exec, A, lanes)), Error) << lanes;
}

// Repeats the drawing in docs/library/orderings.md.
TEST(CsrInterleaved, a_row_is_interleaved_as_documented) {
  const TestSpace exec;
  const auto A =
      to_device<TestSpace, float>(exec, battery::make("", 1, 16, [](int) { return 16; }));
  EXPECT_EQ(to_std_vector(csr_interleaved<TestSpace, float>(exec, A, 4).columns),
            (std::vector<Ordinal>{0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}));
}

TEST(CsrInterleaved, products_and_transpose_equal_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : battery::matrices()) {
    const auto A = to_device<TestSpace, double>(exec, plain);
    const auto B = csr_interleaved<TestSpace, double>(exec, A, 8);
    const auto x_plain = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto x = to_device<TestSpace, double>(exec, x_plain);
    const Vector<double, MemorySpace> y("y", static_cast<std::size_t>(plain.rows));
    for (const auto variant : {SpmvVariant::scalar, SpmvVariant::team_vector, SpmvVariant::staged,
                               SpmvVariant::merge_path}) {
      SpmvOptions options;
      options.variant = variant;
      const SpmvPlan<TestSpace, CsrMatrix<double, MemorySpace>> plan(exec, B, options);
      spmv<TestSpace, double>(exec, plan, B, 1.0, x, 0.0, y);
      EXPECT_LE(worst_row_error(to_std_vector(y), reference_product(plain, 1, x_plain, 0, {})), 1)
          << plain.name << ", " << to_string(variant);
    }
    expect_equal(transpose<TestSpace, double>(exec, B), plain.transposed(), plain.name);
  }
}

TEST(CsrInterleaved, operators_interleave_and_stay_correct) {
  const TestSpace exec;
  const PlainCsr plain = battery::make("square", 300, 300, [](int i) { return 30 + i % 50; });
  const auto A = to_device<TestSpace, double>(exec, plain);
  OperatorOptions options;
  options.transpose = TransposeMethod::stored;
  options.spmv.variant = options.transpose_spmv.variant = SpmvVariant::team_vector;
  options.spmv.vector_length = 8;
  options.transpose_spmv.vector_length = 4;
  options.interleaved = true;
  const CsrOperator<TestSpace, double> interleaved(exec, A, options);
  const auto same = [&](const auto& a, const auto& b) {
    return to_std_vector(a.columns) == to_std_vector(b.columns) &&
           to_std_vector(a.values) == to_std_vector(b.values);
  };
  EXPECT_TRUE(same(interleaved.matrix(), csr_interleaved<TestSpace, double>(exec, A, 8)));
  EXPECT_TRUE(interleaved.is_interleaved());
  // spmv4gpu copies A into a padded matrix of its own. No other kernel reads A, so it stays as it
  // is.
  OperatorOptions padded = options;
  padded.spmv.variant = padded.transpose_spmv.variant = SpmvVariant::spmv4gpu;
  padded.spmv.vector_length = padded.transpose_spmv.vector_length = 0;
  const CsrOperator<TestSpace, double> sorted(exec, A, padded);
  EXPECT_FALSE(sorted.is_interleaved());
  EXPECT_TRUE(same(sorted.matrix(), A));
  EXPECT_TRUE(
      same(interleaved.transposed_matrix(),
           csr_interleaved<TestSpace, double>(exec, transpose<TestSpace, double>(exec, A), 4)));

  const auto scale = to_device<TestSpace, double>(exec, random_vector(300, 2));
  const auto scaled = interleaved.scaled(exec, scale);
  const auto scaled_matrix = csr_scaled<TestSpace, double>(exec, A, scale, scale);
  EXPECT_TRUE(same(scaled.matrix(), csr_interleaved<TestSpace, double>(exec, scaled_matrix, 8)));
  EXPECT_TRUE(same(scaled.transposed_matrix(),
                   csr_interleaved<TestSpace, double>(
                       exec, transpose<TestSpace, double>(exec, scaled_matrix), 4)));

  const auto x_plain = random_vector(300, 1);
  const auto x = to_device<TestSpace, double>(exec, x_plain);
  const Vector<double, MemorySpace> y("y", 300);
  interleaved.apply(exec, 1, as_multivector(x), 0, as_multivector(y));
  EXPECT_LE(worst_row_error(to_std_vector(y), reference_product(plain, 1, x_plain, 0, {})), 1);
  interleaved.apply_transpose(exec, 1, as_multivector(x), 0, as_multivector(y));
  EXPECT_LE(
      worst_row_error(to_std_vector(y), reference_product(plain.transposed(), 1, x_plain, 0, {})),
      1);
  // Bisection cannot find a range of rows in a transpose whose rows are unsorted.
  const PlainCsr part = rows_of(plain, 50, 170);
  const std::vector<double> part_plain(x_plain.begin(), x_plain.begin() + 120);
  const auto part_x = to_device<TestSpace, double>(exec, part_plain);
  interleaved.apply_transpose(exec, 1, as_multivector(part_x), 0, as_multivector(y),
                              RowRange{50, 170});
  EXPECT_LE(
      worst_row_error(to_std_vector(y), reference_product(part.transposed(), 1, part_plain, 0, {})),
      1);
}

TEST(MappedSystemMatrix, equals_the_mapped_system_matrix_bit_for_bit) {
  const TestSpace exec;
  const VolumeGeometry volume{13, 22, 0.7};
  for (const Beam beam : {Beam::parallel, Beam::fan})
    for (const Projector projector : {Projector::line, Projector::linear, Projector::strip}) {
      ScanGeometry scan;
      scan.beam = beam;
      scan.views = ViewAngles::evenly_spaced(11, Angle::degrees(3), Angle::degrees(180));
      scan.detectors = 19;
      scan.detector_width = 1.1;
      scan.source_to_origin = beam == Beam::fan ? 40 : 0;
      scan.origin_to_detector = beam == Beam::fan ? 10 : 0;
      const auto A = build_system_matrix<TestSpace, float>(exec, volume, scan, projector);
      const auto check = [&](const Map& rays, const Map& pixels) {
        const auto mapped = csr_mapped<TestSpace, float>(exec, A, rays, pixels);
        const auto built = build_mapped_system_matrix<TestSpace, float>(exec, volume, scan,
                                                                        projector, rays, pixels);
        validate(exec, built);
        EXPECT_EQ(built.num_rows, mapped.num_rows);
        EXPECT_EQ(built.num_cols, mapped.num_cols);
        EXPECT_GT(built.num_nonzeros(), 0);
        EXPECT_EQ(to_std_vector(built.row_offsets), to_std_vector(mapped.row_offsets));
        EXPECT_EQ(to_std_vector(built.columns), to_std_vector(mapped.columns));
        EXPECT_EQ(to_std_vector(built.values), to_std_vector(mapped.values));
      };
      check(make_index_map(exec, 11 * 19, tiled_ray_order(11, 19)),
            make_index_map(exec, 13 * 22, tiled_pixel_order(13, 22)));
      check(make_index_map(exec, 11 * 19, random_half(11 * 19, 1)),
            make_index_map(exec, 13 * 22, random_half(13 * 22, 2)));
      const Map rays = identity_map(exec, 11 * 19);
      check(rays, identity_map(exec, 13 * 22));
      EXPECT_THROW(
          (build_mapped_system_matrix<TestSpace, float>(exec, volume, scan, projector, rays, rays)),
          DimensionMismatch);
    }
}
