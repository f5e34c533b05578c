// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_StoredTriangle.hpp>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(StoredTriangle, is_recognised_by_its_entries) {
  const auto found = [](const HostCsrMatrix<double>& A) { return stored_triangle(A); };
  const auto lower = make_matrix<double>(3, 3, {{0, 0, 2}, {1, 0, -1}, {1, 1, 2}, {2, 1, -1}});
  const auto upper = make_matrix<double>(3, 3, {{0, 1, 2}, {1, 2, -1}});
  EXPECT_EQ(found(lower), StoredTriangle::lower);
  EXPECT_EQ(found(upper), StoredTriangle::upper);
  EXPECT_EQ(found(make_matrix<double>(3, 3, {{0, 0, 2}, {2, 2, 1}})), StoredTriangle::none);
  EXPECT_EQ(found(make_matrix<double>(3, 3, {{0, 1, 2}, {1, 0, 2}})), StoredTriangle::none);
  EXPECT_EQ(found(make_matrix<double>(2, 3, {{0, 1, 2}})), StoredTriangle::none);
  // Stored zeros are no entries.
  EXPECT_EQ(found(make_matrix<double>(3, 3, {{0, 1, 0}, {1, 0, 2}})), StoredTriangle::lower);
  EXPECT_CONTAINS(describe_triangle(StoredTriangle::upper), "only the upper triangle is stored");
}

}  // namespace
