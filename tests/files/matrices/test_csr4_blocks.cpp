// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// csr4 files that are read and written in blocks of rows.
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_RowBlocks.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

HostCsrMatrix<double> example() { return matrix_battery<double>().back(); }

/// Returns rows of \p A as a separate matrix.
HostCsrMatrix<double> rows_of(const HostCsrMatrix<double>& A, RowRange rows) {
  std::vector<Entry<double>> entries;
  for (const auto& [row, column, value] : entries_of(A))
    if (row >= rows.begin && row < rows.end) entries.emplace_back(row - rows.begin, column, value);
  return make_matrix<double>(rows.end - rows.begin, A.num_cols, entries);
}

HostCsrMatrix<double> in_single_precision(const HostCsrMatrix<double>& A) {
  auto entries = entries_of(A);
  for (auto& entry : entries) std::get<2>(entry) = static_cast<float>(std::get<2>(entry));
  return make_matrix<double>(A.num_rows, A.num_cols, entries);
}

TEST(RowBlocks, hold_as_many_rows_as_fit) {
  const auto A = make_matrix<double>(
      6, 3, {{1, 0, 1}, {1, 1, 1}, {2, 0, 1}, {3, 0, 1}, {3, 1, 1}, {3, 2, 1}, {5, 0, 1}});
  using Blocks = std::vector<RowRange>;
  EXPECT_EQ(blocks_of_rows(A.row_offsets, 100), (Blocks{{0, 6}}));
  EXPECT_EQ(blocks_of_rows(A.row_offsets, 3), (Blocks{{0, 3}, {3, 5}, {5, 6}}));
  // Rows 1 and 3 are longer than a block, so each is a block of its own.
  EXPECT_EQ(blocks_of_rows(A.row_offsets, 1), (Blocks{{0, 1}, {1, 2}, {2, 3}, {3, 4}, {4, 6}}));
  EXPECT_EQ(blocks_of_rows(make_matrix<double>(0, 3, {}).row_offsets, 1), Blocks());
  EXPECT_EQ(blocks_of_rows(make_matrix<double>(4, 3, {}).row_offsets, 0), (Blocks{{0, 4}}));
}

TEST(Csr4Blocks, a_file_written_in_blocks_equals_one_written_at_once) {
  const auto A = example();
  const TemporaryFolder folder;
  write_csr4(folder / "whole.csr4", A);
  for (const Offset most : {1, 50, 100000}) {
    Csr4Writer writer(folder / "blocks.csr4", A.num_cols, A.row_offsets);
    for (const RowRange rows : blocks_of_rows(A.row_offsets, most)) {
      EXPECT_FALSE(std::filesystem::exists(folder / "blocks.csr4"));
      writer.write_rows(rows_of(A, rows));
    }
    writer.commit();
    EXPECT_EQ(read_bytes(folder / "blocks.csr4"), read_bytes(folder / "whole.csr4"));
    std::filesystem::remove(folder / "blocks.csr4");
  }
}

TEST(Csr4Blocks, rows_can_be_read_in_blocks) {
  const auto A = in_single_precision(example());
  const TemporaryFolder folder;
  write_csr4(folder / "a.csr4", A);
  const std::vector<std::vector<RowRange>> readings{
      {{0, 40}}, {{0, 7}, {7, 7}, {7, 21}, {21, 40}}, {{3, 5}, {19, 22}}, {{40, 40}}, {{39, 40}},
  };
  for (const auto& blocks : readings) {
    Csr4Reader reader(folder / "a.csr4");
    ASSERT_EQ(reader.num_rows(), A.num_rows);
    ASSERT_EQ(reader.num_cols(), A.num_cols);
    ASSERT_EQ(reader.num_nonzeros(), A.num_nonzeros());
    for (Ordinal row = 0; row <= A.num_rows; ++row)
      ASSERT_EQ(reader.row_offsets()(row), A.row_offsets(row));
    for (const RowRange rows : blocks)
      expect_same(reader.read_rows<double>(rows), rows_of(A, rows));
  }
}

TEST(Csr4Blocks, rows_are_read_once_and_in_order) {
  const TemporaryFolder folder;
  write_csr4(folder / "a.csr4", example());
  Csr4Reader reader(folder / "a.csr4");
  reader.read_rows<float>({5, 9});
  for (const RowRange rows : {RowRange{0, 5}, RowRange{8, 10}, RowRange{12, 11}, RowRange{9, 41}}) {
    const std::string message = message_of<Error>([&] { reader.read_rows<float>(rows); });
    EXPECT_NE(message.find("rows 9 to 40 (excluded) are left"), std::string::npos) << message;
  }
  EXPECT_EQ(reader.read_rows<float>({9, 40}).num_rows, 31);
}

/// Messages give rows and positions within the file, not within the block.
TEST(Csr4Blocks, wrong_entries_are_refused_with_their_position) {
  const auto A = make_matrix<double>(4, 5, {{0, 1, 1}, {2, 0, 2}, {2, 3, 3}, {3, 4, 4}});
  const TemporaryFolder folder;
  write_csr4(folder / "a.csr4", A);
  const std::string good = read_bytes(folder / "a.csr4");
  const std::size_t entries = 28 + 60 + 8 * 4;
  const auto with = [&](std::size_t entry, std::uint32_t column, float value) {
    std::string bytes = good;
    bytes.replace(entries + 8 * entry, 8, bytes_of(column) + bytes_of(value));
    write_bytes(folder / "a.csr4", bytes);
    Csr4Reader reader(folder / "a.csr4");
    EXPECT_EQ(reader.read_rows<double>({0, 2}).num_nonzeros(), 1);
    reader.read_rows<double>({2, 4});
  };
  expect_input_error([&] { with(2, 5, 1); }, "byte 136", "entry 2", "column 5");
  expect_input_error([&] { with(3, 4, NAN); }, "byte 148", "entry 3", "not finite");
  expect_input_error([&] { with(2, 0, 1); }, "byte 128", "row 2, column 0", "twice");
}

TEST(Csr4Blocks, rows_that_do_not_fit_are_not_written) {
  const auto A = example();
  const TemporaryFolder folder;
  const auto expect_refused = [&](const auto& use) {
    EXPECT_THROW(
        {
          Csr4Writer writer(folder / "a.csr4", A.num_cols, A.row_offsets);
          use(writer);
        },
        Error);
    EXPECT_EQ(folder.count(), 0U);
  };
  expect_refused([&](Csr4Writer& writer) { writer.write_rows(rows_of(A, {1, 3})); });
  expect_refused([&](Csr4Writer& writer) { writer.write_rows(make_matrix<double>(1, 89, {})); });
  expect_refused([&](Csr4Writer& writer) {
    writer.write_rows(A);
    writer.write_rows(rows_of(A, {0, 1}));
  });
  expect_refused([&](Csr4Writer& writer) {
    writer.write_rows(rows_of(A, {0, 39}));
    writer.commit();
  });
  expect_refused([&](Csr4Writer& writer) {
    auto entries = entries_of(A);
    std::get<2>(entries.back()) = 1e39;
    writer.write_rows(make_matrix<double>(A.num_rows, A.num_cols, entries));
  });
  // A writer without rows and without commit reports no error and leaves no file.
  { const Csr4Writer writer(folder / "a.csr4", A.num_cols, A.row_offsets); }
  EXPECT_EQ(folder.count(), 0U);
  Kokkos::View<Offset*, Kokkos::HostSpace> falling("falling", 3);
  falling(1) = 2;
  falling(2) = 1;
  EXPECT_THROW(Csr4Writer(folder / "a.csr4", 3, falling), Error);
  EXPECT_EQ(folder.count(), 0U);
}

TEST(Csr4Blocks, scanners_are_described_in_the_terms_of_the_format) {
  const Csr4Scanner scanner = describe_scanner(make_scanner(ScannerKind::madpet2_large),
                                               make_scanner_volume(ScannerKind::madpet2_large));
  ASSERT_EQ(scanner.layers.size(), 2U);
  EXPECT_EQ(scanner.layers[1], (std::array<float, 5>{2.8F, 2.2F, 8.0F, 53.5F, 0.0F}));
  EXPECT_EQ(scanner.blocks, 18U);
  EXPECT_EQ(scanner.block_size, 4U);
  ASSERT_EQ(scanner.block_gaps.size(), 3U);
  EXPECT_NEAR(scanner.block_gaps[2], 0.2, 1e-6);
  EXPECT_EQ(scanner.rings, 16U);
  ASSERT_EQ(scanner.ring_gaps.size(), 15U);
  EXPECT_NEAR(scanner.ring_gaps[6], 0.2, 1e-6);
  EXPECT_NEAR(scanner.ring_gaps[7], 20 - 7 * 2.4 - 2.2, 1e-5);
  EXPECT_EQ(scanner.voxel_size, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
  EXPECT_EQ(scanner.grid, (std::array<std::uint32_t, 3>{180, 180, 80}));
  const TemporaryFolder folder;
  write_csr4(folder / "a.csr4", make_matrix<float>(1, 1, {}), scanner);
  EXPECT_EQ(read_csr4<float>(folder / "a.csr4").scanner, scanner);
}

}  // namespace
