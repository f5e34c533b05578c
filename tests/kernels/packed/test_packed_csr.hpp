// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Packed rows: conversions in both directions, the contract, and products against plain loops.
#include <gtest/gtest.h>

#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_SpmvPackedCsr.hpp>
#include <numeric>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

constexpr bool on_host = Impl::is_host_space<TestSpace>;

template <class Scalar>
class PackedCsrTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(PackedCsrTest, Scalars);

template <class Scalar, StoredPrecision Values = StoredPrecision::plain>
using TestPacked = PackedCsrMatrix<Scalar, TestMemory, Values>;
using TestMap = IndexMap<TestMemory>;

std::vector<PackedCsrOptions> shapes() {
  std::vector<PackedCsrOptions> all{{}};
  for (const auto layout : {PackedLayout::along_rows, PackedLayout::across_rows})
    for (const int group : {0, 8, 16, 32}) all.push_back({layout, group, any_fill});
  return all;
}

std::string describe(const PlainCsr& plain, const PackedCsrOptions& options) {
  return plain.name + ", " + std::string(to_string(options.layout)) + ", group " +
         std::to_string(options.group);
}

/// For a huge row, padding across rows would multiply its size by 32.
bool is_reasonable(const PlainCsr& plain, const PackedCsrOptions& options) {
  return options.layout != PackedLayout::across_rows || plain.name.find("huge") > plain.name.size();
}

TestMap shuffled(std::int32_t rows) {
  std::vector<Ordinal> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), std::mt19937(5));
  return make_index_map(TestSpace(), rows, order);
}

/// Rows made of runs of neighbouring columns, with some columns far apart.
PlainCsr scattered() {
  std::mt19937 random(7);
  PlainCsr A;
  A.name = "scattered";
  A.columns = 400000;
  for (int i = 0; i < 90; ++i) {
    std::int32_t j = static_cast<std::int32_t>(random() % 1000U);
    while (j < A.columns) {
      const int run = 20 + static_cast<int>(random() % 120U);
      for (int l = 0; l < run && j < A.columns; ++l, j += random() % 4U == 0 ? 3 : 1)
        A.add(j, 0.1 + static_cast<double>(random() % 1000U) / 1000);
      j += 1 + static_cast<std::int32_t>(random() % 150000U);
    }
    A.end_row();
  }
  return A;
}

/// Five-point stencil on a grid, whose packs lie mostly across rows.
PlainCsr grid(int n = 40) {
  PlainCsr A;
  A.name = "grid";
  A.columns = n * n;
  for (int i = 0; i < n * n; ++i) {
    if (i >= n) A.add(i - n, -1.25);
    if (i % n > 0) A.add(i - 1, -0.75);
    A.add(i, 4 + 0.001 * i);
    if (i % n < n - 1) A.add(i + 1, -0.5);
    if (i + n < n * n) A.add(i + n, -1);
    A.end_row();
  }
  return A;
}

std::vector<PlainCsr> matrices() {
  auto all = format_battery();
  all.push_back(scattered());
  all.push_back(grid());
  return all;
}

template <class Scalar, StoredPrecision Values>
std::vector<Scalar> product(const TestPacked<Scalar, Values>& A, double alpha,
                            const std::vector<double>& x, double beta,
                            const std::vector<double>& y) {
  const TestSpace exec;
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  spmv(exec, planned(A), A, static_cast<Scalar>(alpha), to_device<TestSpace, Scalar>(exec, x),
       static_cast<Scalar>(beta), to);
  return to_std_vector(to);
}

template <class Scalar>
void expect_equal(const TestCsr<Scalar>& back, const TestCsr<Scalar>& A, const std::string& what) {
  EXPECT_EQ(back.num_cols, A.num_cols) << what;
  EXPECT_EQ(to_std_vector(back.row_offsets), to_std_vector(A.row_offsets)) << what;
  EXPECT_EQ(to_std_vector(back.columns), to_std_vector(A.columns)) << what;
  EXPECT_EQ(to_std_vector(back.values), to_std_vector(A.values)) << what;
}

TYPED_TEST(PackedCsrTest, there_and_back) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices()) {
    const auto A = on_device<TypeParam>(plain);
    for (const PackedCsrOptions& options : shapes()) {
      if (!is_reasonable(plain, options)) continue;
      for (const TestMap& order : {TestMap{}, shuffled(plain.rows)}) {
        const std::string what = describe(plain, options);
        const auto size = packed_csr_size<TestSpace, TypeParam>(exec, A, options, order);
        const auto packed = packed_csr_from_csr(exec, A, options, order);
        ASSERT_NO_THROW(validate(exec, packed)) << what;
        EXPECT_EQ(packed.layout(), size.layout) << what;
        EXPECT_EQ(packed.num_stored(), size.stored) << what;
        EXPECT_EQ(packed.num_far_groups(), size.far_groups) << what;
        EXPECT_EQ(packed.memory_bytes(), size.bytes) << what;
        EXPECT_EQ(packed.num_nonzeros(), plain.nonzeros()) << what;
        expect_equal(to_csr<TestSpace, TypeParam, StoredPrecision::plain>(exec, packed), A, what);
      }
    }
  }
}

TYPED_TEST(PackedCsrTest, products_are_those_of_the_matrix) {
  const TestSpace exec;
  for (const PlainCsr& plain : matrices()) {
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (const PackedCsrOptions& options : shapes()) {
      if (!is_reasonable(plain, options)) continue;
      for (const TestMap& order : {TestMap{}, shuffled(plain.rows)}) {
        const auto A = packed_csr_from_csr(exec, on_device<TypeParam>(plain), options, order);
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {-2.5, 0.75}, {0.0, 1.0}})
          EXPECT_LE(worst_row_error(product(A, alpha, x, beta, y),
                                    reference_product(plain, alpha, x, beta, y)),
                    1)
              << describe(plain, options);
      }
    }
  }
}

TYPED_TEST(PackedCsrTest, bits_repeat_and_follow_the_vector) {
  const TestSpace exec;
  const PlainCsr plain = scattered();
  const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
  const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
  auto twice = x;
  for (auto& value : twice) value *= -2;
  for (const PackedCsrOptions& options : shapes()) {
    const auto A = packed_csr_from_csr(exec, on_device<TypeParam>(plain), options);
    const auto again = packed_csr_from_csr(exec, on_device<TypeParam>(plain), options);
    EXPECT_EQ(to_std_vector(again.bases), to_std_vector(A.bases));
    EXPECT_EQ(to_std_vector(again.far_columns), to_std_vector(A.far_columns));
    const auto first = product(A, 1, x, 0, y);
    for (int run = 0; run < 9; ++run) EXPECT_EQ(product(A, 1, x, 0, y), first);
    // A product is linear, and exactly so for powers of two.
    auto scaled = first;
    for (auto& value : scaled) value *= -2;
    EXPECT_EQ(product(A, 1, twice, 0, y), scaled);
    EXPECT_EQ(product(A, -2, x, 0, y), scaled);
  }
}

TYPED_TEST(PackedCsrTest, what_is_not_finite_reaches_what_it_touches) {
  const TestSpace exec;
  for (const PlainCsr& plain : {scattered(), grid(), format_battery()[11]}) {
    const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    for (const PackedCsrOptions& options : shapes()) {
      const auto A = packed_csr_from_csr(exec, on_device<TypeParam>(plain), options);
      for (const double bad : {std::nan(""), HUGE_VAL}) {
        // Padding has an offset of 0, so it would read the base column of its group.
        for (const std::size_t at : {std::size_t{0}, std::size_t{70}, std::size_t{599}}) {
          auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
          x[at] = bad;
          const auto computed = product(A, 1, x, 0, y);
          const auto expected = reference_product(plain, 1, x, 0, y);
          for (std::size_t i = 0; i < computed.size(); ++i)
            ASSERT_EQ(std::isfinite(computed[i]), std::isfinite(expected.y[i]))
                << describe(plain, options) << ", row " << i;
        }
      }
      // y is overwritten, whatever it held.
      const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
      const std::vector<double> nothing(static_cast<std::size_t>(plain.rows), std::nan(""));
      EXPECT_EQ(product(A, 1, x, 0, nothing), product(A, 1, x, 0, y));
    }
  }
}

/// One row with entries in the given columns.
PlainCsr row_of(const std::vector<std::int32_t>& columns, std::int32_t num_cols) {
  PlainCsr A;
  A.columns = num_cols;
  for (const auto column : columns) A.add(column, 1 + column % 7);
  A.end_row();
  return A;
}

TYPED_TEST(PackedCsrTest, far_columns_take_the_escape) {
  const TestSpace exec;
  const PackedCsrOptions along{PackedLayout::along_rows, 8, {}};
  const auto far_groups = [&](const PlainCsr& plain) {
    const auto A = on_device<TypeParam>(plain);
    const auto packed = packed_csr_from_csr(exec, A, along);
    EXPECT_NO_THROW(validate(exec, packed));
    expect_equal(to_csr<TestSpace, TypeParam, StoredPrecision::plain>(exec, packed), A, "far");
    const auto bases = to_std_vector(packed.bases);
    EXPECT_EQ(std::count_if(bases.begin(), bases.end(), [](auto b) { return b >= packed_far; }),
              packed.num_far_groups());
    return packed.num_far_groups();
  };
  // On a GPU the entries that one lane holds at a position of a small row form a group: 4 packs of
  // 4.
  std::vector<std::int32_t> columns(16);
  const int in_group = on_host ? 8 : 4;
  std::iota(columns.begin(), columns.end(), 3);
  EXPECT_EQ(far_groups(row_of(columns, 5000000)), 0);
  for (std::size_t k = static_cast<std::size_t>(in_group) - 1; k < 16; ++k)
    columns[k] = static_cast<std::int32_t>(3 + 65535 - in_group + 1 + static_cast<int>(k));
  EXPECT_EQ(far_groups(row_of(columns, 5000000)), 0);
  for (std::size_t k = static_cast<std::size_t>(in_group) - 1; k < 16; ++k) ++columns[k];
  EXPECT_EQ(far_groups(row_of(columns, 5000000)), 1);
  // The largest possible columns.
  std::iota(columns.begin(), columns.end(), 2147483647 - 16);
  EXPECT_EQ(far_groups(row_of(columns, 2147483647)), 0);
  columns[1] = 2147400000;
  columns[0] = 5;
  EXPECT_EQ(far_groups(row_of(columns, 2147483647)), 1);
  EXPECT_GT(far_groups(scattered()), 100);
}

TYPED_TEST(PackedCsrTest, the_layout_follows_the_rows) {
  const TestSpace exec;
  const auto layout = [&](const PlainCsr& plain) {
    return packed_csr_size<TestSpace, TypeParam>(exec, on_device<TypeParam>(plain)).layout;
  };
  // On a GPU packs of four would pad rows of five by more than a sixteenth.
  EXPECT_EQ(layout(grid(200)), on_host ? PackedLayout::across_rows : PackedLayout::along_rows);
  EXPECT_EQ(layout(battery::make("unequal", 500, 900, [](int i) { return i % 2 ? 3 : 200; })),
            PackedLayout::along_rows);
  EXPECT_EQ(layout(battery::make("long", 320, 900, [](int) { return 200; })),
            on_host ? PackedLayout::across_rows : PackedLayout::along_rows);
  EXPECT_EQ(choose_packed_layout(true, 0, 0, 0), PackedLayout::along_rows);
  // Compare the bytes of a stencil matrix with those of CSR.
  const PlainCsr plain = grid(200);
  const auto A = on_device<TypeParam>(plain);
  if (on_host) {
    EXPECT_LT(static_cast<double>(packed_csr_size<TestSpace, TypeParam>(exec, A).bytes),
              0.9 * static_cast<double>(A.memory_bytes()));
  }
}

TYPED_TEST(PackedCsrTest, what_cannot_be_is_refused) {
  const TestSpace exec;
  const auto A = on_device<TypeParam>(grid());
  const auto make = [&](const PackedCsrOptions& options, const TestMap& order) {
    packed_csr_from_csr(exec, A, options, order);
  };
  EXPECT_THROW(make({PackedLayout::automatic, 7, {}}, {}), Error);
  EXPECT_THROW(make({PackedLayout::automatic, 64, {}}, {}), Error);
  EXPECT_THROW(make({}, shuffled(7)), DimensionMismatch);
  // A mask is not an order of all rows.
  std::vector<Ordinal> some(1600);
  std::iota(some.begin(), some.end(), 0);
  EXPECT_THROW(make({}, make_index_map(exec, 3200, some)), Error);
  const PlainCsr huge = battery::make("huge", 64, 5000, [](int i) { return i == 3 ? 5000 : 1; });
  EXPECT_THROW(
      (packed_csr_from_csr(exec, on_device<TypeParam>(huge), {PackedLayout::across_rows, 32, {}})),
      Error);
  const auto packed = packed_csr_from_csr(exec, A);
  const auto x = to_device<TestSpace, TypeParam>(exec, std::vector<double>(7));
  EXPECT_THROW((spmv(exec, planned(packed), packed, 1, x, 0, x)), DimensionMismatch);
}

/// Returns a copy of \p view with entry \p at changed.
template <class T>
Kokkos::View<const T*, TestMemory> with(const Kokkos::View<const T*, TestMemory>& view,
                                        std::size_t at, T value) {
  auto entries = to_std_vector(view);
  entries.at(at) = value;
  return to_device<TestSpace, T>(TestSpace(), entries);
}

TYPED_TEST(PackedCsrTest, validation_finds_what_is_wrong) {
  const TestSpace exec;
  for (const auto layout : {PackedLayout::along_rows, PackedLayout::across_rows}) {
    const auto good = packed_csr_from_csr<TestSpace, TypeParam>(
        exec, on_device<TypeParam>(grid(9)), {layout, 0, any_fill}, shuffled(81));
    const auto expect_bad = [&](const char* what, const auto& change) {
      auto bad = good;
      change(bad);
      EXPECT_THROW(validate(exec, bad), Error) << what;
    };
    EXPECT_NO_THROW(validate(exec, good));
    expect_bad("rows", [](auto& A) { A.num_rows = 80; });
    expect_bad("group", [](auto& A) { A.group = 33; });
    expect_bad("nonzeros", [](auto& A) { ++A.nonzeros; });
    expect_bad("columns", [](auto& A) { A.num_cols = 80; });
    expect_bad("lengths", [](auto& A) { A.row_lengths = with<Ordinal>(A.row_lengths, 5, 77); });
    expect_bad("order", [](auto& A) { A.rows = with<Ordinal>(A.rows, 5, 81); });
    expect_bad("beginnings",
               [](auto& A) { A.bundle_offsets = with<Offset>(A.bundle_offsets, 1, 4); });
    expect_bad("bases", [](auto& A) { A.bases = with<std::uint32_t>(A.bases, 0, 81); });
    expect_bad("far", [](auto& A) { A.bases = with<std::uint32_t>(A.bases, 0, packed_far + 1); });
    expect_bad("offsets", [](auto& A) { A.offsets = with<std::uint16_t>(A.offsets, 0, 1000); });
    expect_bad("lost", [](auto& A) { A.values = with<TypeParam>(A.values, 0, 1), A.offsets = {}; });
  }
  // Corrupt padding such that it would add to a sum.
  const PlainCsr plain = battery::make("ragged", 64, 90, [](int i) { return i % 2; });
  const auto good = packed_csr_from_csr<TestSpace, TypeParam>(
      exec, on_device<TypeParam>(plain), {PackedLayout::across_rows, 0, any_fill});
  EXPECT_NO_THROW(validate(exec, good));
  auto bad = good;
  bad.values = with<TypeParam>(good.values, 0, TypeParam(1));
  EXPECT_THROW(validate(exec, bad), Error);
  bad = good;
  bad.offsets = with<std::uint16_t>(good.offsets, 0, 1);
  EXPECT_THROW(validate(exec, bad), Error);
}

template <StoredPrecision Values>
void expect_rounded(const PlainCsr& plain, double largest_error) {
  const TestSpace exec;
  const auto A = on_device<float>(plain);
  for (const PackedCsrOptions& options : shapes()) {
    const std::string what = describe(plain, options);
    const auto packed = packed_csr_from_csr<TestSpace, float, Values>(exec, A, options);
    ASSERT_NO_THROW(validate(exec, packed)) << what;
    EXPECT_EQ(packed.memory_bytes(),
              (packed_csr_size<TestSpace, float, Values>(exec, A, options).bytes));
    const auto csr = to_csr<TestSpace, float, Values>(exec, packed);
    const auto values = to_std_vector(csr.values);
    EXPECT_EQ(to_std_vector(csr.columns), to_std_vector(A.columns)) << what;
    EXPECT_EQ(to_std_vector(csr.row_offsets), to_std_vector(A.row_offsets)) << what;
    PlainCsr rounded = plain;
    double worst = 0;
    for (std::size_t k = 0; k < values.size(); ++k) {
      rounded.values[k] = values[k];
      const double error = std::abs(values[k] - plain.values[k]);
      worst = std::max(worst,
                       Values == StoredPrecision::half ? error / std::abs(plain.values[k]) : error);
    }
    EXPECT_LE(worst, largest_error);
    EXPECT_GT(worst, 0);
    // The products are exactly those of the stored values.
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto y = random_vector(static_cast<std::size_t>(plain.rows), 2);
    EXPECT_LE(worst_row_error(product(packed, -1.5, x, 0.5, y),
                              reference_product(rounded, -1.5, x, 0.5, y)),
              1)
        << what;
  }
}

TEST(PackedCsrValues, sixteen_bits_are_near_by) {
  expect_rounded<StoredPrecision::half>(scattered(), 0x1p-11);
  expect_rounded<StoredPrecision::half>(grid(), 0x1p-11);
  expect_rounded<StoredPrecision::scaled>(scattered(), 1.1 / 65535 / 2 * 1.01);
  expect_rounded<StoredPrecision::scaled>(grid(), 6.9 / 65535 / 2 * 1.01);
  const TestSpace exec;
  PlainCsr bad = grid();
  bad.values[3] = 70000;
  const auto make_half = [&] {
    packed_csr_from_csr<TestSpace, float, StoredPrecision::half>(exec, on_device<float>(bad));
  };
  EXPECT_THROW(make_half(), Error);
  bad.values[3] = HUGE_VAL;
  EXPECT_THROW(make_half(), Error);
  EXPECT_THROW(
      (packed_csr_from_csr<TestSpace, float, StoredPrecision::scaled>(exec, on_device<float>(bad))),
      Error);
  // Plain values are kept unchanged.
  const auto kept = packed_csr_from_csr(exec, on_device<float>(bad));
  expect_equal(to_csr<TestSpace, float, StoredPrecision::plain>(exec, kept), on_device<float>(bad),
               "infinite");
}

}  // namespace
