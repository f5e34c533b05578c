// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules by themselves, and every stop reason reached by a solver.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_KeptRecords.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>
#include <impl/Tomokkos_SolveLoop.hpp>
#include <random>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

IterationRecord record(int iteration, double residual, double rhs_norm, double change,
                       double x_norm) {
  IterationRecord r;
  r.iteration = iteration;
  r.residual = residual;
  r.relative_residual = residual / rhs_norm;
  r.change = change;
  r.relative_change = change / x_norm;
  return r;
}

TEST(StopRules, nothing_is_active_by_default) {
  EXPECT_FALSE(StopRules{}.any());
  EXPECT_FALSE(evaluate({}, record(3, 0, 1, 0, 1)));
}

TEST(StopRules, each_rule_at_its_limit) {
  StopRules rules;
  rules.relative_residual = 0.5;
  EXPECT_EQ(evaluate(rules, record(1, 2, 4, 9, 1)), StopReason::converged);
  EXPECT_FALSE(evaluate(rules, record(1, 2.001, 4, 9, 1)));
  rules = {};
  rules.discrepancy = Discrepancy(3, 1.5);
  EXPECT_TRUE(rules.any());
  EXPECT_EQ(evaluate(rules, record(1, 4.5, 4, 9, 1)), StopReason::discrepancy);
  EXPECT_FALSE(evaluate(rules, record(1, 4.6, 4, 9, 1)));
  rules = {};
  rules.relative_change = 0.25;
  EXPECT_TRUE(rules.any());
  EXPECT_EQ(evaluate(rules, record(1, 9, 4, 0.5, 2)), StopReason::relative_change);
  EXPECT_FALSE(evaluate(rules, record(1, 9, 4, 0.6, 2)));
  EXPECT_FALSE(evaluate(rules, IterationRecord{}));  // nothing was measured
}

/// Returns whether `ncp` stops at the last of these distances, measured at every iterate from the
/// start on.
bool ncp_stops_at(const Values& distances, int minimum = 0) {
  StopRules rules;
  rules.ncp = WhiteNoise{};
  rules.minimum_iterations = minimum;
  std::vector<IterationRecord> history;
  for (const double distance : distances) {
    history.emplace_back();
    history.back().iteration = static_cast<int>(history.size()) - 1;
    if (distance > 0) history.back().ncp = distance;
  }
  return evaluate(rules, history, 1) == StopReason::white_residual;
}

// The history of a long solve holds a part of its records.
TEST(KeptRecords, are_few_and_as_good_as_all) {
  StopRules rules, slow;
  rules.ncp = WhiteNoise{};
  slow.residual_decrease = ResidualDecrease(0.01, 10);
  for (const int check_every : {1, 3, 4, 2500}) {
    const KeptRecords kept(check_every);
    std::vector<IterationRecord> all, thinned;
    int stops = 0, best = 0;
    for (int k = 0; k < 6000; ++k) {
      IterationRecord record;
      record.iteration = k;
      // Waves that get longer, until one rises ten times in succession.
      if (k % check_every == 0)
        record.ncp = 2 + std::sin(300 * std::log(1 + static_cast<double>(k / check_every)));
      record.residual = record.ncp;
      all.push_back(record);
      thinned.push_back(record);
      if (k == 2047) {
        EXPECT_EQ(thinned.size(), 2048u);
      }
      if (k == 3007) best = k;
      // The times at which records are dropped do not matter.
      if (k % 7 == 0 || k % 1000 > 900) kept.thin(thinned, best);
      const auto reason = evaluate(rules, all, check_every);
      ASSERT_EQ(reason, evaluate(rules, thinned, check_every)) << k;
      ASSERT_EQ(evaluate(slow, all, check_every), evaluate(slow, thinned, check_every)) << k;
      stops += reason ? 1 : 0;
    }
    kept.thin(all, best);
    kept.thin(thinned, best);
    EXPECT_EQ(stops > 0, check_every < 2500);
    ASSERT_EQ(all.size(), thinned.size());
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].iteration, thinned[i].iteration);
    EXPECT_EQ(all.front().iteration, 0);
    EXPECT_EQ(all.back().iteration, 5999);
    EXPECT_EQ(first_after(all, 3006)->iteration, 3007);
    EXPECT_GT(all.size(), 1024u);
    EXPECT_LT(all.size(), 4110u);
  }
  EXPECT_EQ(KeptRecords::step(2047), 1);
  EXPECT_EQ(KeptRecords::step(2048), 2);
  EXPECT_EQ(KeptRecords::step(2147483647), 1 << 20);
}

TEST(KeptRecords, include_the_iterate_that_a_solver_may_return) {
  const TestSpace exec;
  constexpr int iterations = 2100, best = 7;
  Impl::IterationLog<TestSpace> log(exec, iterations);
  const Vector<int, TestSpace::memory_space> active("active", 1);
  const StopRules rules;
  const Monitor<TestSpace, double> no_monitor;
  Impl::SolveLoop<TestSpace, double> loop(exec, log, active, Impl::Objective::none, iterations, 2,
                                          rules, no_monitor, {1.0});
  loop.set_best([](std::size_t) { return best; });
  int k = 0;
  while (!loop.check_iterate(exec, k, {})) ++k;
  std::vector<int> odd;
  for (const IterationRecord& record : loop.result(0).history)
    if (record.iteration % 2 != 0) odd.push_back(record.iteration);
  EXPECT_EQ(odd, std::vector<int>{best});
  EXPECT_EQ(loop.result(0).history.size(), static_cast<std::size_t>(iterations) / 2 + 2);
}

TEST(StopRules, white_noise_needs_a_distance_that_has_halved) {
  EXPECT_TRUE(ncp_stops_at({0.56, 0.5, 0.2, 0.21}));
  EXPECT_TRUE(ncp_stops_at({0.56, 0.5, 0.24, 0.25}));
  EXPECT_FALSE(ncp_stops_at({0.56, 0.5, 0.24, 0.26}));  // more than half of the first
  EXPECT_FALSE(ncp_stops_at({0.56, 0.5, 0.2, 0.2}));
  EXPECT_FALSE(ncp_stops_at({0.56, 0.5, 0.21, 0.2}));
  EXPECT_FALSE(ncp_stops_at({0.56, 0.5, 0.2, 0.21}, 4));
  // A rise from the start, or among the first iterates, says nothing.
  EXPECT_FALSE(ncp_stops_at({0.5615, 0.5643}));
  EXPECT_FALSE(ncp_stops_at({0.2, 0.5643, 0.27}));
  EXPECT_FALSE(ncp_stops_at({0.56, 0.55, 0.551}));
  EXPECT_FALSE(ncp_stops_at({0.56}));
  EXPECT_FALSE(ncp_stops_at({}));
  // Iterates without a measurement do not count.
  EXPECT_TRUE(ncp_stops_at({0.56, 0, 0.5, 0, 0.2, 0, 0.21}));
  EXPECT_FALSE(ncp_stops_at({0.56, 0, 0.5, 0, 0.2, 0.21, 0}));
}

TEST(StopRules, correlated_noise_ends_after_ten_rises) {
  Values distances{0.1, 0.4, 0.3};
  for (int rise = 1; rise < WhiteNoise::rises; ++rise) {
    distances.push_back(distances.back() + 1e-3);
    EXPECT_FALSE(ncp_stops_at(distances)) << rise;
  }
  Values interrupted = distances;
  interrupted.push_back(interrupted.back());
  EXPECT_FALSE(ncp_stops_at(interrupted));
  distances.push_back(distances.back() + 1e-3);
  EXPECT_TRUE(ncp_stops_at(distances));
}

TEST(StopRules, a_white_residual_that_is_large_is_doubtful) {
  SolveResult result;
  result.reason = StopReason::white_residual;
  result.relative_residual = 0.21;
  EXPECT_TRUE(is_doubtful(result));
  result.relative_residual = 0.19;
  EXPECT_FALSE(is_doubtful(result));
  result.relative_residual = 0.9;
  result.reason = StopReason::discrepancy;
  EXPECT_FALSE(is_doubtful(result));
}

TEST(StopRules, the_residual_limit_is_the_largest_that_a_rule_accepts) {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> exponent(-40, 40);
  for (int i = 0; i < 2000; ++i) {
    const double norm = std::exp2(exponent(random)), level = std::exp2(exponent(random));
    StopRules rules;
    if (i % 2) rules.relative_residual = std::exp2(0.5 * exponent(random));
    if (i % 3) rules.absolute_residual = std::exp2(exponent(random));
    if (i % 5) rules.discrepancy = Discrepancy(level, 1.3);
    const double limit = residual_limit(rules, norm);
    const double above = std::nextafter(limit, std::numeric_limits<double>::infinity());
    EXPECT_FALSE(evaluate(rules, record(1, above, norm, 9, 1)));
    if (rules.any()) {
      EXPECT_TRUE(evaluate(rules, record(1, limit, norm, 9, 1)));
    } else {
      EXPECT_EQ(limit, 0);
    }
  }
  StopRules rules;
  rules.discrepancy.emplace().noise_levels = {3, 5};
  EXPECT_EQ(residual_limit(rules, 1, 1), 5);
  rules.relative_residual = 0;  // for quotients that underflow to 0
  rules.discrepancy->noise_levels = {0};
  const double tiny = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(evaluate(rules, record(1, 1000 * tiny, 1e5, 9, 1)));
  EXPECT_GE(residual_limit(rules, 1e5), 1000 * tiny);
}

TEST(StopRules, a_residual_that_hardly_falls) {
  StopRules rules;
  rules.residual_decrease = ResidualDecrease(0.1, 2);
  // Residuals at every second iterate, which the host checks.
  const auto stops = [&](const Values& residuals) {
    std::vector<IterationRecord> history;
    for (const double residual : residuals) {
      IterationRecord checked, between;
      checked.iteration = static_cast<int>(history.size());
      between.iteration = checked.iteration + 1;
      if (residual > 0) checked.residual = residual;
      history.insert(history.end(), {checked, between});
    }
    history.pop_back();
    return evaluate(rules, history, 2) == StopReason::residual_decrease;
  };
  EXPECT_TRUE(stops({9, 8.5, 8.2}));
  EXPECT_TRUE(stops({4, 9, 7, 9}));  // it has risen
  EXPECT_FALSE(stops({9, 8.9, 8}));
  EXPECT_FALSE(stops({9, 9}));     // too few checks
  EXPECT_FALSE(stops({9, 9, 0}));  // nothing was measured
  EXPECT_FALSE(stops({0, 9, 9}));
  rules.minimum_iterations = 5;
  EXPECT_FALSE(stops({9, 9, 9}));
  EXPECT_TRUE(stops({9, 9, 9, 9}));
  for (const auto& wrong :
       {ResidualDecrease(1), ResidualDecrease(0.1, 0), ResidualDecrease(0.1, 11)}) {
    rules.residual_decrease = wrong;
    EXPECT_TRUE(contains(error_of([&] { validate(rules); }), "residual_decrease"));
  }
}

TEST(StopRules, precedence_minimum_and_stagnation) {
  StopRules rules;
  rules.relative_residual = 1;
  rules.discrepancy = Discrepancy(100);
  rules.relative_change = 1;
  EXPECT_EQ(evaluate(rules, record(5, 1, 4, 0, 2)), StopReason::converged);
  EXPECT_EQ(evaluate(rules, record(5, 5, 4, 0, 2)), StopReason::discrepancy);
  EXPECT_EQ(evaluate(rules, record(5, 500, 4, 0, 2)), StopReason::relative_change);
  rules.minimum_iterations = 6;
  EXPECT_FALSE(evaluate(rules, record(5, 1, 4, 1, 2)));
  EXPECT_EQ(evaluate(rules, record(6, 1, 4, 1, 2)), StopReason::converged);
  rules = {};
  rules.relative_residual = 1e-30;
  EXPECT_EQ(evaluate(rules, record(5, 1, 4, 0, 2)), StopReason::stagnated);
  EXPECT_FALSE(evaluate(rules, record(5, 1, 4, 1e-30, 2)));
  EXPECT_FALSE(evaluate(rules, record(5, std::nan(""), 4, std::nan(""), 2)));
}

TEST(StopRules, refuses_senseless_tolerances) {
  StopRules rules;
  rules.discrepancy = Discrepancy(std::nan(""));
  EXPECT_TRUE(contains(error_of([&] { validate(rules); }), "noise_level"));
  rules = {};
  rules.relative_residual = -1e-3;
  EXPECT_TRUE(contains(error_of([&] { validate(rules); }), "relative_residual"));
  rules = {};
  rules.minimum_iterations = -1;
  EXPECT_TRUE(contains(error_of([&] { validate(rules); }), "minimum_iterations"));
}

TEST(StopReasons, have_names) {
  EXPECT_EQ(to_string(StopReason::max_iterations), "max_iterations");
  EXPECT_EQ(to_string(StopReason::interrupted), "interrupted");
  for (const auto& [reason, name] : EnumNames<StopReason>::names)
    EXPECT_EQ(from_string<StopReason>(name), reason);
  EXPECT_FALSE(from_string<StopReason>("because"));
}

struct Problem {
  PlainCsr A = positive_matrix();
  Values clean = multiply(A, positive_vector(A.columns, 3));
  Values noisy = clean;
  Values start = Values(A.columns, 1);
  double noise = 0;
  Problem() {
    const Values error = random_vector(A.rows, 9);
    double squared = 0;
    for (std::size_t i = 0; i < noisy.size(); ++i) {
      noisy[i] = static_cast<float>(std::max(0.0, clean[i] + 0.05 * error[i]));
      squared += (noisy[i] - clean[i]) * (noisy[i] - clean[i]);
    }
    noise = std::sqrt(squared);
  }
};

/// Makes the parameters of any solver with `iterations` and `rules`.
template <class Params>
Params make_params(int iterations, int check_every, const StopRules& rules = {}) {
  Params params;
  if constexpr (requires { params.sweeps; })
    params.sweeps = iterations;
  else
    params.iterations = iterations;
  params.check_every = check_every;
  params.stop = rules;
  return params;
}

template <class Solver>
class EverySolver : public ::testing::Test {};
using Solvers =
    ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>, Sirt<TestSpace, float>,
                     Sirt<TestSpace, double>, Cgls<TestSpace, float>, Cgls<TestSpace, double>,
                     Art<TestSpace, float>, Art<TestSpace, double>>;
TYPED_TEST_SUITE(EverySolver, Solvers);

TYPED_TEST(EverySolver, runs_all_iterations_without_rules) {
  const Problem p;
  const auto params = make_params<typename TypeParam::params_type>(7, 3);
  SolveResult result;
  run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start, params, &result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.iterations, 7);
  ASSERT_EQ(result.history.size(), 8u);
  for (int k = 0; k < 8; ++k) EXPECT_EQ(result.history[k].iteration, k);
  EXPECT_FALSE(result.history[0].change);
  EXPECT_GT(*result.history[7].relative_change, 0);
}

TYPED_TEST(EverySolver, returns_the_start_after_no_iterations) {
  const Problem p;
  const auto params = make_params<typename TypeParam::params_type>(0, 3);
  SolveResult result;
  Values start = p.start;
  start[11] = 0;  // the voxel that MLEM sets to 0
  const auto x = run_solver<TypeParam>(TestSpace(), p.A, p.noisy, start, params, &result);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(Values(x.begin(), x.end()), start);
  EXPECT_NEAR(result.residual, plain_residual(p.A, p.noisy, start), 1e-4);
}

TYPED_TEST(EverySolver, returns_the_iterate_that_met_the_discrepancy) {
  using Params = typename TypeParam::params_type;
  const Problem p;
  StopRules rules;
  rules.discrepancy = Discrepancy(p.noise, 1.2);
  for (const int check_every : {1, 4}) {
    Params params = make_params<Params>(20000, check_every, rules);
    // For inconsistent data Kaczmarz ends in a cycle; a small relaxation makes it narrower.
    if constexpr (std::is_same_v<Params, ArtParams>) params.relaxation = 0.2;
    SolveResult result;
    const auto x = run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start, params, &result);
    EXPECT_EQ(result.reason, StopReason::discrepancy);
    EXPECT_LT(result.iterations, 20000);
    EXPECT_EQ(result.iterations % check_every, 0);
    EXPECT_LE(result.residual, 1.2 * p.noise);
    EXPECT_NEAR(result.residual, plain_residual(p.A, p.noisy, x), 1e-4);
    ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations + 1));
    if (check_every == 1) {
      EXPECT_GT(*result.history[result.iterations - 1].residual, 1.2 * p.noise);
    }
    // The same number of iterations without a rule gives the same image.
    Params without_rule = make_params<Params>(result.iterations, 5);
    if constexpr (std::is_same_v<Params, ArtParams>) without_rule.relaxation = 0.2;
    const auto plain = run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start, without_rule);
    EXPECT_TRUE(same_bits(x, plain));
  }
}

TYPED_TEST(EverySolver, converges_on_the_true_residual) {
  const Problem p;
  StopRules rules;
  rules.relative_residual = 2e-2;
  const auto params = make_params<typename TypeParam::params_type>(20000, 2, rules);
  SolveResult result;
  const auto x = run_solver<TypeParam>(TestSpace(), p.A, p.clean, p.start, params, &result);
  EXPECT_EQ(result.reason, StopReason::converged);
  EXPECT_LE(result.relative_residual, 2e-2);
  EXPECT_NEAR(result.residual, plain_residual(p.A, p.clean, x), 1e-4);
  EXPECT_NEAR(result.rhs_norm, norm(p.clean), 1e-5 * norm(p.clean));
}

TYPED_TEST(EverySolver, stops_where_x_hardly_changes) {
  const Problem p;
  StopRules rules;
  rules.relative_change = 3e-3;
  const auto params = make_params<typename TypeParam::params_type>(20000, 1, rules);
  SolveResult result;
  run_solver<TypeParam>(TestSpace(), p.A, p.clean, p.start, params, &result);
  EXPECT_EQ(result.reason, StopReason::relative_change);
  EXPECT_LE(*result.history.back().relative_change, 3e-3);
  EXPECT_GT(*result.history[result.history.size() - 2].relative_change, 3e-3);
}

TYPED_TEST(EverySolver, stops_where_the_residual_hardly_falls) {
  using Params = typename TypeParam::params_type;
  const Problem p;
  for (const int check_every : {1, 3}) {
    SolveResult result;
    StopRules rules;
    rules.residual_decrease = ResidualDecrease(0.02, 4);
    run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start,
                          make_params<Params>(600, check_every, rules), &result);
    EXPECT_EQ(result.reason, StopReason::residual_decrease);
    EXPECT_EQ(result.iterations % check_every, 0);
    const auto falls = [&](int k) {
      return *result.history[k].residual <= 0.98 * *result.history[k - 4 * check_every].residual;
    };
    for (int k = 4 * check_every; k < result.iterations; k += check_every)
      EXPECT_TRUE(falls(k)) << k;
    EXPECT_FALSE(falls(result.iterations));
  }
}

TEST(StopRules, of_slices_must_be_as_many) {
  const TestSpace exec;
  SirtParams params;
  params.stop.discrepancy.emplace().noise_levels = {1.0};
  Sirt<TestSpace, double> solver(exec, 30, 30, params, 2);
  const auto A = make_operator<double>(exec, blur_matrix(30));
  const MultiVector<double, TestSpace::memory_space> B("B", 30, 2), X("X", 30, 2);
  Kokkos::deep_copy(B, 1.0);
  EXPECT_TRUE(contains(error_of([&] {
                         solver.solve(exec, A,
                                      MultiVectorView<const double, TestSpace::memory_space>(B),
                                      MultiVectorView<double, TestSpace::memory_space>(X));
                       }),
                       "number of noise levels is 1"));
}

TYPED_TEST(EverySolver, obeys_the_monitor) {
  using Scalar = typename TypeParam::scalar_type;
  const Problem p;
  for (const auto action : {MonitorAction::stop, MonitorAction::interrupt}) {
    std::vector<int> seen;
    std::vector<bool> last;
    std::vector<Scalar> shown;
    const Monitor<TestSpace, Scalar> monitor = [&](const TestSpace&,
                                                   const MonitorState<TestSpace, Scalar>& state) {
      seen.push_back(state.record().iteration);
      last.push_back(state.last);
      EXPECT_TRUE(state.record().residual);
      shown = to_std_vector(as_vector(state.x));
      return state.record().iteration == 6 ? action : MonitorAction::proceed;
    };
    SolveResult result;
    const auto x = run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start,
                                         make_params<typename TypeParam::params_type>(50, 3),
                                         &result, monitor);
    EXPECT_EQ(result.reason,
              action == MonitorAction::stop ? StopReason::user_stop : StopReason::interrupted);
    EXPECT_EQ(result.iterations, 6);
    EXPECT_EQ(seen, (std::vector<int>{0, 3, 6}));
    EXPECT_EQ(last, (std::vector<bool>{false, false, false}));
    EXPECT_TRUE(same_bits(x, shown));
    seen.clear();
    last.clear();
    run_solver<TypeParam>(TestSpace(), p.A, p.noisy, p.start,
                          make_params<typename TypeParam::params_type>(5, 3), &result, monitor);
    EXPECT_EQ(seen, (std::vector<int>{0, 3, 5}));
    EXPECT_EQ(last, (std::vector<bool>{false, false, true}));
    EXPECT_EQ(result.reason, StopReason::max_iterations);
  }
}

TYPED_TEST(EverySolver, names_the_iterate_that_is_not_finite) {
  using Scalar = typename TypeParam::scalar_type;
  const bool is_mlem = std::is_same_v<typename TypeParam::params_type, MlemParams>;
  // In MLEM the ratio overflows. The other solvers get a start that is already infinite.
  PlainCsr A;
  A.columns = 2;
  A.add(0, 1), A.end_row();
  A.add(1, 1), A.end_row();
  const double huge = std::numeric_limits<Scalar>::max();
  const Values b{huge, 1};
  const Values start{is_mlem ? 1e-3 : std::numeric_limits<double>::infinity(), 1};
  for (const int check_every : {1, 100}) {
    SolveResult result;
    run_solver<TypeParam>(TestSpace(), A, b, start,
                          make_params<typename TypeParam::params_type>(9, check_every), &result);
    EXPECT_EQ(result.reason, StopReason::non_finite);
    ASSERT_TRUE(result.non_finite_iteration);
    EXPECT_LE(*result.non_finite_iteration, 1);
    EXPECT_FALSE(std::isfinite(result.residual));
  }
}

TEST(IterationLog, keeps_the_history_of_any_number_of_iterations) {
  // More iterates than the device holds before the host must fetch them.
  const TestSpace exec;
  const int iterations = 140000;
  Impl::IterationLog<TestSpace> log(exec, iterations);
  log.begin(exec);
  std::vector<SolveResult> results(1);
  results[0].rhs_norm = 2;
  int fetched = 0;
  for (int k = 0; k <= iterations; ++k) {
    if (k % 9973 == 0)
      Kokkos::deep_copy(exec, log.slot(k, Impl::RecordField::residual_squared), 4.0 + k);
    if (!log.full(k) && k < iterations) continue;
    log.collect(exec, k, Impl::Objective::none, results, {1});
    ++fetched;
  }
  EXPECT_EQ(fetched, 3);
  const auto& history = results[0].history;
  ASSERT_EQ(history.size(), static_cast<std::size_t>(iterations + 1));
  for (int k = 0; k <= iterations; ++k) {
    ASSERT_EQ(history[k].iteration, k);
    ASSERT_EQ(history[k].residual.has_value(), k % 9973 == 0);
    if (k % 9973 == 0) {
      ASSERT_DOUBLE_EQ(*history[k].relative_residual, std::sqrt(4.0 + k) / 2);
    }
  }
}

TEST(StopReasons, stagnated) {
  // Inconsistent: the residual cannot fall below 3, and x stops changing.
  PlainCsr A;
  A.columns = 1;
  A.add(0, 1), A.end_row();
  A.end_row();
  StopRules rules;
  rules.relative_residual = 1e-3;
  SolveResult result;
  run_solver<Sirt<TestSpace, float>>(TestSpace(), A, {2, 3}, {0},
                                     make_params<SirtParams>(1000, 5, rules), &result);
  EXPECT_EQ(result.reason, StopReason::stagnated);
  EXPECT_NEAR(result.residual, 3, 1e-6);
  EXPECT_EQ(result.iterations, 5);
}

}  // namespace
