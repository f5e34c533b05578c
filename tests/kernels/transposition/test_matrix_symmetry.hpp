// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of a matrix with its transpose, by users of the library.
#include <gtest/gtest.h>

#include <Tomokkos_CsrFromArrays.hpp>
#include <Tomokkos_MatrixSymmetry.hpp>
#include <string>
#include <vector>

#include "DeviceCsr.hpp"

using namespace Tomokkos;

namespace {

/// Message of `require_symmetric` for the matrix `[[4, a], [b, 4]]`; empty: symmetric.
template <class Scalar>
std::string refusal(Scalar a, Scalar b) {
  const TestSpace exec;
  const auto A = csr_from_arrays(exec, 2, std::vector<int>{0, 2, 4},
                                 std::vector<Ordinal>{0, 1, 0, 1}, std::vector<Scalar>{4, a, b, 4});
  try {
    require_symmetric(exec, A);
  } catch (const Refused& error) {
    return error.what();
  }
  return "";
}

TEST(MatrixSymmetry, names_both_entries_that_differ_most) {
  EXPECT_EQ(refusal(-1.0, -1.0), "");
  EXPECT_EQ(refusal(-1.0F, -1.0F), "");
  EXPECT_EQ(
      refusal(-1.0, -1.5),
      "the matrix is not symmetric: row 1, column 2 (the first is 1) holds -1, row 2, column 1 "
      "holds -1.5, the largest difference");
  EXPECT_EQ(refusal(-1.0F, -1.5F).find("the matrix is not symmetric: row 1, column 2"), 0u);
}

TEST(MatrixSymmetry, accepts_rounding_and_nothing_more) {
  EXPECT_EQ(refusal(-1.0, -1.0 - 1e-14), "");
  EXPECT_NE(refusal(-1.0, -1.0 - 1e-9), "");
  EXPECT_EQ(refusal(-1.0F, -1.0F - 1e-6F), "");
  EXPECT_NE(refusal(-1.0F, -1.0F - 1e-3F), "");
}

TEST(MatrixSymmetry, needs_a_square) {
  const TestSpace exec;
  const auto A = csr_from_arrays(exec, 3, std::vector<int>{0, 1}, std::vector<Ordinal>{2},
                                 std::vector<double>{1});
  try {
    require_symmetric(exec, A);
    FAIL();
  } catch (const Refused& error) {
    EXPECT_STREQ(error.what(), "the matrix is not symmetric: it has 1 rows and 3 columns");
  }
}

}  // namespace
