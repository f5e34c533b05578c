// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIRT against the plain loop and against the weighted least-squares solution, which is its limit.
#include <Tomokkos_Sirt.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

Values inverse_sums(const PlainCsr& A) {
  Values sums = multiply(A, Values(A.columns, 1));
  for (auto& value : sums) value = std::abs(value) > 1e-6 ? 1 / value : 0;
  return sums;
}

Values plain_sirt(const PlainCsr& A, const Values& b, Values x, const SirtParams& params) {
  const PlainCsr At = A.transposed();
  const Values R = inverse_sums(A), C = inverse_sums(At);
  for (int k = 0; k < params.iterations; ++k) {
    Values r = multiply(A, x);
    for (std::size_t i = 0; i < b.size(); ++i) r[i] = R[i] * (b[i] - r[i]);
    const Values back = multiply(At, r);
    for (std::size_t j = 0; j < x.size(); ++j)
      x[j] = std::clamp(x[j] + params.relaxation * C[j] * back[j], params.minimum, params.maximum);
  }
  return x;
}

template <class Scalar>
class SirtTest : public ::testing::Test {};
TYPED_TEST_SUITE(SirtTest, Scalars);

TYPED_TEST(SirtTest, agrees_with_the_plain_loop) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const double relaxation : {1.0, 0.3, 1.9}) {
    for (const bool boxed : {false, true}) {
      SirtParams params;
      params.iterations = 15;
      params.relaxation = relaxation;
      if (boxed) params.minimum = 0, params.maximum = 0.2;
      SolveResult result;
      const auto x =
          run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, plain_sirt(A, b, start, params)),
                tolerance<TypeParam>(1e-5, 1e-13));
      EXPECT_EQ(result.reason, StopReason::max_iterations);
      EXPECT_EQ(result.iterations, 15);
      ASSERT_EQ(result.history.size(), 16u);
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-12));
      EXPECT_NEAR(*result.history[0].residual, plain_residual(A, b, start),
                  tolerance<TypeParam>(1e-5, 1e-12));
      EXPECT_EQ(*result.history[15].residual, result.residual);
      if (!boxed) continue;
      const auto limit = static_cast<TypeParam>(0.2);
      EXPECT_TRUE(std::all_of(x.begin(), x.end(), [&](auto v) { return v >= 0 && v <= limit; }));
    }
  }
}

TYPED_TEST(SirtTest, converges_to_the_weighted_least_squares_solution) {
  PlainCsr A = dense_matrix();
  for (auto& value : A.values) value = std::abs(value) + 0.1;
  const Values b = random_vector(A.rows, 4), start = random_vector(A.columns, 5);
  SirtParams params;
  params.iterations = 4000;
  params.relaxation = 1.5;
  const auto x = run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params);
  const Values expected = least_squares(A, b, 0, inverse_sums(A));
  EXPECT_LT(relative_difference(x, expected), tolerance<TypeParam>(1e-4, 1e-9));
}

TYPED_TEST(SirtTest, continues_bit_for_bit_and_repeats_itself) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 1), start(A.columns, 0);
  SirtParams ten, twenty;
  ten.iterations = 10;
  twenty.iterations = 20;
  ten.minimum = twenty.minimum = 0;
  using Solver = Sirt<TestSpace, TypeParam>;
  const auto first = run_solver<Solver>(TestSpace(), A, b, start, ten);
  const auto resumed =
      run_solver<Solver>(TestSpace(), A, b, Values(first.begin(), first.end()), ten);
  const auto whole = run_solver<Solver>(TestSpace(), A, b, start, twenty);
  EXPECT_FALSE(same_bits(first, whole));
  EXPECT_TRUE(same_bits(resumed, whole));
  EXPECT_TRUE(same_bits(run_solver<Solver>(TestSpace(), A, b, start, twenty), whole));
}

TYPED_TEST(SirtTest, gives_small_sums_no_weight) {
  PlainCsr A;
  A.columns = 3;
  A.add(0, 1), A.add(1, -1), A.end_row();  // sums to 0
  A.add(0, 1), A.add(1, 2), A.end_row();
  A.end_row();
  SirtParams params;
  params.iterations = 8;
  const Values b{7, 3, 1}, start{0, 0, 5};
  const auto x = run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params);
  EXPECT_EQ(x[2], 5);  // a column without entries keeps its start
  EXPECT_LT(relative_difference(x, plain_sirt(A, b, start, params)), 1e-5);
  params.smallest_sum = 10;  // times the largest entry, 2
  const std::string message =
      error_of([&] { run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params); });
  EXPECT_TRUE(contains(message, "no row sum of A exceeds smallest_sum")) << message;
  // The reciprocals of smaller sums are infinite.
  params.smallest_sum = 1e-6;
  for (auto& value : A.values) value *= tolerance<TypeParam>(1e-40, 1e-310);
  const std::string tiny =
      error_of([&] { run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params); });
  EXPECT_TRUE(contains(tiny, "unit of length")) << tiny;
}

TYPED_TEST(SirtTest, refuses_what_makes_no_sense) {
  const auto construct = [](const SirtParams& params) {
    return error_of([&] { Sirt<TestSpace, TypeParam>(TestSpace(), 3, 3, params); });
  };
  SirtParams params;
  for (const double relaxation : {0.0, 2.0, -1.0, std::nan("")}) {
    params.relaxation = relaxation;
    EXPECT_TRUE(contains(construct(params), "relaxation"));
  }
  params = {};
  params.minimum = 1;
  params.maximum = 0;
  EXPECT_TRUE(contains(construct(params), "minimum"));
  params = {};
  params.check_every = 0;
  EXPECT_TRUE(contains(construct(params), "check_every"));
  params = {};
  params.stop.relative_change = -1;
  EXPECT_TRUE(contains(construct(params), "relative_change"));
  const PlainCsr A = positive_matrix();
  Values b(A.rows, 1);
  b[12] = std::nan("");
  EXPECT_TRUE(contains(error_of([&] {
                         run_solver<Sirt<TestSpace, TypeParam>>(TestSpace(), A, b,
                                                                Values(A.columns, 0), SirtParams{});
                       }),
                       "entry 12 of the data"));
}

}  // namespace
