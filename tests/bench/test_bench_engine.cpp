// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of the benchmark that do not depend on matrices: order and statistics of the timing, the
// report, its JSON and its table.
#include <gtest/gtest.h>

#include <Tomokkos_BenchCandidate.hpp>
#include <Tomokkos_BenchReport.hpp>
#include <Tomokkos_BenchSections.hpp>
#include <Tomokkos_BenchTiming.hpp>
#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>
#include <sstream>

namespace {

using namespace Tomokkos::Bench;

TimingOptions quick() {
  TimingOptions options;
  options.warmup = 1;
  options.repetitions = 12;
  options.seed = 7;
  options.seconds_per_sample = 0;
  return options;
}

TEST(BenchSections, candidates_are_named_after_the_tile_size_in_use) {
  using Tomokkos::SpmvVariant;
  BenchOptions options;
  options.sections = {{SpmvVariant::merge_path, {3, 7, 9, 128}},
                      {SpmvVariant::merge_atomic, {3, 7}}};
  const auto names = [&](SpmvVariant variant, Tomokkos::Offset path_length) {
    std::vector<std::string> all;
    for (const NamedOptions& named : in_sections(options, variant, path_length)) {
      all.push_back(named.name);
      const auto at = named.name.find(':');
      if (at != std::string::npos) {
        EXPECT_EQ(named.name.substr(at + 1), std::to_string(named.options.items_per_tile));
      }
      Tomokkos::SpmvOptions launch = named.options;
      Tomokkos::RowStatistics rows;
      rows.rows = 1000;
      rows.nonzeros = path_length - rows.rows;
      for (const bool gpu : {false, true}) {
        Tomokkos::DeviceTraits device;
        device.gpu = gpu;
        device.concurrency = 4;
        launch = Tomokkos::choose_spmv_launch(device, rows, named.options);
        EXPECT_EQ(launch.items_per_tile, named.options.items_per_tile) << named.name;
      }
    }
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names(SpmvVariant::merge_path, 100000),
            (Names{"merge_path:3", "merge_path:7", "merge_path:9", "merge_path:128"}));
  // A tile has at least 8 items.
  EXPECT_EQ(names(SpmvVariant::merge_path, Tomokkos::Offset{2147483647} * 8),
            (Names{"merge_path:8", "merge_path:9", "merge_path:128"}));
  EXPECT_EQ(names(SpmvVariant::merge_path, Tomokkos::Offset{2147483647} * 8 + 1),
            (Names{"merge_path:9", "merge_path:128"}));
  EXPECT_EQ(names(SpmvVariant::merge_atomic, Tomokkos::Offset{2147483647} * 8),
            (Names{"merge_atomic:3", "merge_atomic:7"}));
}

TEST(BenchTiming, every_round_has_all_candidates_in_its_own_order) {
  const auto orders = interleaved_orders(6, quick());
  ASSERT_EQ(orders.size(), 12U);
  std::set<std::vector<std::size_t>> distinct;
  for (auto order : orders) {
    distinct.insert(order);
    std::sort(order.begin(), order.end());
    std::vector<std::size_t> all(6);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(order, all);
  }
  EXPECT_GT(distinct.size(), 8U) << "the orders hardly differ";
  EXPECT_EQ(interleaved_orders(6, quick()), orders) << "the same seed must give the same orders";
  TimingOptions other = quick();
  other.seed = 8;
  EXPECT_NE(interleaved_orders(6, other), orders);
}

TEST(BenchTiming, samples_all_candidates_in_the_order_of_the_rounds) {
  std::vector<std::size_t> launched;
  std::vector<TimedWork> work;
  for (std::size_t c = 0; c < 4; ++c) {
    TimedWork candidate;
    // The candidate times itself: every call is one sample.
    candidate.time_itself = [&launched, c] {
      launched.push_back(c);
      return 1e-3 * static_cast<double>(c + 1);
    };
    work.push_back(candidate);
  }
  const auto statistics = time_interleaved(work, quick());
  ASSERT_EQ(statistics.size(), 4U);
  for (std::size_t c = 0; c < 4; ++c)
    EXPECT_DOUBLE_EQ(statistics[c].median, 1e-3 * static_cast<double>(c + 1));
  std::vector<std::size_t> expected{0, 1, 2, 3};  // order of the warm-up
  for (const auto& order : interleaved_orders(4, quick()))
    expected.insert(expected.end(), order.begin(), order.end());
  EXPECT_EQ(launched, expected);
}

TEST(BenchTiming, stops_early_only_for_very_slow_candidates) {
  int slow_samples = 0, fast_samples = 0;
  TimedWork slow, fast;
  slow.time_itself = [&] {
    ++slow_samples;
    return 4.0;
  };
  fast.time_itself = [&] {
    ++fast_samples;
    return 0.4;
  };
  TimingOptions options = quick();
  options.warmup = 5;
  options.seconds_per_candidate = 10;
  const auto statistics = time_interleaved({slow, fast}, options);
  EXPECT_EQ(slow_samples, 3 + 5) << "warmed up for 12 s, then five samples";
  EXPECT_EQ(fast_samples, 5 + options.repetitions);
  EXPECT_DOUBLE_EQ(statistics[0].median, 4.0);
}

TEST(BenchTiming, fences_before_and_after_each_sample) {
  int launched = 0, fenced = 0, running = 0;
  TimedWork work;
  work.launch = [&] {
    ++launched;
    ++running;
  };
  work.fence = [&] {
    ++fenced;
    running = 0;
  };
  TimingOptions options = quick();
  options.seconds_per_sample = 1e-4;
  const auto statistics = time_interleaved({work}, options);
  EXPECT_EQ(running, 0) << "launched work was not waited for";
  EXPECT_GE(fenced, 2 * options.repetitions);
  EXPECT_GT(launched, options.repetitions) << "short work must be repeated within a sample";
  EXPECT_GE(statistics[0].p75, statistics[0].median);
  EXPECT_GE(statistics[0].median, statistics[0].p25);
}

TEST(BenchTiming, quantiles_are_interpolated) {
  const auto statistics_of = [](std::vector<double> samples) {
    return timing_statistics(std::move(samples));
  };
  EXPECT_DOUBLE_EQ(statistics_of({3}).median, 3);
  EXPECT_DOUBLE_EQ(statistics_of({4, 1, 2, 3}).median, 2.5);
  EXPECT_DOUBLE_EQ(statistics_of({5, 1, 4, 2, 3}).median, 3);
  EXPECT_DOUBLE_EQ(statistics_of({5, 1, 4, 2, 3}).p25, 2);
  EXPECT_DOUBLE_EQ(statistics_of({5, 1, 4, 2, 3}).p75, 4);
}

BenchResult result(const std::string& library, double seconds, double error) {
  BenchResult r;
  r.name = {"m", "spmv", "csr", "v", "float", "openmp", library};
  r.seconds_median = seconds;
  r.bytes_model = 1000000000;
  r.footprint_bytes = 1000000000;
  r.error = error;
  return r;
}

/// Adds the paths of all members below \p json to \p paths. For a list, only its first element is
/// visited.
void collect_paths(const nlohmann::ordered_json& json, const std::string& path,
                   std::vector<std::string>& paths) {
  if (json.is_array() && !json.empty()) collect_paths(json.front(), path + "[]", paths);
  if (!json.is_object()) return;
  for (const auto& [name, value] : json.items()) {
    paths.push_back(path + '.' + name);
    collect_paths(value, path + '.' + name, paths);
  }
}

/// Report that contains every possible figure.
BenchReport full_report() {
  BenchReport report;
  report.machine.versions = {{"kokkos", "4.6.0"}};
  MatrixInfo matrix;
  matrix.name = "m";
  matrix.circulant = CirculantInfo();
  report.matrices = {matrix};
  BenchResult best = result("tomokkos", 0.1, 0), peer = result("mkl", 0.2, 0);
  best.solve = SolveFigures();
  best.transposition = TranspositionFigures{17, true};
  best.spread = SpreadFigures{10, 0.5, 0.25};
  BenchResult chosen = best;
  chosen.name.variant = "automatic";
  report.results = {best, chosen, peer};
  report.skipped = {{best.name, "a \"b\"\n\\"}};
  report.absent_peers = {"eigen"};
  return report;
}

TEST(BenchJson, the_names_of_its_members_do_not_change) {
  std::vector<std::string> paths;
  collect_paths(nlohmann::ordered_json::parse(to_json(full_report())), "", paths);
  const std::vector<std::string> expected{".machine",
                                          ".machine.backend",
                                          ".machine.device",
                                          ".machine.threads",
                                          ".machine.last_cache_bytes",
                                          ".machine.memory_bytes",
                                          ".machine.versions",
                                          ".machine.versions.kokkos",
                                          ".bandwidth",
                                          ".bandwidth.copy_gigabytes_per_second",
                                          ".bandwidth.triad_gigabytes_per_second",
                                          ".bandwidth.read_gigabytes_per_second",
                                          ".bandwidth.reference",
                                          ".matrices",
                                          ".matrices[].name",
                                          ".matrices[].origin",
                                          ".matrices[].rows",
                                          ".matrices[].columns",
                                          ".matrices[].nonzeros",
                                          ".matrices[].shortest",
                                          ".matrices[].longest",
                                          ".matrices[].mean",
                                          ".matrices[].sigma",
                                          ".matrices[].circulant",
                                          ".matrices[].circulant.blocks",
                                          ".matrices[].circulant.block_rows",
                                          ".matrices[].circulant.block_columns",
                                          ".matrices[].circulant.stored",
                                          ".matrices[].circulant.reuse",
                                          ".matrices[].circulant.bytes",
                                          ".matrices[].circulant.csr_bytes",
                                          ".results",
                                          ".results[].matrix",
                                          ".results[].operation",
                                          ".results[].format",
                                          ".results[].variant",
                                          ".results[].scalar",
                                          ".results[].backend",
                                          ".results[].library",
                                          ".results[].vectors",
                                          ".results[].seconds_median",
                                          ".results[].seconds_p25",
                                          ".results[].seconds_p75",
                                          ".results[].seconds_best",
                                          ".results[].bytes_model",
                                          ".results[].footprint_bytes",
                                          ".results[].gigabytes_per_second",
                                          ".results[].gigaflops_per_second",
                                          ".results[].gigaflops_best",
                                          ".results[].share_of_bandwidth",
                                          ".results[].bytes_per_nonzero",
                                          ".results[].fill",
                                          ".results[].choice",
                                          ".results[].setup_seconds",
                                          ".results[].setup_products",
                                          ".results[].pays_after",
                                          ".results[].memory_bytes",
                                          ".results[].solve",
                                          ".results[].solve.timed_iterations",
                                          ".results[].solve.timed_residual",
                                          ".results[].solve.tolerance",
                                          ".results[].solve.iterations",
                                          ".results[].solve.reason",
                                          ".results[].solve.residual",
                                          ".results[].solve.common_bytes",
                                          ".results[].solve.common_share",
                                          ".results[].solve.product_seconds",
                                          ".results[].solve.overhead_share",
                                          ".results[].transposition",
                                          ".results[].transposition.nonzeros_per_second",
                                          ".results[].transposition.workspace_bytes",
                                          ".results[].transposition.sorted",
                                          ".results[].spread",
                                          ".results[].spread.runs",
                                          ".results[].spread.max",
                                          ".results[].spread.rms",
                                          ".results[].rmse_to_plain",
                                          ".results[].error",
                                          ".summary",
                                          ".summary.to_peers",
                                          ".summary.to_peers[].operation",
                                          ".summary.to_peers[].scalar",
                                          ".summary.to_peers[].library",
                                          ".summary.to_peers[].vectors",
                                          ".summary.to_peers[].matrices",
                                          ".summary.to_peers[].geometric_mean",
                                          ".summary.to_peers[].entry_weighted_mean",
                                          ".summary.automatic",
                                          ".summary.automatic[].operation",
                                          ".summary.automatic[].scalar",
                                          ".summary.automatic[].format",
                                          ".summary.automatic[].vectors",
                                          ".summary.automatic[].within_5_percent",
                                          ".summary.automatic[].matrices",
                                          ".summary.automatic[].matrices[].matrix",
                                          ".summary.automatic[].matrices[].chosen",
                                          ".summary.automatic[].matrices[].best",
                                          ".summary.automatic[].matrices[].to_best",
                                          ".skipped",
                                          ".skipped[].matrix",
                                          ".skipped[].operation",
                                          ".skipped[].format",
                                          ".skipped[].variant",
                                          ".skipped[].scalar",
                                          ".skipped[].backend",
                                          ".skipped[].library",
                                          ".skipped[].vectors",
                                          ".skipped[].reason",
                                          ".absent_peers"};
  EXPECT_EQ(paths, expected);
}

TEST(BenchJson, quotes_texts_and_writes_infinity_as_null) {
  BenchReport report = full_report();
  report.results[0].seconds_median = std::numeric_limits<double>::infinity();
  report.results[0].memory_bytes = std::numeric_limits<std::size_t>::max();
  report.results[0].fill = 0.1;
  const std::string text = to_json(report);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["skipped"][0]["reason"], report.skipped[0].reason);
  EXPECT_TRUE(json["results"][0]["seconds_median"].is_null());
  EXPECT_EQ(json["results"][0]["memory_bytes"], report.results[0].memory_bytes);
  EXPECT_EQ(json["results"][0]["fill"], 0.1);
  EXPECT_EQ(text.substr(0, 13), "{\n  \"machine\"");
  EXPECT_EQ(text.substr(text.size() - 3), "\n}\n");
}

// The name of a file may have another encoding than UTF-8.
TEST(BenchJson, is_valid_for_any_name_of_a_matrix) {
  BenchReport report = full_report();
  report.matrices[0].name = "caf\xe9";
  EXPECT_TRUE(nlohmann::json::accept(to_json(report)));
}

TEST(BenchReport, share_of_bandwidth_refers_to_the_reference_and_is_absent_in_cache) {
  BenchReport report;
  report.machine.last_cache_bytes = 1000;
  report.bandwidth.reference = 20;
  BenchResult r = result("tomokkos", 0.1, 0);
  EXPECT_DOUBLE_EQ(r.gigabytes_per_second(), 10);
  ASSERT_TRUE(report.share_of_bandwidth(r).has_value());
  EXPECT_DOUBLE_EQ(*report.share_of_bandwidth(r), 0.5);
  r.footprint_bytes = 2999;
  EXPECT_FALSE(report.share_of_bandwidth(r).has_value());
  r.footprint_bytes = 3000;
  EXPECT_TRUE(report.share_of_bandwidth(r).has_value());
}

TEST(BenchReport, a_wrong_candidate_is_neither_the_fastest_nor_compared) {
  BenchReport report;
  report.bandwidth.reference = 20;
  report.results = {result("tomokkos", 0.2, 0.5), result("eigen", 0.4, 0.5),
                    result("mkl", 0.1, 17)};
  std::ostringstream out;
  write_table(out, report);
  const std::string table = out.str();
  EXPECT_NE(table.find("WRONG 17"), std::string::npos) << table;
  EXPECT_NE(table.find("*  tomokkos"), std::string::npos) << table;
  EXPECT_NE(table.find("2.00x"), std::string::npos) << table;  // tomokkos to eigen
}

TEST(BenchReport, shows_the_figures_of_solvers) {
  BenchReport report;
  report.results = {result("tomokkos", 0.2, 0.5)};
  const auto table = [&] {
    std::ostringstream out;
    write_table(out, report);
    return out.str();
  };
  EXPECT_EQ(table().find("to tolerance"), std::string::npos);
  EXPECT_NE(to_json(report).find("\"solve\": null"), std::string::npos);
  SolveFigures solve;
  solve.timed_iterations = 75;
  solve.iterations = 143;
  solve.reason = "stagnated";
  solve.residual = 1.25e-3;
  solve.product_seconds = 0.15;
  report.results.front().solve = solve;
  for (const char* word : {"to tolerance", "143 stagnated", "1.250e-03", "150.000 ms", "0.250"})
    EXPECT_NE(table().find(word), std::string::npos) << word << '\n' << table();
  EXPECT_NE(to_json(report).find("\"reason\": \"stagnated\""), std::string::npos);
}

TEST(BenchReport, shows_the_figures_of_transpositions) {
  BenchReport report;
  MatrixInfo matrix;
  matrix.name = "m";
  matrix.rows.nonzeros = 50000000;
  report.matrices = {matrix};
  report.results = {result("tomokkos", 0.02, 0), result("eigen", 0.04, 0)};
  const auto table = [&] {
    std::ostringstream out;
    write_table(out, report);
    return out.str();
  };
  EXPECT_EQ(table().find("workspace"), std::string::npos);
  EXPECT_NE(to_json(report).find("\"transposition\": null"), std::string::npos);
  report.results[0].transposition = TranspositionFigures{123400000, true};
  report.results[1].transposition = TranspositionFigures{};
  for (const char* word : {"workspace", "2.500  ", "1.250  ", "123.4 MB", "yes", "no\n", "-"})
    EXPECT_NE(table().find(word), std::string::npos) << word << '\n' << table();
  const std::string json = to_json(report);
  for (const char* word :
       {"\"nonzeros_per_second\": 2500000000.0", "\"workspace_bytes\": 123400000",
        "\"sorted\": true", "\"workspace_bytes\": null", "\"sorted\": false"})
    EXPECT_NE(json.find(word), std::string::npos) << word << '\n' << json;
}

TEST(BenchReport, shows_the_spread_of_results) {
  BenchReport report;
  report.results = {result("tomokkos", 0.02, 0), result("eigen", 0.04, 0)};
  const auto table = [&] {
    std::ostringstream out;
    write_table(out, report);
    return out.str();
  };
  EXPECT_EQ(table().find("spread"), std::string::npos);
  EXPECT_NE(to_json(report).find("\"spread\": null"), std::string::npos);
  report.results[0].spread = SpreadFigures{10, 2.5e-7, 0.5e-7};
  report.results[1].spread = SpreadFigures{10, 0, 0};
  for (const char* word : {"spread", "10  2.50e-07  5.00e-08\n", "0         0\n"})
    EXPECT_NE(table().find(word), std::string::npos) << word << '\n' << table();
  const std::string json = to_json(report);
  for (const char* word : {"\"runs\": 10", "\"max\": 2.5e-07", "\"rms\": 5e-08", "\"max\": 0"})
    EXPECT_NE(json.find(word), std::string::npos) << word << '\n' << json;
}

TEST(BenchMeasure, compares_runs_only_on_request) {
  CandidateList list;
  for (const bool is_product : {true, false})
    list.attempt("mkl", "csr", is_product ? "product" : "solver", [is_product] {
      Candidate c;
      c.poison = c.fence = c.launch = [] {};
      c.error = [] { return 0.0; };
      if (is_product) c.spread = [](int runs) { return SpreadFigures{runs, 0.5, 0.25}; };
      return c;
    });
  for (const int runs : {0, 7}) {
    BenchReport report;
    measure(list, {"m", "spmv", "", "", "float", "openmp", ""}, quick(), report, runs);
    ASSERT_EQ(report.results.size(), 2U);
    for (const BenchResult& r : report.results) {
      ASSERT_EQ(r.spread.has_value(), runs > 0 && r.name.variant == "product");
      if (r.spread) {
        EXPECT_EQ(r.spread->runs, 7);
      }
    }
  }
}

TEST(BenchMeasure, does_not_check_whether_a_wrong_transposition_is_sorted) {
  CandidateList list;
  for (const double error : {0.0, 3.0})
    list.attempt("mkl", "csr", error > 0 ? "wrong" : "right", [error] {
      Candidate c;
      c.poison = c.fence = c.launch = [] {};
      c.error = [error] { return error; };
      c.is_sorted = [error] {
        EXPECT_EQ(error, 0.0);
        return true;
      };
      c.workspace_bytes = 17;
      return c;
    });
  BenchReport report;
  measure(list, {"m", "transpose", "", "", "float", "openmp", ""}, quick(), report);
  ASSERT_EQ(report.results.size(), 2U);
  for (const BenchResult& r : report.results) {
    ASSERT_TRUE(r.transposition.has_value());
    EXPECT_EQ(r.transposition->sorted, r.name.variant == "right");
    EXPECT_EQ(r.transposition->workspace_bytes, 17U);
    EXPECT_EQ(r.error, r.name.variant == "right" ? 0 : 3);
  }
}

// The figures stay with their candidate, even after another candidate has failed half-way.
TEST(BenchMeasure, every_candidate_has_its_own_figures) {
  CandidateList list;
  for (const int number : {1, 2, 3, 4})
    list.attempt("mkl", "csr", std::to_string(number), [number] {
      Candidate c;
      c.poison = c.fence = c.launch = [] {};
      c.error = [number] { return 0.1 * number; };
      c.spread = [number](int runs) { return SpreadFigures{runs, 2.0 * number, 1.0 * number}; };
      c.rmse_to_plain = [number] {
        if (number == 2) throw Tomokkos::Error("no more memory");
        return 0.01 * number;
      };
      c.memory_bytes = static_cast<std::size_t>(number);
      return c;
    });
  BenchReport report;
  measure(list, {"m", "mlem_iteration", "", "", "float", "openmp", ""}, quick(), report, 3);
  ASSERT_EQ(report.results.size(), 3U);
  ASSERT_EQ(report.skipped.size(), 1U);
  EXPECT_EQ(report.skipped[0].name.variant, "2");
  for (const BenchResult& r : report.results) {
    const int number = std::stoi(r.name.variant);
    EXPECT_NE(number, 2);
    EXPECT_EQ(r.error, 0.1 * number);
    ASSERT_TRUE(r.spread && r.rmse_to_plain);
    EXPECT_EQ(r.spread->largest, 2.0 * number);
    EXPECT_EQ(*r.rmse_to_plain, 0.01 * number);
    EXPECT_EQ(r.memory_bytes, static_cast<std::size_t>(number));
  }
}

TEST(BenchMeasure, times_the_product_of_a_solver_separately) {
  CandidateList list;
  int products = 0;
  list.attempt("mkl", "csr", "x", [&] {
    Candidate c;
    c.poison = [] {};
    c.fence = [] {};
    c.launch = [] {};
    c.error = [] { return 0.0; };
    c.time_itself = [] { return 2.0; };
    c.product = [&products] { ++products; };
    c.solve = [] {
      SolveFigures solve;
      solve.iterations = 9;
      return solve;
    };
    return c;
  });
  BenchReport report;
  measure(list, {"m", "pcg", "", "", "float", "openmp", ""}, quick(), report);
  ASSERT_EQ(report.results.size(), 1U);
  ASSERT_TRUE(report.results[0].solve.has_value());
  EXPECT_EQ(report.results[0].seconds_median, 2.0);
  EXPECT_EQ(report.results[0].solve->iterations, 9);
  EXPECT_GT(report.results[0].solve->product_seconds, 0.0);
  EXPECT_LT(report.results[0].solve->product_seconds, 1.0);
  EXPECT_GE(products, quick().repetitions);
}

TEST(BenchMeasure, a_candidate_that_fails_is_skipped_with_its_reason) {
  CandidateList list;
  list.attempt("mkl", "csr", "x", [] {
    Candidate c;
    c.poison = [] {};
    c.fence = [] {};
    c.error = [] { return 0.0; };
    c.launch = [] { throw std::runtime_error("not today"); };
    return c;
  });
  list.attempt("eigen", "csr", "y", []() -> Candidate { throw std::runtime_error("too big"); });
  BenchReport report;
  measure(list, {"m", "spmv", "", "", "float", "openmp", ""}, quick(), report);
  EXPECT_TRUE(report.results.empty());
  ASSERT_EQ(report.skipped.size(), 2U);
  EXPECT_EQ(report.skipped[0].reason, "too big");
  EXPECT_EQ(report.skipped[0].name.library, "eigen");
  EXPECT_EQ(report.skipped[1].reason, "not today");
  EXPECT_EQ(report.skipped[1].name.matrix, "m");
}

}  // namespace
