// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reference of every product: CSR in std::vector, plain loops in double, no Kokkos. Also the check:
// a row passes if rounding can explain its error.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

struct PlainCsr {
  std::string name;
  std::int32_t rows = 0;
  std::int32_t columns = 0;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> indices;
  std::vector<double> values;  // representable in float, so that every scalar holds the same matrix

  std::int64_t nonzeros() const { return static_cast<std::int64_t>(values.size()); }

  void add(std::int32_t column, double value) {
    indices.push_back(column);
    values.push_back(static_cast<float>(value));
  }
  void end_row() {
    offsets.push_back(nonzeros());
    ++rows;
  }

  PlainCsr transposed() const {
    PlainCsr result;
    result.name = name + " transposed";
    result.rows = columns;
    result.columns = rows;
    std::vector<std::vector<std::pair<std::int32_t, double>>> by_column(
        static_cast<std::size_t>(columns));
    for (std::int32_t i = 0; i < rows; ++i)
      for (auto k = offsets[i]; k < offsets[i + 1]; ++k)
        by_column[indices[k]].emplace_back(i, values[k]);
    for (const auto& column : by_column) {
      for (const auto& [row, value] : column) {
        result.indices.push_back(row);
        result.values.push_back(value);
      }
      result.offsets.push_back(static_cast<std::int64_t>(result.values.size()));
    }
    return result;
  }
};

/// Extracts rows [begin, end) of a matrix with plain loops.
inline PlainCsr rows_of(const PlainCsr& A, std::int32_t begin, std::int32_t end) {
  PlainCsr part;
  part.name = A.name + " in part";
  part.columns = A.columns;
  for (std::int32_t i = begin; i < end; ++i) {
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) part.add(A.indices[k], A.values[k]);
    part.end_row();
  }
  return part;
}

/// Extracts columns [begin, end) of a matrix and renumbers them from 0.
inline PlainCsr columns_of(const PlainCsr& A, std::int32_t begin, std::int32_t end) {
  PlainCsr part;
  part.name = A.name + " in part";
  part.columns = end - begin;
  for (std::int32_t i = 0; i < A.rows; ++i) {
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
      if (A.indices[k] >= begin && A.indices[k] < end) part.add(A.indices[k] - begin, A.values[k]);
    part.end_row();
  }
  return part;
}

/// Returns column \p j of a row-major array of \p s columns.
template <class T>
std::vector<T> column_of(const std::vector<T>& all, int j, int s) {
  std::vector<T> picked;
  for (std::size_t i = static_cast<std::size_t>(j); i < all.size();
       i += static_cast<std::size_t>(s))
    picked.push_back(all[i]);
  return picked;
}

/// Result of `y = alpha A x + beta y`, with the magnitude to which the error of each element is
/// compared.
struct ReferenceProduct {
  std::vector<double> y;
  std::vector<double> magnitude;  // |alpha| sum |a_ij x_j| + |beta y_i|
  std::vector<std::int64_t> row_length;
};

/// Computes `alpha product + beta y`, where \p product is `A x`.
inline ReferenceProduct combined(const ReferenceProduct& product, double alpha, double beta,
                                 const std::vector<double>& y) {
  ReferenceProduct result = product;
  for (std::size_t i = 0; i < result.y.size(); ++i) {
    result.y[i] = beta == 0 ? alpha * product.y[i] : alpha * product.y[i] + beta * y[i];
    result.magnitude[i] =
        std::abs(alpha) * product.magnitude[i] + (beta == 0 ? 0 : std::abs(beta * y[i]));
  }
  return result;
}

inline ReferenceProduct reference_product(const PlainCsr& A, const std::vector<double>& x) {
  ReferenceProduct result;
  for (std::int32_t i = 0; i < A.rows; ++i) {
    double sum = 0, magnitude = 0;
    for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k) {
      sum += A.values[k] * x[A.indices[k]];
      magnitude += std::abs(A.values[k] * x[A.indices[k]]);
    }
    result.y.push_back(sum);
    result.magnitude.push_back(magnitude);
    result.row_length.push_back(A.offsets[i + 1] - A.offsets[i]);
  }
  return result;
}

inline ReferenceProduct reference_product(const PlainCsr& A, double alpha,
                                          const std::vector<double>& x, double beta,
                                          const std::vector<double>& y) {
  return combined(reference_product(A, x), alpha, beta, y);
}

/// Returns the largest error of a row divided by its bound `K (nnz_i + 2) u magnitude_i`; at most 1
/// if every row passes. Infinite if a row is NaN and the reference is not, or the other way round.
///
/// K = 2 covers the rounding of the products in addition to that of the sum, to first order.
template <class Scalar>
double worst_row_error(const std::vector<Scalar>& computed, const ReferenceProduct& reference) {
  constexpr double K = 2;
  const double u = std::numeric_limits<Scalar>::epsilon() / 2;
  if (computed.size() != reference.y.size()) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < computed.size(); ++i) {
    const double value = computed[i];
    if (std::isnan(value) != std::isnan(reference.y[i]))
      return std::numeric_limits<double>::infinity();
    if (std::isnan(value) || value == reference.y[i]) continue;
    const double error = std::abs(value - reference.y[i]);
    const double bound =
        K * static_cast<double>(reference.row_length[i] + 2) * u * reference.magnitude[i];
    worst = std::max(worst, bound > 0 ? error / bound : std::numeric_limits<double>::infinity());
  }
  return worst;
}
