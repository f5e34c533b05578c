// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of plain arrays to CSR and back, and refusal of invalid arrays.
#include <gtest/gtest.h>

#include <Tomokkos_CsrFromArrays.hpp>
#include <string>
#include <vector>

#include "DeviceCsr.hpp"

using namespace Tomokkos;

namespace {

template <class Integer>
std::string error_message(const std::vector<Integer>& row_offsets,
                          const std::vector<Ordinal>& columns, const std::vector<double>& values) {
  try {
    csr_from_arrays(TestSpace(), 3, row_offsets, columns, values);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(CsrFromArrays, keeps_the_contents_of_the_arrays) {
  const auto exec = make_instance<TestSpace>();
  const std::vector<double> values{1, 2, 3, 4};
  const auto A = csr_from_arrays(exec, 3, std::vector<int>{0, 2, 2, 4},
                                 std::vector<Ordinal>{0, 2, 1, 2}, values);
  EXPECT_EQ(A.num_rows, 3);
  EXPECT_EQ(A.num_cols, 3);
  EXPECT_EQ(copy_to_host(exec, A.values), values);
  EXPECT_EQ(copy_to_host(exec, A.columns), (std::vector<Ordinal>{0, 2, 1, 2}));
  EXPECT_EQ(copy_to_host(exec, A.row_offsets), (std::vector<Offset>{0, 2, 2, 4}));
  // The copy does not share memory with the vector of the application.
  std::vector<float> mine{5, 6};
  const auto copy = copy_to_device(exec, mine);
  mine[0] = 7;
  EXPECT_EQ(copy_to_host(exec, copy), (std::vector<float>{5, 6}));
  EXPECT_TRUE(copy_to_host(exec, copy_to_device(exec, std::vector<float>())).empty());
}

TEST(CsrFromArrays, refuses_arrays_that_do_not_form_a_matrix) {
  using Offsets = std::vector<std::int64_t>;
  EXPECT_EQ(error_message(Offsets{0, 1}, {2}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{}, {}, {}).find("row_offsets is empty"), std::string::npos);
  EXPECT_NE(error_message(Offsets{0, 2}, {0}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{0, 1}, {3}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{0, 2}, {1, 0}, {1.0, 2.0}), "");
  EXPECT_NE(error_message(Offsets{0, 2}, {0, 1}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{0, 1, 0, 1}, {0}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{0, -5, 1}, {0}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{0, 1}, {-1}, {1.0}), "");
  EXPECT_NE(error_message(Offsets{7}, {}, {}), "");
  const auto with_columns = [](Ordinal count) {
    try {
      csr_from_arrays(TestSpace(), count, Offsets{0, 2}, std::vector<Ordinal>{0, 4},
                      std::vector<double>{1, 2});
    } catch (const Refused& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(with_columns(5), "");
  EXPECT_EQ(with_columns(1),
            "not a valid CSR matrix: row 0, entry 1: column 4 is outside 0 to 0: the matrix has 1 "
            "columns");
  EXPECT_EQ(with_columns(0),
            "not a valid CSR matrix: row 0, entry 0: column 0, but the matrix has no columns");
  EXPECT_EQ(with_columns(-1), "the number of columns is -1; it must not be negative");
}

}  // namespace
