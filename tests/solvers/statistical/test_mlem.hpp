// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLEM against the plain loop, and the quantities that it must preserve.
#include <Tomokkos_Mlem.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

/// f <- f / (A^T n) * A^T [n g / (n (A f) + b)], every sum in double.
Values plain_mlem(const PlainCsr& A, const Values& g, Values f, int iterations, const Values& n,
                  const Values& b) {
  const PlainCsr At = A.transposed();
  const Values sensitivity = multiply(At, n);
  for (int k = 0; k < iterations; ++k) {
    Values ratio = multiply(A, f);
    for (std::size_t i = 0; i < g.size(); ++i) {
      const double model = n[i] * ratio[i] + b[i];
      ratio[i] = n[i] * ratio[i] > 0 ? n[i] * g[i] / model : 0;
    }
    const Values back = multiply(At, ratio);
    for (std::size_t j = 0; j < f.size(); ++j)
      f[j] = sensitivity[j] > 0 ? f[j] / sensitivity[j] * back[j] : 0;
  }
  return f;
}

double plain_log_likelihood(const PlainCsr& A, const Values& g, const Values& f) {
  const Values y = multiply(A, f);
  double sum = 0;
  for (std::size_t i = 0; i < g.size(); ++i)
    if (y[i] > 0) sum += (g[i] > 0 ? g[i] * std::log(y[i]) : 0) - y[i];
  return sum;
}

struct Problem {
  PlainCsr A = positive_matrix();
  Values g, ones;
  Problem() {
    g = multiply(A, positive_vector(A.columns, 3, 4));
    for (std::size_t i = 0; i < g.size(); ++i) {
      g[i] = std::round(g[i] * (0.8 + 0.05 * static_cast<double>(i % 9)));
      if (i % 17 == 0) g[i] = 0;
    }
    g[7] = 5;  // the row without nonzeros
    ones.assign(A.columns, 1);
  }
};

template <class Scalar>
class MlemTest : public ::testing::Test {};
TYPED_TEST_SUITE(MlemTest, Scalars);

TYPED_TEST(MlemTest, agrees_with_the_plain_loop) {
  const Problem p;
  MlemParams params;
  params.iterations = 12;
  const auto x = run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, p.g, p.ones, params);
  const Values expected =
      plain_mlem(p.A, p.g, p.ones, 12, Values(p.g.size(), 1), Values(p.g.size(), 0));
  EXPECT_LT(relative_difference(x, expected), tolerance<TypeParam>(3e-6, 1e-13));
}

TYPED_TEST(MlemTest, applies_multiplicative_and_additive_terms) {
  const TestSpace exec;
  const Problem p;
  Values n = positive_vector(p.g.size(), 5), b = positive_vector(p.g.size(), 6, 3);
  n[20] = 0;  // a dead detector
  b[21] = 0;
  for (const bool with_n : {false, true})
    for (const bool with_b : {false, true}) {
      MlemParams params;
      params.iterations = 9;
      const auto op = make_operator<TypeParam>(exec, p.A);
      const auto g = make_vector<TypeParam>(exec, p.g);
      const auto device_n = make_vector<TypeParam>(exec, n);
      const auto device_b = make_vector<TypeParam>(exec, b);
      const auto x = make_vector<TypeParam>(exec, p.ones);
      Mlem<TestSpace, TypeParam> solver(exec, p.A.rows, p.A.columns, params);
      MlemTerms<TypeParam, TestSpace::memory_space> terms;
      if (with_n) terms.multiplicative = device_n;
      if (with_b) terms.additive = device_b;
      solver.set_terms(terms);
      const SolveResult result = solver.solve(exec, op, g, x);
      const Values ones(p.g.size(), 1), zeros(p.g.size(), 0);
      const Values expected =
          plain_mlem(p.A, p.g, p.ones, 9, with_n ? n : ones, with_b ? b : zeros);
      EXPECT_LT(relative_difference(to_std_vector(x), expected), tolerance<TypeParam>(3e-6, 1e-13));
      EXPECT_EQ(result.figures<MlemFigures>()->excluded_rows, with_n ? 2 : 1);
      EXPECT_DOUBLE_EQ(result.figures<MlemFigures>()->excluded_counts, with_n ? 5 + p.g[20] : 5);
      for (std::size_t k = 1; k < result.history.size(); ++k)
        EXPECT_GE(*result.history[k].log_likelihood,
                  *result.history[k - 1].log_likelihood - tolerance<TypeParam>(0.02, 1e-9));
    }
}

TYPED_TEST(MlemTest, preserves_counts_and_never_lowers_the_likelihood) {
  const Problem p;
  const Values sensitivity = multiply(p.A.transposed(), Values(p.g.size(), 1));
  double counts = -5;  // the counts of the row that misses the image are left out
  for (const double value : p.g) counts += value;
  for (const int iterations : {1, 2, 7, 40}) {
    MlemParams params;
    params.iterations = iterations;
    SolveResult result;
    const auto x =
        run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, p.g, p.ones, params, &result);
    double preserved = 0;
    for (std::size_t j = 0; j < x.size(); ++j) preserved += sensitivity[j] * x[j];
    EXPECT_NEAR(preserved, counts, tolerance<TypeParam>(1e-6, 1e-13) * counts);
    ASSERT_EQ(result.history.size(), static_cast<std::size_t>(iterations + 1));
    for (std::size_t k = 1; k < result.history.size(); ++k) {
      const double before = *result.history[k - 1].log_likelihood;
      EXPECT_GE(*result.history[k].log_likelihood,
                before - tolerance<TypeParam>(1e-7, 1e-14) * std::abs(before));
    }
    const Values f(x.begin(), x.end());
    const double expected = plain_log_likelihood(p.A, p.g, f);
    EXPECT_NEAR(*result.history.back().log_likelihood, expected,
                tolerance<TypeParam>(1e-5, 1e-12) * counts);
    EXPECT_NEAR(result.residual, plain_residual(p.A, p.g, x),
                tolerance<TypeParam>(1e-5, 1e-12) * result.rhs_norm);
    EXPECT_NEAR(result.relative_residual, result.residual / norm(p.g), 1e-12);
  }
}

TYPED_TEST(MlemTest, leaves_out_rows_that_miss_the_image) {
  const Problem p;
  MlemParams params;
  params.iterations = 6;
  SolveResult result, other_result;
  const auto x =
      run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, p.g, p.ones, params, &result);
  Values other = p.g;
  other[7] = 5000;
  const auto y = run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, other, p.ones, params,
                                                        &other_result);
  EXPECT_TRUE(same_bits(x, y));
  EXPECT_EQ(result.figures<MlemFigures>()->excluded_rows, 1);
  EXPECT_EQ(result.figures<MlemFigures>()->excluded_counts, 5);
  EXPECT_EQ(other_result.figures<MlemFigures>()->excluded_counts, 5000);
  EXPECT_EQ(result.history.back().log_likelihood, other_result.history.back().log_likelihood);
  EXPECT_GT(other_result.residual, 5000);  // the residual includes all rows
}

TYPED_TEST(MlemTest, continues_bit_for_bit_and_repeats_itself) {
  const Problem p;
  MlemParams ten, twenty;
  ten.iterations = 10;
  twenty.iterations = 20;
  using Solver = Mlem<TestSpace, TypeParam>;
  const auto first = run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, ten);
  const auto resumed =
      run_solver<Solver>(TestSpace(), p.A, p.g, Values(first.begin(), first.end()), ten);
  const auto whole = run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, twenty);
  const auto again = run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, twenty);
  EXPECT_FALSE(same_bits(first, whole));
  EXPECT_TRUE(same_bits(resumed, whole));
  EXPECT_TRUE(same_bits(again, whole));
}

TYPED_TEST(MlemTest, keeps_voxels_of_low_sensitivity_at_zero) {
  PlainCsr A;
  A.columns = 3;
  A.add(0, 1), A.add(1, 1e-4), A.end_row();
  A.add(0, 2), A.add(2, 1), A.end_row();
  A.add(1, 1e-4), A.end_row();  // sees only voxels of low sensitivity
  MlemParams params;
  params.iterations = 5;
  params.sensitivity_threshold = 1e-3;
  SolveResult result;
  const auto x =
      run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), A, {3, 4, 9}, {1, 1, 1}, params, &result);
  EXPECT_EQ(x[1], 0);
  EXPECT_GT(x[0], 0);
  EXPECT_EQ(result.figures<MlemFigures>()->inactive_voxels, 1);
  EXPECT_EQ(result.figures<MlemFigures>()->excluded_rows, 1);
  EXPECT_EQ(result.figures<MlemFigures>()->excluded_counts, 9);
  EXPECT_NEAR(3 * x[0] + x[2], 7, 1e-5);
  params.sensitivity_threshold = 0;
  const auto all =
      run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), A, {3, 4, 9}, {1, 1, 1}, params, &result);
  EXPECT_GT(all[1], 0);
  EXPECT_EQ(result.figures<MlemFigures>()->excluded_rows, 0);
}

TYPED_TEST(MlemTest, holds_no_negative_zero_and_no_nan) {
  PlainCsr A;
  A.columns = 4;
  A.add(0, 1), A.add(1, 1), A.end_row();
  A.add(1, 1), A.add(2, 1), A.end_row();
  A.end_row();
  MlemParams params;
  params.iterations = 30;
  // Row 0 has no counts, so voxels 0 and 1 fade. No row sees voxel 3. The start contains zeros.
  const auto x =
      run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), A, {0, 4, 0}, {-0.0, 1, 2, 5}, params);
  for (const auto value : x) {
    EXPECT_FALSE(std::isnan(value));
    EXPECT_FALSE(std::signbit(value));
  }
  EXPECT_EQ(x[0], 0);
  EXPECT_EQ(x[3], 0);
  EXPECT_NEAR(x[2], 4, 1e-4);
}

TYPED_TEST(MlemTest, refuses_what_makes_no_sense) {
  const Problem p;
  using Solver = Mlem<TestSpace, TypeParam>;
  const auto run = [&](const Values& g, const Values& start, MlemParams params = {}) {
    return error_of([&] { run_solver<Solver>(TestSpace(), p.A, g, start, params); });
  };
  Values bad = p.g;
  bad[41] = -1;
  bad[43] = -2;
  EXPECT_TRUE(contains(run(bad, p.ones), "entry 41 of the data is -1")) << run(bad, p.ones);
  bad = p.g;
  bad[299] = std::nan("");
  EXPECT_TRUE(contains(run(bad, p.ones), "entry 299 of the data is")) << run(bad, p.ones);
  bad[299] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(run(bad, p.ones), "must be finite"));
  Values start = p.ones;
  start[2] = -0.5;
  EXPECT_TRUE(contains(run(p.g, start), "entry 2 of the start image"));
  start.assign(start.size(), 0);
  EXPECT_TRUE(contains(run(p.g, start), "start image is zero"));
  start[11] = 1;  // the voxel that no row sees
  EXPECT_TRUE(contains(run(p.g, start), "start image is zero"));
  MlemParams params;
  params.iterations = -1;
  EXPECT_TRUE(contains(run(p.g, p.ones, params), "-1"));
  params = {};
  params.sensitivity_threshold = 2;
  EXPECT_TRUE(contains(run(p.g, p.ones, params), "threshold"));

  const TestSpace exec;
  const auto op = make_operator<TypeParam>(exec, p.A);
  const auto g = make_vector<TypeParam>(exec, p.g);
  const auto x = make_vector<TypeParam>(exec, p.ones);
  Solver solver(exec, p.A.rows, p.A.columns);
  MlemTerms<TypeParam, TestSpace::memory_space> terms;
  const auto short_term = make_vector<TypeParam>(exec, Values(299, 1));
  terms.additive = short_term;
  solver.set_terms(terms);
  const std::string message = error_of([&] { solver.solve(exec, op, g, x); });
  EXPECT_TRUE(contains(message, "299") && contains(message, "300")) << message;
  const PlainCsr empty = battery::make("empty", 5, 4, [](int) { return 0; });
  EXPECT_TRUE(contains(
      error_of([&] { run_solver<Solver>(exec, empty, Values(5, 1), Values(4, 1), MlemParams{}); }),
      "sensitivity"));
}

// A tiny start is as good as any other until its projection is lost, or the data divided by it.
TYPED_TEST(MlemTest, refuses_a_start_that_is_too_small_for_the_data) {
  const Problem p;
  using Solver = Mlem<TestSpace, TypeParam>;
  const double tiny = tolerance<TypeParam>(1e-30, 1e-290);
  const double lost = tolerance<TypeParam>(1e-38, 4e-308);
  const double least = static_cast<double>(std::numeric_limits<TypeParam>::denorm_min());
  PlainCsr faint = p.A;
  for (double& value : faint.values) value *= 0.01;
  for (const int subsets : {1, 5}) {
    MlemParams params;
    params.iterations = 3;
    params.subsets = subsets;
    const auto run = [&](const PlainCsr& A, const Values& start) {
      return error_of([&] {
        const auto x = run_solver<Solver>(TestSpace(), A, p.g, start, params);
        for (const auto value : x) EXPECT_TRUE(std::isfinite(value));
      });
    };
    Values start(p.ones.size(), tiny);
    EXPECT_EQ(run(p.A, start), "");
    if (subsets == 1) {  // The first update finds the scale.
      EXPECT_LT(relative_difference(run_solver<Solver>(TestSpace(), p.A, p.g, start, params),
                                    run_solver<Solver>(TestSpace(), p.A, p.g, p.ones, params)),
                tolerance<TypeParam>(1e-5, 1e-12));
    }
    start.assign(start.size(), lost);
    EXPECT_TRUE(contains(run(p.A, start), "first update would overflow")) << run(p.A, start);
    start.assign(start.size(), least);
    EXPECT_TRUE(contains(run(faint, start), "vanishes")) << run(faint, start);
    // A start from a file: zeros are legal, and so are small values that no count depends on alone.
    start = p.ones;
    for (std::size_t j = 0; j < 4; ++j) start[j] = j % 2 == 0 ? 0 : lost;
    EXPECT_EQ(run(p.A, start), "");
    // Row 0 alone sees small values.
    for (auto k = p.A.offsets[0]; k < p.A.offsets[1]; ++k)
      start[static_cast<std::size_t>(p.A.indices[k])] = lost;
    Problem with_counts;
    with_counts.g[0] = 100;
    const std::string message = error_of(
        [&] { run_solver<Solver>(TestSpace(), with_counts.A, with_counts.g, start, params); });
    EXPECT_TRUE(contains(message, "start image is too small")) << message;
    for (auto k = p.A.offsets[0]; k < p.A.offsets[1]; ++k)
      start[static_cast<std::size_t>(p.A.indices[k])] = 0;
    EXPECT_EQ(error_of([&] {
                run_solver<Solver>(TestSpace(), with_counts.A, with_counts.g, start, params);
              }),
              "");
  }
}

TYPED_TEST(MlemTest, finds_zero_for_data_of_zeros) {
  const Problem p;
  SolveResult result;
  Values zeros(p.g.size(), 0), start(p.ones.size(), 0);
  for (const double value : {0.0, 2.0}) {
    start.assign(start.size(), value);
    const auto x = run_solver<Mlem<TestSpace, TypeParam>>(TestSpace(), p.A, zeros, start,
                                                          MlemParams{}, &result);
    EXPECT_EQ(result.reason, StopReason::zero_rhs);
    EXPECT_EQ(result.residual, 0);
    EXPECT_EQ(result.relative_residual, 0);
    EXPECT_EQ(norm(Values(x.begin(), x.end())), 0);
  }
}

TYPED_TEST(MlemTest, starts_uniform_from_the_counts) {
  const TestSpace exec;
  const Problem p;
  const auto op = make_operator<TypeParam>(exec, p.A);
  const auto g = make_vector<TypeParam>(exec, p.g);
  const auto x = make_vector<TypeParam>(exec, Values(p.A.columns, -3));
  uniform_start(exec, op, g, x);
  double counts = 0, sum = 0;
  for (std::size_t i = 0; i < p.g.size(); ++i) counts += i == 7 ? 0 : p.g[i];
  for (const double value : p.A.values) sum += value;
  for (const auto value : to_std_vector(x))
    EXPECT_NEAR(value, counts / sum, tolerance<TypeParam>(1e-6, 1e-14) * counts / sum);

  const AnyOperator<TestSpace, TypeParam> erased = op;
  Values n(p.g.size(), 0.5);
  const auto device_n = make_vector<TypeParam>(exec, n);
  MlemTerms<TypeParam, TestSpace::memory_space> terms;
  terms.multiplicative = device_n;
  uniform_start(exec, erased, g, x, terms);
  EXPECT_NEAR(to_std_vector(x)[5], 2 * counts / sum, 1e-5 * counts / sum);
}

}  // namespace
