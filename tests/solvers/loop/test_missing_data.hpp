// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rays that some slices of a stack have not measured (`NanData::missing`), marked by NaN in the
// data.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <cmath>
#include <limits>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Stack in which each slice lacks different rays.
struct Holes : Problem {
  std::size_t slices = 3;

  bool is_missing(std::size_t row, std::size_t slice) const {
    return slice < 3 && (row % 11 == 3 * slice || (slice == 2 && row >= 100 && row < 140));
  }
  Values measured(std::size_t slice) const {
    Values b = data(slice);
    for (std::size_t i = 0; i < b.size(); ++i)
      if (is_missing(i, slice)) b[i] = nan;
    return b;
  }
  std::vector<Values> stack() const {
    std::vector<Values> result;
    for (std::size_t j = 0; j < slices; ++j) result.push_back(measured(j));
    return result;
  }
  std::vector<Values> starts() const { return {slices, Values(A.columns, 1)}; }

  /// Rows that the slice has measured, with their data.
  PlainCsr reduced_matrix(std::size_t slice) const {
    PlainCsr result;
    result.columns = A.columns;
    for (std::size_t i = 0; i < static_cast<std::size_t>(A.rows); ++i) {
      if (is_missing(i, slice)) continue;
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) result.add(A.indices[k], A.values[k]);
      result.end_row();
    }
    return result;
  }
  Values reduced_data(std::size_t slice) const {
    Values result;
    for (const double value : measured(slice))
      if (!std::isnan(value)) result.push_back(value);
    return result;
  }
  /// Returns the data of the slice, with NaN replaced by the projection of x.
  Values explained(std::size_t slice, const Values& x) const {
    Values b = measured(slice);
    const Values projection = multiply(A, x);
    for (std::size_t i = 0; i < b.size(); ++i)
      if (std::isnan(b[i])) b[i] = projection[i];
    return b;
  }
};

template <class Solver>
typename Solver::params_type params_of(int iterations) {
  typename Solver::params_type params;
  if constexpr (requires { params.iterations; })
    params.iterations = iterations;
  else
    params.sweeps = iterations;
  params.check_every = 1;
  params.nan_data = NanData::missing;
  return params;
}

template <class Solver>
class MissingData : public ::testing::Test {};
using Solvers =
    ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>, Sirt<TestSpace, float>,
                     Sirt<TestSpace, double>, Cgls<TestSpace, float>, Cgls<TestSpace, double>>;
TYPED_TEST_SUITE(MissingData, Solvers);

TYPED_TEST(MissingData, leaves_each_slice_what_it_is_alone) {
  const Holes p;
  const auto params = params_of<TypeParam>(9);
  const auto run = expect_single_runs<TypeParam>(p.A, p.stack(), p.starts(), params);
  for (std::size_t j = 0; j < p.slices; ++j) {
    const SolveResult& result = run.results[j];
    EXPECT_EQ(result.reason, StopReason::max_iterations);
    EXPECT_NEAR(result.rhs_norm, norm(p.reduced_data(j)), 1e-6 * result.rhs_norm);
    const auto x = slice(run.x, p.slices, j);
    if constexpr (!std::is_same_v<typename TypeParam::params_type, MlemParams>) {
      EXPECT_NEAR(result.residual, plain_residual(p.reduced_matrix(j), p.reduced_data(j), x),
                  1e-4 * result.rhs_norm);
    }
    for (const auto value : x) EXPECT_TRUE(std::isfinite(value));
  }
}

TYPED_TEST(MissingData, refuses_nan_unless_told) {
  const Holes p;
  auto params = params_of<TypeParam>(3);
  const auto op = make_operator<typename TypeParam::scalar_type>(TestSpace(), p.A);
  auto data = p.stack();
  data[0][0] = 1;
  const auto message = [&] {
    return error_of([&] { run_stack<TypeParam>(op, data, p.starts(), params); });
  };
  EXPECT_EQ(message(), "");
  data[1][41] = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(contains(message(), "entry 41 of the data of slice 1 is inf")) << message();
  data[1][41] = 1;
  params.nan_data = NanData::refused;
  EXPECT_TRUE(contains(message(), "entry 3 of the data of slice 1 is nan")) << message();
}

/// First reduced row of each subset: that of the whole matrix, without the missing rows before it.
std::vector<Ordinal> reduced_begins(const Holes& p, std::size_t slice, int subsets) {
  const RowSubsets whole(p.A.rows, subsets);
  std::vector<Ordinal> begins;
  for (int i = 0; i < subsets; ++i) {
    begins.push_back(0);
    for (Ordinal row = 0; row < whole[i].begin; ++row)
      if (!p.is_missing(static_cast<std::size_t>(row), slice)) ++begins.back();
  }
  return begins;
}

template <class Solver>
class ReducedProblem : public ::testing::Test {};
using Weighing = ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>,
                                  Sirt<TestSpace, float>, Sirt<TestSpace, double>>;
TYPED_TEST_SUITE(ReducedProblem, Weighing);

// Reference: the slice alone, without the rows that it has not measured.
TYPED_TEST(ReducedProblem, is_what_each_slice_solves) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  Holes p;
  p.slices = 4;  // the last one lacks no ray
  for (const int subsets : {1, 4}) {
    auto params = params_of<TypeParam>(7);
    params.subsets = subsets;
    const auto run =
        run_stack<TypeParam>(make_operator<Scalar>(exec, p.A), p.stack(), p.starts(), params);
    params.nan_data = NanData::refused;
    for (std::size_t j = 0; j < p.slices; ++j) {
      if (subsets > 1) params.subset_begins = reduced_begins(p, j, subsets);
      SolveResult alone;
      const auto x = run_solver<TypeParam>(exec, p.reduced_matrix(j), p.reduced_data(j),
                                           p.starts()[j], params, &alone);
      EXPECT_LT(relative_difference(slice(run.x, p.slices, j), x), tolerance<Scalar>(1e-5, 1e-12))
          << "slice " << j << ", " << subsets << " subsets";
      EXPECT_NEAR(run.results[j].relative_residual, alone.relative_residual,
                  tolerance<Scalar>(1e-5, 1e-12));
    }
  }
}

TYPED_TEST(ReducedProblem, shares_its_weights_with_slices_that_lack_the_same_rays) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const Holes p;
  auto params = params_of<TypeParam>(3);
  const auto op = make_operator<Scalar>(exec, p.A);
  const auto bytes_after = [&](const std::vector<Values>& data) {
    const std::size_t s = data.size();
    const auto b = make_vector<Scalar>(exec, interleave(data));
    const auto x = make_vector<Scalar>(exec, Values(s * static_cast<std::size_t>(p.A.columns), 1));
    TypeParam solver(exec, p.A.rows, p.A.columns, params, static_cast<Ordinal>(s));
    solver.solve(exec, op, MultiVectorView<const Scalar, MemorySpace>(b.data(), p.A.rows, s),
                 MultiVectorView<Scalar, MemorySpace>(x.data(), p.A.columns, s));
    return solver.workspace_bytes();
  };
  const auto of = [&](std::initializer_list<std::size_t> slices) {
    std::vector<Values> data;
    for (const std::size_t j : slices) data.push_back(p.measured(j));
    return data;
  };
  const std::size_t shared = bytes_after(of({0, 0, 0}));
  EXPECT_EQ(bytes_after(of({1, 1, 1})), shared);
  const std::size_t set = bytes_after(of({0, 1, 0})) - shared;
  EXPECT_EQ(bytes_after(of({0, 1, 2})) - shared, 2 * set);
  EXPECT_GE(set, static_cast<std::size_t>(p.A.columns) * sizeof(Scalar));
  EXPECT_LE(set, static_cast<std::size_t>(p.A.columns + p.A.rows) * sizeof(Scalar));
}

TYPED_TEST(ReducedProblem, may_lack_a_subset) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const Holes p;
  auto params = params_of<TypeParam>(100);
  params.subsets = 6;
  params.check_every = 100;
  // If the data are clean, the measured rays have the same solution, which is a fixed point. The
  // last subset but one has lost all its rays.
  Values b = p.clean;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (p.is_missing(i, 1) || (i >= 200 && i < 250)) b[i] = nan;
  const Values truth = positive_vector(p.A.columns, 3);
  auto x = run_solver<TypeParam>(exec, p.A, b, truth, params_of<TypeParam>(5));
  Values seen = truth;
  seen[11] = std::is_same_v<typename TypeParam::params_type, MlemParams> ? 0 : truth[11];
  EXPECT_LT(relative_difference(x, seen), tolerance<Scalar>(1e-5, 1e-12));
  x = run_solver<TypeParam>(exec, p.A, b, Values(p.A.columns, 1), params);
  Values projection = multiply(p.A, Values(x.begin(), x.end()));
  Values measured;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (!std::isnan(b[i])) measured.push_back(projection[i] - b[i]);
  EXPECT_LT(norm(measured), 2e-3 * norm(p.clean));
}

template <class Scalar>
class MissingRays : public ::testing::Test {};
TYPED_TEST_SUITE(MissingRays, Scalars);

TYPED_TEST(MissingRays, are_no_rows_of_cgls) {
  using Solver = Cgls<TestSpace, TypeParam>;
  const TestSpace exec;
  const Holes p;
  for (const double damping : {0.0, 0.7})
    // Far from 1 the system is solved in other units.
    for (const double scale : {1.0, tolerance<TypeParam>(1e30, 1e200)}) {
      auto params = params_of<Solver>(5);
      params.damping = damping;
      std::vector<Values> data = p.stack();
      for (auto& values : data)
        for (double& value : values) value *= scale;
      std::vector<Values> starts = p.starts();
      for (auto& values : starts)
        for (double& value : values) value *= scale;
      const auto run =
          run_stack<Solver>(ColumnwiseOperator<TypeParam>(exec, p.A), data, starts, params);
      params.nan_data = NanData::refused;
      for (std::size_t j = 0; j < p.slices; ++j) {
        Values b = p.reduced_data(j);
        for (double& value : b) value *= scale;
        SolveResult result;
        const auto unscaled = [&](const std::vector<TypeParam>& values) {
          Values result(values.begin(), values.end());
          for (double& value : result) value /= scale;
          return result;
        };
        const auto x = run_solver<Solver>(exec, p.reduced_matrix(j), b, starts[j], params, &result);
        EXPECT_LT(relative_difference(unscaled(slice(run.x, p.slices, j)), unscaled(x)),
                  tolerance<TypeParam>(2e-4, 1e-11));
        EXPECT_NEAR(run.results[j].relative_residual, result.relative_residual,
                    tolerance<TypeParam>(1e-5, 1e-11));
        EXPECT_NEAR(*run.results[j].history[3].gradient, *result.history[3].gradient,
                    tolerance<TypeParam>(1e-3, 1e-10) * *result.history[0].gradient);
      }
    }
}

TYPED_TEST(MissingRays, have_no_counts) {
  using Solver = Mlem<TestSpace, TypeParam>;
  const TestSpace exec;
  const Holes p;
  const auto run = run_stack<Solver>(ColumnwiseOperator<TypeParam>(exec, p.A), p.stack(),
                                     p.starts(), params_of<Solver>(2));
  auto params = params_of<Solver>(0);
  params.nan_data = NanData::refused;
  for (std::size_t j = 0; j < p.slices; ++j) {
    SolveResult reduced;
    run_solver<Solver>(exec, p.reduced_matrix(j), p.reduced_data(j), p.starts()[j], params,
                       &reduced);
    const SolveResult& result = run.results[j];
    EXPECT_NEAR(result.figures<MlemFigures>()->counts, reduced.figures<MlemFigures>()->counts,
                1e-10 * reduced.figures<MlemFigures>()->counts);
    EXPECT_EQ(static_cast<std::size_t>(result.figures<MlemFigures>()->excluded_rows),
              static_cast<std::size_t>(reduced.figures<MlemFigures>()->excluded_rows + p.A.rows) -
                  p.reduced_data(j).size());
    for (const auto member : {&IterationRecord::log_likelihood, &IterationRecord::residual})
      EXPECT_NEAR(*(result.history[0].*member), *(reduced.history[0].*member),
                  tolerance<TypeParam>(1e-4, 1e-11) * std::abs(*(reduced.history[0].*member)));
  }
}

TYPED_TEST(MissingRays, have_no_part_in_the_uniform_start) {
  const TestSpace exec;
  const Holes p;
  const auto g = make_vector<TypeParam>(exec, interleave(p.stack()));
  const Kokkos::View<TypeParam**, Kokkos::LayoutRight, MemorySpace> X("X", p.A.columns, p.slices);
  uniform_start(exec, make_operator<TypeParam>(exec, p.A),
                MultiVectorView<const TypeParam, MemorySpace>(g.data(), p.A.rows, p.slices), X);
  const auto starts = to_std_vector(X);
  for (std::size_t j = 0; j < p.slices; ++j) {
    const auto reduced = make_vector<TypeParam>(exec, p.reduced_data(j));
    const auto x = make_vector<TypeParam>(exec, Values(p.A.columns, -1));
    uniform_start(exec, make_operator<TypeParam>(exec, p.reduced_matrix(j)), reduced, x);
    EXPECT_LT(relative_difference(slice(starts, p.slices, j), to_std_vector(x)),
              tolerance<TypeParam>(1e-6, 1e-13));
  }
}

TYPED_TEST(MissingRays, have_no_part_in_rules) {
  using Solver = Sirt<TestSpace, TypeParam>;
  const TestSpace exec;
  const Holes p;
  auto params = params_of<Solver>(1);
  params.stop.ncp = WhiteNoise{};
  const auto run =
      run_stack<Solver>(ColumnwiseOperator<TypeParam>(exec, p.A), p.stack(), p.starts(), params);
  for (std::size_t j = 0; j < p.slices; ++j) {
    const Values explained = p.explained(j, p.starts()[j]);
    SolveResult result;
    run_solver<Solver>(exec, p.A, explained, p.starts()[j], params, &result);
    EXPECT_NEAR(*run.results[j].history[0].ncp, *result.history[0].ncp,
                tolerance<TypeParam>(1e-5, 1e-12));
  }
}

TYPED_TEST(MissingRays, may_be_a_view_of_sart) {
  using Solver = Sart<TestSpace, TypeParam>;
  const TestSpace exec;
  const Holes p;
  Values b = p.clean;
  for (std::size_t i = 0; i < b.size(); ++i)
    if (i % 13 == 5 || (i >= 60 && i < 90)) b[i] = nan;
  auto params = params_of<Solver>(100);
  params.check_every = 100;
  params.view_rows = 30;
  SolveResult result;
  run_solver<Solver>(exec, p.A, b, Values(p.A.columns, 1), params, &result);
  EXPECT_LT(result.relative_residual, 1e-3);
  params.nan_data = NanData::refused;
  EXPECT_NE(error_of([&] { run_solver<Solver>(exec, p.A, b, Values(p.A.columns, 1), params); }),
            "");
}

}  // namespace
