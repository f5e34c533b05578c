// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdint>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <impl/Tomokkos_ZipArchive.hpp>
#include <vector>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// A member of more than 4 GB requires the zip64 format. The test writes the same block repeatedly,
// so it needs little memory and little disk space.
TEST(NpzLarge, members_beyond_four_gigabytes_come_back) {
  constexpr std::size_t block = std::size_t{1} << 24;
  constexpr std::size_t blocks = 257;
  std::vector<std::uint8_t> bytes(block);
  for (std::size_t k = 0; k < block; ++k) bytes[k] = static_cast<std::uint8_t>(k >> 16);
  const std::string header = Impl::npy_header_text("|u1", {block * blocks});
  Impl::ZipMember member{"data.npy", {std::as_bytes(std::span(header))}};
  for (std::size_t n = 0; n < blocks; ++n) member.parts.push_back(std::as_bytes(std::span(bytes)));
  const TemporaryFolder folder;
  Impl::write_zip(folder / "a.npz", any_output, {member}, true);

  const Impl::ZipReader archive(folder / "a.npz");
  const auto source = archive.open("data.npy");
  ASSERT_EQ(source->size(), header.size() + block * blocks);
  const auto read = Impl::read_npy_header(*source);
  EXPECT_EQ(read.count, block * blocks);
  std::vector<std::uint8_t> part(block);
  for (std::size_t n = 0; n < blocks; ++n) {
    source->read_exactly(part.data(), block, "a block");
    ASSERT_EQ(part, bytes) << "block " << n;
  }
  source->expect_end();
}

}  // namespace
