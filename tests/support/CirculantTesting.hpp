// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Block-circulant matrices as plain CSR: their first block rows, the whole matrices, and error
// bounds of their products compared with plain loops.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_SpmvBlockCirculant.hpp>
#include <algorithm>
#include <functional>
#include <random>

#include "Complaint.hpp"
#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

namespace Tomokkos::Testing {

using TestMemory = TestSpace::memory_space;
template <class Scalar>
using TestCirculant = BlockCirculantMatrix<Scalar, TestMemory>;

/// First block row `(A_0 ... A_{k-1})`, sorted.
struct PlainCirculant {
  PlainCsr block_row;
  std::int32_t blocks = 1;

  std::int32_t block_rows() const { return block_row.rows; }
  std::int32_t block_cols() const { return block_row.columns / blocks; }

  /// Returns the whole matrix C, in which block (p, j) is `A_{(j - p) mod k}`.
  PlainCsr expanded(CirculantOrder order) const {
    const bool by_blocks = order == CirculantOrder::blocks;
    const std::int32_t m = block_rows(), n = block_cols(), k = blocks;
    PlainCsr C;
    C.name = block_row.name;
    C.columns = block_row.columns;
    for (std::int32_t row = 0; row < m * k; ++row) {
      const std::int32_t i = by_blocks ? row % m : row / k, p = by_blocks ? row / m : row % k;
      std::vector<std::pair<std::int32_t, double>> entries;
      for (auto e = block_row.offsets[i]; e < block_row.offsets[i + 1]; ++e) {
        const std::int32_t l = block_row.indices[e] % n, j = (block_row.indices[e] / n + p) % k;
        entries.emplace_back(by_blocks ? j * n + l : l * k + j, block_row.values[e]);
      }
      std::sort(entries.begin(), entries.end());
      for (const auto& [column, value] : entries) C.add(column, value);
      C.end_row();
    }
    return C;
  }
};

template <class LengthOfRow>
PlainCirculant make_circulant(const std::string& name, std::int32_t block_rows,
                              std::int32_t block_cols, std::int32_t blocks, LengthOfRow length) {
  const std::string full = name + ", " + std::to_string(blocks) + " blocks";
  return {battery::make(full, block_rows, block_cols * blocks, length), blocks};
}

/// Keeps only the entries of the blocks for which \p keep returns true.
inline PlainCirculant only_blocks(PlainCirculant A, const std::function<bool(int)>& keep) {
  PlainCsr& row = A.block_row;
  PlainCsr kept;
  kept.name = row.name + ", some of them";
  kept.columns = row.columns;
  for (std::int32_t i = 0; i < row.rows; ++i) {
    for (auto e = row.offsets[i]; e < row.offsets[i + 1]; ++e)
      if (keep(row.indices[e] / A.block_cols())) kept.add(row.indices[e], row.values[e]);
    kept.end_row();
  }
  A.block_row = kept;
  return A;
}

inline std::vector<std::int32_t> block_counts() { return {1, 2, 3, 7, 32, 150, 151}; }

inline std::vector<PlainCirculant> circulant_battery(std::int32_t k) {
  std::vector<PlainCirculant> all;
  all.push_back(make_circulant("any", 11, 9, k, [](int i) { return i * 3 % 26; }));
  all.push_back(make_circulant("one entry a row", 5, 4, k, [](int) { return 1; }));
  all.push_back(make_circulant("no entries", 3, 2, k, [](int) { return 0; }));
  all.push_back(make_circulant("no rows", 0, 3, k, [](int) { return 0; }));
  all.push_back(make_circulant("no columns", 3, 0, k, [](int) { return 0; }));
  all.push_back(make_circulant("one column", 4, 1, k, [](int i) { return 2 * i + 1; }));
  all.push_back(make_circulant("one row", 1, 30, k, [](int) { return 40; }));
  all.push_back(make_circulant("empty rows at the ends", 9, 6, k,
                               [](int i) { return i < 2 || i > 6 ? 0 : 5; }));
  if (k > 1) {
    const auto some = make_circulant("blocks", 6, 7, k, [](int i) { return 8 + i; });
    all.push_back(only_blocks(some, [](int block) { return block == 0; }));
    all.push_back(only_blocks(some, [k](int block) { return block == k - 1; }));
    all.push_back(only_blocks(some, [](int block) { return block % 3 != 1; }));
  }
  return all;
}

template <class Scalar>
TestCirculant<Scalar> on_device(const PlainCirculant& A) {
  const TestSpace exec;
  return block_circulant_from_block_row<TestSpace, Scalar>(
      exec, to_device<TestSpace, Scalar>(exec, A.block_row), A.blocks);
}

inline std::vector<CirculantVariant> circulant_variants() {
  std::vector<CirculantVariant> all;
  for (const auto& [variant, name] : EnumNames<CirculantVariant>::names)
    if (variant != CirculantVariant::library && variant != CirculantVariant::automatic)
      all.push_back(variant);
  return all;
}

/// Computes `alpha C X + beta Y`. X and Y have s values per row.
template <class Scalar>
std::vector<Scalar> multiply(const TestCirculant<Scalar>& A,
                             const BlockCirculantPlan<TestSpace, Scalar>& plan, double alpha,
                             const std::vector<double>& x, double beta,
                             const std::vector<double>& y, int s = 1) {
  const TestSpace exec;
  const auto from = to_device<TestSpace, Scalar>(exec, x);
  const auto to = to_device<TestSpace, Scalar>(exec, y);
  spmv<TestSpace, Scalar>(exec, plan, A, static_cast<Scalar>(alpha),
                          MultiVectorView<const Scalar, TestMemory>(from.data(), A.num_cols(), s),
                          static_cast<Scalar>(beta),
                          MultiVectorView<Scalar, TestMemory>(to.data(), A.num_rows(), s));
  return to_std_vector(to);
}

/// Computes `alpha C^T Y + beta X`.
template <class Scalar>
std::vector<Scalar> multiply_transposed(const TestCirculant<Scalar>& A,
                                        const CirculantTransposePlan<TestSpace, Scalar>& plan,
                                        double alpha, const std::vector<double>& y, double beta,
                                        const std::vector<double>& x, int s = 1) {
  const TestSpace exec;
  const auto from = to_device<TestSpace, Scalar>(exec, y);
  const auto to = to_device<TestSpace, Scalar>(exec, x);
  spmv_transpose<TestSpace, Scalar>(
      exec, plan, A, static_cast<Scalar>(alpha),
      MultiVectorView<const Scalar, TestMemory>(from.data(), A.num_rows(), s),
      static_cast<Scalar>(beta), MultiVectorView<Scalar, TestMemory>(to.data(), A.num_cols(), s));
  return to_std_vector(to);
}

}  // namespace Tomokkos::Testing
