// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// csr4 files with more than 2^32 nonzeros. Their 34 GB are never stored: the tests generate them
// while reading and compare them while writing.
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_InputFile.hpp>
#include <impl/Tomokkos_ByteSink.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// Each row has 2^16 entries, and there are 16 rows more than 2^32 entries need. Entry k has column
// k modulo 2^16 and value k modulo 2^20, so all blocks of 16 rows are equal.
constexpr std::uint64_t row_length = 1 << 16;
constexpr std::uint64_t block_length = 1 << 20;
constexpr Ordinal block_rows = 16;
constexpr Ordinal num_rows = (1 << 16) + block_rows;
constexpr std::uint64_t num_nonzeros = num_rows * row_length;
static_assert(num_nonzeros > std::uint64_t{1} << 32);
constexpr std::uint64_t before_entries = 28 + 60 + 8 * std::uint64_t{num_rows};

struct Entry8 {
  std::uint32_t column;
  float value;
};

Entry8 entry(std::uint64_t k) {
  return {static_cast<std::uint32_t>(k % row_length), static_cast<float>(k % block_length)};
}

/// Bytes of the file before the entries.
std::string beginning() {
  std::string bytes =
      "PCSR" + std::string{4, '\0', '\0', '\0'} + bytes_of(static_cast<std::uint32_t>(num_rows)) +
      bytes_of(static_cast<std::uint32_t>(row_length)) + bytes_of(num_nonzeros) +
      bytes_of(std::uint32_t{60}) + bytes_of(std::uint32_t{1}) + std::string(56, '\0');
  for (std::uint64_t row = 1; row <= num_rows; ++row) bytes += bytes_of(row * row_length);
  return bytes;
}

/// Generates the bytes of the file on demand. One entry may have a wrong column.
class GeneratedFile final : public Impl::ByteSource {
 public:
  explicit GeneratedFile(std::uint64_t wrong_entry = num_nonzeros)
      : ByteSource("generated.csr4", before_entries + 8 * num_nonzeros),
        beginning_(beginning()),
        wrong_entry_(wrong_entry) {}

 protected:
  std::size_t read_some(void* buffer, std::size_t bytes) override {
    auto* target = static_cast<char*>(buffer);
    std::size_t done = 0;
    for (; done < bytes && at_ < size(); ++done, ++at_) {
      if (at_ < before_entries) {
        target[done] = beginning_[static_cast<std::size_t>(at_)];
        continue;
      }
      const std::uint64_t k = (at_ - before_entries) / 8;
      Entry8 here = entry(k);
      if (k == wrong_entry_) here.column = row_length;
      std::memcpy(target + done, reinterpret_cast<const char*>(&here) + (at_ - before_entries) % 8,
                  1);
    }
    return done;
  }
  void skip_some(std::uint64_t bytes) override { at_ += bytes; }

 private:
  std::string beginning_;
  std::uint64_t wrong_entry_;
  std::uint64_t at_ = 0;
};

/// Compares written bytes with those of the generated file.
class ComparingSink final : public Impl::ByteSink {
 public:
  struct Result {
    std::uint64_t bytes = 0;
    std::uint64_t wrong = 0;
    bool committed = false;
  };
  explicit ComparingSink(Result& result) : result_(result), beginning_(beginning()) {}

  void write(const void* data, std::size_t bytes) override {
    const auto* source = static_cast<const char*>(data);
    if (result_.bytes < before_entries) {
      const auto at = static_cast<std::size_t>(result_.bytes);
      if (beginning_.compare(at, bytes, source, bytes) != 0) ++result_.wrong;
    } else {
      for (std::size_t i = 0; i < bytes / 8; ++i) {
        Entry8 written;
        std::memcpy(&written, source + 8 * i, 8);
        const Entry8 expected = entry((result_.bytes - before_entries) / 8 + i);
        if (written.column != expected.column || written.value != expected.value) ++result_.wrong;
      }
      if (bytes % 8 != 0) ++result_.wrong;
    }
    result_.bytes += bytes;
  }
  void commit() override { result_.committed = true; }

 private:
  Result& result_;
  std::string beginning_;
};

TEST(Csr4Large, rows_beyond_two_to_the_32_are_read) {
  Csr4Reader reader(std::make_unique<GeneratedFile>());
  EXPECT_EQ(reader.num_nonzeros(), static_cast<Offset>(num_nonzeros));
  // Read the first rows, rows around 2^31 and 2^32 entries, and the last row.
  for (const Ordinal row : {0, (1 << 15) - 1, (1 << 16) - 1, num_rows - 1}) {
    const RowRange rows{row, std::min(row + 2, num_rows)};
    const auto A = reader.read_rows<float>(rows);
    ASSERT_EQ(A.num_nonzeros(), static_cast<Offset>(row_length) * (rows.end - rows.begin));
    for (Offset k = 0; k < A.num_nonzeros(); ++k) {
      const Entry8 expected = entry(row * row_length + static_cast<std::uint64_t>(k));
      ASSERT_EQ(static_cast<std::uint32_t>(A.columns(k)), expected.column) << "row " << row;
      ASSERT_EQ(A.values(k), expected.value) << "row " << row;
    }
  }
}

TEST(Csr4Large, messages_give_positions_beyond_two_to_the_32) {
  constexpr std::uint64_t wrong = (std::uint64_t{1} << 32) + 7;
  Csr4Reader reader(std::make_unique<GeneratedFile>(wrong));
  expect_input_error(
      [&] {
        reader.read_rows<float>({1 << 16, num_rows});
      },
      "generated.csr4: byte " + std::to_string(before_entries + 8 * wrong), "entry 4294967303",
      "column 65536");
}

TEST(Csr4Large, rows_beyond_two_to_the_32_are_written) {
  Kokkos::View<Offset*, Kokkos::HostSpace> offsets("offsets", num_rows + 1);
  for (Ordinal row = 0; row <= num_rows; ++row)
    offsets(row) = row * static_cast<Offset>(row_length);
  Kokkos::View<Ordinal*, Kokkos::HostSpace> columns("columns", block_length);
  Kokkos::View<float*, Kokkos::HostSpace> values("values", block_length);
  for (std::uint64_t k = 0; k < block_length; ++k) {
    columns(k) = static_cast<Ordinal>(entry(k).column);
    values(k) = entry(k).value;
  }
  const HostCsrMatrix<float> block{block_rows, static_cast<Ordinal>(row_length),
                                   Kokkos::subview(offsets, std::make_pair(0, block_rows + 1)),
                                   columns, values};
  ComparingSink::Result result;
  Csr4Writer writer(std::make_unique<ComparingSink>(result), "compared.csr4", block.num_cols,
                    offsets);
  for (Ordinal row = 0; row < num_rows; row += block_rows) writer.write_rows(block);
  writer.commit();
  EXPECT_EQ(result.bytes, before_entries + 8 * num_nonzeros);
  EXPECT_EQ(result.wrong, 0U);
  EXPECT_TRUE(result.committed);
}

}  // namespace
