// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients with a system distributed over ranks, compared with a textbook implementation
// and with the solver for the whole matrix.
#include "PcgRanksTesting.hpp"

using namespace spread_testing;

namespace {

template <class Scalar>
class PcgSpreadTest : public ::testing::Test {};
TYPED_TEST_SUITE(PcgSpreadTest, Scalars);

/// Laplacian of a box, and a matrix whose rows have very different magnitudes.
std::vector<PlainCsr> definite_matrices() { return {spd_matrix(9, 8, 7, 0), spd_matrix()}; }

TYPED_TEST(PcgSpreadTest, solves_like_the_solver_of_the_whole_matrix) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const double wanted = tolerance<TypeParam>(1e-4, 1e-9);
  for (const PlainCsr& A : definite_matrices()) {
    const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
    const Values solution = plain_jacobi_pcg(A, b, Values(A.columns, 0), 300).back();
    for (const auto& [name, options] : preparations) {
      const System<TypeParam> whole(exec, make_operator<TypeParam>(exec, A), options);
      for (const Begins& begins : partitions(A.rows))
        for (const PcgScheme scheme : all_schemes) {
          PcgParams params;
          params.stop = PcgParams::relative(wanted);
          params.check_every = 1;
          params.scheme = scheme;
          const auto system = spread_system<TypeParam>(exec, A, begins, comm, options);
          SolveResult result, alone;
          const auto x = solve_spread(system, begins, b, start, params, result);
          solve<Cg<TypeParam>>(whole, b, start, params, alone);
          EXPECT_EQ(result.reason, StopReason::converged) << name;
          EXPECT_EQ(alone.reason, StopReason::converged) << name;
          EXPECT_NEAR(result.iterations, alone.iterations, 2 + 0.1 * alone.iterations) << name;
          EXPECT_LE(plain_residual(A, b, x), wanted * norm(b) * 1.01) << name;
          EXPECT_NEAR(result.residual, plain_residual(A, b, x),
                      tolerance<TypeParam>(1e-5, 1e-13) * norm(b))
              << name;
          EXPECT_NEAR(result.rhs_norm, norm(b), 1e-12 * norm(b));
          EXPECT_LT(relative_difference(x, solution), tolerance<TypeParam>(1e-2, 1e-6)) << name;
          EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result))) << name;
          EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
          SolveResult repeated;
          EXPECT_TRUE(same_bits(x, solve_spread(system, begins, b, start, params, repeated)));
          EXPECT_TRUE(same_bits(numbers_of(result), numbers_of(repeated))) << name;
        }
    }
  }
}

TYPED_TEST(PcgSpreadTest, follows_the_iterates_of_the_textbook) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  const auto iterates = plain_jacobi_pcg(A, b, start, 6);
  const Values d = diagonal_of(A);
  for (const Begins& begins : partitions(A.rows))
    for (const bool scale : {true, false})
      for (const PcgScheme scheme : all_schemes) {
        PcgParams params = exactly(6);
        params.scheme = scheme;
        SolveResult result;
        const auto x =
            solve_spread(spread_system<TypeParam>(exec, A, begins, comm, {Kind::jacobi, 2, scale}),
                         begins, b, start, params, result);
        EXPECT_LT(relative_difference(x, iterates[6]), tolerance<TypeParam>(1e-4, 1e-11));
        for (std::size_t k = 0; k < std::min<std::size_t>(7, result.history.size()); ++k) {
          const Values image = multiply(A, iterates[k]);
          double rho = 0;
          for (std::size_t i = 0; i < b.size(); ++i)
            rho += (b[i] - image[i]) * (b[i] - image[i]) / d[i];
          EXPECT_NEAR(result.history[k].preconditioned_residual.value_or(-1), std::sqrt(rho),
                      tolerance<TypeParam>(1e-3, 1e-10) * std::sqrt(rho));
        }
      }
}

TYPED_TEST(PcgSpreadTest, on_a_single_rank_has_the_bits_of_the_whole_matrix) {
  if (num_ranks() > 1) return;
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1), start = random_vector(A.rows, 2);
  for (const auto& [name, options] : preparations)
    for (const PcgScheme scheme : all_schemes) {
      PcgParams params;
      params.scheme = scheme;
      params.check_every = 3;
      SolveResult result, alone;
      const auto x = solve<Cg<TypeParam>>(
          spread_system<TypeParam>(exec, A, {0, A.rows}, comm, options), b, start, params, result);
      EXPECT_TRUE(same_bits(
          x,
          solve<Cg<TypeParam>>(System<TypeParam>(exec, make_operator<TypeParam>(exec, A), options),
                               b, start, params, alone)))
          << name;
      EXPECT_TRUE(same_bits(numbers_of(result), numbers_of(alone))) << name;
    }
}

TYPED_TEST(PcgSpreadTest, stops_each_right_hand_side_separately) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const std::size_t n = static_cast<std::size_t>(A.rows), s = 3;
  std::vector<Values> rhs{multiply(A, Values(n, 1)), Values(n, 0), random_vector(A.rows, 5)};
  Values B(n * s), X(n * s);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < s; ++j)
      B[i * s + j] = static_cast<float>(rhs[j][i]), X[i * s + j] = j == 0 ? 1.001 : 1;
  PcgParams params;
  params.check_every = 2;
  params.stop = PcgParams::relative(tolerance<TypeParam>(1e-4, 1e-9));
  for (const Begins& begins : partitions(A.rows))
    for (const auto& [name, options] : preparations)
      for (const PcgScheme scheme : all_schemes) {
        params.scheme = scheme;
        const auto system = spread_system<TypeParam>(exec, A, begins, comm, options);
        const auto here = static_cast<std::size_t>(system.num_rows());
        const auto b = make_vector<TypeParam>(exec, part_of(B, begins, s));
        const auto x = make_vector<TypeParam>(exec, part_of(X, begins, s));
        Cg<TypeParam> solver(exec, system.num_rows(), params, static_cast<Ordinal>(s));
        const auto results = solver.solve(exec, system, In<TypeParam>(b.data(), here, s),
                                          Out<TypeParam>(x.data(), here, s));
        const auto values = whole_of(to_std_vector(x), begins, s);
        EXPECT_EQ(results[1].reason, StopReason::zero_rhs);
        EXPECT_EQ(column_of(values, 1, 3), std::vector<TypeParam>(n, 0));
        EXPECT_NE(results[0].iterations, results[2].iterations);
        for (const int j : {0, 2}) {
          const auto at = static_cast<std::size_t>(j);
          EXPECT_EQ(results[at].reason, StopReason::converged) << name << ", column " << j;
          const double first = plain_residual(A, column_of(B, j, 3), column_of(X, j, 3));
          EXPECT_NEAR(results[at].history[0].residual.value_or(-1), first, 0.01 * first);
          EXPECT_LE(plain_residual(A, column_of(B, j, 3), column_of(values, j, 3)),
                    *params.stop.relative_residual * results[at].rhs_norm * 1.01)
              << name;
        }
        for (const SolveResult& result : results)
          EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result))) << name;
      }
}

TYPED_TEST(PcgSpreadTest, restarts_when_the_recursive_residual_is_too_small) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix(7, 6, 5, 3);
  const Values b = random_vector(A.rows, 1);
  PcgParams params;
  params.iterations = 2000;
  params.stop = PcgParams::relative(tolerance<TypeParam>(1e-7, 1e-15));
  params.check_every = 5;
  for (const Begins& begins : partitions(A.rows))
    for (const PcgScheme scheme : all_schemes) {
      params.scheme = scheme;
      SolveResult result;
      const auto x = solve_spread(spread_system<TypeParam>(exec, A, begins, comm), begins, b,
                                  Values(b.size(), 0), params, result);
      const double truth = plain_residual(A, b, x) / norm(b);
      EXPECT_TRUE(result.reason == StopReason::converged || result.reason == StopReason::stagnated);
      EXPECT_NEAR(result.relative_residual, truth, tolerance<TypeParam>(1e-5, 1e-14));
      if (result.reason == StopReason::converged) {
        EXPECT_LE(result.relative_residual, *params.stop.relative_residual);
      }
      EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result)));
    }
}

TYPED_TEST(PcgSpreadTest, uses_direct_launches_and_a_single_reduction) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Begins begins = partitions(A.rows).front();
  const auto system = spread_system<TypeParam>(exec, A, begins, comm);
  const System<TypeParam> whole(exec, make_operator<TypeParam>(exec, A));
  PcgParams params;
  const auto variant_of = [&](const System<TypeParam>& of) {
    return Cg<TypeParam>(exec, of.num_rows(), params).variant(exec, of);
  };
  const PcgVariant spread = variant_of(system), alone = variant_of(whole);
  if (num_ranks() == 1) {
    EXPECT_EQ(spread.scheme, alone.scheme);
    EXPECT_EQ(spread.launches, alone.launches);
    return;
  }
  EXPECT_EQ(spread.scheme, PcgScheme::single_reduction);
  EXPECT_EQ(spread.launches, PcgLaunches::direct);
  // Only the standard scheme measures changes.
  params.check_every = 1;
  params.stop = {};
  params.stop.relative_change = 1e-3;
  EXPECT_EQ(variant_of(system).scheme, PcgScheme::standard);
  SolveResult result, expected;
  const Values b = random_vector(A.rows, 1), start(b.size(), 0);
  solve_spread(system, begins, b, start, params, result);
  solve<Cg<TypeParam>>(whole, b, start, params, expected);
  EXPECT_EQ(result.reason, StopReason::relative_change);
  EXPECT_NEAR(result.iterations, expected.iterations, 1);
  EXPECT_NEAR(result.history[3].relative_change.value_or(-1),
              expected.history[3].relative_change.value_or(-2), 1e-4);
}

TYPED_TEST(PcgSpreadTest, accepts_a_preconditioner_of_the_user) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  PcgParams params;
  params.stop = PcgParams::relative(tolerance<TypeParam>(1e-4, 1e-9));
  for (const Begins& begins : partitions(A.rows))
    for (const PcgScheme scheme : all_schemes) {
      params.scheme = scheme;
      const auto d = make_vector<TypeParam>(exec, part_of(diagonal_of(A), begins));
      const UserPreconditioner<TestSpace, TypeParam> divide =
          [d](const TestSpace& instance, const In<TypeParam>& R, const Out<TypeParam>& Z) {
            Kokkos::parallel_for("test::jacobi", Impl::element_range(instance, d.extent(0)),
                                 DivideByDiagonal<TypeParam>{d, 1, R, Z});
          };
      SolveResult result;
      const auto x = solve_spread(
          System<TypeParam>(exec, make_spread<TypeParam>(exec, A, begins, comm), divide), begins, b,
          Values(b.size(), 0), params, result);
      EXPECT_EQ(result.reason, StopReason::converged);
      EXPECT_LE(plain_residual(A, b, x), *params.stop.relative_residual * norm(b) * 1.01);
    }
}

TYPED_TEST(PcgSpreadTest, monitors_of_all_ranks_see_their_parts) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 1);
  for (const Begins& begins : partitions(A.rows)) {
    const auto system = spread_system<TypeParam>(exec, A, begins, comm);
    PcgParams params;
    params.check_every = 4;
    int calls = 0;
    const Monitor<TestSpace, TypeParam> monitor = [&](const TestSpace& instance,
                                                      const auto& state) {
      instance.fence();
      Vector<TypeParam, TestSpace::memory_space> copy("x", state.x.extent(0));
      Kokkos::deep_copy(copy, as_vector(state.x));
      const double truth = plain_residual(A, b, whole_of(to_std_vector(copy), begins));
      EXPECT_NEAR(state.record().residual.value_or(-1), truth, 1e-3 * norm(b));
      return ++calls == 3 ? MonitorAction::stop : MonitorAction::proceed;
    };
    SolveResult result;
    solve<Cg<TypeParam>>(system, part_of(b, begins), part_of(Values(b.size(), 0), begins), params,
                         result, monitor);
    EXPECT_EQ(result.reason, StopReason::user_stop);
    EXPECT_EQ(result.iterations, 8);
    EXPECT_EQ(calls, 3);
  }
}

// Every rank resumes with its own part.
TYPED_TEST(PcgSpreadTest, a_resumed_run_gives_the_same_bits) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix(4, 4, 3, 1);
  const Values b = random_vector(A.rows, 1), start(b.size(), 0);
  for (const Begins& begins : partitions(A.rows))
    for (const PcgScheme scheme : all_schemes) {
      const auto system = spread_system<TypeParam>(exec, A, begins, comm);
      PcgParams params;
      params.scheme = scheme;
      params.check_every = 4;
      params.iterations = 60;
      params.stop = PcgParams::relative(tolerance<TypeParam>(1e-5, 1e-11));
      std::vector<SolveProgress> cuts;
      std::vector<std::vector<TypeParam>> iterates;
      const Monitor<TestSpace, TypeParam> keep = [&](const TestSpace&, const auto& state) {
        cuts.push_back(state.progress());
        iterates.push_back(to_std_vector(as_vector(state.x)));
        return MonitorAction::proceed;
      };
      const auto continue_from = [&](const SolveProgress* progress,
                                     const std::vector<TypeParam>& from,
                                     const Monitor<TestSpace, TypeParam>& monitor) {
        Cg<TypeParam> solver(exec, system.num_rows(), params);
        if (progress != nullptr) solver.resume(*progress);
        const auto x = make_vector<TypeParam>(exec, Values(from.begin(), from.end()));
        const auto own_b = make_vector<TypeParam>(exec, part_of(b, begins));
        const SolveResult result = solver.solve(exec, system, own_b, x, monitor);
        return std::pair(result, whole_of(to_std_vector(x), begins));
      };
      const Values own = part_of(start, begins);
      const auto whole =
          continue_from(nullptr, std::vector<TypeParam>(own.begin(), own.end()), keep);
      EXPECT_EQ(whole.first.reason, StopReason::converged);
      for (std::size_t i = 0; i < cuts.size(); ++i) {
        const auto rest = continue_from(&cuts[i], iterates[i], [](const TestSpace&, const auto&) {
          return MonitorAction::proceed;
        });
        EXPECT_TRUE(same_bits(rest.second, whole.second)) << i;
        EXPECT_TRUE(same_bits(numbers_of(rest.first), numbers_of(whole.first))) << i;
      }
    }
}

}  // namespace
