// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmark of pairs of rows, and of one ray of each orbit in every format: the candidates, the
// data that they share, and their correctness.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchCase.hpp>
#include <Tomokkos_BenchOurProducts.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <map>
#include <set>

#include "BenchTesting.hpp"

namespace {

using Tomokkos::MatrixFormat;
using Tomokkos::TransposeMethod;
constexpr bool on_host = Tomokkos::Impl::is_host_space<TestSpace>;

/// Scan of 16 views over half a turn or, with \p whole, a full turn, which measures lines twice.
RayGrid scan(bool whole) {
  ScanOfMatrix result;
  result.volume = {20, 20, 1.0};
  result.scan.views = Tomokkos::ViewAngles::evenly_spaced(
      16, Tomokkos::Angle::turns(1, whole ? 32 : 64),
      whole ? Tomokkos::ViewAngles::full_turn() : Tomokkos::ViewAngles::half_turn());
  result.scan.detectors = 30;
  result.projector = Tomokkos::Projector::linear;
  return {16, 30, result};
}

template <class Scalar>
BenchCase<TestSpace, Scalar> case_of(const RayGrid& rays) {
  return {TestSpace(),
          Tomokkos::build_system_matrix<TestSpace, Scalar>(TestSpace(), rays.scan->volume,
                                                           rays.scan->scan, rays.scan->projector),
          1, rays};
}

std::set<std::string> names_of(const auto& list) {
  std::set<std::string> names;
  for (const auto& product : list.entries()) names.insert(product.format + " " + product.variant);
  EXPECT_EQ(names.size(), list.entries().size());
  return names;
}

/// Expects that the check detects a wrong result and accepts the correct one.
template <class Scalar>
void expect_correct(BenchCase<TestSpace, Scalar>& matrix_case, const Product<Scalar>& product,
                    bool of_transpose) {
  const std::string name = product.format + " " + product.variant;
  const Candidate candidate = matrix_case.candidate(product, of_transpose);
  candidate.poison();
  EXPECT_GT(candidate.error(), 1.0) << name;
  candidate.launch();
  candidate.fence();
  EXPECT_LE(candidate.error(), 1.0) << name;
}

template <class Scalar>
void check_pairs() {
  auto matrix_case = case_of<Scalar>(scan(false));
  BenchOptions options = quick_options();
  options.formats = {"pair_blocked"};
  const auto forward_products = our_products(matrix_case, options, false);
  const auto transposed_products = our_products(matrix_case, options, true);
  EXPECT_TRUE(forward_products.refused().empty());
  EXPECT_TRUE(transposed_products.refused().empty());
  EXPECT_EQ(names_of(forward_products),
            (std::set<std::string>{"pair_blocked spread", "pair_blocked ascending"}));
  EXPECT_EQ(names_of(transposed_products),
            (std::set<std::string>{"pair_blocked atomic:spread", "pair_blocked atomic:ascending",
                                   "pair_blocked fixed_point:spread",
                                   "pair_blocked fixed_point:ascending"}));
  for (const auto& product : forward_products.entries())
    expect_correct(matrix_case, product, false);
  for (const auto& product : transposed_products.entries()) {
    expect_correct(matrix_case, product, true);
    const std::string order = product.variant.substr(product.variant.find(':') + 1);
    const auto* forward = forward_products.find_or_first("pair_blocked", order);
    ASSERT_NE(forward, nullptr);
    EXPECT_EQ(forward->variant, order);
    EXPECT_EQ(forward->copy, product.copy);
    const bool is_atomic = product.variant.rfind("atomic", 0) == 0;
    EXPECT_EQ(product.memory_bytes - forward->memory_bytes, is_atomic ? 0U : 9 * 400 + 8U);
  }
  EXPECT_NE(forward_products.entries()[0].copy, forward_products.entries()[1].copy);
  options.transposes = {TransposeMethod::fixed_point};
  EXPECT_EQ(our_products(matrix_case, options, true).entries().size(), 2U);
  options.transposes = {TransposeMethod::stored};
  EXPECT_TRUE(our_products(matrix_case, options, true).entries().empty());
  options.transposes = {};
  options.deterministic = true;
  const auto repeatable = our_products(matrix_case, options, true);
  EXPECT_EQ(repeatable.entries().size(), 2U);
  ASSERT_EQ(repeatable.refused().size(), 2U);
  EXPECT_NE(repeatable.refused().front().reason.find("run.deterministic"), std::string::npos);
}

TEST(BenchPairs, use_one_copy_for_both_products_float) { check_pairs<float>(); }
TEST(BenchPairs, use_one_copy_for_both_products_double) { check_pairs<double>(); }

template <class Scalar>
void check_stored_rays(bool whole) {
  auto matrix_case = case_of<Scalar>(scan(whole));
  BenchOptions options = quick_options();
  options.formats = {"scsr"};
  const auto forward_products = our_products(matrix_case, options, false);
  const auto transposed_products = our_products(matrix_case, options, true);
  for (const auto& refused : forward_products.refused())
    ADD_FAILURE() << refused.variant << refused.reason;
  for (const auto& refused : transposed_products.refused())
    ADD_FAILURE() << refused.variant << refused.reason;
  std::set<std::string> forward{"scsr csr", "scsr sell", "scsr packed_csr", "scsr pair_blocked"};
  std::set<std::string> backward{"scsr stored:csr",
                                 "scsr stored:csr:sell",
                                 "scsr atomic:csr",
                                 "scsr stored:sell",
                                 "scsr stored:packed_csr",
                                 "scsr atomic:pair_blocked",
                                 "scsr fixed_point:pair_blocked"};
  if (!on_host) {
    forward.insert("scsr sell:chunk_8");
    backward.insert("scsr stored:sell:chunk_8");
  }
  if (std::is_same_v<Scalar, float>) {
    forward.insert("scsr_half packed_csr");
    backward.insert("scsr_half stored:packed_csr");
  }
  EXPECT_EQ(names_of(forward_products), forward);
  EXPECT_EQ(names_of(transposed_products), backward);
  for (const auto& product : forward_products.entries()) {
    expect_correct(matrix_case, product, false);
    EXPECT_NEAR(product.fill, whole ? 1.0 / 16 : 1.0 / 8, 0.02) << product.variant;
  }
  for (const auto& product : transposed_products.entries()) {
    expect_correct(matrix_case, product, true);
    std::string name = product.variant.substr(product.variant.find(':') + 1);
    // The rays are in CSR, whatever the format of their transpose.
    if (name == "csr:sell") name = "csr";
    const auto* other = forward_products.find_or_first(product.format, name);
    ASSERT_NE(other, nullptr);
    EXPECT_EQ(other->variant, name);
    // The stored rays of both products count once. A transposed copy belongs only to A^T x.
    EXPECT_EQ(other->copy, product.copy);
    EXPECT_EQ(product.memory_bytes > other->memory_bytes, product.variant.rfind("stored", 0) == 0)
        << product.variant;
    if (product.format != "scsr_half") continue;
    // Rounded values would appear wrong if compared with the reference of the matrix.
    Product<Scalar> unrounded = product;
    unrounded.error = {};
    const Candidate candidate = matrix_case.candidate(unrounded, true);
    candidate.launch();
    candidate.fence();
    EXPECT_GT(candidate.error(), 1.0);
  }
  options.transposes = {TransposeMethod::fixed_point};
  EXPECT_EQ(names_of(our_products(matrix_case, options, true)),
            std::set<std::string>{"scsr fixed_point:pair_blocked"});
  options.transposes = {};
  options.deterministic = true;
  for (const std::string& name : names_of(our_products(matrix_case, options, true)))
    EXPECT_EQ(name.find("atomic"), std::string::npos) << name;
}

TEST(BenchPairs, stored_rays_are_timed_in_every_format_float) {
  check_stored_rays<float>(false);
  check_stored_rays<float>(true);
}
TEST(BenchPairs, stored_rays_are_timed_in_every_format_double) {
  check_stored_rays<double>(false);
  check_stored_rays<double>(true);
}

/// Whole iterations combine the forward and transposed products of the same name.
TEST(BenchPairs, are_combined_in_iterations) {
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::mlem_iteration};
  options.formats = {"scsr", "pair_blocked"};
  Suite<TestSpace> suite(TestSpace(), options);
  const RayGrid rays = scan(true);
  suite.measure_matrix<float>(
      "scan",
      Tomokkos::build_system_matrix<TestSpace, float>(TestSpace(), rays.scan->volume,
                                                      rays.scan->scan, rays.scan->projector),
      "", "generated", rays);
  EXPECT_TRUE(suite.report().skipped.empty());
  std::map<std::string, BenchResult> seen;
  for (const BenchResult& r : suite.report().results) {
    const bool is_rounded = r.name.format == "scsr_half";
    const bool is_iteration = r.name.operation == "mlem_iteration";
    EXPECT_LE(r.error, is_iteration && is_rounded ? 100 : 1.0) << r.name.variant;
    EXPECT_EQ(r.rmse_to_plain.has_value(), is_iteration && is_rounded) << r.name.variant;
    seen.emplace(r.name.operation + ' ' + r.name.format + ' ' + r.name.variant, r);
  }
  const std::size_t vectors = 3 * (400 + 16 * 30) * sizeof(float);
  for (const char* variant :
       {"pair_blocked atomic:spread", "pair_blocked fixed_point:ascending", "scsr stored:csr",
        "scsr stored:sell", "scsr fixed_point:pair_blocked", "scsr_half stored:packed_csr"}) {
    const auto loop = seen.find("mlem_iteration " + std::string(variant));
    ASSERT_NE(loop, seen.end()) << variant;
    // The memory of A^T x includes what A x needs.
    EXPECT_EQ(loop->second.memory_bytes,
              seen.at("spmv_transpose " + std::string(variant)).memory_bytes + vectors)
        << variant;
  }
}

TEST(BenchPairs, stored_rays_need_a_scan) {
  BenchOptions options = quick_options();
  options.formats = {"scsr"};
  BenchCase<TestSpace, float> matrix_case(TestSpace(), test_matrix<float>(), 1);
  const auto list = our_products(matrix_case, options, false);
  EXPECT_TRUE(list.entries().empty());
  ASSERT_FALSE(list.refused().empty());
  EXPECT_NE(list.refused().front().reason.find("system matrix of a scan"), std::string::npos);
}

}  // namespace
