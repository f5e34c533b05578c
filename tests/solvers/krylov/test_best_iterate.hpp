// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers of systems that fail, or run out of iterations, return nothing worse than they have seen:
// x has the smallest true residual among the last iterate, the best checked one and the start.
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_Lsmr.hpp>
#include <map>
#include <numeric>
#include <optional>

#include "KrylovTesting.hpp"
#include "PcgTesting.hpp"

using namespace system_testing;

namespace {

/// Laplacian of a graph: every edge couples two of n points. Singular: the constant vectors are its
/// null space.
PlainCsr laplacian(int n, const std::vector<std::pair<int, int>>& edges) {
  std::vector<std::map<int, double>> rows(static_cast<std::size_t>(n));
  for (const auto& [i, j] : edges)
    for (const auto& [from, to] : {std::pair{i, j}, {j, i}}) {
      rows[static_cast<std::size_t>(from)][to] -= 1;
      rows[static_cast<std::size_t>(from)][from] += 1;
    }
  PlainCsr A;
  A.columns = n;
  for (const auto& row : rows) {
    for (const auto& [column, value] : row) A.add(column, value);
    A.end_row();
  }
  return A;
}

PlainCsr line(int n) {
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i + 1 < n; ++i) edges.emplace_back(i, i + 1);
  return laplacian(n, edges);
}

/// A line whose first point is a hub that knows many others.
PlainCsr line_with_hub(int n) {
  std::vector<std::pair<int, int>> edges;
  for (int i = 0; i + 1 < n; ++i) edges.emplace_back(i, i + 1);
  for (int i = 3; i < n; i += 3) edges.emplace_back(0, i);
  return laplacian(n, edges);
}

Values without_mean(Values b, double mean) {
  const double own = std::accumulate(b.begin(), b.end(), 0.0) / static_cast<double>(b.size());
  for (double& value : b) value += mean - own;
  return b;
}

/// Convergent for no Krylov solver: the diagonal is tiny, and the rest has no structure.
PlainCsr scattered(int n) {
  PlainCsr A;
  A.columns = n;
  unsigned state = 1;
  const auto next = [&] { return (state = state * 1664525U + 1013904223U) >> 8U; };
  for (int i = 0; i < n; ++i) {
    std::map<int, double> row{{i, 1e-8}};
    for (int k = 0; k < 6; ++k) {
      const int column = static_cast<int>(next() % static_cast<unsigned>(n));
      if (column != i) row[column] = static_cast<double>(next() % 1000) / 1000 + 1e-3;
    }
    for (const auto& [column, value] : row) A.add(column, value);
    A.end_row();
  }
  return A;
}

/// Nonsymmetric, far from what conjugate gradients can solve.
PlainCsr one_sided(int n) {
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1.9);
    A.add(i, 2);
    if (i + 1 < n) A.add(i + 1, -0.1);
    A.end_row();
  }
  return A;
}

/// `|A| |x|`.
Values sums_of_sizes(PlainCsr A, Values x) {
  for (double& value : A.values) value = std::abs(value);
  for (double& value : x) value = std::abs(value);
  return multiply(A, x);
}

/// Runs any solver of systems from a start.
template <class Solver>
Values run(const PlainCsr& A, const Values& b, const Values& start,
           const typename Solver::params_type& params, SolveResult& result) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const auto x = make_vector<Scalar>(exec, start);
  auto solver = [&] {
    if constexpr (std::is_base_of_v<LeastSquaresParams, typename Solver::params_type>)
      return Solver(exec, A.rows, A.columns, params);
    else
      return Solver(exec, A.rows, params);
  }();
  result = solver.solve(exec, op, make_vector<Scalar>(exec, b), x);
  const auto values = to_std_vector(x);
  return Values(values.begin(), values.end());
}

template <class Solver>
class BestIterate : public ::testing::Test {
 public:
  using Scalar = typename Solver::scalar_type;
  static typename Solver::params_type params() {
    typename Solver::params_type result;
    result.stop = {};
    result.stop.relative_residual = 1e-8;
    result.iterations = 400;
    result.check_every = 25;
    if constexpr (requires { result.keep_best; }) result.keep_best = true;
    if constexpr (requires { result.preconditioner; })
      result.preconditioner.kind = PreconditionerKind::none;
    return result;
  }
  /// Expects that x is no worse than start and last record, and that the result is about x.
  static void judge(const PlainCsr& A, const Values& b, const Values& start, const Values& x,
                    const SolveResult& result) {
    for (const double value : x) ASSERT_TRUE(std::isfinite(value));
    const double truth = plain_residual(A, b, x), first = plain_residual(A, b, start);
    // A singular matrix leaves x so large that no sum of the product has all its digits.
    const double rounding =
        4.0 * std::numeric_limits<Scalar>::epsilon() * (norm(b) + norm(sums_of_sizes(A, x)));
    EXPECT_LE(truth, first + rounding) << to_string(result.reason);
    EXPECT_NEAR(result.residual, truth, rounding);
    EXPECT_LE(result.iterations, result.last_iteration());
    if (result.iterations == 0) {
      EXPECT_EQ(x, start);
    }
  }
};
using AllSolvers =
    ::testing::Types<Pcg<TestSpace, float>, Pcg<TestSpace, double>, BiCgStab<TestSpace, float>,
                     BiCgStab<TestSpace, double>, Gmres<TestSpace, float>, Gmres<TestSpace, double>,
                     Cgls<TestSpace, float>, Cgls<TestSpace, double>, Lsmr<TestSpace, float>,
                     Lsmr<TestSpace, double>>;
TYPED_TEST_SUITE(BestIterate, AllSolvers);

TYPED_TEST(BestIterate, is_never_worse_than_the_start) {
  using Scalar = typename TypeParam::scalar_type;
  const int n = 150;
  const Values b = random_vector(n, 5);
  int returned_starts = 0;
  for (const PlainCsr& A : {line_with_hub(n), scattered(n), one_sided(n)})
    for (const bool from_zero : {true, false})
      for (const int check_every : {7, 1000}) {
        Values start(n, 0);
        if (!from_zero) start[7] = static_cast<Scalar>(b[7] / 4);
        auto params = TestFixture::params();
        params.check_every = check_every;
        SolveResult result;
        const Values x = run<TypeParam>(A, b, start, params, result);
        TestFixture::judge(A, b, start, x, result);
        if (result.iterations == 0) ++returned_starts;
        // The monitor and the history go on to where the recursion ended.
        EXPECT_EQ(static_cast<std::size_t>(result.last_iteration()) + 1, result.history.size());
      }
  if constexpr (std::is_same_v<TypeParam, Pcg<TestSpace, Scalar>> ||
                std::is_same_v<TypeParam, BiCgStab<TestSpace, Scalar>>) {
    EXPECT_GT(returned_starts, 0);
  }
}

TYPED_TEST(BestIterate, includes_the_checked_iterates) {
  // The solve ends far from its best iterate: the residual of a matrix that does not suit the
  // solver is no line that falls.
  const int n = 150;
  const Values b = random_vector(n, 6), start(n, 0);
  for (const PlainCsr& A : {line_with_hub(n), one_sided(n)}) {
    auto params = TestFixture::params();
    params.check_every = 1;
    params.iterations = 60;
    params.stop.divergence = std::numeric_limits<double>::infinity();
    SolveResult result;
    const Values x = run<TypeParam>(A, b, start, params, result);
    TestFixture::judge(A, b, start, x, result);
    double best = norm(b);
    for (const IterationRecord& record : result.history)
      best = std::min(best, record.residual.value_or(best));
    if (result.last_iteration() < 40) {
      EXPECT_LE(result.residual, 1.5 * best + 1e-3 * norm(b));
    }
  }
}

template <class Scalar>
class DivergedSolves : public ::testing::Test {};
TYPED_TEST_SUITE(DivergedSolves, Scalars);

TYPED_TEST(DivergedSolves, end_at_a_check) {
  using Cg = Pcg<TestSpace, TypeParam>;
  const int n = 300;
  const PlainCsr A = one_sided(n);
  const Values b = random_vector(n, 5), start(n, 0);
  for (const PcgScheme scheme : pcg_testing::schemes) {
    PcgParams params;
    params.scheme = scheme;
    params.check_every = 10;
    params.stop = PcgParams::relative(1e-12);
    params.stop.divergence = 1.5;
    SolveResult result;
    const Values x = run<Cg>(A, b, start, params, result);
    if (result.reason == StopReason::diverged) {
      EXPECT_EQ(result.last_iteration() % 10, 0);
      EXPECT_GT(*result.history.back().residual, 1.5 * norm(b));
    } else {
      EXPECT_EQ(result.reason, StopReason::indefinite);  // it may be found first
    }
    EXPECT_LE(plain_residual(A, b, x), norm(b) * (1 + 1e-6));
  }
  // BiCGSTAB forms residuals of any size on this matrix.
  const PlainCsr rough = scattered(n);
  BiCgStabParams params;
  params.check_every = 5;
  params.iterations = 300;
  params.preconditioner.kind = PreconditionerKind::none;
  params.stop.divergence = 10;
  using Stabilised = BiCgStab<TestSpace, TypeParam>;
  SolveResult result;
  Values x = run<Stabilised>(rough, b, start, params, result);
  ASSERT_EQ(result.reason, StopReason::diverged);
  EXPECT_GT(*result.history.back().residual, 10 * norm(b));
  const int found = result.last_iteration();
  EXPECT_LT(found, 300);
  // The rule waits for the minimum number of iterations, and infinity switches it off.
  params.stop.minimum_iterations = found + 1;
  run<Stabilised>(rough, b, start, params, result);
  EXPECT_GT(result.last_iteration(), found);
  params.stop = {};
  params.stop.divergence = std::numeric_limits<double>::infinity();
  run<Stabilised>(rough, b, start, params, result);
  EXPECT_NE(result.reason, StopReason::diverged);
  params.stop.divergence = 0.5;
  EXPECT_TRUE(contains(error_of([&] { Stabilised(TestSpace(), n, params); }),
                       "divergence is 0.5; it must be at least 1"));
}

TEST(GrowingResiduals, of_conjugate_gradients_without_a_preconditioner_are_no_divergence) {
  // Positive definite, with rows of very different sizes: the residual grows before it falls.
  const int n = 20;
  Values sizes, b;
  for (int i = 0; i < n; ++i) {
    sizes.push_back(std::pow(10.0, 4 * std::sin(1.1 * i * i)));
    b.push_back(std::cos(1.0 + i * i));
  }
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, n - 1); ++j)
      A.add(j, (i == j ? 2.05 : -1) * sizes[static_cast<std::size_t>(i)] *
                   sizes[static_cast<std::size_t>(j)]);
    A.end_row();
  }
  PcgParams params;
  params.preconditioner.kind = PreconditionerKind::none;
  params.scheme = PcgScheme::standard;  // one reduction loses too many digits in this matrix
  params.iterations = 5000;
  params.check_every = 1;  // where the residual grows depends on the order of sums
  params.stop = PcgParams::relative(1e-7);
  SolveResult result;
  const Values x = run<Pcg<TestSpace, double>>(A, b, Values(n, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LE(plain_residual(A, b, x), 1.001e-7 * norm(b));
  bool grows = false;
  for (const IterationRecord& record : result.history)
    grows = grows || record.residual.value_or(0) > *params.stop.divergence * norm(b);
  EXPECT_TRUE(grows);
  // The square of the limit still ends a solve.
  params.stop.divergence = 10;
  const Values start = run<Pcg<TestSpace, double>>(A, b, Values(n, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::diverged);
  EXPECT_GT(*result.history.back().residual, 100 * norm(b));
  EXPECT_LE(plain_residual(A, b, start), 1.001 * norm(b));
}

class PcgOnSingularMatrices : public ::testing::TestWithParam<PcgScheme> {};

/// The textbook loop, which looks at every iterate.
std::optional<int> plain_iterations(const PlainCsr& A, const Values& b, double tolerance) {
  const auto iterates = pcg_testing::plain_jacobi_pcg(A, b, Values(b.size(), 0), 200);
  for (std::size_t k = 0; k < iterates.size(); ++k)
    if (plain_residual(A, b, iterates[k]) <= tolerance * norm(b)) return static_cast<int>(k);
  return std::nullopt;
}

TEST_P(PcgOnSingularMatrices, reach_what_the_textbook_loop_reaches) {
  const int n = 100;
  int found = 0;
  for (const PlainCsr& A : {line(n), line_with_hub(n)})
    for (const auto& [mean, wanted] :
         {std::pair{0.0, 1e-9}, {1e-11, 1e-8}, {1e-9, 1e-8}, {1e-8, 1e-6}, {1e-7, 1e-6}})
      for (unsigned seed = 1; seed <= 2; ++seed)
        for (const int check_every : {7, 25}) {
          const Values b = without_mean(random_vector(n, seed), mean);
          ASSERT_TRUE(plain_iterations(A, b, wanted));
          PcgParams params;
          params.scheme = GetParam();
          params.iterations = 2000;
          params.check_every = check_every;
          params.stop = PcgParams::relative(wanted);
          SolveResult result;
          const Values x = run<Pcg<TestSpace, double>>(A, b, Values(b.size(), 0), params, result);
          EXPECT_EQ(result.reason, StopReason::converged)
              << mean << ", " << check_every << ", seed " << seed << ": "
              << result.relative_residual;
          EXPECT_LE(plain_residual(A, b, x), 1.0001 * wanted * norm(b));
          if (result.iterations % check_every != 0) ++found;
        }
  EXPECT_GT(found, 0);  // between two checks
}

TEST_P(PcgOnSingularMatrices, each_column_goes_back_by_itself) {
  const int n = 100;
  const TestSpace exec;
  const PlainCsr A = line(n);
  const Values easy = without_mean(random_vector(n, 1), 0),
               hard = without_mean(random_vector(n, 2), 1e-7), hopeless = random_vector(n, 3);
  Values b;
  for (std::size_t i = 0; i < easy.size(); ++i) b.insert(b.end(), {easy[i], hard[i], hopeless[i]});
  PcgParams params;
  params.scheme = GetParam();
  params.iterations = 2000;
  params.stop = PcgParams::relative(1e-6);
  Pcg<TestSpace, double> solver(exec, n, params, 3);
  const AnyOperator<TestSpace, double> op = make_operator<double>(exec, A);
  const auto x = make_vector<double>(exec, Values(b.size(), 0));
  const auto B = make_vector<double>(exec, b);
  const auto results =
      solver.solve(exec, op, MultiVectorView<const double, TestSpace::memory_space>(B.data(), n, 3),
                   MultiVectorView<double, TestSpace::memory_space>(x.data(), n, 3));
  const auto all = to_std_vector(x);
  EXPECT_EQ(results[0].reason, StopReason::converged);
  EXPECT_EQ(results[1].reason, StopReason::converged);
  EXPECT_NE(results[2].reason, StopReason::converged);
  for (int j = 0; j < 3; ++j) {
    const Values own = column_of(b, j, 3);
    const double truth = plain_residual(A, own, column_of(all, j, 3));
    EXPECT_NEAR(results[static_cast<std::size_t>(j)].residual, truth, 1e-9 * norm(own)) << j;
    EXPECT_LE(truth, norm(own) * (j < 2 ? 1.0001e-6 : 1.0001)) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Schemes, PcgOnSingularMatrices, ::testing::ValuesIn(pcg_testing::schemes));

}  // namespace
