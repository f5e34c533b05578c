// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Systems that conjugate gradients over ranks cannot solve: all ranks end with the same report.
#include "PcgRanksTesting.hpp"

using namespace spread_testing;

namespace {

template <class Scalar>
class PcgSpreadStops : public ::testing::Test {};
TYPED_TEST_SUITE(PcgSpreadStops, Scalars);

/// Expects equal results on all ranks, with the same reason as the solver of the whole matrix. With
/// the standard scheme, that reason must be `reason`. A single reduction may end for another
/// reason, because its search directions may have lost their meaning.
template <class Scalar>
void expect_end(StopReason reason, const PlainCsr& A, const PreconditionerOptions& options,
                std::optional<Ordinal> row = {}) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const Values b = random_vector(A.rows, 1), start(b.size(), 0);
  const System<Scalar> whole(exec, make_operator<Scalar>(exec, A), options);
  PcgParams params;
  for (const PcgScheme scheme : schemes) {
    params.scheme = scheme;
    SolveResult alone;
    solve<Cg<Scalar>>(whole, b, start, params, alone);
    if (scheme == PcgScheme::standard) {
      EXPECT_EQ(to_string(alone.reason), to_string(reason));
    }
    for (const Begins& begins : partitions(A.rows)) {
      SolveResult result;
      solve_spread(spread_system<Scalar>(exec, A, begins, comm, options), begins, b, start, params,
                   result);
      EXPECT_EQ(to_string(result.reason), to_string(alone.reason))
          << to_string(options.kind) << ", " << to_string(scheme);
      EXPECT_EQ(result.row.value_or(-1), row.value_or(-1));
      EXPECT_TRUE(Tomokkos::Testing::same_on_all_ranks(numbers_of(result)));
    }
  }
}

TYPED_TEST(PcgSpreadStops, all_ranks_report_why_a_system_cannot_be_solved) {
  PlainCsr A = spd_matrix();
  const auto entry = [&](Ordinal row, Ordinal column) -> double& {
    auto k = static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(row)]);
    while (A.indices[k] != column) ++k;
    return A.values[k];
  };
  // The diagonal is positive, but the matrix is not definite.
  const auto off = static_cast<std::size_t>(A.offsets[200]);
  const Ordinal other = A.indices[off];
  entry(200, other) = entry(other, 200) = 40 * std::sqrt(entry(200, 200) * entry(other, other));
  for (const PreconditionerOptions& options :
       {PreconditionerOptions{Kind::none}, PreconditionerOptions{Kind::jacobi},
        PreconditionerOptions{Kind::jacobi, 2, false}})
    expect_end<TypeParam>(StopReason::indefinite, A, options);
  A = spd_matrix();
  entry(199, 199) *= -1;
  entry(204, 204) = 0;
  expect_end<TypeParam>(StopReason::indefinite, A, {Kind::jacobi}, 199);
  expect_end<TypeParam>(StopReason::indefinite, A, {Kind::none});
  entry(7, 7) = 0;
  expect_end<TypeParam>(StopReason::zero_diagonal, A, {Kind::jacobi}, 7);
  A = spd_matrix();
  entry(3, 3) = std::numeric_limits<double>::infinity();
  expect_end<TypeParam>(StopReason::non_finite, A, {Kind::jacobi, 2, false}, 3);
  A = spd_matrix();
  entry(209, 208) = std::numeric_limits<double>::quiet_NaN();
  expect_end<TypeParam>(StopReason::non_finite, A, {Kind::jacobi});
  expect_end<TypeParam>(StopReason::non_finite, A, {Kind::none});
}

TYPED_TEST(PcgSpreadStops, an_error_on_one_rank_is_refused_on_all_ranks) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Begins begins = partitions(A.rows).front();
  const auto system = spread_system<TypeParam>(exec, A, begins, comm);
  const bool is_last = this_rank() + 1 == static_cast<std::size_t>(num_ranks());
  const auto error_of_solve = [&](const Values& b, const Values& start) {
    SolveResult result;
    return message_of([&] { solve<Cg<TypeParam>>(system, b, start, PcgParams(), result); });
  };
  const Values zero(static_cast<std::size_t>(system.num_rows()), 0);
  Values bad(zero.size(), 1);
  if (is_last) bad[5] = std::numeric_limits<double>::infinity();
  for (const std::string& message : {error_of_solve(bad, zero), error_of_solve(zero, bad)}) {
    EXPECT_TRUE(holds(message, "entry 5 of the ")) << message;
    EXPECT_EQ(holds(message, "rank " + std::to_string(num_ranks() - 1) + ": "), !is_last)
        << message;
  }
  Values longer = zero;
  if (is_last) longer.push_back(1);
  EXPECT_NE(error_of_solve(longer, zero), "");
  Values tiny = zero;
  if (is_last) tiny[0] = tolerance<TypeParam>(0, 1e-200);
  if constexpr (std::is_same_v<TypeParam, double>) {
    EXPECT_EQ(error_of_solve(tiny, zero), "");  // all ranks rescale the system
  }
  // The solver still works afterwards.
  EXPECT_EQ(error_of_solve(Values(zero.size(), 1), zero), "");

  SolveResult result;
  const Monitor<TestSpace, TypeParam> monitor = [](const TestSpace&, const auto&) {
    return MonitorAction::proceed;
  };
  const auto error_with_monitor = [&](bool by_this) {
    return message_of([&] {
      solve<Cg<TypeParam>>(system, Values(zero.size(), 1), zero, PcgParams(), result,
                           by_this ? monitor : Monitor<TestSpace, TypeParam>());
    });
  };
  EXPECT_EQ(error_with_monitor(true), "");
  EXPECT_EQ(
      holds(error_with_monitor(this_rank() == 0), "either all ranks or none must give a monitor"),
      num_ranks() > 1);
}

}  // namespace
