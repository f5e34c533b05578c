// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives that contain arrays and texts.
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(NpzArchive, arrays_and_texts_come_back) {
  const TemporaryFolder folder;
  const std::vector<float> image{1, -2.5F, std::numeric_limits<float>::infinity(), 0, 1e-40F, 6};
  const std::vector<double> table{0.1, 1e300};
  std::string bytes = "a: 1\n";
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  write_npz(folder / "a.npz",
            {{"image", {2, 3}, image},
             {"table", {2, 1}, table},
             {"none", {0, 4}, std::span<const double>()}},
            {{"state.yaml", bytes}, {"empty", ""}});
  ReadOptions options;
  options.allow_non_finite = true;
  const auto read = read_npz_array<float>(folder / "a.npz", "image", options);
  EXPECT_EQ(read.data, image);
  EXPECT_EQ(read.shape, (std::vector<std::size_t>{2, 3}));
  EXPECT_EQ(read_npz_array<double>(folder / "a.npz", "table").data, table);
  EXPECT_EQ(read_npz_array<double>(folder / "a.npz", "none").shape,
            (std::vector<std::size_t>{0, 4}));
  EXPECT_EQ(read_npz_text(folder / "a.npz", "state.yaml"), bytes);
  EXPECT_EQ(read_npz_text(folder / "a.npz", "empty"), "");
  EXPECT_EQ(npz_array_names(folder / "a.npz"),
            (std::vector<std::string>{"image", "table", "none"}));
  // Equal content gives equal bytes.
  write_npz(folder / "b.npz", {{"table", {2, 1}, table}});
  write_npz(folder / "c.npz", {{"table", {2, 1}, table}});
  EXPECT_EQ(read_bytes(folder / "b.npz"), read_bytes(folder / "c.npz"));
}

TEST(NpzArchive, missing_and_damaged_texts_are_refused) {
  const TemporaryFolder folder;
  write_npz(folder / "a.npz", {}, {{"text", "some words of a text"}});
  EXPECT_THROW(read_npz_text(folder / "a.npz", "other"), InputError);
  EXPECT_THROW(read_npz_text(folder / "b.npz", "text"), InputError);
  std::string whole = read_bytes(folder / "a.npz");
  whole[whole.find("words")] ^= 1;
  write_bytes(folder / "a.npz", whole);
  try {
    read_npz_text(folder / "a.npz", "text");
    FAIL() << "a damaged text was read";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("a.npz(text)"), std::string::npos) << error.what();
  }
  EXPECT_THROW(write_npz(folder / "nowhere/a.npz", {}, {{"text", ""}}), OutputError);
}

}  // namespace
