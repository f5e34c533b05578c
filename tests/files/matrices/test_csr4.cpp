// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_HostMemory.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

Csr4Scanner example_scanner() {
  Csr4Scanner scanner;
  scanner.layers = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
  scanner.blocks = 18;
  scanner.block_size = 4;
  scanner.block_gaps = {0.1f, 0.2f, 0.3f};
  scanner.rings = 3;
  scanner.ring_gaps = {0.5f, 0.6f};
  scanner.voxel_size = {0.5f, 0.25f, 2.0f};
  scanner.grid = {3, 1, 1};
  return scanner;
}

/// Parts of a file, each of which a test can replace with a wrong one. The matrix is 2 x 3:
/// (0, 1) = 5, (1, 0) = 6, (1, 2) = 7.
struct Parts {
  std::string magic = "PCSR";
  std::uint8_t version = 4;
  std::uint8_t flags = 0;
  std::uint32_t rows = 2;
  std::uint32_t columns = 3;
  std::uint64_t nnz = 3;
  std::string scanner = default_scanner();
  std::vector<std::uint64_t> ends{1, 3};
  std::vector<std::pair<std::uint32_t, float>> entries{{1, 5.0f}, {0, 6.0f}, {2, 7.0f}};
  std::string rest;

  static std::string default_scanner(std::uint32_t layers = 1) {
    return bytes_of(layers) + std::string(56, '\0');
  }
  std::string bytes() const {
    std::string text = magic + bytes_of(version) + bytes_of(flags) + std::string(2, '\0') +
                       bytes_of(rows) + bytes_of(columns) + bytes_of(nnz) +
                       bytes_of(static_cast<std::uint32_t>(scanner.size())) + scanner;
    for (std::uint64_t end : ends) text += bytes_of(end);
    for (const auto& [column, value] : entries) text += bytes_of(column) + bytes_of(value);
    return text + rest;
  }
};

Csr4Matrix<double> parse(const Parts& parts, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.csr4", parts.bytes());
  return read_csr4<double>(folder / "a.csr4", options);
}

template <class... Pieces>
void refuse(const Parts& parts, const Pieces&... pieces) {
  expect_input_error([&] { parse(parts); }, "a.csr4: byte ", pieces...);
}

HostCsrMatrix<double> example() {
  return make_matrix<double>(2, 3, {{0, 1, 5}, {1, 0, 6}, {1, 2, 7}});
}

TEST(Csr4, files_follow_the_description_of_the_format) {
  const Parts parts;
  const auto read = parse(parts);
  expect_same(read.matrix, example());
  EXPECT_EQ(read.scanner, Csr4Scanner());
  const TemporaryFolder folder;
  write_csr4(folder / "a.csr4", example());
  EXPECT_EQ(read_bytes(folder / "a.csr4"), parts.bytes());
}

template <class Scalar>
class Csr4RoundTrip : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Csr4RoundTrip, Scalars);

TYPED_TEST(Csr4RoundTrip, matrices_come_back_in_single_precision) {
  const TemporaryFolder folder;
  // All values of the battery are within the range of single precision.
  for (const auto& A : matrix_battery<TypeParam>()) {
    write_csr4(folder / "a.csr4", A, example_scanner());
    const auto read = read_csr4<TypeParam>(folder / "a.csr4");
    EXPECT_EQ(read.scanner, example_scanner());
    auto rounded = entries_of(A);
    for (auto& entry : rounded) {
      std::get<2>(entry) = static_cast<TypeParam>(static_cast<float>(std::get<2>(entry)));
    }
    expect_same(read.matrix, make_matrix<TypeParam>(A.num_rows, A.num_cols, rounded));
  }
}

TEST(Csr4, offsets_need_not_be_aligned) {
  // The description has 64 bytes with 2 rings and 68 with 3, so the offsets begin at 4 and at 0
  // modulo 8.
  for (const std::uint32_t rings : {2u, 3u}) {
    Csr4Scanner scanner;
    scanner.rings = rings;
    scanner.ring_gaps.assign(rings - 1, 1.5f);
    const TemporaryFolder folder;
    write_csr4(folder / "a.csr4", example(), scanner);
    const auto read = read_csr4<double>(folder / "a.csr4");
    expect_same(read.matrix, example());
    EXPECT_EQ(read.scanner, scanner);
  }
}

TEST(Csr4, rows_are_sorted_and_duplicates_refused) {
  Parts parts;
  parts.entries = {{1, 5.0f}, {2, 7.0f}, {0, 6.0f}};
  expect_same(parse(parts).matrix, example());
  parts.entries = {{1, 5.0f}, {2, 7.0f}, {2, 6.0f}};
  // The row begins after 28 + 60 + 16 + 8 bytes.
  refuse(parts, "byte 112", "row 1, column 2", "twice");
  ReadOptions options;
  options.duplicates = DuplicatePolicy::sum;
  expect_same(parse(parts, options).matrix, make_matrix<double>(2, 3, {{0, 1, 5}, {1, 2, 13}}));
}

TEST(Csr4, wrong_headers_are_refused) {
  const auto with = [](auto change) {
    Parts parts;
    change(parts);
    return parts;
  };
  refuse(with([](Parts& p) { p.magic = "PCSX"; }), "byte 0", "PCSR");
  refuse(with([](Parts& p) { p.version = 3; }), "byte 4", "version 3");
  refuse(with([](Parts& p) { p.flags = 1; }), "byte 5", "mirror symmetry in x:");
  refuse(with([](Parts& p) { p.flags = 6; }), "byte 5", "mirror symmetry in y, z:");
  refuse(with([](Parts& p) { p.flags = 7; }), "byte 5", "mirror symmetry in x, y, z:");
  refuse(with([](Parts& p) { p.flags = 8; }), "byte 5", "unknown flags 8");
  refuse(with([](Parts& p) { p.rows = 1u << 31; }), "byte 8", "2147483648 rows");
  refuse(with([](Parts& p) { p.columns = 4294967295u; }), "byte 12", "4294967295 columns");
  refuse(with([](Parts& p) { p.nnz = 4; }), "byte 16", "need 136 bytes, but the file has 128");
  refuse(with([](Parts& p) { p.nnz = (1ull << 61) + 3; }), "byte 16", "more than 2^64");
  refuse(with([](Parts& p) { p.nnz = (1ull << 61) - 1; }), "byte 16", "more than 2^64");
  refuse(with([](Parts& p) { p.rows = 2147483647; }), "byte 16", "the file has 128");
  refuse(with([](Parts& p) { p.rest = "x"; }), "byte 16", "the file has 129");
  refuse(with([](Parts& p) { p.rows = 0, p.ends = {}; }), "entries without rows");
}

TEST(Csr4, wrong_scanners_are_refused) {
  const auto with = [](const std::string& scanner) {
    Parts parts;
    parts.scanner = scanner;
    return parts;
  };
  refuse(with(std::string(59, '\0')), "byte 24", "59 bytes");
  refuse(with(Parts::default_scanner(2)), "scanner's description needs");
  refuse(with(Parts::default_scanner(0xffffffff)), "scanner's description needs");
  refuse(with(Parts::default_scanner(1) + "abcd"), "4 bytes", "left over");
  refuse(with(bytes_of(1u) + std::string(24, '\0') + bytes_of(0xffffffffu) + std::string(28, '\0')),
         "scanner's description needs");
}

TEST(Csr4, wrong_offsets_columns_and_values_are_refused) {
  const auto with = [](auto change) {
    Parts parts;
    change(parts);
    return parts;
  };
  refuse(with([](Parts& p) { p.ends = {2, 1}; }), "byte 96", "row 1", "ends at entry 1");
  refuse(with([](Parts& p) { p.ends = {4, 3}; }), "byte 88", "row 0", "ends at entry 4");
  refuse(with([](Parts& p) { p.ends = {1, 2}; }), "byte 96", "row 1", "there are 3 entries");
  refuse(with([](Parts& p) { p.ends = {1ull << 63, 3}; }), "byte 88", "row 0");
  refuse(with([](Parts& p) { p.entries[1].first = 3; }), "byte 112", "entry 1", "column 3");
  refuse(with([](Parts& p) { p.entries[1].first = 1u << 31; }), "column 2147483648");
  refuse(with([](Parts& p) { p.entries[2].second = NAN; }), "byte 124", "entry 2", "not finite");
  Parts parts;
  parts.entries[2].second = NAN;
  ReadOptions options;
  options.allow_non_finite = true;
  EXPECT_TRUE(std::isnan(parse(parts, options).matrix.values(2)));
}

TEST(Csr4, every_truncation_is_refused) {
  const TemporaryFolder folder;
  const auto read = [](const auto& path) { read_csr4<float>(path); };
  const std::string bytes = Parts().bytes();
  expect_every_truncation_refused(folder / "a.csr4", bytes, read);
  expect_no_crash_on_changed_bytes(folder / "a.csr4", bytes, read);
}

TEST(Csr4, matrices_larger_than_memory_are_refused) {
  const TemporaryFolder folder;
  Parts parts;
  parts.rows = 1;
  // An entry takes 12 bytes in memory and 8 in the file.
  parts.nnz = available_host_memory() / 4;
  parts.ends = {parts.nnz};
  parts.entries = {};
  const std::string begin = parts.bytes();
  write_sparse(folder / "a.csr4", begin, begin.size() + 8 * parts.nnz);
  expect_memory_error([&] { read_csr4<double>(folder / "a.csr4"); }, "a.csr4", 12 * parts.nnz + 16);
}

TEST(Csr4, values_and_scanners_that_do_not_fit_are_not_written) {
  const TemporaryFolder folder;
  const auto large = make_matrix<double>(1, 1, {{0, 0, 1e39}});
  EXPECT_NE(message_of<OutputError>([&] {
              write_csr4(folder / "a.csr4", large);
            }).find("single precision"),
            std::string::npos);
  Csr4Scanner scanner;
  scanner.rings = 3;
  EXPECT_NE(message_of<OutputError>([&] {
              write_csr4(folder / "a.csr4", example(), scanner);
            }).find("rings - 1 gaps"),
            std::string::npos);
  EXPECT_EQ(folder.count(), 0u);
}

}  // namespace
