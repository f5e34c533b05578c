// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Scalar = double>
HostCsrMatrix<Scalar> parse(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.mtx", text);
  return read_matrix_market<Scalar>(folder / "a.mtx", options);
}

template <class... Pieces>
void refuse(const std::string& text, const Pieces&... pieces) {
  SCOPED_TRACE(text);
  expect_input_error([&] { parse(text); }, pieces...);
}

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

template <class Scalar>
class MatrixMarketRoundTrip : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixMarketRoundTrip, Scalars);

TYPED_TEST(MatrixMarketRoundTrip, matrices_come_back_bit_for_bit) {
  const TemporaryFolder folder;
  for (const auto& A : matrix_battery<TypeParam>()) {
    write_matrix_market(folder / "a.mtx", A);
    expect_same(read_matrix_market<TypeParam>(folder / "a.mtx"), A);
  }
}

TYPED_TEST(MatrixMarketRoundTrip, extreme_values_come_back_bit_for_bit) {
  using Limits = std::numeric_limits<TypeParam>;
  const TemporaryFolder folder;
  const auto A = make_matrix<TypeParam>(1, 5,
                                        {{0, 0, Limits::max()},
                                         {0, 1, Limits::min()},
                                         {0, 2, Limits::denorm_min()},
                                         {0, 3, -Limits::epsilon()},
                                         {0, 4, -Limits::lowest() / 3}});
  write_matrix_market(folder / "a.mtx", A);
  expect_same(read_matrix_market<TypeParam>(folder / "a.mtx"), A);
}

TYPED_TEST(MatrixMarketRoundTrip, vectors_come_back_bit_for_bit) {
  const TemporaryFolder folder;
  for (const std::vector<TypeParam>& x :
       {std::vector<TypeParam>{}, {TypeParam(0.1)}, {0, -1, TypeParam(2e-7), 0}}) {
    write_matrix_market_vector<TypeParam>(folder / "x.mtx", x);
    EXPECT_EQ(read_matrix_market_vector<TypeParam>(folder / "x.mtx"), x);
  }
}

TEST(MatrixMarket, every_error_is_reported_with_its_line) {
  refuse("", "a.mtx:0: ", "empty");
  refuse("\n", ":1: ");
  refuse(banner + "2 2 2\n1 1 1.0000\n", ":3: ", "after 1 of 2 entries");
  refuse(banner + "2 2 2\n1 1 1.000000000\n1 2", ":4: ", "value is missing");
  refuse(banner + "2 2 1\n1 1 1 1\n", ":3: ", "unexpected '1'");
  refuse(banner + "2 2 1\n1 1.5 1\n", ":3: ", "column index is not a whole number: '1.5'");
  refuse(banner + "2 2 1\n1 1 1.5x\n", ":3: ", "not a number: '1.5x'");
  refuse(banner + "2 2 1\n1 1 +-1\n", ":3: ", "not a number");
  refuse(banner + "2 2 1\n1 1 nan\n", ":3: ", "not finite");
  refuse(banner + "2 2 1\n1 1 -inf\n", ":3: ", "not finite");
  refuse(banner + "2 2 0\ngarbage\n", ":3: ", "'garbage'");
  refuse(banner + "2 2 0 7\n", ":2: ", "unexpected '7'");
  refuse(banner + "2 2\n", ":2: ", "entries is missing");
  refuse(banner + "2 x 0\n", ":2: ", "columns is not a whole number: 'x'");
  refuse(banner + "2147483648 2 0\n", ":2: ", "exceeds 2147483647");
  refuse("%%MatrixMarket matrix coordinate real general extra\n1 1 0\n", ":1: ", "'extra'");
  refuse("%%MatrixMarket matrix array pattern general\n1 1\n1\n", ":1: ", "pattern");
  refuse("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", ":1: ", "signs");
  refuse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", ":3: ", "whole");
  refuse("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
         ":3: ", "unexpected '1'");
  refuse(std::string(1 << 21, 'x'), ":1: ", "longer than");
  refuse(banner + std::string("2 2 1\n1 1 \0001\n", 13), ":3: ");
}

TEST(MatrixMarket, misplaced_entries_of_symmetric_matrices_are_refused) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
  refuse(symmetric + "2 3 0\n", ":2: ", "square");
  refuse(symmetric + "2 2 2\n2 1 5\n1 2 5\n", ":4: ", "line 3");
  refuse(skew + "2 2 1\n1 1 5\n", ":3: ", "diagonal");
  const auto upper = parse(symmetric + "2 2 2\n1 2 5\n2 2 1\n");
  expect_same(upper, make_matrix<double>(2, 2, {{0, 1, 5}, {1, 0, 5}, {1, 1, 1}}));
  expect_same(parse(skew + "2 2 2\n2 1 5\n2 2 0\n"),
              make_matrix<double>(2, 2, {{0, 1, -5}, {1, 0, 5}}));
}

TEST(MatrixMarket, symmetric_arrays_are_expanded) {
  expect_same(parse("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
              make_matrix<double>(2, 2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 3}}));
  expect_same(parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
              make_matrix<double>(
                  3, 3, {{0, 1, -1}, {0, 2, -2}, {1, 0, 1}, {1, 2, -3}, {2, 0, 2}, {2, 1, 3}}));
  expect_same(parse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"),
              make_matrix<double>(1, 1, {}));
  expect_same(parse("%%MatrixMarket matrix array real general\n0 3\n"),
              make_matrix<double>(0, 3, {}));
}

TEST(MatrixMarket, sizes_beyond_the_file_are_refused_before_allocation) {
  refuse(banner + "2147483647 2147483647 4611686018427387904\n1 1 1\n", ":2: ", "the header gives",
         "at most 1");
  refuse("%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
         ":2: ", "the header gives");
  refuse("%%MatrixMarket vector coordinate pattern general\n9 1000\n1\n",
         ":2: ", "the header gives");
}

TEST(MatrixMarket, matrices_larger_than_memory_are_refused) {
  const TemporaryFolder folder;
  const std::uint64_t count = available_host_memory() / 8;
  const auto refuse_memory = [&](const std::string& text, std::uint64_t bytes) {
    write_sparse(folder / "a.mtx", text, text.size() + 6 * count);
    expect_memory_error([&] { read_matrix_market<double>(folder / "a.mtx"); }, "a.mtx", bytes);
  };
  // The list takes 16 bytes per entry. The matrix takes 12 bytes per entry, 8 per row and 8 more.
  const std::string sizes = "3 3 " + std::to_string(count) + "\n";
  refuse_memory(banner + sizes, 28 * count + 32);
  refuse_memory("%%MatrixMarket matrix coordinate real symmetric\n" + sizes, 40 * count + 32);
}

TEST(MatrixMarket, duplicates_are_added_or_refused_with_their_line) {
  const std::string text = banner + "% comment\n2 2 4\n2 2 1\n1 1 2\n\n2 2 10\n2 1 3\n";
  expect_same(parse(text), make_matrix<double>(2, 2, {{0, 0, 2}, {1, 0, 3}, {1, 1, 11}}));
  ReadOptions options;
  options.duplicates = DuplicatePolicy::refuse;
  expect_input_error([&] { parse(text, options); }, "a.mtx:7: ", "row 1, column 1", "twice");
  const std::string symmetric =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 1\n2 1 1\n3 1 1\n";
  expect_input_error([&] { parse(symmetric, options); }, "a.mtx:5: ", "twice");
  refuse(banner + "1 1 2\n1 1 1e308\n1 1 1e308\n", ":4: ", "not finite");
}

TEST(MatrixMarket, unsorted_entries_are_sorted) {
  expect_same(parse(banner + "2 3 4\n2 3 4\n1 3 2\n2 1 3\n1 1 1\n"),
              make_matrix<double>(2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 0, 3}, {1, 2, 4}}));
}

TEST(MatrixMarket, numbers_are_rounded_once_to_the_scalar) {
  // The number lies just above the midpoint of two floats. Rounding it to double first would lose
  // the last digit.
  const std::string text = banner + "1 1 1\n1 1 1.00000005960464477540\n";
  EXPECT_EQ(parse<float>(text).values(0), 1.0f + 0x1p-23f);
  EXPECT_EQ(parse<float>(banner + "1 1 1\n1 1 -1e-42\n").values(0), -1e-42f);
  expect_input_error([&] { parse<float>(banner + "1 1 1\n1 1 1e39\n"); },
                     ":3: ", "exceeds the range of float");
}

TEST(MatrixMarket, nonzero_values_that_round_to_zero_are_refused) {
  const auto text = [](const std::string& value) { return banner + "1 1 1\n1 1 " + value + "\n"; };
  refuse(text("+1e-400"), ":3: the value '+1e-400' is not zero", "any number of double");
  expect_input_error([&] { parse<float>(text("-1e-50")); }, ":3: the value '-1e-50' is not zero",
                     "any number of float");
  EXPECT_EQ(parse<double>(text("4e-320")).values(0), 4e-320);
  EXPECT_EQ(parse<double>(text("0e-400")).values(0), 0.0);
}

TEST(MatrixMarket, lines_end_with_line_feed_carriage_return_or_both) {
  const std::string text = banner + "% a comment\n\n2 2 2\n1 1 0.5\n2 2 -3\n";
  const auto A = parse(text);
  for (const std::string end : {"\r", "\r\n", "\n\r"}) {
    std::string changed;
    for (const char c : text) changed += c == '\n' ? end : std::string(1, c);
    expect_same(parse(changed), A);
    expect_same(parse(changed.substr(0, changed.size() - end.size())), A);
    changed.replace(changed.rfind("-3"), 2, "x ");
    // Every line end counts. In LF CR LF CR, the inner CR LF is a single line end.
    expect_input_error([&] { parse(changed); }, end == "\n\r" ? ":10: " : ":6: ", "'x'");
  }
  // The text is longer than the buffer of the reader, whose end may separate CR from LF.
  for (const std::string end : {"\r", "\r\n"}) {
    std::string lines = "%%MatrixMarket matrix array real general" + end + "300000 1" + end;
    for (int i = 0; i < 300000; ++i) lines += std::to_string(i % 1000) + end;
    const auto B = parse(lines);
    EXPECT_EQ(B.num_nonzeros(), 300000 - 300);
    EXPECT_EQ(B.values(B.num_nonzeros() - 1), 999);
  }
}

TEST(MatrixMarket, non_finite_values_are_read_on_request) {
  ReadOptions options;
  options.allow_non_finite = true;
  const auto A = parse(banner + "1 2 2\n1 1 nan\n1 2 -Inf\n", options);
  EXPECT_TRUE(std::isnan(A.values(0)));
  EXPECT_EQ(A.values(1), -std::numeric_limits<double>::infinity());
}

TEST(MatrixMarket, every_truncation_is_refused_or_read_to_its_end) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", matrix_battery<double>()[5]);
  const std::string bytes = read_bytes(folder / "a.mtx");
  // A text file remains valid without its last line end, and even without some digits of the last
  // number. Any shorter text is refused.
  const std::size_t last_number = bytes.rfind(' ') + 1;
  for (std::size_t length = 0; length <= last_number; ++length) {
    write_bytes(folder / "b.mtx", bytes.substr(0, length));
    SCOPED_TRACE(length);
    EXPECT_THROW(read_matrix_market<double>(folder / "b.mtx"), InputError);
  }
  expect_no_crash_on_changed_bytes(folder / "c.mtx", bytes, [](const auto& path) {
    // A changed size may be as large as an index allows, which takes 16 GB of row offsets. Read
    // only files whose size is unchanged.
    if (read_bytes(path).substr(46, 4) == "1 7 ") read_matrix_market<float>(path);
  });
}

TEST(MatrixMarket, lines_across_buffers_are_read) {
  // The file is longer than the buffer of the reader and has lines of many lengths.
  std::vector<Entry<double>> entries;
  for (Ordinal j = 0; j < 100000; ++j) entries.emplace_back(0, j, 1.0 / (j + 1));
  const auto A = make_matrix<double>(1, 100000, entries);
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", A);
  ASSERT_GT(std::filesystem::file_size(folder / "a.mtx"), 2u << 20);
  expect_same(read_matrix_market<double>(folder / "a.mtx"), A);
}

TEST(MatrixMarket, missing_files_folders_and_devices_are_refused) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_matrix_market<float>(folder / "absent.mtx"); }, "absent.mtx",
                     "No such file");
  expect_input_error([&] { read_matrix_market<float>(folder.path()); }, "is a folder");
  expect_input_error([&] { read_matrix_market<float>("/dev/zero"); }, "not a regular file");
}

TEST(MatrixMarket, vectors_have_one_column_or_row) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.mtx", banner + "2 2 0\n");
  expect_input_error([&] { read_matrix_market_vector<float>(folder / "a.mtx"); }, "2 x 2");
  write_bytes(folder / "a.mtx", banner + "1 3 1\n1 2 5\n");
  EXPECT_EQ(read_matrix_market_vector<float>(folder / "a.mtx"), (std::vector<float>{0, 5, 0}));
}

}  // namespace
