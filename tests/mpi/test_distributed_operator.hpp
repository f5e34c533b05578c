// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of a matrix whose rows are distributed over ranks, compared with those of the whole
// matrix.
#include <numeric>

#include "DistributedTesting.hpp"

using namespace distributed_testing;

namespace {

template <class Scalar>
class DistributedOperatorTest : public SpreadTest {};
TYPED_TEST_SUITE(DistributedOperatorTest, Scalars);

std::vector<PlainCsr> matrices() {
  std::vector<PlainCsr> all = battery::matrices();
  all.push_back(positive_matrix());
  return all;
}

/// Error bound: the sum over ranks is rounded in addition to the rows.
constexpr double bound = 1.5;

TYPED_TEST(DistributedOperatorTest, products_equal_those_of_the_whole_matrix) {
  using Scalar = TypeParam;
  const TestSpace exec;
  for (const PlainCsr& whole : matrices())
    for (const DistributedOptions& options : all_options())
      for (const bool equal : {true, false}) {
        if (!equal && options.slabs == 1) continue;
        const Spread<Scalar> spread(exec, whole, SpreadTest::ranks, options, equal);
        const std::string what = whole.name + ", image " + std::string(to_string(options.image)) +
                                 ", slabs " + std::to_string(options.slabs);
        const auto n = static_cast<std::size_t>(whole.columns);
        const Values x = random_vector(n, 1);
        const Values y = random_vector(static_cast<std::size_t>(whole.rows), 2);
        const RowRange rows = spread.rows, columns = spread.A.local_columns();

        const auto forward = make_vector<Scalar>(exec, part_of(y, rows));
        const auto own = make_vector<Scalar>(exec, part_of(x, columns));
        spread.A.apply(exec, Scalar(2),
                       as_multivector(VectorView<const Scalar, TestSpace::memory_space>(own)),
                       Scalar(-1), as_multivector(forward));
        const PlainCsr part = rows_of(whole, rows.begin, rows.end);
        EXPECT_LE(worst_row_error(to_std_vector(forward),
                                  reference_product(part, 2, x, -1, part_of(y, rows))),
                  bound)
            << what;

        for (const Scalar beta : {Scalar(0), Scalar(0.5)}) {
          Values before = beta == Scalar(0) ? Values(n, std::nan("")) : random_vector(n, 3);
          const auto back = make_vector<Scalar>(exec, part_of(before, columns));
          const auto data = make_vector<Scalar>(exec, part_of(y, rows));
          spread.A.apply_transpose(
              exec, Scalar(3),
              as_multivector(VectorView<const Scalar, TestSpace::memory_space>(data)), beta,
              as_multivector(back));
          const auto all = gathered(to_std_vector(back), spread.A);
          EXPECT_LE(worst_row_error(all, reference_product(whole.transposed(), 3, y,
                                                           static_cast<double>(beta), before)),
                    bound)
              << what << ", beta " << beta;
          if (options.image == ImageDistribution::replicated) {
            EXPECT_TRUE(Testing::same_on_all_ranks(to_std_vector(back))) << what;
          }
        }
      }
}

TYPED_TEST(DistributedOperatorTest, slabs_of_ray_tiles_are_right_after_another_product) {
  using Scalar = TypeParam;
  using Tiles = RayTilesMatrix<Scalar, TestSpace::memory_space>;
  const TestSpace exec;
  const PlainCsr whole = positive_matrix();
  const RowRange rows = own_rows(whole);
  const auto csr = to_device<TestSpace, Scalar>(exec, rows_of(whole, rows.begin, rows.end));
  const DistributedOperator<TestSpace, Scalar> A(
      exec,
      AnyOperator<TestSpace, Scalar>(MatrixOperator<TestSpace, Tiles>(
          exec, ray_tiles_from_csr<TestSpace, Scalar>(exec, csr, RayTilesOptions{16, 5}))),
      SpreadTest::ranks, {.slabs = 3});
  const Values y = random_vector(static_cast<std::size_t>(whole.rows), 2);
  const auto data = make_vector<Scalar>(exec, part_of(y, rows));
  const auto image =
      make_vector<Scalar>(exec, Values(static_cast<std::size_t>(whole.columns), 1e6));
  const DeviceVector<Scalar> forward("forward", A.num_rows()), back("back", A.num_cols());
  for (int repetition = 0; repetition < 2; ++repetition) {
    A.apply(exec, Scalar(1),
            as_multivector(VectorView<const Scalar, TestSpace::memory_space>(image)), Scalar(0),
            as_multivector(forward));
    A.apply_transpose(exec, Scalar(1),
                      as_multivector(VectorView<const Scalar, TestSpace::memory_space>(data)),
                      Scalar(0), as_multivector(back));
    EXPECT_LE(
        worst_row_error(to_std_vector(back), reference_product(whole.transposed(), 1, y, 0, {})),
        bound);
  }
}

TYPED_TEST(DistributedOperatorTest, products_with_several_vectors_equal_separate_products) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr whole = positive_matrix();
  constexpr int s = 3;
  for (const DistributedOptions& options : all_options()) {
    const Spread<Scalar> spread(exec, whole, SpreadTest::ranks, options);
    const RowRange rows = spread.rows;
    spread.A.reserve(exec, s);
    const Values y = random_vector(static_cast<std::size_t>(whole.rows) * s, 5);
    const Values own(y.begin() + rows.begin * s, y.begin() + rows.end * s);
    const auto data = make_vector<Scalar>(exec, own);
    const DeviceVector<Scalar> back("back", static_cast<std::size_t>(spread.A.num_cols()) * s);
    const auto X = MultiVectorView<const Scalar, TestSpace::memory_space>(
        data.data(), static_cast<std::size_t>(spread.A.num_rows()), s);
    const auto Y = MultiVectorView<Scalar, TestSpace::memory_space>(
        back.data(), static_cast<std::size_t>(spread.A.num_cols()), s);
    spread.A.apply_transpose(exec, Scalar(1), X, Scalar(0), Y);
    const auto entries = to_std_vector(back);
    for (int j = 0; j < s; ++j) {
      const auto all = gathered(column_of(entries, j, s), spread.A);
      EXPECT_LE(
          worst_row_error(all, reference_product(whole.transposed(), 1, column_of(y, j, s), 0, {})),
          bound)
          << to_string(options.image) << " " << j;
    }
  }
}

TYPED_TEST(DistributedOperatorTest, a_single_rank_gives_the_bits_of_its_operator) {
  using Scalar = TypeParam;
  if (world->size() != 1) GTEST_SKIP() << "applies to a single rank";
  const TestSpace exec;
  const PlainCsr whole = positive_matrix();
  const auto alone = make_operator<Scalar>(exec, whole);
  const auto y = make_vector<Scalar>(exec, random_vector(static_cast<std::size_t>(whole.rows), 7));
  const auto x =
      make_vector<Scalar>(exec, random_vector(static_cast<std::size_t>(whole.columns), 8));
  for (const DistributedOptions& options : all_options()) {
    const Spread<Scalar> spread(exec, whole, SpreadTest::ranks, options);
    const auto run = [&](const auto& A) {
      const DeviceVector<Scalar> forward("forward", whole.rows), back("back", whole.columns);
      A.apply(exec, Scalar(1), as_multivector(VectorView<const Scalar, TestSpace::memory_space>(x)),
              Scalar(0), as_multivector(forward));
      A.apply_transpose(exec, Scalar(1),
                        as_multivector(VectorView<const Scalar, TestSpace::memory_space>(y)),
                        Scalar(0), as_multivector(back));
      return std::pair(to_std_vector(forward), to_std_vector(back));
    };
    const auto expected = run(alone), found = run(spread.A);
    EXPECT_TRUE(same_bits(expected.first, found.first));
    EXPECT_TRUE(same_bits(expected.second, found.second));
  }
}

TYPED_TEST(DistributedOperatorTest, deterministic_sums_have_the_same_bits_on_every_run) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr whole = positive_matrix();
  const Values y = random_vector(static_cast<std::size_t>(whole.rows), 7);
  for (const DistributedOptions& options : all_options()) {
    std::vector<Scalar> first;
    for (int run = 0; run < 5; ++run) {
      const Spread<Scalar> spread(exec, whole, SpreadTest::ranks, options);
      const auto data = make_vector<Scalar>(exec, part_of(y, spread.rows));
      const DeviceVector<Scalar> back("back", spread.A.num_cols());
      spread.A.apply_transpose(
          exec, Scalar(1), as_multivector(VectorView<const Scalar, TestSpace::memory_space>(data)),
          Scalar(0), as_multivector(back));
      const auto found = to_std_vector(back);
      if (run == 0) first = found;
      EXPECT_TRUE(same_bits(first, found));
    }
  }
}

TYPED_TEST(DistributedOperatorTest, ranges_of_rows_may_be_empty_on_some_ranks) {
  using Scalar = TypeParam;
  const TestSpace exec;
  const PlainCsr whole = positive_matrix();
  for (const DistributedOptions& options : all_options()) {
    const Spread<Scalar> spread(exec, whole, SpreadTest::ranks, options);
    // Only the last rank has rows in the range: its first two.
    const bool last = world->rank() == world->size() - 1;
    const RowRange range{0, last ? std::min<Ordinal>(2, spread.A.num_rows()) : 0};
    const Ordinal first = static_cast<Ordinal>(world->max_of(last ? spread.rows.begin : 0));
    const Ordinal count = static_cast<Ordinal>(world->max_of(range.end));
    const Values y = random_vector(static_cast<std::size_t>(count), 9);
    const auto data = make_vector<Scalar>(exec, last ? y : Values());
    const DeviceVector<Scalar> back("back", spread.A.num_cols());
    spread.A.apply_transpose(
        exec, Scalar(1), as_multivector(VectorView<const Scalar, TestSpace::memory_space>(data)),
        Scalar(0), as_multivector(back), range);
    const auto all = gathered(to_std_vector(back), spread.A);
    EXPECT_LE(
        worst_row_error(
            all, reference_product(rows_of(whole, first, first + count).transposed(), 1, y, 0, {})),
        bound);
  }
}

TYPED_TEST(DistributedOperatorTest, different_columns_are_refused_on_all_ranks) {
  using Scalar = TypeParam;
  if (world->size() == 1) GTEST_SKIP() << "needs several ranks";
  const TestSpace exec;
  const PlainCsr A = world->rank() == 0 ? positive_matrix() : dense_matrix();
  const RanksPointer ranks = SpreadTest::ranks;
  const std::string message = error_of(
      [&] { DistributedOperator<TestSpace, Scalar>(exec, make_operator<Scalar>(exec, A), ranks); });
  EXPECT_TRUE(contains(message, "between 6 and 120 columns")) << message;
}

TEST(DistributedOperator, slabs_follow_the_size_of_the_image) {
  EXPECT_EQ(choose_slabs(0), 1);
  EXPECT_EQ(choose_slabs(31 << 20), 1);
  EXPECT_EQ(choose_slabs(32 << 20), 2);
  EXPECT_EQ(choose_slabs(1 << 30), 4);
}

TYPED_TEST(DistributedOperatorTest, each_slab_is_four_times_as_large_as_the_next) {
  if (world->size() == 1) GTEST_SKIP() << "needs several ranks";
  if (!Impl::is_host_space<TestSpace>)
    GTEST_SKIP() << "applies to hosts, where a slab may end at any column";
  const TestSpace exec;
  const auto begins = [&](const PlainCsr& whole, int slabs) {
    return Spread<TypeParam>(exec, whole, SpreadTest::ranks, {.slabs = slabs}).A.slabs();
  };
  const PlainCsr wide = positive_matrix();
  ASSERT_EQ(wide.columns, 120);
  EXPECT_EQ(begins(wide, 1), (std::vector<Ordinal>{0, 120}));
  EXPECT_EQ(begins(wide, 2), (std::vector<Ordinal>{0, 96, 120}));
  EXPECT_EQ(begins(wide, 4), (std::vector<Ordinal>{0, 91, 113, 119, 120}));
  // A slab has at least one column.
  std::vector<Ordinal> single(121);
  std::iota(single.begin(), single.end(), 0);
  EXPECT_EQ(begins(wide, 1024), single);
}

}  // namespace
