// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over all ranks, and the choice of a communicator.
#include "CommunicatorTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Lengths below and equal to the number of ranks, lengths that fill pieces of 48 bytes or do not,
/// and large lengths.
constexpr std::array<std::size_t, 10> lengths{0, 1, 2, 3, 4, 5, 24, 25, 1000, 60013};

template <class Scalar>
class MpiSums : public ForScalars<Scalar> {};
TYPED_TEST_SUITE(MpiSums, Scalars);

TYPED_TEST(MpiSums, are_equal_on_all_ranks) {
  const TestSpace exec;
  for (const Kind& kind : all_kinds(exec))
    for (const std::size_t length : lengths) {
      SCOPED_TRACE(kind.name + ", length " + std::to_string(length));
      const auto values = upload(exec, values_of<TypeParam>(world->rank(), length));
      kind.communicator->sum(exec, view(values));
      const auto sums = download(exec, values);
      expect_sums(sums, world->size(), kind.sums_ordered, "sum");
      EXPECT_TRUE(same_on_all_ranks(sums));
    }
}

TYPED_TEST(MpiSums, have_the_same_bits_on_every_run) {
  const TestSpace exec;
  for (const Kind& kind : all_kinds(exec)) {
    if (!kind.deterministic) continue;
    SCOPED_TRACE(kind.name);
    constexpr std::size_t length = 2999;
    std::vector<TypeParam> first;
    for (int repetition = 0; repetition < 20; ++repetition) {
      const auto values = upload(exec, values_of<TypeParam>(world->rank(), length));
      // Ranks arrive at different times and in different orders.
      if ((world->rank() + repetition) % 2 == 0) {
        const auto other = upload(exec, values_of<TypeParam>(0, 200000));
        for (int k = 0; k < 5; ++k) negate_into(exec, view(other), view(other));
        exec.fence();
      }
      kind.communicator->sum(exec, view(values));
      const auto sums = download(exec, values);
      if (repetition == 0) first = sums;
      EXPECT_EQ(std::memcmp(sums.data(), first.data(), length * sizeof(TypeParam)), 0);
    }
  }
}

TYPED_TEST(MpiSums, keep_their_place_in_the_queue) {
  const TestSpace exec;
  constexpr std::size_t length = 4001;
  const auto own = upload(exec, values_of<TypeParam>(world->rank(), length));
  const auto values = upload(exec, std::vector<TypeParam>(length, TypeParam(1000)));
  const auto results = upload(exec, std::vector<TypeParam>(length, TypeParam(1000)));
  for (const Kind& kind : all_kinds(exec)) {
    SCOPED_TRACE(kind.name);
    // Launch, exchange and launch again without waiting in between.
    slowly_set(exec, view(values), view(own));
    kind.communicator->sum(exec, view(values));
    negate_into(exec, view(results), view(values));
    std::vector<TypeParam> sums = download(exec, results);
    for (TypeParam& sum : sums) sum = -sum;
    expect_sums(sums, world->size(), kind.sums_ordered, "sum");
  }
}

TEST(MpiCommunicators, name_their_transport) {
  const TestSpace exec;
  const auto communicator = make_communicator(exec, *world, {false, Transport::mpi});
  EXPECT_EQ(communicator->transport(),
            Impl::is_host_space<TestSpace> ? "mpi" : "mpi, through host memory");
  EXPECT_EQ(&communicator->ranks(), world);
  EXPECT_EQ(communicator->rank(), world->rank());
  EXPECT_EQ(communicator->size(), world->size());
  if (Impl::is_host_space<TestSpace>) {
    EXPECT_EQ(make_communicator(exec, *world)->transport(), "mpi");
    try {
      make_communicator(exec, *world, {false, Transport::nccl});
      ADD_FAILURE() << "NCCL was accepted for host memory";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("on its host"), std::string::npos) << error.what();
    }
  }
}

TEST(MpiCommunicators, must_be_of_the_same_kind_on_all_ranks) {
  const TestSpace exec;
  const bool first = world->rank() == 0;
  if (world->size() == 1) GTEST_SKIP() << "needs several ranks";
  EXPECT_THROW(make_communicator(exec, *world, {first, Transport::mpi}), Error);
  EXPECT_THROW(
      make_communicator(exec, *world, {false, first ? Transport::mpi : Transport::automatic}),
      Error);
}

}  // namespace
