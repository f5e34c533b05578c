// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_MatrixFile.hpp>

#include "FileTesting.hpp"
#include "GzipTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class Scalar>
class MatrixFileTest : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixFileTest, Scalars);

TYPED_TEST(MatrixFileTest, matrices_come_back_with_every_extension) {
  const TemporaryFolder folder;
  const auto A = make_matrix<TypeParam>(2, 3, {{0, 1, TypeParam(0.5)}, {1, 2, -3}});
  for (const char* name : {"a.mtx", "a.mm", "a.npz", "a.csr4", "A.MTX", "A.NpZ", "b.c.CSR4"}) {
    SCOPED_TRACE(name);
    write_matrix(folder / name, A);
    expect_same(read_matrix<TypeParam>(folder / name), A);
    expect_same(read_matrix<double>(folder / name), A);
  }
  EXPECT_EQ(matrix_file_precision(folder / "a.mtx"), FilePrecision::float64);
  EXPECT_EQ(matrix_file_precision(folder / "a.csr4"), FilePrecision::float32);
  EXPECT_EQ(matrix_file_precision(folder / "a.npz"),
            sizeof(TypeParam) == 4 ? FilePrecision::float32 : FilePrecision::float64);
}

TYPED_TEST(MatrixFileTest, vectors_come_back) {
  const TemporaryFolder folder;
  const std::vector<TypeParam> x{1, TypeParam(0.1), 0};
  for (const char* name : {"x.npy", "x.mtx", "x.mm", "X.NPY"}) {
    write_vector<TypeParam>(folder / name, x);
    EXPECT_EQ(read_vector<TypeParam>(folder / name), x);
  }
}

TEST(MatrixFile, options_reach_the_readers) {
  const TemporaryFolder folder;
  const auto A = make_matrix<float>(1, 2, {{0, 0, NAN}, {0, 1, 2}});
  ReadOptions options;
  options.allow_non_finite = true;
  for (const char* name : {"a.mtx", "a.npz", "a.csr4"}) {
    SCOPED_TRACE(name);
    write_matrix(folder / name, A);
    expect_input_error([&] { read_matrix<float>(folder / name); }, name, "not finite");
    EXPECT_EQ(read_matrix<float>(folder / name, options).values(1), 2);
  }
}

TEST(MatrixFile, csr4_files_of_any_matrix_describe_a_grid) {
  const TemporaryFolder folder;
  write_matrix(folder / "a.csr4", make_matrix<float>(1, 7, {}));
  EXPECT_EQ(read_csr4<float>(folder / "a.csr4").scanner.grid,
            (std::array<std::uint32_t, 3>{7, 1, 1}));
}

TEST(MatrixFile, other_extensions_are_refused_with_the_allowed_ones) {
  const TemporaryFolder folder;
  expect_input_error([] { read_matrix<float>("a.txt"); }, "a.txt", "'.txt'",
                     ".mtx, .mtx.gz, .tar.gz, .npz, .csr4");
  expect_input_error([] { read_matrix<float>("matrix"); }, ".npz, .csr4");
  expect_input_error([] { read_matrix<float>("a.csr4.gz"); }, ".npz, .csr4");
  expect_input_error([] { matrix_file_precision("a.h5"); }, ".npz, .csr4");
  expect_input_error([] { read_vector<float>("a.npz"); }, ".npy, .mtx");
  expect_input_error([] { read_vector<float>("a.tar.gz"); }, ".npy, .mtx");
  EXPECT_THROW(write_matrix(folder / "a.txt", make_matrix<float>(1, 1, {})), OutputError);
  for (const char* packed : {"a.mtx.gz", "a.tar.gz"})
    EXPECT_THROW(write_matrix(folder / packed, make_matrix<float>(1, 1, {})), OutputError);
  EXPECT_THROW(write_vector<float>(folder / "a.mtx.gz", std::span<const float>()), OutputError);
  EXPECT_THROW(write_vector<float>(folder / "a.txt", std::span<const float>()), OutputError);
  EXPECT_EQ(folder.count(), 0u);
}

const std::string small_text =
    "%%MatrixMarket matrix coordinate real general\n2 3 2\n1 2 0.5\n2 3 -3\n";

TEST(MatrixFile, gzip_files_are_read_like_their_content) {
  const TemporaryFolder folder;
  const auto path = folder / "a.mtx.gz";
  const auto A = make_matrix<double>(2, 3, {{0, 1, 0.5}, {1, 2, -3}});
  const auto read = [&] { read_matrix<double>(path); };
  const std::string packed = gzip(small_text);
  write_bytes(path, packed);
  expect_same(read_matrix<double>(path), A);
  EXPECT_EQ(matrix_file_precision(path), FilePrecision::float64);
  // Parallel compressors write several pieces, and tapes pad a file with zeros.
  write_bytes(
      path, gzip(small_text.substr(0, 50)) + gzip(small_text.substr(50)) + std::string(512, '\0'));
  expect_same(read_matrix<double>(path), A);
  write_bytes(folder / "x.MM.GZ", gzip("%%MatrixMarket matrix array real general\n2 1\n1\n-2\n"));
  EXPECT_EQ(read_vector<double>(folder / "x.MM.GZ"), (std::vector<double>{1, -2}));
  // Errors give the line within the text.
  write_bytes(path, gzip(small_text + "\n1 1 1\n"));
  expect_input_error(read, "a.mtx.gz:6: unexpected text");
  expect_every_truncation_refused(path, packed, [](const auto& file) { read_matrix<float>(file); });
  std::string damaged = packed;
  damaged[damaged.size() - 8] ^= 1;
  write_bytes(path, damaged);
  expect_input_error(read, "a.mtx.gz: damaged: incorrect data check");
  write_bytes(path, packed + "more");
  expect_input_error(read, "a.mtx.gz: damaged: there are bytes after");
  write_bytes(path, small_text);
  expect_input_error(read, "a.mtx.gz: damaged: incorrect header");
}

TEST(MatrixFile, files_that_unpack_to_too_many_bytes_are_refused) {
  const TemporaryFolder folder;
  // The lines are shorter than the limit of the reader.
  const std::string lines = gzip([] {
    std::string text;
    for (int i = 0; i < 16; ++i) text += std::string(65535, '%') + "\n";
    return text;
  }());
  std::string packed = gzip(small_text);
  for (int i = 0; i < 257; ++i) packed += lines;
  write_bytes(folder / "a.mtx.gz", packed);
  expect_input_error([&] { read_matrix<double>(folder / "a.mtx.gz"); },
                     "a.mtx.gz: unpacks to more than 268435456 bytes",
                     std::to_string(packed.size()) + " bytes of the file");
  // The file cannot hold that many entries, whatever their values.
  write_bytes(folder / "b.mtx.gz",
              gzip("%%MatrixMarket matrix coordinate real general\n9 9 99999999\n"));
  expect_input_error([&] { read_matrix<double>(folder / "b.mtx.gz"); },
                     "b.mtx.gz:2: the header gives 99999999 entries");
}

/// Bytes of a member of a tar archive.
std::string tar_member(const std::string& name, const std::string& content, char type = '0') {
  std::string header(512, '\0');
  const auto put = [&](std::size_t place, const std::string& text) {
    header.replace(place, text.size(), text);
  };
  const auto octal = [](std::size_t number, int digits) {
    std::string text(static_cast<std::size_t>(digits), '0');
    for (int i = digits - 1; i >= 0; --i, number /= 8)
      text[static_cast<std::size_t>(i)] = static_cast<char>('0' + number % 8);
    return text;
  };
  put(0, name);
  put(100, "0000644");
  put(108, "0000000");
  put(116, "0000000");
  put(124, octal(content.size(), 11));
  put(136, octal(0, 11));
  put(148, "        ");
  header[156] = type;
  put(257, "ustar");
  put(263, "00");
  std::size_t sum = 0;
  for (const char c : header) sum += static_cast<unsigned char>(c);
  put(148, octal(sum, 6) + '\0');
  return header + content + std::string((512 - content.size() % 512) % 512, '\0');
}

TEST(MatrixFile, archives_give_the_matrix_named_after_its_folder) {
  const TemporaryFolder folder;
  const auto path = folder / "renamed.tar.gz";
  const std::string end(1024, '\0');
  const auto read = [&] { read_matrix<double>(path); };
  const std::string other = tar_member("well/well_b.mtx", "%%MatrixMarket matrix\n");
  const std::string whole =
      gzip(tar_member("well/", "", '5') + other + tar_member("well/well.mtx", small_text) +
           tar_member("well/README", "text") + end);
  write_bytes(path, whole);
#if !defined(TOMOKKOS_TEST_LIBARCHIVE)
  expect_input_error(read, "renamed.tar.gz: cannot be read: this library was built without");
#else
  const auto A = make_matrix<double>(2, 3, {{0, 1, 0.5}, {1, 2, -3}});
  expect_same(read_matrix<double>(path), A);
  write_bytes(folder / "well.TGZ", whole);
  expect_same(read_matrix<double>(folder / "well.TGZ"), A);
  // Errors give the archive, the member and the line.
  write_bytes(path, gzip(tar_member("./b/b.mtx", small_text + "x") + end));
  expect_input_error(read, "renamed.tar.gz(b/b.mtx):5: unexpected text");
  write_bytes(path, gzip(other + tar_member("a.mtx", small_text) + end));
  expect_input_error(read, "renamed.tar.gz: has no member NAME/NAME.mtx",
                     "it has: well/well_b.mtx, a.mtx");
  write_bytes(path, gzip(tar_member("a/a.mtx", "") + tar_member("b/b.mtx", "") + end));
  expect_input_error(read, "has 2 members NAME/NAME.mtx", "it has: a/a.mtx, b/b.mtx");
  write_bytes(path, gzip(tar_member("a/a.mtx", small_text) + tar_member("a/a.mtx", "") + end));
  expect_input_error(read, "has 2 members NAME/NAME.mtx");
  // A link does not count as a matrix.
  write_bytes(path, gzip(tar_member("a/a.mtx", "", '2') + end));
  expect_input_error(read, "has no member NAME/NAME.mtx");
  write_bytes(path, gzip("neither a tape nor its end"));
  expect_input_error(read, "renamed.tar.gz: not a readable tar archive");
  expect_every_truncation_refused(path, whole, [](const auto& file) { read_matrix<float>(file); });
  std::string damaged = whole;
  damaged[damaged.size() - 8] ^= 1;
  write_bytes(path, damaged);
  expect_input_error(read, "renamed.tar.gz: damaged: incorrect data check");
  // Skipped members count towards the limit.
  std::string packed = gzip(tar_member("a/a.mtx", small_text));
  const std::string filling = gzip(tar_member("a/filling", std::string(1 << 20, '\0')));
  for (int i = 0; i < 257; ++i) packed += filling;
  write_bytes(path, packed);
  expect_input_error(read, "renamed.tar.gz: unpacks to more than 268435456 bytes");
#endif
}

}  // namespace
