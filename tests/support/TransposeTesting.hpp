// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of the variants of the transposition with a plain one.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_Transpose.hpp>
#include <Tomokkos_TransposeLaunchConfig.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

namespace Tomokkos::Testing {

using TestMemory = TestSpace::memory_space;

inline std::vector<TransposeVariant> variants() {
  std::vector<TransposeVariant> all;
  for (const auto& [variant, name] : EnumNames<TransposeVariant>::names)
    if (has_transpose_variant(variant, !Impl::is_host_space<TestSpace>)) all.push_back(variant);
  return all;
}

/// Options of every variant. Host variants are also split into more parts than they would choose.
inline std::vector<TransposeOptions> all_options() {
  std::vector<TransposeOptions> all;
  for (const TransposeVariant variant : variants()) {
    all.push_back({variant});
    if (!has_transpose_variant(variant, true))
      for (const int parts : {1, 4, 32}) all.push_back({variant, parts});
    if (variant == TransposeVariant::banded)
      for (const Ordinal columns : {1, 7, 1000}) all.push_back({variant, 5, columns});
  }
  return all;
}

inline std::string describe(const TransposeOptions& options, const std::string& name) {
  return name + " by " + std::string(to_string(options.variant)) + ", parts " +
         std::to_string(options.parts) + ", bands of " + std::to_string(options.band_columns);
}

template <class Scalar>
void expect_equal(const PlainCsr& expected, const CsrMatrix<Scalar, TestMemory>& computed,
                  const std::string& what) {
  EXPECT_EQ(computed.num_rows, expected.rows) << what;
  EXPECT_EQ(computed.num_cols, expected.columns) << what;
  EXPECT_EQ(to_std_vector(computed.row_offsets), expected.offsets) << what;
  // Not EXPECT_EQ, which would print the many values.
  EXPECT_TRUE(to_std_vector(computed.columns) == expected.indices) << what;
  const std::vector<Scalar> values(expected.values.begin(), expected.values.end());
  EXPECT_TRUE(to_std_vector(computed.values) == values) << what;
}

template <class Scalar>
void check(const PlainCsr& plain, const std::vector<TransposeOptions>& all) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, Scalar>(exec, plain);
  const PlainCsr expected = plain.transposed();
  const PlainCsr twice = expected.transposed();  // A with its rows sorted
  for (const TransposeOptions& options : all) {
    const std::string what = describe(options, plain.name);
    const auto transposed = transpose<TestSpace, Scalar>(exec, A, options);
    expect_equal<Scalar>(expected, transposed, what);
    expect_equal<Scalar>(twice, transpose<TestSpace, Scalar>(exec, transposed, options),
                         what + ", twice");
  }
}

inline void check_pattern(const PlainCsr& plain, const std::vector<TransposeOptions>& all) {
  const TestSpace exec;
  const auto A = to_device<TestSpace, float>(exec, plain);
  const PlainCsr expected = plain.transposed();
  for (const TransposeOptions& options : all) {
    const auto T = transpose_pattern<TestSpace>(
        exec, {A.num_rows, A.num_cols, A.row_offsets, A.columns}, options);
    EXPECT_EQ(T.num_rows, plain.columns);
    EXPECT_EQ(T.num_cols, plain.rows);
    EXPECT_EQ(to_std_vector(T.row_offsets), expected.offsets) << describe(options, plain.name);
    EXPECT_TRUE(to_std_vector(T.columns) == expected.indices) << describe(options, plain.name);
  }
}

}  // namespace Tomokkos::Testing
