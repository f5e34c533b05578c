// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a matrix file, read in any order, equal the rows of the whole matrix in that order.
#include <Tomokkos_CsrMapped.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_RankRows.hpp>
#include <numeric>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using Host = TOMOKKOS_HOST_SPACE;
using HostMap = IndexMap<Kokkos::HostSpace>;

constexpr Ordinal num_rows = 300, num_cols = 2000;

/// Matrix with rows of 0 to 799 entries, about a megabyte as csr4.
HostCsrMatrix<float> example() {
  std::vector<Entry<float>> entries;
  for (Ordinal i = 0; i < num_rows; ++i)
    for (Ordinal k = 0; k < i * 37 % 800; ++k)
      entries.emplace_back(i, 2 * k + i % 2, static_cast<float>(i + 1) / static_cast<float>(k + 1));
  return make_matrix<float>(num_rows, num_cols, entries);
}

/// Returns first, first + step, ... below end.
std::vector<Ordinal> steps(Ordinal first, Ordinal end, Ordinal step) {
  std::vector<Ordinal> result;
  for (Ordinal i = first; i < end; i += step) result.push_back(i);
  return result;
}

std::vector<Ordinal> joined(std::vector<Ordinal> first, const std::vector<Ordinal>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// Returns 0, ..., n - 1 in random order.
std::vector<Ordinal> shuffled(Ordinal n) {
  std::vector<Ordinal> result = steps(0, n, 1);
  std::shuffle(result.begin(), result.end(), std::mt19937(3));
  return result;
}

TEST(RankMatrixFile, rows_in_any_order_equal_those_of_the_whole) {
  const TemporaryFolder folder;
  const auto A = example();
  const Host exec;
  const std::vector<std::vector<Ordinal>> orders{{},
                                                 steps(0, num_rows, 1),
                                                 steps(40, 90, 1),
                                                 {num_rows - 1},
                                                 steps(1, num_rows, 50),  // far apart
                                                 joined(steps(200, 260, 2), steps(201, 260, 2)),
                                                 joined(steps(250, 290, 1), steps(0, 30, 1)),
                                                 shuffled(num_rows)};
  const std::vector<std::optional<HostMap>> columns{
      std::nullopt, make_index_map(exec, num_cols, shuffled(num_cols)),
      make_index_map(exec, num_cols, steps(1, num_cols, 2))};
  for (const char* name : {"a.csr4", "a.npz", "a.mtx"}) {
    write_matrix(folder / name, A);
    for (const auto& order : orders)
      for (const auto& map : columns) {
        const HostMap rows = make_index_map(exec, num_rows, order);
        RankMatrixFile<float> file(folder / name);
        ASSERT_EQ(file.num_rows(), num_rows);
        ASSERT_EQ(file.num_cols(), num_cols);
        for (Ordinal i = 0; i <= num_rows; ++i) ASSERT_EQ(file.row_offsets()(i), A.row_offsets(i));
        expect_same(
            file.read(rows, map),
            csr_mapped<Host, float>(exec, A, rows, map ? *map : identity_map(exec, num_cols)));
      }
  }
}

// Blocks end in the middle of a run, within a gap, and at a row that is longer than a block.
TEST(RankMatrixFile, blocks_of_any_length_give_the_same_rows) {
  const TemporaryFolder folder;
  const auto A = example();
  write_matrix(folder / "a.csr4", A);
  const Host exec;
  for (const Offset most : {0, 1, 500, 799, 1000, 20000})
    for (const auto& order : {steps(0, num_rows, 1), steps(0, num_rows, 3), shuffled(num_rows)}) {
      const HostMap rows = make_index_map(exec, num_rows, order);
      RankMatrixFile<float> file(folder / "a.csr4", most);
      expect_same(file.read(rows, std::nullopt),
                  csr_mapped<Host, float>(exec, A, rows, identity_map(exec, num_cols)));
    }
}

TEST(RankMatrixFile, distant_rows_of_csr4_are_not_read) {
  const TemporaryFolder folder;
  const auto A = example();
  write_matrix(folder / "a.csr4", A);
  // Put a column outside the matrix into row 150, so that reading this row fails.
  std::string bytes = read_bytes(folder / "a.csr4");
  const auto after = static_cast<std::size_t>(8 * (A.num_nonzeros() - A.row_offsets(150)));
  bytes.replace(bytes.size() - after, 4, bytes_of(std::uint32_t{num_cols}));
  write_bytes(folder / "a.csr4", bytes);
  const auto read = [&](const std::vector<Ordinal>& order) {
    return RankMatrixFile<float>(folder / "a.csr4")
        .read(make_index_map(Host(), num_rows, order), std::nullopt);
  };
  EXPECT_EQ(read(joined(steps(280, 300, 1), steps(0, 20, 1))).num_rows, 40);
  expect_input_error([&] { read(steps(140, 160, 1)); }, "entry", "column 2000");
}

}  // namespace
