// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows in parts: on the device, with entries in host memory, and multiplied by the host.
#include <Tomokkos_CsrRowRange.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_SplitOperator.hpp>
#include <Tomokkos_StreamedArrays.hpp>
#include <Tomokkos_Transpose.hpp>

#include "MatrixBattery.hpp"
#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

template <class Scalar>
class SplitOperatorTest : public ::testing::Test {};
TYPED_TEST_SUITE(SplitOperatorTest, Scalars);

using Host = TOMOKKOS_HOST_SPACE;
template <class Scalar>
using Parts = std::vector<OperatorPart<TestSpace, Scalar>>;
template <class Scalar>
using Csr = CsrMatrix<Scalar, TestSpace::memory_space>;
template <class Scalar>
using In = MultiVectorView<const Scalar, TestSpace::memory_space>;
template <class Scalar>
using Out = MultiVectorView<Scalar, TestSpace::memory_space>;

/// Rows of some ranges, one range after the other.
PlainCsr rows_of_ranges(const PlainCsr& A, const std::vector<RowRange>& ranges) {
  PlainCsr result;
  result.columns = A.columns;
  for (const RowRange& range : ranges)
    for (Ordinal i = range.begin; i < range.end; ++i) {
      for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) result.add(A.indices[k], A.values[k]);
      result.end_row();
    }
  return result;
}

enum class Place { device, streamed, host };

template <class Scalar>
OperatorPart<TestSpace, Scalar> make_part(const PlainCsr& A, const std::vector<RowRange>& ranges,
                                          Place place) {
  const TestSpace exec;
  const PlainCsr rows = rows_of_ranges(A, ranges);
  OperatorOptions options;
  options.spmv.deterministic = true;
  if (place == Place::host) {
    const Host host;
    return {ranges, std::nullopt,
            AnyOperator<Host, Scalar>(
                CsrOperator<Host, Scalar>(host, to_device<Host, Scalar>(host, rows), options))};
  }
  auto matrix = to_device<TestSpace, Scalar>(exec, rows);
  if (place == Place::device)
    return {ranges,
            AnyOperator<TestSpace, Scalar>(CsrOperator<TestSpace, Scalar>(exec, matrix, options)),
            std::nullopt};
  const auto arrays = std::make_shared<StreamedArrays<TestSpace>>();
  auto transposed = transpose<TestSpace, Scalar>(exec, matrix);
  options.transpose = TransposeMethod::stored;
  CsrOperator<TestSpace, Scalar> made(
      exec, with_streamed_entries<TestSpace, Scalar>(exec, matrix, *arrays), options,
      with_streamed_entries<TestSpace, Scalar>(exec, transposed, *arrays));
  return {ranges, AnyOperator<TestSpace, Scalar>(std::move(made)), std::nullopt, arrays->bytes(),
          arrays};
}

/// Ways to divide 90 rows.
template <class Scalar>
std::vector<std::pair<std::string, Parts<Scalar>>> all_splits(const PlainCsr& A) {
  std::vector<std::pair<std::string, Parts<Scalar>>> all;
  const auto part = [&](const std::vector<RowRange>& ranges, Place place) {
    return make_part<Scalar>(A, ranges, place);
  };
  all.push_back({"device", {part({{0, 90}}, Place::device)}});
  all.push_back({"host", {part({{0, 90}}, Place::host)}});
  all.push_back({"streamed", {part({{0, 90}}, Place::streamed)}});
  all.push_back({"both", {part({{0, 61}}, Place::device), part({{61, 90}}, Place::host)}});
  all.push_back({"three",
                 {part({{0, 20}}, Place::device), part({{20, 50}}, Place::streamed),
                  part({{50, 90}}, Place::host)}});
  all.push_back({"subsets",
                 {part({{0, 10}, {30, 50}, {60, 60}}, Place::device),
                  part({{10, 30}, {50, 60}, {60, 90}}, Place::host)}});
  all.push_back({"an empty part", {part({{0, 0}}, Place::device), part({{0, 90}}, Place::host)}});
  return all;
}

PlainCsr test_matrix() {
  return battery::make("general", 90, 70, [](int i) { return i % 9; });
}

TYPED_TEST(SplitOperatorTest, multiplies_like_the_whole_matrix) {
  const TestSpace exec;
  const PlainCsr A = test_matrix();
  for (auto& [name, parts] : all_splits<TypeParam>(A)) {
    const AnyOperator<TestSpace, TypeParam> op =
        SplitOperator<TestSpace, TypeParam>(exec, A.columns, std::move(parts));
    EXPECT_EQ(op.num_rows(), A.rows);
    EXPECT_TRUE(op.has_transpose());
    EXPECT_TRUE(op.supports_ranges());
    for (const RowRange rows :
         {all_rows, RowRange{0, 90}, RowRange{5, 65}, RowRange{55, 58}, RowRange{40, 40}}) {
      const RowRange range = rows.resolved(A.rows);
      const PlainCsr some = rows_of_ranges(A, {range});
      for (const std::size_t s : {std::size_t{1}, std::size_t{3}})
        for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, std::pair{-0.5, 1.5}}) {
          const auto compute = [&](bool transposed) {
            const auto in = static_cast<std::size_t>(transposed ? some.rows : some.columns);
            const auto out = static_cast<std::size_t>(transposed ? some.columns : some.rows);
            const Values X = random_vector(in * s, 1), Y = random_vector(out * s, 2);
            const auto x = make_vector<TypeParam>(exec, X);
            const auto y = make_vector<TypeParam>(exec, Y);
            const In<TypeParam> from(x.data(), in, s);
            const Out<TypeParam> to(y.data(), out, s);
            const auto a = static_cast<TypeParam>(alpha), b = static_cast<TypeParam>(beta);
            if (transposed)
              op.apply_transpose(exec, a, from, b, to, rows);
            else
              op.apply(exec, a, from, b, to, rows);
            const auto result = to_std_vector(y);
            for (int j = 0; j < static_cast<int>(s); ++j) {
              const int columns = static_cast<int>(s);
              const PlainCsr& M = some;
              Values expected = column_of(Y, j, columns);
              for (double& value : expected) value *= beta;
              const Values input = column_of(X, j, columns);
              for (int i = 0; i < M.rows; ++i)
                for (auto k = M.offsets[i]; k < M.offsets[i + 1]; ++k) {
                  const auto column = static_cast<std::size_t>(M.indices[k]);
                  const auto row = static_cast<std::size_t>(i);
                  if (transposed)
                    expected[column] += alpha * M.values[k] * input[row];
                  else
                    expected[row] += alpha * M.values[k] * input[column];
                }
              const auto computed = column_of(result, j, columns);
              for (std::size_t i = 0; i < expected.size(); ++i)
                EXPECT_NEAR(computed[i], expected[i], tolerance<TypeParam>(2e-5, 1e-13))
                    << name << (transposed ? ", transposed" : "") << ", rows " << range.begin
                    << " to " << range.end;
            }
          };
          compute(false);
          compute(true);
        }
    }
  }
}

TYPED_TEST(SplitOperatorTest, repeats_its_bits_and_follows_earlier_work) {
  const TestSpace exec;
  const PlainCsr A = test_matrix();
  auto splits = all_splits<TypeParam>(A);
  const SplitOperator<TestSpace, TypeParam> op(exec, A.columns, std::move(splits[3].second));
  const auto run = [&] {
    const auto x = make_vector<TypeParam>(exec, random_vector(A.columns, 1));
    const auto y = make_vector<TypeParam>(exec, Values(static_cast<std::size_t>(A.rows), 0));
    // Nothing waits in between.
    for (int k = 0; k < 20; ++k) {
      op.apply(exec, TypeParam(0.1), as_multivector(x), TypeParam(0.5), as_multivector(y));
      op.apply_transpose(exec, TypeParam(0.1), as_multivector(y), TypeParam(0.5),
                         as_multivector(x));
    }
    return to_std_vector(x);
  };
  const auto first = run();
  EXPECT_TRUE(same_bits(first, run()));
  const CsrOperator<TestSpace, TypeParam> whole(exec, to_device<TestSpace, TypeParam>(exec, A));
  const auto x = make_vector<TypeParam>(exec, random_vector(A.columns, 1));
  const auto y = make_vector<TypeParam>(exec, Values(static_cast<std::size_t>(A.rows), 0));
  for (int k = 0; k < 20; ++k) {
    whole.apply(exec, TypeParam(0.1), as_multivector(x), TypeParam(0.5), as_multivector(y));
    whole.apply_transpose(exec, TypeParam(0.1), as_multivector(y), TypeParam(0.5),
                          as_multivector(x));
  }
  const auto expected = to_std_vector(x);
  EXPECT_LT(relative_difference(first, Values(expected.begin(), expected.end())),
            tolerance<TypeParam>(1e-4, 1e-12));
}

TEST(SplitOperator, says_where_its_bytes_are) {
  const TestSpace exec;
  const PlainCsr A = test_matrix();
  auto splits = all_splits<double>(A);
  const SplitOperator<TestSpace, double> streamed(exec, A.columns, std::move(splits[2].second));
  const std::size_t entries = A.values.size() * (sizeof(Ordinal) + sizeof(double));
  if (Impl::is_host_space<TestSpace>) {
    EXPECT_EQ(streamed.host_bytes(), 0U);
    EXPECT_GT(streamed.memory_bytes(), 2 * entries);
  } else {
    EXPECT_EQ(streamed.host_bytes(), 2 * entries);
    EXPECT_LT(streamed.memory_bytes(), 2 * entries);
  }
}

TEST(SplitOperator, refuses_parts_that_do_not_make_a_whole) {
  const TestSpace exec;
  const PlainCsr A = test_matrix();
  const auto error_of_parts = [&](Parts<double> parts) {
    return error_of([&] { SplitOperator<TestSpace, double>(exec, A.columns, std::move(parts)); });
  };
  EXPECT_TRUE(contains(error_of_parts({make_part<double>(A, {{0, 40}}, Place::device),
                                       make_part<double>(A, {{50, 90}}, Place::host)}),
                       "first row"));
  EXPECT_TRUE(contains(error_of_parts({make_part<double>(A, {{0, 40}}, Place::device),
                                       make_part<double>(A, {{30, 90}}, Place::host)}),
                       "first row"));
  auto wrong = make_part<double>(A, {{0, 90}}, Place::device);
  wrong.rows = {{0, 89}};
  EXPECT_TRUE(contains(error_of_parts({wrong}), "rows of a part"));
  EXPECT_TRUE(contains(error_of([&] {
                         SplitOperator<TestSpace, double>(
                             exec, 71, {make_part<double>(A, {{0, 90}}, Place::device)});
                       }),
                       "columns"));
}

/// Ray tiles with their entries in host memory give the bits of those on the device.
template <StoredPrecision Values>
void expect_same_bits_from_host_memory() {
  const TestSpace exec;
  const PlainCsr A = test_matrix();
  RayTilesOptions tiles;
  const auto matrix = ray_tiles_from_csr<TestSpace, float, Values>(
      exec, to_device<TestSpace, float>(exec, A), tiles);
  using Matrix = std::decay_t<decltype(matrix)>;
  StreamedArrays<TestSpace> arrays;
  const MatrixOperator<TestSpace, Matrix> here(exec, matrix),
      streamed(exec, with_streamed_entries(exec, Matrix(matrix), arrays));
  EXPECT_GT(arrays.bytes(), A.values.size() * 4);
  const auto x = make_vector<float>(exec, random_vector(A.columns, 1));
  const auto b = make_vector<float>(exec, random_vector(A.rows, 2));
  std::vector<std::vector<float>> results;
  for (const auto* op : {&here, &streamed}) {
    const auto y =
        make_vector<float>(exec, std::vector<double>(static_cast<std::size_t>(A.rows), 0));
    const auto z =
        make_vector<float>(exec, std::vector<double>(static_cast<std::size_t>(A.columns), 0));
    op->apply(exec, 1.0F, as_multivector(x), 0.0F, as_multivector(y));
    op->apply_transpose(exec, 1.0F, as_multivector(b), 0.0F, as_multivector(z));
    results.push_back(to_std_vector(y));
    results.push_back(to_std_vector(z));
  }
  EXPECT_TRUE(same_bits(results[0], results[2]));
  EXPECT_TRUE(same_bits(results[1], results[3]));
}

TEST(StreamedArrays, ray_tiles_keep_their_bits) {
  expect_same_bits_from_host_memory<StoredPrecision::plain>();
  expect_same_bits_from_host_memory<StoredPrecision::half>();
}

}  // namespace
