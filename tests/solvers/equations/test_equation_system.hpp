// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations collected on the host: they give the same system as a functor that writes them, and
// calls in the wrong order are refused.
#include <Tomokkos_EquationSystem.hpp>
#include <Tomokkos_SolveEquations.hpp>

#include "EquationTesting.hpp"

using namespace equation_testing;

namespace {

template <class Scalar>
class EquationSystems : public ::testing::Test {};
TYPED_TEST_SUITE(EquationSystems, Scalars);

template <class Scalar>
void set_variables(EquationSystem<Scalar>& system, const PlainEquations& plain) {
  for (int i = 0; i < plain.num_variables; ++i) {
    for (int j = 0; j < plain.num_columns; ++j)
      system.set_variable(i, static_cast<Scalar>(plain.variable_values[i * plain.num_columns + j]),
                          j);
    if (plain.locked[i] != 0) system.lock(i);
  }
}

/// Adds equations term by term, or each in one call.
template <class Scalar>
void add_rows(EquationSystem<Scalar>& system, const PlainEquations& plain, bool at_once) {
  for (int row = 0; row < plain.num_rows(); ++row) {
    std::vector<EquationTerm<Scalar>> terms;
    std::vector<Scalar> b;
    for (auto k = plain.offsets[row]; k < plain.offsets[row + 1]; ++k)
      terms.push_back({plain.variables[k], static_cast<Scalar>(plain.values[k])});
    for (int j = 0; j < plain.num_columns; ++j)
      b.push_back(static_cast<Scalar>(plain.right_hand_sides[row * plain.num_columns + j]));
    if (at_once) {
      system.row(std::span<const EquationTerm<Scalar>>(terms), b, plain.scales[row]);
      continue;
    }
    system.begin_row();
    for (int j = 0; j < plain.num_columns; ++j) system.right_hand_side(b[j], j);
    system.row_scaling(plain.scales[row]);
    for (const auto& term : terms) system.coefficient(term.variable, term.value);
    system.end_row();
  }
}

TYPED_TEST(EquationSystems, are_those_of_a_functor) {
  const TestSpace exec;
  for (const bool normalize : {false, true})
    for (const bool at_once : {false, true}) {
      const PlainEquations plain = random_equations(30, 90, 2, 44);
      const EquationOptions options{EquationKind::least_squares, normalize};
      EquationSystem<TypeParam> system(30, options, 2);
      add_rows(system, plain, at_once);
      // Variables may be set after the equations.
      set_variables(system, plain);
      EXPECT_EQ(system.num_rows(), 90);
      auto assembled = system.assemble(exec);
      EXPECT_TRUE(same_system(assembled, assemble<TypeParam>(plain, options)));

      // New values, also for the locked variables.
      PlainEquations other = plain;
      for (double& value : other.values) value *= -0.5;
      for (double& value : other.right_hand_sides) value *= 2;
      for (std::size_t i = 0; i < other.variable_values.size(); ++i)
        if (other.locked[i / 2] != 0) other.variable_values[i] += 1;
      system.clear_rows();
      EXPECT_EQ(system.num_rows(), 0);
      EXPECT_THROW(system.refill(exec, assembled), DimensionMismatch);
      add_rows(system, other, !at_once);
      set_variables(system, other);
      for (double& value : other.variable_values) value = static_cast<float>(value);
      system.refill(exec, assembled);
      PlainEquations expected = other;
      EXPECT_TRUE(same_system(assembled, assemble<TypeParam>(expected, options)));

      // A refill may not lock other variables, since the pattern depends on them.
      const auto free = static_cast<Ordinal>(
          std::find(plain.locked.begin(), plain.locked.end(), 0) - plain.locked.begin());
      system.lock(free);
      const std::string message = error_of([&] { system.refill(exec, assembled); });
      EXPECT_TRUE(contains(message, "variable " + std::to_string(free) + " is locked")) << message;
      system.unlock(free);
      EXPECT_FALSE(system.is_locked(free));
      system.refill(exec, assembled);
    }
}

TYPED_TEST(EquationSystems, keep_their_solutions) {
  // x_0 = 1 locked, x_1 - x_0 = 2, x_2 - x_1 = 3, and the second right-hand side doubled.
  const TestSpace exec;
  for (const auto kind : {EquationKind::least_squares, EquationKind::plain}) {
    EquationSystem<TypeParam> system(3, {kind, false}, 2);
    system.set_variable(0, 1);
    system.set_variable(0, 2, 1);
    system.lock(0);
    system.row({{1, 1}, {0, -1}}, {2, 4});
    system.row({{2, 1}, {1, -1}}, {3, 6});
    const auto assembled = system.assemble(exec);
    if (kind == EquationKind::plain) {
      EXPECT_EQ(assembled.solver(exec), EquationSolver::bicgstab);
      continue;
    }
    MultiVector<TypeParam, TestSpace::memory_space> X("test::X", 3, 2);
    for (const auto& result : solve_equations<TestSpace, TypeParam>(exec, assembled, X))
      EXPECT_EQ(result.reason, StopReason::converged);
    system.template update_values<TestSpace>(exec, X);
    const double bound = tolerance<TypeParam>(1e-4, 1e-4);
    for (int j = 0; j < 2; ++j) {
      EXPECT_EQ(system.variable(0, j), TypeParam(1 + j));
      EXPECT_NEAR(system.variable(1, j), 3 * (1 + j), bound);
      EXPECT_NEAR(system.variable(2, j), 6 * (1 + j), bound);
    }
    EXPECT_EQ(system.variables().size(), 6u);
    // The solution is the start of the next solve, so nothing is left to do.
    const auto again = system.assemble(exec);
    const auto results = solve_equations<TestSpace, TypeParam>(exec, again, X);
    EXPECT_EQ(results[0].reason, StopReason::converged);
    EXPECT_EQ(results[0].iterations, 0);
  }
}

TYPED_TEST(EquationSystems, are_written_in_lines) {
  const TestSpace exec;
  EquationSystem<TypeParam> system(2);
  system.row({{0, 2}, {1, 1}}, 4);
  system.row({{1, 3}}, 3, 2);
  system.row({{0, 1}});
  const auto assembled = system.assemble(exec);
  EXPECT_EQ(to_dense(assembled.matrix()), (std::vector<Values>{{5, 2}, {2, 37}}));
  EXPECT_EQ(to_std_vector(assembled.right_hand_sides()), (std::vector<TypeParam>{8, 40}));
}

TYPED_TEST(EquationSystems, say_what_was_expected) {
  const TestSpace exec;
  EquationSystem<TypeParam> system(4, {}, 2);
  const auto error = [](const auto& action) { return error_of(action); };
  // Calls outside an equation.
  for (const std::string& message :
       {error([&] { system.coefficient(0, 1); }), error([&] { system.right_hand_side(1); }),
        error([&] { system.row_scaling(1); }), error([&] { system.end_row(); })})
    EXPECT_TRUE(contains(message, "call begin_row before it")) << message;
  // Calls within an equation.
  system.begin_row();
  const std::vector<EquationTerm<TypeParam>> terms{{0, 1}};
  const std::span<const EquationTerm<TypeParam>> span(terms);
  for (const std::string& message :
       {error([&] { system.begin_row(); }), error([&] { system.row(span); }),
        error([&] { system.assemble(exec); })})
    EXPECT_TRUE(contains(message, "inside equation 0; call end_row before it")) << message;
  // Invalid indices and values.
  const auto nan = std::numeric_limits<TypeParam>::quiet_NaN();
  const auto infinity = std::numeric_limits<TypeParam>::infinity();
  for (const Ordinal variable : {-1, 4}) {
    for (const std::string& message :
         {error([&] { system.coefficient(variable, 1); }),
          error([&] { system.set_variable(variable, 1); }), error([&] { system.lock(variable); }),
          error([&] { system.unlock(variable); }), error([&] { system.variable(variable); }),
          error([&] { system.is_locked(variable); })})
      EXPECT_TRUE(contains(message, "variable " + std::to_string(variable) +
                                        " does not exist; there are 4 variables"))
          << message;
  }
  for (const Ordinal column : {-1, 2}) {
    for (const std::string& message : {error([&] { system.right_hand_side(1, column); }),
                                       error([&] { system.set_variable(0, 1, column); }),
                                       error([&] { system.variable(0, column); })})
      EXPECT_TRUE(contains(message, "right-hand side " + std::to_string(column) +
                                        " does not exist; the number of right-hand sides is 2"))
          << message;
  }
  for (const TypeParam value : {nan, infinity}) {
    EXPECT_TRUE(contains(error([&] { system.coefficient(0, value); }), "coefficient: "));
    EXPECT_TRUE(contains(error([&] { system.right_hand_side(value); }), "right_hand_side: "));
    EXPECT_TRUE(contains(error([&] { system.row_scaling(value); }), "row_scaling: "));
    EXPECT_TRUE(contains(error([&] { system.set_variable(0, value); }), "set_variable: "));
  }
  // None of the refused calls had an effect.
  system.end_row();
  const std::vector<TypeParam> bad_b{1, nan}, short_b{1};
  const std::vector<EquationTerm<TypeParam>> bad{{0, 1}, {4, 1}}, infinite{{0, infinity}};
  EXPECT_THROW(system.row(std::span<const EquationTerm<TypeParam>>(bad)), Error);
  EXPECT_THROW(system.row(std::span<const EquationTerm<TypeParam>>(infinite)), Error);
  EXPECT_THROW(system.row(span, bad_b), Error);
  EXPECT_THROW(system.row(span, short_b), DimensionMismatch);
  EXPECT_THROW(system.row(span, {}, nan), Error);
  EXPECT_EQ(system.num_rows(), 1);
  for (const TypeParam value : system.variables()) EXPECT_EQ(value, TypeParam(0));
  for (Ordinal i = 0; i < 4; ++i) system.row({{i, 1}, {i, 1}});
  EXPECT_EQ(to_std_vector(system.assemble(exec).matrix().values),
            (std::vector<TypeParam>{4, 4, 4, 4}));

  EXPECT_THROW(EquationSystem<TypeParam>(-1), Error);
  EXPECT_THROW(EquationSystem<TypeParam>(3, {}, 0), Error);
}

}  // namespace
