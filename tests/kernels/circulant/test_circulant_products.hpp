// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products with block-circulant matrices, by every variant, against plain loops over all entries.
#include <Tomokkos_CirculantVectors.hpp>
#include <impl/Tomokkos_CirculantHostLanes.hpp>

#include "CirculantTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
class CirculantProducts : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CirculantProducts, Scalars);

/// Expects that each of s vectors is within the rounding of its rows.
template <class Scalar>
void expect_columns(const PlainCsr& C, const std::vector<Scalar>& computed, double alpha,
                    const std::vector<double>& x, double beta, const std::vector<double>& y, int s,
                    const std::string& what) {
  for (int t = 0; t < s; ++t) {
    const auto expected = reference_product(C, alpha, column_of(x, t, s), beta, column_of(y, t, s));
    EXPECT_LE(worst_row_error(column_of(computed, t, s), expected), 1)
        << what << ", vector " << t << " of " << s;
  }
}

std::string name_of(const PlainCirculant& plain, CirculantVariant variant) {
  return plain.block_row.name + ", " + std::string(to_string(variant));
}

std::vector<double> random_values(std::int32_t rows, int s, unsigned seed) {
  return random_vector(static_cast<std::size_t>(rows) * static_cast<std::size_t>(s), seed);
}

TYPED_TEST(CirculantProducts, are_those_of_all_entries) {
  const TestSpace exec;
  for (const std::int32_t k : block_counts())
    for (const PlainCirculant& plain : circulant_battery(k)) {
      const PlainCsr C = plain.expanded(CirculantOrder::rotations);
      const auto A = on_device<TypeParam>(plain);
      const auto x = random_values(C.columns, 1, 1), y = random_values(C.rows, 1, 2);
      const std::vector<double> nowhere(y.size(), std::nan(""));
      for (const CirculantVariant variant : circulant_variants()) {
        const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant);
        EXPECT_EQ(plan.variant(), variant);
        const std::string what = name_of(plain, variant);
        expect_columns(C, multiply(A, plan, 1, x, 0, nowhere), 1, x, 0, y, 1, what);
        expect_columns(C, multiply(A, plan, -2.5, x, 0.75, y), -2.5, x, 0.75, y, 1, what);
        expect_columns(C, multiply(A, plan, 0.5, x, 1, y), 0.5, x, 1, y, 1, what);
      }
    }
}

TYPED_TEST(CirculantProducts, of_several_vectors) {
  const TestSpace exec;
  for (const std::int32_t k : {1, 2, 7, 150})
    for (const PlainCirculant& plain : circulant_battery(k)) {
      const PlainCsr C = plain.expanded(CirculantOrder::rotations);
      const auto A = on_device<TypeParam>(plain);
      for (const CirculantVariant variant : circulant_variants()) {
        // The plan is made for one vector; memory for more is allocated when needed.
        const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant);
        for (const int s : {3, 2, 5}) {
          const auto x = random_values(C.columns, s, 1), y = random_values(C.rows, s, 2);
          expect_columns(C, multiply(A, plan, 2, x, -0.5, y, s), 2, x, -0.5, y, s,
                         name_of(plain, variant));
        }
      }
    }
}

// More sums per row than any kernel holds at a time.
TYPED_TEST(CirculantProducts, of_wide_rows) {
  const TestSpace exec;
  for (const auto& [k, s] : {std::pair{400, 1}, {150, 9}, {1300, 2}, {33, 64}}) {
    const auto plain = make_circulant("wide", 3, 5, k, [](int i) { return 7 + 10 * i; });
    const PlainCsr C = plain.expanded(CirculantOrder::rotations);
    const auto A = on_device<TypeParam>(plain);
    const auto x = random_values(C.columns, s, 1), y = random_values(C.rows, s, 2);
    for (const CirculantVariant variant : circulant_variants()) {
      const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant, s);
      expect_columns(C, multiply(A, plan, 1, x, 1, y, s), 1, x, 1, y, s, name_of(plain, variant));
    }
  }
}

/// Rows of many lengths, including empty and long ones.
PlainCirculant rows_of_many_lengths(std::int32_t k) {
  return make_circulant("many lengths", 67, 40, k,
                        [](int i) { return i % 7 == 3 ? 0 : i * i % 71; });
}

TYPED_TEST(CirculantProducts, bits_repeat) {
  const TestSpace exec;
  for (const std::int32_t k : {5, 150}) {
    const auto A = on_device<TypeParam>(rows_of_many_lengths(k));
    const auto x = random_values(A.num_cols(), 1, 1), y = random_values(A.num_rows(), 1, 2);
    for (const CirculantVariant variant : circulant_variants()) {
      const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant);
      const auto first = multiply(A, plan, 1.5, x, 0.5, y);
      for (int run = 0; run < 5; ++run)
        EXPECT_EQ(multiply(A, plan, 1.5, x, 0.5, y), first) << to_string(variant);
    }
  }
}

// Threads process shares of the rows. The bits must not depend on these shares.
TYPED_TEST(CirculantProducts, bits_do_not_depend_on_the_shares_of_threads) {
  if constexpr (Impl::is_host_space<TestSpace>) {
    const TestSpace exec;
    for (const std::int32_t k : {5, 150}) {
      const auto A = on_device<TypeParam>(rows_of_many_lengths(k));
      const auto X = to_device<TestSpace, TypeParam>(exec, random_values(A.num_cols(), 1, 1));
      const Vector<TypeParam, TestMemory> copies(
          "test::copies",
          static_cast<std::size_t>(Impl::replicated_size(A.block_cols, A.pitch, 1)));
      Impl::replicate(exec, A.block_cols, A.blocks, A.pitch, 1, X.data(), copies.data());
      const Vector<TypeParam, TestMemory> Y("test::y", static_cast<std::size_t>(A.num_rows()));
      const auto pass =
          Impl::circulant_pass(A, 1, copies.data(), Y.data(), TypeParam(1), TypeParam(0));
      const auto run = [&](int parts) {
        Impl::run_circulant_lanes<true>(exec, "Tomokkos::test", pass, parts);
        return to_std_vector(Y);
      };
      const auto whole = run(1);
      for (const int parts : {2, 3, 5, 16, 67}) EXPECT_EQ(run(parts), whole) << parts << " parts";
    }
  }
}

TYPED_TEST(CirculantProducts, what_is_not_finite_reaches_the_rows_that_touch_it) {
  const TestSpace exec;
  for (const std::int32_t k : {3, 150}) {
    const PlainCirculant plain = rows_of_many_lengths(k);
    const PlainCsr C = plain.expanded(CirculantOrder::rotations);
    const auto A = on_device<TypeParam>(plain);
    const auto clean = random_values(C.columns, 1, 1), y = random_values(C.rows, 1, 2);
    for (const double bad : {std::nan(""), HUGE_VAL}) {
      // The first and the last value of a row of X, and one in between.
      for (const std::int32_t at : {0, k - 1, 7 * k + 1, 39 * k + k - 1}) {
        auto x = clean;
        x[static_cast<std::size_t>(at)] = bad;
        const auto expected = reference_product(C, 1, x, 1, y);
        for (const CirculantVariant variant : circulant_variants()) {
          const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant);
          const auto computed = multiply(A, plan, 1, x, 1, y);
          for (std::size_t i = 0; i < computed.size(); ++i)
            ASSERT_EQ(std::isfinite(computed[i]), std::isfinite(expected.y[i]))
                << to_string(variant) << ", entry " << i;
        }
      }
    }
  }
}

TYPED_TEST(CirculantProducts, by_a_library) {
  const TestSpace exec;
  const PlainCirculant plain = rows_of_many_lengths(7);
  const PlainCsr C = plain.expanded(CirculantOrder::rotations);
  const auto A = on_device<TypeParam>(plain);
  const auto all = to_device<TestSpace, TypeParam>(exec, C);
  const SpmvPlan<TestSpace, CsrMatrix<TypeParam, TestMemory>> of_all(exec, all);
  int calls = 0;
  const CirculantLibrary<TypeParam> library = [&](const TypeParam* x, TypeParam* y) {
    ++calls;
    spmv(exec, of_all, all, 1, VectorView<const TypeParam, TestMemory>(x, all.num_cols), 0,
         VectorView<TypeParam, TestMemory>(y, all.num_rows));
  };
  const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, CirculantVariant::library, 1,
                                                      library);
  for (const int s : {1, 3}) {
    const auto x = random_values(C.columns, s, 1), y = random_values(C.rows, s, 2);
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {1.0, 1.0}, {-2.0, 0.0}, {3.0, 0.5}}) {
      calls = 0;
      const std::vector<double> nowhere(y.size(), std::nan(""));
      expect_columns(C, multiply(A, plan, alpha, x, beta, beta == 0 ? nowhere : y, s), alpha, x,
                     beta, y, s, "library");
      EXPECT_EQ(calls, s);
    }
  }
  EXPECT_COMPLAINT((BlockCirculantPlan<TestSpace, TypeParam>(exec, A, CirculantVariant::library)),
                   "needs the product of a library");
}

TYPED_TEST(CirculantProducts, shapes_that_do_not_fit_are_refused) {
  using Plan = BlockCirculantPlan<TestSpace, TypeParam>;
  const TestSpace exec;
  const auto A = on_device<TypeParam>(circulant_battery(3)[0]);
  const Plan plan(exec, A);
  EXPECT_NE(plan.variant(), CirculantVariant::automatic);
  const auto values = to_device<TestSpace, TypeParam>(exec, std::vector<double>(1000, 1));
  const auto run = [&](const Plan& by, Ordinal columns, Ordinal rows, int s, int t) {
    spmv<TestSpace, TypeParam>(
        exec, by, A, 1, MultiVectorView<const TypeParam, TestMemory>(values.data(), columns, s), 0,
        MultiVectorView<TypeParam, TestMemory>(values.data() + 500, rows, t));
  };
  EXPECT_COMPLAINT(run(plan, A.num_cols() + 1, A.num_rows(), 1, 1), "rows of X");
  EXPECT_COMPLAINT(run(plan, A.num_cols(), A.num_rows() - 1, 1, 1), "rows of Y");
  EXPECT_COMPLAINT(run(plan, A.num_cols(), A.num_rows(), 1, 2), "columns of Y");
  EXPECT_COMPLAINT(run(Plan(), A.num_cols(), A.num_rows(), 1, 1), "the plan is empty");
  const Plan other(exec, on_device<TypeParam>(circulant_battery(3)[1]), CirculantVariant::basic_mv);
  EXPECT_COMPLAINT(run(other, A.num_cols(), A.num_rows(), 1, 1), "belongs to another matrix");
  EXPECT_COMPLAINT(Plan(exec, A, CirculantVariant::replicated, 0), "at least one vector");
}

TEST(CirculantChoice, is_by_vectors_where_there_are_few_blocks) {
  const auto host = [](Ordinal blocks, double length, int vectors = 1) {
    return choose_circulant_variant(false, blocks, length, vectors);
  };
  const auto gpu = [](Ordinal blocks, int vectors = 1) {
    return choose_circulant_variant(true, blocks, 360, vectors);
  };
  for (const Ordinal blocks : {5, 8, 150, 4000})
    for (const double length : {0.0, 3.0, 360.0})
      for (const int vectors : {1, 32})
        EXPECT_EQ(host(blocks, length, vectors), CirculantVariant::replicated);
  EXPECT_EQ(host(1, 360), CirculantVariant::basic_mv);
  EXPECT_EQ(host(4, 30), CirculantVariant::basic_mv);
  EXPECT_EQ(host(4, 3), CirculantVariant::replicated);
  EXPECT_EQ(host(4, 360, 16), CirculantVariant::replicated);
  EXPECT_EQ(gpu(1), CirculantVariant::basic_mv);
  EXPECT_EQ(gpu(2), CirculantVariant::basic_mv);
  EXPECT_EQ(gpu(2, 2), CirculantVariant::replicated);
  EXPECT_EQ(gpu(150), CirculantVariant::replicated);
}

// The plan uses the variant that the choice for its matrix returns.
TYPED_TEST(CirculantProducts, automatic_is_what_was_chosen) {
  const TestSpace exec;
  for (const std::int32_t k : {1, 150}) {
    const auto plain = make_circulant("chosen", 20, 30, k, [](int) { return 25; });
    const auto A = on_device<TypeParam>(plain);
    const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A);
    EXPECT_EQ(plan.variant(), choose_circulant_variant(!Impl::is_host_space<TestSpace>, k, 25));
    const PlainCsr C = plain.expanded(CirculantOrder::rotations);
    const auto x = random_values(C.columns, 1, 1), y = random_values(C.rows, 1, 2);
    expect_columns(C, multiply(A, plan, 1, x, 1, y), 1, x, 1, y, 1, C.name);
  }
}

/// X and Y as rows of k values and the first block row in CSR, as in the figures of the paper.
struct Figures {
  const PlainCirculant& A;
  const std::vector<double>& X;

  std::int32_t n() const { return A.block_cols(); }
  std::int32_t k() const { return A.blocks; }
  std::int64_t begin(std::int32_t i) const { return A.block_row.offsets[i]; }

  double term(std::int64_t e, std::int32_t c) const {
    const auto entry = static_cast<std::size_t>(e);
    // Reads behind the arrays count as zero.
    if (entry >= A.block_row.values.size() || c >= k()) return 0;
    const auto l = A.block_row.indices[entry] % n();
    return A.block_row.values[entry] * X[static_cast<std::size_t>(l * k() + c)];
  }
  std::int32_t block(std::int64_t e) const {
    const auto entry = static_cast<std::size_t>(e);
    return entry < A.block_row.indices.size() ? A.block_row.indices[entry] / n() : 0;
  }

  /// Figure 5, with `<=` in its last loop as printed, or with `<` as corrected.
  std::vector<double> figure_5(bool printed, int s) const {
    std::vector<double> Y;
    for (std::int32_t i = 0; i < A.block_rows(); ++i) {
      std::vector<double> row(static_cast<std::size_t>(k()), 0);
      const auto add = [&](std::int64_t e) {
        for (std::int32_t p = 0; p < k(); ++p)
          row[static_cast<std::size_t>(p)] += term(e, (block(e) + p) % k());
      };
      std::int64_t j = begin(i);
      for (; j + s <= begin(i + 1); j += s)
        for (int l = 0; l < s; ++l) add(j + l);
      for (; printed ? j <= begin(i + 1) : j < begin(i + 1); ++j) add(j);
      Y.insert(Y.end(), row.begin(), row.end());
    }
    return Y;
  }

  /// Figure 6, which wraps if `c > n_B` as printed, or if `c >= k` as corrected.
  std::vector<double> figure_6(bool printed) const {
    std::vector<double> Y;
    for (std::int32_t i = 0; i < A.block_rows(); ++i)
      for (std::int32_t p = 0; p < k(); ++p) {
        double w = 0;
        for (std::int64_t e = begin(i); e < begin(i + 1); ++e) {
          std::int32_t c = block(e) + p;
          if (printed && c > n()) c -= n();
          if (!printed && c >= k()) c -= k();
          w += term(e, c);
        }
        Y.push_back(w);
      }
    return Y;
  }
};

// As printed, both figures compute another product than that of the matrix. As corrected, they
// compute ours.
TYPED_TEST(CirculantProducts, figures_5_and_6_as_they_are_mended) {
  const TestSpace exec;
  const PlainCirculant plain = make_circulant("figures", 6, 9, 7, [](int i) { return 3 + 5 * i; });
  const PlainCsr C = plain.expanded(CirculantOrder::rotations);
  const auto A = on_device<TypeParam>(plain);
  const auto x = random_values(C.columns, 1, 1);
  const std::vector<double> zero(static_cast<std::size_t>(C.rows), 0);
  const auto expected = reference_product(C, 1, x, 0, zero);
  const Figures figures{plain, x};
  for (const int s : {2, 4, 8, 12, 16}) {
    EXPECT_LE(worst_row_error(figures.figure_5(false, s), expected), 1);
    EXPECT_GT(worst_row_error(figures.figure_5(true, s), expected), 1e6);
  }
  EXPECT_LE(worst_row_error(figures.figure_6(false), expected), 1);
  EXPECT_GT(worst_row_error(figures.figure_6(true), expected), 1e6);
  for (const CirculantVariant variant :
       {CirculantVariant::maxpy_2, CirculantVariant::maxpy_4, CirculantVariant::maxpy_8,
        CirculantVariant::maxpy_12, CirculantVariant::maxpy_16, CirculantVariant::team}) {
    const BlockCirculantPlan<TestSpace, TypeParam> plan(exec, A, variant);
    EXPECT_LE(worst_row_error(multiply(A, plan, 1, x, 0, zero), expected), 1) << to_string(variant);
  }
}

}  // namespace
