// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Choices of `choose_format`, each according to a measurement in docs/benchmarks/products.md.
#include <gtest/gtest.h>

#include <Tomokkos_ChooseFormat.hpp>
#include <Tomokkos_SpmvLaunchConfig.hpp>

namespace {

using namespace Tomokkos;

const DeviceTraits h200{true, 270336};
const DeviceTraits wide_host{false, 2, true};
const DeviceTraits narrow_host{false, 2, false};

/// Statistics of rows of about one length, without blocks. SELL pads by \p padding.
FormatStatistics rows_of(Ordinal rows, double mean, Offset longest, double padding = 1.0) {
  FormatStatistics statistics;
  statistics.rows.rows = statistics.rows.columns = rows;
  statistics.rows.nonzeros = static_cast<Offset>(mean * rows);
  statistics.rows.mean = mean;
  statistics.rows.longest = longest;
  const auto nonzeros = static_cast<double>(statistics.rows.nonzeros);
  statistics.of<SellFormat>().entries = static_cast<Offset>(padding * nonzeros);
  statistics.of<SellFormat>().sorted_entries =
      static_cast<Offset>((1 + 0.1 * (padding - 1)) * nonzeros);
  statistics.of<BcsrFormat>().fill = {2.0, 3.0, 4.0, 8.0};
  return statistics;
}

const FormatStatistics stencil_100 = rows_of(1000000, 26.5, 27, 1.01);
const FormatStatistics tomography_512 = rows_of(130680, 459, 1027, 1.2);
const FormatStatistics tomography_1024 = rows_of(737280, 922, 2047, 1.1);
const FormatStatistics skewed = rows_of(262144, 30, 60000, 6.0);

MatrixFormat choice(const DeviceTraits& device, const FormatStatistics& statistics,
                    std::size_t scalar_bytes = 4) {
  return format_of(choose_format(device, statistics, scalar_bytes));
}

TEST(ChooseFormat, even_short_rows_go_to_padded_formats) {
  EXPECT_EQ(choice(h200, stencil_100), MatrixFormat::sell);
  EXPECT_EQ(std::get<SellOptions>(choose_format(h200, stencil_100, 4)).sigma, 1);
  EXPECT_EQ(choice(h200, stencil_100, 8), MatrixFormat::ell_r);
  for (const std::size_t scalar_bytes : {4, 8})
    EXPECT_EQ(choice(wide_host, stencil_100, scalar_bytes), MatrixFormat::sell);
}

TEST(ChooseFormat, long_rows_stay_in_csr_on_a_gpu_and_go_to_sell_on_a_host) {
  for (const auto& statistics : {tomography_512, tomography_1024}) {
    EXPECT_EQ(choice(h200, statistics), MatrixFormat::csr);
    EXPECT_EQ(choice(wide_host, statistics), MatrixFormat::sell);
  }
}

TEST(ChooseFormat, a_host_without_wide_gathers_converts_for_double_alone) {
  EXPECT_EQ(choice(narrow_host, stencil_100), MatrixFormat::csr);
  EXPECT_EQ(choice(narrow_host, stencil_100, 8), MatrixFormat::sell);
}

TEST(ChooseFormat, skewed_rows_are_no_thread_s_own_on_a_gpu_and_are_sorted_on_a_host) {
  EXPECT_EQ(choice(h200, skewed), MatrixFormat::csr);
  auto blocks = skewed;
  blocks.of<BcsrFormat>().fill = {1, 1.01, 1, 1};
  EXPECT_EQ(choice(h200, blocks), MatrixFormat::csr) << "of blocks no less";
  EXPECT_EQ(choice(h200, rows_of(1048576, 30, 64839, 6.0)), MatrixFormat::csr);
  EXPECT_EQ(choose_spmv_launch(h200, skewed.rows, {}).variant, SpmvVariant::merge_path);
  EXPECT_EQ(choice(wide_host, skewed), MatrixFormat::csr) << "1.5 times its entries when sorted";
  auto sortable = skewed;
  sortable.of<SellFormat>().sorted_entries = sortable.rows.nonzeros * 11 / 10;
  EXPECT_EQ(choice(wide_host, sortable), MatrixFormat::sell);
  EXPECT_EQ(std::get<SellOptions>(choose_format(wide_host, sortable, 4)).sigma, sorting_window);
}

TEST(ChooseFormat, few_rows_are_sorted_within_little_on_a_host) {
  for (const auto& [rows, sigma] : {std::pair{4000, 256}, {100000, int(sorting_window)}}) {
    auto uneven = rows_of(rows, 20, 60, 1.5);
    EXPECT_EQ(choice(wide_host, uneven), MatrixFormat::sell);
    EXPECT_EQ(std::get<SellOptions>(choose_format(wide_host, uneven, 4)).sigma, sigma) << rows;
  }
}

TEST(ChooseFormat, padding_has_its_price) {
  EXPECT_EQ(choice(wide_host, rows_of(100000, 50, 90, 1.15)), MatrixFormat::sell);
  auto uneven = rows_of(100000, 50, 90, 1.6);
  uneven.of<SellFormat>().sorted_entries = uneven.of<SellFormat>().entries;
  EXPECT_EQ(choice(wide_host, uneven), MatrixFormat::csr);
  EXPECT_EQ(choice(h200, rows_of(1000000, 20, 200, 3.0)), MatrixFormat::sell) << "sorted";
  EXPECT_EQ(std::get<SellOptions>(choose_format(h200, rows_of(1000000, 20, 200, 3.0), 4)).sigma,
            sorting_window);
}

TEST(ChooseFormat, full_blocks_go_to_the_block_that_reads_least) {
  auto blocks = stencil_100;
  blocks.of<BcsrFormat>().fill = {1.0, 1.6, 1.0, 1.9};
  for (const auto& device : {h200, wide_host, narrow_host}) {
    const auto chosen = choose_format(device, blocks, 4);
    EXPECT_EQ(format_of(chosen), MatrixFormat::bcsr);
    EXPECT_EQ(std::get<BcsrOptions>(chosen).block, 4);
  }
  blocks.of<BcsrFormat>().fill = {1.3, 1.02, 1.7, 2.8};
  EXPECT_EQ(std::get<BcsrOptions>(choose_format(wide_host, blocks, 8)).block, 3);
  // If half of the entries of a block are missing, the fill costs more than the saved indices.
  blocks.of<BcsrFormat>().fill = {1.8, 2.0, 2.0, 2.5};
  EXPECT_NE(choice(wide_host, blocks), MatrixFormat::bcsr);
  // No statistics of blocks.
  blocks.of<BcsrFormat>().fill = {};
  EXPECT_NE(choice(wide_host, blocks), MatrixFormat::bcsr);
}

TEST(ChooseFormat, nothing_pads_beyond_the_limit_that_is_asked_for) {
  const auto chosen = [](const DeviceTraits& device, const FormatStatistics& statistics,
                         std::optional<double> limit) {
    return format_of(choose_format(device, statistics, 8, limit));
  };
  // A smaller limit excludes the format that would be chosen otherwise.
  for (const auto& device : {wide_host, h200}) {
    EXPECT_NE(chosen(device, stencil_100, {}), MatrixFormat::csr);
    EXPECT_EQ(chosen(device, stencil_100, 1.0005), MatrixFormat::csr);
    auto blocks = stencil_100;
    blocks.of<SellFormat>().entries = blocks.of<SellFormat>().sorted_entries =
        9 * blocks.rows.nonzeros;
    blocks.of<BcsrFormat>().fill = {1.3, 1.02, 1.04, 2.8};
    EXPECT_EQ(chosen(device, blocks, {}), MatrixFormat::bcsr);
    EXPECT_EQ(chosen(device, blocks, 1.03), MatrixFormat::bcsr);
    EXPECT_EQ(std::get<BcsrOptions>(choose_format(device, blocks, 8, 1.03)).block, 3);
    EXPECT_EQ(chosen(device, blocks, 1.01), MatrixFormat::csr);
  }
  // A larger limit permits a format that the default excludes if it promises to be faster. Here the
  // rows are tiny, and CSR would mostly read offsets.
  auto tiny = rows_of(200000000, 0.05, 1, 9);
  tiny.of<SellFormat>().sorted_entries = tiny.of<SellFormat>().entries;
  tiny.of<BcsrFormat>().fill = {};
  EXPECT_EQ(format_of(choose_format(h200, tiny, 4, {})), MatrixFormat::csr);
  EXPECT_EQ(format_of(choose_format(h200, tiny, 4, 10)), MatrixFormat::sell);
}

TEST(ChooseFormat, what_the_cache_of_a_gpu_holds_stays_in_csr_but_for_blocks_and_ellpack) {
  // Matrices like those of Table I.
  for (const std::size_t scalar_bytes : {4, 8}) {
    EXPECT_EQ(choice(h200, rows_of(206500, 6.17, 44, 1.8), scalar_bytes), MatrixFormat::csr);
    EXPECT_EQ(choice(h200, rows_of(121192, 21.65, 81, 1.5), scalar_bytes), MatrixFormat::csr);
    EXPECT_EQ(choice(h200, rows_of(525825, 3.99, 4), scalar_bytes), MatrixFormat::ell);
    auto blocks = rows_of(36417, 119, 204, 1.3);
    blocks.of<BcsrFormat>().fill = {1.5, 1.02, 1.9, 3.0};
    const auto chosen = choose_format(h200, blocks, scalar_bytes);
    EXPECT_EQ(format_of(chosen), MatrixFormat::bcsr);
    EXPECT_EQ(std::get<BcsrOptions>(chosen).block, 3);
    // If rows are so few that most threads would be idle, only the smallest blocks are faster.
    auto dense = rows_of(2000, 2000, 2000);
    dense.of<BcsrFormat>().fill = {1, 1.001, 1, 1};
    const auto small_blocks = choose_format(h200, dense, scalar_bytes);
    EXPECT_EQ(format_of(small_blocks), MatrixFormat::bcsr);
    EXPECT_EQ(std::get<BcsrOptions>(small_blocks).block, 2);
    dense.of<BcsrFormat>().fill = {2, 1.001, 1, 1};
    EXPECT_EQ(choice(h200, dense, scalar_bytes), MatrixFormat::csr);
    // Few of the larger blocks are full.
    blocks.of<BcsrFormat>().fill = {1.5, 1.7, 1.9, 3.0};
    EXPECT_EQ(choice(h200, blocks, scalar_bytes), MatrixFormat::csr);
  }
  EXPECT_EQ(choice(h200, rows_of(8000, 3.99, 4)), MatrixFormat::csr) << "rows are few";
}

TEST(ChooseFormat, formats_without_a_product_of_several_vectors_are_not_chosen_for_them) {
  const auto statistics = rows_of(525825, 3.99, 4);
  EXPECT_EQ(format_of(choose_format(h200, statistics, 4)), MatrixFormat::ell);
  EXPECT_EQ(format_of(choose_format(h200, statistics, 4, {}, true)), MatrixFormat::csr);
}

TEST(ChooseFormat, few_rows_cannot_fill_a_gpu_by_a_thread_each) {
  EXPECT_EQ(choice(h200, rows_of(1000000, 30, 33)), MatrixFormat::sell);
  EXPECT_EQ(choice(h200, rows_of(50000, 30, 33)), MatrixFormat::csr);
  EXPECT_EQ(choice(wide_host, rows_of(50000, 30, 33)), MatrixFormat::sell);
}

TEST(ChooseFormat, nothing_is_csr) {
  EXPECT_EQ(choice(h200, {}), MatrixFormat::csr);
  EXPECT_EQ(choice(wide_host, {}), MatrixFormat::csr);
}

}  // namespace
