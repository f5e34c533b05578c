// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Krylov solvers that are interrupted at any check and resumed give the same bits, history and
// reason as an uninterrupted solve.
#include <Tomokkos_BiCgStab.hpp>
#include <Tomokkos_Gmres.hpp>
#include <map>
#include <numeric>

#include "KrylovTesting.hpp"
#include "PcgTesting.hpp"

using namespace system_testing;

namespace {

/// State after a check that is sufficient to resume.
template <class Scalar>
struct Cut {
  SolveProgress progress;
  std::vector<Scalar> x;
};

template <class Scalar>
struct Whole {
  std::vector<SolveResult> results;
  std::vector<Scalar> x;
  std::map<int, Cut<Scalar>> cuts;
};

template <class Solver>
struct Problem {
  using Scalar = ScalarOf<Solver>;
  System<Scalar> system;
  Values b;  // row-major
  Ordinal columns = 1;
  std::string name = {};

  Whole<Scalar> solve(const typename Solver::params_type& params, const Values& start,
                      const SolveProgress* progress = nullptr) const {
    const TestSpace exec;
    const Ordinal n = system.num_rows();
    const auto B = make_vector<Scalar>(exec, b);
    const auto x = make_vector<Scalar>(exec, start);
    auto solver = make(exec, n, params);
    if (progress != nullptr) solver.resume(*progress);
    Whole<Scalar> whole;
    whole.results = solver.solve(
        exec, system, In<Scalar>(B.data(), n, columns), Out<Scalar>(x.data(), n, columns),
        [&](const TestSpace&, const MonitorState<TestSpace, Scalar>& state) {
          whole.cuts[state.iteration] = {state.progress(), to_std_vector(as_vector(state.x))};
          return MonitorAction::proceed;
        });
    whole.x = to_std_vector(x);
    return whole;
  }

  Whole<Scalar> resume(const typename Solver::params_type& params, const Cut<Scalar>& cut) const {
    return solve(params, Values(cut.x.begin(), cut.x.end()), &cut.progress);
  }

 private:
  Solver make(const TestSpace& exec, Ordinal n, const typename Solver::params_type& params) const {
    if constexpr (std::is_same_v<Solver, Pcg<TestSpace, Scalar>>)
      return Solver(exec, n, params, columns);
    else
      return Solver(exec, n, params);
  }
};

void expect_same(const std::optional<double>& a, const std::optional<double>& b) {
  const bool are_nan = a && b && std::isnan(*a) && std::isnan(*b);
  EXPECT_TRUE(are_nan || a == b) << a.value_or(0) << " " << b.value_or(0);
}

void expect_same(const IterationRecord& a, const IterationRecord& b) {
  EXPECT_EQ(a.iteration, b.iteration);
  for (const auto member :
       {&IterationRecord::residual, &IterationRecord::relative_residual, &IterationRecord::change,
        &IterationRecord::relative_change, &IterationRecord::preconditioned_residual})
    expect_same(a.*member, b.*member);
}

void expect_same(const SolveResult& a, const SolveResult& b) {
  EXPECT_EQ(a.reason, b.reason);
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.residual, b.residual);
  EXPECT_EQ(a.relative_residual, b.relative_residual);
  EXPECT_EQ(a.rhs_norm, b.rhs_norm);
  expect_same(a.recursive_residual, b.recursive_residual);
  EXPECT_EQ(a.non_finite_iteration, b.non_finite_iteration);
  ASSERT_EQ(a.history.size(), b.history.size());
  for (std::size_t k = 0; k < a.history.size(); ++k) expect_same(a.history[k], b.history[k]);
}

template <class Scalar>
void expect_same(const Whole<Scalar>& a, const Whole<Scalar>& b, const std::string& name) {
  const ::testing::ScopedTrace trace(__FILE__, __LINE__, name);
  EXPECT_TRUE(same_bits(a.x, b.x));
  for (std::size_t j = 0; j < a.results.size(); ++j) expect_same(a.results[j], b.results[j]);
}

/// Interrupts a solve at each of its checks, and between them, at some or all iterates. Returns the
/// final results.
template <class Solver>
std::vector<SolveResult> cut_everywhere(const Problem<Solver>& problem,
                                        const typename Solver::params_type& params,
                                        const Values& start, bool at_all = false) {
  const auto whole = problem.solve(params, start);
  for (const auto& [k, cut] : whole.cuts) {
    const std::string name = problem.name + ", at look " + std::to_string(k);
    const auto rest = problem.resume(params, cut);
    expect_same(whole, rest, name);
    if (rest.cuts.empty()) continue;
    expect_same(whole, problem.resume(params, rest.cuts.begin()->second), name + ", then again");
  }
  const int last = whole.results[0].iterations;
  std::vector<int> ends{1, 2, last / 2, last - 1, last, last + 1};
  if (at_all) {
    ends.resize(static_cast<std::size_t>(last + 1));
    std::iota(ends.begin(), ends.end(), 1);
  }
  for (const int end : ends) {
    if (end < 1 || end >= params.iterations) continue;
    auto shorter = params;
    shorter.iterations = end;
    const auto part = problem.solve(shorter, start);
    const auto& cut = part.cuts.rbegin()->second;
    const std::string name = problem.name + ", end " + std::to_string(end);
    expect_same(whole, problem.resume(params, cut), name);
    expect_same(part, problem.resume(shorter, cut), name + ", nothing left");
  }
  return whole.results;
}

template <class Scalar>
class KrylovResume : public ::testing::Test {};
TYPED_TEST_SUITE(KrylovResume, Scalars);

TYPED_TEST(KrylovResume, pcg_ends_as_if_it_had_not_been_interrupted) {
  const TestSpace exec;
  const PlainCsr A = pcg_testing::spd_matrix(4, 3, 3, 1);
  for (const auto& [name, system] : pcg_testing::all_systems<TypeParam>(exec, A))
    for (const PcgScheme scheme : pcg_testing::schemes)
      for (const Ordinal columns : {1, 3}) {
        PcgParams params;
        params.scheme = scheme;
        params.check_every = 4;
        params.iterations = 90;
        params.stop = PcgParams::relative(tolerance<TypeParam>(1e-5, 1e-11));
        Values b = random_vector(A.rows * columns, 3);
        if (columns > 1)  // the first right-hand side is zero
          for (int i = 0; i < A.rows; ++i) b[static_cast<std::size_t>(i * columns)] = 0;
        const Problem<Pcg<TestSpace, TypeParam>> problem{
            system, b, columns, name + ", " + std::string(to_string(scheme))};
        const auto results = cut_everywhere(problem, params, random_vector(A.rows * columns, 4));
        EXPECT_EQ(results.back().reason, StopReason::converged) << problem.name;
      }
}

// The tolerance is beyond the rounding of x, so the iteration restarts and stagnates.
TYPED_TEST(KrylovResume, pcg_also_where_it_starts_again) {
  const TestSpace exec;
  const PlainCsr A = pcg_testing::spd_matrix(4, 3, 3, 1);
  PreconditionerOptions in_float;
  in_float.float_matrix = std::is_same_v<TypeParam, double>;
  const auto op = make_operator<TypeParam>(exec, A);
  for (const bool rounds : {false, true})
    for (const PcgScheme scheme : pcg_testing::schemes)
      for (const int minimum : {0, 40}) {
        PcgParams params;
        params.scheme = scheme;
        params.check_every = 3;
        params.iterations = 80;
        params.stop = PcgParams::relative(tolerance<TypeParam>(1e-9, 1e-18));
        params.stop.minimum_iterations = minimum;
        if (scheme == PcgScheme::standard && minimum > 0) params.stop.relative_change = 1e-30;
        const Problem<Pcg<TestSpace, TypeParam>> problem{
            System<TypeParam>(exec, op, rounds ? in_float : PreconditionerOptions{}),
            random_vector(A.rows, 5), 1,
            std::string(to_string(scheme)) + (rounds ? ", rounded " : " ") +
                std::to_string(minimum)};
        const auto results = cut_everywhere(problem, params, Values(A.columns, 0), true);
        EXPECT_NE(results[0].reason, StopReason::max_iterations) << problem.name;
      }
}

// A singular matrix, and a right-hand side that is almost in its range: the recursion passes the
// solution between two checks, and the iteration goes back.
TYPED_TEST(KrylovResume, pcg_also_where_it_goes_back) {
  const TestSpace exec;
  PlainCsr A;
  const int n = 30;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    if (i > 0) A.add(i - 1, -1);
    A.add(i, i == 0 || i + 1 == n ? 1 : 2);
    if (i + 1 < n) A.add(i + 1, -1);
    A.end_row();
  }
  for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi})
    for (const PcgScheme scheme : pcg_testing::schemes)
      for (const int check_every : {8, 40}) {
        PcgParams params;
        params.scheme = scheme;
        params.check_every = check_every;
        params.iterations = 150;
        // Rounding leaves residuals of about 1e-3 in float.
        params.stop = PcgParams::relative(tolerance<TypeParam>(1e-2, 1e-9));
        Values b = random_vector(n, 3);
        const double mean = std::accumulate(b.begin(), b.end(), 0.0) / n;
        for (double& value : b) value += tolerance<TypeParam>(1e-4, 1e-10) - mean;
        const Problem<Pcg<TestSpace, TypeParam>> problem{
            System<TypeParam>(exec, make_operator<TypeParam>(exec, A), {kind}), b, 1,
            std::string(to_string(scheme)) + ", " + std::to_string(check_every)};
        const auto results = cut_everywhere(problem, params, Values(A.columns, 0), true);
        EXPECT_EQ(results[0].reason, StopReason::converged)
            << problem.name << ": " << results[0].relative_residual;
      }
}

// The result is the best iterate among the checks of a whole solve. Iterates in between may be
// better.
TYPED_TEST(KrylovResume, pcg_also_where_the_matrix_is_indefinite) {
  const TestSpace exec;
  PlainCsr A = krylov_testing::convection(6, 5, 0, 1, false);
  for (const float diagonal : {0.5F, 1.5F, 2.5F, 3.4F}) {
    for (int i = 0; i < A.rows; ++i)
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
        A.values[k] = A.indices[k] == i ? diagonal : -1.0F;
    const System<TypeParam> system(exec, make_operator<TypeParam>(exec, A),
                                   {PreconditionerKind::none});
    for (const PcgScheme scheme : pcg_testing::schemes)
      for (const int check_every : {2, 3, 5, 8}) {
        PcgParams params;
        params.scheme = scheme;
        params.check_every = check_every;
        params.iterations = 40;
        params.stop = PcgParams::relative(1e-12);
        const Problem<Pcg<TestSpace, TypeParam>> problem{
            system, random_vector(A.rows, 6U + static_cast<unsigned>(check_every)), 1,
            "diagonal " + std::to_string(diagonal)};
        const auto results = cut_everywhere(problem, params, Values(A.columns, 0), true);
        if (scheme == PcgScheme::standard && diagonal < 1) {
          EXPECT_EQ(results[0].reason, StopReason::indefinite);
        }
      }
  }
}

template <class Solver>
std::vector<SolveResult> cut_general(const PlainCsr& A, typename Solver::params_type params,
                                     double wanted, bool changes = false) {
  const TestSpace exec;
  std::vector<SolveResult> results;
  for (const auto& [name, system] : krylov_testing::all_systems<ScalarOf<Solver>>(exec, A)) {
    params.stop = KrylovParams::relative(wanted);
    if (changes) params.stop.relative_change = 1e-30;
    const Problem<Solver> problem{system, random_vector(A.rows, 7), 1, name};
    results.push_back(cut_everywhere(problem, params, random_vector(A.rows, 8)).front());
  }
  return results;
}

TYPED_TEST(KrylovResume, bicgstab_ends_as_if_it_had_not_been_interrupted) {
  using Solver = BiCgStab<TestSpace, TypeParam>;
  const PlainCsr A = krylov_testing::convection(6, 5);
  BiCgStabParams params;
  params.check_every = 3;
  params.iterations = 70;
  for (const bool changes : {false, true})
    for (const SolveResult& result :
         cut_general<Solver>(A, params, tolerance<TypeParam>(1e-3, 1e-7), changes))
      EXPECT_EQ(result.reason, StopReason::converged);
  for (const SolveResult& result :
       cut_general<Solver>(A, params, tolerance<TypeParam>(1e-10, 1e-18)))
    EXPECT_NE(result.reason, StopReason::converged);
}

TYPED_TEST(KrylovResume, bicgstab_also_where_it_breaks_down) {
  using Solver = BiCgStab<TestSpace, TypeParam>;
  const TestSpace exec;
  // The matrix is singular, and b is not in its range.
  PlainCsr A = krylov_testing::convection(5, 5, 0.4, 0, false);
  for (auto k = A.offsets[12]; k < A.offsets[13]; ++k) A.values[k] = 0;
  for (const int check_every : {1, 3, 7}) {
    BiCgStabParams params;
    params.check_every = check_every;
    params.iterations = 60;
    const Problem<Solver> problem{
        System<TypeParam>(exec, make_operator<TypeParam>(exec, A),
                          krylov_testing::general(PreconditionerKind::none)),
        random_vector(A.rows, 9), 1, "singular"};
    const auto results = cut_everywhere(problem, params, Values(A.columns, 0));
    EXPECT_NE(results[0].reason, StopReason::converged);
  }
}

TYPED_TEST(KrylovResume, gmres_ends_as_if_it_had_not_been_interrupted) {
  using Solver = Gmres<TestSpace, TypeParam>;
  const PlainCsr A = krylov_testing::convection(5, 4);
  for (const auto& [restart, check_every] : {std::pair{4, 3}, {5, 5}, {30, 4}}) {
    GmresParams params;
    params.restart = restart;
    params.check_every = check_every;
    params.iterations = 50;
    cut_general<Solver>(A, params, tolerance<TypeParam>(1e-4, 1e-9));
    // The iteration restarts at checks and stagnates.
    cut_general<Solver>(A, params, tolerance<TypeParam>(1e-10, 1e-18));
  }
}

TYPED_TEST(KrylovResume, gmres_also_where_a_cycle_lowers_nothing) {
  using Solver = Gmres<TestSpace, TypeParam>;
  const TestSpace exec;
  PlainCsr cycle;  // a permutation: no residual falls before the last step
  cycle.columns = 12;
  for (int i = 0; i < 12; ++i) {
    cycle.add((i + 1) % 12, 1);
    cycle.end_row();
  }
  Values b(12, 0);
  b[3] = 1;
  for (const int restart : {4, 12}) {
    GmresParams params;
    params.restart = restart;
    params.check_every = 5;
    params.iterations = 40;
    const Problem<Solver> problem{
        System<TypeParam>(exec, make_operator<TypeParam>(exec, cycle),
                          krylov_testing::general(PreconditionerKind::none)),
        b, 1, "permutation"};
    const auto results = cut_everywhere(problem, params, Values(12, 0));
    EXPECT_EQ(results[0].reason, restart == 4 ? StopReason::stagnated : StopReason::converged);
  }
}

template <class Solver>
void needs_what_it_held(const typename Solver::params_type& given, const PlainCsr& A) {
  using Scalar = ScalarOf<Solver>;
  const TestSpace exec;
  auto params = given;
  params.iterations = 6;
  params.check_every = 2;
  params.stop = {};
  const System<Scalar> system(exec, make_operator<Scalar>(exec, A), params.preconditioner);
  const Problem<Solver> problem{system, random_vector(A.rows, 1)};
  const auto whole = problem.solve(params, Values(A.columns, 0));
  const auto error = [&](Cut<Scalar> cut, const auto& spoil) {
    spoil(cut.progress);
    return error_of([&] { problem.resume(params, cut); });
  };
  const Cut<Scalar>& cut = whole.cuts.at(4);
  for (const auto& [name, values] : cut.progress.held) {
    if (name == "image" || name == "unmeasured") continue;  // not needed in every case
    const auto lacking = error(cut, [&](SolveProgress& progress) { progress.held.erase(name); });
    EXPECT_TRUE(contains(lacking, "lacks " + name)) << lacking;
    const auto longer =
        error(cut, [&](SolveProgress& progress) { progress.held[name].push_back(1); });
    EXPECT_TRUE(contains(longer, "entries of " + name)) << longer;
  }
  // Values this large are solved in other units. Such a solve cannot be resumed.
  Problem<Solver> far = problem;
  for (double& value : far.b) value *= std::is_same_v<Scalar, float> ? 1e30 : 1e250;
  const auto large = far.solve(params, Values(A.columns, 0));
  EXPECT_TRUE(contains(error_of([&] { far.resume(params, large.cuts.at(4)); }), "in scaled units"));
}

TYPED_TEST(KrylovResume, needs_what_was_held) {
  PcgParams pcg;
  for (const PcgScheme scheme : pcg_testing::schemes)
    for (const bool scales : {true, false}) {
      pcg.scheme = scheme;
      pcg.preconditioner.scale_matrix = scales;
      needs_what_it_held<Pcg<TestSpace, TypeParam>>(pcg, pcg_testing::spd_matrix(4, 3, 2));
    }
  const PlainCsr A = krylov_testing::convection(6, 5);
  needs_what_it_held<BiCgStab<TestSpace, TypeParam>>({}, A);
  needs_what_it_held<Gmres<TestSpace, TypeParam>>({}, A);
}

TYPED_TEST(KrylovResume, is_for_one_solve_of_one_right_hand_side) {
  using Solver = Gmres<TestSpace, TypeParam>;
  const TestSpace exec;
  const PlainCsr A = krylov_testing::convection(6, 5);
  GmresParams params;
  params.iterations = 8;
  const AnyOperator<TestSpace, TypeParam> op = make_operator<TypeParam>(exec, A);
  const System<TypeParam> system(exec, op, params.preconditioner);
  const auto whole =
      Problem<Solver>{system, random_vector(A.rows, 1)}.solve(params, Values(A.columns, 0));
  Problem<Solver> two{system, random_vector(2 * A.rows, 1), 2};
  EXPECT_TRUE(contains(
      error_of([&] { two.solve(params, Values(2 * A.columns, 0), &whole.cuts.at(0).progress); }),
      "a solve with several right-hand sides cannot be resumed"));
  Solver solver(exec, A.rows, params);
  const auto b = make_vector<TypeParam>(exec, random_vector(A.rows, 1));
  const auto x = make_vector<TypeParam>(exec, Values(A.columns, 0));
  solver.resume(whole.cuts.at(8).progress);
  EXPECT_THROW(solver.solve(exec, op, make_vector<TypeParam>(exec, Values(3, 1)), x), Error);
  EXPECT_EQ(solver.solve(exec, op, b, x).residual, whole.results[0].residual);
  // A position in the cycle that is impossible at this iterate.
  auto cut = whole.cuts.at(8);
  cut.progress.held["cycle"][0] = 9;
  EXPECT_TRUE(contains(error_of([&] {
                         Problem<Solver>{system, random_vector(A.rows, 1)}.resume(
                             [&] {
                               auto more = params;
                               more.iterations = 16;
                               return more;
                             }(),
                             cut);
                       }),
                       "does not reach its iterate"));
}

}  // namespace
