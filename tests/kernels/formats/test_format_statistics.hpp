// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Statistics for the choice of a format, compared with the formats themselves.
#include <gtest/gtest.h>

#include <Tomokkos_FormatStatistics.hpp>
#include <Tomokkos_Formats.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

namespace {

using namespace Tomokkos;

template <class Scalar>
void check_sell_entries(const PlainCsr& plain) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  const auto statistics = format_statistics(exec, A);
  EXPECT_EQ(statistics.rows.nonzeros, A.num_nonzeros());
  SellOptions options;
  options.limit.largest_fill = 1e9;
  EXPECT_EQ(statistics.template of<SellFormat>().entries,
            sell_from_csr(exec, A, options).num_stored());
  options.sigma = sorting_window;
  const Offset sorted = sell_from_csr(exec, A, options).num_stored();
  if (statistics.template of<SellFormat>().sorted_entries !=
      statistics.template of<SellFormat>().entries) {
    EXPECT_EQ(statistics.template of<SellFormat>().sorted_entries, sorted);
  } else {
    EXPECT_LE(static_cast<double>(statistics.template of<SellFormat>().entries),
              1.03 * static_cast<double>(sorted));
  }
}

TEST(FormatStatistics, counts_what_sell_stores) {
  for (const int rows : {1, 31, 100, 9000}) {
    const auto plain = battery::make("uneven", rows, 60, [](int i) { return 1 + (i * 7) % 40; });
    check_sell_entries<float>(plain);
    check_sell_entries<double>(plain);
    check_sell_entries<float>(battery::make("even", rows, 60, [](int) { return 12; }));
  }
}

/// Makes full blocks of B x B, a few per block row.
PlainCsr full_blocks(int block, int block_rows) {
  PlainCsr plain;
  plain.columns = block * block_rows;
  for (int row = 0; row < block * block_rows; ++row) {
    for (int b = row / block % 3; b < block_rows; b += 5)
      for (int c = 0; c < block; ++c) plain.add(b * block + c, 1.0 + row);
    plain.end_row();
  }
  return plain;
}

TEST(FormatStatistics, sees_full_blocks) {
  const TestSpace exec;
  for (std::size_t which = 0; which < block_sizes.size(); ++which) {
    const int block = block_sizes[which];
    const auto A = to_device<TestSpace, float>(exec, full_blocks(block, 60));
    const auto statistics = format_statistics(exec, A);
    EXPECT_DOUBLE_EQ(statistics.template of<BcsrFormat>().fill[which], 1.0) << block;
    if (block == 4) {
      EXPECT_DOUBLE_EQ(statistics.template of<BcsrFormat>().fill[0], 1.0)
          << "blocks of 2 fill blocks of 4";
      EXPECT_GT(statistics.template of<BcsrFormat>().fill[1], 1.2);
    }
  }
}

TEST(FormatStatistics, estimates_the_fill_of_blocks) {
  const TestSpace exec;
  const auto plain = battery::make("sparse", 4000, 900, [](int i) { return 3 + i % 9; });
  const auto A = to_device<TestSpace, double>(exec, plain);
  const auto statistics = format_statistics(exec, A);
  EXPECT_NEAR(statistics.template of<BcsrFormat>().fill[0], fill_of(bcsr_from_csr<2>(exec, A)),
              0.1);
  EXPECT_NEAR(statistics.template of<BcsrFormat>().fill[2],
              fill_of(bcsr_from_csr<4>(exec, A, BcsrOptions{})), 0.4);
}

TEST(FormatStatistics, looks_at_nothing_where_there_is_nothing) {
  const TestSpace exec;
  const CsrMatrix<float, TestSpace::memory_space> none;
  const auto statistics = format_statistics(exec, none);
  EXPECT_EQ(statistics.template of<SellFormat>().entries, 0);
  EXPECT_EQ(format_of(choose_format(exec, none)), MatrixFormat::csr);
  // Fewer rows than a block.
  const auto row =
      to_device<TestSpace, float>(exec, battery::make("row", 1, 9, [](int) { return 4; }));
  EXPECT_EQ(format_statistics(exec, row).of<BcsrFormat>().fill[0], 0.0);
}

}  // namespace
