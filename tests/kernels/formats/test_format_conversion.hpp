// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contracts of the formats, conversions in both directions, and refused matrices.
#include <gtest/gtest.h>

#include "FormatTesting.hpp"

using namespace Tomokkos;
using namespace Tomokkos::Testing;

namespace {

template <class Scalar>
void expect_same(const TestCsr<Scalar>& A, const TestCsr<Scalar>& B, const std::string& name) {
  EXPECT_EQ(A.num_rows, B.num_rows) << name;
  EXPECT_EQ(A.num_cols, B.num_cols) << name;
  EXPECT_EQ(to_std_vector(A.row_offsets), to_std_vector(B.row_offsets)) << name;
  EXPECT_EQ(to_std_vector(A.columns), to_std_vector(B.columns)) << name;
  EXPECT_EQ(to_std_vector(A.values), to_std_vector(B.values)) << name;
}

template <class Matrix>
void expect_refused(const Matrix& A, const std::string& message) {
  try {
    validate(TestSpace(), A);
    FAIL() << "accepted: " << message;
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
  }
}

/// A copy of \p view with entry \p index set to \p value.
template <class View, class Value>
auto changed(const View& view, std::size_t index, Value value) {
  auto copy = to_std_vector(view);
  copy.at(index) = value;
  return to_device<TestSpace, typename View::non_const_value_type>(TestSpace(), copy);
}

PlainCsr example() {
  return battery::make("example", 50, 40, [](int i) { return 1 + i % 7; });
}

}  // namespace

TEST(FormatConversion, there_and_back) {
  const TestSpace exec;
  for (const auto& plain : format_battery()) {
    const auto A = to_device<TestSpace, float>(exec, plain);
    for_each_format(A, [&](const std::string& name, const auto& B, const SpmvOptions&) {
      const std::string what = plain.name + ", " + name;
      EXPECT_NO_THROW(validate(exec, B)) << what;
      EXPECT_EQ(B.num_nonzeros(), A.num_nonzeros()) << what;
      EXPECT_GE(B.num_stored(), B.num_nonzeros()) << what;
      const auto back = to_csr(exec, B);
      EXPECT_NO_THROW(validate(exec, back)) << what;
      expect_same(A, back, what);
    });
  }
}

TEST(FormatConversion, fill_is_that_of_the_definition) {
  const TestSpace exec;
  PlainCsr plain;
  plain.name = "lengths 3, 0, 1, 5";
  plain.columns = 8;
  for (const int length : {3, 0, 1, 5}) {
    for (int j = 0; j < length; ++j) plain.add(j, 1 + j);
    plain.end_row();
  }
  const auto A = to_device<TestSpace, float>(exec, plain);
  EXPECT_EQ(coo_from_csr(exec, A).num_stored(), 9);
  const auto ell = ell_from_csr(exec, A);
  EXPECT_EQ(ell.width, 5);
  // The lengths are 0, 1, 3, 5: three quarters of the rows have at most 3 entries.
  const auto hyb = hyb_from_csr(exec, A, {0.75, any_fill});
  EXPECT_EQ(hyb.regular.width, 3);
  EXPECT_EQ(hyb.rest.num_nonzeros(), 2);
  EXPECT_EQ(hyb.regular.num_nonzeros(), 7);
  SellOptions options;
  options.chunk = 2;
  const int pack = sell_from_csr(exec, A, options).pack;
  const auto rounded = [pack](int width) { return (width + pack - 1) / pack * pack; };
  EXPECT_EQ(sell_from_csr(exec, A, options).num_stored(), 2 * rounded(3) + 2 * rounded(5));
  options.sigma = 4;
  const auto sorted = sell_from_csr(exec, A, options);
  EXPECT_EQ(sorted.num_stored(), 2 * rounded(5) + 2 * rounded(1));
  EXPECT_EQ(to_std_vector(sorted.rows), (std::vector<Ordinal>{3, 0, 2, 1}));
  const auto blocks = bcsr_from_csr<2>(exec, A);
  EXPECT_EQ(to_std_vector(blocks.block_offsets), (std::vector<Offset>{0, 2, 5}));
  EXPECT_EQ(to_std_vector(blocks.block_columns), (std::vector<Ordinal>{0, 1, 0, 1, 2}));
}

TEST(FormatConversion, sorted_by_length_within_windows_and_stably) {
  const TestSpace exec;
  const auto plain = battery::make("lengths", 1000, 300, [](int i) { return i * 7919 % 61; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  for (const Ordinal sigma : {64, 320, 0}) {
    SellOptions options;
    options.chunk = 32;
    options.sigma = sigma;
    const auto rows = to_std_vector(sell_from_csr(exec, A, options).rows);
    std::vector<Ordinal> expected(1000);
    for (Ordinal i = 0; i < 1000; ++i) expected[i] = i;
    const Ordinal window = sigma == 0 ? 1000 : sigma;
    for (Ordinal begin = 0; begin < 1000; begin += window)
      std::stable_sort(expected.begin() + begin,
                       expected.begin() + std::min<Ordinal>(begin + window, 1000),
                       [&](Ordinal a, Ordinal b) {
                         return plain.offsets[a + 1] - plain.offsets[a] >
                                plain.offsets[b + 1] - plain.offsets[b];
                       });
    EXPECT_EQ(rows, expected) << sigma;
  }
}

TEST(FormatConversion, too_much_padding_is_refused_with_the_numbers) {
  const TestSpace exec;
  const auto plain =
      battery::make("one long row", 1000, 3000, [](int i) { return i == 7 ? 3000 : 1; });
  const auto A = to_device<TestSpace, float>(exec, plain);
  const auto refusal = [](const auto& convert) -> std::string {
    try {
      convert();
    } catch (const Refused& refused) {
      return refused.what();
    }
    return "nothing was refused";
  };
  EXPECT_EQ(
      refusal([&] { ell_from_csr(exec, A); }),
      "ell would store 3000000 entries for 3999 nonzeros, 750.2 times as many; the limit is 8");
  EXPECT_NE(refusal([&] { ell_r_from_csr(exec, A); }).find("ell_r would store"), std::string::npos);
  SellOptions options;
  options.chunk = 256;
  EXPECT_NE(refusal([&] { sell_from_csr(exec, A, options); }).find("sell would store"),
            std::string::npos);
  EXPECT_NE(refusal([&] { bcsr_from_csr<8>(exec, A); }).find("bcsr would store"),
            std::string::npos);
  EXPECT_NO_THROW(hyb_from_csr(exec, A));
  options.chunk = 32;
  options.sigma = 33;
  EXPECT_NE(
      refusal([&] { sell_from_csr(exec, A, options); }).find("is not a multiple of the chunk"),
      std::string::npos);
}

TEST(FormatConversion, what_no_memory_holds_is_refused_with_the_bytes) {
  const TestSpace exec;
  // A million rows, padded to the length of the only row that is not empty: 6.4e12 bytes.
  const Ordinal rows = 1000000, longest = 800000;
  std::vector<Offset> offsets(rows + 1, longest);
  offsets[0] = 0;
  std::vector<Ordinal> columns(longest);
  for (Ordinal j = 0; j < longest; ++j) columns[j] = j;
  const TestCsr<float> A{rows, longest, to_device<TestSpace, Offset>(exec, offsets),
                         to_device<TestSpace, Ordinal>(exec, columns),
                         to_device<TestSpace, float>(exec, std::vector<float>(longest, 1.0F))};
  EXPECT_THROW(ell_from_csr(exec, A, any_fill), MemoryError);
  EXPECT_THROW(ell_r_from_csr(exec, A, {false, any_fill}), MemoryError);
  EXPECT_NO_THROW(coo_from_csr(exec, A));
}

TEST(FormatContract, broken_lists_are_refused) {
  const TestSpace exec;
  const auto A = coo_from_csr(exec, to_device<TestSpace, float>(exec, example()));
  auto broken = A;
  broken.rows = changed(A.rows, 10, 50);
  expect_refused(broken, "entry 10 is outside");
  broken = A;
  broken.columns = changed(A.columns, 10, -1);
  expect_refused(broken, "entry 10 is outside");
  broken = A;
  broken.rows = changed(A.rows, 20, 0);
  expect_refused(broken, "entry 20 is outside of the matrix or does not follow");
  broken = A;
  broken.columns = to_device<TestSpace, Ordinal>(exec, std::vector<Ordinal>(3, 0));
  expect_refused(broken, "length of columns");
}

TEST(FormatContract, broken_padded_rows_are_refused) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, example());
  const auto A = ell_from_csr(exec, csr);
  const auto at = [](const auto& M, Ordinal row, Ordinal k) {
    return static_cast<std::size_t>(Impl::padded_rows(M).row_stride * row +
                                    Impl::padded_rows(M).entry_stride * k);
  };
  auto broken = A;
  broken.columns = changed(A.columns, at(A, 3, 1), 40);
  expect_refused(broken, "slot 3 has a column outside");
  broken = A;
  broken.values = changed(A.values, at(A, 0, 5), 2.0F);  // row 0 has one entry
  expect_refused(broken, "slot 0 has");
  broken = A;
  broken.nonzeros += 1;
  expect_refused(broken, "the number of nonzeros");

  const auto R = ell_r_from_csr(exec, csr, {true, {}});
  auto wrong = R;
  wrong.row_lengths = changed(R.row_lengths, 4, 2);
  expect_refused(wrong, "slot 4 has");
  wrong = R;
  wrong.rows = changed(R.rows, 4, to_std_vector(R.rows)[5]);
  expect_refused(wrong, "does not have exactly one slot");

  const auto S = sell_from_csr(exec, csr);
  auto odd = S;
  odd.chunk_offsets = changed(S.chunk_offsets, 1, to_std_vector(S.chunk_offsets)[1] + 1);
  expect_refused(odd, "chunk 0 has impossible offsets");
  odd = S;
  odd.row_lengths = changed(S.row_lengths, 2, 1);
  expect_refused(odd, "slot 2 has");
}

TEST(FormatContract, broken_hyb_and_blocks_are_refused) {
  const TestSpace exec;
  const auto csr = to_device<TestSpace, float>(exec, example());
  const auto A = hyb_from_csr(exec, csr, {0.5, {}});
  auto broken = A;
  broken.rest = coo_from_csr(exec, csr);
  expect_refused(broken, "of the rest belongs to a row whose regular part has room");

  const auto B = bcsr_from_csr<4>(exec, csr);
  auto wrong = B;
  wrong.block_columns = changed(B.block_columns, 0, 10);
  expect_refused(wrong, "block row 0 has impossible offsets");
  wrong = B;
  const auto last = static_cast<std::size_t>(B.num_stored()) - 1;
  wrong.values = changed(B.values, last, 1.0F);  // rows 50 and 51 do not exist
  expect_refused(wrong, "block row 12 has impossible offsets");
}
