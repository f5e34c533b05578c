// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations that cannot be solved are refused with the number of their row or variable. Systems
// name the solver that applies to them.
#include <Tomokkos_SolveEquations.hpp>

#include "EquationTesting.hpp"

using namespace equation_testing;

namespace {

template <class Scalar>
class EquationErrors : public ::testing::Test {};
TYPED_TEST_SUITE(EquationErrors, Scalars);

TYPED_TEST(EquationErrors, of_systems_that_cannot_be_solved_are_refused_by_name) {
  const PlainEquations good = random_equations(6, 10, 2, 31);
  const auto error = [](const PlainEquations& plain, const EquationOptions& options = {}) {
    return error_of([&] { assemble<TypeParam>(plain, options); });
  };
  const EquationOptions normalized{EquationKind::least_squares, true};
  EXPECT_EQ(error(good), "");
  EXPECT_EQ(error(good, normalized), "");

  // A variable that does not exist.
  for (const int variable : {-1, 6}) {
    PlainEquations bad = good;
    bad.variables[static_cast<std::size_t>(bad.offsets[4])] = variable;
    const std::string message = error(bad);
    EXPECT_TRUE(
        contains(message, "equation 4: variable " + std::to_string(variable) + " does not exist"))
        << message;
  }
  // Values that are not finite, also those that become infinite when scaled.
  for (auto member :
       {&PlainEquations::values, &PlainEquations::scales, &PlainEquations::right_hand_sides}) {
    for (const double value : {std::nan(""), std::numeric_limits<double>::infinity()}) {
      PlainEquations bad = good;
      (bad.*member).back() = value;
      for (const auto& options : {EquationOptions{}, normalized}) {
        const std::string message = error(bad, options);
        EXPECT_TRUE(contains(message, "equation 9 has a coefficient, a right-hand side"))
            << message;
      }
    }
  }
  PlainEquations bad = good;
  bad.scales[2] = std::is_same_v<TypeParam, float> ? 1e39 : 1e308;
  bad.values[static_cast<std::size_t>(bad.offsets[2])] = 1e30;
  EXPECT_TRUE(contains(error(bad), "equation 2")) << error(bad);

  // A variable without an equation, or only with zeros. Other programs would return NaN.
  for (const bool with_zeros : {false, true})
    for (const auto& options : {EquationOptions{}, normalized}) {
      PlainEquations lonely = good;
      lonely.num_variables = 7;
      lonely.locked.push_back(0);
      lonely.variable_values.resize(14, 0);
      if (with_zeros) {
        lonely.add(0, 1);
        lonely.add(6, 0);
        lonely.end_row({1, 1});
      }
      const std::string message = error(lonely, options);
      EXPECT_TRUE(contains(message, "variable 6 is free")) << message;
      lonely.locked.back() = 1;
      EXPECT_EQ(error(lonely, options), "");
    }
  // A row of zeros cannot be normalised.
  for (const bool with_zeros : {false, true}) {
    PlainEquations zeros = good;
    if (with_zeros) zeros.add(2, 0);
    zeros.end_row({1, 1});
    EXPECT_EQ(error(zeros), "");
    EXPECT_TRUE(contains(error(zeros, normalized), "equation 10")) << error(zeros, normalized);
  }
  // Variables whose values are NaN.
  PlainEquations nan = good;
  nan.variable_values[7] = std::nan("");
  EXPECT_TRUE(contains(error(nan), "variable 3, column 1")) << error(nan);
  PlainEquations few = good;
  few.locked.pop_back();
  EXPECT_TRUE(contains(error(few), "length of locked")) << error(few);
}

TYPED_TEST(EquationErrors, of_plain_systems_must_be_square_and_not_empty) {
  PlainEquations plain;
  plain.num_variables = 3;
  plain.locked = {0, 1, 0};
  plain.variable_values = {0, 2, 0};
  plain.add(0, 1), plain.add(1, 1), plain.end_row({1});
  const EquationOptions options{EquationKind::plain, false};
  const auto error = [&](const PlainEquations& equations) {
    return error_of([&] { assemble<TypeParam>(equations, options); });
  };
  EXPECT_THROW(assemble<TypeParam>(plain, options), DimensionMismatch);
  PlainEquations good = plain;
  good.add(2, 4), good.end_row({1});
  EXPECT_EQ(error(good), "");
  PlainEquations of_locked = plain;
  of_locked.add(1, 1), of_locked.end_row({1});
  EXPECT_TRUE(contains(error(of_locked), "equation 1 has no nonzero coefficient of a free"))
      << error(of_locked);
  PlainEquations twice = plain;
  twice.add(0, 1), twice.end_row({1});
  EXPECT_TRUE(contains(error(twice), "variable 2 is free")) << error(twice);
}

TYPED_TEST(EquationErrors, name_a_coefficient_that_the_pattern_does_not_hold) {
  const TestSpace exec;
  const PlainEquations plain = random_equations(20, 60, 1, 6);
  auto assembled = assemble<TypeParam>(plain);
  PlainEquations other = plain;
  const auto k = static_cast<std::size_t>(other.offsets[33]);
  other.variables[k] = (other.variables[k] + 1) % 20;
  while (std::count(plain.variables.begin() + plain.offsets[33],
                    plain.variables.begin() + plain.offsets[34], other.variables[k]) > 0)
    other.variables[k] = (other.variables[k] + 1) % 20;
  const std::string message =
      error_of([&] { assembled.refill(exec, WriteEquations<TypeParam>(exec, other)); });
  EXPECT_TRUE(contains(message, "equation 33: variable " + std::to_string(other.variables[k])))
      << message;
  // After a successful refill the system is valid again.
  assembled.refill(exec, WriteEquations<TypeParam>(exec, plain));
  EXPECT_TRUE(same_system(assembled, assemble<TypeParam>(plain)));
}

/// Writes to a right-hand side that does not exist.
template <class Scalar>
struct WriteBeyond {
  KOKKOS_FUNCTION void operator()(const Offset row, EquationWriter<Scalar>& equation) const {
    equation.add(static_cast<Ordinal>(row), Scalar(1));
    equation.right_hand_side(Scalar(1), row == 2 ? 1 : 0);
  }
};

TYPED_TEST(EquationErrors, name_a_right_hand_side_that_does_not_exist) {
  const TestSpace exec;
  const EquationVariables<TypeParam, TestSpace::memory_space> variables{3};
  const std::string message = error_of([&] {
    AssembledEquations<TestSpace, TypeParam>(exec, 3, variables, WriteBeyond<TypeParam>{});
  });
  EXPECT_TRUE(contains(message, "equation 2: right-hand side 1 does not exist")) << message;
}

TYPED_TEST(EquationErrors, name_a_right_hand_side_that_its_factor_takes_out_of_range) {
  const TestSpace exec;
  using Const = MultiVectorView<const TypeParam, TestSpace::memory_space>;
  PlainEquations plain = random_equations(6, 10, 2, 31);
  plain.scales[2] = 1.0 / 1024;
  plain.scales[7] = 64;
  for (const bool normalize : {false, true}) {
    const EquationOptions options{EquationKind::least_squares, normalize};
    auto assembled = assemble<TypeParam>(plain, options);
    const auto error = [&](std::size_t large) {
      Values B(20, 0);
      B[large] = 0.9 * static_cast<double>(std::numeric_limits<TypeParam>::max());
      const auto b = make_vector<TypeParam>(exec, B);
      return error_of([&] { assembled.set_right_hand_sides(exec, Const(b.data(), 10, 2)); });
    };
    const std::string message = error(2 * 7 + 1);
    EXPECT_TRUE(contains(message, "right-hand side of row 7, column 1, is not finite, or leaves"))
        << message;
    EXPECT_TRUE(same_system(assembled, assemble<TypeParam>(plain, options)));
    EXPECT_EQ(error(2 * 2 + 1), "");
  }
}

TEST(EquationSolverChoice, depends_on_the_kind_and_the_signs) {
  for (const bool symmetric : {false, true})
    for (const bool positive : {false, true}) {
      EXPECT_EQ(default_solver(EquationKind::least_squares, {symmetric, positive}),
                EquationSolver::pcg);
      EXPECT_EQ(default_solver(EquationKind::plain, {symmetric, positive}),
                symmetric && positive ? EquationSolver::pcg : EquationSolver::bicgstab);
    }
}

TYPED_TEST(EquationErrors, tell_what_solves_them) {
  const TestSpace exec;
  const auto system = [](double a, double b, double c, double d) {
    PlainEquations plain;
    plain.num_variables = 2;
    plain.locked = {0, 0};
    plain.variable_values = {0, 0};
    plain.add(0, a), plain.add(1, b), plain.end_row({1});
    plain.add(0, c), plain.add(1, d), plain.end_row({3});
    return assemble<TypeParam>(plain, {EquationKind::plain, false});
  };
  EXPECT_EQ(system(2, 1, 1, 3).solver(exec), EquationSolver::pcg);
  EXPECT_EQ(system(2, 1, 2, 3).solver(exec), EquationSolver::bicgstab);
  EXPECT_EQ(system(2, 1, 1, -3).solver(exec), EquationSolver::bicgstab);
  EXPECT_EQ(system(0, 1, 1, 3).solver(exec), EquationSolver::bicgstab);

  Kokkos::View<TypeParam**, Kokkos::LayoutRight, TestSpace::memory_space> X("test::X", 2, 1);
  auto results = solve_equations(exec, system(2, 1, 1, 3), X);
  EXPECT_EQ(results[0].reason, StopReason::converged);
  const auto x = to_std_vector(X);
  EXPECT_NEAR(x[0], 0, 1e-5);
  EXPECT_NEAR(x[1], 1, 1e-5);
  // Not symmetric: BiCGSTAB.
  results = solve_equations<TestSpace, TypeParam>(exec, system(2, 1, 2, 3), X);
  EXPECT_EQ(results[0].reason, StopReason::converged);
  const auto z = to_std_vector(X);
  EXPECT_NEAR(z[0], 0, 1e-5);
  EXPECT_NEAR(z[1], 1, 1e-5);
  // Symmetric with a positive diagonal, but indefinite: the solver reports it.
  results = solve_equations<TestSpace, TypeParam>(exec, system(1, 2, 2, 1), X);
  EXPECT_NE(results[0].reason, StopReason::max_iterations);
  const auto y = to_std_vector(X);
  EXPECT_TRUE(results[0].reason == StopReason::indefinite ||
              (results[0].reason == StopReason::converged && std::abs(y[0] + 2 * y[1] - 1) < 1e-4 &&
               std::abs(2 * y[0] + y[1] - 3) < 1e-4));
}

}  // namespace
