// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations between the hosts of the ranks.
#include <gtest/gtest.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_LaunchedRank.hpp>
#include <Tomokkos_MpiSession.hpp>
#include <Tomokkos_SharedDevices.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "MpiTesting.hpp"

namespace {

using namespace Tomokkos::Testing;
using Tomokkos::MpiRanks;

/// Lengths of one piece, of several pieces and with an incomplete last piece, for pieces of 48
/// bytes.
constexpr std::array<std::size_t, 6> lengths{0, 1, 5, 6, 7, 1000};

class MpiRanksTest : public ::testing::TestWithParam<std::size_t> {
 protected:
  MpiRanks ranks{MPI_COMM_WORLD, GetParam()};
};

TEST_P(MpiRanksTest, know_their_rank_and_their_number) {
  int rank = -1, size = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  EXPECT_EQ(ranks.rank(), rank);
  EXPECT_EQ(ranks.size(), size);
  EXPECT_EQ(Tomokkos::launched_ranks(), size);
  EXPECT_EQ(Tomokkos::launched_rank(), rank);
  // The tests run on one node.
  EXPECT_EQ(ranks.local_rank(), rank);
  EXPECT_EQ(ranks.local_size(), size);
  EXPECT_NE(ranks.comm(), MPI_COMM_WORLD);
}

TEST_P(MpiRanksTest, add_in_the_order_of_the_ranks) {
  for (const std::size_t length : lengths) {
    const std::vector<double> expected = ordered_sums<double>(ranks.size(), length);
    for (int repetition = 0; repetition < 20; ++repetition) {
      std::vector<double> values = values_of<double>(ranks.rank(), length);
      ranks.sum(values);
      EXPECT_EQ(values, expected) << length;
    }
  }
  EXPECT_EQ(ranks.sum_of(ranks.rank() + 1.0), ranks.size() * (ranks.size() + 1) / 2.0);
}

TEST_P(MpiRanksTest, find_the_largest_values) {
  for (const std::size_t length : lengths) {
    std::vector<double> values = values_of<double>(ranks.rank(), length);
    std::vector<double> expected = values_of<double>(0, length);
    for (int r = 1; r < ranks.size(); ++r)
      for (std::size_t i = 0; i < length; ++i)
        expected[i] = std::max(expected[i], value_of<double>(r, i));
    ranks.max(values);
    EXPECT_EQ(values, expected) << length;
  }
  EXPECT_EQ(ranks.max_of(-1.0 - ranks.rank()), -1.0);
}

TEST_P(MpiRanksTest, broadcast_from_any_root) {
  for (int root = 0; root < ranks.size(); ++root)
    for (const std::size_t length : lengths) {
      std::vector<double> values = values_of<double>(ranks.rank(), length);
      // The number of bytes is not a multiple of the size of a value.
      auto bytes = std::as_writable_bytes(std::span(values));
      if (!bytes.empty()) bytes = bytes.subspan(3);
      std::vector<double> expected = values;
      const std::vector<double> root_values = values_of<double>(root, length);
      if (length > 0)
        std::memcpy(reinterpret_cast<char*>(expected.data()) + 3,
                    reinterpret_cast<const char*>(root_values.data()) + 3, length * 8 - 3);
      ranks.broadcast(bytes, root);
      EXPECT_EQ(std::memcmp(values.data(), expected.data(), length * 8), 0) << root << length;
    }
}

TEST_P(MpiRanksTest, gather_in_the_order_of_the_ranks) {
  const auto size = static_cast<std::size_t>(ranks.size());
  for (const std::size_t length : lengths) {
    const std::vector<double> part = values_of<double>(ranks.rank(), length);
    std::vector<double> whole(length * size, -1.0), expected;
    for (int r = 0; r < ranks.size(); ++r)
      for (std::size_t i = 0; i < length; ++i) expected.push_back(value_of<double>(r, i));
    ranks.gather(part, whole);
    EXPECT_EQ(whole, expected) << length;
  }
  std::vector<double> part(2), whole(2 * size + 1);
  EXPECT_THROW(ranks.gather(part, whole), Tomokkos::DimensionMismatch);
}

TEST_P(MpiRanksTest, wait_for_all_others) {
  // A rank passes only after all ranks have arrived. Here, rank 0 receives a message from each
  // first.
  std::vector<double> order;
  MPI_Request request = MPI_REQUEST_NULL;
  double sent = ranks.rank();
  MPI_Issend(&sent, 1, MPI_DOUBLE, 0, 5, MPI_COMM_WORLD, &request);
  if (ranks.rank() == 0)
    for (int r = 0; r < ranks.size(); ++r) {
      double received = -1.0;
      MPI_Recv(&received, 1, MPI_DOUBLE, r, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      order.push_back(received);
    }
  ranks.wait_for_all();
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  EXPECT_TRUE(done);
  if (!done) MPI_Wait(&request, MPI_STATUS_IGNORE);
}

INSTANTIATE_TEST_SUITE_P(Pieces, MpiRanksTest,
                         ::testing::Values(std::size_t{48}, MpiRanks::default_largest_message));

TEST(MpiRanksErrors, contain_the_message_of_mpi) {
  std::array<std::byte, 1> byte{};
  try {
    world->broadcast(byte, world->size() + 3);
    ADD_FAILURE() << "a root that does not exist was accepted";
  } catch (const Tomokkos::Error& error) {
    EXPECT_NE(std::string(error.what()).find("MPI_Bcast: "), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("root"), std::string::npos) << error.what();
  }
  EXPECT_THROW(MpiRanks(MPI_COMM_WORLD, 8), Tomokkos::Error);
  EXPECT_THROW(MpiRanks(MPI_COMM_WORLD, std::size_t{1} << 31), Tomokkos::Error);
}

TEST(MpiSessions, leave_mpi_running_if_others_started_it) {
  {
    const Tomokkos::MpiSession inner;
    EXPECT_EQ(inner.ranks()->size(), world->size());
  }
  int finalized = 1;
  MPI_Finalized(&finalized);
  EXPECT_EQ(finalized, 0);
  EXPECT_EQ(Tomokkos::MpiSession::launched_ranks(), world->size());
}

TEST(SharedDevices, are_counted_by_all_ranks_that_share_them) {
  const int on_device = Tomokkos::ranks_on_device(TestSpace(), *world);
  if (Tomokkos::Impl::is_host_space<TestSpace>) {
    EXPECT_EQ(on_device, world->size());
  }
  // The shares of all ranks must count each device once.
  const double devices = world->sum_of(1.0 / on_device);
  EXPECT_NEAR(devices, std::round(devices), 1e-12);
  EXPECT_EQ(Tomokkos::Impl::shared_device(TestSpace(), *world).empty(),
            Tomokkos::Impl::is_host_space<TestSpace> ||
                std::round(devices) == static_cast<double>(world->size()));
}

}  // namespace
