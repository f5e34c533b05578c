// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Benchmark of small matrices: every candidate runs correctly, and wrong results are detected.
#pragma once

#include <gtest/gtest.h>

#include <Tomokkos_BenchBandwidth.hpp>
#include <Tomokkos_BenchCase.hpp>
#include <Tomokkos_BenchOurProducts.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <Tomokkos_ForEach.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_Transpose.hpp>
#include <algorithm>
#include <limits>
#include <set>

#include "BenchTesting.hpp"

namespace {

TEST(BenchSuite, every_candidate_runs_and_is_correct) {
  BenchOptions all = quick_options();
  all.available_bytes = std::numeric_limits<std::size_t>::max();  // measure the bandwidths, too
  Suite<TestSpace> suite(TestSpace(), all);
  suite.measure_matrix<float>("uniform", test_matrix<float>(), "");
  suite.measure_matrix<double>("uniform", test_matrix<double>(), "");
  const auto power_law = generate<double>(PowerLaw{7, 6.0, 1});
  suite.measure_matrix<double>("power_law", Tomokkos::copy_to<MemorySpace>(TestSpace(), power_law),
                               "no scan");

  const BenchReport& report = suite.report();
  std::set<std::string> seen;
  for (const BenchResult& r : report.results) {
    EXPECT_LE(r.error, 1.0) << r.name.matrix << ' ' << r.name.operation << ' ' << r.name.scalar
                            << ' ' << r.name.library << ' ' << r.name.variant;
    EXPECT_GT(r.seconds_median, 0.0);
    EXPECT_GT(r.bytes_model, 0U);
    EXPECT_GT(r.memory_bytes, 0U);
    EXPECT_EQ(r.name.backend, Tomokkos::backend_name<TestSpace>());
    if (r.name.library == "tomokkos") seen.insert(r.name.operation + ' ' + r.name.variant);
    ASSERT_EQ(r.transposition.has_value(), r.name.operation == "transpose");
    if (!r.transposition) continue;
    const bool may_be_unsorted = r.name.library == "kokkos_kernels" && r.name.variant != "sorted";
    EXPECT_TRUE(r.transposition->sorted || may_be_unsorted)
        << r.name.library << ' ' << r.name.variant;
    EXPECT_EQ(r.transposition->workspace_bytes.has_value(), r.name.library != "eigen");
  }
  for (const char* wanted :
       {"spmv scalar", "spmv team_vector", "spmv merge_path", "spmv_transpose atomic",
        "spmv_transpose stored:scalar", "spmv_transpose stored:merge_path", "transpose automatic",
        "transpose multisplit", "mlem_iteration atomic", "mlem_iteration stored:team_vector",
        "sirt_iteration atomic"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
  // Only the iterations with the matrix that is not a scan are skipped.
  for (const SkippedCandidate& skipped : report.skipped)
    EXPECT_EQ(skipped.reason, "no scan") << skipped.name.library << ' ' << skipped.name.variant;
  EXPECT_EQ(report.skipped.size(), 2U);
  EXPECT_GT(report.bandwidth.copy, 0.0);
  EXPECT_GT(report.bandwidth.triad, 0.0);
  EXPECT_GT(report.bandwidth.read, 0.0);
  EXPECT_GT(report.bandwidth.reference, 0.0);
  EXPECT_GT(report.machine.last_cache_bytes, 0U);
  EXPECT_FALSE(report.machine.device.empty());
}

TEST(BenchSuite, negative_entries_are_refused_once_per_operation) {
  BenchOptions options = quick_options();
  options.operations = {Operation::mlem_iteration, Operation::sirt_iteration};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_matrix<double>(
      "stencil", Tomokkos::build_stencil_matrix<TestSpace, double>(TestSpace(), 7, 3, 3, 3), "");
  EXPECT_TRUE(suite.report().results.empty());
  ASSERT_EQ(suite.report().skipped.size(), 2U);
  for (const SkippedCandidate& skipped : suite.report().skipped)
    EXPECT_EQ(skipped.reason,
              "the matrix has negative entries; MLEM and SIRT need entries of at least 0");
}

TEST(BenchSuite, deterministic_runs_skip_candidates_that_add_in_varying_order) {
  BenchOptions options = quick_options();
  options.deterministic = true;
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::sirt_iteration};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_matrix<float>("uniform", test_matrix<float>(), "");
  std::set<std::string> seen, skipped;
  for (const BenchResult& r : suite.report().results)
    seen.insert(r.name.operation + ' ' + r.name.variant);
  for (const SkippedCandidate& s : suite.report().skipped) {
    skipped.insert(s.name.operation + ' ' + s.name.variant);
    EXPECT_NE(s.reason.find("run.deterministic"), std::string::npos) << s.reason;
  }
  for (const char* operation : {"spmv_transpose", "sirt_iteration"}) {
    EXPECT_EQ(seen.count(std::string(operation) + " atomic"), 0U);
    EXPECT_EQ(skipped.count(std::string(operation) + " atomic"), 1U);
    EXPECT_EQ(seen.count(std::string(operation) + " stored:merge_path"), 1U);
  }
  EXPECT_EQ(seen.count("spmv merge_path"), 1U);
}

TEST(BenchSuite, entries_are_interleaved_where_several_lanes_share_a_row) {
  using Tomokkos::EntryOrder;
  BenchOptions options = quick_options();
  options.peers = {};
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::spmm};
  options.variants = {Tomokkos::SpmvVariant::team_vector};
  options.vectors = {8};
  options.entries = {EntryOrder::sorted, EntryOrder::interleaved};
  Suite<TestSpace> suite(TestSpace(), options);
  const auto A = generate<float>(Uniform{90, 300, 60.0, 3});
  suite.measure_matrix<float>("uniform", Tomokkos::copy_to<MemorySpace>(TestSpace(), A), "");
  std::set<std::string> seen, skipped;
  for (const BenchResult& r : suite.report().results) {
    EXPECT_LE(r.error, 1.0) << r.name.operation << ' ' << r.name.variant;
    seen.insert(r.name.operation + ' ' + r.name.variant);
  }
  for (const SkippedCandidate& s : suite.report().skipped) {
    EXPECT_NE(s.reason.find("nothing to interleave"), std::string::npos) << s.reason;
    skipped.insert(s.name.operation + ' ' + s.name.variant);
  }
  for (const char* name : {"spmv team_vector", "spmv_transpose stored:team_vector", "spmm rows:8"})
    EXPECT_EQ(seen.count(name), 1U) << name;
  const auto& interleaved_names = Tomokkos::Impl::is_host_space<TestSpace> ? skipped : seen;
  for (const char* name : {"spmv team_vector:interleaved", "spmm rows:interleaved:8",
                           "spmv_transpose stored:team_vector:interleaved"})
    EXPECT_EQ(interleaved_names.count(name), 1U) << name;
}

TEST(BenchSuite, products_with_several_vectors_are_correct_in_every_format_and_library) {
  using Tomokkos::MatrixFormat;
  BenchOptions options = quick_options();
  options.operations = {Operation::spmm, Operation::spmm_transpose};
  options.formats = {"csr", "ell_r", "sell", "bcsr", "coo"};
  options.vectors = {1, 5, 16};
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_matrix<float>("uniform", test_matrix<float>(), "");
  suite.measure_matrix<double>("uniform", test_matrix<double>(), "");
  const double nonzeros = static_cast<double>(test_matrix<float>().num_nonzeros());
  const BenchReport& report = suite.report();
  std::set<std::string> seen, libraries;
  for (const BenchResult& r : report.results) {
    EXPECT_LE(r.error, 1.0) << r.name.operation << ' ' << r.name.scalar << ' ' << r.name.library
                            << ' ' << r.name.format << ' ' << r.name.variant;
    EXPECT_GE(r.fill, 1.0);
    EXPECT_EQ(r.operations, 2 * nonzeros * r.name.vectors);
    EXPECT_DOUBLE_EQ(r.gigaflops_per_second().value_or(0), 1e-9 * r.operations / r.seconds_median);
    const std::string number = ':' + std::to_string(r.name.vectors);
    EXPECT_EQ(r.name.variant.substr(r.name.variant.rfind(':')), number);
    libraries.insert(r.name.library);
    if (r.name.library == "tomokkos")
      seen.insert(r.name.operation + ' ' + r.name.scalar + ' ' + r.name.format + ' ' +
                  r.name.variant);
  }
  for (const char* scalar : {" float ", " double "})
    for (const char* number : {":1", ":5", ":16"})
      for (const char* shape :
           {"csr rows", "ell_r rows", "ell_r sorted", "sell sigma_1", "sell sigma_256",
            "sell sigma_8192", "bcsr 2x2", "bcsr 3x3", "bcsr 4x4", "bcsr 8x8"}) {
        const std::string forward = shape, format = forward.substr(0, forward.find(' ') + 1);
        EXPECT_EQ(seen.count("spmm" + (scalar + forward) + number), 1U) << shape << number;
        EXPECT_EQ(seen.count("spmm_transpose" + (scalar + format) +
                             "stored:" + forward.substr(format.size()) + number),
                  1U)
            << shape << number;
      }
  for (const auto& [peer, name] : Tomokkos::EnumNames<Peer>::names)
    EXPECT_EQ(libraries.count(std::string(name)) == 1,
              std::count(report.absent_peers.begin(), report.absent_peers.end(), name) == 0)
        << name;
  // COO is our only format that may be refused. A peer may lack blocks or refuse an algorithm.
  for (const SkippedCandidate& skipped : report.skipped) {
    EXPECT_FALSE(skipped.reason.empty());
    if (skipped.name.library != "tomokkos") continue;
    EXPECT_EQ(skipped.name.format, "coo");
    EXPECT_EQ(skipped.reason, "coo has no product with several vectors");
  }
}

TEST(BenchSuite, peers_use_the_requested_formats) {
  using Tomokkos::MatrixFormat;
  BenchOptions options = quick_options();
  options.operations = {Operation::spmv, Operation::spmv_transpose};
  options.formats = {"csr", "coo", "sell", "bcsr"};
  options.variants = {Tomokkos::SpmvVariant::scalar};
  Suite<TestSpace> suite(TestSpace(), options);
  const auto A =
      generate<float>(Uniform{96, 72, 9.0, 3});  // divisible by 2, 3, 4 and 8 in both directions
  suite.measure_matrix<float>("uniform", Tomokkos::copy_to<MemorySpace>(TestSpace(), A), "");
  const BenchReport& report = suite.report();
  for (const BenchResult& r : report.results) {
    EXPECT_LE(r.error, 1.0) << r.name.operation << ' ' << r.name.library << ' ' << r.name.format
                            << ' ' << r.name.variant;
    // Scattered entries do not fill blocks.
    EXPECT_TRUE(r.name.format == "sell" || (r.fill > 1.5) == (r.name.format == "bcsr"))
        << r.name.library << ' ' << r.name.variant << ' ' << r.fill;
  }
  for (const auto& [name, version] : report.machine.versions) {
    if (name != "mkl" && name != "cusparse") continue;
    for (const char* operation : {"spmv", "spmv_transpose"}) {
      int blocks = 0;
      for (const BenchResult& r : report.results)
        blocks += r.name.library == name && r.name.operation == operation &&
                  r.name.format == "bcsr" && r.name.variant.rfind("op_t:", 0) != 0;
      EXPECT_EQ(blocks, 4) << name << ' ' << operation;
    }
  }
}

TEST(BenchSuite, arrays_of_the_bandwidth_probe_fit_in_memory) {
  constexpr std::size_t megabyte = std::size_t{1} << 20;
  // The footprint exceeds a cache of 1 MiB, but not one of 64 MiB.
  for (const std::size_t cache : {megabyte, 64 * megabyte}) {
    BandwidthProbe<TestSpace> probe(TestSpace(), cache, 32 * megabyte);
    EXPECT_LE(3 * probe.bytes(), 16 * megabyte);
    probe.sample();
    EXPECT_GT(probe.result().copy, 0.0);
    EXPECT_EQ(probe.result().reference > 0, cache == megabyte);
  }
  EXPECT_GT((BandwidthProbe<TestSpace>(TestSpace(), megabyte, 0).bytes()), 0U);
}

/// Adds `amount` to one entry of y.
template <class Scalar>
struct Spoil {
  Tomokkos::Vector<Scalar, MemorySpace> y;
  Tomokkos::Ordinal entry;
  double amount;
  KOKKOS_FUNCTION void operator()(const int) const { y(entry) += static_cast<Scalar>(amount); }
};

/// Returns entry \p i of \p x, which may be in memory of a device.
double value_at(const Kokkos::View<const double*, MemorySpace>& x, Tomokkos::Ordinal i) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x)(i);
}

/// Adds \p bounds times its bound to the first entry of y that has a bound.
template <class Scalar>
void spoil(BenchCase<TestSpace, Scalar>& matrix_case, bool of_transpose, double bounds) {
  const auto y = matrix_case.y(of_transpose);
  const auto& reference = matrix_case.reference(of_transpose);
  Tomokkos::Ordinal entry = 0;
  while (value_at(reference.bound, entry) == 0) ++entry;
  Kokkos::parallel_for("Tomokkos::test::spoil", Kokkos::RangePolicy<TestSpace>(0, 1),
                       Spoil<Scalar>{y, entry, bounds * value_at(reference.bound, entry)});
  TestSpace().fence();
}

template <class Scalar>
void check_that_a_wrong_product_is_detected(bool of_transpose) {
  BenchCase<TestSpace, Scalar> matrix_case(TestSpace(), test_matrix<Scalar>(), 1);
  BenchOptions options = quick_options();
  options.variants = {Tomokkos::SpmvVariant::scalar};
  const auto list = our_products(matrix_case, options, of_transpose);
  const Candidate candidate = matrix_case.candidate(list.entries().front(), of_transpose);
  candidate.launch();
  candidate.fence();
  EXPECT_LE(candidate.error(), 1.0);
  spoil(matrix_case, of_transpose, 4.0);
  EXPECT_GT(candidate.error(), 1.0);
  candidate.poison();
  EXPECT_GT(candidate.error(), 1.0) << "entries that the product did not write";
}

TEST(BenchCheck, detects_a_wrong_product) {
  for (const bool of_transpose : {false, true}) {
    check_that_a_wrong_product_is_detected<float>(of_transpose);
    check_that_a_wrong_product_is_detected<double>(of_transpose);
  }
}

TEST(BenchCheck, detects_a_wrong_value_in_any_of_several_vectors) {
  constexpr int vectors = 10;
  for (const bool of_transpose : {false, true}) {
    BenchCase<TestSpace, float> matrix_case(TestSpace(), test_matrix<float>(), 1);
    const auto list = our_multiproducts(matrix_case, quick_options(), vectors, of_transpose);
    ASSERT_EQ(list.entries().size(), 1U);
    const Candidate candidate = matrix_case.candidate(list.entries().front(), of_transpose);
    const double bound = value_at(matrix_case.reference(of_transpose).bound, 7);
    ASSERT_GT(bound, 0.0);
    for (int column = 0; column < vectors; ++column) {
      candidate.launch();
      candidate.fence();
      EXPECT_LE(candidate.error(), 1.0);
      Kokkos::parallel_for(
          "Tomokkos::test::spoil", Kokkos::RangePolicy<TestSpace>(0, 1),
          Spoil<float>{matrix_case.y(of_transpose, vectors), 7 * vectors + column, 4 * bound});
      TestSpace().fence();
      EXPECT_GT(candidate.error(), 1.0) << column;
    }
    candidate.poison();
    EXPECT_GT(candidate.error(), 1.0);
  }
}

template <class View>
auto host_copy(const View& x) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
}

TEST(BenchCheck, detects_a_wrong_transposition) {
  const TestSpace exec;
  const auto A = test_matrix<double>();
  const auto correct = Tomokkos::transpose(exec, A);
  const auto error = [&](const Matrix<double>& B) {
    return transposition_error<TestSpace, double>(exec, A, B);
  };
  EXPECT_EQ(error(correct), 0.0);
  EXPECT_TRUE((has_sorted_rows<TestSpace, double>(exec, correct)));
  EXPECT_GT(error(A), 1.0) << "another shape";
  EXPECT_GT(error({}), 1.0) << "an empty matrix";

  Kokkos::View<double*, MemorySpace> values("values", correct.values.extent(0));
  Kokkos::deep_copy(values, correct.values);
  auto host_values = host_copy(values);
  host_values(5) += 1;
  Kokkos::deep_copy(values, host_values);
  auto wrong = correct;
  wrong.values = values;
  EXPECT_EQ(error(wrong), 2.0) << "one wrong value";

  Kokkos::View<Tomokkos::Ordinal*, MemorySpace> columns("columns", correct.columns.extent(0));
  Kokkos::deep_copy(columns, correct.columns);
  auto host_columns = host_copy(columns);
  host_columns(1) = host_columns(0);  // one entry occurs twice, another one is missing
  Kokkos::deep_copy(columns, host_columns);
  wrong = correct;
  wrong.columns = columns;
  EXPECT_GT(error(wrong), 1.0) << "a duplicate";
  EXPECT_FALSE((has_sorted_rows<TestSpace, double>(exec, wrong)));

  host_columns(1) = 1 << 30;
  Kokkos::deep_copy(columns, host_columns);
  EXPECT_GT(error(wrong), 1.0) << "a column that does not exist";
}

TEST(BenchGenerators, give_valid_matrices_that_depend_only_on_the_seed) {
  const TOMOKKOS_HOST_SPACE host;
  const auto A = generate<double>(PowerLaw{9, 8.0, 5});
  Tomokkos::validate(host, A);
  EXPECT_EQ(A.num_rows, 512);
  EXPECT_LE(A.num_nonzeros(), 512 * 8);
  EXPECT_GT(A.num_nonzeros(), 512 * 4);
  const auto again = generate<float>(PowerLaw{9, 8.0, 5});
  ASSERT_EQ(again.num_nonzeros(), A.num_nonzeros());
  for (Tomokkos::Offset k = 0; k < A.num_nonzeros(); ++k) ASSERT_EQ(again.columns(k), A.columns(k));
  EXPECT_NE(generate<double>(PowerLaw{9, 8.0, 6}).num_nonzeros(), A.num_nonzeros());
  Tomokkos::Offset longest = 0;
  for (Tomokkos::Ordinal i = 0; i < A.num_rows; ++i)
    longest = std::max(longest, A.row_offsets(i + 1) - A.row_offsets(i));
  EXPECT_GT(longest, 60) << "a power law must give long rows";

  const auto B = generate<float>(Uniform{50, 40, 5.0, 1});
  Tomokkos::validate(host, B);
  EXPECT_EQ(B.num_rows, 50);
  EXPECT_EQ(B.num_cols, 40);
}

}  // namespace
