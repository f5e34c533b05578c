// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error bounds of products with ray tiles, compared with plain loops.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_SpmvRayTiles.hpp>

#include "FormatTesting.hpp"

namespace Tomokkos::Testing {

/// Unit of fixed-point sums on a GPU. In addition to rounding, each entry of a column and each
/// segment of a row may cause an error of half a unit.
template <class Scalar>
double unit(bool transposed) {
  if (Impl::is_host_space<TestSpace>) return 0;
  return transposed && std::is_same_v<Scalar, float> ? 0x1p-29 : 0x1p-59;
}

/// smallest possible unit, allowed in any case
inline constexpr double least_unit = 0x1p-1022;

struct Bounds {
  double vector = 0, matrix = 0;
};

inline Bounds bounds_of(const PlainCsr& A, const std::vector<double>& x) {
  Bounds bounds;
  for (const double value : x) bounds.vector = std::max(bounds.vector, std::abs(value));
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) sum += std::abs(A.values[k]);
    bounds.matrix = std::max(bounds.matrix, sum);
  }
  return bounds;
}

/// Expects that every entry is within rounding and the units of its terms. If A is only some rows
/// of a matrix, \p whole is that matrix.
template <class Scalar>
void expect_product(const PlainCsr& A, const std::vector<Scalar>& computed, double alpha,
                    const std::vector<double>& x, double beta, const std::vector<double>& y,
                    bool transposed, const std::string& what, const PlainCsr* whole = nullptr) {
  const ReferenceProduct expected = reference_product(A, alpha, x, beta, y);
  const Bounds bounds = bounds_of(whole != nullptr ? *whole : A, x);
  const double step = unit<Scalar>(transposed) * bounds.vector * bounds.matrix * std::abs(alpha);
  const double u = std::numeric_limits<Scalar>::epsilon();
  ASSERT_EQ(computed.size(), expected.y.size()) << what;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const auto terms = static_cast<double>(expected.row_length[i] + 2);
    ASSERT_NEAR(static_cast<double>(computed[i]), expected.y[i],
                terms * (u * expected.magnitude[i] + step + least_unit))
        << what << ", entry " << i;
  }
}

template <class Scalar, class Matrix>
std::vector<Scalar> forward(const Matrix& A, double alpha, const std::vector<double>& x,
                            double beta, const std::vector<double>& y, RowRange rows = all_rows) {
  const TestSpace exec;
  const RayTilesPlan<TestSpace, Matrix> plan(exec, A);
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  spmv<TestSpace, Matrix>(exec, plan, A, static_cast<Scalar>(alpha),
                          to_device<TestSpace, Scalar>(exec, x), static_cast<Scalar>(beta), to,
                          rows);
  return to_std_vector(to);
}

template <class Scalar, class Matrix>
std::vector<Scalar> back(const Matrix& A, double alpha, const std::vector<double>& y, double beta,
                         const std::vector<double>& x, RowRange rows = all_rows) {
  const TestSpace exec;
  const RayTilesPlan<TestSpace, Matrix> plan(exec, A);
  const auto to = to_device<TestSpace, Scalar>(exec, x);
  spmv_transpose<TestSpace, Matrix>(exec, plan, A, static_cast<Scalar>(alpha),
                                    to_device<TestSpace, Scalar>(exec, y),
                                    static_cast<Scalar>(beta), to, rows);
  return to_std_vector(to);
}

}  // namespace Tomokkos::Testing
