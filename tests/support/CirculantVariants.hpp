// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices as operators, with every variant of both products.
#pragma once

#include <Tomokkos_BlockCirculantOperator.hpp>

#include "CirculantTesting.hpp"

namespace Tomokkos::Testing {

template <class Scalar>
using CirculantOperator = BlockCirculantOperator<TestSpace, Scalar>;
template <class Scalar>
using Options = CirculantOperatorOptions<TestSpace, Scalar>;

/// Positive matrix of blocks of 12 x 10. One row and one in-sector column have no entries.
inline PlainCirculant positive_circulant(std::int32_t blocks = 7) {
  auto A = make_circulant("positive", 12, 10, blocks, [](int i) { return i == 5 ? 0 : 6 + i; });
  PlainCsr row;
  row.name = A.block_row.name;
  row.columns = A.block_row.columns;
  for (std::int32_t i = 0; i < A.block_row.rows; ++i) {
    for (auto e = A.block_row.offsets[i]; e < A.block_row.offsets[i + 1]; ++e)
      if (A.block_row.indices[e] % 10 != 3)
        row.add(A.block_row.indices[e], 0.05 + std::abs(A.block_row.values[e]));
    row.end_row();
  }
  A.block_row = row;
  return A;
}

/// Options of every method for both products: each variant forward and with a stored transpose, and
/// the direct transposed product.
template <class Scalar>
std::vector<Options<Scalar>> ways() {
  std::vector<Options<Scalar>> all;
  for (const CirculantVariant variant : circulant_variants()) {
    Options<Scalar> options;
    options.variant = options.transpose_variant = variant;
    all.push_back(options);
  }
  Options<Scalar> direct;
  direct.transpose = TransposeMethod::direct;
  all.push_back(direct);
  return all;
}

template <class Scalar>
std::string name_of(const Options<Scalar>& options) {
  return std::string(to_string(options.variant)) + ", " + std::string(to_string(options.transpose));
}

/// Error of an entry of the direct product caused by fixed-point sums on a GPU.
template <class Scalar>
double unit_of(const PlainCirculant& plain, const std::vector<double>& y) {
  if (Impl::is_host_space<TestSpace>) return 0;
  const std::int32_t n = plain.block_cols();
  std::vector<double> sums(static_cast<std::size_t>(n)), counts(sums);
  for (std::size_t e = 0; e < plain.block_row.values.size(); ++e) {
    sums[plain.block_row.indices[e] % n] += std::abs(plain.block_row.values[e]);
    ++counts[plain.block_row.indices[e] % n];
  }
  double largest = 0;
  for (const double value : y) largest = std::max(largest, std::abs(value));
  return (std::is_same_v<Scalar, float> ? 0x1p-30 : 0x1p-60) * largest *
         *std::max_element(sums.begin(), sums.end()) *
         *std::max_element(counts.begin(), counts.end());
}

}  // namespace Tomokkos::Testing
