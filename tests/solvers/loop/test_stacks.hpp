// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of slices compared with single runs of every slice: equal bits if the products add in the
// same order, otherwise equal within rounding. Every slice stops separately.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Sirt.hpp>
#include <set>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

template <class Solver>
class Stacks : public ::testing::Test {};
using Solvers =
    ::testing::Types<Mlem<TestSpace, float>, Mlem<TestSpace, double>, Sirt<TestSpace, float>,
                     Sirt<TestSpace, double>, Cgls<TestSpace, float>, Cgls<TestSpace, double>>;
TYPED_TEST_SUITE(Stacks, Solvers);

TYPED_TEST(Stacks, have_the_bits_of_single_runs) {
  const Problem p;
  for (const std::size_t s : {1, 2, 3, 5, 8, 17, 33}) {
    std::vector<Values> data;
    for (std::size_t j = 0; j < s; ++j) data.push_back(p.data(j));
    const std::vector<Values> starts(s, Values(p.A.columns, 1));
    typename TypeParam::params_type params;
    params.iterations = 9;
    expect_single_runs<TypeParam>(p.A, data, starts, params);
  }
}

TYPED_TEST(Stacks, have_the_bits_of_single_runs_of_many_blocks) {
  // Long enough for reductions over more than one block, with a remainder.
  const PlainCsr raw = battery::make("long", 7003, 4999, [](int i) { return 2 + i % 5; });
  PlainCsr A;
  A.columns = raw.columns;
  for (int i = 0; i < raw.rows; ++i) {
    for (auto k = raw.offsets[i]; k < raw.offsets[i + 1]; ++k)
      A.add(raw.indices[k], 0.01 + std::abs(raw.values[k]));
    A.end_row();
  }
  std::vector<Values> data, starts;
  for (unsigned j = 0; j < 3; ++j) {
    data.push_back(positive_vector(A.rows, 20 + j));
    starts.push_back(positive_vector(A.columns, 30 + j));
  }
  typename TypeParam::params_type params;
  params.iterations = 6;
  expect_single_runs<TypeParam>(A, data, starts, params);
}

TYPED_TEST(Stacks, stop_slice_by_slice) {
  const Problem p;
  std::vector<Values> data{p.clean};
  for (std::size_t j = 1; j < 9; ++j) data.push_back(p.data(j));
  data.push_back(Values(p.clean.size(), 0));  // stops with zero_rhs
  std::vector<Values> starts(data.size(), Values(p.A.columns, 1));
  starts.back().assign(p.A.columns, 0);
  typename TypeParam::params_type params;
  params.iterations = 40;
  params.check_every = 2;
  params.stop.relative_residual = 5e-2;
  const auto stack = expect_single_runs<TypeParam>(p.A, data, starts, params);
  // Slices without noise converge, the noisiest ones run out of iterations, at different times.
  EXPECT_EQ(stack.results.front().reason, StopReason::converged);
  const bool is_sirt = std::is_same_v<typename TypeParam::params_type, SirtParams>;
  EXPECT_EQ(stack.results.back().reason, is_sirt ? StopReason::converged : StopReason::zero_rhs);
  std::set<int> iterations;
  std::set<StopReason> reasons;
  for (const auto& result : stack.results) {
    iterations.insert(result.iterations);
    reasons.insert(result.reason);
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1);
  }
  EXPECT_GE(iterations.size(), 3U);
  EXPECT_GE(reasons.size(), is_sirt ? 2U : 3U);
}

TYPED_TEST(Stacks, one_slice_that_is_not_finite_ends_alone) {
  using Scalar = typename TypeParam::scalar_type;
  const bool is_mlem = std::is_same_v<typename TypeParam::params_type, MlemParams>;
  PlainCsr A;
  A.columns = 2;
  A.add(0, 1), A.end_row();
  A.add(1, 1), A.add(0, 0.5), A.end_row();
  const double huge = std::numeric_limits<Scalar>::max();
  const std::vector<Values> data{{3, 4}, {is_mlem ? huge : 1, 1}, {5, 2}};
  const double bad = is_mlem ? 1e-3 : std::numeric_limits<double>::infinity();
  const std::vector<Values> starts{{1, 1}, {bad, 1}, {1, 2}};
  typename TypeParam::params_type params;
  params.iterations = 7;
  params.stop.relative_change = 1e-30;
  for (const int check_every : {1, 100}) {
    params.check_every = check_every;
    const auto stack = expect_single_runs<TypeParam>(A, data, starts, params);
    EXPECT_EQ(stack.results[1].reason, StopReason::non_finite);
    EXPECT_TRUE(stack.results[1].non_finite_iteration);
    for (const std::size_t j : {0, 2}) {
      EXPECT_NE(stack.results[j].reason, StopReason::non_finite);
      for (const auto value : slice(stack.x, 3, j)) EXPECT_TRUE(std::isfinite(value));
    }
  }
}

TYPED_TEST(Stacks, agree_with_single_runs_on_a_matrix) {
  using Scalar = typename TypeParam::scalar_type;
  const Problem p;
  const TestSpace exec;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, p.A);
  std::vector<Values> data;
  for (std::size_t j = 0; j < 17; ++j) data.push_back(p.data(j));
  const std::vector<Values> starts(data.size(), Values(p.A.columns, 1));
  typename TypeParam::params_type params;
  params.iterations = 6;
  const auto stack = run_stack<TypeParam>(op, data, starts, params);
  for (std::size_t j = 0; j < data.size(); ++j) {
    SolveResult result;
    const auto x = run_solver<TypeParam>(exec, p.A, data[j], starts[j], params, &result);
    EXPECT_LT(relative_difference(slice(stack.x, data.size(), j), x),
              tolerance<Scalar>(1e-4, 1e-12));
    EXPECT_NEAR(stack.results[j].residual, result.residual,
                tolerance<Scalar>(1e-5, 1e-13) * result.rhs_norm);
  }
}

TYPED_TEST(Stacks, show_the_monitor_frozen_slices) {
  using Scalar = typename TypeParam::scalar_type;
  const Problem p;
  const ColumnwiseOperator<Scalar> op(TestSpace(), p.A);
  const std::size_t s = 4;
  std::vector<Values> data;
  for (const std::size_t j : {0, 3, 6, 9}) data.push_back(p.data(j));
  const std::vector<Values> starts(s, Values(p.A.columns, 1));
  typename TypeParam::params_type params;
  params.iterations = 300;
  params.check_every = 2;
  params.stop.relative_residual = 5e-2;
  std::vector<std::vector<Scalar>> frozen(s);
  std::vector<int> stopped_at(s, -1);
  int frozen_looks = 0;
  const Monitor<TestSpace, Scalar> monitor = [&](const TestSpace&,
                                                 const MonitorState<TestSpace, Scalar>& state) {
    const auto x = to_std_vector(state.x);
    EXPECT_EQ(state.records.size(), s);
    EXPECT_EQ(state.iteration % 2, 0);
    for (std::size_t j = 0; j < s; ++j) {
      EXPECT_EQ(state.records[j].iteration, stopped_at[j] < 0 ? state.iteration : stopped_at[j]);
      const auto column = slice(x, s, j);
      if (stopped_at[j] >= 0) {
        EXPECT_TRUE(same_bits(column, frozen[j])) << j << " at " << state.iteration;
        EXPECT_FALSE(state.active[j]);
        ++frozen_looks;
      } else if (!state.active[j]) {
        stopped_at[j] = state.iteration;
        frozen[j] = column;
      }
    }
    return state.iteration == 200 ? MonitorAction::stop : MonitorAction::proceed;
  };
  const auto stack = run_stack<TypeParam>(op, data, starts, params, monitor);
  EXPECT_GE(frozen_looks, 2);
  EXPECT_EQ(stack.results[0].reason, StopReason::converged);
  for (std::size_t j = 0; j < s; ++j) {
    if (stopped_at[j] >= 0) {
      EXPECT_TRUE(same_bits(slice(stack.x, s, j), frozen[j]));
      EXPECT_EQ(stack.results[j].iterations, stopped_at[j]);
    } else {
      EXPECT_EQ(stack.results[j].reason, StopReason::user_stop);
      EXPECT_EQ(stack.results[j].iterations, 200);
    }
  }
}

TYPED_TEST(Stacks, pass_on_what_the_monitor_throws_and_asks) {
  using Scalar = typename TypeParam::scalar_type;
  const Problem p;
  const ColumnwiseOperator<Scalar> op(TestSpace(), p.A);
  const std::vector<Values> data{p.data(1), p.data(2)}, starts(2, Values(p.A.columns, 1));
  typename TypeParam::params_type params;
  params.iterations = 20;
  params.check_every = 3;
  const auto stack = run_stack<TypeParam>(op, data, starts, params, [](const auto&, const auto& s) {
    return s.iteration == 6 ? MonitorAction::interrupt : MonitorAction::proceed;
  });
  for (const auto& result : stack.results) {
    EXPECT_EQ(result.reason, StopReason::interrupted);
    EXPECT_EQ(result.iterations, 6);
  }
  EXPECT_THROW(run_stack<TypeParam>(
                   op, data, starts, params,
                   [](const auto&, const auto&) -> MonitorAction { throw Error("enough"); }),
               Error);
}

TYPED_TEST(Stacks, name_both_shapes_that_do_not_fit) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const auto values = make_vector<Scalar>(exec, Values(5000, 1));
  const auto run = [&](std::size_t rows, std::size_t b_slices, std::size_t columns,
                       std::size_t x_slices) {
    const MultiVectorView<const Scalar, MemorySpace> B(values.data(), rows, b_slices);
    const MultiVectorView<Scalar, MemorySpace> X(values.data(), columns, x_slices);
    TypeParam solver(exec, A.rows, A.columns, {}, 3);
    try {
      solver.solve(exec, op, B, X);
    } catch (const DimensionMismatch& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect_both = [](const std::string& message, const char* one, const char* other) {
    EXPECT_TRUE(contains(message, one) && contains(message, other)) << message;
  };
  expect_both(run(299, 3, 120, 3), "299", "300");
  expect_both(run(300, 4, 120, 3), "columns of b is 4", "3");
  expect_both(run(300, 3, 121, 3), "121", "120");
  expect_both(run(300, 3, 120, 2), "columns of x is 2", "3");
  EXPECT_TRUE(
      contains(error_of([&] { TypeParam(exec, A.rows, A.columns, {}, 0); }), "slices is 0"));
}

TYPED_TEST(Stacks, count_the_matrix_once_and_vectors_per_slice) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const PlainCsr A = positive_matrix();
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, A);
  const TypeParam one(exec, A.rows, A.columns), eight(exec, A.rows, A.columns, {}, 8);
  EXPECT_EQ(eight.num_slices(), 8);
  const std::size_t single = one.iteration_bytes(op), stack = eight.iteration_bytes(op);
  EXPECT_GT(stack, single);
  // Seven more slices: products move x and y, and the vectors of the iteration are read and
  // written.
  const std::size_t per_slice = (stack - single) / 7;
  EXPECT_GE(per_slice, (2 + 3) * sizeof(Scalar) * static_cast<std::size_t>(A.rows + A.columns));
  EXPECT_LE(per_slice, 12 * sizeof(Scalar) * static_cast<std::size_t>(A.rows + A.columns));
  EXPECT_GE(
      eight.workspace_bytes(),
      one.workspace_bytes() + 7 * sizeof(Scalar) * static_cast<std::size_t>(A.rows + A.columns));
}

int copies;
void count_copy(Kokkos::Tools::SpaceHandle, const char*, const void*, Kokkos::Tools::SpaceHandle,
                const char*, const void*, std::uint64_t) {
  ++copies;
}

TYPED_TEST(Stacks, copy_nothing_in_the_loop) {
  using Scalar = typename TypeParam::scalar_type;
  const Problem p;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(TestSpace(), p.A);
  const std::vector<Values> data{p.data(1), p.data(2), p.data(3)};
  const std::vector<Values> starts(3, Values(p.A.columns, 1));
  int counted[2];
  for (const int run : {0, 1}) {
    typename TypeParam::params_type params;
    params.iterations = run == 0 ? 5 : 35;
    copies = 0;
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(count_copy);
    run_stack<TypeParam>(op, data, starts, params);
    Kokkos::Tools::Experimental::set_begin_deep_copy_callback(nullptr);
    counted[run] = copies;
  }
  EXPECT_EQ(counted[0], counted[1]);
}

TYPED_TEST(Stacks, can_be_solved_by_any_solver) {
  using Scalar = typename TypeParam::scalar_type;
  const TestSpace exec;
  const Problem p;
  const AnyOperator<TestSpace, Scalar> op = make_operator<Scalar>(exec, p.A);
  const std::vector<Values> data{p.data(1), p.data(2)}, starts(2, Values(p.A.columns, 1));
  typename TypeParam::params_type params;
  params.iterations = 4;
  const auto expected = run_stack<TypeParam>(op, data, starts, params);
  const auto b = make_vector<Scalar>(exec, interleave(data));
  const auto x = make_vector<Scalar>(exec, interleave(starts));
  const MultiVectorView<const Scalar, MemorySpace> B(b.data(), p.A.rows, 2);
  const MultiVectorView<Scalar, MemorySpace> X(x.data(), p.A.columns, 2);
  TypeParam solver(exec, p.A.rows, p.A.columns, params, 2);
  EXPECT_TRUE(solver.solves_columns_together());
  const auto results = solver.solve(exec, op, B, X);
  ASSERT_EQ(results.size(), 2U);
  expect_same(results[1], expected.results[1]);
  EXPECT_TRUE(same_bits(to_std_vector(x), expected.x));

  // Slices are solved one after the other, each with the bits of a separate solve.
  ArtParams of_art;
  of_art.record_residual = true;
  Art<TestSpace, Scalar> art(exec, p.A.rows, p.A.columns, of_art);
  EXPECT_FALSE(art.solves_columns_together());
  const auto images = make_vector<Scalar>(exec, interleave(starts));
  int calls = 0;
  const auto each =
      art.solve(exec, op, B, MultiVectorView<Scalar, MemorySpace>(images.data(), p.A.columns, 2),
                [&](const auto&, const auto& state) {
                  calls += state.records.size() == 1 && state.active[0] != state.last;
                  return MonitorAction::proceed;
                });
  ASSERT_EQ(each.size(), 2U);
  EXPECT_GE(calls, 4);
  for (std::size_t j = 0; j < 2; ++j) {
    const auto image = make_vector<Scalar>(exec, starts[j]);
    expect_same(art.solve(exec, op, make_vector<Scalar>(exec, data[j]), image), each[j]);
    EXPECT_TRUE(same_bits(to_std_vector(image), slice(to_std_vector(images), 2, j)));
  }
}

}  // namespace
