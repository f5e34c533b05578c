// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of runs in files, and what comparing two of them finds.
#include <gtest/gtest.h>
#include <Tomokkos_CompareRecords.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_RunRecord.hpp>
#include <Tomokkos_RunRecorder.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

std::vector<double> ramp(std::size_t size) {
  std::vector<double> values(size);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

ConfigNode configuration(const std::string& text) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "test";
  return parse_yaml(text, source);
}

/// Record of a run of three iterates, in double.
RunRecord small_record() {
  RunRecorder recorder(8);
  recorder.record.backend = "openmp";
  recorder.record.device = "a processor";
  recorder.record.scalar = "double";
  recorder.record.threads = 2;
  recorder.add_product("A x", ramp(5), std::vector<double>(5, 1e-12));
  recorder.add_product("A' y", ramp(40), std::vector<double>(40, 1e-12));
  const auto solve = [&](double error) {
    for (int k = 0; k < 3; ++k) {
      std::vector<double> x = ramp(40);
      for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] / (k + 1) + error * (k + 1);
      IterationRecord record;
      record.iteration = k;
      if (k > 0) record.relative_residual = 1.0 / (k + 1);
      recorder.add_iterate(k, {record}, x);
    }
    SolveResult result;
    result.iterations = 2;
    recorder.add_results({result});
  };
  solve(0);
  recorder.begin_rounded_run(1);
  solve(0.5e-10);
  recorder.begin_rounded_run(2);
  solve(1e-10);
  RunRecord record = recorder.record;
  record.version = "0.2.0";
  record.git = "unknown";
  record.identity.configuration = configuration("{solver: {type: sirt}, problem: {views: 12}}");
  record.identity.inputs = {{"a.npy", 12, "0123456789abcdef"}};
  return record;
}

TEST(SamplePositions, are_all_positions_of_short_vectors) {
  EXPECT_EQ(sample_positions(3, 8), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(sample_positions(0, 8).size(), 0U);
}

TEST(SamplePositions, lie_in_equal_parts_of_long_vectors) {
  for (const std::size_t size : {9UL, 64UL, 1000003UL}) {
    const auto positions = sample_positions(size, 8);
    ASSERT_EQ(positions.size(), 8U);
    for (std::size_t k = 0; k < 8; ++k) {
      EXPECT_GE(positions[k], size * k / 8) << size;
      EXPECT_LT(positions[k], (size * (k + 1) + 7) / 8) << size;
    }
    EXPECT_EQ(std::set<std::size_t>(positions.begin(), positions.end()).size(), 8U);
    EXPECT_EQ(positions, sample_positions(size, 8));
  }
}

TEST(VectorDigests, change_with_any_bit) {
  std::vector<float> values{1.0F, -2.0F, 2.0F};
  const VectorDigest digest = digest_of(values, 2);
  EXPECT_EQ(digest.size, 3U);
  EXPECT_DOUBLE_EQ(digest.norm, 3.0);
  EXPECT_EQ(digest.samples.size(), 2U);
  EXPECT_EQ(digest_of(values, 2).hash, digest.hash);
  values[1] = std::nextafter(values[1], 0.0F);
  EXPECT_NE(digest_of(values, 2).hash, digest.hash);
}

TEST(RunRecords, are_read_as_they_were_written) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "record.yaml";
  RunRecord record = small_record();
  record.iterates[1].x.samples[3] = std::nan("");
  record.iterates[1].x.norm = std::nan("");
  write_record(file, record);
  const RunRecord read = read_record(file);
  EXPECT_EQ(read.version, record.version);
  EXPECT_EQ(read.backend, "openmp");
  EXPECT_EQ(read.device, "a processor");
  EXPECT_EQ(read.scalar, "double");
  EXPECT_EQ(read.threads, 2);
  EXPECT_EQ(read.samples, 8);
  EXPECT_EQ(read.identity.inputs.size(), 1U);
  EXPECT_EQ(read.identity.inputs.front().bytes, 12U);
  EXPECT_EQ(read.ends, record.ends);
  EXPECT_EQ(read.stop_depends_on_rounding, record.stop_depends_on_rounding);
  EXPECT_EQ(read.is_recursive, record.is_recursive);
  ASSERT_EQ(read.products.size(), 2U);
  EXPECT_EQ(read.products[1].name, "A' y");
  EXPECT_EQ(read.products[1].bounds, record.products[1].bounds);
  EXPECT_EQ(read.products[1].value.samples, record.products[1].value.samples);
  ASSERT_EQ(read.iterates.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(read.iterates[k].iteration, record.iterates[k].iteration);
    EXPECT_EQ(read.iterates[k].rounding, record.iterates[k].rounding);
    EXPECT_EQ(read.iterates[k].x.hash, record.iterates[k].x.hash);
  }
  EXPECT_TRUE(std::isnan(read.iterates[0].residuals[0]));
  EXPECT_EQ(read.iterates[2].residuals, record.iterates[2].residuals);
  EXPECT_TRUE(std::isnan(read.iterates[1].x.samples[3]));
  EXPECT_NO_THROW(require_same_run("record.yaml", record, read));
  // Values that are not finite on both sides prove nothing.
  const RecordComparison result = compare_records(record, read);
  ASSERT_FALSE(result.agrees());
  EXPECT_EQ(result.failures.front(),
            "iterate 1 of the reference has values that are not finite, which prove nothing");
  std::filesystem::remove(file);
  write_record(file, small_record());
  EXPECT_TRUE(compare_records(small_record(), read_record(file)).agrees());
}

TEST(RunRecords, lack_a_sum_in_their_first_format_only) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "record.yaml";
  RunRecord record = small_record();
  for (IterateRecord& iterate : record.iterates) iterate.x.sum.reset();
  write_record(file, record);
  expect_input_error([&] { read_record(file); }, "sum");
  std::string text = read_bytes(file);
  text.replace(text.find("record: 2"), 9, "record: 1");
  write_bytes(file, text);
  const RunRecord old = read_record(file);
  EXPECT_FALSE(old.iterates[1].x.sum);
  EXPECT_TRUE(compare_records(old, small_record()).agrees());
}

TEST(RunRecords, refuse_damaged_files_by_the_name_of_the_entry) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "record.yaml";
  const auto expect_refusal = [&](const std::string& from, const std::string& to,
                                  const std::string& expected) {
    std::filesystem::remove(file);
    write_record(file, small_record());
    std::string text = read_bytes(file);
    const auto place = text.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    write_bytes(file, text.replace(place, from.size(), to));
    SCOPED_TRACE(to);
    expect_input_error([&] { read_record(file); }, "record.yaml", expected);
  };
  expect_refusal("record: 2", "record: 3", "record: expected format 1");
  expect_refusal("record: 2\n", "", "record");
  expect_refusal("samples: 8", "samples: 9", "samples: expected 9 numbers, found 8");
  expect_refusal("iteration: 1", "iteration: one", "iteration");
  expect_refusal("reason: max_iterations", "reason: tired", "reason");
  expect_refusal("configuration:", "configurations:", "configurations");
  expect_refusal("rounding: ", "rounding: -", "rounding");
}

TEST(RunRecords, keep_first_and_last_iterate_when_they_are_thinned) {
  RunRecord record = small_record();
  const IterateRecord iterate = record.iterates[0];
  record.iterates.clear();
  for (int k = 0; k < 100; ++k) {
    record.iterates.push_back(iterate);
    record.iterates.back().iteration = k;
  }
  thin_iterates(record, 7);
  ASSERT_EQ(record.iterates.size(), 7U);
  EXPECT_EQ(record.iterates.front().iteration, 0);
  EXPECT_EQ(record.iterates.back().iteration, 99);
  thin_iterates(record, 7);
  EXPECT_EQ(record.iterates.size(), 7U);
}

TEST(RunRecords, measure_what_rounding_the_data_changes) {
  const RunRecord record = small_record();
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(record.iterates[k].rounding, 1e-10 * (k + 1), 1e-13);
  EXPECT_FALSE(record.stop_depends_on_rounding);
}

TEST(RunRecorder, numbers_the_solves_of_right_hand_sides_one_after_another) {
  RunRecorder recorder(4);
  for (const int iteration : {0, 5, 7, 0, 5}) recorder.add_iterate(iteration, {}, ramp(3));
  const auto& iterates = recorder.record.iterates;
  ASSERT_EQ(iterates.size(), 5U);
  EXPECT_EQ(iterates[2].solve, 0);
  EXPECT_EQ(iterates[3].solve, 1);
  EXPECT_EQ(iterates[4].iteration, 5);
}

TEST(PortableConfigurations, hold_no_machine_and_no_path) {
  const ConfigNode node = portable_configuration(
      configuration("run: {backend: openmp, threads: 3, seed: 2, memory_limit: none}\n"
                    "problem: {matrix: /home/me/A.mtx, views: 3, files: [/a/b.npy, c],\n"
                    "  sinogram: {file: /a.h5, dataset: /a/data}}\n"
                    "output: {directory: /tmp/x}\n"));
  EXPECT_EQ(node.find("output"), nullptr);
  EXPECT_EQ(node.find("run")->find("backend"), nullptr);
  EXPECT_EQ(node.find("run")->find("threads"), nullptr);
  EXPECT_EQ(node.find("run")->find("seed")->scalar(), "2");
  EXPECT_EQ(node.find("problem")->find("matrix")->scalar(), "(file)");
  EXPECT_EQ(node.find("problem")->find("files")->items()[0].scalar(), "(file)");
  const ConfigNode& sinogram = *node.find("problem")->find("sinogram");
  EXPECT_EQ(sinogram.find("file")->scalar(), "(file)");
  EXPECT_EQ(sinogram.find("dataset")->scalar(), "/a/data");
}

// Differences that a comparison must find, and those that it must accept.

RecordComparison compare_changed(const std::function<void(RunRecord&)>& change) {
  RunRecord other = small_record();
  change(other);
  return compare_records(small_record(), other);
}

TEST(CompareRecords, accepts_equal_records_and_calls_their_bits_equal) {
  const RecordComparison result = compare_changed([](RunRecord&) {});
  EXPECT_TRUE(result.agrees());
  EXPECT_EQ(result.equal_bits, true);
  EXPECT_EQ(result.iterates, 3U);
  EXPECT_EQ(result.largest_iterate, 0);
}

TEST(CompareRecords, accepts_differences_up_to_their_bounds) {
  const RecordComparison result = compare_changed([](RunRecord& other) {
    other.products[0].value.samples[2] += 0.9e-12;
    for (double& x : other.iterates[2].x.samples) x += 0.54e-10;
    other.iterates[2].x.hash = "other";
  });
  EXPECT_TRUE(result.agrees());
  EXPECT_NEAR(result.products[0], 0.9, 0.01);
  EXPECT_NEAR(result.largest_iterate, 0.9, 0.01);
  EXPECT_EQ(result.largest_at.iteration, 2);
  EXPECT_EQ(result.equal_bits, false);
  EXPECT_EQ(result.first_other_bits->iteration, 2);
}

TEST(CompareRecords, finds_a_product_beyond_its_bound) {
  const RecordComparison result =
      compare_changed([](RunRecord& other) { other.products[1].value.samples[5] += 3e-12; });
  EXPECT_FALSE(result.agrees());
  EXPECT_CONTAINS(result.failures.front(), "A' y differs by 3 times");
}

TEST(CompareRecords, finds_differences_between_the_samples_in_the_norm) {
  EXPECT_FALSE(
      compare_changed([](RunRecord& other) { other.products[1].value.norm += 1e-8; }).agrees());
}

TEST(CompareRecords, finds_one_wrong_entry_norm_or_sum_of_an_iterate) {
  EXPECT_FALSE(compare_changed([](RunRecord& other) {
                 other.iterates[2].x.samples[3] *= 1 + 1e-4;
               }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.iterates[2].x.norm *= 1.5; }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { *other.iterates[2].x.sum *= 1.5; }).agrees());
  EXPECT_FALSE(
      compare_changed([](RunRecord& other) { *other.products[1].value.sum *= 1.5; }).agrees());
  EXPECT_FALSE(
      compare_changed([](RunRecord& other) { other.iterates[2].x.sum = std::nan(""); }).agrees());
}

TEST(CompareRecords, allows_at_most_five_times_the_observed_spread) {
  for (const bool is_recursive : {false, true}) {
    RunRecord reference = small_record(), other = reference;
    reference.is_recursive = is_recursive;
    const double rounding = reference.iterates[2].rounding;
    for (double& x : other.iterates[2].x.samples) x += 5.1 * rounding;
    EXPECT_FALSE(compare_records(reference, other).agrees());
    if (!is_recursive) continue;
    // One entry hardly moves the root mean square, of which a recursion may change 15 times as
    // much.
    const auto shift_of_one_entry = [&](double factor) {
      other = reference;
      other.iterates[2].x.samples[3] += factor * rounding;
      return compare_records(reference, other);
    };
    EXPECT_TRUE(shift_of_one_entry(4.9).agrees());
    EXPECT_NEAR(shift_of_one_entry(5.1).largest_iterate, 1.02, 0.01);
    EXPECT_FALSE(shift_of_one_entry(5.1).agrees());
  }
  // Sums round even where rounding the data changes nothing.
  RunRecord reference = small_record(), other = reference;
  reference.iterates[2].rounding = 0;
  for (double& x : other.iterates[2].x.samples) x *= 1 + 4 * 0x1p-53;
  EXPECT_TRUE(compare_records(reference, other).agrees());
}

TEST(CompareRecords, refuses_bounds_that_are_not_those_of_the_run) {
  RunRecord reference = small_record();
  require_plausible_bounds("r.yaml", reference, small_record());
  for (const double factor : {1e-3, 1e3}) {
    reference = small_record();
    reference.products[1].bounds[3] *= factor;
    EXPECT_THROW(require_plausible_bounds("r.yaml", reference, small_record()), InputError);
  }
  reference = small_record();
  reference.iterates[1].rounding *= 50;
  EXPECT_NO_THROW(require_plausible_bounds("r.yaml", reference, small_record()));
  reference.iterates[1].rounding = 1e300;
  expect_input_error([&] { require_plausible_bounds("r.yaml", reference, small_record()); },
                     "the rounding of iterate 1 is 1e+300");
  // The rounding of a recursion grows in other iterates by chance.
  RunRecord recursive = small_record();
  recursive.is_recursive = true;
  reference.iterates[1].rounding = 500 * recursive.iterates[2].rounding;
  EXPECT_NO_THROW(require_plausible_bounds("r.yaml", reference, recursive));
  reference.iterates[1].rounding *= 3;
  EXPECT_THROW(require_plausible_bounds("r.yaml", reference, recursive), InputError);
  // A smaller rounding only makes the comparison stricter.
  reference.iterates[1].rounding = 0;
  EXPECT_NO_THROW(require_plausible_bounds("r.yaml", reference, small_record()));
}

TEST(RunRecords, refuse_bounds_and_rounding_that_prove_nothing) {
  const TemporaryFolder folder;
  const auto file = folder.path() / "record.yaml";
  const auto refuses = [&](const std::function<void(RunRecord&)>& change) {
    std::filesystem::remove(file);
    RunRecord record = small_record();
    change(record);
    write_record(file, record);
    EXPECT_THROW(read_record(file), InputError);
  };
  for (const double bound : {std::nan(""), std::numeric_limits<double>::infinity(), -1.0, 0.0})
    refuses([&](RunRecord& record) { record.products[0].bounds[2] = bound; });
  for (const double rounding : {-1.0, std::numeric_limits<double>::infinity()})
    refuses([&](RunRecord& record) { record.iterates[1].rounding = rounding; });
}

TEST(RunRecords, of_the_repository_name_their_commit) {
  for (const auto& entry : std::filesystem::directory_iterator(project_root() / "tests/records")) {
    if (entry.path().extension() != ".yaml") continue;
    const RunRecord record = read_record(entry.path());
    EXPECT_NE(record.git, "unknown") << entry.path();
    EXPECT_GE(record.git.size(), 7U) << entry.path();
  }
}

TEST(CompareRecords, names_the_first_iterate_that_differs) {
  const RecordComparison result = compare_changed([](RunRecord& other) {
    for (std::size_t k : {1UL, 2UL})
      for (double& x : other.iterates[k].x.samples) x += 1e-8;
  });
  EXPECT_FALSE(result.agrees());
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->iteration, 1);
  EXPECT_CONTAINS(result.failures.front(), "iterate 1 is the first");
}

TEST(CompareRecords, finds_values_that_are_not_finite) {
  EXPECT_FALSE(compare_changed([](RunRecord& other) {
                 other.iterates[1].x.samples[0] = std::nan("");
               }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) {
                 other.products[0].value.samples[0] = std::numeric_limits<double>::infinity();
               }).agrees());
}

TEST(CompareRecords, finds_another_end_unless_rounding_decides_it) {
  const auto later = [](RunRecord& other) { other.ends[0].iterations = 3; };
  const RecordComparison result = compare_changed(later);
  EXPECT_FALSE(result.agrees());
  EXPECT_CONTAINS(result.failures.front(), "stopped after iteration 3");
  RunRecord reference = small_record(), other = small_record();
  reference.stop_depends_on_rounding = true;
  later(other);
  EXPECT_TRUE(compare_records(reference, other).agrees());
  EXPECT_TRUE(compare_records(reference, other).stop_depends_on_rounding);
}

TEST(CompareRecords, accepts_a_recursion_that_stops_one_check_later) {
  RunRecord reference = small_record(), other = small_record();
  reference.is_recursive = true;
  // The iterates of a file say nothing about checks, because some are left out.
  constexpr int check = 7;
  reference.identity.configuration = configuration("{solver: {type: pcg, check_every: 7}}");
  other.ends[0].iterations = reference.ends[0].iterations + check;
  const auto agrees = [&](StopReason reason, StopReason other_reason) {
    reference.ends[0].reason = reason;
    other.ends[0].reason = other_reason;
    return compare_records(reference, other).agrees();
  };
  EXPECT_TRUE(agrees(StopReason::converged, StopReason::converged));
  EXPECT_TRUE(compare_records(reference, other).stop_depends_on_rounding);
  EXPECT_FALSE(agrees(StopReason::converged, StopReason::stagnated));
  EXPECT_FALSE(agrees(StopReason::max_iterations, StopReason::max_iterations));
  other.ends[0].iterations += 1;
  EXPECT_FALSE(agrees(StopReason::converged, StopReason::converged));
  other.ends[0].iterations -= 1;
  reference.is_recursive = false;
  EXPECT_FALSE(agrees(StopReason::converged, StopReason::converged));
}

TEST(CompareRecords, compares_bits_within_one_backend_and_precision_only) {
  EXPECT_EQ(compare_changed([](RunRecord& other) { other.backend = "cuda"; }).equal_bits,
            std::nullopt);
}

TEST(CompareRecords, finds_missing_iterates_columns_and_samples) {
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.iterates.clear(); }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.ends.clear(); }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.products.pop_back(); }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.samples = 7; }).agrees());
  EXPECT_FALSE(compare_changed([](RunRecord& other) { other.iterates[0].x.size = 41; }).agrees());
}

void expect_other_run(const std::function<void(RunRecord&)>& change, const std::string& expected) {
  RunRecord other = small_record();
  change(other);
  EXPECT_CONTAINS(
      message_of<ConfigError>([&] { require_same_run("r.yaml", small_record(), other); }),
      expected);
}

TEST(RequireSameRun, names_the_key_and_both_values) {
  expect_other_run(
      [](RunRecord& other) {
        other.identity.configuration =
            configuration("{solver: {type: mlem}, problem: {views: 12}}");
      },
      "r.yaml: this is a record of another run: solver.type is sirt there and mlem here");
  expect_other_run(
      [](RunRecord& other) { other.identity.inputs[0].hash = "1"; },
      "input file 1 is a.npy (12 bytes, contents 0123456789abcdef) there and a.npy (12 bytes");
  expect_other_run([](RunRecord& other) { other.identity.inputs.clear(); }, "and nothing here");
}

TEST(RequireSameRun, accepts_another_machine_and_other_file_names) {
  RunRecord other = small_record();
  other.identity.configuration = portable_configuration(configuration(
      "{run: {backend: cuda, threads: 9}, solver: {type: sirt}, problem: {views: 12}}"));
  other.identity.inputs[0].name = "b.npy";
  // Only the contents count.
  EXPECT_THROW(require_same_run("r.yaml", small_record(),
                                [&] {
                                  RunRecord changed = other;
                                  changed.identity.inputs[0].hash = "2";
                                  return changed;
                                }()),
               ConfigError);
  EXPECT_NO_THROW(require_same_run("r.yaml", small_record(), other));
}

TEST(TestValues, depend_on_index_and_column_alone) {
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 1000; ++i)
    for (const std::uint64_t column : {0, 1}) {
      const double value = test_value(i, column);
      EXPECT_GE(value, 0.5);
      EXPECT_LT(value, 1.5);
      EXPECT_EQ(value, test_value(i, column));
      seen.insert(value);
    }
  EXPECT_EQ(seen.size(), 2000U);
}

TEST(RoundingFactor, grows_with_the_square_root_of_long_sums) {
  EXPECT_DOUBLE_EQ(rounding_factor<double>(3), 5 * 0x1p-52);
  EXPECT_DOUBLE_EQ(rounding_factor<double>(10000), 402 * 0x1p-52);
  EXPECT_DOUBLE_EQ(rounding_factor<float>(3), 5 * 0x1p-23);
}

}  // namespace
