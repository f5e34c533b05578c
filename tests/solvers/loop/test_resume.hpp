// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A solve that is resumed from its progress ends like one that was never interrupted: with the same
// bits and the same history, for stacks whose slices end separately, with and without subsets.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_BlockArt.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Lsmr.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

constexpr std::size_t slices = 4;

/// Zero data, data that are met exactly (and meet a rule early), and two slices that continue.
struct Measured {
  PlainCsr A = positive_matrix();
  std::vector<Values> data;
  Values ones;
  Measured() {
    for (unsigned j = 0; j < slices; ++j) data.push_back(positive_vector(A.rows, 3 + j, 9));
    data[1].assign(static_cast<std::size_t>(A.rows), 0);
    const Values flat(static_cast<std::size_t>(A.columns), 1);
    data[2] = multiply(A, flat);
    ones.assign(static_cast<std::size_t>(A.columns), 1.02);
  }
};

template <class Scalar>
struct Run {
  std::vector<SolveResult> results;
  std::vector<Scalar> x;
  std::vector<int> seen;
  SolveProgress progress;  // progress at iterate `keep`, with the image of that iterate
  std::vector<Scalar> kept;
};

/// Solves the stack, from `progress` and `start` if given, and keeps iterate `keep`.
template <class Solver>
auto run(const Measured& p, const typename Solver::params_type& params,
         const std::vector<typename Solver::scalar_type>& start, int keep,
         const SolveProgress* progress = nullptr) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, p.A);
  const auto B = make_vector<Scalar>(exec, interleave(p.data));
  const auto x = make_vector<Scalar>(exec, Values(start.begin(), start.end()));
  Solver solver(exec, p.A.rows, p.A.columns, params, slices);
  if (progress != nullptr) solver.resume(*progress);
  Run<Scalar> result;
  result.results =
      solver.solve(exec, op, MultiVectorView<const Scalar, MemorySpace>(B.data(), p.A.rows, slices),
                   MultiVectorView<Scalar, MemorySpace>(x.data(), p.A.columns, slices),
                   [&](const TestSpace&, const MonitorState<TestSpace, Scalar>& state) {
                     result.seen.push_back(state.iteration);
                     if (state.iteration == keep) {
                       result.progress = state.progress();
                       result.kept = to_std_vector(as_vector(state.x));
                     }
                     return MonitorAction::proceed;
                   });
  result.x = to_std_vector(x);
  return result;
}

void expect_same_record(const IterationRecord& a, const IterationRecord& b) {
  EXPECT_EQ(a.iteration, b.iteration);
  EXPECT_EQ(a.residual, b.residual) << a.iteration;
  EXPECT_EQ(a.relative_residual, b.relative_residual) << a.iteration;
  EXPECT_EQ(a.change, b.change) << a.iteration;
  EXPECT_EQ(a.relative_change, b.relative_change) << a.iteration;
  EXPECT_EQ(a.log_likelihood, b.log_likelihood) << a.iteration;
  EXPECT_EQ(a.model_counts, b.model_counts) << a.iteration;
}

void expect_same_result(const SolveResult& a, const SolveResult& b) {
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.rhs_norm, b.rhs_norm);
  expect_same_figures(a, b);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t k = 0; k < a.history.size(); ++k) expect_same_record(a.history[k], b.history[k]);
}

template <class Solver>
class ResumeTest : public ::testing::Test {};
using Solvers = ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>,
                                 Sirt<TestSpace, float>, Sirt<TestSpace, double>>;
TYPED_TEST_SUITE(ResumeTest, Solvers);

TYPED_TEST(ResumeTest, ends_as_if_it_had_not_been_interrupted) {
  using Scalar = typename TypeParam::scalar_type;
  const Measured p;
  Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  const std::vector<Scalar> first(start.begin(), start.end());
  for (const int subsets : {1, 6}) {
    typename TypeParam::params_type params;
    params.iterations = 30;
    params.check_every = 5;
    params.subsets = subsets;
    params.stop.relative_residual = 4e-3;
    const auto whole = run<TypeParam>(p, params, first, 15);
    // Slices end at different times, some of them after iterate 15.
    EXPECT_EQ(whole.results[0].iterations, 30);
    EXPECT_LT(whole.results[2].iterations, 15);
    EXPECT_EQ(whole.progress.active[1], whole.results[1].reason != StopReason::zero_rhs);
    EXPECT_FALSE(whole.progress.active[2]);
    EXPECT_TRUE(whole.progress.active[3]);
    EXPECT_EQ(whole.progress.results[3].history.size(), 16u);

    const auto resumed = run<TypeParam>(p, params, whole.kept, 30, &whole.progress);
    EXPECT_TRUE(same_bits(resumed.x, whole.x)) << subsets << " subsets";
    EXPECT_FALSE(same_bits(whole.kept, whole.x));
    EXPECT_EQ(resumed.seen, (std::vector<int>{20, 25, 30}));
    for (std::size_t j = 0; j < slices; ++j)
      expect_same_result(resumed.results[j], whole.results[j]);

    // A finished run continues if there are more iterations, and otherwise ends as before.
    const auto again = run<TypeParam>(p, params, resumed.kept, 30, &resumed.progress);
    EXPECT_TRUE(same_bits(again.x, whole.x));
    EXPECT_TRUE(again.seen.empty());
    for (std::size_t j = 0; j < slices; ++j) expect_same_result(again.results[j], whole.results[j]);
    params.iterations = 40;
    const auto longer = run<TypeParam>(p, params, resumed.kept, -1, &resumed.progress);
    const auto all_of_it = run<TypeParam>(p, params, first, -1);
    EXPECT_TRUE(same_bits(longer.x, all_of_it.x));
    for (std::size_t j = 0; j < slices; ++j)
      expect_same_result(longer.results[j], all_of_it.results[j]);

    // The progress is used for one solve only.
    params.iterations = 10;
    EXPECT_TRUE(
        contains(error_of([&] { run<TypeParam>(p, params, whole.kept, -1, &whole.progress); }),
                 "iterate 15 cannot be resumed by a solver whose number of iterations is 10"));
  }
}

TYPED_TEST(ResumeTest, forgets_what_a_last_look_found_where_none_is_due) {
  using Scalar = typename TypeParam::scalar_type;
  const Measured p;
  const Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  const std::vector<Scalar> first(start.begin(), start.end());
  for (const int subsets : {1, 6}) {
    typename TypeParam::params_type params;
    params.check_every = 5;
    params.subsets = subsets;
    params.stop.relative_residual = 4e-3;
    params.iterations = 30;
    const auto whole = run<TypeParam>(p, params, first, -1);
    // Rules end slices at an iterate that the whole solve does not check.
    bool any_ended = false;
    for (params.iterations = 1; params.iterations < 5; ++params.iterations) {
      const auto part = run<TypeParam>(p, params, first, params.iterations);
      auto longer = params;
      longer.iterations = 30;
      const auto resumed = run<TypeParam>(p, longer, part.kept, -1, &part.progress);
      EXPECT_TRUE(same_bits(resumed.x, whole.x));
      for (std::size_t j = 0; j < slices; ++j) {
        any_ended = any_ended || part.results[j].reason == StopReason::converged;
        expect_same_result(resumed.results[j], whole.results[j]);
      }
    }
    EXPECT_TRUE(any_ended);
  }
}

TYPED_TEST(ResumeTest, a_slice_with_an_infinity_stays_as_it_is) {
  using Scalar = typename TypeParam::scalar_type;
  if (std::is_same_v<Scalar, double>) return;  // float leaves its range sooner
  Measured p;
  for (auto& value : p.data[3]) value = 3e38;
  Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  typename TypeParam::params_type params;
  params.iterations = 12;
  params.check_every = 2;
  const auto whole = run<TypeParam>(p, params, {start.begin(), start.end()}, 6);
  ASSERT_EQ(whole.results[3].reason, StopReason::non_finite);
  const auto resumed = run<TypeParam>(p, params, whole.kept, -1, &whole.progress);
  EXPECT_TRUE(same_bits(resumed.x, whole.x));
  EXPECT_EQ(resumed.results[3].reason, StopReason::non_finite);
  EXPECT_EQ(resumed.results[3].non_finite_iteration, whole.results[3].non_finite_iteration);
}

TYPED_TEST(ResumeTest, is_for_one_solve_also_where_that_throws) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const Measured p;
  typename TypeParam::params_type params;
  params.iterations = 4;
  TypeParam solver(exec, p.A.rows, p.A.columns, params);
  const auto op = make_operator<Scalar>(exec, p.A);
  const auto b = make_vector<Scalar>(exec, p.data[0]);
  const auto x = make_vector<Scalar>(exec, p.ones);
  const auto short_b = make_vector<Scalar>(exec, Values(3, 1));
  SolveProgress progress;
  const SolveResult first = solver.solve(exec, op, b, x);
  progress.iteration = 2;
  progress.results = {first};
  progress.active = {true};
  solver.resume(progress);
  EXPECT_THROW(solver.solve(exec, op, short_b, x), Error);
  Kokkos::deep_copy(x, make_vector<Scalar>(exec, p.ones));
  const SolveResult second = solver.solve(exec, op, b, x);
  EXPECT_EQ(second.history.front().iteration, 0);
  EXPECT_EQ(second.residual, first.residual);
  // Invalid progress is refused.
  progress.active = {};
  solver.resume(progress);
  EXPECT_TRUE(contains(error_of([&] { solver.solve(exec, op, b, x); }), "flags of the progress"));
  progress.active = {true};
  progress.results.front().history.clear();
  solver.resume(progress);
  EXPECT_TRUE(contains(error_of([&] { solver.solve(exec, op, b, x); }), "has no history"));
}

TEST(Resume, what_is_no_progress_of_the_solver_is_refused) {
  const TestSpace exec;
  const Measured p;
  Mlem<TestSpace, double> other(exec, p.A.rows, p.A.columns);
  other.resume({});
  const auto op = make_operator<double>(exec, p.A);
  const auto b = make_vector<double>(exec, p.data[0]);
  const auto x = make_vector<double>(exec, p.ones);
  EXPECT_TRUE(contains(error_of([&] { other.solve(exec, op, b, x); }), "slices of the progress"));
}

// The history holds a part of the iterates, and the interruption does not show.
TEST(Resume, long_solves_keep_the_records_of_a_whole_one) {
  const Measured p;
  const Values first = interleave({p.ones, p.ones, p.ones, p.ones});
  SirtParams params;
  params.iterations = 2300;
  params.check_every = 4;
  const auto whole = run<Sirt<TestSpace, double>>(p, params, first, 2200);
  for (const int end : {2200, 2250}) {  // at a check, and between two
    params.iterations = end;
    const auto part = run<Sirt<TestSpace, double>>(p, params, first, end);
    EXPECT_LT(part.progress.results[3].history.size(), 1200u);
    params.iterations = 2300;
    const auto rest = run<Sirt<TestSpace, double>>(p, params, part.kept, -1, &part.progress);
    EXPECT_TRUE(same_bits(rest.x, whole.x));
    for (std::size_t j = 0; j < slices; ++j) expect_same_result(rest.results[j], whole.results[j]);
  }
  const auto& history = whole.results[3].history;
  ASSERT_EQ(history.size(), 1151u);  // every second
  for (std::size_t i = 0; i < history.size(); ++i) {
    EXPECT_EQ(history[i].iteration, static_cast<int>(2 * i));
    EXPECT_TRUE(history[i].residual) << i;
  }
}

/// Solves one slice by sweeps over rows, from `progress` and `start` if given, and keeps iterate
/// `keep`.
template <class Solver>
auto sweep(const Measured& p, const typename Solver::params_type& params,
           const std::vector<typename Solver::scalar_type>& start, int keep,
           const SolveProgress* progress = nullptr) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, p.A);
  const auto b = make_vector<Scalar>(exec, p.data[3]);
  const auto x = make_vector<Scalar>(exec, Values(start.begin(), start.end()));
  Solver solver(exec, p.A.rows, p.A.columns, params);
  if (progress != nullptr) solver.resume(*progress);
  Run<Scalar> result;
  result.results = {solver.solve(
      exec, op, b, x, [&](const TestSpace&, const MonitorState<TestSpace, Scalar>& state) {
        if (state.iteration == keep) {
          result.progress = state.progress();
          result.kept = to_std_vector(as_vector(state.x));
        }
        return MonitorAction::proceed;
      })};
  result.x = to_std_vector(x);
  return result;
}

template <class Solver>
class ResumedSweeps : public ::testing::Test {};
using SweepSolvers = ::testing::Types<Art<TestSpace, float>, Art<TestSpace, double>,
                                      BlockArt<TestSpace, float>, BlockArt<TestSpace, double>>;
TYPED_TEST_SUITE(ResumedSweeps, SweepSolvers);

TYPED_TEST(ResumedSweeps, end_as_if_they_had_not_been_interrupted) {
  using Scalar = typename TypeParam::scalar_type;
  const Measured p;
  const std::vector<Scalar> first(p.ones.begin(), p.ones.end());
  for (const bool records : {true, false}) {
    typename TypeParam::params_type params;
    params.sweeps = 12;
    params.check_every = 3;
    params.relaxation = 0.5;
    params.relaxation_decay = 0.25;
    params.record_residual = records;
    const auto whole = sweep<TypeParam>(p, params, first, 6);
    const auto resumed = sweep<TypeParam>(p, params, whole.kept, -1, &whole.progress);
    EXPECT_TRUE(same_bits(resumed.x, whole.x)) << records;
    EXPECT_FALSE(same_bits(whole.kept, whole.x));
    expect_same_result(resumed.results[0], whole.results[0]);

    // The end of a shorter solve lies between two checks of a longer one.
    params.sweeps = 7;
    const auto part = sweep<TypeParam>(p, params, first, 7);
    params.sweeps = 12;
    const auto rest = sweep<TypeParam>(p, params, part.kept, -1, &part.progress);
    EXPECT_TRUE(same_bits(rest.x, whole.x)) << records;
    expect_same_result(rest.results[0], whole.results[0]);
  }
}

template <class Solver>
class ResumedRecursions : public ::testing::Test {};
using RecursionSolvers = ::testing::Types<Cgls<TestSpace, float>, Cgls<TestSpace, double>,
                                          Lsmr<TestSpace, float>, Lsmr<TestSpace, double>>;
TYPED_TEST_SUITE(ResumedRecursions, RecursionSolvers);

TYPED_TEST(ResumedRecursions, end_as_if_they_had_not_been_interrupted) {
  using Scalar = typename TypeParam::scalar_type;
  const Measured p;
  const Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  const std::vector<Scalar> first(start.begin(), start.end());
  for (const double damping : {0.0, 0.4})
    for (const int restart_every : {0, 4}) {
      typename TypeParam::params_type params;
      params.iterations = 20;
      params.check_every = 2;
      params.damping = damping;
      params.restart_every = restart_every;
      params.stop.relative_residual = 4e-3;
      const auto whole = run<TypeParam>(p, params, first, 8);
      EXPECT_TRUE(whole.progress.active[3]);
      const auto resumed = run<TypeParam>(p, params, whole.kept, 20, &whole.progress);
      EXPECT_TRUE(same_bits(resumed.x, whole.x)) << damping << " " << restart_every;
      EXPECT_FALSE(same_bits(whole.kept, whole.x));
      for (std::size_t j = 0; j < slices; ++j)
        expect_same_result(resumed.results[j], whole.results[j]);
      // The end of a shorter solve lies between two checks of a longer one.
      for (const int end : {1, 5, 6, 7, 11}) {
        auto shorter = params;
        shorter.iterations = end;
        const auto part = run<TypeParam>(p, shorter, first, end);
        const auto rest = run<TypeParam>(p, params, part.kept, -1, &part.progress);
        EXPECT_TRUE(same_bits(rest.x, whole.x)) << damping << " " << restart_every << " " << end;
        for (std::size_t j = 0; j < slices; ++j)
          expect_same_result(rest.results[j], whole.results[j]);
      }
    }
}

// Once x no longer changes, CGLS stops after two such iterations, also if the interruption lies
// between them.
TYPED_TEST(ResumedRecursions, rest_where_a_whole_solve_does) {
  using Scalar = typename TypeParam::scalar_type;
  Measured p;
  p.A = PlainCsr();
  p.A.columns = 5;
  for (int i = 0; i < 5; ++i) {
    p.A.add(i, static_cast<float>(2 + i));
    if (i > 0) p.A.add(i - 1, 0.75F);
    p.A.end_row();
  }
  for (unsigned j = 0; j < slices; ++j) p.data[j] = random_vector(p.A.rows, 20 + j);
  const std::vector<Scalar> first(5 * slices, 0);
  for (const int restart_every : {0, 7}) {
    typename TypeParam::params_type params;
    params.iterations = 40;
    params.check_every = 20;
    params.restart_every = restart_every;
    const auto whole = run<TypeParam>(p, params, first, -1);
    for (int end = 1; end < params.check_every; ++end) {
      auto shorter = params;
      shorter.iterations = end;
      const auto part = run<TypeParam>(p, shorter, first, end);
      const auto rest = run<TypeParam>(p, params, part.kept, -1, &part.progress);
      EXPECT_TRUE(same_bits(rest.x, whole.x)) << restart_every << " " << end;
      for (std::size_t j = 0; j < slices; ++j)
        expect_same_result(rest.results[j], whole.results[j]);
    }
  }
}

TYPED_TEST(ResumedRecursions, need_what_they_held) {
  using Scalar = typename TypeParam::scalar_type;
  const Measured p;
  const Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  const std::vector<Scalar> first(start.begin(), start.end());
  typename TypeParam::params_type params;
  params.iterations = 6;
  params.check_every = 2;
  const auto whole = run<TypeParam>(p, params, first, 4);
  const auto error = [&](const SolveProgress& progress) {
    return error_of([&] { run<TypeParam>(p, params, whole.kept, -1, &progress); });
  };
  for (const auto& [name, values] : whole.progress.held) {
    SolveProgress lacking = whole.progress;
    lacking.held.erase(name);
    EXPECT_TRUE(contains(error(lacking), "lacks " + name)) << error(lacking);
  }
  SolveProgress cut = whole.progress;
  cut.held["residual"].pop_back();
  EXPECT_TRUE(contains(error(cut), "entries of residual")) << error(cut);
}

TYPED_TEST(ResumedRecursions, refuse_systems_that_are_solved_in_other_units) {
  using Scalar = typename TypeParam::scalar_type;
  Measured p;
  const double huge = std::is_same_v<Scalar, float> ? 1e30 : 1e250;
  for (auto& values : p.data)
    for (double& value : values) value *= huge;
  const Values start = interleave({p.ones, p.ones, p.ones, p.ones});
  const std::vector<Scalar> first(start.begin(), start.end());
  typename TypeParam::params_type params;
  params.iterations = 6;
  params.check_every = 2;
  const auto whole = run<TypeParam>(p, params, first, 4);
  EXPECT_TRUE(
      contains(error_of([&] { run<TypeParam>(p, params, whole.kept, -1, &whole.progress); }),
               "in scaled units"));
}

}  // namespace
