// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several operations in flight, and computation at the same time.
#include "CommunicatorTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Scalar>
class MpiOverlap : public ForScalars<Scalar> {};
TYPED_TEST_SUITE(MpiOverlap, Scalars);

TYPED_TEST(MpiOverlap, slabs_are_summed_while_the_next_is_computed) {
  const TestSpace exec;
  constexpr std::size_t length = 30011;
  const std::array<std::size_t, 6> slabs{0, 7000, 7000, 7001, 20000, length};
  const auto own = upload(exec, values_of<TypeParam>(world->rank(), length));
  const auto values = upload(exec, std::vector<TypeParam>(length));
  for (const Kind& kind : all_kinds(exec)) {
    const auto other = upload(exec, values_of<TypeParam>(9, length));
    for (int repetition = 0; repetition < 5; ++repetition) {
      SCOPED_TRACE(kind.name);
      upload(exec, values, std::vector<TypeParam>(length, TypeParam(3000)));
      for (std::size_t s = 0; s + 1 < slabs.size(); ++s) {
        const auto slab = view(values, slabs[s], slabs[s + 1]);
        slowly_set(exec, slab, view(own, slabs[s], slabs[s + 1]));
        kind.communicator->begin_sum(exec, slab);
        negate_into(exec, view(other), view(other));
      }
      kind.communicator->finish(exec);
      const auto sums = download(exec, values);
      expect_sums(sums, world->size(), kind.sums_ordered, "sum of slabs");
      EXPECT_TRUE(same_on_all_ranks(sums));
      // The values were negated once for each of the five slabs.
      auto others = download(exec, other);
      for (TypeParam& value : others)
        if (repetition % 2 == 0) value = -value;
      EXPECT_EQ(others, values_of<TypeParam>(9, length));
    }
  }
}

TYPED_TEST(MpiOverlap, operations_of_all_kinds_can_be_in_flight) {
  const TestSpace exec;
  const int rank = world->rank(), size = world->size();
  const auto ranks = static_cast<std::size_t>(size);
  for (const Kind& kind : all_kinds(exec))
    for (const std::size_t part : {std::size_t{1}, std::size_t{700}}) {
      SCOPED_TRACE(kind.name + ", parts of " + std::to_string(part));
      const Communicator<TestSpace>& communicator = *kind.communicator;
      std::vector<Offset> offsets;
      for (std::size_t r = 0; r <= ranks; ++r) offsets.push_back(static_cast<Offset>(r * part));
      const std::size_t length = part * ranks;
      const std::size_t begin = part * static_cast<std::size_t>(rank), end = begin + part;
      const auto a = upload(exec, values_of<TypeParam>(rank, length, 1));
      const auto b = upload(exec, values_of<TypeParam>(rank, length, 2));
      const auto c = upload(exec, values_of<TypeParam>(rank, length, 3));
      const auto received = upload(exec, std::vector<TypeParam>(length));
      const auto d = upload(exec, values_of<TypeParam>(rank, 5 * length, 4));
      const auto e = upload(exec, values_of<TypeParam>(rank, length, 5));
      communicator.begin_sum(exec, view(a));
      communicator.begin_scatter_sum(exec, view(b), offsets);
      communicator.begin_exchange(exec,
                                  VectorView<const TypeParam, TestMemory>(c.data(), c.extent(0)),
                                  offsets, view(received), offsets);
      communicator.begin_sum(exec, view(d));
      communicator.gather(exec, view(e), offsets);
      communicator.finish(exec);
      communicator.finish(exec);

      expect_sums(download(exec, a), size, kind.sums_ordered, "first sum", 0, length, 1);
      expect_sums(download(exec, b), size, kind.scatter_sums_ordered, "scatter sum", begin, end, 2);
      expect_sums(download(exec, d), size, kind.sums_ordered, "second sum", 0, 5 * length, 4);
      const auto exchanged = download(exec, received);
      const auto gathered = download(exec, e);
      for (int r = 0; r < size; ++r)
        for (std::size_t i = 0; i < part; ++i) {
          const std::size_t place = part * static_cast<std::size_t>(r) + i;
          // Rank r sent its values for this rank.
          EXPECT_EQ(exchanged[place],
                    r == rank ? TypeParam(0) : value_of<TypeParam>(r, begin + i, 3));
          EXPECT_EQ(gathered[place], value_of<TypeParam>(r, place, 5));
        }
    }
}

TYPED_TEST(MpiOverlap, two_communicators_do_not_mix_their_messages) {
  const TestSpace exec;
  const auto first = make_communicator(exec, *world, {true, Transport::automatic});
  const auto second = make_communicator(exec, *world, {true, Transport::mpi});
  constexpr std::size_t length = 997;
  const auto a = upload(exec, values_of<TypeParam>(world->rank(), length, 1));
  const auto b = upload(exec, values_of<TypeParam>(world->rank(), length, 2));
  // Every other rank begins the sums in the opposite order. The messages must not be confused.
  if (first->transport() == "nccl" || world->rank() % 2 == 0) {
    first->begin_sum(exec, view(a));
    second->begin_sum(exec, view(b));
  } else {
    second->begin_sum(exec, view(b));
    first->begin_sum(exec, view(a));
  }
  first->finish(exec);
  second->finish(exec);
  expect_sums(download(exec, a), world->size(), first->transport() != "nccl", "first", 0, length,
              1);
  expect_sums(download(exec, b), world->size(), true, "second", 0, length, 2);
}

}  // namespace
