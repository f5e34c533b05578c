// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block ART against its formula in plain loops, and against ART where both are equal.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

Values plain_block_art(const PlainCsr& A, const Values& b, Values x, const BlockArtParams& params) {
  const auto columns = static_cast<std::size_t>(A.columns);
  Values largest(columns, 0);
  for (int begin = 0; begin < A.rows; begin += params.block_rows) {
    Values count(columns, 0);
    for (int i = begin; i < std::min(A.rows, begin + params.block_rows); ++i)
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) ++count[A.indices[k]];
    for (std::size_t j = 0; j < columns; ++j) largest[j] = std::max(largest[j], count[j]);
  }
  double most = 0;
  for (int i = 0; i < A.rows; ++i) {
    double squared = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) squared += A.values[k] * A.values[k];
    most = std::max(most, squared);
  }
  for (int sweep = 0; sweep < params.sweeps; ++sweep)
    for (int begin = 0; begin < A.rows; begin += params.block_rows) {
      Values step(columns, 0);
      for (int i = begin; i < std::min(A.rows, begin + params.block_rows); ++i) {
        double residual = b[i], squared = 0;
        for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
          residual -= A.values[k] * x[A.indices[k]];
          squared += A.values[k] * A.values[k];
        }
        if (squared <= params.smallest_norm * params.smallest_norm * most) continue;
        for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
          step[A.indices[k]] += A.values[k] * residual / squared;
      }
      const double lambda = params.relaxation / (1 + params.relaxation_decay * sweep);
      for (std::size_t j = 0; j < columns; ++j)
        x[j] = std::clamp(x[j] + (largest[j] > 0 ? lambda / largest[j] * step[j] : 0),
                          params.minimum, params.maximum);
    }
  return x;
}

template <class Scalar>
class BlockArtTest : public ::testing::Test {};
TYPED_TEST_SUITE(BlockArtTest, Scalars);

TYPED_TEST(BlockArtTest, agrees_with_the_plain_loops) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const int block_rows : {1, 7, 64, A.rows, 1000})
    for (const bool boxed : {false, true}) {
      BlockArtParams params;
      params.sweeps = 3;
      params.relaxation = 1.25;
      params.relaxation_decay = 0.5;
      params.block_rows = block_rows;
      if (boxed) params.minimum = -0.1, params.maximum = 0.3;
      SolveResult result;
      const auto x =
          run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
      EXPECT_LT(relative_difference(x, plain_block_art(A, b, start, params)),
                tolerance<TypeParam>(5e-5, 1e-12))
          << block_rows;
      EXPECT_EQ(result.reason, StopReason::max_iterations);
      EXPECT_EQ(result.figures<BlockArtFigures>()->excluded_rows, 1);
      EXPECT_EQ(result.figures<BlockArtFigures>()->blocks, (A.rows + block_rows - 1) / block_rows);
      EXPECT_NEAR(result.residual, plain_residual(A, b, x), tolerance<TypeParam>(1e-5, 1e-12));
    }
}

TYPED_TEST(BlockArtTest, leaves_out_rows_with_a_tiny_norm) {
  PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.columns, 2);
  for (const int row : {20, 150})
    for (auto k = A.offsets[row]; k < A.offsets[row + 1]; ++k) A.values[k] *= 1e-6;
  BlockArtParams params;
  params.sweeps = 2;
  params.block_rows = 30;
  SolveResult result;
  const auto x =
      run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params, &result);
  EXPECT_LT(relative_difference(x, plain_block_art(A, b, start, params)),
            tolerance<TypeParam>(5e-5, 1e-12));
  EXPECT_EQ(result.figures<BlockArtFigures>()->excluded_rows, 3);
  params.smallest_norm = 0;
  const auto with = run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params);
  EXPECT_GT(norm(Values(with.begin(), with.end())), 100 * norm(Values(x.begin(), x.end())));
}

TYPED_TEST(BlockArtTest, with_blocks_of_one_row_is_art) {
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 3), start = random_vector(A.columns, 4);
  BlockArtParams params;
  params.sweeps = 2;
  params.relaxation = 0.5;
  ArtParams art;
  art.sweeps = 2;
  art.relaxation = 0.5;
  const auto x = run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), A, b, start, params);
  const auto y = run_solver<Art<TestSpace, TypeParam>>(TestSpace(), A, b, start, art);
  EXPECT_LT(relative_difference(x, y), tolerance<TypeParam>(5e-6, 1e-13));
}

TYPED_TEST(BlockArtTest, solves_a_consistent_system_up_to_the_largest_relaxation) {
  const PlainCsr A = dense_matrix();
  const Values solution = random_vector(A.columns, 6);
  for (const int block_rows : {1, 4, 14})
    for (const double relaxation : {0.5, 1.0, 1.9}) {
      BlockArtParams params;
      params.sweeps = 20000;
      params.check_every = 100;
      params.stop.relative_residual = tolerance<TypeParam>(1e-6, 1e-12);
      params.block_rows = block_rows;
      params.relaxation = relaxation;
      SolveResult result;
      const auto x = run_solver<BlockArt<TestSpace, TypeParam>>(
          TestSpace(), A, multiply(A, solution), Values(A.columns, 0), params, &result);
      EXPECT_EQ(result.reason, StopReason::converged) << block_rows << ", " << relaxation;
      EXPECT_LT(relative_difference(x, solution), tolerance<TypeParam>(2e-5, 1e-10))
          << block_rows << ", " << relaxation;
    }
}

TYPED_TEST(BlockArtTest, the_error_never_grows_in_its_norm) {
  const PlainCsr A = dense_matrix();
  const Values solution = random_vector(A.columns, 6), b = multiply(A, solution);
  BlockArtParams params;
  params.sweeps = 1;
  params.block_rows = 5;
  params.relaxation = 1.9;
  Values x(A.columns, 0);
  double before = 1e300;
  for (int k = 0; k < 40; ++k) {
    const auto next = run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), A, b, x, params);
    x.assign(next.begin(), next.end());
    Values error(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) error[j] = x[j] - solution[j];
    EXPECT_LE(norm(error), before * (1 + 1e-6) + 1e-6);  // all s_j are 5, so the norm is Euclidean
    before = norm(error);
  }
}

TYPED_TEST(BlockArtTest, does_not_know_the_unit_of_length) {
  // Units in which the squares leave the range of float.
  const PlainCsr A = positive_matrix();
  const Values b = random_vector(A.rows, 1), start(A.columns, 0);
  BlockArtParams params;
  params.sweeps = 3;
  params.block_rows = 16;
  const Values expected = plain_block_art(A, b, start, params);
  for (const double unit : {1e-21, 1e21}) {
    PlainCsr scaled = A;
    Values data = b;
    for (double& value : scaled.values) value *= unit;
    for (double& value : data) value *= unit;
    const auto x =
        run_solver<BlockArt<TestSpace, TypeParam>>(TestSpace(), scaled, data, start, params);
    EXPECT_LT(relative_difference(x, expected), tolerance<TypeParam>(5e-5, 1e-12)) << unit;
  }
}

TYPED_TEST(BlockArtTest, refuses_what_makes_no_sense) {
  const TestSpace exec;
  BlockArtParams params;
  const auto construct = [&] {
    return error_of([&] { BlockArt<TestSpace, TypeParam>(TestSpace(), 3, 3, params); });
  };
  params.block_rows = 0;
  EXPECT_TRUE(contains(construct(), "block"));
  params = {};
  params.relaxation = 2;
  EXPECT_TRUE(contains(construct(), "relaxation"));
  params = {};
  params.relaxation_decay = -1;
  EXPECT_TRUE(contains(construct(), "decay"));
  const AnyOperator<TestSpace, TypeParam> blur = BlurOperator<TypeParam>(8);
  const auto b = make_vector<TypeParam>(exec, Values(8, 1));
  const auto x = make_vector<TypeParam>(exec, Values(8, 0));
  BlockArt<TestSpace, TypeParam> solver(exec, 8, 8);
  EXPECT_TRUE(contains(error_of([&] { solver.solve(exec, blur, b, x); }), "CSR"));
}

}  // namespace
