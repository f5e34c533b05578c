// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rules on the residual itself: they stop near the image of the smallest error.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Pcg.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <random>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

constexpr Ordinal side = 40, num_views = 60, detectors = 59;

/// Smooth hills. Early iterates contain all of them, later ones add noise.
inline Values smooth_image() {
  Values image;
  for (Ordinal row = 0; row < side; ++row)
    for (Ordinal column = 0; column < side; ++column) {
      const auto hill = [&](double y, double x, double width) {
        return std::exp(-0.5 * (std::pow(row - y, 2) + std::pow(column - x, 2)) / (width * width));
      };
      image.push_back(hill(14, 15, 4) + 0.7 * hill(24, 26, 5) + 0.4 * hill(28, 11, 3.5));
    }
  return image;
}

/// Hills with white noise of a known norm.
template <class Scalar>
struct NoisyScan {
  TestSpace exec;
  AnyOperator<TestSpace, Scalar> A;
  Values truth = smooth_image();
  Values clean, data;
  double level = 0;

  explicit NoisyScan(double relative_noise, unsigned seed = 1,
                     const std::vector<Ordinal>& order = {})
      : A(make(exec, order)) {
    const auto x = make_vector<Scalar>(exec, truth);
    const auto y = make_vector<Scalar>(exec, Values(A.num_rows(), 0));
    A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, MemorySpace>(x)), Scalar(0),
            as_multivector(VectorView<Scalar, MemorySpace>(y)));
    const auto projected = to_std_vector(y);
    clean.assign(projected.begin(), projected.end());
    std::mt19937 random(seed);
    std::normal_distribution<double> normal;
    const double sigma =
        relative_noise * norm(clean) / std::sqrt(static_cast<double>(clean.size()));
    data = clean;
    // The noise of a ray does not depend on the order of the rows.
    Values errors(clean.size());
    for (auto& error : errors) error = sigma * normal(random);
    for (std::size_t i = 0; i < data.size(); ++i)
      data[i] += errors[order.empty() ? i : static_cast<std::size_t>(order[i])];
    level = norm(errors);
  }

  static ScanGeometry scan() {
    ScanGeometry result;
    result.views = ViewAngles::evenly_spaced(num_views);
    result.detectors = detectors;
    return result;
  }
  static AnyOperator<TestSpace, Scalar> make(const TestSpace& exec,
                                             const std::vector<Ordinal>& order) {
    const VolumeGeometry volume{side, side, 1.0};
    if (order.empty())
      return Operator<Scalar>(
          exec, build_system_matrix<TestSpace, Scalar>(exec, volume, scan(), Projector::linear));
    return Operator<Scalar>(exec, build_mapped_system_matrix<TestSpace, Scalar>(
                                      exec, volume, scan(), Projector::linear,
                                      make_index_map(exec, num_views * detectors, order),
                                      identity_map(exec, side * side)));
  }

  double error_of(const std::vector<Scalar>& x) const {
    double squared = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      const double difference = static_cast<double>(x[i]) - truth[i];
      squared += difference * difference;
    }
    return std::sqrt(squared);
  }

  /// Runs to the end or until a rule stops it, and returns the error of every iterate.
  template <class Solver>
  SolveResult run(Solver& solver, std::vector<double>* errors = nullptr) const {
    const auto b = make_vector<Scalar>(exec, data);
    const auto x = make_vector<Scalar>(exec, Values(A.num_cols(), 0));
    return solver.solve(exec, A, b, x,
                        [&](const TestSpace&, const MonitorState<TestSpace, Scalar>& state) {
                          if (errors)
                            errors->push_back(error_of(to_std_vector(as_vector(state.x))));
                          return MonitorAction::proceed;
                        });
  }
};

StopRules white(Ordinal view_length) {
  StopRules rules;
  rules.ncp = WhiteNoise{view_length};
  return rules;
}

/// Checks that the error at the stop is close to the smallest of all iterates.
template <class Solver>
void expect_near_smallest_error(const NoisyScan<typename Solver::scalar_type>& p,
                                typename Solver::params_type params, int iterations, double margin,
                                Ordinal view_length) {
  if constexpr (requires { params.sweeps; })
    params.sweeps = iterations;
  else
    params.iterations = iterations;
  params.check_every = 1;
  std::vector<double> errors;
  Solver whole(p.exec, p.A.num_rows(), p.A.num_cols(), params);
  p.run(whole, &errors);
  const auto smallest = std::min_element(errors.begin(), errors.end());
  // The whole iteration must go beyond the minimum; otherwise there would be no need to stop.
  EXPECT_GT(errors.back(), 1.05 * *smallest);
  params.stop = white(view_length);
  Solver solver(p.exec, p.A.num_rows(), p.A.num_cols(), params);
  const SolveResult result = p.run(solver);
  EXPECT_EQ(result.reason, StopReason::white_residual);
  EXPECT_LT(errors[static_cast<std::size_t>(result.iterations)], margin * *smallest)
      << "stopped at " << result.iterations << ", smallest error at " << smallest - errors.begin();
  ASSERT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  // The value fell until then, and was measured only when needed.
  for (std::size_t k = 1; k + 1 < result.history.size(); ++k)
    EXPECT_LE(*result.history[k].ncp, *result.history[k - 1].ncp) << k;
  EXPECT_GT(*result.history.back().ncp, *result.history[result.history.size() - 2].ncp);
  EXPECT_GT(*result.history.front().ncp, 5 * *result.history.back().ncp);
}

template <class Scalar>
class ResidualRules : public ::testing::Test {};
TYPED_TEST_SUITE(ResidualRules, Scalars);

TYPED_TEST(ResidualRules, white_residuals_are_near_the_smallest_error) {
  const NoisyScan<TypeParam> p(0.05);
  SartParams sart;
  sart.view_rows = detectors;
  sart.relaxation = 0.15;
  ArtParams art;
  art.relaxation = 0.05;
  for (const Ordinal view_length : {detectors, Ordinal(0)}) {
    expect_near_smallest_error<Sirt<TestSpace, TypeParam>>(p, {}, 100, 1.3, view_length);
    expect_near_smallest_error<Cgls<TestSpace, TypeParam>>(p, {}, 20, 1.8, view_length);
    expect_near_smallest_error<Sart<TestSpace, TypeParam>>(p, sart, 30, 1.5, view_length);
    expect_near_smallest_error<Art<TestSpace, TypeParam>>(p, art, 30, 1.4, view_length);
  }
}

TYPED_TEST(ResidualRules, white_residuals_know_the_order_of_the_rows) {
  std::vector<Ordinal> order(num_views * detectors);
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<Ordinal>(i);
  std::shuffle(order.begin(), order.end(), std::mt19937(3));
  const NoisyScan<TypeParam> natural(0.05), shuffled(0.05, 1, order);
  SirtParams params;
  params.iterations = 5;
  params.check_every = 1;
  params.stop = white(detectors);
  const auto distances = [&](const NoisyScan<TypeParam>& p) {
    Sirt<TestSpace, TypeParam> solver(p.exec, p.A.num_rows(), p.A.num_cols(), params);
    Values result;
    for (const auto& record : p.run(solver).history) result.push_back(*record.ncp);
    return result;
  };
  const Values expected = distances(natural);
  // In a random order, any residual looks like noise.
  EXPECT_LT(distances(shuffled).front(), 0.2 * expected.front());
  params.stop.ncp->natural = order;
  params.stop.ncp->natural_size = num_views * detectors;
  EXPECT_LT(relative_difference(distances(shuffled), expected), 1e-3);
}

TYPED_TEST(ResidualRules, white_residuals_of_a_stack_are_those_of_its_slices) {
  const NoisyScan<TypeParam> a(0.05), b(0.2, 2);
  SirtParams params;
  params.iterations = 200;
  params.check_every = 2;
  params.stop = white(detectors);
  params.stop.minimum_iterations = 4;
  Sirt<TestSpace, TypeParam> stack(a.exec, a.A.num_rows(), a.A.num_cols(), params, 2),
      single(a.exec, a.A.num_rows(), a.A.num_cols(), params);
  const auto B = make_vector<TypeParam>(a.exec, interleave({a.data, b.data}));
  const auto X = make_vector<TypeParam>(a.exec, Values(2 * a.truth.size(), 0));
  const auto results = stack.solve(
      a.exec, a.A, MultiVectorView<const TypeParam, MemorySpace>(B.data(), a.A.num_rows(), 2),
      MultiVectorView<TypeParam, MemorySpace>(X.data(), a.A.num_cols(), 2));
  // The noisier slice stops sooner.
  EXPECT_LT(results[1].iterations, results[0].iterations);
  for (const auto& [result, p] : {std::pair{&results[0], &a}, {&results[1], &b}}) {
    const SolveResult alone = p->run(single);
    EXPECT_EQ(result->reason, StopReason::white_residual);
    EXPECT_NEAR(result->iterations, alone.iterations, 2);
    EXPECT_EQ(result->iterations % 2, 0);
    EXPECT_FALSE(result->history[1].ncp);
    EXPECT_GT(*result->history.back().ncp, 0);
  }
}

// All that the rule knows is in the history, which a progress holds.
TYPED_TEST(ResidualRules, white_residuals_of_a_resumed_solve_stop_at_the_same_iterate) {
  const NoisyScan<TypeParam> p(0.05);
  SirtParams params;
  params.iterations = 200;
  params.check_every = 1;
  params.stop = white(detectors);
  using Solver = Sirt<TestSpace, TypeParam>;
  const auto b = make_vector<TypeParam>(p.exec, p.data);
  Solver whole(p.exec, p.A.num_rows(), p.A.num_cols(), params);
  const auto x = make_vector<TypeParam>(p.exec, Values(p.A.num_cols(), 0));
  const SolveResult expected = whole.solve(p.exec, p.A, b, x);
  EXPECT_EQ(expected.reason, StopReason::white_residual);
  for (const int interrupted : {1, expected.iterations - 1}) {
    Solver first(p.exec, p.A.num_rows(), p.A.num_cols(), params);
    const auto y = make_vector<TypeParam>(p.exec, Values(p.A.num_cols(), 0));
    SolveProgress progress;
    first.solve(p.exec, p.A, b, y,
                [&](const TestSpace&, const MonitorState<TestSpace, TypeParam>& state) {
                  if (state.iteration < interrupted) return MonitorAction::proceed;
                  progress = state.progress();
                  return MonitorAction::interrupt;
                });
    Solver second(p.exec, p.A.num_rows(), p.A.num_cols(), params);
    second.resume(progress);
    const SolveResult result = second.solve(p.exec, p.A, b, y);
    EXPECT_EQ(result.reason, expected.reason);
    EXPECT_EQ(result.iterations, expected.iterations);
    EXPECT_TRUE(same_bits(to_std_vector(y), to_std_vector(x)));
  }
}

TEST(ResidualRuleParams, refuse_what_makes_no_sense) {
  const TestSpace exec;
  const auto refuses = [&](auto solver_type, const StopRules& rules, const char* word) {
    using Solver = typename decltype(solver_type)::type;
    typename Solver::params_type params;
    params.stop = rules;
    EXPECT_TRUE(contains(error_of([&] { Solver solver(exec, 30, 20, params); }), word)) << word;
  };
  StopRules rules = white(0);
  refuses(std::type_identity<Mlem<TestSpace, float>>(), rules, "ncp");
  PcgParams pcg;
  pcg.stop = rules;
  EXPECT_TRUE(contains(error_of([&] { validated(pcg); }), "ncp"));
  rules.ncp->view_length = 31;
  refuses(std::type_identity<Sirt<TestSpace, float>>(), rules,
          "with 30 rays a view cannot have 31");
  rules.ncp->view_length = 1;
  refuses(std::type_identity<Cgls<TestSpace, float>>(), rules, "a view cannot have 1 ");
  rules.ncp = WhiteNoise{10, {0, 1, 2}, 30};
  refuses(std::type_identity<Sirt<TestSpace, float>>(), rules,
          "3 natural numbers are given; the number of rows is 30");
  rules.ncp = WhiteNoise{10, {0, 30}, 30};
  EXPECT_TRUE(contains(error_of([&] { validate(rules); }), "row 1 has the natural number 30"));
}

}  // namespace
