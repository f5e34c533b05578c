// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every format behind one interface, for tests that do not depend on the format.
#pragma once

#include <Tomokkos_Formats.hpp>
#include <algorithm>
#include <random>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

namespace Tomokkos::Testing {

using TestMemory = TestSpace::memory_space;
template <class Scalar>
using TestCsr = CsrMatrix<Scalar, TestMemory>;

template <class Scalar>
TestCsr<Scalar> on_device(const PlainCsr& A) {
  return to_device<TestSpace, Scalar>(TestSpace(), A);
}

/// Limit that permits any padding. The battery has rows for which padding makes no sense.
inline constexpr PaddingLimit any_fill{1e30};

/// Makes the default plan for products with \p A.
template <class Matrix>
SpmvPlan<TestSpace, Matrix> planned(const Matrix& A) {
  return {TestSpace(), A};
}

/// Calls `visit(name, matrix, options of its product)` with \p A in every format and in every shape
/// for which there is a kernel.
template <class Scalar, class Visit>
void for_each_format(const TestCsr<Scalar>& A, const Visit& visit) {
  const TestSpace exec;
  const SpmvOptions plain;
  SpmvOptions deterministic;
  deterministic.deterministic = true;
  visit("coo", coo_from_csr<TestSpace, Scalar>(exec, A), plain);
  SpmvOptions small_tiles;
  for (const Offset items : {4, 64, 132}) {
    small_tiles.items_per_tile = items;
    visit("coo, tiles of " + std::to_string(items), coo_from_csr<TestSpace, Scalar>(exec, A),
          small_tiles);
  }
  visit("coo, deterministic", coo_from_csr<TestSpace, Scalar>(exec, A), deterministic);
  // In ELLPACK a matrix with one huge row would consist almost only of padding.
  const bool small = static_cast<double>(A.num_rows) * A.num_cols < 2e7;
  if (small) {
    visit("ell", ell_from_csr<TestSpace, Scalar>(exec, A, any_fill), plain);
    for (const bool sorted : {false, true}) {
      const auto ell_r = ell_r_from_csr<TestSpace, Scalar>(exec, A, {sorted, any_fill});
      for (const int threads : {0, 1, 2, 4, 8}) {
        SpmvOptions options;
        options.vector_length = threads;
        visit("ell_r, sorted " + std::to_string(sorted) + ", threads " + std::to_string(threads),
              ell_r, options);
      }
    }
  }
  for (const double quantile : {0.0, 0.5, 2.0 / 3.0})
    visit("hyb, quantile " + std::to_string(quantile),
          hyb_from_csr<TestSpace, Scalar>(exec, A, {quantile, any_fill}), plain);
  for (const auto& [chunk, sigma] : {std::pair{0, 1}, {0, 0}, {8, 64}, {32, 1}, {5, 10}}) {
    SellOptions options;
    options.chunk = chunk;
    options.sigma = sigma;
    options.limit = any_fill;
    visit("sell, chunk " + std::to_string(chunk) + ", sigma " + std::to_string(sigma),
          sell_from_csr<TestSpace, Scalar>(exec, A, options), plain);
  }
  SpmvOptions wide;
  wide.vector_length = 32;
  visit("bcsr 2", bcsr_from_csr<2, TestSpace, Scalar>(exec, A, {any_fill}), plain);
  visit("bcsr 3", bcsr_from_csr<3, TestSpace, Scalar>(exec, A, {any_fill}), plain);
  visit("bcsr 4", bcsr_from_csr<4, TestSpace, Scalar>(exec, A, {any_fill}), plain);
  visit("bcsr 3, 32 lanes", bcsr_from_csr<3, TestSpace, Scalar>(exec, A, {any_fill}), wide);
  visit("bcsr 4, 32 lanes", bcsr_from_csr<4, TestSpace, Scalar>(exec, A, {any_fill}), wide);
  visit("bcsr 8", bcsr_from_csr<8, TestSpace, Scalar>(exec, A, {any_fill}), plain);
}

/// The battery with sorted rows, and rows of lengths close to those of warps and blocks.
inline std::vector<PlainCsr> format_battery() {
  std::vector<PlainCsr> all;
  for (auto& plain : battery::matrices())
    if (plain.name != "rows in no order") all.push_back(std::move(plain));
  all.push_back(battery::make("31, 32, 33", 97, 203, [](int i) { return 31 + i % 3; }));
  all.push_back(battery::make("no block divides", 131, 67, [](int i) { return i % 13; }));
  all.push_back(
      battery::make("one row has everything", 77, 500, [](int i) { return i == 40 ? 500 : 0; }));
  return all;
}

/// Rows made of runs of 40 to 90 entries, the lengths of rays in a tile.
inline PlainCsr rays(std::int32_t rows = 700, std::int32_t columns = 9000) {
  std::mt19937 random(11);
  PlainCsr A;
  A.name = "rays";
  A.columns = columns;
  for (std::int32_t i = 0; i < rows; ++i) {
    std::int32_t j = static_cast<std::int32_t>(random() % 50U);
    while (j < columns) {
      const std::int32_t end =
          std::min<std::int32_t>(columns, j + 40 + static_cast<int>(random() % 50U));
      for (; j < end; ++j) A.add(j, 0.1 + static_cast<double>(random() % 1000U) / 1000);
      j += 300 + static_cast<std::int32_t>(random() % 900U);
    }
    A.end_row();
  }
  return A;
}

}  // namespace Tomokkos::Testing
