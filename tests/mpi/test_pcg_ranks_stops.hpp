// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What conjugate gradients over ranks cannot solve: all ranks end, and say the same.
#include "PcgRanksTesting.hpp"

using namespace spread_testing;

namespace {

template <class Scalar>
class PcgSpreadStops : public ::testing::Test {};
TYPED_TEST_SUITE(PcgSpreadStops, Scalars);

/// All ranks report `reason`, and say the same of it; by one reduction what the solver of the whole
/// matrix says, which may have lost itself in directions that lower nothing.
template <class Scalar>
void ends_with(StopReason reason, const PlainCsr& A, const PreconditionerOptions& options,
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

TYPED_TEST(PcgSpreadStops, tells_all_ranks_of_what_it_cannot_solve) {
  PlainCsr A = spd_matrix();
  const auto entry = [&](Ordinal row, Ordinal column) -> double& {
    auto k = static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(row)]);
    while (A.indices[k] != column) ++k;
    return A.values[k];
  };
  // Positive diagonals, and not definite.
  const auto off = static_cast<std::size_t>(A.offsets[200]);
  const Ordinal other = A.indices[off];
  entry(200, other) = entry(other, 200) = 40 * std::sqrt(entry(200, 200) * entry(other, other));
  for (const PreconditionerOptions& options :
       {PreconditionerOptions{Kind::none}, PreconditionerOptions{Kind::jacobi},
        PreconditionerOptions{Kind::jacobi, 2, false}})
    ends_with<TypeParam>(StopReason::indefinite, A, options);
  A = spd_matrix();
  entry(199, 199) *= -1;
  entry(204, 204) = 0;
  ends_with<TypeParam>(StopReason::indefinite, A, {Kind::jacobi}, 199);
  ends_with<TypeParam>(StopReason::indefinite, A, {Kind::none});
  entry(7, 7) = 0;
  ends_with<TypeParam>(StopReason::zero_diagonal, A, {Kind::jacobi}, 7);
  A = spd_matrix();
  entry(3, 3) = std::numeric_limits<double>::infinity();
  ends_with<TypeParam>(StopReason::non_finite, A, {Kind::jacobi, 2, false}, 3);
  A = spd_matrix();
  entry(209, 208) = std::numeric_limits<double>::quiet_NaN();
  ends_with<TypeParam>(StopReason::non_finite, A, {Kind::jacobi});
  ends_with<TypeParam>(StopReason::non_finite, A, {Kind::none});
}

TYPED_TEST(PcgSpreadStops, refuses_on_all_ranks_what_is_wrong_on_one) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Begins begins = partitions(A.rows).front();
  const auto system = spread_system<TypeParam>(exec, A, begins, comm);
  const bool is_last = this_rank() + 1 == static_cast<std::size_t>(num_ranks());
  const auto say = [&](const Values& b, const Values& start) {
    SolveResult result;
    return message_of([&] { solve<Cg<TypeParam>>(system, b, start, PcgParams(), result); });
  };
  const Values zero(static_cast<std::size_t>(system.num_rows()), 0);
  Values bad(zero.size(), 1);
  if (is_last) bad[5] = std::numeric_limits<double>::infinity();
  for (const std::string& said : {say(bad, zero), say(zero, bad)}) {
    EXPECT_TRUE(holds(said, "entry 5 of the ")) << said;
    EXPECT_EQ(holds(said, "rank " + std::to_string(num_ranks() - 1) + ": "), !is_last) << said;
  }
  Values longer = zero;
  if (is_last) longer.push_back(1);
  EXPECT_NE(say(longer, zero), "");
  Values tiny = zero;
  if (is_last) tiny[0] = tolerance<TypeParam>(0, 1e-200);
  if constexpr (std::is_same_v<TypeParam, double>) {
    EXPECT_EQ(say(tiny, zero), "");  // solved in other units, on all ranks
  }
  // And goes on afterwards.
  EXPECT_EQ(say(Values(zero.size(), 1), zero), "");

  SolveResult result;
  const Monitor<TestSpace, TypeParam> monitor = [](const TestSpace&, const auto&) {
    return MonitorAction::proceed;
  };
  const auto watched = [&](bool by_this) {
    return message_of([&] {
      solve<Cg<TypeParam>>(system, Values(zero.size(), 1), zero, PcgParams(), result,
                           by_this ? monitor : Monitor<TestSpace, TypeParam>());
    });
  };
  EXPECT_EQ(watched(true), "");
  EXPECT_EQ(holds(watched(this_rank() == 0), "either all ranks or none must give a monitor"),
            num_ranks() > 1);
}

}  // namespace
