// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_HostMemory.hpp>
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npz.hpp>
#include <cstdlib>
#include <impl/Tomokkos_NpyFormat.hpp>
#include <impl/Tomokkos_ZipArchive.hpp>
#include <map>

#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

template <class T>
std::string array(const std::string& descr, const std::vector<T>& values) {
  std::string bytes = Impl::npy_header_text(descr, std::vector<std::size_t>{values.size()});
  for (const T& value : values) bytes += bytes_of(value);
  return bytes;
}

std::string text_array(const std::string& text) {
  return Impl::npy_header_text("|S" + std::to_string(text.size()), {}) + text;
}

using Members = std::map<std::string, std::string>;

void write_archive(const std::filesystem::path& path, const Members& members, bool deflate = true) {
  std::vector<Impl::ZipMember> list;
  for (const auto& [name, bytes] : members) {
    list.push_back({name + ".npy", {std::as_bytes(std::span(bytes.data(), bytes.size()))}});
  }
  Impl::write_zip(path, any_output, list, deflate);
}

/// A 2 x 3 matrix: (0, 1) = 5, (1, 0) = 6, (1, 2) = 7.
Members csr_members() {
  return {{"format", text_array("csr")},
          {"shape", array<std::int64_t>("<i8", {2, 3})},
          {"indptr", array<std::int32_t>("<i4", {0, 1, 3})},
          {"indices", array<std::int32_t>("<i4", {1, 0, 2})},
          {"data", array<float>("<f4", {5, 6, 7})}};
}

HostCsrMatrix<double> example() {
  return make_matrix<double>(2, 3, {{0, 1, 5}, {1, 0, 6}, {1, 2, 7}});
}

HostCsrMatrix<double> parse(const Members& members, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  write_archive(folder / "a.npz", members);
  return read_npz_matrix<double>(folder / "a.npz", options);
}

/// Expects that the example with one member replaced is refused.
template <class... Pieces>
void refuse(const std::string& name, const std::string& bytes, const Pieces&... pieces) {
  Members members = csr_members();
  members[name] = bytes;
  expect_input_error([&] { parse(members); }, "a.npz", pieces...);
}

template <class Scalar>
class NpzRoundTrip : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(NpzRoundTrip, Scalars);

TYPED_TEST(NpzRoundTrip, matrices_come_back) {
  const TemporaryFolder folder;
  for (const auto compression : {NpzCompression::stored, NpzCompression::deflated}) {
    for (const auto& A : matrix_battery<TypeParam>()) {
      write_npz_matrix(folder / "a.npz", A, compression);
      expect_same(read_npz_matrix<TypeParam>(folder / "a.npz"), A);
      EXPECT_EQ(npz_matrix_precision(folder / "a.npz"),
                sizeof(TypeParam) == 4 ? FilePrecision::float32 : FilePrecision::float64);
    }
  }
  EXPECT_EQ(folder.count(), 1u) << "temporary files remain";
}

TEST(Npz, equal_matrices_give_equal_bytes) {
  const TemporaryFolder folder;
  write_npz_matrix(folder / "a.npz", example());
  write_npz_matrix(folder / "b.npz", example());
  EXPECT_EQ(read_bytes(folder / "a.npz"), read_bytes(folder / "b.npz"));
}

TEST(Npz, all_formats_and_index_types_are_read) {
  expect_same(parse(csr_members()), example());
  Members wide = csr_members();
  wide["indptr"] = array<std::int64_t>("<i8", {0, 1, 3});
  wide["indices"] = array<std::int64_t>("<i8", {1, 0, 2});
  wide["data"] = array<std::int16_t>("<i2", {5, 6, 7});
  wide["format"] = Impl::npy_header_text("<U3", {}) + std::string("c\0\0\0s\0\0\0r\0\0\0", 12);
  expect_same(parse(wide), example());
  const Members csc{{"format", text_array("csc")},
                    {"shape", array<std::int64_t>("<i8", {2, 3})},
                    {"indptr", array<std::int32_t>("<i4", {0, 1, 2, 3})},
                    {"indices", array<std::int32_t>("<i4", {1, 0, 1})},
                    {"data", array<double>("<f8", {6, 5, 7})}};
  expect_same(parse(csc), example());
  const Members coo{{"format", text_array("coo")},
                    {"shape", array<std::int64_t>("<i8", {2, 3})},
                    {"row", array<std::int32_t>("<i4", {1, 0, 1})},
                    {"col", array<std::int32_t>("<i4", {2, 1, 0})},
                    {"data", array<double>("<f8", {7, 5, 6})}};
  expect_same(parse(coo), example());
}

TEST(Npz, rows_are_sorted) {
  Members members = csr_members();
  members["indices"] = array<std::int32_t>("<i4", {1, 2, 0});
  members["data"] = array<float>("<f4", {5, 7, 6});
  expect_same(parse(members), example());
}

TEST(Npz, duplicates_are_added_or_refused) {
  Members members = csr_members();
  members["indices"] = array<std::int32_t>("<i4", {1, 2, 2});
  expect_same(parse(members), make_matrix<double>(2, 3, {{0, 1, 5}, {1, 2, 13}}));
  ReadOptions options;
  options.duplicates = DuplicatePolicy::refuse;
  expect_input_error([&] { parse(members, options); }, "row 1, column 2", "twice");
  const Members csc{{"format", text_array("csc")},
                    {"shape", array<std::int64_t>("<i8", {2, 2})},
                    {"indptr", array<std::int32_t>("<i4", {0, 2, 3})},
                    {"indices", array<std::int32_t>("<i4", {1, 1, 0})},
                    {"data", array<double>("<f8", {6, 5, 7})}};
  expect_same(parse(csc), make_matrix<double>(2, 2, {{0, 1, 7}, {1, 0, 11}}));
  expect_input_error([&] { parse(csc, options); }, "row 1, column 0", "twice");
  Members coo{{"format", text_array("coo")},
              {"shape", array<std::int64_t>("<i8", {1, 1})},
              {"row", array<std::int32_t>("<i4", {0, 0})},
              {"col", array<std::int32_t>("<i4", {0, 0})},
              {"data", array<double>("<f8", {1, 2})}};
  expect_same(parse(coo), make_matrix<double>(1, 1, {{0, 0, 3}}));
  expect_input_error([&] { parse(coo, options); }, "twice");
}

TEST(Npz, contradictions_are_refused) {
  refuse("format", text_array("bsr"), "'bsr'", "csr, csc, coo");
  refuse("format", array<double>("<f8", {1}), "format.npy", "text");
  refuse("shape", array<std::int64_t>("<i8", {2}), "shape.npy", "requires 2");
  refuse("shape", array<std::int64_t>("<i8", {2, -3}), "columns, -3");
  refuse("shape", array<std::int64_t>("<i8", {1ll << 31, 3}), "rows, 2147483648");
  refuse("shape", array<double>("<f8", {2, 3}), "integers");
  refuse("shape", array<std::int64_t>("<i8", {3, 3}), "indptr.npy", "3 rows", "requires 4");
  refuse("shape", array<std::int64_t>("<i8", {2, 2}), "indices.npy", "index 2, not in 0 ... 1");
  refuse("indptr", array<std::int32_t>("<i4", {1, 1, 3}), "begin with 0");
  refuse("indptr", array<std::int32_t>("<i4", {0, 4, 3}), "falls from 4 to 3 at row 1");
  refuse("indptr", array<std::int32_t>("<i4", {0, 1, 2}), "ends at 2", "3 values");
  refuse("indptr", array<std::int64_t>("<i8", {0, 1, 1ll << 62}), "ends at");
  refuse("indices", array<std::int32_t>("<i4", {1, 0}), "2 entries", "requires 3");
  refuse("indices", array<std::int32_t>("<i4", {1, -1, 2}), "entry 1", "index -1");
  refuse("indices", array<std::int64_t>("<i8", {1, 1ll << 40, 2}), "value 1", "32 bits");
  refuse("indices", array<float>("<f4", {1, 0, 2}), "integers");
  refuse("data", array<float>("<f4", {1, 0}), "3 entries", "requires 2");
  refuse("data", array<float>("<f4", {1, 0, NAN}), "data.npy", "value 2", "not finite");
  refuse("data", array<double>("<c16", {1, 0}), "not supported");
  refuse("data", Impl::npy_header_text("<f4", {3, 1}) + std::string(12, '\0'), "one dimension");
  refuse("data", array<float>("<f4", {1, 0, 2}) + "x", "data.npy", "follow");
  Members members = csr_members();
  members.erase("indptr");
  expect_input_error([&] { parse(members); }, "indptr.npy", "it has: data.npy, format.npy");
}

// The zip library would read the first member, NumPy the last.
TEST(Npz, a_member_that_occurs_twice_is_refused) {
  const TemporaryFolder folder;
  const auto path = folder / "a.npz";
  Impl::write_zip(path, any_output, {{"data.npy", {}}, {"dada.npy", {}}}, false);
  std::string bytes = read_bytes(path);
  for (std::size_t place = 0; (place = bytes.find("dada", place)) != std::string::npos;)
    bytes.replace(place, 4, "data");
  write_bytes(path, bytes);
  expect_input_error([&] { read_npz_matrix<float>(path); },
                     "a.npz: has more than one member 'data.npy'");
}

TEST(Npz, every_truncation_is_refused) {
  const TemporaryFolder folder;
  const auto read = [](const auto& path) { read_npz_matrix<float>(path); };
  for (const bool deflate : {false, true}) {
    write_archive(folder / "a.npz", csr_members(), deflate);
    const std::string bytes = read_bytes(folder / "a.npz");
    expect_every_truncation_refused(folder / "b.npz", bytes, read);
    if (deflate) expect_no_crash_on_changed_bytes(folder / "b.npz", bytes, read);
  }
}

TEST(Npz, damaged_members_are_refused) {
  const TemporaryFolder folder;
  write_archive(folder / "a.npz", csr_members(), false);
  std::string bytes = read_bytes(folder / "a.npz");
  const std::size_t place = bytes.find(bytes_of(6.0f));
  ASSERT_NE(place, std::string::npos);
  bytes[place + 1] ^= 1;
  write_bytes(folder / "a.npz", bytes);
  // The changed value is plausible; only the checksum reveals the damage.
  expect_input_error([&] { read_npz_matrix<float>(folder / "a.npz"); }, "data.npy", "damaged");
}

TEST(Npz, sizes_beyond_the_archive_are_refused_before_allocation) {
  const TemporaryFolder folder;
  Members members = csr_members();
  members["data"] = Impl::npy_header_text("<f8", {std::size_t{1} << 40});
  write_archive(folder / "a.npz", members);
  expect_input_error([&] { read_npz_matrix<float>(folder / "a.npz"); }, "data.npy", "but 0 follow");
  // The length in the directory of the archive is also wrong.
  write_archive(folder / "a.npz", csr_members(), true);
  std::string bytes = read_bytes(folder / "a.npz");
  const std::size_t entry = bytes.find("PK\1\2");
  ASSERT_NE(entry, std::string::npos);
  bytes.replace(entry + 24, 4, bytes_of(std::uint32_t{4000000000}));
  write_bytes(folder / "a.npz", bytes);
  expect_input_error([&] { read_npz_matrix<float>(folder / "a.npz"); }, "its header gives");
}

TEST(Npz, matrices_larger_than_memory_are_refused) {
  // The file stores two billion rows as a single number. The limited address space makes them too
  // large for any machine.
  const Ordinal most = std::numeric_limits<Ordinal>::max();
  const Members members{{"format", text_array("coo")},
                        {"shape", array<std::int64_t>("<i8", {most, 1})},
                        {"row", array<std::int32_t>("<i4", {0})},
                        {"col", array<std::int32_t>("<i4", {0})},
                        {"data", array<double>("<f8", {1})}};
  const TemporaryFolder folder;
  write_archive(folder / "a.npz", members);
  const NarrowAddressSpace narrow(std::uint64_t{1} << 30);
  ASSERT_LE(available_host_memory(), std::uint64_t{1} << 30);
  expect_memory_error([&] { read_npz_matrix<double>(folder / "a.npz"); }, "a.npz",
                      8 * (std::uint64_t{1} << 31) + 12 + 16);
}

TEST(Npz, any_array_can_be_read_by_name) {
  const TemporaryFolder folder;
  Members members = csr_members();
  members["skip_rows"] = Impl::npy_header_text("|b1", {2}) + std::string("\1\0", 2);
  write_archive(folder / "a.npz", members);
  expect_same(read_npz_matrix<double>(folder / "a.npz"), example());
  EXPECT_EQ(
      npz_array_names(folder / "a.npz"),
      (std::vector<std::string>{"data", "format", "indices", "indptr", "shape", "skip_rows"}));
  EXPECT_EQ(read_npz_array<float>(folder / "a.npz", "skip_rows").data, (std::vector<float>{1, 0}));
  expect_input_error([&] { read_npz_array<float>(folder / "a.npz", "nothing"); }, "nothing.npy");
  write_bytes(folder / "b.npz", "no archive");
  expect_input_error([&] { npz_array_names(folder / "b.npz"); }, "b.npz", "zip");
  write_bytes(folder / "c.npz", "");
  expect_input_error([&] { read_npz_matrix<float>(folder / "c.npz"); }, "c.npz");
  expect_input_error([&] { read_npz_matrix<float>(folder.path()); }, "folder");
}

TEST(Npz, reference_matrices_equal_their_matrix_market_files) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data_path("reference/astra"))) {
    if (entry.path().extension() != ".mtx") continue;
    SCOPED_TRACE(entry.path());
    auto archive = entry.path();
    archive.replace_extension(".npz");
    const auto A = read_npz_matrix<float>(archive);
    // Nine digits distinguish any two floats.
    expect_same(A, read_matrix_market<float>(entry.path()));
    const auto skip = read_npz_array<float>(archive, "skip_rows");
    EXPECT_EQ(skip.data.size(), static_cast<std::size_t>(A.num_rows));
    ++count;
  }
  EXPECT_EQ(count, 15);
}

class SciPy : public ::testing::Test {
 protected:
  void SetUp() override {
    if (run("import numpy, scipy.sparse") != 0) {
      GTEST_SKIP() << "skipped: " << python() << " has no numpy and scipy.sparse "
                   << "(set TOMOKKOS_TEST_PYTHON to one that has)";
    }
  }
  static std::string python() {
    const char* chosen = std::getenv("TOMOKKOS_TEST_PYTHON");
    return chosen != nullptr ? chosen : "python3";
  }
  int run(const std::string& program) const {
    write_bytes(folder_ / "p.py", program);
    const std::string command = "'" + python() + "' '" + (folder_ / "p.py").string() + "' '" +
                                folder_.path().string() + "' 2> '" +
                                (folder_ / "messages").string() + "'";
    return std::system(command.c_str());
  }
  TemporaryFolder folder_;
};

TEST_F(SciPy, opens_the_files_that_tomokkos_writes) {
  const auto battery = matrix_battery<double>();
  for (std::size_t n = 0; n < battery.size(); ++n) {
    const std::string name = std::to_string(n);
    write_npz_matrix(folder_ / (name + "d.npz"), battery[n]);
    write_npz_matrix(folder_ / (name + "s.npz"), battery[n], NpzCompression::stored);
    write_matrix_market(folder_ / (name + ".mtx"), battery[n]);
  }
  EXPECT_EQ(run("import sys, scipy.sparse as s, scipy.io\n"
                "for n in range(" +
                std::to_string(battery.size()) +
                "):\n"
                "  for kind in 'ds':\n"
                "    A = s.load_npz(f'{sys.argv[1]}/{n}{kind}.npz')\n"
                "    A.check_format(full_check=True)\n"
                "    assert A.has_canonical_format and A.indices.dtype == 'int32'\n"
                "    B = scipy.io.mmread(f'{sys.argv[1]}/{n}.mtx') if A.nnz else A\n"
                "    assert A.shape == B.shape and abs(A - B.tocsr()).sum() == 0\n"),
            0)
      << read_bytes(folder_ / "messages");
}

TEST_F(SciPy, writes_files_that_tomokkos_reads) {
  ASSERT_EQ(run("import sys, numpy as n, scipy.sparse as s\n"
                "A = s.random(30, 20, 0.2, format='csr', random_state=1, dtype='float64')\n"
                "for f in 'csr', 'csc', 'coo':\n"
                "  for c in False, True:\n"
                "    s.save_npz(f'{sys.argv[1]}/{f}{int(c)}.npz', A.asformat(f), compressed=c)\n"
                "n.save(f'{sys.argv[1]}/dense.npy', A.toarray().astype('>f4').T.copy().T)\n"),
            0)
      << read_bytes(folder_ / "messages");
  const auto A = read_npz_matrix<double>(folder_ / "csr0.npz");
  EXPECT_EQ(A.num_nonzeros(), 120);
  for (const char* name : {"csr1", "csc0", "csc1", "coo0", "coo1"}) {
    expect_same(read_npz_matrix<double>(folder_ / (std::string(name) + ".npz")), A);
  }
}

}  // namespace
