// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matrices and right-hand sides of every representable scale: a solver converges to the true
// residual, or refuses with a specific message. It never makes a false claim.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Gmres.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <functional>

#include "SystemTesting.hpp"

using namespace system_testing;

namespace {

constexpr int size = 22;

/// Positive definite, well-conditioned matrix times a factor, in the precision of the solver.
template <class Scalar>
PlainCsr matrix_of_scale(double factor, double beside = -1) {
  PlainCsr A;
  A.columns = size;
  for (int i = 0; i < size; ++i) {
    const auto add = [&](int j, double value) {
      A.indices.push_back(j);
      A.values.push_back(static_cast<double>(static_cast<Scalar>(factor * value)));
    };
    if (i > 0) add(i - 1, beside);
    add(i, 3 + 0.1 * (i % 4));
    if (i + 1 < size) add(i + 1, beside);
    A.end_row();
  }
  return A;
}

template <class Scalar>
Values vector_of_scale(double factor) {
  Values b = positive_vector(size, 5);
  for (auto& value : b) value = static_cast<double>(static_cast<Scalar>(factor * value));
  return b;
}

/// Computes `|b - A x| / |b|` in numbers with a sufficient range.
template <class Scalar>
double true_residual(const PlainCsr& A, const Values& b, const std::vector<Scalar>& x) {
  long double residual = 0, whole = 0;
  for (int i = 0; i < A.rows; ++i) {
    long double sum = b[static_cast<std::size_t>(i)];
    whole += sum * sum;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      sum -= static_cast<long double>(A.values[k]) * x[static_cast<std::size_t>(A.indices[k])];
    residual += sum * sum;
  }
  return static_cast<double>(std::sqrt(residual / whole));
}

/// Scales to test. The number of threads has no influence, so runs with several threads test only
/// the extreme scales.
template <class Scalar>
std::vector<double> scales() {
  const bool all = TestSpace().concurrency() == 1;
  if (std::is_same_v<Scalar, float>)
    return all ? std::vector<double>{1e-37, 1e-25, 1e-12, 1, 1e9, 1e20, 5e36}
               : std::vector<double>{1e-37, 5e36};
  return all ? std::vector<double>{1e-300, 1e-160, 1e-80, 1, 1e70, 1e155, 1e300}
             : std::vector<double>{1e-300, 1e300};
}

template <class Scalar>
using Run = std::function<SolveResult(const PlainCsr&, const Values&, DeviceVector<Scalar>&)>;

template <class Scalar>
constexpr double wanted() {
  return std::is_same_v<Scalar, float> ? 1e-5 : 1e-11;
}

/// Calls the test with every pair of scales.
template <class Scalar>
void sweep(
    const std::string& name, double beside, const Run<Scalar>& run,
    const std::function<void(double a, double b, const SolveResult& result, double truth)>& judge) {
  const TestSpace exec;
  for (const double a : scales<Scalar>())
    for (const double b : scales<Scalar>()) {
      const PlainCsr A = matrix_of_scale<Scalar>(a, beside);
      const Values rhs = vector_of_scale<Scalar>(b);
      auto x = make_vector<Scalar>(exec, Values(size, 0));
      SCOPED_TRACE(name + ", A times " + std::to_string(std::log10(a)) + ", b times " +
                   std::to_string(std::log10(b)));
      try {
        const SolveResult result = run(A, rhs, x);
        judge(a, b, result, true_residual(A, rhs, to_std_vector(x)));
      } catch (const Error& error) {
        const std::string message = error.what();
        const bool named = contains(message, "not representable") ||
                           contains(message, "leave the range") ||
                           contains(message, "choose another unit of length") ||
                           contains(message, "every row or column would be left out") ||
                           contains(message, "is zero in all pixels that rows intersect") ||
                           contains(message, "it must be finite");
        EXPECT_TRUE(named) << message;
        // The scales of the matrix and the right-hand side are too close to be refused.
        if (beside < 0 &&
            std::abs(std::log10(b) - std::log10(a)) < (std::is_same_v<Scalar, float> ? 36 : 300))
          ADD_FAILURE() << message;
        if (beside < 0) {
          EXPECT_EQ(to_std_vector(x), std::vector<Scalar>(size, 0));
        }
      }
    }
}

template <class Solver>
void solves_every_scale(const std::string& name, const typename Solver::params_type& params,
                        bool by_user = false) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  sweep<Scalar>(
      name, -1,
      [&](const PlainCsr& A, const Values& b, DeviceVector<Scalar>& x) {
        const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
        const auto rhs = make_vector<Scalar>(exec, b);
        if constexpr (std::is_same_v<Solver, Cgls<TestSpace, Scalar>>) {
          return Solver(exec, size, size, params).solve(exec, op, rhs, x);
        } else {
          const System<Scalar> system = by_user ? System<Scalar>(exec, op, user_jacobi<Scalar>(A))
                                                : System<Scalar>(exec, op, params.preconditioner);
          return Solver(exec, size, params).solve(exec, system, rhs, x);
        }
      },
      [](double, double, const SolveResult& result, double truth) {
        EXPECT_EQ(result.reason, StopReason::converged) << to_string(result.reason);
        EXPECT_LE(truth, 1.05 * wanted<Scalar>());
        EXPECT_NEAR(result.relative_residual, truth, 0.05 * truth + tolerance<Scalar>(1e-6, 1e-15));
        ASSERT_FALSE(result.history.empty());
        EXPECT_NEAR(*result.history.front().residual / result.rhs_norm, 1, 1e-5);
      });
}

template <class Params>
Params to_the_end() {
  Params params;
  params.iterations = 400;
  params.check_every = 6;
  return params;
}

template <class Scalar>
class Scales : public ::testing::Test {};
TYPED_TEST_SUITE(Scales, Scalars);

TYPED_TEST(Scales, conjugate_gradients_solve_or_refuse_by_name) {
  using Kind = PreconditionerKind;
  auto params = to_the_end<PcgParams>();
  params.stop = PcgParams::relative(wanted<TypeParam>());
  using Solver = Pcg<TestSpace, TypeParam>;
  for (const PcgScheme scheme : {PcgScheme::standard, PcgScheme::single_reduction}) {
    params.scheme = scheme;
    params.preconditioner = {};
    solves_every_scale<Solver>("pcg, jacobi", params);
    params.preconditioner.kind = Kind::block_jacobi;
    solves_every_scale<Solver>("pcg, blocks", params);
  }
  params.preconditioner.kind = Kind::none;
  solves_every_scale<Solver>("pcg, none", params);
  solves_every_scale<Solver>("pcg, user", params, true);
  params.preconditioner.kind = Kind::jacobi;
  params.preconditioner.scale_matrix = false;
  solves_every_scale<Solver>("pcg, jacobi in every iteration", params);
}

TYPED_TEST(Scales, solvers_of_nonsymmetric_systems_solve_or_refuse_by_name) {
  using Kind = PreconditionerKind;
  for (const Kind kind : {Kind::none, Kind::jacobi, Kind::block_jacobi}) {
    auto params = to_the_end<BiCgStabParams>();
    params.stop = BiCgStabParams::relative(wanted<TypeParam>());
    params.preconditioner.kind = kind;
    const std::string name = std::string(to_string(kind));
    solves_every_scale<BiCgStab<TestSpace, TypeParam>>("bicgstab, " + name, params);
    auto gmres = to_the_end<GmresParams>();
    gmres.stop = params.stop;
    gmres.preconditioner.kind = kind;
    solves_every_scale<Gmres<TestSpace, TypeParam>>("gmres, " + name, gmres);
  }
}

TYPED_TEST(Scales, least_squares_solve_or_refuse_by_name) {
  auto params = to_the_end<CglsParams>();
  params.stop.relative_residual = wanted<TypeParam>();
  solves_every_scale<Cgls<TestSpace, TypeParam>>("cgls", params);
}

/// Tests data and matrices that are not negative. These solvers end after the given number of
/// iterations.
template <class Solver, class Params>
void claims_nothing_false(const std::string& name, const Params& params) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  sweep<Scalar>(
      name, 0.2,
      [&](const PlainCsr& A, const Values& b, DeviceVector<Scalar>& x) {
        const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
        const auto rhs = make_vector<Scalar>(exec, b);
        if constexpr (std::is_same_v<Params, MlemParams>) uniform_start(exec, op, rhs, x);
        return Solver(exec, size, size, params).solve(exec, op, rhs, x);
      },
      [](double a, double b, const SolveResult& result, double truth) {
        if (result.reason == StopReason::converged) {
          EXPECT_LE(truth, 0.0501);
        }
        if (result.reason != StopReason::non_finite) {
          EXPECT_NEAR(result.relative_residual, truth, 0.01 * truth + 1e-4);
        }
        if (a == 1 && b == 1) {
          EXPECT_EQ(result.reason, StopReason::converged);
        }
      });
}

TYPED_TEST(Scales, solvers_of_reconstructions_claim_nothing_false) {
  const auto rules = [](auto params) {
    params.check_every = 10;
    params.stop.relative_residual = 0.05;
    if constexpr (requires { params.iterations; })
      params.iterations = 100;
    else
      params.sweeps = 100;
    return params;
  };
  claims_nothing_false<Mlem<TestSpace, TypeParam>>("mlem", rules(MlemParams()));
  claims_nothing_false<Sirt<TestSpace, TypeParam>>("sirt", rules(SirtParams()));
  SartParams sart = rules(SartParams());
  sart.view_rows = 11;
  claims_nothing_false<Sart<TestSpace, TypeParam>>("sart", sart);
  claims_nothing_false<Art<TestSpace, TypeParam>>("art", rules(ArtParams()));
  claims_nothing_false<BlockArt<TestSpace, TypeParam>>("block_art", rules(BlockArtParams()));
}

TYPED_TEST(Scales, zero_is_only_what_is_zero) {
  // A gradient and a right-hand side are not zero just because their squares are.
  const TestSpace exec;
  const double tiny = std::is_same_v<TypeParam, float> ? 1e-36 : 1e-200;
  const PlainCsr A = matrix_of_scale<TypeParam>(tiny);
  auto params = to_the_end<CglsParams>();
  params.stop.relative_residual = wanted<TypeParam>();
  SolveResult result;
  run_solver<Cgls<TestSpace, TypeParam>>(exec, A, Values(size, 1), Values(size, 0), params,
                                         &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_GT(result.iterations, 0);
  EXPECT_LE(result.relative_residual, wanted<TypeParam>());
  EXPECT_GT(*result.history.front().gradient, 0);
  run_solver<Cgls<TestSpace, TypeParam>>(exec, A, Values(size, 0), Values(size, 0), params,
                                         &result);
  EXPECT_EQ(result.reason, StopReason::zero_rhs);
  // The right-hand side is orthogonal to the range of the matrix: the least-squares solution is
  // found at once.
  run_solver<Cgls<TestSpace, TypeParam>>(exec, small_matrix(2, {1, 0, 0, 0}), {0, 1}, {0, 0},
                                         CglsParams(), &result);
  EXPECT_EQ(result.reason, StopReason::converged);
}

TYPED_TEST(Scales, what_a_user_sees_is_in_the_units_of_the_user) {
  // Rules, monitors and results of a system that is solved in other units, from a nonzero start.
  const TestSpace exec;
  const double b = std::is_same_v<TypeParam, float> ? 1e-30 : 1e-200;
  const PlainCsr A = matrix_of_scale<TypeParam>(1);
  const Values rhs = vector_of_scale<TypeParam>(b);
  PcgParams params;
  params.stop = {};
  params.check_every = 2;
  double whole = 0;
  for (const double value : rhs) whole = std::hypot(whole, value);
  params.stop.absolute_residual = 1e-3 * whole;
  int looks = 0;
  const Monitor<TestSpace, TypeParam> monitor = [&](const TestSpace&, const auto& state) {
    ++looks;
    const double truth = true_residual(A, rhs, to_std_vector(as_vector(state.x)));
    EXPECT_NEAR(*state.record().residual / whole, truth, 1e-4);
    EXPECT_NEAR(*state.record().relative_residual, truth, 1e-4);
    return MonitorAction::proceed;
  };
  Values start(size, 0);
  start[3] = b;
  SolveResult result;
  const auto x =
      solve<Pcg<TestSpace, TypeParam>>(System<TypeParam>(exec, make_operator<TypeParam>(exec, A)),
                                       rhs, start, params, result, monitor);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_GT(looks, 2);
  EXPECT_LT(result.iterations, size);
  EXPECT_LE(result.residual, *params.stop.absolute_residual);
  EXPECT_NEAR(result.residual / whole, true_residual(A, rhs, x), 1e-6);
  EXPECT_NEAR(result.rhs_norm / whole, 1, 1e-6);
}

}  // namespace
