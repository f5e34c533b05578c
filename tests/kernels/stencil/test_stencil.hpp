// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Stencil.hpp>
#include <algorithm>
#include <cstdlib>

namespace {

using Tomokkos::Offset;
using Tomokkos::Ordinal;

template <class Scalar>
Tomokkos::HostCsrMatrix<Scalar> host_stencil(int points, Ordinal nx, Ordinal ny, Ordinal nz) {
  const TestSpace exec;
  const auto A = Tomokkos::build_stencil_matrix<TestSpace, Scalar>(exec, points, nx, ny, nz);
  Tomokkos::validate(exec, A);
  return Tomokkos::copy_to<Kokkos::HostSpace>(exec, A);
}

/// Checks every pair of points by the definition, and the number of stored entries.
template <class Scalar>
void check_against_definition(int points, Ordinal nx, Ordinal ny, Ordinal nz) {
  const auto A = host_stencil<Scalar>(points, nx, ny, nz);
  ASSERT_EQ(A.num_rows, nx * ny * nz);
  ASSERT_EQ(A.num_cols, nx * ny * nz);
  for (Ordinal row = 0; row < A.num_rows; ++row) {
    Offset k = A.row_offsets(row);
    for (Ordinal column = 0; column < A.num_cols; ++column) {
      const int dx = std::abs(row % nx - column % nx);
      const int dy = std::abs(row / nx % ny - column / nx % ny);
      const int dz = std::abs(row / nx / ny - column / nx / ny);
      const bool stored = points == 7 ? dx + dy + dz <= 1 : std::max({dx, dy, dz}) <= 1;
      if (!stored) continue;
      ASSERT_LT(k, A.row_offsets(row + 1)) << "row " << row;
      ASSERT_EQ(A.columns(k), column) << "row " << row;
      ASSERT_EQ(A.values(k), row == column ? Scalar(points - 1) : Scalar(-1)) << "row " << row;
      ++k;
    }
    ASSERT_EQ(k, A.row_offsets(row + 1)) << "row " << row;
  }
}

TEST(Stencil, follows_its_definition) {
  for (const int points : {7, 27}) {
    check_against_definition<double>(points, 3, 4, 5);
    check_against_definition<float>(points, 2, 2, 2);
    check_against_definition<double>(points, 1, 1, 1);
    check_against_definition<float>(points, 7, 1, 2);
  }
}

TEST(Stencil, has_the_entries_of_hpcg) {
  // (3 n - 2)^3 for 27 points.
  const auto A = host_stencil<double>(27, 12, 12, 12);
  EXPECT_EQ(A.num_nonzeros(), 34 * 34 * 34);
}

TEST(Stencil, refuses_what_it_cannot_build) {
  const TestSpace exec;
  const auto build = [&](int points, Ordinal nx, Ordinal ny, Ordinal nz) {
    return Tomokkos::build_stencil_matrix<TestSpace, double>(exec, points, nx, ny, nz);
  };
  EXPECT_THROW(build(5, 2, 2, 2), Tomokkos::Error);
  EXPECT_THROW(build(7, 0, 2, 2), Tomokkos::Error);
  EXPECT_THROW(build(27, 2, 2, -1), Tomokkos::Error);
  EXPECT_THROW(build(27, 2048, 2048, 2048), Tomokkos::Error);
  EXPECT_THROW(build(27, 2147483647, 2147483647, 2), Tomokkos::Error);
}

template <class Scalar>
void check_coupled_unknowns(int unknowns) {
  const TestSpace exec;
  const auto A = Tomokkos::build_stencil_matrix<TestSpace, Scalar>(exec, 27, 4, 3, 5);
  const auto coupled = Tomokkos::couple_unknowns<TestSpace, Scalar>(exec, A, unknowns);
  Tomokkos::validate(exec, coupled);
  const auto a = Tomokkos::copy_to<Kokkos::HostSpace>(exec, A);
  const auto b = Tomokkos::copy_to<Kokkos::HostSpace>(exec, coupled);
  ASSERT_EQ(b.num_rows, a.num_rows * unknowns);
  ASSERT_EQ(b.num_nonzeros(), a.num_nonzeros() * unknowns * unknowns);
  for (Ordinal row = 0; row < b.num_rows; ++row) {
    Offset at = b.row_offsets(row);
    const Ordinal point = row / unknowns;
    for (Offset k = a.row_offsets(point); k < a.row_offsets(point + 1); ++k)
      for (int other = 0; other < unknowns; ++other, ++at) {
        ASSERT_EQ(b.columns(at), a.columns(k) * unknowns + other);
        const double factor = other == row % unknowns ? 2.0 : 1.0;
        ASSERT_EQ(b.values(at), a.values(k) * Scalar(factor) / Scalar(unknowns + 1));
      }
    ASSERT_EQ(at, b.row_offsets(row + 1));
  }
}

TEST(Stencil, unknowns_of_a_point_are_coupled_in_full_blocks) {
  for (const int unknowns : {1, 2, 3, 8}) {
    check_coupled_unknowns<float>(unknowns);
    check_coupled_unknowns<double>(unknowns);
  }
  const TestSpace exec;
  const auto A = Tomokkos::build_stencil_matrix<TestSpace, float>(exec, 7, 3, 3, 3);
  EXPECT_THROW((Tomokkos::couple_unknowns<TestSpace, float>(exec, A, 0)), Tomokkos::Error);
}

}  // namespace
