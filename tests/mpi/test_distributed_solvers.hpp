// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers whose rows are distributed over ranks, compared with a solver that has all rows.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>
#include <functional>

#include "DistributedTesting.hpp"

using namespace distributed_testing;

namespace {

template <class Scalar>
class DistributedSolversTest : public SpreadTest {};
TYPED_TEST_SUITE(DistributedSolversTest, Scalars);

/// Counts of a positive image, perturbed so that no image fits them exactly.
Values counts_of(const PlainCsr& A) {
  Values g = multiply(A, positive_vector(static_cast<std::size_t>(A.columns), 3, 4));
  for (std::size_t i = 0; i < g.size(); ++i)
    g[i] = std::round(10 * g[i] * (0.8 + 0.05 * static_cast<double>(i % 9)));
  return g;
}

/// Matrix whose entries are rounded to float, like those of its parts.
PlainCsr rounded_dense_matrix() { return rows_of(dense_matrix(), 0, dense_matrix().rows); }

template <class Scalar>
struct Solved {
  std::vector<Scalar> x;
  SolveResult result;
};

template <class Solver>
Solved<typename Solver::scalar_type> solve_alone(const PlainCsr& A, const Values& b,
                                                 const typename Solver::params_type& params) {
  using Scalar = typename Solver::scalar_type;
  Solved<Scalar> solved;
  solved.x = run_solver<Solver>(TestSpace(), A, b, Values(static_cast<std::size_t>(A.columns), 1),
                                params, &solved.result);
  return solved;
}

template <class Solver>
Solved<typename Solver::scalar_type> solve_spread(const PlainCsr& A, const Values& b,
                                                  typename Solver::params_type params,
                                                  const DistributedOptions& options,
                                                  bool equal = true) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const Spread<Scalar> spread(exec, A, SpreadTest::ranks, options, equal);
  const AnyOperator<TestSpace, Scalar> any(spread.A);
  const auto device_b = make_vector<Scalar>(exec, part_of(b, spread.rows));
  const auto x =
      make_vector<Scalar>(exec, Values(static_cast<std::size_t>(spread.A.num_cols()), 1));
  Solver solver(exec, spread.A.num_rows(), spread.A.num_cols(), params);
  Solved<Scalar> solved;
  solved.result = solver.solve(exec, any, device_b, x);
  const auto own = to_std_vector(x);
  if (options.image == ImageDistribution::replicated) {
    EXPECT_TRUE(Testing::same_on_all_ranks(own));
  }
  solved.x = gathered(own, spread.A);
  return solved;
}

/// Expects that all numbers in a result are equal on all ranks.
void expect_agreed(const SolveResult& result) {
  std::vector<double> numbers{
      static_cast<double>(result.reason), static_cast<double>(result.iterations), result.residual,
      result.relative_residual, result.history.back().log_likelihood.value_or(-1)};
  for (const IterationRecord& record : result.history)
    numbers.insert(numbers.end(), {record.residual.value_or(-1), record.change.value_or(-1),
                                   record.gradient.value_or(-1), record.model_counts.value_or(-1)});
  EXPECT_TRUE(Testing::same_on_all_ranks(numbers));
}

template <class Scalar>
void expect_near(const Solved<Scalar>& found, const Solved<Scalar>& expected, double bound) {
  EXPECT_LE(relative_difference(found.x, expected.x), bound);
  EXPECT_EQ(found.result.reason, expected.result.reason);
  EXPECT_EQ(found.result.iterations, expected.result.iterations);
  const std::size_t records = expected.result.history.size();
  EXPECT_EQ(found.result.history.size(), records);
  for (std::size_t k = 0; k < std::min(records, found.result.history.size()); ++k) {
    const IterationRecord &a = found.result.history[k], &b = expected.result.history[k];
    EXPECT_NEAR(a.residual.value_or(0), b.residual.value_or(0), bound * b.residual.value_or(0))
        << k;
    EXPECT_NEAR(a.change.value_or(0), b.change.value_or(0), 10 * bound * found.x.size()) << k;
    EXPECT_NEAR(a.log_likelihood.value_or(0), b.log_likelihood.value_or(0),
                bound * std::abs(b.log_likelihood.value_or(0)))
        << k;
  }
  expect_agreed(found.result);
}

template <class Solver>
void compare(const PlainCsr& A, const Values& b, const typename Solver::params_type& params,
             double bound) {
  const auto expected = solve_alone<Solver>(A, b, params);
  for (const DistributedOptions& options : all_options()) {
    for (const bool equal : {true, false}) {
      const auto found = solve_spread<Solver>(A, b, params, options, equal);
      expect_near(found, expected, bound);
      if (world->size() == 1) {
        EXPECT_TRUE(same_bits(found.x, expected.x));
      }
    }
  }
}

TYPED_TEST(DistributedSolversTest, mlem_equals_that_of_a_single_operator) {
  const PlainCsr A = positive_matrix();
  MlemParams params;
  params.iterations = 12;
  params.check_every = 4;
  compare<Mlem<TestSpace, TypeParam>>(A, counts_of(A), params, tolerance<TypeParam>(2e-5, 1e-13));
}

TYPED_TEST(DistributedSolversTest, mlem_reports_figures_of_all_rows) {
  using Scalar = TypeParam;
  PlainCsr A = positive_matrix();
  Values g = counts_of(A);
  g[7] = 5;  // the row without nonzeros
  MlemParams params;
  params.iterations = 3;
  const auto alone = solve_alone<Mlem<TestSpace, Scalar>>(A, g, params).result;
  for (const DistributedOptions& options : all_options()) {
    const auto spread = solve_spread<Mlem<TestSpace, Scalar>>(A, g, params, options).result;
    EXPECT_EQ(spread.template figures<MlemFigures>()->excluded_rows,
              alone.template figures<MlemFigures>()->excluded_rows);
    EXPECT_EQ(spread.template figures<MlemFigures>()->excluded_counts,
              alone.template figures<MlemFigures>()->excluded_counts);
    EXPECT_EQ(spread.template figures<MlemFigures>()->counts,
              alone.template figures<MlemFigures>()->counts);
    EXPECT_EQ(spread.template figures<MlemFigures>()->inactive_voxels,
              alone.template figures<MlemFigures>()->inactive_voxels);
    EXPECT_EQ(alone.template figures<MlemFigures>()->inactive_voxels, 1);
  }
}

TYPED_TEST(DistributedSolversTest, a_rule_stops_all_ranks_at_the_same_iterate) {
  const PlainCsr A = positive_matrix();
  const Values g = counts_of(A);
  MlemParams mlem;
  mlem.iterations = 200;
  mlem.check_every = 1;
  mlem.stop.relative_change = 0.02;
  compare<Mlem<TestSpace, TypeParam>>(A, g, mlem, tolerance<TypeParam>(5e-5, 1e-12));
  SirtParams sirt;
  sirt.iterations = 200;
  sirt.check_every = 1;
  sirt.stop.relative_residual = 0.4;
  compare<Sirt<TestSpace, TypeParam>>(A, g, sirt, tolerance<TypeParam>(5e-5, 1e-12));
}

TYPED_TEST(DistributedSolversTest, sirt_equals_that_of_a_single_operator) {
  const PlainCsr A = positive_matrix();
  SirtParams params;
  params.iterations = 10;
  params.minimum = 0;
  compare<Sirt<TestSpace, TypeParam>>(A, counts_of(A), params, tolerance<TypeParam>(2e-5, 1e-13));
}

TYPED_TEST(DistributedSolversTest, cgls_equals_that_of_a_single_operator) {
  const PlainCsr A = rounded_dense_matrix();
  CglsParams params;
  params.iterations = 5;
  params.damping = 0.1;
  compare<Cgls<TestSpace, TypeParam>>(A, random_vector(14, 5), params,
                                      tolerance<TypeParam>(2e-3, 1e-11));
}

/// Returns the error message of a solve with data that \p spoil changes, or an empty text.
template <class Solver>
std::string message_of_solve(const PlainCsr& A, const std::function<void(Values&)>& spoil) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const Spread<Scalar> spread(exec, A, SpreadTest::ranks, all_options().front(), true);
  const AnyOperator<TestSpace, Scalar> any(spread.A);
  Values b = part_of(counts_of(A), spread.rows);
  spoil(b);
  const auto device_b = make_vector<Scalar>(exec, b);
  const auto x =
      make_vector<Scalar>(exec, Values(static_cast<std::size_t>(spread.A.num_cols()), 1));
  Solver solver(exec, spread.A.num_rows(), spread.A.num_cols());
  return error_of([&] { solver.solve(exec, any, device_b, x); });
}

/// Expects that an error on the last rank alone ends the solve on all ranks, so that none waits.
template <class Solver>
void expect_end_on_all_ranks() {
  const bool is_last = world->rank() + 1 == world->size();
  const auto refuses = [&](const char* part, const std::function<void(Values&)>& spoil) {
    const std::string message = message_of_solve<Solver>(positive_matrix(), [&](Values& b) {
      if (is_last) spoil(b);
    });
    EXPECT_TRUE(contains(message, part)) << message;
    EXPECT_EQ(contains(message, "rank " + std::to_string(world->size() - 1) + ": "), !is_last)
        << message;
  };
  refuses("entry 5 of the data", [](Values& b) { b[5] = std::numeric_limits<double>::infinity(); });
  refuses("length of b", [](Values& b) { b.push_back(1); });
  EXPECT_EQ(message_of_solve<Solver>(positive_matrix(), [](Values&) {}), "");
}

TYPED_TEST(DistributedSolversTest, an_error_on_one_rank_ends_all_ranks) {
  expect_end_on_all_ranks<Mlem<TestSpace, TypeParam>>();
  expect_end_on_all_ranks<Sirt<TestSpace, TypeParam>>();
  expect_end_on_all_ranks<Cgls<TestSpace, TypeParam>>();
}

/// Compares solvers with subsets. Every rank has a share of every subset.
template <class Solver>
void compare_subsets(typename Solver::params_type params, double bound) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values b = counts_of(A);
  const auto expected = solve_alone<Solver>(A, b, params);
  const RowSubsets subsets(A.rows, params.subsets, params.subset_unit);
  PlainCsr part;
  part.columns = A.columns;
  Values data;
  std::vector<Ordinal> begins;
  for (int i = 0; i < subsets.count(); ++i) {
    begins.push_back(part.rows);
    const RowRange rows = own_rows(A, false, subsets[i]);
    for (Ordinal row = rows.begin; row < rows.end; ++row) {
      for (auto k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
        part.add(A.indices[k], A.values[k]);
      part.end_row();
      data.push_back(b[static_cast<std::size_t>(row)]);
    }
  }
  params.subset_begins = begins;
  params.subset_unit = 1;
  for (const DistributedOptions& options : all_options()) {
    const DistributedOperator<TestSpace, Scalar> D(exec, make_operator<Scalar>(exec, part),
                                                   SpreadTest::ranks, options);
    const AnyOperator<TestSpace, Scalar> any(D);
    const auto device_b = make_vector<Scalar>(exec, data);
    const auto x = make_vector<Scalar>(exec, Values(static_cast<std::size_t>(D.num_cols()), 1));
    Solver solver(exec, D.num_rows(), D.num_cols(), params);
    Solved<Scalar> found;
    found.result = solver.solve(exec, any, device_b, x);
    found.x = gathered(to_std_vector(x), D);
    expect_near(found, expected, bound);
  }
}

TYPED_TEST(DistributedSolversTest, subsets_equal_those_of_a_single_operator) {
  // With 75 units in 25 subsets, each rank has at most a few rows of a subset, or none.
  for (const int count : {3, 25}) {
    MlemParams mlem;
    mlem.iterations = 4;
    mlem.subsets = count;
    mlem.subset_unit = 4;
    compare_subsets<Mlem<TestSpace, TypeParam>>(mlem, tolerance<TypeParam>(5e-5, 1e-12));
    SirtParams sirt;
    sirt.iterations = 4;
    sirt.subsets = count;
    sirt.subset_unit = 4;
    compare_subsets<Sirt<TestSpace, TypeParam>>(sirt, tolerance<TypeParam>(5e-5, 1e-12));
  }
}

TYPED_TEST(DistributedSolversTest, there_may_be_more_ranks_than_rows) {
  // There are two rows, so ranks beyond the second have none.
  PlainCsr A;
  A.columns = 3;
  A.add(0, 1), A.add(1, 0.5), A.end_row();
  A.add(1, 0.25), A.add(2, 2), A.end_row();
  MlemParams params;
  params.iterations = 8;
  compare<Mlem<TestSpace, TypeParam>>(A, {3, 5}, params, tolerance<TypeParam>(1e-5, 1e-13));
}

TYPED_TEST(DistributedSolversTest, the_uniform_start_counts_all_rows) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const Values g = counts_of(A);
  const auto device_g = make_vector<Scalar>(exec, g);
  const DeviceVector<Scalar> x("x", A.columns);
  uniform_start(exec, AnyOperator<TestSpace, Scalar>(make_operator<Scalar>(exec, A)), device_g, x);
  const double expected = static_cast<double>(to_std_vector(x).front());
  for (const DistributedOptions& options : all_options()) {
    const Spread<Scalar> spread(exec, A, SpreadTest::ranks, options);
    const auto own_g = make_vector<Scalar>(exec, part_of(g, spread.rows));
    const DeviceVector<Scalar> own_x("x", spread.A.num_cols());
    uniform_start(exec, AnyOperator<TestSpace, Scalar>(spread.A), own_g, own_x);
    for (const Scalar value : to_std_vector(own_x))
      EXPECT_NEAR(static_cast<double>(value), expected, 1e-6 * expected);
  }
}

TYPED_TEST(DistributedSolversTest, every_run_gives_the_same_bits) {
  const PlainCsr A = positive_matrix();
  const Values g = counts_of(A);
  MlemParams params;
  params.iterations = 10;
  for (const DistributedOptions& options : all_options()) {
    const auto first = solve_spread<Mlem<TestSpace, TypeParam>>(A, g, params, options);
    const auto second = solve_spread<Mlem<TestSpace, TypeParam>>(A, g, params, options);
    EXPECT_TRUE(same_bits(first.x, second.x));
  }
}

}  // namespace
