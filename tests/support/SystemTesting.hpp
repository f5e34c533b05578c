// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Helpers for tests of all solvers of square systems: systems, preconditioners, operators that
// fail, and rules for each solver.
#pragma once

#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <memory>

#include "SolverTesting.hpp"
#include "TestData.hpp"

namespace system_testing {

using namespace solver_testing;

template <class Scalar>
using System = PreconditionedSystem<TestSpace, Scalar>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

inline PlainCsr small_matrix(int n, const std::vector<double>& entries) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      if (entries[static_cast<std::size_t>(i * n + j)] != 0)
        A.add(j, entries[static_cast<std::size_t>(i * n + j)]);
    A.end_row();
  }
  return A;
}

/// Reads a file of the test data without changes of its values.
inline PlainCsr plain_file(const std::string& name) {
  const auto host =
      read_matrix<double>(Tomokkos::Testing::test_data_path("matrices/" + name + ".mtx"));
  PlainCsr A;
  A.name = name;
  A.rows = host.num_rows;
  A.columns = host.num_cols;
  A.offsets.assign(host.row_offsets.data(), host.row_offsets.data() + host.num_rows + 1);
  A.indices.assign(host.columns.data(), host.columns.data() + host.num_nonzeros());
  A.values.assign(host.values.data(), host.values.data() + host.num_nonzeros());
  return A;
}

inline Values diagonal_of(const PlainCsr& A) {
  Values d(static_cast<std::size_t>(A.rows), 0);
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] == i) d[static_cast<std::size_t>(i)] += A.values[k];
  return d;
}

inline double plain_dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// Computes `Z = factor R / d` row by row.
template <class Scalar>
struct DivideByDiagonal {
  DeviceVector<Scalar> d;
  double factor;
  In<Scalar> R;
  Out<Scalar> Z;
  KOKKOS_FUNCTION void operator()(const Offset i) const {
    for (std::size_t j = 0; j < R.extent(1); ++j)
      Z(i, j) =
          static_cast<Scalar>(factor * static_cast<double>(R(i, j)) / static_cast<double>(d(i)));
  }
};

/// Makes the preconditioner of a user from a lambda.
template <class Scalar>
UserPreconditioner<TestSpace, Scalar> user_jacobi(const PlainCsr& A, double factor = 1) {
  const auto d = make_vector<Scalar>(TestSpace(), diagonal_of(A));
  return [d, factor](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::parallel_for("test::jacobi", Impl::element_range(exec, d.extent(0)),
                         DivideByDiagonal<Scalar>{d, factor, R, Z});
  };
}

/// Makes an identity that returns an infinity in call number \p limit.
template <class Scalar>
UserPreconditioner<TestSpace, Scalar> spoilt_identity(int limit) {
  const auto calls = std::make_shared<int>(0);
  return [calls, limit](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::deep_copy(exec, Z, R);
    if (++*calls == limit)
      Kokkos::deep_copy(exec, Kokkos::subview(Z, 0, Kokkos::ALL()),
                        std::numeric_limits<Scalar>::infinity());
  };
}

/// Operator whose product number `limit` gives NaN.
template <class Scalar>
struct SpoiltOperator {
  AnyOperator<TestSpace, Scalar> A;
  int limit;
  std::shared_ptr<int> products = std::make_shared<int>(0);
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  /// Diagonal, so that the solver can determine the size of the operator without a product.
  void diagonal(const TestSpace& exec, const VectorView<Scalar, TestSpace::memory_space>& d) const {
    A.capabilities().diagonal->diagonal(exec, d);
  }
  void apply(const TestSpace& exec, Scalar alpha, const In<Scalar>& X, Scalar beta,
             const Out<Scalar>& Y) const {
    A.apply(exec, alpha, X, beta, Y);
    if (++*products == limit)
      Kokkos::deep_copy(exec, Kokkos::subview(Y, 5, Kokkos::ALL()),
                        std::numeric_limits<Scalar>::quiet_NaN());
  }
};

template <class Solver>
using ScalarOf = typename Solver::scalar_type;

template <class Solver>
std::vector<ScalarOf<Solver>> solve(const System<ScalarOf<Solver>>& system, const Values& b,
                                    const Values& start, const typename Solver::params_type& params,
                                    SolveResult& result,
                                    const Monitor<TestSpace, ScalarOf<Solver>>& monitor = {}) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const auto x = make_vector<Scalar>(exec, start);
  Solver solver(exec, system.num_rows(), params);
  result = solver.solve(exec, system, make_vector<Scalar>(exec, b), x, monitor);
  return to_std_vector(x);
}

template <class Solver>
std::vector<ScalarOf<Solver>> solve(const PlainCsr& A, const Values& b,
                                    const typename Solver::params_type& params,
                                    SolveResult& result) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  return solve<Solver>(System<Scalar>(exec, make_operator<Scalar>(exec, A), params.preconditioner),
                       b, Values(b.size(), 0), params, result);
}

/// Checks the stop rules that all solvers have in common on a matrix for which the solver is
/// suited.
template <class Solver>
void obeys_the_rules(const PlainCsr& A) {
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.check_every = 1;
  SolveResult result;
  const auto expect_above = [&](int from) {
    for (int k = from; k < result.iterations; ++k)
      EXPECT_GT(*result.history[static_cast<std::size_t>(k)].residual, 0.01 * norm(b)) << k;
  };
  params.stop = {};
  params.stop.absolute_residual = 0.01 * norm(b);
  const auto x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LE(plain_residual(A, b, x), 0.01 * norm(b) * 1.001);
  expect_above(1);
  const int least = result.iterations + 4;
  params.stop.minimum_iterations = least;
  solve<Solver>(A, b, params, result);
  EXPECT_GE(result.iterations, least);
  expect_above(least);
  params.stop = {};
  params.stop.discrepancy = Discrepancy(0.05 * norm(b));
  solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::discrepancy);
  params.iterations = 3;
  params.stop = Solver::params_type::relative(1e-12);
  solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.last_iteration(), 3);
  EXPECT_LE(result.residual, norm(b) * (1 + 1e-6));
  // Allow more iterations than can improve the result.
  params.iterations = 400;
  params.stop.relative_residual = 1e-4;
  params.stop.minimum_iterations = 300;
  solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
}

/// Checks the rule on the relative change, for solvers that have an x in every iteration.
template <class Solver>
void measures_its_steps(const PlainCsr& A) {
  typename Solver::params_type params;
  params.check_every = 1;
  params.stop = {};
  params.stop.relative_change = 1e-3;
  SolveResult result;
  solve<Solver>(A, random_vector(A.rows, 1), params, result);
  EXPECT_EQ(result.reason, StopReason::relative_change);
  EXPECT_LE(*result.history.back().relative_change, 1e-3);
  EXPECT_GT(*result.history[result.history.size() - 2].relative_change, 1e-3);
}

}  // namespace system_testing
