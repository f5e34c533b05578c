// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Preconditioned conjugate gradients against the textbook's loop in double, and a battery of
// systems that end in every way there is.
#include <Tomokkos_Pcg.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

/// The negative Laplacian on a box with a diagonal that varies by four orders of magnitude, and
/// columns scaled likewise: symmetric positive definite, and worth a preconditioner.
PlainCsr spd_matrix(int nx = 7, int ny = 6, int nz = 5, double spread = 2) {
  PlainCsr A;
  const int n = nx * ny * nz;
  A.columns = n;
  const auto scale = [&](int i) { return std::pow(10.0, spread * ((i * 37) % n) / n); };
  for (int i = 0; i < n; ++i) {
    const int x = i % nx, y = i / nx % ny, z = i / (nx * ny);
    const auto add = [&](bool there, int j) {
      if (there) A.add(j, static_cast<float>(-scale(i) * scale(j)));
    };
    add(z > 0, i - nx * ny);
    add(y > 0, i - nx);
    add(x > 0, i - 1);
    A.add(i, static_cast<float>(6.1 * scale(i) * scale(i)));
    add(x + 1 < nx, i + 1);
    add(y + 1 < ny, i + nx);
    add(z + 1 < nz, i + nx * ny);
    A.end_row();
  }
  return A;
}

PlainCsr small_matrix(int n, const std::vector<double>& entries) {
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

Values diagonal_of(const PlainCsr& A) {
  Values d(static_cast<std::size_t>(A.rows), 0);
  for (int i = 0; i < A.rows; ++i)
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] == i) d[static_cast<std::size_t>(i)] += A.values[k];
  return d;
}

double plain_dot(const Values& a, const Values& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// The textbook's loop with z = M^-1 r; the iterates.
template <class Inverse>
std::vector<Values> plain_pcg(const PlainCsr& A, const Values& b, Values x, int iterations,
                              const Inverse& inverse) {
  Values r = b;
  const Values image = multiply(A, x);
  for (std::size_t i = 0; i < r.size(); ++i) r[i] -= image[i];
  Values z = inverse(r), p = z;
  double rho = plain_dot(r, z);
  std::vector<Values> iterates{x};
  for (int k = 0; k < iterations; ++k) {
    const Values q = multiply(A, p);
    const double alpha = rho / plain_dot(p, q);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += alpha * p[i], r[i] -= alpha * q[i];
    z = inverse(r);
    const double next = plain_dot(r, z);
    for (std::size_t i = 0; i < x.size(); ++i) p[i] = z[i] + next / rho * p[i];
    rho = next;
    iterates.push_back(x);
  }
  return iterates;
}

std::vector<Values> plain_jacobi_pcg(const PlainCsr& A, const Values& b, const Values& x,
                                     int iterations) {
  const Values d = diagonal_of(A);
  return plain_pcg(A, b, x, iterations, [&](const Values& r) {
    Values z = r;
    for (std::size_t i = 0; i < z.size(); ++i) z[i] /= d[i];
    return z;
  });
}

template <class Scalar>
using System = PreconditionedSystem<TestSpace, Scalar>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

/// `Z = factor R / d`, row by row.
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

/// A user's preconditioner: a lambda.
template <class Scalar>
UserPreconditioner<TestSpace, Scalar> user_jacobi(const PlainCsr& A, double factor = 1) {
  const auto d = make_vector<Scalar>(TestSpace(), diagonal_of(A));
  return [d, factor](const TestSpace& exec, const In<Scalar>& R, const Out<Scalar>& Z) {
    Kokkos::parallel_for("test::jacobi", Impl::element_range(exec, d.extent(0)),
                         DivideByDiagonal<Scalar>{d, factor, R, Z});
  };
}

/// Every way of preparing a matrix.
template <class Scalar>
std::vector<std::pair<std::string, System<Scalar>>> all_systems(const TestSpace& exec,
                                                                const PlainCsr& A) {
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  std::vector<std::pair<std::string, System<Scalar>>> systems;
  using Kind = PreconditionerKind;
  systems.emplace_back("none", System<Scalar>(exec, op, {Kind::none}));
  systems.emplace_back("jacobi, scaled", System<Scalar>(exec, op, {Kind::jacobi}));
  systems.emplace_back("jacobi", System<Scalar>(exec, op, {Kind::jacobi, 2, false}));
  for (const int block : {2, 3, 4})
    systems.emplace_back("blocks of " + std::to_string(block),
                         System<Scalar>(exec, op, {Kind::block_jacobi, block}));
  systems.emplace_back("user", System<Scalar>(exec, op, user_jacobi<Scalar>(A)));
  return systems;
}

template <class Scalar>
std::vector<Scalar> solve(const System<Scalar>& system, const Values& b, const Values& start,
                          const PcgParams& params, SolveResult& result,
                          const Monitor<TestSpace, Scalar>& monitor = {}) {
  const TestSpace exec;
  const auto x = make_vector<Scalar>(exec, start);
  Pcg<TestSpace, Scalar> solver(exec, system.num_rows(), params);
  result = solver.solve(exec, system, make_vector<Scalar>(exec, b), x, monitor);
  return to_std_vector(x);
}

template <class Scalar>
std::vector<Scalar> solve(const PlainCsr& A, const Values& b, const PcgParams& params,
                          SolveResult& result) {
  const TestSpace exec;
  return solve<Scalar>(System<Scalar>(exec, make_operator<Scalar>(exec, A), params.preconditioner),
                       b, Values(b.size(), 0), params, result);
}

constexpr PcgScheme schemes[] = {PcgScheme::standard, PcgScheme::single_reduction};

PcgParams exactly(int iterations) {
  PcgParams params;
  params.iterations = iterations;
  params.stop = {};
  return params;
}

template <class Scalar>
class PcgTest : public ::testing::Test {};
TYPED_TEST_SUITE(PcgTest, Scalars);

TYPED_TEST(PcgTest, solves_with_every_preconditioner_from_any_start) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  const Values solution = plain_jacobi_pcg(A, b, Values(A.columns, 0), 200).back();
  PcgParams params;
  const double wanted = tolerance<TypeParam>(1e-5, 1e-10);
  params.stop = PcgParams::relative(wanted);
  params.check_every = 7;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (const unsigned seed : {0u, 8u, 9u}) {
      params.scheme = schemes[seed % 2];
      const Values start = seed == 0 ? Values(A.columns, 0) : random_vector(A.columns, seed);
      SolveResult result;
      const auto x = solve<TypeParam>(system, b, start, params, result);
      EXPECT_EQ(result.reason, StopReason::converged) << name;
      EXPECT_EQ(result.iterations % 7, 0);
      EXPECT_LE(plain_residual(A, b, x), wanted * norm(b) * 1.01) << name;
      EXPECT_NEAR(result.residual, plain_residual(A, b, x),
                  tolerance<TypeParam>(1e-5, 1e-13) * norm(b))
          << name;
      EXPECT_LE(result.relative_residual, wanted);
      EXPECT_TRUE(result.recursive_residual.has_value());
      EXPECT_LT(relative_difference(x, solution), tolerance<TypeParam>(1e-3, 1e-7)) << name;
    }
}

TYPED_TEST(PcgTest, follows_the_path_of_the_textbook) {
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  const auto iterates = plain_jacobi_pcg(A, b, start, 6);
  for (const int way : {0, 1, 2, 3}) {
    PcgParams params = exactly(6);
    params.preconditioner.scale_matrix = way % 2 == 0;
    params.scheme = schemes[way / 2];
    const TestSpace exec;
    SolveResult result;
    const auto x = solve<TypeParam>(
        System<TypeParam>(exec, make_operator<TypeParam>(exec, A), params.preconditioner), b, start,
        params, result);
    EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
    EXPECT_EQ(result.reason, StopReason::max_iterations);
    EXPECT_EQ(result.iterations, 6);
    ASSERT_EQ(result.history.size(), 7u);
    // sqrt(r . D^-1 r) of every iterate; the residual where the host looked.
    const Values d = diagonal_of(A);
    for (std::size_t k = 0; k < 7; ++k) {
      const Values image = multiply(A, iterates[k]);
      double rho = 0;
      for (std::size_t i = 0; i < b.size(); ++i)
        rho += (b[i] - image[i]) * (b[i] - image[i]) / d[i];
      EXPECT_NEAR(*result.history[k].preconditioned_residual, std::sqrt(rho),
                  tolerance<TypeParam>(1e-3, 1e-10) * std::sqrt(rho));
      EXPECT_EQ(result.history[k].residual.has_value(), k == 0 || k == 6) << k;
    }
    EXPECT_NEAR(*result.history[0].residual, plain_residual(A, b, start),
                1e-4 * plain_residual(A, b, start));
    EXPECT_NEAR(*result.history[6].residual, plain_residual(A, b, x),
                1e-3 * plain_residual(A, b, x));
  }
}

TYPED_TEST(PcgTest, lowers_the_energy_of_the_error_in_every_iteration) {
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 4);
  const Values solution = plain_jacobi_pcg(A, b, Values(A.columns, 0), 200).back();
  double before = std::numeric_limits<double>::infinity();
  for (int iterations = 0; iterations < 12; ++iterations) {
    SolveResult result;
    const auto x = solve<TypeParam>(A, b, exactly(iterations), result);
    Values error(x.begin(), x.end());
    for (std::size_t i = 0; i < error.size(); ++i) error[i] -= solution[i];
    const double energy = plain_dot(error, multiply(A, error));
    EXPECT_LT(energy, before) << iterations;
    before = energy;
  }
}

TYPED_TEST(PcgTest, stops_each_right_hand_side_by_itself) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const std::size_t n = static_cast<std::size_t>(A.rows), s = 4;
  // Close to the solution, far from it, zero, and of another size.
  std::vector<Values> rhs{multiply(A, Values(n, 1)), random_vector(A.rows, 5), Values(n, 0),
                          random_vector(A.rows, 6)};
  for (auto& value : rhs[3]) value *= 1e5;
  std::vector<Values> starts{Values(n, 1.0001), Values(n, 0), random_vector(A.rows, 7),
                             Values(n, 0)};
  Values B(n * s), X(n * s);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < s; ++j) B[i * s + j] = rhs[j][i], X[i * s + j] = starts[j][i];
  PcgParams params;
  params.check_every = 3;
  params.stop = PcgParams::relative(tolerance<TypeParam>(1e-4, 1e-9));
  int turn = 0;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (int again = 0; again < 2; ++again) {
      params.scheme = schemes[turn++ % 2];
      const auto b = make_vector<TypeParam>(exec, B);
      const auto x = make_vector<TypeParam>(exec, X);
      Pcg<TestSpace, TypeParam> solver(exec, A.rows, params, static_cast<Ordinal>(s));
      const auto results = solver.solve_stack(exec, system, In<TypeParam>(b.data(), n, s),
                                              Out<TypeParam>(x.data(), n, s));
      const auto values = to_std_vector(x);
      ASSERT_EQ(results.size(), s);
      EXPECT_NE(results[0].iterations, results[1].iterations) << name;
      EXPECT_EQ(results[2].reason, StopReason::zero_rhs);
      for (std::size_t j = 0; j < s; ++j) {
        SolveResult alone;
        const auto expected = solve<TypeParam>(system, rhs[j], starts[j], params, alone);
        std::vector<TypeParam> column(n);
        for (std::size_t i = 0; i < n; ++i) column[i] = values[i * s + j];
        EXPECT_EQ(results[j].reason, alone.reason) << name << ", column " << j;
        // Products with several vectors may sum in another order.
        EXPECT_NEAR(results[j].iterations, alone.iterations, 3 + 0.15 * alone.iterations)
            << name << ", column " << j;
        if (j == 2) {
          EXPECT_EQ(column, std::vector<TypeParam>(n, 0));
          continue;
        }
        EXPECT_LT(relative_difference(column, expected), tolerance<TypeParam>(1e-3, 1e-6));
      }
    }
}

TYPED_TEST(PcgTest, keeps_its_bits_when_everything_is_scaled) {
  PlainCsr A = spd_matrix();
  Values b = random_vector(A.rows, 9);
  PcgParams params = exactly(15);
  for (const bool scaled : {true, false}) {
    params.preconditioner.scale_matrix = scaled;
    SolveResult first, second;
    const auto x = solve<TypeParam>(A, b, params, first);
    PlainCsr larger = A;
    Values larger_b = b;
    const double factor = scaled ? 1024 : 512;  // a power of four; any power of two
    for (auto& value : larger.values) value *= factor;
    for (auto& value : larger_b) value *= factor;
    EXPECT_TRUE(same_bits(x, solve<TypeParam>(larger, larger_b, params, second)));
    EXPECT_EQ(second.relative_residual, first.relative_residual);
  }
}

TYPED_TEST(PcgTest, repeats_its_bits) {
  const PlainCsr A = spd_matrix(12, 11, 10);
  const Values b = random_vector(A.rows, 9);
  SolveResult result;
  const auto x = solve<TypeParam>(A, b, exactly(20), result);
  for (int run = 0; run < 3; ++run)
    EXPECT_TRUE(same_bits(x, solve<TypeParam>(A, b, exactly(20), result)));
}

TYPED_TEST(PcgTest, gives_the_same_bits_however_it_is_launched) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const PlainCsr indefinite = small_matrix(3, {1, 0, 2, 0, 1, 2, 2, 2, 1});
  const auto check = [&](const System<TypeParam>& system, const Values& b, PcgParams params) {
    SolveResult direct, recorded;
    params.launches = PcgLaunches::direct;
    const auto x = solve<TypeParam>(system, b, Values(b.size(), 0), params, direct);
    params.launches = PcgLaunches::recorded;
    const auto y = solve<TypeParam>(system, b, Values(b.size(), 0), params, recorded);
    EXPECT_TRUE(same_bits(x, y));
    EXPECT_EQ(recorded.reason, direct.reason);
    EXPECT_EQ(recorded.iterations, direct.iterations);
    EXPECT_EQ(recorded.residual, direct.residual);
    ASSERT_EQ(recorded.history.size(), direct.history.size());
    for (std::size_t k = 0; k < direct.history.size(); ++k) {
      EXPECT_EQ(recorded.history[k].iteration, static_cast<int>(k));
      EXPECT_EQ(recorded.history[k].residual, direct.history[k].residual) << k;
      EXPECT_EQ(recorded.history[k].preconditioned_residual,
                direct.history[k].preconditioned_residual)
          << k;
    }
  };
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (const int every : {1, 4, 25, 24}) {
      PcgParams params;
      params.scheme = schemes[every == 24];
      params.check_every = every;
      params.iterations = 90;  // no multiple of the blocks
      // In single precision it starts again and stagnates.
      params.stop = PcgParams::relative(tolerance<TypeParam>(1e-7, 1e-13));
      params.stop.relative_change = every == 4 ? std::optional<double>(1e-9) : std::nullopt;
      check(system, random_vector(A.rows, 1), params);
    }
  for (const auto& [name, system] : all_systems<TypeParam>(exec, indefinite)) {
    PcgParams params;
    params.check_every = 5;
    if (!system.fault()) check(system, {1, 2, -3}, params);
  }
}

TYPED_TEST(PcgTest, believes_only_the_true_residual) {
  // Badly conditioned: in single precision the recursion claims what x does not have.
  const int n = 300;
  PlainCsr A;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1);
    A.add(i, 2);
    if (i + 1 < n) A.add(i + 1, -1);
    A.end_row();
  }
  const Values b = random_vector(n, 3);
  for (const double wanted : {1e-4, 1e-7, 1e-11, 1e-18})
    for (const PcgScheme scheme : schemes) {
      PcgParams params;
      params.scheme = scheme;
      params.iterations = 5000;
      params.check_every = 10;
      params.stop = PcgParams::relative(wanted);
      SolveResult result;
      const auto x = solve<TypeParam>(A, b, params, result);
      const double truth = plain_residual(A, b, x) / norm(b);
      if (result.reason == StopReason::converged)
        EXPECT_LE(truth, wanted * 1.01) << wanted;
      else
        EXPECT_EQ(result.reason, StopReason::stagnated) << wanted;
      EXPECT_EQ(result.reason == StopReason::converged, wanted > tolerance<TypeParam>(1e-6, 1e-15))
          << wanted << ": " << truth;
      EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + 1e-16);
    }
}

TYPED_TEST(PcgTest, obeys_all_rules) {
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  PcgParams params;
  params.check_every = 1;
  SolveResult result;
  params.stop = {};
  params.stop.absolute_residual = 0.01 * norm(b);
  auto x = solve<TypeParam>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LE(plain_residual(A, b, x), 0.01 * norm(b) * 1.001);
  const int needed = result.iterations;
  for (int k = 1; k < needed; ++k)
    EXPECT_GT(*result.history[static_cast<std::size_t>(k)].residual, 0.01 * norm(b));
  params.stop.minimum_iterations = needed + 4;
  x = solve<TypeParam>(A, b, params, result);
  EXPECT_EQ(result.iterations, needed + 4);
  params.stop = {};
  params.stop.relative_change = 1e-3;
  x = solve<TypeParam>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::relative_change);
  EXPECT_LE(*result.history.back().relative_change, 1e-3);
  EXPECT_GT(*result.history[result.history.size() - 2].relative_change, 1e-3);
  params.stop = {};
  params.stop.noise_level = 0.05 * norm(b);
  x = solve<TypeParam>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::discrepancy);
  params.iterations = 3;
  params.stop = PcgParams::relative(1e-12);
  x = solve<TypeParam>(A, b, params, result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.iterations, 3);
}

TYPED_TEST(PcgTest, shows_the_monitor_the_unknowns_of_the_user) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  const auto iterates = plain_jacobi_pcg(A, b, Values(A.columns, 0), 9);
  PcgParams params = exactly(9);
  params.check_every = 3;
  const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A));
  EXPECT_TRUE(system.is_scaled());
  std::vector<int> seen;
  SolveResult result;
  const Monitor<TestSpace, TypeParam> monitor = [&](const TestSpace&, const auto& state) {
    const auto k = static_cast<std::size_t>(state.record.iteration);
    seen.push_back(state.record.iteration);
    const double allowed = tolerance<TypeParam>(1e-4, 1e-11);
    EXPECT_TRUE(k == 0 || relative_difference(to_std_vector(state.x), iterates[k]) < allowed);
    return k == 6 ? MonitorAction::stop : MonitorAction::proceed;
  };
  const auto x = solve<TypeParam>(system, b, Values(A.columns, 0), params, result, monitor);
  EXPECT_EQ(seen, (std::vector<int>{0, 3, 6}));
  EXPECT_EQ(result.reason, StopReason::user_stop);
  EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
}

TYPED_TEST(PcgTest, sets_x_to_zero_for_a_right_hand_side_of_zeros) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A)) {
    SolveResult result;
    const auto x =
        solve<TypeParam>(system, Values(A.rows, 0), random_vector(A.rows, 1), {}, result);
    EXPECT_EQ(result.reason, StopReason::zero_rhs) << name;
    EXPECT_EQ(x, std::vector<TypeParam>(x.size(), 0)) << name;
    EXPECT_EQ(result.residual, 0);
    EXPECT_EQ(result.iterations, 0);
  }
}

TYPED_TEST(PcgTest, names_the_row_of_a_diagonal_that_it_cannot_use) {
  const auto with_entry = [](double entry) {
    return small_matrix(3, {2, -1, 0, -1, entry, -1, 0, -1, 2});
  };
  const Values b{1, 2, 3};
  const Values start{4, 5, 6};
  const TestSpace exec;
  for (const auto& [entry, reason] : {std::pair{0.0, StopReason::zero_diagonal},
                                      {-3.0, StopReason::indefinite},
                                      {std::nan(""), StopReason::non_finite}}) {
    const auto A = with_entry(entry);
    SolveResult result;
    const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A));
    const auto x = solve<TypeParam>(system, b, start, {}, result);
    EXPECT_EQ(result.reason, reason);
    EXPECT_EQ(result.row, 1);
    EXPECT_EQ(result.iterations, 0);
    EXPECT_EQ(x, (std::vector<TypeParam>{4, 5, 6}));
    EXPECT_EQ(result.non_finite_source == NonFiniteSource::diagonal,
              reason == StopReason::non_finite);
  }
  // A block that is not positive definite, by its first bad pivot.
  SolveResult result;
  PcgParams params;
  params.preconditioner = {PreconditionerKind::block_jacobi, 2};
  solve<TypeParam>(small_matrix(4, {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 3, 0, 0, 3, 1}), {1, 1, 1, 1},
                   params, result);
  EXPECT_EQ(result.reason, StopReason::indefinite);
  EXPECT_EQ(result.row, 3);
}

TYPED_TEST(PcgTest, ends_before_a_direction_of_negative_curvature) {
  // Positive on the diagonal, and yet 1, 1, -1 is an eigenvector of a negative eigenvalue.
  const PlainCsr A = small_matrix(3, {1, 0, 2, 0, 1, 2, 2, 2, 1});
  const TestSpace exec;
  for (const auto& [name, system] : all_systems<TypeParam>(exec, A))
    for (const PcgScheme scheme : schemes) {
      if (system.fault()) continue;  // blocks see it at once
      SolveResult result;
      PcgParams params;
      params.scheme = scheme;
      params.check_every = 10;
      const auto x = solve<TypeParam>(system, {1, 2, -3}, {0, 0, 0}, params, result);
      EXPECT_EQ(result.reason, StopReason::indefinite) << name;
      EXPECT_LT(result.iterations, 3) << name;
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
      for (const auto value : x) EXPECT_TRUE(std::isfinite(value)) << name;
      EXPECT_NEAR(result.residual, plain_residual(A, {1, 2, -3}, x), 1e-5) << name;
    }
}

TYPED_TEST(PcgTest, tells_an_indefinite_preconditioner_from_an_indefinite_matrix) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const Values b = random_vector(A.rows, 1);
  for (const double factor : {-1.0, 0.0})
    for (const PcgScheme scheme : schemes) {
      SolveResult result;
      PcgParams params;
      params.scheme = scheme;
      const auto x =
          solve<TypeParam>(System<TypeParam>(exec, op, user_jacobi<TypeParam>(A, factor)), b,
                           Values(A.rows, 0), params, result);
      EXPECT_EQ(result.reason, StopReason::indefinite_preconditioner) << factor;
      EXPECT_EQ(x, std::vector<TypeParam>(x.size(), 0));
      EXPECT_NEAR(result.residual, norm(b), 1e-5 * norm(b));
    }
}

/// The identity that spoils a product: from the `limit`-th on it gives NaN.
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

TYPED_TEST(PcgTest, finds_numbers_that_are_none_where_they_arise) {
  const PlainCsr A = spd_matrix();
  const TestSpace exec;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const Values b = random_vector(A.rows, 1);
  const auto iterates = plain_pcg(A, b, Values(A.rows, 0), 10, [](const Values& r) { return r; });
  PcgParams params;
  params.check_every = 4;
  params.preconditioner.kind = PreconditionerKind::none;
  SolveResult result;
  // The first product makes the first residual, so the sixth is of the fifth iteration.
  auto x = solve<TypeParam>(
      System<TypeParam>(exec, SpoiltOperator<TypeParam>{op, 6}, params.preconditioner), b,
      Values(A.rows, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.non_finite_iteration, 5);
  EXPECT_EQ(result.non_finite_source, NonFiniteSource::product);
  EXPECT_EQ(result.iterations, 4);
  EXPECT_LT(relative_difference(x, iterates[4]), tolerance<TypeParam>(1e-3, 1e-10));
  EXPECT_NEAR(result.residual, plain_residual(A, b, x), 1e-4 * norm(b));
  // A preconditioner that fails in its third call: of the second iteration.
  auto calls = std::make_shared<int>(0);
  const auto spoil = [calls](const TestSpace& on, const In<TypeParam>& R, const Out<TypeParam>& Z) {
    Kokkos::deep_copy(on, Z, R);
    if (++*calls == 3)
      Kokkos::deep_copy(on, Kokkos::subview(Z, 0, Kokkos::ALL()),
                        std::numeric_limits<TypeParam>::infinity());
  };
  x = solve<TypeParam>(System<TypeParam>(exec, op, spoil), b, Values(A.rows, 0), params, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.non_finite_iteration, 2);
  EXPECT_EQ(result.non_finite_source, NonFiniteSource::preconditioner);
  EXPECT_LT(relative_difference(x, iterates[1]), tolerance<TypeParam>(1e-3, 1e-10));
  // What comes in is refused.
  Values bad = b;
  bad[17] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(error_of([&] { solve<TypeParam>(A, bad, {}, result); }), "17"));
  bad = Values(A.rows, 0);
  bad[3] = std::nan("");
  EXPECT_TRUE(
      contains(error_of([&] { solve<TypeParam>(System<TypeParam>(exec, op), b, bad, {}, result); }),
               "start"));
}

TYPED_TEST(PcgTest, takes_operators_without_a_matrix) {
  // A^T A of the blur, by a user's operator: symmetric positive definite, and it tells no diagonal.
  struct Normal {
    BlurOperator<TypeParam> blur;
    DeviceVector<TypeParam> work;
    Ordinal num_rows() const { return blur.num_rows(); }
    Ordinal num_cols() const { return blur.num_cols(); }
    void apply(const TestSpace& exec, TypeParam alpha, const In<TypeParam>& X, TypeParam beta,
               const Out<TypeParam>& Y) const {
      blur.apply(exec, 1, X, 0, as_multivector(work));
      blur.apply_transpose(exec, alpha, as_multivector(work), beta, Y);
    }
  };
  const Ordinal n = 60;
  const TestSpace exec;
  const Normal normal{BlurOperator<TypeParam>(n), DeviceVector<TypeParam>("work", n)};
  const PlainCsr blur = blur_matrix(n);
  const Values b = random_vector(n, 1);
  const Values rhs = multiply(blur.transposed(), b);
  PcgParams params;
  for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi}) {
    SolveResult result;
    const System<TypeParam> system(exec, normal, {kind});
    EXPECT_FALSE(system.is_scaled()) << "it has no values to scale";
    const auto x = solve<TypeParam>(system, rhs, Values(n, 0), params, result);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LT(relative_difference(x, least_squares(blur, b)), tolerance<TypeParam>(1e-4, 1e-5));
  }
  EXPECT_TRUE(contains(
      error_of([&] { System<TypeParam>(exec, normal, {PreconditionerKind::block_jacobi}); }),
      "diagonal"));
  const Normal large{BlurOperator<TypeParam>(5000), DeviceVector<TypeParam>("work", 5000)};
  EXPECT_TRUE(contains(error_of([&] { System<TypeParam>(exec, large); }), "5000 rows"));
}

TYPED_TEST(PcgTest, refuses_what_makes_no_sense) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  EXPECT_THROW(System<TypeParam>(exec, make_operator<TypeParam>(exec, positive_matrix())),
               DimensionMismatch);
  EXPECT_THROW(System<TypeParam>(exec, op, {PreconditionerKind::user}), Error);
  EXPECT_THROW(System<TypeParam>(exec, op, UserPreconditioner<TestSpace, TypeParam>()), Error);
  for (const int block : {0, 1, 5})
    EXPECT_THROW(System<TypeParam>(exec, op, {PreconditionerKind::block_jacobi, block}), Error);
  PcgParams params;
  params.check_every = 0;
  EXPECT_THROW((Pcg<TestSpace, TypeParam>(exec, 3, params)), Error);
  params.check_every = 1;
  params.stop.absolute_residual = -1;
  EXPECT_THROW((Pcg<TestSpace, TypeParam>(exec, 3, params)), Error);
  params.stop = {};
  params.stop.relative_change = 1e-3;
  params.scheme = PcgScheme::single_reduction;
  EXPECT_THROW((Pcg<TestSpace, TypeParam>(exec, 3, params)), Error);
  Pcg<TestSpace, TypeParam> solver(exec, A.rows);
  const DeviceVector<TypeParam> x("x", A.rows + 1);
  EXPECT_THROW(solver.solve(exec, op, x, x), DimensionMismatch);
}

TYPED_TEST(PcgTest, has_nothing_to_do_for_an_empty_system) {
  PlainCsr A;
  A.columns = 0;
  SolveResult result;
  const auto x = solve<TypeParam>(A, {}, {}, result);
  EXPECT_TRUE(x.empty());
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
}

}  // namespace
