// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients launched kernel by kernel, as graphs and by resident teams.
#include <stdexcept>

#include "PcgTesting.hpp"

using namespace pcg_testing;

namespace {

template <class Scalar>
class PcgLaunchesTest : public ::testing::Test {};
TYPED_TEST_SUITE(PcgLaunchesTest, Scalars);

TYPED_TEST(PcgLaunchesTest, gives_the_same_bits_however_it_is_launched) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const PlainCsr indefinite = small_matrix(3, {1, 0, 2, 0, 1, 2, 2, 2, 1});
  const auto check = [&](const System<TypeParam>& system, const Values& b, PcgParams params) {
    SolveResult direct, recorded;
    params.launches = PcgLaunches::direct;
    const auto x = solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, direct);
    params.launches = PcgLaunches::recorded;
    const auto y = solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, recorded);
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
      params.iterations = 90;  // not a multiple of the blocks
      // In single precision the solve restarts and stagnates.
      params.stop = PcgParams::relative(tolerance<TypeParam>(1e-7, 1e-13));
      params.stop.relative_change = every == 4 ? std::optional<double>(1e-9) : std::nullopt;
      check(system, random_vector(A.rows, 1), params);
    }
  for (const auto& [name, system] : all_systems<TypeParam>(exec, indefinite)) {
    PcgParams params;
    params.check_every = 5;
    for (const PcgScheme scheme : schemes) {
      params.scheme = scheme;
      if (!system.fault()) check(system, {1, 2, -3}, params);
    }
  }
}

/// Compares direct launches with teams that stay on the device. The bits differ, because the sums
/// have another order.
template <class Scalar>
void resides_as_it_launches(const System<Scalar>& system, const Values& b, PcgParams params,
                            double difference, Values start = {}) {
  start.resize(b.size(), 0);
  params.scheme = PcgScheme::single_reduction;
  SolveResult direct, resident, again;
  params.launches = PcgLaunches::direct;
  const auto x = solve<Cg<Scalar>>(system, b, start, params, direct);
  params.launches = PcgLaunches::resident;
  const auto y = solve<Cg<Scalar>>(system, b, start, params, resident);
  EXPECT_TRUE(same_bits(y, solve<Cg<Scalar>>(system, b, start, params, again)));
  EXPECT_LE(relative_difference(y, x), difference);
  EXPECT_EQ(resident.reason, direct.reason);
  EXPECT_EQ(resident.iterations, direct.iterations);
  EXPECT_EQ(resident.non_finite_iteration, direct.non_finite_iteration);
  EXPECT_EQ(resident.non_finite_source, direct.non_finite_source);
  ASSERT_EQ(resident.history.size(), direct.history.size());
  for (std::size_t k = 0; k < direct.history.size(); ++k) {
    const IterationRecord &a = resident.history[k], &e = direct.history[k];
    EXPECT_EQ(a.iteration, static_cast<int>(k));
    ASSERT_EQ(a.residual.has_value(), e.residual.has_value()) << k;
    ASSERT_EQ(a.preconditioned_residual.has_value(), e.preconditioned_residual.has_value()) << k;
    if (e.residual) {
      EXPECT_NEAR(*a.residual, *e.residual, difference * norm(b)) << k;
    }
    if (e.preconditioned_residual) {
      EXPECT_NEAR(*a.preconditioned_residual, *e.preconditioned_residual,
                  difference * *direct.history[0].preconditioned_residual)
          << k;
    }
  }
}

template <class Scalar>
std::vector<System<Scalar>> resident_systems(const PlainCsr& A) {
  using Kind = PreconditionerKind;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  return {System<Scalar>(exec, op, {Kind::none}), System<Scalar>(exec, op, {Kind::jacobi}),
          System<Scalar>(exec, op, {Kind::jacobi, 2, false})};
}

TYPED_TEST(PcgLaunchesTest, resident_teams_go_the_same_way) {
  // Fewer rows than teams, one row per thread, and rows in several rounds.
  for (const int size : {3, 14, 52}) {
    const PlainCsr A = spd_matrix(size, size + 1, size - 1, 0.5);
    const Values b = random_vector(A.rows, 3);
    for (const auto& system : resident_systems<TypeParam>(A))
      for (const int every : {1, 7, 25}) {
        if (size == 52 && every == 1) continue;
        PcgParams params;
        params.check_every = every;
        params.iterations = size == 3 ? 5 : 18;  // not a multiple of the blocks
        params.stop = PcgParams::relative(1e-30);
        resides_as_it_launches(system, b, params, tolerance<TypeParam>(1e-4, 1e-11));
        params.stop = {};
        resides_as_it_launches(system, b, params, tolerance<TypeParam>(1e-4, 1e-11));
      }
  }
}

TYPED_TEST(PcgLaunchesTest, resident_teams_take_rows_of_any_length) {
  // A full row, a long column and a diagonal.
  PlainCsr A;
  const int n = 3000;
  A.columns = n;
  for (int j = 0; j < n; ++j) A.add(j, j == 0 ? 10.0F : j % 3 == 0 ? 0.01F : 0.0F);
  A.end_row();
  for (int i = 1; i < n; ++i) {
    if (i % 3 == 0) A.add(0, 0.01F);
    A.add(i, 1.0F + 0.001F * static_cast<float>(i % 7));
    A.end_row();
  }
  for (const auto& system : resident_systems<TypeParam>(A)) {
    PcgParams params;
    params.iterations = 4;
    resides_as_it_launches(system, random_vector(n, 5), params, tolerance<TypeParam>(1e-4, 1e-11));
  }
}

TYPED_TEST(PcgLaunchesTest, resident_teams_converge_and_stop_where_others_do) {
  const PlainCsr A = spd_matrix(9, 8, 7, 0.5);
  const Values b = random_vector(A.rows, 3);
  const double wanted = tolerance<TypeParam>(1e-4, 1e-10);
  for (const auto& system : resident_systems<TypeParam>(A)) {
    PcgParams params;
    params.check_every = 10;
    params.stop = PcgParams::relative(wanted);
    resides_as_it_launches(system, b, params, tolerance<TypeParam>(1e-3, 1e-9));
    SolveResult result;
    params.launches = PcgLaunches::resident;
    const auto x = solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, result);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_LE(plain_residual(A, b, x), 1.01 * wanted * norm(b));
  }
  PcgParams params;
  params.check_every = 5;
  const PlainCsr indefinite = small_matrix(3, {1, 0, 2, 0, 1, 2, 2, 2, 1});
  for (const auto& system : resident_systems<TypeParam>(indefinite))
    resides_as_it_launches(system, {1, 2, -3}, params, 1e-5);
  // The start is large. The second product leaves the range of its numbers; until then the residual
  // is almost zero in that entry.
  const double large = tolerance<TypeParam>(1e12, 1e38), far = tolerance<TypeParam>(1e30, 1e150);
  const PlainCsr huge = small_matrix(3, {1, 0.1, 0, 0.1, 1, 0.1, 0, 0.1, large});
  const auto system = resident_systems<TypeParam>(huge)[0];
  resides_as_it_launches(system, {1, 0, 0}, params, 1e-5, {far, 0, 0});
  SolveResult result;
  params.launches = PcgLaunches::resident;
  solve<Cg<TypeParam>>(system, {1, 0, 0}, {far, 0, 0}, params, result);
  EXPECT_EQ(result.reason, StopReason::non_finite);
  EXPECT_EQ(result.non_finite_iteration, 2);
}

TYPED_TEST(PcgLaunchesTest, looks_beside_the_queue_conclude_the_same) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 4);
  const auto systems = all_systems<TypeParam>(exec, A);
  const auto check = [&](const System<TypeParam>& system, PcgParams params, StopReason reason,
                         const std::string& what) {
    SolveResult direct, recorded;
    for (const PcgScheme scheme : schemes) {
      params.scheme = scheme;
      params.launches = PcgLaunches::direct;
      const auto x = solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, direct);
      params.launches = PcgLaunches::recorded;
      const auto y = solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, recorded);
      EXPECT_TRUE(same_bits(x, y)) << what;
      EXPECT_EQ(direct.reason, reason) << what;
      EXPECT_EQ(recorded.reason, reason) << what;
      EXPECT_EQ(recorded.iterations, direct.iterations) << what;
      EXPECT_EQ(recorded.residual, direct.residual) << what;
      EXPECT_EQ(recorded.history.size(), direct.history.size()) << what;
    }
  };
  for (const int every : {1, 3, 10})
    for (const auto& [name, system] : systems) {
      PcgParams params;
      params.check_every = every;
      params.iterations = 900;
      const double wanted = 1e-3 * norm(b);
      params.stop = {};
      params.stop.absolute_residual = wanted;
      check(system, params, StopReason::converged, name + ", absolute");
      params.stop = {};
      params.stop.discrepancy = Discrepancy(0.5 * wanted, 2);
      check(system, params, StopReason::discrepancy, name + ", noise");
      // The rule was met long before. The device must not wait at any later check.
      params.stop = PcgParams::relative(0.5);
      params.stop.minimum_iterations = 33;
      check(system, params, StopReason::converged, name + ", minimum");
      // Without a preconditioner stagnation takes longer.
      params.stop = PcgParams::relative(0);
      if (name != "none") check(system, params, StopReason::stagnated, name + ", stagnation");
    }
}

TYPED_TEST(PcgLaunchesTest, a_monitor_of_records_leaves_the_queue_alone) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 6);
  const auto right_hand_side = make_vector<TypeParam>(exec, b);
  for (const auto& system : resident_systems<TypeParam>(A))
    for (const PcgLaunches launches :
         {PcgLaunches::direct, PcgLaunches::recorded, PcgLaunches::resident})
      for (const int last : {0, 4, 20}) {
        PcgParams params;
        params.scheme = PcgScheme::single_reduction;
        params.launches = launches;
        params.check_every = 4;
        params.iterations = 20;
        params.stop = PcgParams::relative(1e-30);
        params.monitor_sees_x = false;
        Pcg<TestSpace, TypeParam> solver(exec, A.rows, params);
        const auto x = make_vector<TypeParam>(exec, Values(b.size(), 0));
        std::vector<int> seen;
        bool told_last = false;
        const SolveResult result = solver.solve(
            exec, system, right_hand_side, x,
            [&](const TestSpace&, const MonitorState<TestSpace, TypeParam>& state) {
              EXPECT_EQ(state.x.extent(0), 0U);
              EXPECT_TRUE(state.record().residual);
              seen.push_back(state.record().iteration);
              told_last = state.last;
              return seen.back() == last ? MonitorAction::stop : MonitorAction::proceed;
            });
        // Iterations launched before the monitor was called are finished.
        const bool ahead =
            last == 4 && solver.variant(exec, system).launches != PcgLaunches::direct;
        const int end = ahead ? 8 : last;
        EXPECT_EQ(result.last_iteration(), end);
        EXPECT_EQ(told_last, ahead || last == 20);
        EXPECT_EQ(result.reason, last == 20 ? StopReason::max_iterations : StopReason::user_stop);
        ASSERT_EQ(result.history.size(), static_cast<std::size_t>(end) + 1);
        for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i], static_cast<int>(4 * i));
        EXPECT_EQ(seen.back(), end);
        SolveResult shorter;
        // After the last iteration the start is returned where its residual is smaller.
        const int returned = result.iterations;
        EXPECT_TRUE(returned == end || result.reason == StopReason::max_iterations);
        // Launched one by one, no iteration is ahead of the monitor.
        params.launches = PcgLaunches::direct;
        params.iterations = returned + 1;
        params.check_every = 1;
        const auto expected = solve<Cg<TypeParam>>(
            system, b, Values(b.size(), 0), params, shorter,
            [&](const TestSpace&, const MonitorState<TestSpace, TypeParam>& state) {
              return state.iteration == returned ? MonitorAction::stop : MonitorAction::proceed;
            });
        EXPECT_EQ(shorter.iterations, returned);
        EXPECT_LE(relative_difference(to_std_vector(x), expected),
                  tolerance<TypeParam>(1e-4, 1e-11));
      }
}

TYPED_TEST(PcgLaunchesTest, a_monitor_that_throws_leaves_a_solver_that_solves) {
  const TestSpace exec;
  const PlainCsr A = spd_matrix();
  const Values b = random_vector(A.rows, 6);
  const auto right_hand_side = make_vector<TypeParam>(exec, b);
  for (const PcgLaunches launches : {PcgLaunches::recorded, PcgLaunches::resident}) {
    PcgParams params;
    params.scheme = PcgScheme::single_reduction;
    params.launches = launches;
    params.check_every = 4;
    params.stop = PcgParams::relative(tolerance<TypeParam>(1e-4, 1e-10));
    params.stop.minimum_iterations = 10;
    params.monitor_sees_x = false;
    const auto system = resident_systems<TypeParam>(A)[1];
    Pcg<TestSpace, TypeParam> solver(exec, A.rows, params);
    const auto x = make_vector<TypeParam>(exec, Values(b.size(), 0));
    EXPECT_THROW(solver.solve(exec, system, right_hand_side, x,
                              [](const TestSpace&,
                                 const MonitorState<TestSpace, TypeParam>& state) -> MonitorAction {
                                if (state.record().iteration == 8) throw std::runtime_error("no");
                                return MonitorAction::proceed;
                              }),
                 std::runtime_error);
    Kokkos::deep_copy(exec, x, TypeParam(0));
    const SolveResult result = solver.solve(exec, system, right_hand_side, x);
    SolveResult direct;
    params.launches = PcgLaunches::direct;
    solve<Cg<TypeParam>>(system, b, Values(b.size(), 0), params, direct);
    EXPECT_EQ(result.reason, StopReason::converged);
    EXPECT_EQ(result.iterations, direct.iterations);
    EXPECT_EQ(result.history.size(), direct.history.size());
  }
}

TYPED_TEST(PcgLaunchesTest, the_way_is_told) {
  const TestSpace exec;
  const bool gpu = Impl::ResidentTeams<TestSpace>::count(exec) > 0;
  const PlainCsr A = spd_matrix();
  const auto variant = [&](const System<TypeParam>& system, PcgParams params, Ordinal columns = 1) {
    return Pcg<TestSpace, TypeParam>(exec, system.num_rows(), params, columns)
        .variant(exec, system);
  };
  const auto system = resident_systems<TypeParam>(A)[1];
  EXPECT_EQ(variant(system, {}).launches, gpu ? PcgLaunches::resident : PcgLaunches::direct);
  EXPECT_EQ(variant(system, {}).scheme, gpu ? PcgScheme::single_reduction : PcgScheme::standard);
  PcgParams resident;
  resident.launches = PcgLaunches::resident;
  // There is no such kernel for several right-hand sides, blocks and operators of users.
  EXPECT_NE(variant(system, resident, 2).launches, PcgLaunches::resident);
  for (const auto& [name, other] : all_systems<TypeParam>(exec, A))
    EXPECT_EQ(variant(other, resident).launches == PcgLaunches::resident,
              gpu && !other.needs_apply())
        << name;
  const SpoiltOperator<TypeParam> users{make_operator<TypeParam>(exec, A), 1000000};
  EXPECT_EQ(variant(System<TypeParam>(exec, users, PreconditionerOptions{PreconditionerKind::none}),
                    resident)
                .launches,
            PcgLaunches::direct);
  PcgParams change;
  change.stop.relative_change = 1e-3;
  EXPECT_EQ(variant(system, change).scheme, PcgScheme::standard);
  change.launches = PcgLaunches::resident;
  EXPECT_THROW(validated(change), Error);
  resident.scheme = PcgScheme::standard;
  EXPECT_THROW(validated(resident), Error);
}

}  // namespace
