// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_MatrixMarket.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::filesystem::path data_file(const std::string& name) {
  return test_data_path("matrix_market/" + name + ".mtx");
}

std::set<std::string> data_files(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(test_data_path("matrix_market/" + folder))) {
    names.insert(entry.path().stem().string());
  }
  return names;
}

template <class Scalar = double>
HostCsrMatrix<Scalar> parse(const std::string& text, const ReadOptions& options = {}) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.mtx", text);
  return read_matrix_market<Scalar>(folder / "a.mtx", options);
}

template <class... Pieces>
void refuse(const std::string& text, const Pieces&... pieces) {
  SCOPED_TRACE(text);
  expect_input_error([&] { parse(text); }, pieces...);
}

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

template <class Scalar>
class MatrixMarketRoundTrip : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(MatrixMarketRoundTrip, Scalars);

TYPED_TEST(MatrixMarketRoundTrip, MatricesComeBackBitForBit) {
  const TemporaryFolder folder;
  for (const auto& A : matrix_battery<TypeParam>()) {
    write_matrix_market(folder / "a.mtx", A);
    expect_same(read_matrix_market<TypeParam>(folder / "a.mtx"), A);
  }
}

TYPED_TEST(MatrixMarketRoundTrip, ExtremeValuesComeBackBitForBit) {
  using Limits = std::numeric_limits<TypeParam>;
  const TemporaryFolder folder;
  const auto A = make_matrix<TypeParam>(1, 5,
                                        {{0, 0, Limits::max()},
                                         {0, 1, Limits::min()},
                                         {0, 2, Limits::denorm_min()},
                                         {0, 3, -Limits::epsilon()},
                                         {0, 4, -Limits::lowest() / 3}});
  write_matrix_market(folder / "a.mtx", A);
  expect_same(read_matrix_market<TypeParam>(folder / "a.mtx"), A);
}

TYPED_TEST(MatrixMarketRoundTrip, VectorsComeBackBitForBit) {
  const TemporaryFolder folder;
  for (const std::vector<TypeParam>& x :
       {std::vector<TypeParam>{}, {TypeParam(0.1)}, {0, -1, TypeParam(2e-7), 0}}) {
    write_matrix_market_vector<TypeParam>(folder / "x.mtx", x);
    EXPECT_EQ(read_matrix_market_vector<TypeParam>(folder / "x.mtx"), x);
  }
}

TEST(MatrixMarket, ValidFilesAreReadRight) {
  TOMOKKOS_NEEDS_TEST_DATA("matrix_market/valid");
  using Expected = std::pair<std::pair<Ordinal, Ordinal>, std::vector<Entry<double>>>;
  const std::vector<Entry<double>> eye{{0, 0, 1}, {1, 1, 1}, {2, 2, 1}};
  const std::vector<Entry<double>> nist{{0, 0, 1},     {0, 3, 6},    {1, 1, 10.5},  {2, 2, 0.015},
                                        {3, 1, 250.5}, {3, 3, -280}, {3, 4, 33.32}, {4, 4, 12}};
  const std::map<std::string, Expected> expected{
      {"2col_array",
       {{3, 2}, {{0, 0, 10}, {0, 1, 20}, {1, 0, 11}, {1, 1, 21}, {2, 0, 12}, {2, 1, 22}}}},
      {"eye3", {{3, 3}, eye}},
      {"eye3_array", {{3, 3}, eye}},
      {"eye3_pattern", {{3, 3}, eye}},
      {"eye3_str", {{3, 3}, eye}},
      {"kepner_gilbert_graph",
       {{7, 7},
        {{0, 3, 1},
         {1, 0, 1},
         {2, 3, 1},
         {2, 5, 1},
         {2, 6, 1},
         {3, 0, 1},
         {3, 6, 1},
         {4, 1, 1},
         {4, 6, 1},
         {5, 2, 1},
         {5, 4, 1},
         {6, 1, 1}}}},
      {"nist_ex1", {{5, 5}, nist}},
      {"nist_ex1_freeformat", {{5, 5}, nist}},
      {"nist_ex1_more_freeformat", {{5, 5}, nist}},
      {"row_3by4", {{3, 4}, {{0, 0, 1}, {0, 1, 2}, {0, 2, 3}, {0, 3, 4}}}},
      {"vector_array", {{4, 1}, {{0, 0, 101}, {1, 0, 202}, {3, 0, 404}}}},
      {"vector_coordinate", {{4, 1}, {{0, 0, 101}, {1, 0, 202}, {3, 0, 404}}}},
      {"vector_coordinate_dupes", {{4, 1}, {{0, 0, 101}, {1, 0, 202}, {3, 0, 404}}}},
  };
  for (const std::string& name : data_files("valid")) {
    SCOPED_TRACE(name);
    if (name.find("complex") != std::string::npos) {
      // Valid, but not real: refused with the reason.
      expect_input_error([&] { read_matrix_market<double>(data_file("valid/" + name)); },
                         ".mtx:1: ", "complex");
      continue;
    }
    ASSERT_TRUE(expected.contains(name));
    const auto& [shape, entries] = expected.at(name);
    const auto A = read_matrix_market<double>(data_file("valid/" + name));
    expect_same(A, make_matrix<double>(shape.first, shape.second, entries));
  }
}

TEST(MatrixMarket, PermissiveFilesAreReadRight) {
  TOMOKKOS_NEEDS_TEST_DATA("matrix_market/permissive");
  const std::map<std::string, std::string> same_as{
      {"permissive_banner_leading_spaces_eye3", "valid/eye3"},
      {"permissive_banner_one_percent_eye3", "valid/eye3"},
      {"windows_lineendings_nist_ex1_more_freeformat", "valid/nist_ex1"}};
  for (const std::string& name : data_files("permissive")) {
    SCOPED_TRACE(name);
    const auto A = read_matrix_market<float>(data_file("permissive/" + name));
    if (name == "permissive_lines_indented") {
      expect_same(A, make_matrix<float>(1, 1, {{0, 0, 1}}));
    } else {
      ASSERT_TRUE(same_as.contains(name));
      expect_same(A, read_matrix_market<float>(data_file(same_as.at(name))));
    }
  }
}

TEST(MatrixMarket, SymmetriesEqualTheirExpansion) {
  TOMOKKOS_NEEDS_TEST_DATA("matrix_market/symmetry");
  int real_ones = 0;
  for (const std::string& name : data_files("symmetry")) {
    if (name.find("_general") != std::string::npos) continue;
    SCOPED_TRACE(name);
    const auto read = [&](const std::string& suffix) {
      return read_matrix_market<double>(data_file("symmetry/" + name + suffix));
    };
    if (name == "coordinate_hermitian_row") {
      for (const char* suffix : {"", "_general", "_general_dup", "_general_zero"}) {
        expect_input_error([&] { read(suffix); }, ".mtx:1: ", "complex");
      }
      continue;
    }
    ++real_ones;
    const auto A = read("");
    expect_same(A, read("_general"));
    // The diagonal is given as 0 and as itself.
    expect_same(A, read("_general_zero"));
    // The diagonal is given twice: added up.
    const auto doubled = read("_general_dup");
    auto entries = entries_of(A);
    for (auto& [i, j, value] : entries) value *= i == j ? 2 : 1;
    expect_same(doubled, make_matrix<double>(A.num_rows, A.num_cols, entries));
  }
  EXPECT_EQ(real_ones, 4);
}

TEST(MatrixMarket, InvalidFilesAreRefusedWithTheirLine) {
  TOMOKKOS_NEEDS_TEST_DATA("matrix_market/invalid");
  const std::map<std::string, std::pair<int, std::string>> expected{
      {"invalid_bad_banner", {1, "%%MatrixMarket"}},
      {"invalid_bad_banner_2", {1, "%%MatrixMarket"}},
      {"invalid_bad_field", {1, "field '____'"}},
      {"invalid_bad_format", {1, "format '____'"}},
      {"invalid_bad_object", {1, "object '___'"}},
      {"invalid_bad_symmetry", {1, "symmetry '___'"}},
      {"invalid_bad_value", {3, "'not_a_double'"}},
      {"invalid_bad_value_2", {5, "'foooooo'"}},
      {"invalid_bad_value_3", {4, "'ffsafdsafas'"}},
      {"invalid_bad_value_4", {4, "'ffsafdsafas'"}},
      {"invalid_dimensions_out_of_range_1", {3, "rows is negative"}},
      {"invalid_dimensions_out_of_range_2", {3, "columns is negative"}},
      {"invalid_dimensions_out_of_range_3", {3, "entries is negative"}},
      {"invalid_indices_out_of_range_1", {5, "row index '5000' is not in 1 ... 7"}},
      {"invalid_indices_out_of_range_2", {6, "column index '2000'"}},
      {"invalid_indices_out_of_range_3", {5, "row index '0'"}},
      {"invalid_indices_out_of_range_4", {6, "column index '0'"}},
      {"invalid_indices_out_of_range_5", {5, "row index '-1'"}},
      {"invalid_indices_out_of_range_6", {6, "column index '-2'"}},
      {"invalid_matrix_coord_too_long", {7, "after the last of the 3 entries"}},
      {"invalid_missing_value_1", {4, "the value is missing"}},
      {"invalid_missing_value_2", {3, "the value is missing"}},
      // Read as what it says, the lower triangle by columns, it has a value too many.
      {"invalid_symmetry_matrix_array", {6, "after the last of the 3 entries"}},
      {"invalid_symmetry_vector", {1, "a vector cannot be symmetric"}},
      {"invalid_truncated_header_1", {2, "ends before the line with the sizes"}},
      {"invalid_truncated_header_2", {1, "four words"}},
      // The rest of the file is too short for 12 entries, which is seen before they are read.
      {"invalid_truncated_line_1", {2, "12 entries are promised"}},
      {"invalid_truncated_line_2", {2, "12 entries are promised"}},
      {"invalid_truncated_lines", {2, "12 entries are promised"}},
      {"invalid_vector_array_too_long", {7, "after the last of the 4 entries"}},
      {"invalid_vector_coord_too_long", {6, "after the last of the 3 entries"}},
      {"invalid_vector_index_out_of_range_1", {4, "row index '0'"}},
      {"invalid_vector_index_out_of_range_2", {4, "row index '200'"}},
      {"invalid_vector_negative_length", {2, "rows is negative"}},
  };
  const auto names = data_files("invalid");
  EXPECT_EQ(names.size(), expected.size());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    ASSERT_TRUE(expected.contains(name));
    const auto& [line, piece] = expected.at(name);
    const std::string where = name + ".mtx:" + std::to_string(line) + ": ";
    const auto path = data_file("invalid/" + name);
    expect_input_error([&] { read_matrix_market<double>(path); }, where, piece);
    expect_input_error([&] { read_matrix_market<float>(path); }, where, piece);
    expect_input_error([&] { read_matrix_market_vector<double>(path); }, where, piece);
  }
}

TEST(MatrixMarket, OverflowsOfOurTypesAreRefused) {
  TOMOKKOS_NEEDS_TEST_DATA("matrix_market/overflow");
  const std::map<std::string, std::string> refused{
      // Dimensions and indices are 32 bits wide here.
      {"overflow_dim_gt_int64", ":2: the number of rows, '19223372036854775808', exceeds"},
      {"overflow_index_gt_int64", ":6: the row index '19223372036854775808' is not in 1 ... 1000"},
      {"overflow_value_gt_complex128", ":1: complex"},
      {"overflow_value_gt_float128", ":4: the value '1E9999' exceeds the range of double"},
      {"overflow_value_gt_float64", ":4: the value '1E310' exceeds the range of double"},
  };
  const std::map<std::string, HostCsrMatrix<double>> read{
      // Our indices have 32 bits, so 300 fits.
      {"overflow_index_gt_int8", make_matrix<double>(1000, 1000, {{299, 0, 1}})},
      // Values are floating-point: integers are rounded to them as decimals are, and these two
      // are within range (2^33 exactly).
      {"overflow_value_gt_int32", make_matrix<double>(3, 3, {{1, 1, 8589934592.0}})},
      {"overflow_value_gt_int64",
       make_matrix<double>(3, 3,
                           {{0, 0, 1}, {1, 1, 2147483648.0}, {2, 2, 19223372036854775808.0}})},
  };
  const auto names = data_files("overflow");
  EXPECT_EQ(names.size(), refused.size() + read.size());
  for (const std::string& name : names) {
    SCOPED_TRACE(name);
    const auto path = data_file("overflow/" + name);
    if (read.contains(name)) {
      expect_same(read_matrix_market<double>(path), read.at(name));
    } else {
      ASSERT_TRUE(refused.contains(name));
      expect_input_error([&] { read_matrix_market<double>(path); }, refused.at(name));
    }
  }
}

TEST(MatrixMarket, CollectionMatricesAreRead) {
  TOMOKKOS_NEEDS_TEST_DATA("matrices");
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data_path("matrices"))) {
    if (entry.path().extension() != ".mtx") continue;
    SCOPED_TRACE(entry.path());
    const auto A = read_matrix_market<double>(entry.path());
    validate(Kokkos::DefaultHostExecutionSpace(), A, ColumnOrder::sorted);
    ++count;
  }
  EXPECT_GE(count, 14);
  // SuiteSparse's own figures: 960 rows, 8402 entries in the lower triangle, 15844 in all.
  const auto nos3 = read_matrix_market<double>(test_data_path("matrices/nos3.mtx"));
  EXPECT_EQ(nos3.num_rows, 960);
  EXPECT_EQ(nos3.num_nonzeros(), 15844);
}

TEST(MatrixMarket, EveryEntryOutOfPlaceIsNamed) {
  refuse("", "a.mtx:0: ", "empty");
  refuse("\n", ":1: ");
  refuse(banner + "2 2 2\n1 1 1.0000\n", ":3: ", "after 1 of 2 entries");
  refuse(banner + "2 2 2\n1 1 1.000000000\n1 2", ":4: ", "value is missing");
  refuse(banner + "2 2 1\n1 1 1 1\n", ":3: ", "unexpected '1'");
  refuse(banner + "2 2 1\n1 1.5 1\n", ":3: ", "column index is not a whole number: '1.5'");
  refuse(banner + "2 2 1\n1 1 1.5x\n", ":3: ", "not a number: '1.5x'");
  refuse(banner + "2 2 1\n1 1 +-1\n", ":3: ", "not a number");
  refuse(banner + "2 2 1\n1 1 nan\n", ":3: ", "not finite");
  refuse(banner + "2 2 1\n1 1 -inf\n", ":3: ", "not finite");
  refuse(banner + "2 2 0\ngarbage\n", ":3: ", "'garbage'");
  refuse(banner + "2 2 0 7\n", ":2: ", "unexpected '7'");
  refuse(banner + "2 2\n", ":2: ", "entries is missing");
  refuse(banner + "2 x 0\n", ":2: ", "columns is not a whole number: 'x'");
  refuse(banner + "2147483648 2 0\n", ":2: ", "exceeds 2147483647");
  refuse("%%MatrixMarket matrix coordinate real general extra\n1 1 0\n", ":1: ", "'extra'");
  refuse("%%MatrixMarket matrix array pattern general\n1 1\n1\n", ":1: ", "pattern");
  refuse("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", ":1: ", "signs");
  refuse("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", ":3: ", "whole");
  refuse("%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
         ":3: ", "unexpected '1'");
  refuse(std::string(1 << 21, 'x'), ":1: ", "longer than");
  refuse(banner + std::string("2 2 1\n1 1 \0001\n", 13), ":3: ");
}

TEST(MatrixMarket, SymmetricEntriesOutOfPlaceAreRefused) {
  const std::string symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
  const std::string skew = "%%MatrixMarket matrix coordinate real skew-symmetric\n";
  refuse(symmetric + "2 3 0\n", ":2: ", "square");
  refuse(symmetric + "2 2 2\n2 1 5\n1 2 5\n", ":4: ", "line 3");
  refuse(skew + "2 2 1\n1 1 5\n", ":3: ", "diagonal");
  const auto upper = parse(symmetric + "2 2 2\n1 2 5\n2 2 1\n");
  expect_same(upper, make_matrix<double>(2, 2, {{0, 1, 5}, {1, 0, 5}, {1, 1, 1}}));
  expect_same(parse(skew + "2 2 2\n2 1 5\n2 2 0\n"),
              make_matrix<double>(2, 2, {{0, 1, -5}, {1, 0, 5}}));
}

TEST(MatrixMarket, SymmetricArraysAreExpanded) {
  expect_same(parse("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n"),
              make_matrix<double>(2, 2, {{0, 0, 1}, {0, 1, 2}, {1, 0, 2}, {1, 1, 3}}));
  expect_same(parse("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
              make_matrix<double>(
                  3, 3, {{0, 1, -1}, {0, 2, -2}, {1, 0, 1}, {1, 2, -3}, {2, 0, 2}, {2, 1, 3}}));
  expect_same(parse("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"),
              make_matrix<double>(1, 1, {}));
  expect_same(parse("%%MatrixMarket matrix array real general\n0 3\n"),
              make_matrix<double>(0, 3, {}));
}

TEST(MatrixMarket, PromisesBeyondTheFileAreRefusedBeforeAllocation) {
  refuse(banner + "2147483647 2147483647 4611686018427387904\n1 1 1\n", ":2: ", "promised",
         "1 at most");
  refuse("%%MatrixMarket matrix array real general\n2147483647 2147483647\n1\n",
         ":2: ", "promised");
  refuse("%%MatrixMarket vector coordinate pattern general\n9 1000\n1\n", ":2: ", "promised");
}

TEST(MatrixMarket, DuplicatesAreAddedOrRefusedWithTheirLine) {
  const std::string text = banner + "% comment\n2 2 4\n2 2 1\n1 1 2\n\n2 2 10\n2 1 3\n";
  expect_same(parse(text), make_matrix<double>(2, 2, {{0, 0, 2}, {1, 0, 3}, {1, 1, 11}}));
  ReadOptions options;
  options.duplicates = DuplicatePolicy::refuse;
  expect_input_error([&] { parse(text, options); }, "a.mtx:7: ", "row 1, column 1", "twice");
  const std::string symmetric =
      "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n3 1 1\n2 1 1\n3 1 1\n";
  expect_input_error([&] { parse(symmetric, options); }, "a.mtx:5: ", "twice");
  refuse(banner + "1 1 2\n1 1 1e308\n1 1 1e308\n", ":4: ", "not finite");
}

TEST(MatrixMarket, UnsortedEntriesAreSorted) {
  expect_same(parse(banner + "2 3 4\n2 3 4\n1 3 2\n2 1 3\n1 1 1\n"),
              make_matrix<double>(2, 3, {{0, 0, 1}, {0, 2, 2}, {1, 0, 3}, {1, 2, 4}}));
}

TEST(MatrixMarket, NumbersAreRoundedOnceToTheScalar) {
  // Just above the middle of two floats: rounding to double first would lose the last digit.
  const std::string text = banner + "1 1 1\n1 1 1.00000005960464477540\n";
  EXPECT_EQ(parse<float>(text).values(0), 1.0f + 0x1p-23f);
  EXPECT_EQ(parse<double>(banner + "1 1 1\n1 1 +1e-400\n").values(0), 0.0);
  EXPECT_EQ(parse<float>(banner + "1 1 1\n1 1 -1e-42\n").values(0), -1e-42f);
  expect_input_error([&] { parse<float>(banner + "1 1 1\n1 1 1e39\n"); },
                     ":3: ", "exceeds the range of float");
}

TEST(MatrixMarket, NonFiniteValuesAreReadOnRequest) {
  ReadOptions options;
  options.allow_non_finite = true;
  const auto A = parse(banner + "1 2 2\n1 1 nan\n1 2 -Inf\n", options);
  EXPECT_TRUE(std::isnan(A.values(0)));
  EXPECT_EQ(A.values(1), -std::numeric_limits<double>::infinity());
}

TEST(MatrixMarket, EveryTruncationIsRefusedOrReadToItsEnd) {
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", matrix_battery<double>()[5]);
  const std::string bytes = read_bytes(folder / "a.mtx");
  // Without its last line end, and then without digits of the last number, a text file is still
  // whole; before that number it is not.
  const std::size_t last_number = bytes.rfind(' ') + 1;
  for (std::size_t length = 0; length <= last_number; ++length) {
    write_bytes(folder / "b.mtx", bytes.substr(0, length));
    SCOPED_TRACE(length);
    EXPECT_THROW(read_matrix_market<double>(folder / "b.mtx"), InputError);
  }
  expect_no_crash_on_changed_bytes(folder / "c.mtx", bytes, [](const auto& path) {
    // A changed size may be as large as an index allows: 16 GB of row offsets.
    if (read_bytes(path).substr(46, 4) == "1 7 ") read_matrix_market<float>(path);
  });
}

TEST(MatrixMarket, LinesAcrossBuffersAreRead) {
  // Longer than the reader's buffer, with lines of many lengths.
  std::vector<Entry<double>> entries;
  for (Ordinal j = 0; j < 100000; ++j) entries.emplace_back(0, j, 1.0 / (j + 1));
  const auto A = make_matrix<double>(1, 100000, entries);
  const TemporaryFolder folder;
  write_matrix_market(folder / "a.mtx", A);
  ASSERT_GT(std::filesystem::file_size(folder / "a.mtx"), 2u << 20);
  expect_same(read_matrix_market<double>(folder / "a.mtx"), A);
}

TEST(MatrixMarket, FilesThatAreNoneAreRefused) {
  const TemporaryFolder folder;
  expect_input_error([&] { read_matrix_market<float>(folder / "absent.mtx"); }, "absent.mtx",
                     "No such file");
  expect_input_error([&] { read_matrix_market<float>(folder.path()); }, "is a folder");
  expect_input_error([&] { read_matrix_market<float>("/dev/zero"); }, "not a regular file");
}

TEST(MatrixMarket, VectorsHaveOneColumnOrRow) {
  const TemporaryFolder folder;
  write_bytes(folder / "a.mtx", banner + "2 2 0\n");
  expect_input_error([&] { read_matrix_market_vector<float>(folder / "a.mtx"); }, "2 x 2");
  write_bytes(folder / "a.mtx", banner + "1 3 1\n1 2 5\n");
  EXPECT_EQ(read_matrix_market_vector<float>(folder / "a.mtx"), (std::vector<float>{0, 5, 0}));
}

}  // namespace
