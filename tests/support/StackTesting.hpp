// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of stacks: a product that treats every slice separately, and the comparison of
// a stack with separate runs of its slices.
#pragma once

#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Solver.hpp>

#include "SolverTesting.hpp"

namespace stack_testing {

using namespace solver_testing;

using MemorySpace = TestSpace::memory_space;

/// Copies a column: `to(i, to_column) = from(i, from_column)`.
template <class Scalar>
struct CopyColumn {
  MultiVectorView<const Scalar, MemorySpace> from;
  MultiVectorView<Scalar, MemorySpace> to;
  Offset from_column, to_column;
  KOKKOS_FUNCTION void operator()(const Offset i) const { to(i, to_column) = from(i, from_column); }
};

template <class Scalar>
void copy_column(const TestSpace& exec, const MultiVectorView<const Scalar, MemorySpace>& from,
                 std::size_t from_column, const MultiVectorView<Scalar, MemorySpace>& to,
                 std::size_t to_column) {
  Kokkos::parallel_for("Tomokkos::test::copy_column", Impl::element_range(exec, from.extent(0)),
                       CopyColumn<Scalar>{from, to, static_cast<Offset>(from_column),
                                          static_cast<Offset>(to_column)});
}

/// Multiplies several vectors one after the other, each separately.
template <class Scalar>
class ColumnwiseOperator {
 public:
  using In = MultiVectorView<const Scalar, MemorySpace>;
  using Out = MultiVectorView<Scalar, MemorySpace>;

  ColumnwiseOperator(const TestSpace& exec, const PlainCsr& A)
      : A_(make_operator<Scalar>(exec, A)),
        row_("test::row", A.rows),
        column_("test::column", A.columns) {}
  Ordinal num_rows() const { return A_.num_rows(); }
  Ordinal num_cols() const { return A_.num_cols(); }
  std::size_t apply_bytes() const { return A_.apply_bytes(); }
  std::size_t apply_transpose_bytes() const { return A_.apply_transpose_bytes(); }
  void apply(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta, const Out& Y) const {
    for (std::size_t j = 0; j < X.extent(1); ++j) {
      copy_column<Scalar>(exec, X, j, as_multivector(column_), 0);
      copy_column<Scalar>(exec, Y, j, as_multivector(row_), 0);
      A_.apply(exec, alpha, as_multivector(column_), beta, as_multivector(row_));
      copy_column<Scalar>(exec, as_multivector(row_), 0, Y, j);
    }
  }
  void apply_transpose(const TestSpace& exec, Scalar alpha, const In& X, Scalar beta,
                       const Out& Y) const {
    for (std::size_t j = 0; j < X.extent(1); ++j) {
      copy_column<Scalar>(exec, X, j, as_multivector(row_), 0);
      copy_column<Scalar>(exec, Y, j, as_multivector(column_), 0);
      A_.apply_transpose(exec, alpha, as_multivector(row_), beta, as_multivector(column_));
      copy_column<Scalar>(exec, as_multivector(column_), 0, Y, j);
    }
  }

 private:
  Operator<Scalar> A_;
  Vector<Scalar, MemorySpace> row_, column_;
};

/// Stores the slices row-major, with slice j in column j.
inline Values interleave(const std::vector<Values>& slices) {
  const std::size_t s = slices.size(), n = slices[0].size();
  Values all(n * s);
  for (std::size_t j = 0; j < s; ++j)
    for (std::size_t i = 0; i < n; ++i) all[i * s + j] = slices[j][i];
  return all;
}

template <class Scalar>
std::vector<Scalar> slice(const std::vector<Scalar>& all, std::size_t s, std::size_t j) {
  std::vector<Scalar> one;
  for (std::size_t i = j; i < all.size(); i += s) one.push_back(all[i]);
  return one;
}

struct Problem {
  PlainCsr A = positive_matrix();
  Values clean = multiply(A, positive_vector(A.columns, 3));

  /// Data of slice j of a stack. The noise grows with j.
  Values data(std::size_t j) const {
    const Values error = random_vector(A.rows, 9 + static_cast<unsigned>(j));
    Values noisy = clean;
    for (std::size_t i = 0; i < noisy.size(); ++i)
      noisy[i] =
          static_cast<float>(std::max(0.0, clean[i] * (1 + 0.1 * static_cast<double>(j % 4)) +
                                               0.05 * static_cast<double>(j) * error[i]));
    return noisy;
  }
};

template <class Scalar>
struct StackRun {
  std::vector<SolveResult> results;
  std::vector<Scalar> x;
};

template <class Solver, class Operator>
StackRun<typename Solver::scalar_type> run_stack(
    const Operator& A, const std::vector<Values>& data, const std::vector<Values>& starts,
    const typename Solver::params_type& params,
    const Monitor<TestSpace, typename Solver::scalar_type>& monitor = {}) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const std::size_t s = data.size();
  const auto b = make_vector<Scalar>(exec, interleave(data));
  const auto x = make_vector<Scalar>(exec, interleave(starts));
  const MultiVectorView<const Scalar, MemorySpace> B(b.data(), data[0].size(), s);
  const MultiVectorView<Scalar, MemorySpace> X(x.data(), starts[0].size(), s);
  Solver solver(exec, A.num_rows(), A.num_cols(), params, static_cast<Ordinal>(s));
  auto results = solver.solve(exec, A, B, X, monitor);
  return {std::move(results), to_std_vector(x)};
}

inline bool same(const std::optional<double>& a, const std::optional<double>& b) {
  if (a.has_value() != b.has_value()) return false;
  return !a || *a == *b || (std::isnan(*a) && std::isnan(*b));
}

inline void expect_same_figures(const SolveResult& a, const SolveResult& b) {
  ASSERT_EQ(a.solver_figures.has_value(), b.solver_figures.has_value());
  const auto* const mlem = a.figures<MlemFigures>();
  ASSERT_EQ(mlem == nullptr, b.figures<MlemFigures>() == nullptr);
  if (mlem != nullptr) {
    EXPECT_EQ(*mlem, *b.figures<MlemFigures>());
  }
}

/// Expects that every member is exactly equal.
inline void expect_same(const SolveResult& a, const SolveResult& b) {
  EXPECT_EQ(a.reason, b.reason) << to_string(a.reason) << " and " << to_string(b.reason);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_TRUE(same(a.residual, b.residual)) << a.residual << " and " << b.residual;
  EXPECT_TRUE(same(a.relative_residual, b.relative_residual));
  EXPECT_EQ(a.rhs_norm, b.rhs_norm);
  EXPECT_TRUE(same(a.recursive_residual, b.recursive_residual));
  EXPECT_EQ(a.non_finite_iteration, b.non_finite_iteration);
  expect_same_figures(a, b);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t k = 0; k < a.history.size(); ++k) {
    const auto& p = a.history[k];
    const auto& q = b.history[k];
    EXPECT_EQ(p.iteration, q.iteration);
    EXPECT_TRUE(same(p.residual, q.residual)) << k;
    EXPECT_TRUE(same(p.relative_residual, q.relative_residual)) << k;
    EXPECT_TRUE(same(p.change, q.change)) << k;
    EXPECT_TRUE(same(p.relative_change, q.relative_change)) << k;
    EXPECT_TRUE(same(p.log_likelihood, q.log_likelihood)) << k;
    EXPECT_TRUE(same(p.gradient, q.gradient)) << k;
  }
}

/// Runs the stack, and every slice separately with the same operator, and expects equal bits.
template <class Solver>
StackRun<typename Solver::scalar_type> expect_single_runs(
    const PlainCsr& A, const std::vector<Values>& data, const std::vector<Values>& starts,
    const typename Solver::params_type& params) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const std::size_t s = data.size();
  const ColumnwiseOperator<Scalar> op(exec, A);
  auto stack = run_stack<Solver>(op, data, starts, params);
  EXPECT_EQ(stack.results.size(), s);
  for (std::size_t j = 0; j < s; ++j) {
    SCOPED_TRACE("slice " + std::to_string(j) + " of " + std::to_string(s));
    const auto b = make_vector<Scalar>(exec, data[j]);
    const auto x = make_vector<Scalar>(exec, starts[j]);
    Solver solver(exec, A.rows, A.columns, params);
    expect_same(stack.results[j], solver.solve(exec, op, b, x));
    EXPECT_TRUE(same_bits(slice(stack.x, s, j), to_std_vector(x)));
  }
  return stack;
}

}  // namespace stack_testing
