// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Square CSR matrices whose rows are distributed over ranks, compared with the whole matrix.
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_MakeOperator.hpp>
#include <set>

#include "AllocationCount.hpp"
#include "OverRanksTesting.hpp"

using namespace spread_testing;

namespace {

template <class Scalar>
class HaloOperatorTest : public ::testing::Test {};
TYPED_TEST_SUITE(HaloOperatorTest, Scalars);

/// Computes `alpha A X + beta Y` for the rows of this rank.
/// \param X whole input, of which the function takes the part of this rank
/// \param Y whole input, of which the function takes the part of this rank
template <class Scalar, class Op>
std::vector<Scalar> product(const TestSpace& exec, const Op& A, const Begins& begins, double alpha,
                            const Values& X, double beta, const Values& Y, std::size_t s) {
  const auto x = make_vector<Scalar>(exec, part_of(X, begins, s));
  const auto y = make_vector<Scalar>(exec, part_of(Y, begins, s));
  const auto n = static_cast<std::size_t>(A.num_rows());
  A.apply(exec, static_cast<Scalar>(alpha), In<Scalar>(x.data(), n, s), static_cast<Scalar>(beta),
          Out<Scalar>(y.data(), n, s));
  return to_std_vector(y);
}

template <class Scalar>
double worst_error(const PlainCsr& rows, const Begins& begins, const std::vector<Scalar>& computed,
                   double alpha, const Values& X, double beta, const Values& Y, std::size_t s) {
  double worst = 0;
  const Values own = part_of(Y, begins, s);
  for (int j = 0; j < static_cast<int>(s); ++j)
    worst = std::max(
        worst, worst_row_error(column_of(computed, j, static_cast<int>(s)),
                               reference_product(rows, alpha, column_of(X, j, static_cast<int>(s)),
                                                 beta, column_of(own, j, static_cast<int>(s)))));
  return worst;
}

TYPED_TEST(HaloOperatorTest, multiplies_like_the_whole_matrix) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const PlainCsr& A : coupled_matrices())
    for (const Begins& begins : partitions(A.rows)) {
      const auto op = make_spread<TypeParam>(exec, A, begins, comm);
      const PlainCsr rows = part_of(A, begins);
      EXPECT_EQ(op.num_rows(), rows.rows);
      EXPECT_EQ(op.num_cols(), rows.rows);
      EXPECT_EQ(op.global_size(), A.rows);
      for (const std::size_t s : {std::size_t{1}, std::size_t{3}, std::size_t{2}}) {
        const Values X = random_vector(static_cast<std::size_t>(A.rows) * s, 1);
        const Values Y = random_vector(static_cast<std::size_t>(A.rows) * s, 2);
        for (const auto& [alpha, beta] :
             {std::pair{1.0, 0.0}, std::pair{-0.5, 1.5}, std::pair{2.0, 1.0}}) {
          const Values before = beta == 0 ? Values(Y.size(), nan) : Y;
          const auto y = product<TypeParam>(exec, op, begins, alpha, X, beta, before, s);
          EXPECT_LE(worst_error(rows, begins, y, alpha, X, beta, before, s), 1)
              << A.name << ", " << s << " vectors, alpha " << alpha;
          EXPECT_TRUE(same_bits(y, product<TypeParam>(exec, op, begins, alpha, X, beta, before, s)))
              << A.name;
        }
      }
    }
}

TYPED_TEST(HaloOperatorTest, exchanges_only_the_entries_that_are_needed) {
  const TestSpace exec;
  const Comm comm = make_comm();
  for (const PlainCsr& A : coupled_matrices())
    for (const Begins& begins : partitions(A.rows)) {
      const auto op = make_spread<TypeParam>(exec, A, begins, comm);
      std::vector<std::set<Ordinal>> needed(static_cast<std::size_t>(num_ranks()));
      std::set<Ordinal> halo_rows;
      const auto owner = [&](Ordinal i) {
        return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), i) -
                                        begins.begin() - 1);
      };
      for (Ordinal i = 0; i < A.rows; ++i)
        for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
          if (owner(i) != owner(A.indices[k])) {
            needed[owner(i)].insert(A.indices[k]);
            if (owner(i) == this_rank()) halo_rows.insert(i);
          }
      Offset sent = 0;
      for (const auto& entries : needed)
        for (const Ordinal entry : entries) sent += owner(entry) == this_rank() ? 1 : 0;
      EXPECT_EQ(op.halo_size(), static_cast<Ordinal>(needed[this_rank()].size())) << A.name;
      EXPECT_EQ(op.num_halo_rows(), static_cast<Ordinal>(halo_rows.size())) << A.name;
      EXPECT_EQ(op.sent_size(), sent) << A.name;
      EXPECT_EQ(stored_csr(op.own())->num_cols, op.num_rows());
      validate(exec, *stored_csr(op.own()), ColumnOrder::any);
    }
}

TYPED_TEST(HaloOperatorTest, scaling_includes_the_scale_of_the_halo) {
  const TestSpace exec;
  const Comm comm = make_comm();
  for (const PlainCsr& A : coupled_matrices())
    for (const Begins& begins : partitions(A.rows)) {
      const auto op = make_spread<TypeParam>(exec, A, begins, comm);
      // With powers of two, the scaled entries are exact.
      Values scale;
      for (Ordinal i = 0; i < A.rows; ++i) scale.push_back(std::ldexp(1.0, i * 7 % 5 - 2));
      PlainCsr scaled = A;
      for (Ordinal i = 0; i < A.rows; ++i)
        for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
          scaled.values[static_cast<std::size_t>(k)] *=
              scale[static_cast<std::size_t>(i)] *
              scale[static_cast<std::size_t>(A.indices[static_cast<std::size_t>(k)])];
      const auto factors = make_vector<TypeParam>(exec, part_of(scale, begins));
      const auto result = op.scaled(exec, factors);
      const std::size_t s = 2;
      const Values X = random_vector(static_cast<std::size_t>(A.rows) * s, 1);
      const Values Y(X.size(), 0);
      const auto y = product<TypeParam>(exec, result, begins, 1, X, 0, Y, s);
      EXPECT_LE(worst_error(part_of(scaled, begins), begins, y, 1, X, 0, Y, s), 1) << A.name;
      const auto plain = product<TypeParam>(exec, op, begins, 1, X, 0, Y, s);
      EXPECT_LE(worst_error(part_of(A, begins), begins, plain, 1, X, 0, Y, s), 1) << A.name;
      const auto d = make_vector<TypeParam>(exec, Values(part_of(scale, begins).size(), 7));
      op.diagonal(exec, d);
      const Values expected = part_of(diagonal_of(A), begins);
      EXPECT_EQ(to_std_vector(d), std::vector<TypeParam>(expected.begin(), expected.end()));
      EXPECT_EQ(result.memory_bytes(), op.memory_bytes()) << A.name;
    }
}

TYPED_TEST(HaloOperatorTest, the_own_part_may_have_any_format) {
  const TestSpace exec;
  const Comm comm = make_comm();
  using Matrix = CsrMatrix<TypeParam, TestSpace::memory_space>;
  int formats = 0, refused = 0;
  for (const PlainCsr& A : {spd_matrix(), coupled_matrices()[2]})
    for (const Begins& begins : partitions(A.rows))
      for_each_format([&]<class Format>() {
        MakeOptions options;
        options.format = typename Format::Options();
        options.with_transpose = false;
        options.spmv.deterministic = true;
        const auto rows = to_device<TestSpace, TypeParam>(exec, part_of(A, begins));
        std::optional<HaloOperator<TestSpace, TypeParam>> op;
        ++formats;
        // A format that does not suit the rows of one rank is refused on all ranks.
        try {
          op.emplace(
              exec, rows, begins, comm,
              [&](const Matrix& own) {
                return make_operator<TestSpace, TypeParam>(exec, own, options).A;
              },
              true);
        } catch (const Error&) {
          ++refused;
          return;
        }
        const Values X = random_vector(static_cast<std::size_t>(A.rows) * 2, 1);
        const Values Y = random_vector(static_cast<std::size_t>(A.rows) * 2, 2);
        const auto y = product<TypeParam>(exec, *op, begins, -0.5, X, 1.5, Y, 2);
        EXPECT_LE(worst_error(part_of(A, begins), begins, y, -0.5, X, 1.5, Y, 2), 1)
            << A.name << ", " << to_string(Format::format);
        EXPECT_EQ(op->has_diagonal(), op->own().capabilities().diagonal != nullptr);
        if (!op->has_diagonal()) return;
        const auto d =
            make_vector<TypeParam>(exec, Values(static_cast<std::size_t>(rows.num_rows)));
        op->diagonal(exec, d);
        const Values expected = part_of(diagonal_of(A), begins);
        EXPECT_EQ(to_std_vector(d), std::vector<TypeParam>(expected.begin(), expected.end()))
            << to_string(Format::format);
      });
  EXPECT_GT(formats - refused, formats / 2);
}

TEST(HaloOperator, scaling_in_float_rounds_both_parts) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  for (const Begins& begins : partitions(A.rows)) {
    const AnyOperator<TestSpace, double> op = make_spread<double>(exec, A, begins, comm);
    ASSERT_TRUE(scales_in_float(op));
    Values scale;
    for (Ordinal i = 0; i < A.rows; ++i) scale.push_back(1.0 / (3 + i % 7));
    PlainCsr scaled = A;
    for (Ordinal i = 0; i < A.rows; ++i)
      for (auto k = static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(i)]);
           k < static_cast<std::size_t>(A.offsets[static_cast<std::size_t>(i) + 1]); ++k)
        scaled.values[k] = static_cast<float>(A.values[k] * scale[static_cast<std::size_t>(i)] *
                                              scale[static_cast<std::size_t>(A.indices[k])]);
    const auto factors = make_vector<double>(exec, part_of(scale, begins));
    const auto rounded = op.capabilities().scaling->scaled_in_float(exec, factors);
    const Values X = random_vector(static_cast<std::size_t>(A.rows), 1), Y(X.size(), 0);
    const auto y = product<double>(exec, rounded, begins, 1, X, 0, Y, 1);
    // Products of three factors may round differently in their last bit before they become float.
    const Values expected = part_of(multiply(scaled, X), begins);
    EXPECT_LT(relative_difference(y, expected), 1e-7);
    const auto unrounded = product<double>(exec, op.capabilities().scaling->scaled(exec, factors),
                                           begins, 1, X, 0, Y, 1);
    if (!expected.empty()) {
      EXPECT_GT(relative_difference(y, Values(unrounded.begin(), unrounded.end())), 1e-12);
    }
  }
}

TYPED_TEST(HaloOperatorTest, on_a_single_rank_equals_the_matrix_itself) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const AnyOperator<TestSpace, TypeParam> spread =
      make_spread<TypeParam>(exec, spd_matrix(), partitions(210).front(), comm);
  EXPECT_EQ(spread.capabilities().row_ranks, comm.get());
  EXPECT_EQ(spread.capabilities().column_ranks, comm.get());
  EXPECT_NE(spread.capabilities().diagonal, nullptr);
  EXPECT_NE(spread.capabilities().scaling, nullptr);
  EXPECT_FALSE(spread.has_transpose());
  EXPECT_FALSE(spread.supports_ranges());
  EXPECT_EQ(spread.capabilities().only_launches, num_ranks() == 1);
  EXPECT_EQ(stored_csr(spread) != nullptr, num_ranks() == 1);
  if (num_ranks() > 1) {
    EXPECT_EQ(spread.capabilities().dot, nullptr);
    return;
  }
  for (const PlainCsr& A : coupled_matrices()) {
    const auto op = make_spread<TypeParam>(exec, A, {0, A.rows}, comm);
    const auto whole = make_operator<TypeParam>(exec, A);
    EXPECT_EQ(op.dot_sums(), whole.dot_sums());
    EXPECT_EQ(op.halo_size(), 0);
    for (const std::size_t s : {std::size_t{1}, std::size_t{3}}) {
      const Values X = random_vector(static_cast<std::size_t>(A.rows) * s, 1);
      const Values Y = random_vector(static_cast<std::size_t>(A.rows) * s, 2);
      EXPECT_TRUE(same_bits(product<TypeParam>(exec, op, {0, A.rows}, 0.7, X, 0.3, Y, s),
                            product<TypeParam>(exec, whole, {0, A.rows}, 0.7, X, 0.3, Y, s)))
          << A.name;
    }
  }
}

TYPED_TEST(HaloOperatorTest, products_allocate_nothing_after_reserve) {
  const TestSpace exec;
  const Comm comm = make_comm();
  for (const PlainCsr& A : coupled_matrices()) {
    const Begins begins = partitions(A.rows).front();
    const auto op = make_spread<TypeParam>(exec, A, begins, comm);
    const std::size_t bytes = op.memory_bytes();
    op.reserve(exec, 4);
    EXPECT_GE(op.memory_bytes(), bytes);
    const auto n = static_cast<std::size_t>(op.num_rows());
    const auto x = make_vector<TypeParam>(exec, Values(4 * n, 1));
    const auto y = make_vector<TypeParam>(exec, Values(4 * n, 1));
    for (const std::size_t s : {std::size_t{4}, std::size_t{1}}) {
      const Tomokkos::Testing::LiveBytes counted("Tomokkos::Halo");
      op.apply(exec, 1, In<TypeParam>(x.data(), n, s), 0, Out<TypeParam>(y.data(), n, s));
      exec.fence();
      EXPECT_EQ(counted.taken(), 0u) << A.name;
    }
    EXPECT_GT(op.apply_bytes(2), op.apply_bytes(1) - (n == 0 ? 1 : 0)) << A.name;
  }
}

TEST(HaloOperator, an_error_on_one_rank_is_refused_on_all_ranks) {
  const TestSpace exec;
  const Comm comm = make_comm();
  const PlainCsr A = spd_matrix();
  const Begins begins = partitions(A.rows).front();
  const auto rows = to_device<TestSpace, double>(exec, part_of(A, begins));
  const int size = num_ranks();
  const auto build = [&](const Begins& first_entries) {
    return message_of([&] { SpreadMatrix<double>(exec, rows, first_entries, comm); });
  };
  EXPECT_EQ(build(begins), "");
  // Only the last rank gets a list that is too short.
  const bool is_last = this_rank() + 1 == static_cast<std::size_t>(size);
  Begins wrong = begins;
  if (is_last) wrong.pop_back();
  std::string message = build(wrong);
  EXPECT_TRUE(holds(message, "number of first entries")) << message;
  EXPECT_EQ(holds(message, "rank " + std::to_string(size - 1) + ": "), !is_last) << message;
  wrong = begins;
  wrong.back() += 1;
  message = build(wrong);
  EXPECT_TRUE(holds(message, "columns")) << message;
  wrong = begins;
  wrong.front() = 1;
  EXPECT_TRUE(holds(build(wrong), "must begin with entry 0"));
  if (size == 1) return;
  wrong = begins;
  std::swap(wrong[0], wrong[1]);
  EXPECT_NE(build(wrong), "");
  if (size > 2) {
    // Only the last rank gets a wrong first entry of another rank.
    wrong = begins;
    if (is_last) wrong[1] += 1;
    EXPECT_TRUE(holds(build(wrong), "do not agree where the part of rank 1 begins"))
        << build(wrong);
  }
  const auto exchange = [&](const std::vector<Ordinal>& halo) {
    return message_of([&] { HaloExchange<TestSpace, double>(exec, comm, begins, halo); });
  };
  const Ordinal foreign = this_rank() == 0 ? A.rows - 1 : 0;
  EXPECT_EQ(exchange({foreign}), "");
  EXPECT_TRUE(holds(exchange({foreign, foreign}), "does not ascend"));
  EXPECT_TRUE(holds(exchange({begins[this_rank()]}), "belongs to this rank itself"));
  EXPECT_TRUE(holds(exchange({A.rows}), "outside 0 to"));
  const std::string error_of_first_rank =
      exchange(this_rank() == 0 ? std::vector<Ordinal>{-1} : std::vector<Ordinal>{});
  EXPECT_TRUE(holds(error_of_first_rank, "entry -1")) << error_of_first_rank;
}

TYPED_TEST(HaloOperatorTest, takes_its_rows_from_a_matrix_on_the_host) {
  const TestSpace exec;
  const PlainCsr A = battery::make("rows", 40, 60, [](int i) { return i % 7; });
  const HostCsrMatrix<TypeParam> host =
      copy_to<Kokkos::HostSpace>(exec, to_device<TestSpace, TypeParam>(exec, A));
  for (const auto& [begin, end] :
       {std::pair{0, 40}, std::pair{5, 21}, std::pair{39, 40}, std::pair{7, 7}}) {
    const auto part = csr_row_range<TestSpace>(exec, host, {begin, end});
    validate(exec, part);
    const PlainCsr expected = rows_of(A, begin, end);
    EXPECT_EQ(part.num_rows, expected.rows);
    EXPECT_EQ(part.num_cols, expected.columns);
    EXPECT_EQ(to_std_vector(part.row_offsets), expected.offsets);
    EXPECT_EQ(to_std_vector(part.columns), expected.indices);
    EXPECT_EQ(to_std_vector(part.values),
              std::vector<TypeParam>(expected.values.begin(), expected.values.end()));
  }
  EXPECT_THROW(csr_row_range<TestSpace>(exec, host, {30, 41}), Error);
}

}  // namespace
