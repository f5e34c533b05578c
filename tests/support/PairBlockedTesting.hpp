// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Paired rows in tests: matrices that form all kinds of pairs, and the result of a transposed
// product without atomics.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_PairBlockedConversion.hpp>
#include <Tomokkos_SpmvPairBlocked.hpp>

#include "FormatTesting.hpp"

namespace Tomokkos::Testing {

template <class Scalar>
using TestPairs = PairBlockedMatrix<Scalar, TestMemory>;
template <class Scalar>
using HostPairs = PairBlockedMatrix<Scalar, Kokkos::HostSpace>;

template <class Scalar>
TestPairs<Scalar> pair_up(const PlainCsr& A, bool spread = true) {
  return pair_blocked_from_csr<TestSpace, Scalar>(TestSpace(), on_device<Scalar>(A),
                                                  {spread, any_fill});
}

template <class Scalar>
HostPairs<Scalar> on_host(const TestPairs<Scalar>& A) {
  return copy_to<Kokkos::HostSpace>(TestSpace(), A);
}

/// Rows with about as many columns as there are lanes, so that most assignments of columns to lanes
/// collide.
inline PlainCsr crowded() {
  return battery::make("crowded", 301, 70, [](int i) { return 20 + i * 31 % 30; });
}

/// Rows that seldom have columns in common.
inline PlainCsr crossing() {
  return battery::make("crossing", 255, 700, [](int i) { return i % 2 ? 40 : 30; });
}

/// The battery without matrices that would be almost only padding, with odd and even numbers of
/// rows of every kind.
inline std::vector<PlainCsr> pair_battery() {
  std::vector<PlainCsr> all;
  for (auto& plain : format_battery()) {
    std::int64_t longest = 0;
    for (std::int32_t i = 0; i < plain.rows; ++i)
      longest = std::max(longest, plain.offsets[i + 1] - plain.offsets[i]);
    if (plain.rows * longest < 4000000) all.push_back(std::move(plain));
  }
  all.push_back(crowded());
  all.push_back(crossing());
  all.push_back(battery::make("equal rows", 96, 300, [](int) { return 17; }));
  all.push_back(battery::make("one longer row", 65, 300, [](int i) { return i == 9 ? 18 : 17; }));
  all.push_back(
      battery::make("a huge row", 121, 4000, [](int i) { return i == 60 ? 4000 : i % 3; }));
  all.push_back(
      battery::make("two huge rows", 60, 2500, [](int i) { return i == 0 || i == 59 ? 2500 : 2; }));
  all.push_back(battery::make("three rows", 3, 50, [](int i) { return 10 * i; }));
  return all;
}

/// Computes `A^T x` as a kernel without atomics would. \p together groups advance in lock step. At
/// each position all their lanes first read their sums and then all write.
template <class Scalar>
std::vector<double> lock_step_transpose(const HostPairs<Scalar>& A, const std::vector<double>& x,
                                        Ordinal together) {
  struct Write {
    std::int32_t column;
    double sum;
  };
  const Impl::PairBlocks<Scalar> blocks(A);
  std::vector<double> y(static_cast<std::size_t>(A.num_cols));
  const Ordinal step = together * lock_step_lanes;
  for (Ordinal begin = 0; begin < A.num_pairs(); begin += step) {
    const Ordinal end = std::min(begin + step, A.num_pairs());
    for (Ordinal place = 0; place < A.width; ++place) {
      std::vector<Write> writes;
      for (Ordinal pair = begin; pair < end; ++pair) {
        const Offset at = blocks.position(pair, place);
        if (A.columns(at) == padding_column) continue;
        const bool in_first = place < blocks.first_length(pair);
        const Ordinal row = in_first ? blocks.first_row(pair) : blocks.second_row(pair);
        const double sum = y[A.columns(at)] + static_cast<double>(A.values(at)) * x[row];
        writes.push_back({A.columns(at), sum});
      }
      for (const Write& write : writes) y[write.column] = write.sum;
    }
  }
  return y;
}

}  // namespace Tomokkos::Testing
