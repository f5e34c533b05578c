// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Tomokkos_FileSeries.hpp>
#include <Tomokkos_Tiff.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

using Names = std::vector<std::string>;

/// Series of files, given in the order of their numbers and sorted from another one.
FileSeries series_of(const Names& names) {
  std::vector<std::filesystem::path> files(names.rbegin(), names.rend());
  if (files.size() > 2) std::swap(files[0], files[1]);
  const FileSeries series = sorted_series(files);
  EXPECT_EQ(Names(series.files.begin(), series.files.end()), names);
  return series;
}

void expect_regular(const Names& names, std::optional<double> step) {
  const FileSeries series = series_of(names);
  EXPECT_EQ(series.step.has_value(), step.has_value()) << names.front();
  EXPECT_NEAR(series.step.value_or(0), step.value_or(0), 1e-9) << names.front();
  EXPECT_TRUE(series.oddities.empty()) << series.oddities.front();
}

void expect_odd(const Names& names, const std::string& part) {
  const FileSeries series = series_of(names);
  ASSERT_EQ(series.oddities.size(), 1u) << names.front();
  EXPECT_NE(series.oddities.front().find(part), std::string::npos) << series.oddities.front();
}

Names numbered(const std::string& before, int first, int last, int step = 1) {
  Names names;
  for (int i = first; i <= last; i += step) names.push_back(before + std::to_string(i) + ".tif");
  return names;
}

TEST(FileSeries, numbers_are_sorted_as_numbers) {
  expect_regular(numbered("scan_", 1, 12), 1);
  EXPECT_EQ(series_of(numbered("scan_", 1, 12)).describe(),
            "12, scan_1.tif to scan_12.tif, step 1");
  expect_regular(numbered("scan_", 0, 720, 2), 2);
  expect_regular(numbered("scan_1", 0, 9), 1);
  expect_regular({"s_0008.tif", "s_0009.tif", "s_0010.tif"}, 1);
  expect_regular({"2024_sample3_0001.tif", "2024_sample3_0002.tif", "2024_sample3_0003.tif"}, 1);
  expect_regular({"proj_0.5.tif", "proj_0.75.tif", "proj_1.0.tif", "proj_1.25.tif"}, 0.25);
  // Decimals may be rounded.
  expect_regular({"p_0.00.tif", "p_0.45.tif", "p_0.90.tif", "p_1.35.tif", "p_1.79.tif"}, 0.4475);
  // Points that separate.
  expect_regular({"r1.8.tif", "r1.9.tif", "r1.10.tif", "r1.11.tif"}, 1);
  expect_regular({"scan.099.tif", "scan.100.tif", "scan.101.tif"}, 1);
  // Signs.
  expect_regular({"tilt_-10.tif", "tilt_-5.tif", "tilt_0.tif", "tilt_5.tif"}, 5);
  expect_regular({"tilt_-3.0.tif", "tilt_-1.5.tif", "tilt_+0.0.tif", "tilt_+1.5.tif"}, 1.5);
  expect_regular({"tilt-6.tif", "tilt-3.tif", "tilt0.tif", "tilt3.tif"}, 3);
  expect_regular({"scan-001.tif", "scan-002.tif", "scan-003.tif"}, 1);
  // An index beside an angle or a time.
  expect_regular({"p_1_0.0.tif", "p_2_1.8.tif", "p_3_7.4.tif", "p_4_9.9.tif"}, 1);
  expect_regular({"p_1_103055.tif", "p_2_103058.tif", "p_3_103104.tif"}, 1);
}

TEST(FileSeries, names_without_a_regular_number_are_sorted_by_name) {
  expect_regular({"a.tif", "b.tif", "c.tif"}, std::nullopt);
  expect_regular({"left.tif"}, std::nullopt);
  expect_regular({"scan_7.tif"}, std::nullopt);
  expect_regular({"sample3_left.tif", "sample3_right.tif"}, std::nullopt);
  expect_regular({"run1_1.tif", "run1_2.tif", "run1_10.tif", "run2_1.tif"}, std::nullopt);
  expect_regular({"t_20240115103055.tif", "t_20240115103058.tif", "t_20240115103102.tif",
                  "t_20240115103104.tif", "t_20240115103109.tif"},
                 std::nullopt);
  expect_regular({"p_0.5.tif", "p_2.25.tif", "p_10.25.tif"}, std::nullopt);
  EXPECT_EQ(sorted_series({"b.tif", "a.tif"}).describe(), "2, a.tif to b.tif, sorted by name");
}

/// Names of the numbers \p value(0), \p value(1), ... in the \p format of printf.
template <class Value>
Names named(const char* format, int count, const Value& value) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(value(i));
  std::sort(values.begin(), values.end());
  Names names;
  for (const double number : values) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, number);
    names.emplace_back(text.data());
  }
  return names;
}

TEST(FileSeries, rounded_numbers_golden_angles_and_clock_times_are_not_odd) {
  for (const double step : {1.05, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 2.2, 2.4}) {
    const auto rounded = [&](int i) { return i * step + 1e-4; };
    const auto cut = [&](int i) { return std::floor(i * step + 1e-4); };
    const auto tenths = [&](int i) { return i * step / 10 + 1e-5; };
    EXPECT_TRUE(series_of(named("s_%.0f.tif", 150, rounded)).oddities.empty()) << step;
    EXPECT_TRUE(series_of(named("s_%.0f.tif", 150, cut)).oddities.empty()) << step;
    EXPECT_TRUE(series_of(named("s_%.1f.tif", 150, tenths)).oddities.empty()) << step;
  }
  for (const int count : {20, 34, 50, 54, 55, 88, 89, 143, 144, 150, 232, 360}) {
    const auto golden = [](int i) { return std::fmod(i * 111.246, 180.0); };
    EXPECT_TRUE(series_of(named("s_%.2f.tif", count, golden)).oddities.empty()) << count;
  }
  for (const int step : {1, 2, 7, 10, 30, 45}) {
    const auto clock = [&](int i) {
      const int time = 12 * 3600 + i * step;
      return time / 3600 * 10000 + time / 60 % 60 * 100 + time % 60;
    };
    for (const int count : {10, 150}) {
      expect_regular(named("s_%06.0f.tif", count, clock), step);
      expect_regular(named("s_20240131%06.0f.tif", count, clock), step);
    }
    Names names = named("s_%06.0f.tif", 150, clock);
    names.erase(names.begin() + 70);
    expect_odd(names, "a step of " + std::to_string(2 * step) + " where others are ");
  }
  expect_regular({"s_20240131235940.tif", "s_20240131235950.tif", "s_20240201000000.tif"}, 10);
}

TEST(FileSeries, a_few_missing_numbers_of_many_are_odd) {
  for (const std::vector<int>& missing : std::vector<std::vector<int>>{
           {500}, {2}, {300, 600}, {100, 200, 700}, {5, 6, 7, 300, 900}}) {
    Names names = numbered("scan_", 1, 1000);
    for (const int number : missing)
      names.erase(std::find(names.begin(), names.end(), "scan_" + std::to_string(number) + ".tif"));
    expect_odd(names, "where others are 1");
  }
}

TEST(FileSeries, gaps_and_other_patterns_are_odd) {
  for (const int missing : {2, 6, 11}) {
    Names names = numbered("scan_", 1, 12);
    names.erase(std::find(names.begin(), names.end(), "scan_" + std::to_string(missing) + ".tif"));
    expect_odd(names, "scan_" + std::to_string(missing + 1) + ".tif follows scan_" +
                          std::to_string(missing - 1) + ".tif, a step of 2 where others are 1");
  }
  expect_odd({"s1.tif", "s2.tif", "s4.tif"}, "a step of 2");
  expect_odd({"s1.tif", "s2.tif", "s4.tif", "s5.tif", "s6.tif", "s7.tif", "s10.tif", "s11.tif"},
             "2 irregular steps: s4.tif follows s2.tif");
  expect_odd({"p_0.0.tif", "p_0.5.tif", "p_1.5.tif", "p_2.0.tif", "p_2.5.tif"}, "a step of 1 ");
  expect_odd({"p_0.01.tif", "p_0.02.tif", "p_0.04.tif", "p_0.05.tif"}, "p_0.04.tif follows");
  expect_odd({"t_-6.tif", "t_-3.tif", "t_0.tif", "t_6.tif", "t_9.tif"}, "t_6.tif follows t_0.tif");
  expect_odd({"s_01.tif", "s_1.tif", "s_2.tif", "s_3.tif"}, "a step of 0");
  Names names = numbered("s_", 1, 12);
  names.insert(names.end(), "s_180deg.tif");
  expect_odd(names, "1 of 13 names has another pattern than s_1.tif: s_180deg.tif");
  expect_odd({"flat.tif", "s_1.tif", "s_2.tif", "s_3.tif"}, "flat.tif");
  expect_odd({"s_1.tif", "s_1.tiff", "s_2.tif", "s_3.tif"}, "s_1.tiff");
}

TEST(FileSeries, extensions_have_any_case) {
  EXPECT_EQ(lower_extension("A/SCAN.TIF"), ".tif");
  EXPECT_EQ(lower_extension("scan_*.Npz"), ".npz");
  EXPECT_EQ(lower_extension("SCAN"), "");
}

TEST(FileSeries, patterns_give_the_matching_files) {
  const TemporaryFolder folder;
  for (const char* name : {"scan_2.tif", "scan_1.tif", "scan_10.tif", "scan.tif", "other_1.tif"})
    write_bytes(folder / name, "");
  const auto names = [&](const char* pattern) {
    Names result;
    for (const auto& file : matching_files(folder / pattern))
      result.push_back(file.filename().string());
    return result;
  };
  EXPECT_EQ(names("scan_*.tif"), (Names{"scan_1.tif", "scan_2.tif", "scan_10.tif"}));
  EXPECT_EQ(names("s*n*1*.tif"), (Names{"scan_1.tif", "scan_10.tif"}));
  EXPECT_EQ(names("absent.tif"), (Names{"absent.tif"}));
  // Without a folder, files of the working directory are meant.
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  const auto here = matching_files("scan_*.tif");
  std::filesystem::current_path(before);
  ASSERT_EQ(here.size(), 3U);
  EXPECT_EQ(here.front(), "scan_1.tif");
  EXPECT_TRUE(is_pattern("scan_*.tif"));
  EXPECT_FALSE(is_pattern("scan_1.tif"));
  expect_input_error([&] { names("raw_*.tif"); }, "raw_*.tif", "no file of such a name");
}

}  // namespace
