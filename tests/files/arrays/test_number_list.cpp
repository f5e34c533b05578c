// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ArrayShape.hpp>
#include <Tomokkos_NumberList.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::vector<double> read(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  write_bytes(folder / name, text);
  return read_number_list(folder / name);
}

template <class... Pieces>
void refuse(const std::string& name, const std::string& text, const Pieces&... pieces) {
  SCOPED_TRACE(text);
  expect_input_error([&] { read(name, text); }, name, pieces...);
}

TEST(NumberList, lines_blanks_and_commas_separate_numbers) {
  const std::vector<double> numbers{0, -1.5, 20, 3e2};
  for (const std::string text :
       {"0\n-1.5\n20\n3e2\n", "0 -1.5\t20  3e2", "0,-1.5, 20 ,3e2\r\n", "0, -1.5,\n20\n\n+3e2",
        "# angles, in degrees\n0 # first\n-1.5 20\n#\n 3e2"}) {
    SCOPED_TRACE(text);
    EXPECT_EQ(read("a.txt", text), numbers);
    EXPECT_EQ(read("a.CSV", "\xEF\xBB\xBF" + text), numbers);
  }
}

TEST(NumberList, a_csv_file_may_begin_with_a_name) {
  EXPECT_EQ(read("a.csv", "# made here\nangle [deg]\n1\n2"), (std::vector<double>{1, 2}));
  EXPECT_EQ(read("a.csv", "\"angle\"\n1\n2"), (std::vector<double>{1, 2}));
  refuse("a.txt", "angle\n1\n2", ":1: ", "'angle'");
  refuse("a.csv", "view,angle\n0,1\n1,2", ":1: ", "2 columns");
  refuse("a.csv", "1\nangle\n2", ":2: ", "'angle'");
  refuse("a.csv", "nan\n1", ":1: ", "not finite");
  refuse("a.csv", "1deg\n2deg", ":1: ", "'1deg'");
}

TEST(NumberList, errors_are_reported_with_their_line) {
  refuse("a.txt", "1\n2 x\n", ":2: ", "'x' is not a number");
  refuse("a.txt", "1\n2\n1e999\n", ":3: ", "not finite");
  refuse("a.txt", "inf\n", ":1: ", "not finite");
  refuse("a.txt", "1,,2\n", ":1: ", "missing");
  refuse("a.txt", "1\n,2\n", ":2: ", "missing");
  refuse("a.txt", "0;1\n", ":1: ", "'0;1'");
  refuse("a.txt", "# nothing\n\n", "no number");
  refuse("a.csv", "angle\n", "no number");
  refuse("a.txt", "0 0.5\n1 1.0\n2 1.5\n", "table of 2 columns");
}

TEST(ArrayShape, the_shape_or_one_dimension_is_accepted) {
  const ArrayShape scan{{40, 47}, {"view", "detector"}};
  for (const std::vector<std::size_t>& found :
       {std::vector<std::size_t>{40, 47}, {1880}, {1, 40, 47}, {40, 47, 1}, {1880, 1}})
    EXPECT_EQ(describe_shape_mismatch(found, scan), "") << shape_text(found);
  EXPECT_EQ(describe_shape_mismatch({47, 40}, scan),
            "is 47 x 40, which is (detector, view); expected (view, detector) = 40 x 47: save "
            "array.transpose(1, 0)");
  EXPECT_EQ(describe_shape_mismatch({20, 94}, scan),
            "is 20 x 94; expected (view, detector) = 40 x 47");
  EXPECT_EQ(describe_shape_mismatch({1879}, scan),
            "holds 1879 values; expected (view, detector) = 40 x 47");
  // Nothing is known of the rows of a matrix from a file.
  const ArrayShape rows{{60}, {"row"}};
  EXPECT_EQ(describe_shape_mismatch({6, 10}, rows), "");
  EXPECT_NE(describe_shape_mismatch({6, 11}, rows), "");
}

TEST(ArrayShape, the_order_of_three_axes_is_named) {
  const ArrayShape cone{{64, 80, 120}, {"v", "u", "view"}};
  EXPECT_EQ(describe_shape_mismatch({120, 64, 80}, cone),
            "is 120 x 64 x 80, which is (view, v, u); expected (v, u, view) = 64 x 80 x 120: save "
            "array.transpose(1, 2, 0)");
  EXPECT_EQ(describe_shape_mismatch({80, 64, 120}, cone),
            "is 80 x 64 x 120, which is (u, v, view); expected (v, u, view) = 64 x 80 x 120: save "
            "array.transpose(1, 0, 2)");
  // Two of the lengths are equal: views first, as projections are stored.
  EXPECT_EQ(describe_shape_mismatch({120, 64, 64}, {{64, 64, 120}, {"v", "u", "view"}}),
            "is 120 x 64 x 64, which is (view, v, u); expected (v, u, view) = 64 x 64 x 120: save "
            "array.transpose(1, 2, 0)");
  const ArrayShape blocks{{24, 6}, {"row of a block", "block"}, true};
  EXPECT_EQ(describe_shape_mismatch({4, 6, 6}, blocks), "");
  EXPECT_NE(describe_shape_mismatch({6, 4, 6, 1}, blocks), "");
  EXPECT_NE(describe_shape_mismatch({6, 24}, blocks), "");
}

}  // namespace
