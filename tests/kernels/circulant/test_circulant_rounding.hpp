// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices with values of 16 bits: every function gives what it gives for the same
// matrix with plain values that happen to be halves. Conversions give the same bits. Products give
// the same up to rounding, because a compiler decides for either kind of values which additions it
// fuses with multiplications.
#include <Tomokkos_CirculantSubsets.hpp>
#include <cmath>
#include <limits>

#include "CirculantVariants.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

TestCirculant<float> rounded(const TestCirculant<float>& A) {
  return with_rounded_values<TestSpace, float>(TestSpace(), A);
}
TestCirculant<float> plain(const TestCirculant<float>& A) {
  return with_plain_values<TestSpace, float>(TestSpace(), A);
}

/// Rows of many lengths, including empty and long ones.
PlainCirculant rows_of_many_lengths(std::int32_t k) {
  return make_circulant("many lengths", 67, 40, k,
                        [](int i) { return i % 7 == 3 ? 0 : i * i % 71; });
}

std::vector<double> random_values(std::int32_t rows, int s, unsigned seed) {
  return random_vector(static_cast<std::size_t>(rows) * static_cast<std::size_t>(s), seed);
}

/// Returns the largest difference between two results of `alpha M X + beta Y`, for s vectors,
/// divided by what the rounding of both sums explains; at most 1 if they agree.
double difference(const PlainCsr& M, const std::vector<float>& first,
                  const std::vector<float>& second, double alpha, const std::vector<double>& x,
                  double beta, const std::vector<double>& y, int s) {
  const double u = std::numeric_limits<float>::epsilon();
  double worst = 0;
  for (int t = 0; t < s; ++t) {
    const auto sums = reference_product(M, alpha, column_of(x, t, s), beta, column_of(y, t, s));
    const auto a = column_of(first, t, s), b = column_of(second, t, s);
    for (std::size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i])
        worst = std::max(worst,
                         std::abs(double{a[i]} - b[i]) /
                             (static_cast<double>(sums.row_length[i] + 2) * u * sums.magnitude[i]));
  }
  return worst;
}

template <class View>
auto entries_of(const View& view) {
  return to_std_vector(view);
}

/// Expects the same arrays.
void expect_equal(const TestCirculant<float>& A, const TestCirculant<float>& B,
                  const std::string& what) {
  EXPECT_EQ(A.block_rows, B.block_rows) << what;
  EXPECT_EQ(A.block_cols, B.block_cols) << what;
  EXPECT_EQ(A.blocks, B.blocks) << what;
  EXPECT_EQ(entries_of(A.row_offsets), entries_of(B.row_offsets)) << what;
  EXPECT_EQ(entries_of(A.positions), entries_of(B.positions)) << what;
  EXPECT_EQ(entries_of(A.values), entries_of(B.values)) << what;
  EXPECT_EQ(entries_of(A.halves), entries_of(B.halves)) << what;
}

TEST(CirculantRounding, values_are_the_nearest_halves_in_three_quarters_of_the_memory) {
  const TestSpace exec;
  const auto A = on_device<float>(rows_of_many_lengths(7));
  const auto halves = rounded(A);
  validate(exec, halves);
  EXPECT_TRUE(halves.is_rounded());
  EXPECT_EQ(halves.num_stored(), A.num_stored());
  EXPECT_EQ(halves.memory_bytes(), A.memory_bytes() - 2 * static_cast<std::size_t>(A.num_stored()));
  const auto exact = entries_of(A.values), near = entries_of(plain(halves).values);
  ASSERT_EQ(near.size(), exact.size());
  bool differ = false;
  for (std::size_t e = 0; e < exact.size(); ++e) {
    EXPECT_NEAR(near[e], exact[e], std::max(0x1p-11 * std::abs(exact[e]), 0x1p-25)) << e;
    differ |= near[e] != exact[e];
  }
  EXPECT_TRUE(differ);
  expect_equal(rounded(plain(halves)), halves, "halves stay as they are");
}

TEST(CirculantRounding, products_are_those_of_plain_values) {
  const TestSpace exec;
  for (const std::int32_t k : {1, 5, 33, 150}) {
    const PlainCirculant exact = rows_of_many_lengths(k);
    const PlainCsr C = exact.expanded(CirculantOrder::rotations), T = C.transposed();
    const auto halves = rounded(on_device<float>(exact));
    const auto floats = plain(halves);
    for (const int s : {1, 3}) {
      const auto x = random_values(halves.num_cols(), s, 1),
                 y = random_values(halves.num_rows(), s, 2);
      for (const CirculantVariant variant : circulant_variants()) {
        const BlockCirculantPlan<TestSpace, float> of_halves(exec, halves, variant);
        const BlockCirculantPlan<TestSpace, float> of_floats(exec, floats, variant);
        const auto by_halves = multiply(halves, of_halves, 1.5, x, 0.5, y, s);
        const auto by_floats = multiply(floats, of_floats, 1.5, x, 0.5, y, s);
        EXPECT_LE(difference(C, by_halves, by_floats, 1.5, x, 0.5, y, s), 1)
            << k << " blocks, " << s << " vectors, " << to_string(variant);
      }
      const CirculantTransposePlan<TestSpace, float> of_halves(exec, halves),
          of_floats(exec, floats);
      const auto by_halves = multiply_transposed(halves, of_halves, 1.5, y, 0.5, x, s);
      EXPECT_LE(difference(T, by_halves, multiply_transposed(floats, of_floats, 1.5, y, 0.5, x, s),
                           1.5, y, 0.5, x, s),
                1)
          << k << " blocks, " << s << " vectors, transposed";
      const auto not_rounded = on_device<float>(exact);
      const CirculantTransposePlan<TestSpace, float> of_exact(exec, not_rounded);
      EXPECT_GT(
          difference(T, by_halves, multiply_transposed(not_rounded, of_exact, 1.5, y, 0.5, x, s),
                     1.5, y, 0.5, x, s),
          1)
          << "the rounding of the values shows";
    }
  }
}

TEST(CirculantRounding, conversions_keep_the_halves) {
  const TestSpace exec;
  const auto halves = rounded(on_device<float>(rows_of_many_lengths(12)));
  const auto floats = plain(halves);
  const auto transposed = transposed_block_circulant<TestSpace, float>(exec, halves);
  expect_equal(transposed, rounded(transposed_block_circulant<TestSpace, float>(exec, floats)),
               "transposed");
  EXPECT_TRUE(transposed.is_rounded());
  const auto subset = circulant_of_subset<TestSpace, float>(exec, halves, 4);
  expect_equal(subset, rounded(circulant_of_subset<TestSpace, float>(exec, floats, 4)), "subset");
  EXPECT_TRUE(subset.is_rounded());
  EXPECT_EQ(entries_of(block_row_from_block_circulant<TestSpace, float>(exec, halves).values),
            entries_of(block_row_from_block_circulant<TestSpace, float>(exec, floats).values));
  EXPECT_EQ(
      entries_of(
          csr_from_block_circulant<TestSpace, float>(exec, halves, CirculantOrder::blocks).values),
      entries_of(
          csr_from_block_circulant<TestSpace, float>(exec, floats, CirculantOrder::blocks).values));
  const auto sums_of = [&](const TestCirculant<float>& A) {
    const Vector<double, TestMemory> sums("test::sums", static_cast<std::size_t>(A.block_rows));
    circulant_row_sums<TestSpace, float>(exec, A, sums);
    return entries_of(sums);
  };
  EXPECT_EQ(sums_of(halves), sums_of(floats));
}

TEST(CirculantRounding, operators_keep_the_halves) {
  const TestSpace exec;
  const PlainCirculant exact = positive_circulant(9);
  const PlainCsr T = exact.expanded(CirculantOrder::rotations).transposed();
  const auto halves = rounded(on_device<float>(exact));
  const auto floats = plain(halves);
  for (const Options<float>& options : ways<float>()) {
    const CirculantOperator<float> of_halves(exec, halves, options),
        of_floats(exec, floats, options);
    EXPECT_LT(of_halves.memory_bytes(), of_floats.memory_bytes()) << name_of(options);
    EXPECT_EQ(of_halves.transposed_matrix().is_rounded(),
              options.transpose == TransposeMethod::stored);
    const auto plain_y = random_values(halves.num_rows(), 1, 3);
    const auto y = to_device<TestSpace, float>(exec, plain_y);
    const auto back = [&](const CirculantOperator<float>& op) {
      const Vector<float, TestMemory> x("test::x", static_cast<std::size_t>(halves.num_cols()));
      op.apply_transpose(exec, 1,
                         MultiVectorView<const float, TestMemory>(y.data(), halves.num_rows(), 1),
                         0, as_multivector(VectorView<float, TestMemory>(x)));
      return entries_of(x);
    };
    EXPECT_LE(difference(T, back(of_halves), back(of_floats), 1, plain_y, 0, plain_y, 1), 1)
        << name_of(options);
  }
}

TEST(CirculantRounding, what_halves_cannot_hold_is_refused) {
  const TestSpace exec;
  const auto with_value = [](double value) {
    auto A = make_circulant("large", 3, 4, 5, [](int) { return 2; });
    A.block_row.values[1] = value;
    return A;
  };
  for (const double value : {65520.0, -1e9, std::nan(""), HUGE_VAL}) {
    const std::string says = complaint_of(
        [&] { with_rounded_values<TestSpace, float>(exec, on_device<float>(with_value(value))); });
    EXPECT_NE(says.find("65504"), std::string::npos) << value << ": " << says;
  }
  EXPECT_EQ(entries_of(plain(rounded(on_device<float>(with_value(65519)))).values)[1], 65504);
  const std::string in_double = complaint_of(
      [&] { with_rounded_values<TestSpace, double>(exec, on_device<double>(with_value(1))); });
  EXPECT_NE(in_double.find("float"), std::string::npos) << in_double;
  auto both = rounded(on_device<float>(with_value(1)));
  both.values = plain(both).values;
  EXPECT_NE(complaint_of([&] { validate(exec, both); }).find("halves"), std::string::npos);
}

}  // namespace
