// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems of equations against dense textbook assembly, their refills, and invalid equations.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_SolveEquations.hpp>

#include "EquationTesting.hpp"

using namespace equation_testing;

namespace {

template <class Scalar>
class Equations : public ::testing::Test {};
TYPED_TEST_SUITE(Equations, Scalars);

template <class Scalar>
void check_against_dense(const PlainEquations& plain, const EquationOptions& options) {
  const TestSpace exec;
  const auto assembled = assemble<Scalar>(plain, options);
  const DenseSystem dense = dense_system(plain, options);
  validate(exec, assembled.matrix());
  validate(exec, assembled.rows().free_part());
  validate(exec, assembled.rows().locked_part());
  validate(exec, assembled.rows().free_variables());
  validate(exec, assembled.rows().locked_variables());
  const auto free = to_std_vector(assembled.rows().free_variables().to_natural);
  ASSERT_EQ(std::vector<int>(free.begin(), free.end()), dense.free);
  expect_near<Scalar>(to_dense(assembled.matrix()), dense.matrix, dense.magnitudes, "matrix");
  expect_near<Scalar>(multivector_rows<Scalar>(assembled.right_hand_sides()),
                      dense.right_hand_sides, dense.rhs_magnitudes, "right-hand sides");
  // The pattern is that of the stored entries: symmetric, without pairs of columns that have no row
  // in common.
  if (options.kind == EquationKind::least_squares) {
    Offset expected = 0;
    for (const Values& row : dense.magnitudes)
      expected += std::count_if(row.begin(), row.end(), [](double value) { return value > 0; });
    EXPECT_EQ(assembled.matrix().num_nonzeros(), expected);
    const auto matrix = to_dense(assembled.matrix());
    for (std::size_t i = 0; i < matrix.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) ASSERT_EQ(matrix[i][j], matrix[j][i]);
  }
}

TYPED_TEST(Equations, make_the_least_squares_systems_of_a_textbook) {
  unsigned seed = 0;
  for (const bool normalize : {false, true})
    for (const int columns : {1, 3})
      for (const bool locked : {false, true})
        for (const int size : {1, 2, 7, 60})
          check_against_dense<TypeParam>(
              random_equations(size, 3 * size + 2, columns, ++seed, locked),
              {EquationKind::least_squares, normalize});
}

TYPED_TEST(Equations, make_the_plain_systems_of_a_textbook) {
  unsigned seed = 50;
  for (const bool normalize : {false, true})
    for (const int columns : {1, 3})
      for (const bool locked : {false, true})
        for (const int size : {1, 7, 60}) {
          PlainEquations plain = random_equations(size, size, columns, ++seed, locked);
          // As many equations as free variables, each anchored in one of them.
          PlainEquations square = plain;
          square.offsets.resize(1);
          square.variables.clear(), square.values.clear();
          square.scales.clear(), square.right_hand_sides.clear();
          for (int row = 0; row < size; ++row) {
            if (plain.locked[row] != 0) continue;
            for (auto k = plain.offsets[row]; k < plain.offsets[row + 1]; ++k)
              square.add(plain.variables[k], plain.values[k]);
            square.add(row, 3);
            square.end_row(Values(columns, plain.right_hand_sides[row]), plain.scales[row]);
          }
          check_against_dense<TypeParam>(square, {EquationKind::plain, normalize});
        }
}

/// One equation with all variables, written twice in descending order, in addition to one for each
/// variable.
PlainEquations with_a_long_row(int size) {
  PlainEquations plain = random_equations(size, size, 1, 77, false);
  for (int twice = 0; twice < 2; ++twice)
    for (int i = size - 1; i >= 0; --i) plain.add((i * 7) % size, 0.5 + i % 5);
  plain.end_row({1});
  return plain;
}

TYPED_TEST(Equations, may_hold_all_variables) {
  check_against_dense<TypeParam>(with_a_long_row(143), {});
}

/// Equations with one common variable. Its row of the normal matrix is computed by another kernel.
PlainEquations with_a_long_column(int rows) {
  PlainEquations plain;
  plain.num_variables = 40;
  plain.locked.assign(40, 0);
  plain.locked[5] = 1;
  plain.variable_values.assign(40, 0.5);
  for (int row = 0; row < rows; ++row) {
    plain.add(3, 1 + row % 3);
    plain.add(row % 39, 0.25f * static_cast<float>(row % 5) + 1);
    plain.end_row({1});
  }
  plain.add(39, 1);
  plain.end_row({1});
  return plain;
}

TYPED_TEST(Equations, may_share_a_variable) {
  check_against_dense<TypeParam>(with_a_long_column(50), {});
  // More rows than one thread processes (`Impl::long_column_rows`). The values are integers and
  // quarters, so the bound of the comparison holds for that many terms.
  check_against_dense<TypeParam>(with_a_long_column(2000), {});
}

/// Sums in the documented order, with and without fused multiply-adds.
template <class Scalar>
std::vector<Scalar> normal_values_in_order(const std::vector<Values>& rows, bool fused) {
  std::vector<Scalar> values;
  for (std::size_t i = 0; i < rows[0].size(); ++i)
    for (std::size_t j = 0; j < rows[0].size(); ++j) {
      double sum = 0;
      bool stored = false;
      for (const Values& row : rows) {
        if (row[i] == 0 || row[j] == 0) continue;
        stored = true;
        volatile double product = row[i] * row[j];
        sum = fused ? std::fma(row[i], row[j], sum) : sum + product;
      }
      if (stored) values.push_back(static_cast<Scalar>(sum));
    }
  return values;
}

TYPED_TEST(Equations, are_summed_in_the_order_of_the_rows) {
  // The reference uses no threads, so equal bits in every run of this test do not depend on their
  // number.
  const auto assembled = assemble<TypeParam>(random_equations(90, 700, 2, 5), {});
  const auto rows = to_dense(assembled.rows().free_part());
  const auto computed = to_std_vector(assembled.matrix().values);
  EXPECT_TRUE(same_bits(computed, normal_values_in_order<TypeParam>(rows, true)) ||
              same_bits(computed, normal_values_in_order<TypeParam>(rows, false)));
  auto backwards = rows;
  std::reverse(backwards.begin(), backwards.end());
  // In another order the bits differ, but rounding to float may hide the difference.
  const bool same_backwards = same_bits(normal_values_in_order<TypeParam>(rows, true),
                                        normal_values_in_order<TypeParam>(backwards, true));
  EXPECT_FALSE(sizeof(TypeParam) == sizeof(double) && same_backwards);
}

TYPED_TEST(Equations, sum_duplicates_in_the_order_of_their_writing) {
  PlainEquations plain;
  plain.num_variables = 2;
  plain.locked = {0, 0};
  plain.variable_values = {0, 0};
  const double large = std::is_same_v<TypeParam, float> ? 1 << 25 : std::pow(2.0, 60);
  for (const double value : {large, 1.0, -large}) plain.add(1, value);
  plain.add(0, 1);
  plain.end_row({0});
  for (const double value : {large, -large, 1.0}) plain.add(1, value);
  plain.end_row({0});
  const auto values = to_std_vector(assemble<TypeParam>(plain).rows().free_part().values);
  EXPECT_EQ(values, (std::vector<TypeParam>{1, 0, 1}));
}

TYPED_TEST(Equations,
           are_normalised_over_free_and_locked_coefficients_beyond_the_range_of_squares) {
  PlainEquations plain;
  plain.num_variables = 2;
  plain.locked = {0, 1};
  plain.variable_values = {0, 1};
  // A triangle 3-4-5, with small and with large values.
  const double unit = std::is_same_v<TypeParam, float> ? 1e30 : 1e200;
  for (const double size : {1.0, unit, 1 / unit}) {
    plain.variables.insert(plain.variables.end(), {0, 1});
    plain.values.insert(plain.values.end(), {3 * size, 4 * size});
    plain.offsets.push_back(static_cast<std::int64_t>(plain.values.size()));
    plain.right_hand_sides.push_back(5 * size);
    plain.scales.push_back(2);
  }
  const auto assembled = assemble<TypeParam>(plain, {EquationKind::least_squares, true});
  const double bound = tolerance<TypeParam>(1e-6, 1e-15);
  for (const auto value : to_std_vector(assembled.rows().free_part().values))
    EXPECT_NEAR(value, 1.2, bound);
  for (const auto value : to_std_vector(assembled.rows().locked_part().values))
    EXPECT_NEAR(value, 1.6, bound);
  for (const auto value : to_std_vector(assembled.rows().targets()))
    EXPECT_NEAR(value, 2 - 1.6, 4 * bound);
}

TYPED_TEST(Equations, are_refilled_to_the_bits_of_new_ones) {
  const TestSpace exec;
  for (const auto kind : {EquationKind::least_squares, EquationKind::plain})
    for (const bool normalize : {false, true}) {
      const bool plain_kind = kind == EquationKind::plain;
      const int size = 50;
      const PlainEquations first =
          random_equations(size, plain_kind ? size : 200, 2, 9, !plain_kind);
      PlainEquations second = first;
      const Values noise = random_vector(first.values.size(), 4);
      for (std::size_t k = 0; k < noise.size(); ++k)
        second.values[k] = static_cast<float>(first.values[k] + 0.1 * noise[k]);
      for (double& value : second.right_hand_sides) value = static_cast<float>(-3 * value);
      for (double& scale : second.scales) scale *= 1.5;
      auto assembled = assemble<TypeParam>(first, {kind, normalize});
      const auto expected = assemble<TypeParam>(second, {kind, normalize});
      const auto* const values = assembled.matrix().values.data();
      EXPECT_FALSE(same_system(assembled, expected));
      assembled.refill(exec, WriteEquations<TypeParam>(exec, second));
      EXPECT_TRUE(same_system(assembled, expected));
      EXPECT_EQ(assembled.matrix().values.data(), values);
    }
}

TYPED_TEST(Equations, take_new_right_hand_sides_and_locked_values) {
  const TestSpace exec;
  for (const bool normalize : {false, true}) {
    const PlainEquations first = random_equations(40, 130, 3, 21);
    PlainEquations second = first;
    second.right_hand_sides = random_vector(first.right_hand_sides.size(), 8);
    const Values values = random_vector(first.variable_values.size(), 9);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (first.locked[i / 3] != 0) second.variable_values[i] = values[i];
    auto assembled = assemble<TypeParam>(first, {EquationKind::least_squares, normalize});
    const auto expected = assemble<TypeParam>(second, {EquationKind::least_squares, normalize});
    const auto b = make_vector<TypeParam>(exec, second.right_hand_sides);
    auto x = make_vector<TypeParam>(exec, values);
    using Const = MultiVectorView<const TypeParam, TestSpace::memory_space>;
    assembled.set_right_hand_sides(exec, Const(b.data(), 130, 3));
    EXPECT_FALSE(same_system(assembled, expected));
    assembled.set_locked_values(exec, Const(x.data(), 40, 3));
    EXPECT_TRUE(same_system(assembled, expected));

    // A refused refill changes nothing.
    Values bad = second.right_hand_sides;
    bad[3 * 17 + 1] = std::numeric_limits<double>::infinity();
    const auto bad_b = make_vector<TypeParam>(exec, bad);
    std::string error =
        error_of([&] { assembled.set_right_hand_sides(exec, Const(bad_b.data(), 130, 3)); });
    EXPECT_TRUE(contains(error, "row 17, column 1")) << error;
    EXPECT_THROW(assembled.set_right_hand_sides(exec, Const(b.data(), 129, 3)), DimensionMismatch);
    EXPECT_THROW(assembled.set_locked_values(exec, Const(x.data(), 40, 2)), DimensionMismatch);
    Values of_free = values, of_locked = values;
    for (int i = 0; i < 40; ++i) (first.locked[i] != 0 ? of_locked : of_free)[3 * i] = std::nan("");
    x = make_vector<TypeParam>(exec, of_locked);
    EXPECT_THROW(assembled.set_locked_values(exec, Const(x.data(), 40, 3)), Error);
    EXPECT_TRUE(same_system(assembled, expected));
    x = make_vector<TypeParam>(exec, of_free);
    assembled.set_locked_values(exec, Const(x.data(), 40, 3));
    EXPECT_TRUE(same_system(assembled, expected));
  }
}

TYPED_TEST(Equations, are_solved_with_and_without_their_normal_matrix) {
  const TestSpace exec;
  const PlainEquations plain = random_equations(60, 400, 2, 13);
  const auto assembled = assemble<TypeParam>(plain);
  const auto& rows = assembled.rows();
  MultiVector<TypeParam, TestSpace::memory_space> X("test::X", 60, 2);
  PcgParams params;
  params.stop.relative_residual = tolerance<TypeParam>(1e-5, 1e-13);
  const auto results = solve_equations<TestSpace, TypeParam>(exec, assembled, X, params);
  ASSERT_EQ(results.size(), 2u);
  for (const auto& result : results) EXPECT_EQ(result.reason, StopReason::converged);

  CglsParams cgls_params;
  cgls_params.iterations = 200;
  Cgls<TestSpace, TypeParam> cgls(exec, rows.num_rows(), rows.num_free(), cgls_params, 2);
  MultiVector<TypeParam, TestSpace::memory_space> free("test::free", rows.num_free(), 2);
  Kokkos::deep_copy(free, rows.start());
  const Operator<TypeParam> F(exec, rows.free_part());
  cgls.solve(exec, F, rows.targets(), free);
  MultiVector<TypeParam, TestSpace::memory_space> Y("test::Y", 60, 2);
  rows.scatter(exec, free, Y);
  EXPECT_LT(relative_difference(to_std_vector(X), to_std_vector(Y)),
            tolerance<TypeParam>(1e-4, 1e-11));
  const auto x = to_std_vector(X);
  for (int i = 0; i < 60; ++i)
    for (int j = 0; j < 2; ++j) {
      if (plain.locked[i] == 0) continue;
      EXPECT_EQ(x[2 * i + j], TypeParam(plain.variable_values[2 * i + j]));
    }

  // Compares with elimination.
  const DenseSystem dense = dense_system(plain, {});
  PlainCsr A;
  A.columns = static_cast<int>(dense.free.size());
  for (const Values& row : dense.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      A.indices.push_back(static_cast<int>(i));
      A.values.push_back(row[i]);
    }
    A.end_row();
  }
  for (int j = 0; j < 2; ++j) {
    Values b, computed;
    for (const Values& target : dense.targets) b.push_back(target[j]);
    for (const int variable : dense.free) computed.push_back(x[2 * variable + j]);
    EXPECT_LT(relative_difference(computed, least_squares(A, b)),
              tolerance<TypeParam>(1e-4, 1e-11));
  }
}

TYPED_TEST(Equations, without_free_variables_are_solved_already) {
  const TestSpace exec;
  PlainEquations plain = random_equations(9, 12, 2, 3);
  plain.locked.assign(9, 1);
  const auto assembled = assemble<TypeParam>(plain);
  EXPECT_EQ(assembled.matrix().num_rows, 0);
  MultiVector<TypeParam, TestSpace::memory_space> X("test::X", 9, 2);
  const auto results = solve_equations<TestSpace, TypeParam>(exec, assembled, X);
  EXPECT_EQ(results[1].reason, StopReason::zero_rhs);
  EXPECT_TRUE(same_bits(to_std_vector(X),
                        to_std_vector(make_vector<TypeParam>(exec, plain.variable_values))));
}

}  // namespace
