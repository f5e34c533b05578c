// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the tests of the solvers of non-symmetric systems share: systems, elimination in double as
// their reference, and what every such solver has to obey.
#pragma once

#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Preconditioner.hpp>
#include <memory>

#include "SolverTesting.hpp"
#include "TestData.hpp"

namespace krylov_testing {

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

/// Diffusion and a wind that turns, on a rectangle; rows of very different size, and, where wanted,
/// every third with a negative diagonal.
inline PlainCsr convection(int nx = 15, int ny = 13, double wind = 0.6, double spread = 1,
                           bool negative = true) {
  PlainCsr A;
  const int n = nx * ny;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    const int x = i % nx, y = i / nx;
    const double east = wind * (y - 0.5 * ny) / ny, north = -wind * (x - 0.5 * nx) / nx;
    const double size =
        (negative && i % 3 == 0 ? -1 : 1) * std::pow(10.0, spread * ((i * 37) % n) / n);
    const auto add = [&](bool there, int j, double value) {
      if (there) A.add(j, static_cast<float>(size * value));
    };
    add(y > 0, i - nx, -1 - north);
    add(x > 0, i - 1, -1 - east);
    add(true, i, 4.1);
    add(x + 1 < nx, i + 1, -1 + east);
    add(y + 1 < ny, i + nx, -1 + north);
    A.end_row();
  }
  return A;
}

/// `A^-1 b` by elimination with pivots.
inline Values solution_by_elimination(const PlainCsr& A, const Values& b) {
  const std::size_t n = b.size();
  std::vector<Values> M(n, Values(n + 1, 0));
  for (int i = 0; i < A.rows; ++i) {
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) M[i][A.indices[k]] += A.values[k];
    M[i][n] = b[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j; i < n; ++i)
      if (std::abs(M[i][j]) > std::abs(M[pivot][j])) pivot = i;
    std::swap(M[j], M[pivot]);
    for (std::size_t i = j + 1; i < n; ++i) {
      const double factor = M[i][j] / M[j][j];
      for (std::size_t l = j; factor != 0 && l <= n; ++l) M[i][l] -= factor * M[j][l];
    }
  }
  Values x(n);
  for (std::size_t j = n; j-- > 0;) {
    x[j] = M[j][n];
    for (std::size_t l = j + 1; l < n; ++l) x[j] -= M[j][l] * x[l];
    x[j] /= M[j][j];
  }
  return x;
}

/// A file of the test data, with its values as they are.
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

inline PreconditionerOptions general(PreconditionerKind kind = PreconditionerKind::jacobi,
                                     int block = 2) {
  PreconditionerOptions options;
  options.kind = kind;
  options.block = block;
  options.positive_definite = false;
  return options;
}

/// `Z = R / d`, row by row.
template <class Scalar>
struct DivideByDiagonal {
  DeviceVector<Scalar> d;
  In<Scalar> R;
  Out<Scalar> Z;
  KOKKOS_FUNCTION void operator()(const Offset i) const { Z(i, 0) = R(i, 0) / d(i); }
};

template <class Scalar>
UserPreconditioner<TestSpace, Scalar> user_jacobi(const PlainCsr& A) {
  Values diagonal(static_cast<std::size_t>(A.rows), 0);
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] == i) diagonal[static_cast<std::size_t>(i)] += A.values[k];
  const auto d = make_vector<Scalar>(TestSpace(), diagonal);
  return [d](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::parallel_for("test::jacobi", Impl::element_range(exec, d.extent(0)),
                         DivideByDiagonal<Scalar>{d, R, Z});
  };
}

/// Every way of preparing a matrix.
template <class Scalar>
std::vector<std::pair<std::string, System<Scalar>>> all_systems(const TestSpace& exec,
                                                                const PlainCsr& A) {
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  std::vector<std::pair<std::string, System<Scalar>>> systems;
  using Kind = PreconditionerKind;
  systems.emplace_back("none", System<Scalar>(exec, op, general(Kind::none)));
  systems.emplace_back("jacobi", System<Scalar>(exec, op, general()));
  for (const int block : {2, 3, 4})
    systems.emplace_back("blocks of " + std::to_string(block),
                         System<Scalar>(exec, op, general(Kind::block_jacobi, block)));
  systems.emplace_back("user", System<Scalar>(exec, op, user_jacobi<Scalar>(A)));
  return systems;
}

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

/// The operator that spoils a product: in the `limit`-th it gives NaN.
template <class Scalar>
struct SpoiltOperator {
  AnyOperator<TestSpace, Scalar> A;
  int limit;
  std::shared_ptr<int> products = std::make_shared<int>(0);
  Ordinal num_rows() const { return A.num_rows(); }
  Ordinal num_cols() const { return A.num_cols(); }
  void apply(const TestSpace& exec, Scalar alpha, const In<Scalar>& X, Scalar beta,
             const Out<Scalar>& Y) const {
    A.apply(exec, alpha, X, beta, Y);
    if (++*products == limit)
      Kokkos::deep_copy(exec, Kokkos::subview(Y, 5, Kokkos::ALL()),
                        std::numeric_limits<Scalar>::quiet_NaN());
  }
};

/// The true residual is what the result says, and the reason fits it.
template <class Scalar>
void expect_honest(const PlainCsr& A, const Values& b, const std::vector<Scalar>& x,
                   const SolveResult& result, double wanted, const std::string& name) {
  const double truth = plain_residual(A, b, x) / norm(b);
  EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-5, 1e-14))
      << name;
  if (result.reason != StopReason::converged) return;
  EXPECT_LE(truth, wanted * 1.05 + tolerance<Scalar>(1e-6, 0)) << name;
}

// What follows is called by the tests of each solver.

template <class Solver>
void solves_with_every_preconditioner_from_any_start() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1);
  const Values solution = solution_by_elimination(A, b);
  typename Solver::params_type params;
  const double wanted = tolerance<Scalar>(1e-5, 1e-10);
  params.stop = Solver::params_type::relative(wanted);
  params.check_every = 7;
  for (const auto& [name, system] : all_systems<Scalar>(exec, A))
    for (const unsigned seed : {0u, 8u}) {
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x = solve<Solver>(system, b, start, params, result);
      EXPECT_EQ(result.reason, StopReason::converged) << name;
      EXPECT_FALSE(system.is_scaled());
      EXPECT_TRUE(result.recursive_residual.has_value());
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
      expect_honest(A, b, x, result, wanted, name);
      EXPECT_LT(relative_difference(x, solution), tolerance<Scalar>(1e-3, 1e-8)) << name;
    }
}

template <class Solver>
void multiplies_the_given_matrix_of_a_scaled_system() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection(12, 11, 0.6, 1, false);
  const Values b = random_vector(A.rows, 1);
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const System<Scalar> scaled(exec, op), plain(exec, op, general());
  ASSERT_TRUE(scaled.is_scaled());
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 12;
  SolveResult first, second;
  const auto x = solve<Solver>(scaled, b, Values(b.size(), 0), params, first);
  const auto y = solve<Solver>(plain, b, Values(b.size(), 0), params, second);
  EXPECT_LT(relative_difference(x, Values(y.begin(), y.end())), tolerance<Scalar>(1e-3, 1e-11));
  EXPECT_NEAR(first.residual, plain_residual(A, b, x), tolerance<Scalar>(1e-5, 1e-13) * norm(b));
}

template <class Solver>
void obeys_all_rules() {
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.check_every = 1;
  SolveResult result;
  params.stop = {};
  params.stop.absolute_residual = 0.01 * norm(b);
  auto x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LE(plain_residual(A, b, x), 0.01 * norm(b) * 1.001);
  const int needed = result.iterations;
  for (int k = 1; k < needed; ++k)
    EXPECT_GT(*result.history[static_cast<std::size_t>(k)].residual, 0.01 * norm(b));
  params.stop.minimum_iterations = needed + 4;
  x = solve<Solver>(A, b, params, result);
  EXPECT_GE(result.iterations, needed + 4);
  params.stop = {};
  params.stop.noise_level = 0.05 * norm(b);
  x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::discrepancy);
  params.iterations = 3;
  params.stop = Solver::params_type::relative(1e-12);
  x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.iterations, 3);
  // More iterations than there is anything to do.
  params.iterations = 400;
  params.stop.relative_residual = 1e-4;
  params.stop.minimum_iterations = 300;
  x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
}

template <class Solver>
void believes_only_the_true_residual() {
  using Scalar = ScalarOf<Solver>;
  const int n = 120;
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1.25);
    A.add(i, 2);
    if (i + 1 < n) A.add(i + 1, -0.75);
    A.end_row();
  }
  const Values b = random_vector(n, 3);
  for (const double wanted : {1e-3, 1e-7, 1e-11, 1e-19}) {
    typename Solver::params_type params;
    params.iterations = 6000;
    params.check_every = 10;
    params.stop = Solver::params_type::relative(wanted);
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    const double truth = plain_residual(A, b, x) / norm(b);
    if (result.reason == StopReason::converged)
      EXPECT_LE(truth, wanted * 1.05);
    else
      EXPECT_NE(result.reason, StopReason::non_finite) << wanted;
    EXPECT_EQ(result.reason == StopReason::converged, wanted > tolerance<Scalar>(1e-6, 1e-15))
        << wanted << ": " << truth << ", " << to_string(result.reason);
    EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(3e-7, 1e-16));
  }
}

template <class Solver>
void keeps_its_bits_when_everything_is_scaled_or_repeated() {
  PlainCsr A = convection();
  Values b = random_vector(A.rows, 9);
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 15;
  SolveResult first, second;
  const auto x = solve<Solver>(A, b, params, first);
  EXPECT_TRUE(same_bits(x, solve<Solver>(A, b, params, second)));
  for (auto& value : A.values) value *= 512;
  for (auto& value : b) value *= 512;
  EXPECT_TRUE(same_bits(x, solve<Solver>(A, b, params, second)));
  EXPECT_EQ(second.relative_residual, first.relative_residual);
}

template <class Solver>
void shows_the_monitor_the_iterates() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.stop = {};
  params.iterations = 9;
  params.check_every = 3;
  const System<Scalar> system(exec, make_operator<Scalar>(exec, A), params.preconditioner);
  std::vector<int> seen;
  SolveResult result;
  const Monitor<TestSpace, Scalar> monitor = [&](const TestSpace&, const auto& state) {
    seen.push_back(state.record.iteration);
    const double truth = plain_residual(A, b, to_std_vector(state.x));
    EXPECT_NEAR(*state.record.residual, truth, tolerance<Scalar>(1e-3, 1e-11) * norm(b));
    return state.record.iteration == 6 ? MonitorAction::stop : MonitorAction::proceed;
  };
  solve<Solver>(system, b, Values(b.size(), 0), params, result, monitor);
  EXPECT_EQ(seen, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(result.reason, StopReason::user_stop);
  EXPECT_EQ(result.iterations, 6);
}

template <class Solver>
void names_what_it_cannot_solve() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection();
  SolveResult result;
  for (const auto& [name, system] : all_systems<Scalar>(exec, A)) {
    const auto x = solve<Solver>(system, Values(A.rows, 0), random_vector(A.rows, 1), {}, result);
    EXPECT_EQ(result.reason, StopReason::zero_rhs) << name;
    EXPECT_EQ(x, std::vector<Scalar>(x.size(), 0)) << name;
    EXPECT_EQ(result.residual, 0);
  }
  for (const auto& [entry, reason] :
       {std::pair{0.0, StopReason::zero_diagonal}, {std::nan(""), StopReason::non_finite}}) {
    const System<Scalar> system(
        exec, make_operator<Scalar>(exec, small_matrix(3, {2, -1, 0, -3, entry, -1, 0, -1, 2})),
        general());
    const auto x = solve<Solver>(system, {1, 2, 3}, {4, 5, 6}, {}, result);
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(result.row, 1);
    EXPECT_EQ(x, (std::vector<Scalar>{4, 5, 6}));
  }
  // A singular block, by the first row without a pivot; blocks that need pivots are none.
  const System<Scalar> singular(
      exec,
      make_operator<Scalar>(exec,
                            small_matrix(4, {0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 4})),
      general(PreconditionerKind::block_jacobi));
  solve<Solver>(singular, {1, 2, 3, 4}, {0, 0, 0, 0}, {}, result);
  EXPECT_EQ(result.reason, StopReason::zero_diagonal);
  EXPECT_EQ(result.row, 3);
  const System<Scalar> turned(
      exec,
      make_operator<Scalar>(exec,
                            small_matrix(4, {0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 1, 2, 0, 0, 2, 5})),
      general(PreconditionerKind::block_jacobi));
  const auto x = solve<Solver>(turned, {2, 3, 3, 7}, {0, 0, 0, 0}, {}, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  for (const auto value : x) EXPECT_NEAR(value, 1, 1e-5);
  // A matrix without an inverse, and a right-hand side beyond its range.
  typename Solver::params_type params;
  params.preconditioner = general(PreconditionerKind::none);
  const auto y = solve<Solver>(small_matrix(2, {1, 0, 0, 0}), {1, 1}, params, result);
  EXPECT_EQ(result.reason, StopReason::breakdown);
  EXPECT_NEAR(result.residual, plain_residual(small_matrix(2, {1, 0, 0, 0}), {1, 1}, y), 1e-6);
  for (const auto value : y) EXPECT_TRUE(std::isfinite(value));
}

/// `limit` is the product, and `call` the call of the preconditioner, that spoil iteration
/// `iteration`.
template <class Solver>
void finds_numbers_that_are_none_where_they_arise(int limit, int call, int iteration) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const PlainCsr A = convection(15, 13, 0.6, 0, false);
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const Values b = random_vector(A.rows, 1);
  typename Solver::params_type params;
  params.check_every = 4;
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result, exact;
  auto before = params;
  before.iterations = iteration - 1;
  before.stop = {};
  const auto good = solve<Solver>(A, b, before, exact);
  const Values expected(good.begin(), good.end());
  const auto judge = [&](const std::vector<Scalar>& x, NonFiniteSource source) {
    EXPECT_EQ(result.reason, StopReason::non_finite);
    EXPECT_EQ(result.non_finite_iteration, iteration);
    EXPECT_EQ(result.non_finite_source, source);
    EXPECT_EQ(result.iterations, iteration - 1);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(iteration));
    EXPECT_LT(relative_difference(x, expected), tolerance<Scalar>(1e-5, 1e-13));
    EXPECT_NEAR(result.residual, plain_residual(A, b, x), 1e-4 * norm(b));
  };
  judge(
      solve<Solver>(System<Scalar>(exec, SpoiltOperator<Scalar>{op, limit}, params.preconditioner),
                    b, Values(A.rows, 0), params, result),
      NonFiniteSource::product);
  auto calls = std::make_shared<int>(0);
  const auto spoil = [calls, call](const TestSpace& on, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::deep_copy(on, Z, R);
    if (++*calls == call)
      Kokkos::deep_copy(on, Kokkos::subview(Z, 0, Kokkos::ALL()),
                        std::numeric_limits<Scalar>::infinity());
  };
  judge(solve<Solver>(System<Scalar>(exec, op, spoil), b, Values(A.rows, 0), params, result),
        NonFiniteSource::preconditioner);
  // What comes in is refused.
  Values bad = b;
  bad[17] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of([&] { solve<Solver>(A, bad, {}, result); }), "17"));
}

/// Files of the test data, to a residual that the solver reaches.
template <class Solver>
void solves_files(const std::vector<std::string>& names, typename Solver::params_type params) {
  using Scalar = ScalarOf<Solver>;
  const double wanted = tolerance<Scalar>(1e-3, 1e-8);
  params.stop = Solver::params_type::relative(wanted);
  for (const auto& name : names) {
    const PlainCsr A = plain_file(name);
    const Values b = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 5));
    SolveResult result;
    const auto x = solve<Solver>(A, b, params, result);
    EXPECT_EQ(result.reason, StopReason::converged) << name << ": " << result.relative_residual;
    const double truth = plain_residual(A, b, x) / norm(b);
    EXPECT_LE(truth, wanted * 1.05) << name;
    EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-5, 1e-14));
  }
}

/// One of the test data that needs more than a diagonal for a preconditioner, and has zeros there.
template <class Solver>
void tells_the_truth_of_what_it_does_not_solve(typename Solver::params_type params) {
  using Scalar = ScalarOf<Solver>;
  const PlainCsr A = plain_file("orani678");
  const Values b = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 5));
  SolveResult result;
  auto x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::zero_diagonal);
  params.preconditioner = general(PreconditionerKind::none);
  params.iterations = 60;
  x = solve<Solver>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  const double truth = plain_residual(A, b, x) / norm(b);
  EXPECT_NEAR(result.relative_residual, truth, tolerance<Scalar>(1e-3, 1e-10) * truth);
}

template <class Solver>
void refuses_what_makes_no_sense() {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, convection(3, 3));
  typename Solver::params_type params;
  params.check_every = 0;
  EXPECT_THROW(Solver(exec, 3, params), Error);
  params.check_every = 1;
  params.stop.absolute_residual = -1;
  EXPECT_THROW(Solver(exec, 3, params), Error);
  Solver solver(exec, 9);
  const DeviceVector<Scalar> x("x", 10);
  EXPECT_THROW(solver.solve(exec, op, x, x), DimensionMismatch);
  PlainCsr empty;
  empty.columns = 0;
  SolveResult result;
  EXPECT_TRUE(solve<Solver>(empty, {}, {}, result).empty());
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
}

}  // namespace krylov_testing
