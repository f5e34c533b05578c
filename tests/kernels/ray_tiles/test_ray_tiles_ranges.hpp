// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ranges of rows in ray tiles: both products against plain loops and against those of all rows, as
// operators, and in the solvers with ordered subsets.
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>

#include "RayTilesTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

constexpr bool on_host = Impl::is_host_space<TestSpace>;

template <class Scalar>
class RayTilesRanges : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(RayTilesRanges, Scalars);

template <class Scalar, StoredPrecision Values = StoredPrecision::plain>
using Tiles = RayTilesMatrix<Scalar, TestMemory, Values>;

template <class Scalar, StoredPrecision Values = StoredPrecision::plain>
Tiles<Scalar, Values> tiles_of(const PlainCsr& plain, const RayTilesOptions& options) {
  return ray_tiles_from_csr<TestSpace, Scalar, Values>(TestSpace(), on_device<Scalar>(plain),
                                                       options);
}

/// Tiles together with the matrix that they store, whose values may be rounded.
template <class Matrix>
struct Tiled {
  using Scalar = typename Matrix::scalar_type;
  Matrix A;
  PlainCsr plain, transposed;
  RayTilesPlan<TestSpace, Matrix> plan;

  Tiled(const PlainCsr& from, const RayTilesOptions& options)
      : A(tiles_of<Scalar, Matrix::stored_precision>(from, options)),
        plain(from),
        plan(TestSpace(), A) {
    const auto csr = to_csr<TestSpace, Scalar, Matrix::stored_precision>(TestSpace(), A);
    const auto values = to_std_vector(csr.values);
    plain.values.assign(values.begin(), values.end());
    transposed = plain.transposed();
  }

  std::vector<Scalar> forward(double alpha, const std::vector<double>& x, double beta,
                              const std::vector<double>& y, RowRange rows = all_rows) const {
    const TestSpace exec;
    const auto to = to_device<TestSpace, Scalar>(exec, y);
    spmv(exec, plan, A, static_cast<Scalar>(alpha), to_device<TestSpace, Scalar>(exec, x),
         static_cast<Scalar>(beta), to, rows);
    return to_std_vector(to);
  }
  std::vector<Scalar> back(double alpha, const std::vector<double>& y, double beta,
                           const std::vector<double>& x, RowRange rows = all_rows) const {
    const TestSpace exec;
    const auto to = to_device<TestSpace, Scalar>(exec, x);
    spmv_transpose(exec, plan, A, static_cast<Scalar>(alpha), to_device<TestSpace, Scalar>(exec, y),
                   static_cast<Scalar>(beta), to, rows);
    return to_std_vector(to);
  }
};

template <class T>
std::vector<T> part_of(const std::vector<T>& all, RowRange rows) {
  return {all.begin() + rows.begin, all.begin() + rows.end};
}

/// Ranges that end at, before and behind the borders of groups of \p group rows, within one group
/// and over several; single rows, no rows, all rows.
std::vector<RowRange> ranges(Ordinal rows, Ordinal group) {
  std::vector<RowRange> all{{0, rows}, {0, 0},           {rows, rows},
                            {0, 1},    {rows - 1, rows}, {rows / 3, rows / 2}};
  const Ordinal border = 2 * group;
  for (const Ordinal begin : {border - 1, border, border + 1})
    for (const Ordinal end : {begin, begin + 1, border + group - 1, border + group,
                              border + group + 1, border + 2 * group + group / 2, rows})
      if (begin >= 0 && begin <= end && end <= rows) all.push_back({begin, end});
  return all;
}

template <class Matrix>
void expect_ranges(const PlainCsr& from, const RayTilesOptions& options) {
  const Tiled<Matrix> tiled(from, options);
  const PlainCsr& plain = tiled.plain;
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  const auto to = random_vector(static_cast<std::size_t>(plain.rows), 3);
  const auto there = tiled.forward(-2.5, x, 0.75, to), back = tiled.back(-2.5, y, 0.75, x);
  for (const RowRange& rows : ranges(plain.rows, tiled.A.group_rows)) {
    const std::string what = from.name + ", tile " + std::to_string(options.tile) + ", rows " +
                             std::to_string(rows.begin) + " to " + std::to_string(rows.end);
    const auto y_part = part_of(y, rows), to_part = part_of(to, rows);
    // A row has the same bits in every range.
    EXPECT_EQ(tiled.forward(-2.5, x, 0.75, to_part, rows), part_of(there, rows)) << what;
    const auto back_part = tiled.back(-2.5, y_part, 0.75, x, rows);
    if (rows == RowRange{0, plain.rows}) {
      EXPECT_EQ(back_part, back) << what;
    }
    expect_product(rows_of(plain, rows.begin, rows.end).transposed(), back_part, -2.5, y_part, 0.75,
                   x, true, what + ", transposed", &tiled.transposed);
    const std::vector<double> nothing(x.size(), std::nan(""));
    for (const auto value : tiled.back(1, y_part, 0, nothing, rows))
      ASSERT_TRUE(std::isfinite(value)) << what;
  }
  expect_product(plain, there, -2.5, x, 0.75, to, false, from.name);
}

TYPED_TEST(RayTilesRanges, are_those_of_the_rows) {
  for (const PlainCsr& plain : format_battery())
    if (plain.rows > 0 && plain.rows < 700)
      for (const RayTilesOptions& options : {RayTilesOptions{64, 7}, RayTilesOptions{1000, 100000}})
        expect_ranges<Tiles<TypeParam>>(plain, options);
  expect_ranges<Tiles<TypeParam>>(rays(), {largest_tile, 90});
  // More segments of a group in a tile than a block holds.
  expect_ranges<Tiles<TypeParam>>(rays(3000, 700), {512, 1400});
}

TEST(RayTilesRangesOfRounded, are_those_of_the_rows) {
  expect_ranges<Tiles<float, StoredPrecision::half>>(rays(), {512, 90});
  expect_ranges<Tiles<float, StoredPrecision::scaled>>(rays(), {512, 90});
  expect_ranges<Tiles<float, StoredPrecision::half>>(rays(60, 900), {64, 7});
  expect_ranges<Tiles<float, StoredPrecision::scaled>>(rays(60, 900), {64, 7});
}

TYPED_TEST(RayTilesRanges, bits_repeat_and_they_are_adjoint) {
  const Tiled<Tiles<TypeParam>> tiled(rays(), {1024, 50});
  const auto x = random_vector(static_cast<std::size_t>(tiled.plain.columns), 1);
  const std::vector<double> zero(x.size(), 0);
  for (const RowRange rows : {RowRange{50, 200}, RowRange{33, 471}, RowRange{101, 103}}) {
    const auto y = random_vector(static_cast<std::size_t>(rows.end - rows.begin), 2);
    const auto there = tiled.forward(1, x, 0, y, rows), back = tiled.back(1, y, 0, zero, rows);
    for (int run = 0; run < 9; ++run) {
      EXPECT_EQ(tiled.forward(1, x, 0, y, rows), there);
      EXPECT_EQ(tiled.back(1, y, 0, zero, rows), back);
    }
    double left = 0, right = 0, magnitude = 0;
    const auto expected = reference_product(rows_of(tiled.plain, rows.begin, rows.end), 1, x, 0, y);
    for (std::size_t i = 0; i < y.size(); ++i) {
      left += static_cast<double>(there[i]) * y[i];
      magnitude += expected.magnitude[i] * std::abs(y[i]);
    }
    for (std::size_t j = 0; j < x.size(); ++j) right += x[j] * static_cast<double>(back[j]);
    const double tolerance = std::is_same_v<TypeParam, float> ? 1e-6 : 1e-14;
    EXPECT_NEAR(left, right, tolerance * magnitude);
  }
}

TYPED_TEST(RayTilesRanges, have_an_error_of_their_own_data) {
  // Range of faint data, a million times smaller than those of the other rows.
  const Tiled<Tiles<TypeParam>> tiled(rays(600, 3000), {1000, 40});
  auto y = random_vector(600, 2);
  for (std::size_t i = 100; i < 350; ++i) y[i] = static_cast<float>(y[i] * 1e-6);
  const std::vector<double> zero(3000, 0);
  const auto faint = part_of(y, {100, 350});
  expect_product(rows_of(tiled.plain, 100, 350).transposed(),
                 tiled.back(1, faint, 0, zero, {100, 350}), 1, faint, 0, zero, true, "faint",
                 &tiled.transposed);
  // Values that are not finite affect only their range, and the plan keeps nothing of them.
  const auto clean = tiled.back(1, y, 0, zero);
  auto bad = faint;
  bad[3] = std::nan("");
  const auto expected =
      reference_product(rows_of(tiled.plain, 100, 350).transposed(), 1, bad, 0, zero);
  const auto back = tiled.back(1, bad, 0, zero, {100, 350});
  for (std::size_t j = 0; j < back.size(); ++j)
    EXPECT_EQ(std::isfinite(back[j]), std::isfinite(expected.y[j])) << j;
  EXPECT_EQ(tiled.back(1, y, 0, zero), clean);
}

TYPED_TEST(RayTilesRanges, outside_of_the_rows_are_refused) {
  const Tiled<Tiles<TypeParam>> tiled(rays(20, 500), {64, 7});
  const std::vector<double> x(500, 1), y(20, 1);
  for (const RowRange rows :
       {RowRange{0, 21}, RowRange{-1, 19}, RowRange{5, 4}, RowRange{21, 21}}) {
    EXPECT_THROW(tiled.forward(1, x, 0, y, rows), Error);
    EXPECT_THROW(tiled.back(1, y, 0, x, rows), Error);
  }
  EXPECT_THROW(tiled.forward(1, x, 0, y, {0, 19}), DimensionMismatch);
  EXPECT_THROW(tiled.back(1, y, 0, x, {0, 19}), DimensionMismatch);
}

TYPED_TEST(RayTilesRanges, of_an_operator_take_several_vectors) {
  const TestSpace exec;
  const PlainCsr plain = rays(300, 2000), transposed = plain.transposed();
  const MatrixOperator<TestSpace, Tiles<TypeParam>> op(exec, tiles_of<TypeParam>(plain, {512, 40}));
  const AnyOperator<TestSpace, TypeParam> A(op);
  EXPECT_TRUE(A.supports_ranges());
  for (const RowRange rows : {RowRange{40, 120}, RowRange{37, 201}, RowRange{300, 300}})
    for (const int s : {1, 3}) {
      const auto count = static_cast<std::size_t>(rows.end - rows.begin), width = std::size_t(s);
      const auto x = random_vector(2000 * width, 1), y = random_vector(count * width, 2);
      const auto from_x = to_device<TestSpace, TypeParam>(exec, x);
      const auto from_y = to_device<TestSpace, TypeParam>(exec, y);
      const auto to_x = to_device<TestSpace, TypeParam>(exec, x);
      const auto to_y = to_device<TestSpace, TypeParam>(exec, y);
      using In = MultiVectorView<const TypeParam, TestMemory>;
      using Out = MultiVectorView<TypeParam, TestMemory>;
      A.apply(exec, TypeParam(1.5), In(from_x.data(), 2000, width), TypeParam(-0.5),
              Out(to_y.data(), count, width), rows);
      A.apply_transpose(exec, TypeParam(1.5), In(from_y.data(), count, width), TypeParam(-0.5),
                        Out(to_x.data(), 2000, width), rows);
      const PlainCsr part = rows_of(plain, rows.begin, rows.end);
      for (int v = 0; v < s; ++v) {
        expect_product(part, column_of(to_std_vector(to_y), v, s), 1.5, column_of(x, v, s), -0.5,
                       column_of(y, v, s), false, "there", &plain);
        expect_product(part.transposed(), column_of(to_std_vector(to_x), v, s), 1.5,
                       column_of(y, v, s), -0.5, column_of(x, v, s), true, "back", &transposed);
      }
    }
}

/// Ranges beyond the rows are reported before shapes are compared.
TYPED_TEST(RayTilesRanges, of_an_operator_lie_within_its_rows) {
  const TestSpace exec;
  const MatrixOperator<TestSpace, Tiles<TypeParam>> A(exec,
                                                      tiles_of<TypeParam>(rays(30, 200), {64, 8}));
  const Vector<TypeParam, TestMemory> image("x", 200), data("y", 5);
  const MultiVectorView<TypeParam, TestMemory> x(image.data(), 200, 1), y(data.data(), 5, 1);
  const auto told = [](const auto& product) -> std::string {
    try {
      product();
    } catch (const DimensionMismatch& error) {
      return std::string("mismatch: ") + error.what();
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  for (const RowRange rows :
       {RowRange{28, 33}, RowRange{-5, 0}, RowRange{7, 6}, RowRange{40, 41}}) {
    const std::string range =
        "the range of rows [" + std::to_string(rows.begin) + ", " + std::to_string(rows.end) + ")";
    for (const std::string& message : {told([&] { A.apply(exec, 1, x, 0, y, rows); }),
                                       told([&] { A.apply_transpose(exec, 1, y, 0, x, rows); })})
      EXPECT_NE(message.find(range), std::string::npos) << message;
  }
  EXPECT_NE(told([&] { A.apply(exec, 1, x, 0, y, {0, 4}); }).find("mismatch"), std::string::npos);
}

TYPED_TEST(RayTilesRanges, windows_of_hosts_are_in_the_memory_and_follow_the_entries) {
  if (!on_host) return;
  // The first of three tiles has nearly all entries, the last one has none.
  PlainCsr plain = rays(2000, 400);
  plain.columns = 1000;
  const Tiled<Tiles<TypeParam>> few(plain, {400, 20});
  ASSERT_EQ(few.A.num_tiles(), 3);
  const auto& begins = few.plan.share_begins();
  EXPECT_GT(begins[1], 10);
  EXPECT_LE(begins[1], 64);
  EXPECT_EQ(begins[2], begins[1] + 1);
  EXPECT_EQ(begins[3], begins[1] + 2);
  EXPECT_EQ(few.plan.memory_bytes(), static_cast<std::size_t>(begins[3]) * 400 * 8);
  expect_ranges<Tiles<TypeParam>>(plain, {400, 20});
  // Too few entries for more than one window.
  const Tiled<Tiles<TypeParam>> short_work(rays(200, 9000), {largest_tile, 20});
  EXPECT_EQ(short_work.plan.share_begins().back(), 3);
  EXPECT_EQ(short_work.plan.memory_bytes(), 0u);
}

/// Positive matrix of 700 x 500 in which every column occurs in rows of every range.
PlainCsr positive_matrix() {
  std::mt19937 random(5);
  PlainCsr A;
  A.columns = 500;
  for (int i = 0; i < 700; ++i) {
    for (int j = static_cast<int>(random() % 60U); j < 500;
         j += 20 + static_cast<int>(random() % 90U))
      for (const int end = std::min(500, j + 1 + static_cast<int>(random() % 50U)); j < end; ++j)
        A.add(j, 0.1 + static_cast<double>(random() % 1000U) / 1000);
    A.end_row();
  }
  return A;
}

TYPED_TEST(RayTilesRanges, serve_ordered_subsets) {
  const TestSpace exec;
  const PlainCsr plain = positive_matrix();
  const auto csr = on_device<TypeParam>(plain);
  const AnyOperator<TestSpace, TypeParam> reference(CsrOperator<TestSpace, TypeParam>(exec, csr));
  const AnyOperator<TestSpace, TypeParam> tiles(
      MatrixOperator<TestSpace, Tiles<TypeParam>>(exec, tiles_of<TypeParam>(plain, {64, 50})));
  std::vector<double> image(500);
  for (std::size_t j = 0; j < 500; ++j) image[j] = 1 + static_cast<double>(j % 7);
  const auto data =
      to_device<TestSpace, TypeParam>(exec, reference_product(plain, 1, image, 0, {}).y);
  const auto compare = [&](const auto& make, const std::string& what) {
    const auto solved = [&](const AnyOperator<TestSpace, TypeParam>& A) {
      const auto x = to_device<TestSpace, TypeParam>(exec, std::vector<double>(500, 1));
      make().solve(exec, A, data, x);
      return to_std_vector(x);
    };
    const auto expected = solved(reference), computed = solved(tiles);
    double difference = 0, norm = 0, moved = 0;
    for (std::size_t j = 0; j < 500; ++j) {
      const auto value = static_cast<double>(expected[j]);
      difference += std::pow(static_cast<double>(computed[j]) - value, 2);
      norm += value * value;
      moved += std::pow(value - 1, 2);
    }
    const double tolerance = std::is_same_v<TypeParam, float> ? 2e-5 : 1e-12;
    EXPECT_LT(std::sqrt(difference / norm), tolerance) << what;
    EXPECT_GT(moved, 1e-2 * norm) << what;
    EXPECT_EQ(solved(tiles), computed) << what;
  };
  for (const auto& [subsets, unit] : {std::pair{2, 50}, {7, 1}, {14, 50}, {10, 7}}) {
    const std::string what = std::to_string(subsets) + " of " + std::to_string(unit);
    MlemParams mlem;
    SirtParams sirt;
    mlem.iterations = sirt.iterations = 3;
    mlem.subsets = sirt.subsets = subsets;
    mlem.subset_unit = sirt.subset_unit = unit;
    compare([&] { return Mlem<TestSpace, TypeParam>(exec, 700, 500, mlem); }, "mlem, " + what);
    compare([&] { return Sirt<TestSpace, TypeParam>(exec, 700, 500, sirt); }, "sirt, " + what);
  }
}

}  // namespace
