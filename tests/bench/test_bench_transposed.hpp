// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Methods for A^T x in the benchmark: the available ones, the data that they share with A x, and
// their correctness.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchCase.hpp>
#include <Tomokkos_BenchOurProducts.hpp>
#include <map>
#include <set>
#include <sstream>

#include "BenchTesting.hpp"

namespace {

TEST(BenchTransposed, methods_of_the_transposed_product_are_selected_by_name) {
  using Tomokkos::TransposeMethod;
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose};
  options.formats = {"csr", "sell"};
  options.variants = {Tomokkos::SpmvVariant::scalar};
  for (const auto& [method, name] : Tomokkos::EnumNames<TransposeMethod>::names) {
    // Skip the automatic choice, methods of other formats, and on a device the method for hosts.
    if (method == TransposeMethod::automatic || method == TransposeMethod::direct ||
        method == TransposeMethod::fixed_point)
      continue;
    if (method == TransposeMethod::private_images && !Tomokkos::Impl::is_host_space<TestSpace>)
      continue;
    options.transposes = {method};
    Suite<TestSpace> suite(TestSpace(), options);
    suite.measure_matrix<float>("uniform", test_matrix<float>(), "");
    std::size_t transposed = 0;
    for (const BenchResult& r : suite.report().results) {
      if (r.name.operation == "spmv") continue;
      ++transposed;
      EXPECT_EQ(r.name.variant.substr(0, r.name.variant.find(':')), name);
    }
    EXPECT_GT(transposed, 0U) << name;
    EXPECT_EQ(suite.report().results.size() - transposed, 4U)
        << "one candidate in CSR and three in SELL";
  }
}

TEST(BenchTransposed, methods_without_a_stored_transpose_are_correct) {
  using Tomokkos::MatrixFormat;
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::mlem_iteration};
  options.formats = {"csr", "ray_tiles", "packed_csr"};
  options.variants = {Tomokkos::SpmvVariant::scalar};
  Suite<TestSpace> suite(TestSpace(), options);
  const auto measure = [&](auto scalar) {
    auto A = generate<decltype(scalar)>(Uniform{900, 700, 60.0, 3});
    const Kokkos::View<decltype(scalar)*, Kokkos::HostSpace> values("values", A.values.extent(0));
    for (std::size_t k = 0; k < values.extent(0); ++k)
      values(k) = std::abs(A.values(k)) + decltype(scalar)(0.5);
    A.values = values;
    suite.measure_matrix<decltype(scalar)>("uniform",
                                           Tomokkos::copy_to<MemorySpace>(TestSpace(), A), "");
  };
  measure(1.0F);
  measure(1.0);
  std::map<std::string, BenchResult> seen;
  for (const BenchResult& r : suite.report().results) {
    const std::string name =
        r.name.operation + ' ' + r.name.scalar + ' ' + r.name.format + ' ' + r.name.variant;
    const bool is_rounded = r.name.format.ends_with("_half") || r.name.format.ends_with("_scaled");
    const bool is_iteration = r.name.operation == "mlem_iteration";
    // The iteration is checked against the matrix before rounding.
    EXPECT_LE(r.error, is_iteration && is_rounded ? 100 : 1.0) << name;
    // It is also compared with the format with plain values.
    ASSERT_EQ(r.rmse_to_plain.has_value(), is_iteration && is_rounded) << name;
    if (r.rmse_to_plain) {
      EXPECT_GT(*r.rmse_to_plain, 0) << name;
      EXPECT_LT(*r.rmse_to_plain, 1e-2) << name;
    }
    seen.emplace(name, r);
  }
  EXPECT_TRUE(suite.report().skipped.empty());
  for (const std::string operation : {"spmv", "spmv_transpose", "mlem_iteration"}) {
    EXPECT_EQ(seen.count(operation + " double ray_tiles one_copy"), 1U);
    for (const char* format : {"ray_tiles", "ray_tiles_half", "ray_tiles_scaled"})
      EXPECT_EQ(seen.count(operation + " float " + format + " one_copy"), 1U) << format;
  }
  EXPECT_NE(Tomokkos::Bench::to_json(suite.report()).find("\"rmse_to_plain\""), std::string::npos);
  std::ostringstream table;
  Tomokkos::Bench::write_table(table, suite.report());
  EXPECT_NE(table.str().find("rmse to plain"), std::string::npos);
  for (const char* scalar : {"float", "double"})
    EXPECT_EQ(seen.count("spmv_transpose " + std::string(scalar) + " csr private"),
              Tomokkos::Impl::is_host_space<TestSpace> ? 1U : 0U);
  // Both products read the same copy, which counts once.
  const BenchResult& product = seen.at("spmv float ray_tiles one_copy");
  const BenchResult& iteration = seen.at("mlem_iteration float ray_tiles one_copy");
  EXPECT_EQ(iteration.memory_bytes, product.memory_bytes + 3 * (900 + 700) * sizeof(float));
  EXPECT_LT(seen.at("spmv float ray_tiles_half one_copy").memory_bytes, product.memory_bytes);
  // Private images are added to the packed rows that both products read.
  if (Tomokkos::Impl::is_host_space<TestSpace>) {
    std::size_t packed = 0, images = 0, loop = 0;
    for (const auto& [name, result] : seen) {
      if (name.find(" float packed_csr ") == std::string::npos) continue;
      if (name.rfind("spmv float", 0) == 0) packed = result.memory_bytes;
      if (name.rfind("spmv_transpose float packed_csr private:", 0) == 0)
        images = result.memory_bytes - packed;
      if (name.rfind("mlem_iteration float packed_csr private:", 0) == 0)
        loop = result.memory_bytes;
    }
    EXPECT_GT(images, 0U);
    EXPECT_EQ(loop, packed + images + 3 * (900 + 700) * sizeof(float));
  }
  // The same holds for the matrix if A^T x is computed from it. A stored transpose is a separate
  // matrix.
  const std::size_t vectors = 3 * (900 + 700) * sizeof(float);
  const std::size_t atomic = seen.at("spmv_transpose float csr atomic").memory_bytes;
  const BenchResult& loop = seen.at("mlem_iteration float csr atomic");
  EXPECT_LT(loop.memory_bytes, 2 * atomic);
  EXPECT_GE(loop.memory_bytes, atomic + vectors);
  for (const auto& [name, result] : seen)
    if (name.rfind("mlem_iteration float csr stored:", 0) == 0) {
      EXPECT_GE(result.memory_bytes, 2 * atomic) << name;
    }
}

TEST(BenchTransposed, packed_rows_are_timed_beside_csr) {
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose};
  options.variants = {Tomokkos::SpmvVariant::scalar};
  options.formats.push_back("packed_csr");
  for (const bool as_rays : {false, true}) {
    Suite<TestSpace> suite(TestSpace(), options);
    const Tomokkos::Bench::RayGrid rays =
        as_rays ? Tomokkos::Bench::RayGrid{9, 10} : Tomokkos::Bench::RayGrid{};
    suite.measure_matrix<float>("uniform", test_matrix<float>(), "", "generated", rays);
    suite.measure_matrix<double>("uniform", test_matrix<double>(), "", "generated", rays);
    EXPECT_TRUE(suite.report().skipped.empty());
    std::multiset<std::string> seen;
    for (const BenchResult& r : suite.report().results) {
      EXPECT_LE(r.error, 1.0) << r.name.format << ' ' << r.name.variant;
      if (r.name.format == "csr") continue;
      const bool of_transpose = r.name.operation == "spmv_transpose";
      const std::string way =
          of_transpose ? r.name.variant.substr(0, r.name.variant.find(':')) : "";
      // The rows of a stored transpose are pixels.
      EXPECT_EQ(r.name.variant.find(":tiled_rays") != std::string::npos,
                as_rays && way != "stored");
      seen.insert(way + ' ' + r.name.scalar + ' ' + r.name.format);
    }
    std::multiset<std::string> expected;
    std::vector<std::string> ways{"", "stored", "atomic"};
    if (Tomokkos::Impl::is_host_space<TestSpace>) ways.emplace_back("private");
    for (const std::string& way : ways)
      for (const char* rest : {"float packed_csr", "float packed_csr_half",
                               "float packed_csr_scaled", "double packed_csr"})
        expected.insert(way + ' ' + rest);
    EXPECT_EQ(seen, expected);
  }
}

/// A^T x reads the same packed rows as A x. The check accounts for their rounded values.
TEST(BenchTransposed, packed_rows_use_one_copy_for_both_products) {
  constexpr bool on_host = Tomokkos::Impl::is_host_space<TestSpace>;
  BenchOptions options = quick_options();
  options.formats = {"packed_csr"};
  BenchCase<TestSpace, float> matrix_case(TestSpace(), test_matrix<float>(), 1);
  const auto forward_products = our_products(matrix_case, options, false);
  const auto transposed_products = our_products(matrix_case, options, true);
  EXPECT_TRUE(transposed_products.refused().empty());
  ASSERT_EQ(forward_products.entries().size(), 3U);
  EXPECT_EQ(transposed_products.entries().size(), on_host ? 9U : 6U);
  for (const auto& product : transposed_products.entries()) {
    const std::string way = product.variant.substr(0, product.variant.find(':'));
    const auto* forward =
        forward_products.find_or_first(product.format, product.variant.substr(way.size() + 1));
    ASSERT_NE(forward, nullptr);
    EXPECT_EQ(product.copy == forward->copy, way != "stored") << product.variant;
    EXPECT_EQ(product.memory_bytes > forward->memory_bytes || way != "private", true);
    if (way == "atomic") {
      EXPECT_EQ(product.memory_bytes, forward->memory_bytes);
    }
    // Rounded values would appear wrong if compared with the reference of the matrix. A wrong
    // result is detected.
    const bool is_rounded = product.format != "packed_csr";
    EXPECT_EQ(static_cast<bool>(product.error), is_rounded) << product.format;
    const Candidate candidate = matrix_case.candidate(product, true);
    candidate.poison();
    EXPECT_GT(candidate.error(), 1.0) << product.format << ' ' << product.variant;
    candidate.launch();
    candidate.fence();
    EXPECT_LE(candidate.error(), 1.0) << product.format << ' ' << product.variant;
    if (is_rounded) {
      Product<float> unrounded = product;
      unrounded.error = {};
      EXPECT_GT(matrix_case.candidate(unrounded, true).error(), 1.0) << product.format;
    }
  }
}

TEST(BenchTransposed, deterministic_runs_refuse_atomic_packed_rows) {
  BenchOptions options = quick_options();
  options.formats = {"packed_csr"};
  options.transposes = {Tomokkos::TransposeMethod::atomic};
  options.deterministic = true;
  BenchCase<TestSpace, double> matrix_case(TestSpace(), test_matrix<double>(), 1);
  const auto list = our_products(matrix_case, options, true);
  EXPECT_TRUE(list.entries().empty());
  ASSERT_EQ(list.refused().size(), 1U);
  EXPECT_EQ(list.refused().front().format, "packed_csr");
  EXPECT_EQ(list.refused().front().variant, "atomic");
  EXPECT_NE(list.refused().front().reason.find("run.deterministic"), std::string::npos);
}

}  // namespace
