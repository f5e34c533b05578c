// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays of which every rank holds a part: scatter sums, gathering and exchange.
#include "CommunicatorTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

using Offsets = std::vector<Offset>;

Offsets rising(const std::vector<Offset>& lengths) {
  Offsets offsets{0};
  for (const Offset length : lengths) offsets.push_back(offsets.back() + length);
  return offsets;
}

/// Divisions into equal parts, unequal parts, some empty parts, everything on one rank, and no
/// entries at all.
std::vector<Offsets> divisions() {
  const int ranks = world->size();
  std::vector<Offsets> result;
  const auto add = [&](const auto& length_of) {
    std::vector<Offset> lengths;
    for (int r = 0; r < ranks; ++r) lengths.push_back(length_of(r));
    result.push_back(rising(lengths));
  };
  add([](int) { return 1; });
  add([](int) { return 13; });
  add([](int) { return 5003; });
  add([](int r) { return 7 * r + 1; });
  add([](int r) { return 900 * (3 - r % 4) + r; });
  add([](int r) { return r % 2 == 0 ? 0 : 19; });
  add([](int r) { return r % 2 == 0 ? 19 : 0; });
  add([&](int r) { return r == ranks - 1 ? 101 : 0; });
  add([](int) { return 0; });
  return result;
}

std::size_t at(const Offsets& offsets, int r) {
  return static_cast<std::size_t>(offsets[static_cast<std::size_t>(r)]);
}

template <class Scalar>
class MpiParts : public ForScalars<Scalar> {};
TYPED_TEST_SUITE(MpiParts, Scalars);

TYPED_TEST(MpiParts, scatter_sums_arrive_on_their_ranks) {
  const TestSpace exec;
  const int rank = world->rank();
  for (const Kind& kind : all_kinds(exec))
    for (const Offsets& offsets : divisions())
      for (int repetition = 0; repetition < 3; ++repetition) {
        const auto length = static_cast<std::size_t>(offsets.back());
        SCOPED_TRACE(kind.name + ", length " + std::to_string(length));
        const auto values = upload(exec, values_of<TypeParam>(rank, length));
        kind.communicator->begin_scatter_sum(exec, view(values), offsets);
        kind.communicator->finish(exec);
        expect_sums(download(exec, values), world->size(), kind.scatter_sums_ordered, "scatter sum",
                    at(offsets, rank), at(offsets, rank + 1));
      }
}

TYPED_TEST(MpiParts, gather_combines_the_parts) {
  const TestSpace exec;
  const int rank = world->rank();
  for (const Kind& kind : all_kinds(exec))
    for (const Offsets& offsets : divisions()) {
      const auto length = static_cast<std::size_t>(offsets.back());
      SCOPED_TRACE(kind.name + ", length " + std::to_string(length));
      // Rank r has its own values in its part and arbitrary values elsewhere.
      std::vector<TypeParam> own(length, TypeParam(-77)), expected(length);
      for (int r = 0; r < world->size(); ++r)
        for (std::size_t i = at(offsets, r); i < at(offsets, r + 1); ++i)
          expected[i] = value_of<TypeParam>(r, i);
      for (std::size_t i = at(offsets, rank); i < at(offsets, rank + 1); ++i) own[i] = expected[i];
      const auto from = upload(exec, own);
      const auto values = upload(exec, std::vector<TypeParam>(length, TypeParam(-78)));
      const auto results = upload(exec, std::vector<TypeParam>(length, TypeParam(-79)));
      slowly_set(exec, view(values), view(from));
      kind.communicator->gather(exec, view(values), offsets);
      negate_into(exec, view(results), view(values));
      std::vector<TypeParam> gathered = download(exec, results);
      for (TypeParam& value : gathered) value = -value;
      EXPECT_EQ(gathered, expected);
    }
}

/// Number of values that rank `from` sends to rank `to`. It differs from the number in the opposite
/// direction and is often 0.
Offset exchanged(int from, int to, int seed) {
  constexpr std::array<Offset, 5> lengths{0, 3, 0, 41, 12};
  return from == to ? 4 : lengths[static_cast<std::size_t>((2 * from + 3 * to + seed) % 5)];
}

TYPED_TEST(MpiParts, are_exchanged) {
  const TestSpace exec;
  const int rank = world->rank(), size = world->size();
  for (const Kind& kind : all_kinds(exec))
    for (int seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE(kind.name + ", seed " + std::to_string(seed));
      // With the last seed, no rank sends anything.
      const auto length = [&](int from, int to) {
        return seed == 5 ? Offset(0) : exchanged(from, to, seed);
      };
      std::vector<Offset> sent_lengths, received_lengths;
      for (int r = 0; r < size; ++r) {
        sent_lengths.push_back(length(rank, r));
        received_lengths.push_back(length(r, rank));
      }
      const Offsets sent_offsets = rising(sent_lengths),
                    received_offsets = rising(received_lengths);
      // Rank `from` sends value_of(from, i, to) as its i-th value for rank `to`.
      std::vector<TypeParam> sent, expected;
      for (int r = 0; r < size; ++r) {
        for (Offset i = 0; i < length(rank, r); ++i)
          sent.push_back(value_of<TypeParam>(rank, static_cast<std::size_t>(i), r));
        for (Offset i = 0; i < length(r, rank); ++i)
          expected.push_back(r == rank ? TypeParam(-5)
                                       : value_of<TypeParam>(r, static_cast<std::size_t>(i), rank));
      }
      const auto from = upload(exec, sent);
      const auto outgoing = upload(exec, std::vector<TypeParam>(sent.size(), TypeParam(-4)));
      const auto incoming = upload(exec, std::vector<TypeParam>(expected.size(), TypeParam(-5)));
      slowly_set(exec, view(outgoing), view(from));
      kind.communicator->begin_exchange(
          exec, VectorView<const TypeParam, TestMemory>(outgoing.data(), outgoing.extent(0)),
          sent_offsets, view(incoming), received_offsets);
      kind.communicator->finish(exec);
      EXPECT_EQ(download(exec, incoming), expected);
      EXPECT_EQ(download(exec, outgoing), sent);
    }
}

TEST(MpiOffsets, are_checked) {
  const TestSpace exec;
  const auto communicator = make_communicator(exec, *world);
  const auto size = static_cast<std::size_t>(world->size());
  Vector<double, TestMemory> values("values", 10 * size);
  Offsets good(size + 1);
  for (std::size_t r = 0; r <= size; ++r) good[r] = static_cast<Offset>(10 * r);
  const auto expect_error = [&](const Offsets& offsets, const std::string& words) {
    const VectorView<const double, TestMemory> sent(values.data(), values.extent(0));
    const auto expect_words = [&](const auto& call) {
      try {
        call();
        ADD_FAILURE() << "expected: " << words;
      } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what();
      }
    };
    expect_words([&] { communicator->gather(exec, view(values), offsets); });
    expect_words([&] { communicator->begin_scatter_sum(exec, view(values), offsets); });
    expect_words([&] { communicator->begin_exchange(exec, sent, offsets, view(values), good); });
    expect_words([&] { communicator->begin_exchange(exec, sent, good, view(values), offsets); });
  };
  Offsets bad = good;
  bad.push_back(bad.back());
  expect_error(bad, "number of offsets");
  bad = good;
  bad.front() = 1;
  expect_error(bad, "begin with 0");
  bad = good;
  bad.back() += 1;
  expect_error(bad, "last offset");
  if (size > 1) {
    bad = good;
    bad[1] = good.back() + 1;
    expect_error(bad, "must not decrease");
  }
  // The errors do not affect later operations.
  communicator->gather(exec, view(values), good);
  communicator->finish(exec);
}

}  // namespace
