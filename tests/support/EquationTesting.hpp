// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Equations in plain vectors, their systems as dense matrices in double, and the functor that
// passes them to a device.
#pragma once

#include <Tomokkos_AssembledEquations.hpp>

#include "SolverTesting.hpp"

namespace equation_testing {

using namespace solver_testing;

/// Equations as a user writes them: terms in any order, some of them for the same variable.
struct PlainEquations {
  int num_variables = 0, num_columns = 1;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> variables;
  Values values, right_hand_sides, scales;  // representable in float
  std::vector<char> locked;
  Values variable_values;  // num_variables x num_columns

  int num_rows() const { return static_cast<int>(scales.size()); }
  void add(int variable, double value) {
    variables.push_back(variable);
    values.push_back(static_cast<float>(value));
  }
  void end_row(const Values& right_hand_side, double scale = 1) {
    offsets.push_back(static_cast<std::int64_t>(values.size()));
    for (const double value : right_hand_side)
      right_hand_sides.push_back(static_cast<float>(value));
    scales.push_back(scale);
  }
};

/// Functor that writes the equations.
template <class Scalar>
struct WriteEquations {
  Kokkos::View<const Offset*, TestSpace::memory_space> offsets;
  Kokkos::View<const Ordinal*, TestSpace::memory_space> variables;
  Kokkos::View<const Scalar*, TestSpace::memory_space> values, right_hand_sides;
  Kokkos::View<const double*, TestSpace::memory_space> scales;
  Ordinal num_columns;

  WriteEquations(const TestSpace& exec, const PlainEquations& plain)
      : offsets(to_device<TestSpace, Offset>(exec, plain.offsets)),
        variables(to_device<TestSpace, Ordinal>(exec, plain.variables)),
        values(to_device<TestSpace, Scalar>(exec, plain.values)),
        right_hand_sides(to_device<TestSpace, Scalar>(exec, plain.right_hand_sides)),
        scales(to_device<TestSpace, double>(exec, plain.scales)),
        num_columns(plain.num_columns) {}

  KOKKOS_FUNCTION void operator()(const Offset row, EquationWriter<Scalar>& equation) const {
    equation.scale(scales(row));
    for (Offset k = offsets(row); k < offsets(row + 1); ++k) equation.add(variables(k), values(k));
    for (Ordinal j = 0; j < num_columns; ++j)
      equation.right_hand_side(right_hand_sides(row * num_columns + j), j);
  }
};

/// Variables on the device during the lifetime of this object.
template <class Scalar>
struct DeviceVariables {
  Vector<char, TestSpace::memory_space> locked;
  Vector<Scalar, TestSpace::memory_space> values;
  EquationVariables<Scalar, TestSpace::memory_space> variables;

  DeviceVariables(const TestSpace& exec, const PlainEquations& plain)
      : locked(to_device<TestSpace, char>(exec, plain.locked)),
        values(to_device<TestSpace, Scalar>(exec, plain.variable_values)),
        variables{plain.num_variables, plain.num_columns, locked,
                  MultiVectorView<const Scalar, TestSpace::memory_space>(
                      values.data(), static_cast<std::size_t>(plain.num_variables),
                      static_cast<std::size_t>(plain.num_columns))} {}
};

template <class Scalar>
AssembledEquations<TestSpace, Scalar> assemble(const PlainEquations& plain,
                                               const EquationOptions& options = {}) {
  const TestSpace exec;
  const DeviceVariables<Scalar> variables(exec, plain);
  return {exec, plain.num_rows(), variables.variables, WriteEquations<Scalar>(exec, plain),
          options};
}

/// Random equations with few terms each, some of them for the same variable. The first rows keep
/// the normal matrix regular.
inline PlainEquations random_equations(int num_variables, int num_rows, int num_columns,
                                       unsigned seed, bool some_locked = true) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> value(-1, 1);
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  PlainEquations plain;
  plain.num_variables = num_variables;
  plain.num_columns = num_columns;
  for (int i = 0; i < num_variables; ++i) {
    plain.locked.push_back(some_locked && pick(4) == 0 ? 1 : 0);
    for (int j = 0; j < num_columns; ++j) plain.variable_values.push_back(value(random));
  }
  for (int row = 0; row < num_rows; ++row) {
    // Give each variable a large coefficient in one of the first rows.
    if (row < num_variables) plain.add(row, 2 + value(random));
    const int terms = pick(6);
    for (int k = 0; k < terms; ++k) plain.add(pick(num_variables), value(random));
    if (terms > 2) plain.add(plain.variables.back(), value(random));
    if (terms == 0) plain.add(pick(num_variables), 1.5);
    Values b;
    for (int j = 0; j < num_columns; ++j) b.push_back(value(random));
    plain.end_row(b, pick(3) == 0 ? 1 : 0.25 + std::abs(value(random)));
  }
  return plain;
}

/// System of equations, assembled by the textbook formulas.
struct DenseSystem {
  std::vector<int> free;     // indices of the variables that are not locked
  std::vector<Values> rows;  // coefficients of the free variables, scaled
  std::vector<Values> targets;
  std::vector<Values> matrix;
  std::vector<Values> right_hand_sides;
  std::vector<Values> magnitudes;  // sums of the absolute terms of each matrix entry
  std::vector<Values> rhs_magnitudes;
};

inline DenseSystem dense_system(const PlainEquations& plain, const EquationOptions& options) {
  DenseSystem system;
  const auto s = static_cast<std::size_t>(plain.num_columns);
  for (int i = 0; i < plain.num_variables; ++i)
    if (plain.locked[i] == 0) system.free.push_back(i);
  const std::size_t n = system.free.size();
  std::vector<Values> target_magnitudes;
  for (int row = 0; row < plain.num_rows(); ++row) {
    Values all(plain.num_variables, 0);
    for (auto k = plain.offsets[row]; k < plain.offsets[row + 1]; ++k)
      all[plain.variables[k]] += plain.values[k];
    const double factor = plain.scales[row] / (options.normalize_rows ? norm(all) : 1);
    Values target(s), magnitude(s);
    for (std::size_t j = 0; j < s; ++j) {
      target[j] = factor * plain.right_hand_sides[row * s + j];
      magnitude[j] = std::abs(target[j]);
      for (int i = 0; i < plain.num_variables; ++i) {
        if (plain.locked[i] == 0) continue;
        target[j] -= factor * all[i] * plain.variable_values[i * s + j];
        magnitude[j] += std::abs(factor * all[i] * plain.variable_values[i * s + j]);
      }
    }
    Values part(n);
    for (std::size_t i = 0; i < n; ++i) part[i] = factor * all[system.free[i]];
    system.rows.push_back(part);
    system.targets.push_back(target);
    target_magnitudes.push_back(magnitude);
  }
  if (options.kind == EquationKind::plain) {
    system.matrix = system.rows;
    system.right_hand_sides = system.targets;
    system.rhs_magnitudes = target_magnitudes;
    for (const Values& row : system.rows) {
      system.magnitudes.push_back(row);
      for (double& value : system.magnitudes.back()) value = std::abs(value);
    }
    return system;
  }
  system.matrix.assign(n, Values(n, 0));
  system.magnitudes = system.matrix;
  system.right_hand_sides.assign(n, Values(s, 0));
  system.rhs_magnitudes = system.right_hand_sides;
  for (std::size_t r = 0; r < system.rows.size(); ++r)
    for (std::size_t i = 0; i < n; ++i) {
      const double a = system.rows[r][i];
      for (std::size_t j = 0; j < n; ++j) {
        system.matrix[i][j] += a * system.rows[r][j];
        system.magnitudes[i][j] += std::abs(a * system.rows[r][j]);
      }
      for (std::size_t j = 0; j < s; ++j) {
        system.right_hand_sides[i][j] += a * system.targets[r][j];
        system.rhs_magnitudes[i][j] += std::abs(a) * target_magnitudes[r][j];
      }
    }
  return system;
}

/// Converts a sparse matrix on the device to a dense one and counts the stored entries.
template <class Scalar>
std::vector<Values> to_dense(const CsrMatrix<Scalar, TestSpace::memory_space>& A) {
  const auto host = copy_to<Kokkos::HostSpace>(TestSpace(), A);
  std::vector<Values> dense(static_cast<std::size_t>(A.num_rows), Values(A.num_cols, 0));
  for (Ordinal i = 0; i < A.num_rows; ++i)
    for (Offset k = host.row_offsets(i); k < host.row_offsets(i + 1); ++k)
      dense[i][host.columns(k)] += host.values(k);
  return dense;
}

/// Compares entry by entry. The bound grows with the number of terms in a sum.
template <class Scalar>
void expect_near(const std::vector<Values>& computed, const std::vector<Values>& expected,
                 const std::vector<Values>& magnitudes, const std::string& what) {
  // Coefficients and right-hand sides of the rows are rounded twice each, the results once.
  const double u = std::numeric_limits<Scalar>::epsilon() / 2;
  ASSERT_EQ(computed.size(), expected.size()) << what;
  for (std::size_t i = 0; i < computed.size(); ++i)
    for (std::size_t j = 0; j < expected[i].size(); ++j)
      ASSERT_LE(std::abs(computed[i][j] - expected[i][j]), 12 * u * magnitudes[i][j])
          << what << " (" << i << ", " << j << ")";
}

template <class Scalar, class View>
std::vector<Values> multivector_rows(const View& X) {
  const auto flat = to_std_vector(X);
  std::vector<Values> rows(X.extent(0), Values(X.extent(1)));
  for (std::size_t i = 0; i < flat.size(); ++i) rows[i / X.extent(1)][i % X.extent(1)] = flat[i];
  return rows;
}

/// Returns true if both systems are equal bit by bit.
template <class Scalar>
bool same_system(const AssembledEquations<TestSpace, Scalar>& a,
                 const AssembledEquations<TestSpace, Scalar>& b) {
  const auto same_matrix = [](const auto& A, const auto& B) {
    return to_std_vector(A.row_offsets) == to_std_vector(B.row_offsets) &&
           to_std_vector(A.columns) == to_std_vector(B.columns) &&
           same_bits(to_std_vector(A.values), to_std_vector(B.values));
  };
  return same_matrix(a.matrix(), b.matrix()) &&
         same_matrix(a.rows().free_part(), b.rows().free_part()) &&
         same_matrix(a.rows().locked_part(), b.rows().locked_part()) &&
         same_bits(to_std_vector(a.right_hand_sides()), to_std_vector(b.right_hand_sides())) &&
         same_bits(to_std_vector(a.rows().targets()), to_std_vector(b.rows().targets())) &&
         same_bits(to_std_vector(a.rows().start()), to_std_vector(b.rows().start()));
}

}  // namespace equation_testing
