// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_RawFile.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(RawFile, numbers_come_back) {
  const TemporaryFolder folder;
  const std::vector<std::int32_t> counts{0, -5, 2147483647};
  write_raw<std::int32_t>(folder / "a", counts);
  EXPECT_EQ(std::filesystem::file_size(folder / "a"), 12u);
  EXPECT_EQ(read_raw<std::int32_t>(folder / "a", 3, "rows"), counts);
  const std::vector<float> image{0.5f, -1e-40f};
  write_raw<float>(folder / "b", image);
  EXPECT_EQ(read_raw<float>(folder / "b", 2, "columns"), image);
  write_raw<float>(folder / "c", std::span<const float>());
  EXPECT_TRUE(read_raw<float>(folder / "c", 0, "columns").empty());
}

TEST(RawFile, files_of_another_length_are_refused_with_both_lengths) {
  const TemporaryFolder folder;
  write_bytes(folder / "a", std::string(12, '\0'));
  const auto read = [&](std::size_t length) {
    return [&folder, length] { read_raw<float>(folder / "a", length, "rows of the matrix"); };
  };
  expect_input_error(read(4), "12 bytes", "3 values", "rows of the matrix is 4");
  expect_input_error(read(2), "is 2");
  expect_input_error(read((std::size_t{1} << 62) + 3), "is 4611686018427387907");
  write_bytes(folder / "a", std::string(13, '\0'));
  expect_input_error(read(3), "13 bytes");
}

TEST(RawFile, non_finite_values_are_refused_unless_allowed) {
  const TemporaryFolder folder;
  const std::vector<float> x{1, std::numeric_limits<float>::infinity()};
  write_raw<float>(folder / "a", x);
  expect_input_error([&] { read_raw<float>(folder / "a", 2, "n"); }, "byte 4", "value 1");
  ReadOptions options;
  options.allow_non_finite = true;
  EXPECT_EQ(read_raw<float>(folder / "a", 2, "n", options), x);
}

}  // namespace
