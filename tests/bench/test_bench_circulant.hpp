// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmark of block-circulant matrices: every method runs correctly or is refused with its reason,
// and wrong results are detected.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchCirculantPeers.hpp>
#include <Tomokkos_BenchCirculantReference.hpp>
#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_BenchOurProducts.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <Tomokkos_BlockCirculantConversion.hpp>
#include <Tomokkos_ForEach.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

namespace {

using namespace Tomokkos::Bench;
using Tomokkos::CirculantVariant;
using Tomokkos::Ordinal;
using MemorySpace = TestSpace::memory_space;

template <class Scalar>
using Circulants = Tomokkos::BlockCirculantMatrix<Scalar, MemorySpace>;

template <class Scalar>
Circulants<Scalar> make(const Circulant& spec) {
  const TestSpace exec;
  return Tomokkos::block_circulant_from_block_row<TestSpace, Scalar>(
      exec, Tomokkos::copy_to<MemorySpace>(exec, generate<Scalar>(spec)), spec.blocks);
}

/// Rectangular blocks; the number of blocks is divisible by neither 32 nor 8.
const Circulant small{19, 13, 37, 40, 3};

BenchOptions quick_options() {
  BenchOptions options;
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::alternating};
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names) options.peers.push_back(peer);
  options.timing.warmup = 1;
  options.timing.repetitions = 3;
  options.timing.seconds_per_sample = 0;
  options.products = 6;
  options.available_bytes = std::size_t{1} << 26;  // arrays of the bandwidth probe stay small
  return options;
}

std::string name_of(const BenchResult& r) {
  return r.name.operation + ' ' + r.name.scalar + ' ' + r.name.library + ' ' + r.name.variant;
}

TEST(BenchCirculant, every_method_runs_and_is_correct) {
  Suite<TestSpace> suite(TestSpace(), quick_options());
  suite.measure_circulant<float>("small", make<float>(small));
  suite.measure_circulant<double>("small", make<double>(small));
  const BenchReport& report = suite.report();
  ASSERT_EQ(report.matrices.size(), 1U);
  const double nonzeros = 37.0 * 19 * 40;
  std::map<std::string, const BenchResult*> seen;
  for (const BenchResult& r : report.results) {
    EXPECT_LE(r.error, 1.0) << name_of(r);
    EXPECT_GT(r.seconds_best, 0.0);
    EXPECT_LE(r.seconds_best, r.seconds_p25);
    EXPECT_EQ(r.operations, (r.name.operation == "alternating" ? 6 : 1) * 2 * nonzeros);
    EXPECT_DOUBLE_EQ(r.gigaflops_best().value_or(0), 1e-9 * r.operations / r.seconds_best);
    EXPECT_GE(r.memory_bytes, report.matrices[0].circulant->bytes / 2) << name_of(r);
    seen[name_of(r)] = &r;
  }
  for (const std::string scalar : {"float", "double"}) {
    for (const auto& [variant, name] : Tomokkos::EnumNames<CirculantVariant>::names) {
      // The variant `library` calls Kokkos Kernels.
      if (variant == CirculantVariant::library &&
          std::count(report.absent_peers.begin(), report.absent_peers.end(), "kokkos_kernels") > 0)
        continue;
      const std::string ours = scalar + " tomokkos ";
      EXPECT_EQ(seen.count("spmv " + ours + std::string(name)), 1U) << name;
      for (const char* operation : {"spmv_transpose ", "alternating "})
        EXPECT_EQ(seen.count(operation + ours + "stored:" + std::string(name)), 1U) << name;
    }
    for (const char* operation : {"spmv_transpose ", "alternating "})
      EXPECT_EQ(seen.count(operation + scalar + " tomokkos direct"), 1U);
    EXPECT_NE(seen.at("spmv " + scalar + " tomokkos automatic")->choice.find("block_circulant "),
              std::string::npos);
  }
  // Every available library computes k products with a vector, and transposed products from A and
  // from a copy of A^T.
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names) {
    if (std::count(report.absent_peers.begin(), report.absent_peers.end(), name) > 0) continue;
    std::set<std::string> ways;
    for (const BenchResult& r : report.results)
      if (r.name.library == name && r.name.scalar == "float")
        ways.insert(r.name.operation + ' ' + r.name.variant.substr(0, r.name.variant.rfind(':')));
    const auto has = [&](const std::string& way) {
      for (const std::string& found : ways)
        if (found.rfind(way, 0) == 0) return true;
      return false;
    };
    for (const char* way :
         {"spmv k_spmv", "spmv spmm_copy", "spmv_transpose stored:k_spmv",
          "spmv_transpose k_spmv_op_t", "alternating stored:k_spmv", "alternating k_spmv_op_t"})
      EXPECT_TRUE(has(way)) << name << ' ' << way;
  }
  for (const SkippedCandidate& skipped : report.skipped) {
    EXPECT_FALSE(skipped.reason.empty());
    // All our methods are measured, except the variant of another library, which may be missing.
    if (skipped.name.library == "tomokkos") {
      EXPECT_NE(skipped.name.variant.find("library"), std::string::npos) << skipped.reason;
    }
  }
}

TEST(BenchCirculant, reports_the_figures_of_the_expanded_matrix) {
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::transpose};
  options.circulant_variants = {CirculantVariant::mm_2, CirculantVariant::automatic};
  Suite<TestSpace> suite(TestSpace(), options);
  const auto A = make<float>(small);
  suite.measure_circulant<float>("small", A);
  const MatrixInfo& info = suite.report().matrices.at(0);
  const auto expanded = Tomokkos::csr_from_block_circulant<TestSpace, float>(
      TestSpace(), A, Tomokkos::CirculantOrder::rotations);
  const auto rows = Tomokkos::row_statistics<TestSpace, float>(TestSpace(), expanded);
  EXPECT_EQ(info.rows.rows, rows.rows);
  EXPECT_EQ(info.rows.columns, rows.columns);
  EXPECT_EQ(info.rows.nonzeros, rows.nonzeros);
  EXPECT_EQ(info.rows.shortest, rows.shortest);
  EXPECT_EQ(info.rows.longest, rows.longest);
  EXPECT_DOUBLE_EQ(info.rows.mean, rows.mean);
  EXPECT_NEAR(info.rows.sigma, rows.sigma, 1e-9);
  ASSERT_TRUE(info.circulant.has_value());
  EXPECT_EQ(info.circulant->csr_bytes, expanded.memory_bytes());
  EXPECT_EQ(info.circulant->bytes, A.memory_bytes());
  EXPECT_EQ(info.circulant->blocks, 37);
  EXPECT_EQ(info.circulant->stored, 19 * 40);
  EXPECT_GT(info.circulant->reuse, 1.0);
  ASSERT_EQ(suite.report().results.size(), 2U);
  // Operations without candidates for block-circulant matrices are skipped with the reason.
  ASSERT_EQ(suite.report().skipped.size(), 1U);
  EXPECT_NE(suite.report().skipped[0].reason.find("transpose applies only to matrices in CSR"),
            std::string::npos);
  std::ostringstream table;
  write_table(table, suite.report());
  EXPECT_NE(table.str().find("37 x 37 blocks of 19 x 13"), std::string::npos) << table.str();
  EXPECT_NE(to_json(suite.report()).find("\"csr_bytes\""), std::string::npos);
}

TEST(BenchCirculant, references_agree_with_the_expanded_matrix) {
  const TestSpace exec;
  // A row of the replicated X has at least 2 k - 1 values.
  for (const Circulant& spec : {small, Circulant{5, 7, 1, 4, 1}, Circulant{4, 3, 20, 30, 2}}) {
    const auto A = make<float>(spec);
    const auto C = Tomokkos::csr_from_block_circulant<TestSpace, float>(
        exec, A, Tomokkos::CirculantOrder::rotations);
    BenchCase<TestSpace, float> matrix_case(exec, A, 5);
    for (const bool of_transpose : {false, true}) {
      const auto wide = widen<TestSpace, float>(exec, matrix_case.x(of_transpose));
      const auto expected = of_transpose
                                ? reference_transposed_product<TestSpace, float>(exec, C, wide)
                                : reference_product<TestSpace, float>(exec, C, wide);
      const auto found = matrix_case.reference(of_transpose);
      const auto host = [](const auto& view) {
        return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
      };
      const auto value = host(found.value), bound = host(found.bound);
      const auto expected_value = host(expected.value), expected_bound = host(expected.bound);
      ASSERT_EQ(value.extent(0), expected_value.extent(0));
      for (std::size_t i = 0; i < value.extent(0); ++i) {
        EXPECT_NEAR(value(i), expected_value(i), 1e-12);
        EXPECT_NEAR(bound(i), expected_bound(i), 1e-12 * expected_bound(i));
      }
    }
  }
}

TEST(BenchCirculant, whole_numbers_widen_the_bound_by_the_entries_of_a_column) {
  const TestSpace exec;
  const auto A = make<float>(small);
  BenchCase<TestSpace, float> matrix_case(exec, A, 5);
  const auto plain = matrix_case.reference(true);
  const auto widened = with_circulant_whole_numbers<TestSpace, float>(exec, A, 8.0, plain);
  const auto same = with_circulant_whole_numbers<TestSpace, float>(exec, A, 0.0, plain);
  EXPECT_EQ(same.bound.data(), plain.bound.data());
  const auto bound = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), plain.bound);
  const auto wide = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), widened.bound);
  double entries = 0;
  for (std::size_t c = 0; c < bound.extent(0); ++c)
    entries += (wide(c) - bound(c)) / (8.0 * 0x1p-30);
  // Every entry occurs in the bound of each rotation of its column.
  EXPECT_NEAR(entries, 37.0 * 19 * 40, 1.0);
}

TEST(BenchCirculant, wrong_products_are_detected) {
  const TestSpace exec;
  BenchCase<TestSpace, float> matrix_case(exec, make<float>(small), 5);
  const BenchOptions options = quick_options();
  for (const bool of_transpose : {false, true}) {
    const auto list = our_circulant_products(matrix_case, options, of_transpose);
    ASSERT_FALSE(list.entries().empty());
    const Product<float> correct = list.entries().front();
    for (const VectorLayout layout : {VectorLayout::as_it_is, VectorLayout::blocks}) {
      Product<float> wrong = correct;
      wrong.y_layout = layout;
      // One wrong value among many, and a correct product with a wrong layout.
      wrong.run = [run = correct.run, exec, layout](const float* x, float* y) {
        run(x, y);
        if (layout == VectorLayout::blocks) return;
        const Tomokkos::VectorView<float, MemorySpace> value(y + 5, 1);
        Kokkos::deep_copy(exec, value, 1000.0F);
      };
      const Candidate candidate = matrix_case.candidate(wrong, of_transpose);
      candidate.poison();
      candidate.launch();
      candidate.fence();
      EXPECT_GT(candidate.error(), 1.0) << of_transpose;
    }
  }
}

TEST(BenchCirculant, one_wrong_product_of_an_alternating_pair_is_detected) {
  const TestSpace exec;
  BenchCase<TestSpace, double> matrix_case(exec, make<double>(small), 5);
  const BenchOptions options = quick_options();
  const auto forward = our_circulant_products(matrix_case, options, false).entries().front();
  const auto backward = our_circulant_products(matrix_case, options, true).entries().front();
  const auto error = [&](const Product<double>& first, const Product<double>& second) {
    const Candidate candidate = matrix_case.alternating(first, second, 4);
    EXPECT_EQ(candidate.operations, 4 * 2.0 * 37 * 19 * 40);
    candidate.poison();
    candidate.launch();
    candidate.fence();
    return candidate.error();
  };
  Product<double> nothing = forward;
  nothing.run = [](const double*, double*) {};
  EXPECT_LE(error(forward, backward), 1.0);
  EXPECT_GT(error(nothing, backward), 1.0);
  EXPECT_GT(error(forward, nothing), 1.0);
}

TEST(BenchCirculant, iterations_of_solvers_are_correct) {
  BenchOptions options = quick_options();
  options.operations = {Operation::mlem_iteration, Operation::sirt_iteration};
  options.circulant_variants = {CirculantVariant::mm, CirculantVariant::automatic};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_circulant<float>("small", make<float>(small));
  suite.measure_circulant<double>("small", make<double>(small));
  std::set<std::string> seen;
  for (const BenchResult& r : suite.report().results) {
    EXPECT_LE(r.error, 1.0) << name_of(r);
    EXPECT_EQ(r.name.library, "tomokkos");
    seen.insert(name_of(r));
  }
  for (const std::string operation : {"mlem_iteration", "sirt_iteration"})
    for (const std::string scalar : {"float", "double"})
      for (const char* variant : {"stored:mm", "stored:automatic", "direct"})
        EXPECT_EQ(seen.count(operation + ' ' + scalar + " tomokkos " + variant), 1U) << variant;
  EXPECT_EQ(seen.size(), 12U);
  EXPECT_TRUE(suite.report().skipped.empty());
}

TEST(BenchCirculant, deterministic_runs_skip_the_variant_of_another_library) {
  BenchOptions options = quick_options();
  options.peers = {};
  options.deterministic = true;
  options.operations = {Operation::spmv};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_circulant<float>("small", make<float>(small));
  ASSERT_EQ(suite.report().skipped.size(), 1U);
  EXPECT_EQ(suite.report().skipped[0].name.variant, "library");
  EXPECT_NE(suite.report().skipped[0].reason.find("run.deterministic"), std::string::npos);
}

TEST(BenchCirculant, generated_matrices_have_the_requested_entries) {
  const Circulant spec{6, 50, 100, 50, 9};
  const auto A = generate<double>(spec);
  Tomokkos::validate(Tomokkos::HostCsrMatrix<double>::memory_space::execution_space(), A);
  EXPECT_EQ(A.num_cols, 5000);
  std::set<Ordinal> blocks;
  for (Ordinal i = 0; i < 6; ++i) {
    EXPECT_EQ(A.row_offsets(i + 1) - A.row_offsets(i), 50);
    std::set<Ordinal> columns;
    for (auto e = A.row_offsets(i); e < A.row_offsets(i + 1); ++e) {
      columns.insert(A.columns(e) % 50);
      blocks.insert(A.columns(e) / 50);
    }
    EXPECT_EQ(columns.size(), 50U) << "each in-sector column must occur once";
  }
  EXPECT_GT(blocks.size(), 50U) << "the entries must be in random blocks";
  const auto again = generate<double>(spec);
  for (std::size_t e = 0; e < A.columns.extent(0); ++e) ASSERT_EQ(A.columns(e), again.columns(e));
  EXPECT_THROW(generate<float>(Circulant{1, 2, 3, 7, 1}), Tomokkos::Error);
  EXPECT_THROW(generate<float>(Circulant{1, 100000, 100000, 7, 1}), Tomokkos::Error);
}

}  // namespace
