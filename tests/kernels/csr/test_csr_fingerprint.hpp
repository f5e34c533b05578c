// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fingerprint of a matrix: equal for equal matrices on every backend, different after every change.
#include <gtest/gtest.h>

#include <Tomokkos_CsrFingerprint.hpp>
#include <bit>
#include <set>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

template <class Scalar>
std::uint64_t fingerprint(const PlainCsr& A) {
  const TestSpace exec;
  return csr_fingerprint(exec, to_device<TestSpace, Scalar>(exec, A));
}

/// x after three rounds of shifts and multiplications, as the kernels do it.
std::uint64_t scrambled(std::uint64_t x) {
  for (int i = 0; i < 3; ++i) x = (x ^ (x >> 32)) * 0x9e3779b97f4a7c15ULL;
  return x ^ (x >> 29);
}

std::uint64_t plain_fingerprint(const PlainCsr& A) {
  std::uint64_t sum = static_cast<std::uint64_t>(A.columns);
  for (std::size_t k = 0; k < A.values.size(); ++k)
    sum += scrambled(scrambled(scrambled(k) + static_cast<std::uint64_t>(A.indices[k])) +
                     std::bit_cast<std::uint64_t>(A.values[k]));
  for (std::size_t i = 0; i < A.offsets.size(); ++i)
    sum += scrambled(scrambled(~i) + static_cast<std::uint64_t>(A.offsets[i]));
  return scrambled(sum);
}

TEST(CsrFingerprint, is_that_of_a_plain_loop) {
  std::set<std::uint64_t> seen;
  for (const auto& A : battery::matrices()) {
    EXPECT_EQ(fingerprint<double>(A), plain_fingerprint(A)) << A.name;
    EXPECT_EQ(fingerprint<float>(A), fingerprint<float>(A)) << A.name;
    seen.insert(fingerprint<double>(A));
  }
  EXPECT_EQ(seen.size(), battery::matrices().size());
}

TEST(CsrFingerprint, of_blocks_of_rows_is_that_of_the_whole) {
  const TestSpace exec;
  for (const auto& A : battery::matrices())
    for (const int rows : {1, 7, 1000}) {
      if (A.rows > 2000 && rows == 1) continue;
      CsrFingerprint<TestSpace, double> sum;
      for (int begin = 0; begin < A.rows; begin += rows) {
        PlainCsr block;
        block.columns = A.columns;
        for (int i = begin; i < std::min(A.rows, begin + rows); ++i) {
          for (auto k = A.offsets[i]; k < A.offsets[i + 1]; ++k)
            block.add(A.indices[k], A.values[k]);
          block.end_row();
        }
        sum.add(exec, to_device<TestSpace, double>(exec, block));
      }
      EXPECT_EQ(sum.value(A.columns), fingerprint<double>(A)) << A.name;
    }
}

TEST(CsrFingerprint, changes_with_every_part_of_a_matrix) {
  const PlainCsr A = battery::make("changed", 40, 30, [](int i) { return 1 + i % 5; });
  std::set<std::uint64_t> seen{fingerprint<float>(A)};
  const auto expect_new = [&](const PlainCsr& B, const std::string& what) {
    EXPECT_TRUE(seen.insert(fingerprint<float>(B)).second) << what;
  };
  for (std::size_t k = 0; k < A.values.size(); ++k) {
    PlainCsr B = A;
    B.values[k] = std::nextafter(static_cast<float>(B.values[k]), 10.0F);
    expect_new(B, "value " + std::to_string(k));
    B = A;
    B.indices[k] = (B.indices[k] + 1) % 30;
    expect_new(B, "column " + std::to_string(k));
    if (k + 1 == A.values.size() || A.values[k] == A.values[k + 1]) continue;
    B = A;
    std::swap(B.values[k], B.values[k + 1]);
    expect_new(B, "order of values " + std::to_string(k));
  }
  for (int i = 1; i < A.rows; ++i) {
    PlainCsr B = A;
    if (B.offsets[i] + 1 > B.offsets[i + 1]) continue;
    ++B.offsets[i];
    expect_new(B, "row " + std::to_string(i));
  }
  PlainCsr wider = A;
  ++wider.columns;
  expect_new(wider, "number of columns");
  PlainCsr longer = A;
  longer.end_row();
  expect_new(longer, "number of rows");
}

}  // namespace
