// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Properties of single solvers in stacks: the terms of MLEM and the restarts of CGLS.
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <algorithm>
#include <set>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

template <class Scalar>
class StackTest : public ::testing::Test {};
TYPED_TEST_SUITE(StackTest, Scalars);

TYPED_TEST(StackTest, mlem_takes_terms_for_all_slices_or_for_each) {
  const TestSpace exec;
  const Problem p;
  const std::size_t s = 3;
  const ColumnwiseOperator<TypeParam> op(exec, p.A);
  std::vector<Values> data, n, b;
  for (std::size_t j = 0; j < s; ++j) {
    data.push_back(p.data(j));
    n.push_back(positive_vector(p.A.rows, 40 + static_cast<unsigned>(j)));
    b.push_back(positive_vector(p.A.rows, 50 + static_cast<unsigned>(j), 3));
    n[j][10 + j] = 0;  // dead detectors, different ones in every slice
  }
  const Values start(p.A.columns, 1);
  MlemParams params;
  params.iterations = 7;
  for (const bool n_each : {false, true})
    for (const bool b_each : {false, true}) {
      const auto device_n = make_vector<TypeParam>(exec, n_each ? interleave(n) : n[0]);
      const auto device_b = make_vector<TypeParam>(exec, b_each ? interleave(b) : b[0]);
      const auto g = make_vector<TypeParam>(exec, interleave(data));
      const auto x = make_vector<TypeParam>(exec, Values(start.size() * s, 1));
      Mlem<TestSpace, TypeParam> solver(exec, p.A.rows, p.A.columns, params, s);
      solver.set_terms({device_n, device_b});
      const auto results = solver.solve(
          exec, op, MultiVectorView<const TypeParam, MemorySpace>(g.data(), p.A.rows, s),
          MultiVectorView<TypeParam, MemorySpace>(x.data(), p.A.columns, s));
      for (std::size_t j = 0; j < s; ++j) {
        const auto slice_n = make_vector<TypeParam>(exec, n[n_each ? j : 0]);
        const auto slice_b = make_vector<TypeParam>(exec, b[b_each ? j : 0]);
        const auto slice_g = make_vector<TypeParam>(exec, data[j]);
        const auto y = make_vector<TypeParam>(exec, start);
        Mlem<TestSpace, TypeParam> single(exec, p.A.rows, p.A.columns, params);
        single.set_terms({slice_n, slice_b});
        expect_same(results[j], single.solve(exec, op, slice_g, y));
        EXPECT_TRUE(same_bits(slice(to_std_vector(x), s, j), to_std_vector(y)));
      }
    }
}

TYPED_TEST(StackTest, mlem_names_the_slice_of_bad_input) {
  const Problem p;
  using Solver = Mlem<TestSpace, TypeParam>;
  const ColumnwiseOperator<TypeParam> op(TestSpace(), p.A);
  std::vector<Values> data(3, p.clean), starts(3, Values(p.A.columns, 1));
  data[1][41] = -1;
  std::string message = error_of([&] { run_stack<Solver>(op, data, starts, {}); });
  EXPECT_TRUE(contains(message, "entry 41 of the data of slice 1 is -1")) << message;
  data[1][41] = 1;
  starts[2].assign(starts[2].size(), 0);
  message = error_of([&] { run_stack<Solver>(op, data, starts, {}); });
  EXPECT_TRUE(contains(message, "start image of slice 2 is zero")) << message;
}

TYPED_TEST(StackTest, mlem_starts_every_slice_from_its_counts) {
  const TestSpace exec;
  const Problem p;
  const auto op = make_operator<TypeParam>(exec, p.A);
  const std::vector<Values> data{p.data(1), p.data(2), p.data(3)};
  const auto g = make_vector<TypeParam>(exec, interleave(data));
  const auto x = make_vector<TypeParam>(exec, Values(p.A.columns * data.size(), -1));
  const Kokkos::View<TypeParam**, Kokkos::LayoutRight, MemorySpace> X("X", p.A.columns, 3);
  uniform_start(exec, op, MultiVectorView<const TypeParam, MemorySpace>(g.data(), p.A.rows, 3), X);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto single_g = make_vector<TypeParam>(exec, data[j]);
    const auto single = make_vector<TypeParam>(exec, Values(p.A.columns, -1));
    uniform_start(exec, op, single_g, single);
    EXPECT_TRUE(same_bits(slice(to_std_vector(X), 3, j), to_std_vector(single)));
  }
}

TYPED_TEST(StackTest, a_uniform_start_refuses_factors_of_another_length) {
  const TestSpace exec;
  const Problem p;
  const auto op = make_operator<TypeParam>(exec, p.A);
  const auto rows = static_cast<std::size_t>(p.A.rows);
  const auto g = make_vector<TypeParam>(exec, Values(rows * 3, 1));
  const auto x = make_vector<TypeParam>(exec, Values(p.A.columns * 3, 1));
  const auto start = [&](std::size_t slices, std::size_t length) {
    const auto factors = make_vector<TypeParam>(exec, Values(length, 1));
    uniform_start(exec, op, MultiVectorView<const TypeParam, MemorySpace>(g.data(), rows, slices),
                  MultiVectorView<TypeParam, MemorySpace>(x.data(), p.A.columns, slices),
                  {factors, {}});
  };
  for (const std::size_t length : {std::size_t{0}, rows, 3 * rows}) start(3, length);
  for (const std::size_t length : {rows - 1, rows + 1, 2 * rows, 3 * rows - 1, 4 * rows})
    EXPECT_THROW(start(3, length), DimensionMismatch) << length;
  for (const std::size_t length : {rows - 1, rows + 1, 3 * rows})
    EXPECT_THROW(start(1, length), DimensionMismatch) << length;
}

/// True if the recursion reached \p bound and the solve nevertheless continued: it restarted from
/// the true residual, which had not reached the bound.
inline bool has_restarted(const SolveResult& result, double bound) {
  for (const auto& record : result.history)
    if (record.iteration < result.iterations && record.iteration % 5 == 0 &&
        *record.relative_residual <= bound)
      return true;
  return false;
}

TYPED_TEST(StackTest, cgls_restarts_slices_by_themselves) {
  // Badly scaled: the recursions report residuals that x does not have, and each slice has to
  // restart at a different time.
  PlainCsr A;
  const int n = 60;
  A.columns = n;
  for (int i = 0; i < n; ++i) {
    A.add(i, std::pow(10.0, -2.0 * i / n));
    if (i + 1 < n) A.add(i + 1, 0.3);
    A.end_row();
  }
  std::vector<Values> data;
  for (unsigned j = 0; j < 6; ++j) {
    Values x = positive_vector(n, 3 + j, 100);
    for (int i = 0; i < n; ++i) x[i] *= std::pow(0.9, i * static_cast<int>(j));
    data.push_back(multiply(A, x));
  }
  for (auto& values : data)
    for (auto& value : values) value = static_cast<float>(value);
  const std::vector<Values> starts(data.size(), Values(n, 0));
  CglsParams params;
  params.iterations = 5000;
  params.check_every = 5;
  params.stop.relative_residual = tolerance<TypeParam>(1e-9, 1e-18);
  const auto beyond = expect_single_runs<Cgls<TestSpace, TypeParam>>(A, data, starts, params);
  std::set<int> iterations;
  EXPECT_EQ(beyond.results[0].reason, StopReason::stagnated);
  for (const auto& result : beyond.results) iterations.insert(result.iterations);
  EXPECT_GE(iterations.size(), 2U);
  std::vector<bool> restarted;
  for (const auto& result : beyond.results)
    restarted.push_back(has_restarted(result, *params.stop.relative_residual));
  EXPECT_GE(std::count(restarted.begin(), restarted.end(), true), 2);
  params.stop.relative_residual = tolerance<TypeParam>(1e-5, 1e-12);
  expect_single_runs<Cgls<TestSpace, TypeParam>>(A, data, starts, params);
  params.damping = 0.3;
  params.restart_every = 7;
  params.iterations = 60;
  expect_single_runs<Cgls<TestSpace, TypeParam>>(A, data, starts, params);
}

}  // namespace
