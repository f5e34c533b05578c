// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ART against the plain sequential loop.
#include <Tomokkos_Art.hpp>
#include <numeric>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

Values plain_art(const PlainCsr& A, const Values& b, Values x, const ArtParams& params,
                 std::vector<int> order = {}) {
  if (order.empty()) {
    order.resize(A.rows);
    std::iota(order.begin(), order.end(), 0);
  }
  for (int sweep = 0; sweep < params.sweeps; ++sweep)
    for (const int i : order) {
      double projection = 0, squared = 0;
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
        projection += A.values[k] * x[A.indices[k]];
        squared += A.values[k] * A.values[k];
      }
      if (squared == 0) continue;
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
        double& value = x[A.indices[k]];
        value += params.relaxation / (1 + params.relaxation_decay * sweep) * (b[i] - projection) /
                 squared * A.values[k];
        value = std::clamp(value, params.minimum, params.maximum);
      }
    }
  return x;
}

template <class Scalar>
class ArtTest : public ::testing::Test {};
TYPED_TEST_SUITE(ArtTest, Scalars);

TYPED_TEST(ArtTest, agrees_with_the_plain_loop) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const double relaxation : {1.0, 0.25, 1.7})
    for (const bool boxed : {false, true}) {
      ArtParams params;
      params.sweeps = 3;
      params.relaxation = relaxation;
      if (boxed) params.minimum = -0.1, params.maximum = 0.3;
      SolveResult result;
      const auto x =
          run_solver<Art<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, plain_art(A, b, start, params)),
                tolerance<TypeParam>(2e-5, 1e-12));
      EXPECT_EQ(result.reason, StopReason::max_iterations);
      EXPECT_EQ(result.iterations, 3);
      ASSERT_EQ(result.history.size(), 4u);
      EXPECT_FALSE(result.history[1].residual);
      EXPECT_TRUE(result.history[1].change);
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-12));
    }
}

TYPED_TEST(ArtTest, visits_rows_in_the_order_given) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 1), zeros(A.columns, 0);
  std::vector<int> order;
  for (int i = 0; i < A.rows; ++i) order.push_back((i * 77) % A.rows);
  ArtParams params;
  params.sweeps = 2;
  const auto op = make_operator<TypeParam>(exec, A);
  const auto device_b = make_vector<TypeParam>(exec, b);
  const auto x = make_vector<TypeParam>(exec, zeros);
  const auto device_order = to_device<TestSpace, Ordinal>(exec, order);
  Art<TestSpace, TypeParam> solver(exec, A.rows, A.columns, params);
  solver.set_order(exec, device_order);
  solver.solve(exec, op, device_b, x);
  EXPECT_LT(relative_difference(to_std_vector(x), plain_art(A, b, zeros, params, order)),
            tolerance<TypeParam>(2e-5, 1e-12));
  EXPECT_GT(relative_difference(to_std_vector(x), plain_art(A, b, zeros, params)), 1e-3);
  order[3] = A.rows;
  const auto bad_order = to_device<TestSpace, Ordinal>(exec, order);
  EXPECT_TRUE(
      contains(error_of([&] { solver.set_order(exec, bad_order); }), "entry 3 of the order"));
}

TYPED_TEST(ArtTest, takes_smaller_steps_from_sweep_to_sweep) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  ArtParams params;
  params.sweeps = 4;
  params.relaxation = 1.5;
  const Values constant = plain_art(A, b, start, params);
  params.relaxation_decay = 0.5;
  const auto x = run_solver<Art<TestSpace, TypeParam>>(TestSpace(), A, b, start, params);
  EXPECT_LT(relative_difference(x, plain_art(A, b, start, params)),
            tolerance<TypeParam>(2e-5, 1e-12));
  EXPECT_GT(relative_difference(x, constant), 1e-3);
}

TYPED_TEST(ArtTest, goes_by_levels_where_the_operator_tells_them) {
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  ArtParams params;
  params.sweeps = 2;
  SolveResult result;
  run_solver<Art<TestSpace, TypeParam>>(exec, A, b, start, params, &result);
  const KaczmarzLevels levels = kaczmarz_levels(A.columns, A.offsets, A.indices, {});
  const auto* const figures = result.figures<ArtFigures>();
  ASSERT_NE(figures, nullptr);
  EXPECT_EQ(figures->levels, levels.num_levels());
  EXPECT_EQ(figures->mean_width, levels.mean_width());
  EXPECT_EQ(figures->largest_width, levels.largest_width());
  EXPECT_EQ(figures->excluded_rows, 1);
  EXPECT_LT(figures->levels, A.rows - 1);

  // The operator of a user has no levels, and gives the same result.
  const PlainCsr blur = blur_matrix(40);
  const Values data = random_vector(40, 3);
  const AnyOperator<TestSpace, TypeParam> op = BlurOperator<TypeParam>(40);
  const auto x = make_vector<TypeParam>(exec, Values(40, 0));
  Art<TestSpace, TypeParam> solver(exec, 40, 40, params);
  EXPECT_FALSE(
      solver.solve(exec, op, make_vector<TypeParam>(exec, data), x).solver_figures.has_value());
  EXPECT_LT(relative_difference(to_std_vector(x), plain_art(blur, data, Values(40, 0), params)),
            tolerance<TypeParam>(2e-5, 1e-12));
}

TYPED_TEST(ArtTest, leaves_out_rows_with_a_tiny_norm) {
  const TestSpace exec;
  PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  double most = 0;
  Values norms;
  for (int i = 0; i < A.rows; ++i) {
    double squared = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) squared += A.values[k] * A.values[k];
    norms.push_back(std::sqrt(squared));
    most = std::max(most, norms.back());
  }
  // Rows that graze: their step would move x by 1e5 times the noise of their value.
  const std::vector<int> tiny{20, 150, 299};
  for (const int row : tiny)
    for (auto k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      A.values[k] *= 1e-5 * most / norms[static_cast<std::size_t>(row)];
  std::vector<int> order;
  for (int i = 0; i < A.rows; ++i)
    if (std::find(tiny.begin(), tiny.end(), i) == tiny.end()) order.push_back(i);
  ArtParams params;
  params.sweeps = 2;
  params.relaxation = 0.5;
  SolveResult result;
  const auto x = run_solver<Art<TestSpace, TypeParam>>(exec, A, b, start, params, &result);
  EXPECT_LT(relative_difference(x, plain_art(A, b, start, params, order)),
            tolerance<TypeParam>(2e-5, 1e-12));
  EXPECT_EQ(result.figures<ArtFigures>()->excluded_rows, 4);
  // The order of the user is kept.
  std::reverse(order.begin(), order.end());
  std::vector<int> all(A.rows);
  std::iota(all.rbegin(), all.rend(), 0);
  const auto device_order = to_device<TestSpace, Ordinal>(exec, all);
  Art<TestSpace, TypeParam> solver(exec, A.rows, A.columns, params);
  solver.set_order(exec, device_order);
  const auto y = make_vector<TypeParam>(exec, start);
  solver.solve(exec, make_operator<TypeParam>(exec, A), make_vector<TypeParam>(exec, b), y);
  EXPECT_LT(relative_difference(to_std_vector(y), plain_art(A, b, start, params, order)),
            tolerance<TypeParam>(2e-5, 1e-12));
  // With a smaller bound they take part, and a unit of length changes nothing.
  params.smallest_norm = 0;
  const auto with = run_solver<Art<TestSpace, TypeParam>>(exec, A, b, start, params);
  EXPECT_GT(norm(Values(with.begin(), with.end())), 1e3 * norm(Values(x.begin(), x.end())));
  params.smallest_norm = 1e-3;
  for (double& value : A.values) value *= 0x1p-30;
  const auto scaled =
      run_solver<Art<TestSpace, TypeParam>>(exec, A, b, Values(A.columns, 0), params);
  for (double& value : A.values) value *= 0x1p30;
  const auto unscaled =
      run_solver<Art<TestSpace, TypeParam>>(exec, A, b, Values(A.columns, 0), params);
  for (std::size_t j = 0; j < scaled.size(); ++j)
    EXPECT_EQ(static_cast<double>(scaled[j]), 0x1p30 * static_cast<double>(unscaled[j]));
}

TYPED_TEST(ArtTest, solves_a_consistent_system) {
  const PlainCsr A = dense_matrix();
  const Values solution = random_vector(A.columns, 6);
  ArtParams params;
  params.sweeps = 300;
  params.record_residual = true;
  SolveResult result;
  const auto x = run_solver<Art<TestSpace, TypeParam>>(TestSpace(), A, multiply(A, solution),
                                                       Values(A.columns, 0), params, &result);
  EXPECT_LT(relative_difference(x, solution), tolerance<TypeParam>(1e-5, 1e-12));
  EXPECT_TRUE(std::all_of(result.history.begin(), result.history.end(),
                          [](const auto& record) { return record.residual.has_value(); }));
  EXPECT_LT(*result.history[1].residual, *result.history[0].residual);
}

TYPED_TEST(ArtTest, continues_bit_for_bit_and_repeats_itself) {
  const PlainCsr A = positive_matrix();
  const Values b = positive_vector(A.rows, 1), start(A.columns, 0);
  ArtParams ten, twenty;
  ten.sweeps = 10;
  twenty.sweeps = 20;
  ten.relaxation = twenty.relaxation = 0.5;
  using Solver = Art<TestSpace, TypeParam>;
  const auto first = run_solver<Solver>(TestSpace(), A, b, start, ten);
  const auto resumed =
      run_solver<Solver>(TestSpace(), A, b, Values(first.begin(), first.end()), ten);
  const auto whole = run_solver<Solver>(TestSpace(), A, b, start, twenty);
  EXPECT_FALSE(same_bits(first, whole));
  EXPECT_TRUE(same_bits(resumed, whole));
  EXPECT_TRUE(same_bits(run_solver<Solver>(TestSpace(), A, b, start, twenty), whole));
}

TYPED_TEST(ArtTest, refuses_what_makes_no_sense) {
  ArtParams params;
  const auto construct = [&] {
    return error_of([&] { Art<TestSpace, TypeParam>(TestSpace(), 3, 3, params); });
  };
  params.relaxation = 2;
  EXPECT_TRUE(contains(construct(), "relaxation"));
  params = {};
  params.relaxation_decay = -0.5;
  EXPECT_TRUE(contains(construct(), "decay"));
  params = {};
  params.smallest_norm = 1;
  EXPECT_TRUE(contains(construct(), "smallest_norm"));
  params = {};
  params.sweeps = -4;
  EXPECT_TRUE(contains(construct(), "-4"));
  params = {};
  params.maximum = -1;
  params.minimum = 0;
  EXPECT_TRUE(contains(construct(), "maximum"));
}

}  // namespace
