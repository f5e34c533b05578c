// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files from other sources: the test suite of the format, and matrices from collections.
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixMarket.hpp>
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

TEST(MatrixMarketFiles, valid_files_are_read_correctly) {
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
      // The file is valid but not real. The message gives the reason.
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

TEST(MatrixMarketFiles, permissive_files_are_read_correctly) {
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

TEST(MatrixMarketFiles, symmetric_files_equal_their_expansion) {
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
    // The file gives the diagonal twice, once with zeros.
    expect_same(A, read("_general_zero"));
    // The file gives the diagonal twice, and the values are added.
    const auto doubled = read("_general_dup");
    auto entries = entries_of(A);
    for (auto& [i, j, value] : entries) value *= i == j ? 2 : 1;
    expect_same(doubled, make_matrix<double>(A.num_rows, A.num_cols, entries));
  }
  EXPECT_EQ(real_ones, 4);
}

TEST(MatrixMarketFiles, invalid_files_are_refused_with_their_line) {
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
      // The header announces the lower triangle by columns, and the file has one value more.
      {"invalid_symmetry_matrix_array", {6, "after the last of the 3 entries"}},
      {"invalid_symmetry_vector", {1, "a vector cannot be symmetric"}},
      {"invalid_truncated_header_1", {2, "ends before the line with the sizes"}},
      {"invalid_truncated_header_2", {1, "four words"}},
      // The rest of the file is too short for 12 entries. The reader notices before it reads them.
      {"invalid_truncated_line_1", {2, "the header gives 12 entries"}},
      {"invalid_truncated_line_2", {2, "the header gives 12 entries"}},
      {"invalid_truncated_lines", {2, "the header gives 12 entries"}},
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

TEST(MatrixMarketFiles, numbers_that_overflow_our_types_are_refused) {
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
      // Values are floating-point numbers. Integers are rounded like decimals, and these two are
      // within range. 2^33 is exact.
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

TEST(MatrixMarketFiles, matrices_from_collections_are_read) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test_data_path("matrices"))) {
    SCOPED_TRACE(entry.path());
    const auto A = read_matrix<double>(entry.path());
    validate(TOMOKKOS_HOST_SPACE(), A, ColumnOrder::sorted);
    ++count;
  }
  EXPECT_EQ(count, 11);
  // SuiteSparse gives 960 rows, 8402 entries in the lower triangle, and 15844 in total.
  const auto nos3 = read_matrix_market<double>(test_data_path("matrices/nos3.mtx"));
  EXPECT_EQ(nos3.num_rows, 960);
  EXPECT_EQ(nos3.num_nonzeros(), 15844);
}

}  // namespace
