// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Summary of a report over several matrices, from invented times.
#include <gtest/gtest.h>

#include <Tomokkos_BenchSummary.hpp>
#include <Tomokkos_BenchTiming.hpp>
#include <cmath>
#include <limits>
#include <sstream>

namespace {

using namespace Tomokkos::Bench;

struct Row {
  const char *matrix, *library, *format, *variant;
  double seconds;
  double setup = 0;
  double error = 0;
};

BenchReport report_of(const std::vector<Row>& rows, const char* operation = "spmv") {
  BenchReport report;
  for (const auto& [name, nonzeros] : {std::pair{"small", 100}, std::pair{"large", 300}}) {
    MatrixInfo info;
    info.name = name;
    info.rows.nonzeros = nonzeros;
    report.matrices.push_back(info);
  }
  for (const Row& row : rows) {
    BenchResult result;
    result.name = {row.matrix, operation, row.format, row.variant, "float", "openmp", row.library};
    result.seconds_median = row.seconds;
    result.setup_seconds = row.setup;
    result.error = row.error;
    result.bytes_model = 1000;
    report.results.push_back(result);
  }
  return report;
}

TEST(BenchSummary, a_conversion_pays_after_its_setup_divided_by_the_time_saved_per_product) {
  const auto report = report_of({{"small", "tomokkos", "csr", "scalar", 4.0, 1.0},
                                 {"small", "tomokkos", "csr", "merge_path", 3.0, 0.5},
                                 {"small", "tomokkos", "csr", "wrong", 0.1, 0, 7},
                                 {"small", "tomokkos", "sell", "sigma_1", 1.0, 20.0},
                                 {"small", "tomokkos", "coo", "segmented", 5.0, 2.0},
                                 {"small", "mkl", "csr", "aggressive", 2.0, 50.0},
                                 {"large", "tomokkos", "csr", "scalar", 1.0, 0}});
  const auto after = [&](std::size_t i) { return payback_of(report, report.results[i]).after; };
  EXPECT_EQ(after(1), 0.0) << "the candidate that the others are compared with";
  EXPECT_EQ(after(3), 10.0);
  EXPECT_EQ(after(5), 50.0);
  EXPECT_FALSE(after(0).has_value());
  EXPECT_FALSE(after(4).has_value());
  EXPECT_TRUE(payback_of(report, report.results[4]).comparable);
  EXPECT_EQ(payback_of(report, report.results[3]).setup_products, 20.0);
  std::ostringstream out;
  write_table(out, report);
  EXPECT_NE(out.str().find("never"), std::string::npos) << out.str();
}

TEST(BenchSummary, times_with_distant_quartiles_are_marked_and_counted) {
  auto report = report_of({{"small", "tomokkos", "csr", "scalar", 4.0},
                           {"small", "tomokkos", "csr", "merge_path", 3.0},
                           {"small", "tomokkos", "sell", "sigma_1", 5.0}});
  const auto set_quartiles = [&](std::size_t i, double p25, double p75) {
    report.results[i].seconds_p25 = p25;
    report.results[i].seconds_p75 = p75;
  };
  const auto table = [&] {
    std::ostringstream out;
    write_table(out, report);
    return out.str();
  };
  set_quartiles(0, 3.8, 4.5);
  set_quartiles(1, 2.9, 3.1);
  set_quartiles(2, 5, 5);
  EXPECT_EQ(table().find('~'), std::string::npos) << table();
  // Quartiles that differ by 25 % and 21 %, for the fastest candidate as well.
  set_quartiles(0, 4, 5);
  set_quartiles(1, 2.9, 3.51);
  EXPECT_NE(table().find("\n*~  tomokkos  csr     merge_path"), std::string::npos) << table();
  EXPECT_NE(table().find("\n~   tomokkos  csr     scalar"), std::string::npos) << table();
  EXPECT_NE(table().find("\n    tomokkos  sell    sigma_1"), std::string::npos) << table();
  EXPECT_NE(table().find("\n~ 2 of 3 times are uncertain: p25 and p75 differ by more than 20 %"),
            std::string::npos)
      << table();
}

TEST(BenchSummary, a_stored_transpose_counts_as_a_conversion) {
  const auto report = report_of({{"small", "tomokkos", "csr", "atomic", 10.0},
                                 {"small", "tomokkos", "csr", "stored:merge_path", 2.0, 80.0}},
                                "spmv_transpose");
  EXPECT_EQ(payback_of(report, report.results[1]).after, 10.0);
  const auto alone = report_of({{"small", "tomokkos", "sell", "sigma_1", 10.0, 3.0}});
  EXPECT_FALSE(payback_of(alone, alone.results[0]).comparable);
  EXPECT_FALSE(payback_of(alone, alone.results[0]).after.has_value());
}

TEST(BenchSummary, means_are_geometric_with_and_without_weights) {
  const auto report = report_of({{"small", "tomokkos", "csr", "scalar", 1.0},
                                 {"small", "tomokkos", "sell", "sigma_1", 0.5},
                                 {"small", "mkl", "csr", "hint", 2.0},
                                 {"small", "mkl", "csr", "aggressive", 0.1, 0, 2.0},
                                 {"large", "tomokkos", "csr", "scalar", 2.0},
                                 {"large", "mkl", "csr", "hint", 3.0},
                                 {"large", "mkl", "csr", "as_created", 2.0},
                                 {"large", "eigen", "csr", "row_major", 8.0}});
  const auto summary = summarize(report);
  ASSERT_EQ(summary.to_peers.size(), 2U);
  EXPECT_EQ(summary.to_peers[0].library, "eigen");
  EXPECT_EQ(summary.to_peers[0].matrices, 1);
  EXPECT_DOUBLE_EQ(summary.to_peers[0].geometric_mean, 4.0);
  EXPECT_EQ(summary.to_peers[1].library, "mkl");
  EXPECT_EQ(summary.to_peers[1].matrices, 2);
  // The ratio is 4 on the small matrix (wrong results do not count) and 1 on the large one, which
  // has three times as many entries.
  EXPECT_DOUBLE_EQ(summary.to_peers[1].geometric_mean, 2.0);
  EXPECT_DOUBLE_EQ(summary.to_peers[1].entry_weighted_mean, std::pow(4.0, 0.25));
  EXPECT_EQ(report.bytes_per_nonzero(report.results[0]), 10.0);
}

TEST(BenchSummary, automatic_is_compared_with_our_best_candidate) {
  const auto report = report_of({{"small", "tomokkos", "csr", "automatic", 1.0},
                                 {"small", "tomokkos", "csr", "scalar", 0.8},
                                 {"small", "tomokkos", "sell", "sigma_1", 0.5},
                                 {"small", "tomokkos", "automatic", "sell:sigma_1", 0.52},
                                 {"small", "mkl", "csr", "hint", 0.1},
                                 {"large", "tomokkos", "csr", "automatic", 1.0},
                                 {"large", "tomokkos", "csr", "scalar", 2.0},
                                 {"large", "tomokkos", "automatic", "csr:automatic", 1.2}});
  const auto summary = summarize(report);
  ASSERT_EQ(summary.automatic.size(), 2U);
  const auto& variant = summary.automatic[0];
  EXPECT_EQ(variant.format, "csr");
  ASSERT_EQ(variant.matrices.size(), 2U);
  EXPECT_DOUBLE_EQ(variant.matrices[0].to_best, 1.25);
  EXPECT_EQ(variant.matrices[0].best, "csr scalar");
  EXPECT_DOUBLE_EQ(variant.matrices[1].to_best, 0.5);
  EXPECT_EQ(variant.within_5_percent(), 1);
  const auto& format = summary.automatic[1];
  EXPECT_EQ(format.format, "automatic");
  ASSERT_EQ(format.matrices.size(), 2U);
  EXPECT_DOUBLE_EQ(format.matrices[0].to_best, 1.04);
  EXPECT_EQ(format.matrices[0].chosen, "sell:sigma_1");
  EXPECT_EQ(format.matrices[0].best, "sell sigma_1");
  EXPECT_DOUBLE_EQ(format.matrices[1].to_best, 1.2);
  EXPECT_EQ(format.within_5_percent(), 1);
  std::ostringstream out;
  write_table(out, report);
  EXPECT_NE(out.str().find("within 5 % on 1 of 2"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find("large: csr:automatic takes 1.20 of csr automatic"), std::string::npos)
      << out.str();
}

TEST(BenchSummary, the_better_measurement_of_the_automatic_choice_counts) {
  auto report = report_of({{"small", "tomokkos", "csr", "automatic", 1.2},
                           {"small", "tomokkos", "csr", "scalar", 1.0},
                           {"small", "tomokkos", "csr", "staged", 0.8},
                           {"small", "tomokkos", "automatic", "sell:sigma_1", 2.0},
                           {"small", "tomokkos", "sell", "sigma_1", 0.6}});
  report.results[0].choice = "csr scalar";
  report.results[3].choice = "sell sigma_1";
  const auto summary = summarize(report);
  ASSERT_EQ(summary.automatic.size(), 2U);
  EXPECT_DOUBLE_EQ(summary.automatic[0].matrices[0].to_best, 1.25) << "scalar over staged";
  EXPECT_DOUBLE_EQ(summary.automatic[1].matrices[0].to_best, 1.0);
  EXPECT_NE(to_json(report).find("\"choice\": \"csr scalar\""), std::string::npos);
}

TEST(BenchSummary, automatic_is_not_compared_with_interleaved_copies) {
  const auto report =
      report_of({{"small", "tomokkos", "csr", "automatic", 1.0},
                 {"small", "tomokkos", "csr", "scalar", 2.0, 1.0},
                 {"small", "tomokkos", "csr", "team_vector:interleaved", 0.5, 4.0}});
  const auto summary = summarize(report);
  ASSERT_EQ(summary.automatic.size(), 1U);
  EXPECT_DOUBLE_EQ(summary.automatic[0].matrices[0].to_best, 0.5) << "automatic over scalar";
  EXPECT_EQ(payback_of(report, report.results[0]).after, 0.0);
  EXPECT_EQ(payback_of(report, report.results[2]).after, 8.0) << "4 s divided by 0.5 s per product";
}

TEST(BenchSummary, iterations_with_a_matrix_in_float_are_not_compared) {
  const auto report = report_of({{"small", "tomokkos", "csr", "scaled", 2.0},
                                 {"small", "tomokkos", "csr", "scaled:float_matrix", 0.5, 3.0},
                                 {"small", "tomokkos", "shared", "scaled:float_matrix", 0.25, 3.0},
                                 {"small", "tomokkos", "shared", "scaled", 1.0, 4.0},
                                 {"small", "mkl", "csr", "blas:hint", 3.0}},
                                "pcg");
  const auto summary = summarize(report);
  ASSERT_EQ(summary.to_peers.size(), 1U);
  EXPECT_DOUBLE_EQ(summary.to_peers[0].geometric_mean, 3.0)
      << "shared scaled is our fastest comparable result";
  EXPECT_EQ(payback_of(report, report.results[0]).after, 0.0);
  EXPECT_EQ(payback_of(report, report.results[1]).after, 2.0)
      << "a matrix in float is not plain CSR";
  std::ostringstream out;
  write_table(out, report);
  // Only one line is marked: the fastest of those that do the same work.
  std::istringstream lines(out.str());
  std::vector<std::string> marked;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.front() == '*') marked.push_back(line);
  ASSERT_EQ(marked.size(), 1U) << out.str();
  EXPECT_NE(marked[0].find("shared"), std::string::npos) << marked[0];
  EXPECT_EQ(marked[0].find("float_matrix"), std::string::npos) << marked[0];
}

TEST(BenchSummary, a_result_without_a_time_is_not_the_fastest) {
  const double no_time = std::numeric_limits<double>::infinity();
  const auto report = report_of(
      {{"small", "tomokkos", "csr", "scaled", no_time}, {"small", "mkl", "csr", "blas:hint", 3.0}},
      "pcg");
  EXPECT_TRUE(summarize(report).to_peers.empty());
  EXPECT_NE(to_json(report).find("\"seconds_median\": null"), std::string::npos);
  const TimingStatistics statistics = timing_statistics({no_time, no_time});
  EXPECT_EQ(statistics.median, no_time);
  EXPECT_EQ(statistics.p75, no_time);
}

TEST(BenchSummary, results_with_different_numbers_of_vectors_are_not_compared) {
  auto report = report_of({{"small", "tomokkos", "csr", "rows:8", 1.0},
                           {"small", "mkl", "csr", "hint:8", 2.0},
                           {"small", "tomokkos", "csr", "rows:32", 4.0},
                           {"small", "tomokkos", "sell", "sigma_1:32", 3.0, 5.0},
                           {"small", "mkl", "csr", "hint:32", 12.0}},
                          "spmm");
  for (std::size_t i = 0; i < report.results.size(); ++i)
    report.results[i].name.vectors = i < 2 ? 8 : 32;
  const auto summary = summarize(report);
  ASSERT_EQ(summary.to_peers.size(), 2U);
  EXPECT_EQ(summary.to_peers[0].vectors, 8);
  EXPECT_DOUBLE_EQ(summary.to_peers[0].geometric_mean, 2.0);
  EXPECT_EQ(summary.to_peers[1].vectors, 32);
  EXPECT_DOUBLE_EQ(summary.to_peers[1].geometric_mean, 4.0);
  EXPECT_EQ(payback_of(report, report.results[3]).after, 5.0);
  EXPECT_FALSE(report.results[0].gigaflops_per_second().has_value());
  report.results[0].operations = 3e9;
  EXPECT_DOUBLE_EQ(report.results[0].gigaflops_per_second().value_or(0), 3.0);
  std::ostringstream out;
  write_table(out, report);
  for (const char* line : {"small, spmm, 8 vectors, float", "small, spmm, 32 vectors, float",
                           "spmm, 32 vectors, float, mkl: 4.000", "GFLOP/s"})
    EXPECT_NE(out.str().find(line), std::string::npos) << line << '\n' << out.str();
}

TEST(BenchSummary, transpositions_are_left_out) {
  const auto report = report_of(
      {{"small", "tomokkos", "csr", "sorted", 1.0}, {"small", "mkl", "csr", "convert_csr", 3.0}},
      "transpose");
  EXPECT_TRUE(summarize(report).to_peers.empty());
  EXPECT_FALSE(payback_of(report, report.results[1]).comparable);
}

}  // namespace

TEST(BenchSummary, a_choice_without_a_correct_result_counts_as_a_miss) {
  const auto report = report_of({{"small", "tomokkos", "csr", "automatic", 1.0},
                                 {"small", "tomokkos", "csr", "scalar", 1.0},
                                 {"large", "tomokkos", "csr", "scalar", 2.0},
                                 {"large", "tomokkos", "csr", "automatic", 0.1, 0, 2.0}});
  const auto summary = summarize(report);
  ASSERT_EQ(summary.automatic.size(), 1U);
  ASSERT_EQ(summary.automatic[0].matrices.size(), 2U);
  EXPECT_EQ(summary.automatic[0].within_5_percent(), 1);
  EXPECT_TRUE(std::isinf(summary.automatic[0].matrices[1].to_best));
  EXPECT_EQ(summary.automatic[0].matrices[1].chosen, "nothing right");
}
