// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators of row sources: they equal the matrix that the source builds, in any order and format.
#include <gtest/gtest.h>

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <string>
#include <vector>

#include "Complaint.hpp"
#include "DeviceCsr.hpp"

using namespace Tomokkos;
using Testing::complaint_of;

namespace {

using MemorySpace = TestSpace::memory_space;

RowSource scan_rows() {
  ScanRows rows;
  rows.volume = {20, 24};
  rows.scan.views = ViewAngles::evenly_spaced(12);
  rows.scan.detectors = 33;
  rows.projector = Projector::line;
  return rows;
}

std::vector<double> numbers(Ordinal count, int seed) {
  std::vector<double> values;
  for (Ordinal i = 0; i < count; ++i) values.push_back(1 + (i * 7 + seed) % 11);
  return values;
}

/// Reorders \p natural: entry p of the result is the natural entry `to_natural(p)`.
std::vector<double> in_order(const std::vector<double>& natural,
                             const std::optional<IndexMap<MemorySpace>>& map) {
  if (!map) return natural;
  const std::vector<Ordinal> places = copy_to_host(TestSpace(), map->to_natural);
  std::vector<double> result;
  for (const Ordinal place : places) result.push_back(natural[static_cast<std::size_t>(place)]);
  return result;
}

/// Computes `A x`, or `A^T x` if \p transposed.
std::vector<double> product(const AnyOperator<TestSpace, double>& A, const std::vector<double>& x,
                            bool transposed) {
  const TestSpace exec;
  const auto in = copy_to_device(exec, x);
  const auto out = copy_to_device(
      exec,
      std::vector<double>(static_cast<std::size_t>(transposed ? A.num_cols() : A.num_rows()), 0));
  if (transposed)
    A.apply_transpose(exec, 1, as_multivector(in), 0, as_multivector(out));
  else
    A.apply(exec, 1, as_multivector(in), 0, as_multivector(out));
  return copy_to_host(exec, out);
}

TEST(BuildSystem, equals_the_matrix_of_the_source_in_any_order_and_format) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  const auto plain = build_system<TestSpace, double>(exec, source);
  EXPECT_EQ(plain.A.num_rows(), 12 * 33);
  EXPECT_EQ(plain.A.num_cols(), 20 * 24);
  EXPECT_EQ(plain.statistics.nonzeros, count_nonzeros(exec, source));
  EXPECT_FALSE(plain.order.rows || plain.order.columns);
  const auto x = numbers(plain.A.num_cols(), 1), y = numbers(plain.A.num_rows(), 2);
  const auto Ax = product(plain.A, x, false), ATy = product(plain.A, y, true);
  EXPECT_GT(Ax[6 * 33 + 16], 1);
  for (const MatrixFormat format : {MatrixFormat::csr, MatrixFormat::sell, MatrixFormat::ray_tiles})
    for (const auto& [rows, columns] : {std::pair{Ordering::natural, Ordering::hilbert},
                                        {Ordering::tiles, Ordering::natural},
                                        {Ordering::by_length, Ordering::natural}}) {
      const std::string what = std::string(to_string(format)) + ", rows " +
                               std::string(to_string(rows)) + ", columns " +
                               std::string(to_string(columns));
      OperatorWish wish;
      wish.stored = default_options(format);
      wish.ordering.rows = rows;
      wish.ordering.columns = columns;
      const auto made = build_system<TestSpace, double>(exec, source, wish);
      EXPECT_EQ(made.order.columns.has_value(), columns != Ordering::natural) << what;
      EXPECT_EQ(made.csr_bytes(), plain.csr_bytes()) << what;
      const auto forward = product(made.A, in_order(x, made.order.columns), false);
      const auto back = product(made.A, in_order(y, made.order.rows), true);
      const auto wanted = in_order(Ax, made.order.rows);
      const auto wanted_back = in_order(ATy, made.order.columns);
      ASSERT_EQ(forward.size(), wanted.size()) << what;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_NEAR(forward[i], wanted[i], 1e-11 * (1 + wanted[i])) << what;
      for (std::size_t j = 0; j < wanted_back.size(); ++j)
        ASSERT_NEAR(back[j], wanted_back[j], 1e-11 * (1 + wanted_back[j])) << what;
    }
}

TEST(BuildSystem, refuses_orders_and_formats_that_do_not_suit_the_source) {
  const TestSpace exec;
  StencilRows stencil;
  stencil.size = {4, 4, 4};
  OperatorWish wish;
  wish.ordering.columns = Ordering::hilbert;
  EXPECT_COMPLAINT((build_system<TestSpace, double>(exec, RowSource(stencil), wish)),
                   "operator.ordering");
  wish = {};
  wish.set_format("dia");  // a scan is not a band matrix
  EXPECT_COMPLAINT((build_system<TestSpace, double>(exec, scan_rows(), wish)), "operator.format: ");
  wish.set_format("scsr");  // 20 x 24 pixels are no square
  EXPECT_COMPLAINT((build_system<TestSpace, double>(exec, scan_rows(), wish)),
                   "operator.format: scsr: ");
}

}  // namespace
