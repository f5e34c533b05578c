// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos bench` with the sets of matrices in configs/: Table I, transpositions, the thesis.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "BenchProgramTesting.hpp"
#include "TestData.hpp"

namespace {

TEST(BenchProgramSets, times_the_matrices_of_table_1) {
  const ConfigNode root =
      bench_json("bench_table1.yaml", "--set \"bench.matrices=[{table1: [qh1484, rbs480a]}]\"");
  const auto& matrices = member(root, "matrices").items();
  ASSERT_EQ(matrices.size(), 2U);
  EXPECT_EQ(member(matrices[0], "name").scalar(), "qh1484");
  EXPECT_EQ(member(matrices[0], "origin").scalar(), "generated");
  EXPECT_EQ(*as_number(member(matrices[0], "nonzeros")), 6110);
  EXPECT_EQ(*as_number(member(matrices[1], "longest")), 36);
  std::set<std::string> formats;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    formats.insert(member(result, "format").scalar());
  }
  for (const char* format : {"csr", "ell", "ell_r", "hyb", "sell", "bcsr"})
    EXPECT_EQ(formats.count(format), 1U) << format;
}

TEST(BenchProgramSets, reads_the_originals_of_table_1) {
  const ConfigNode root = bench_json(
      "bench_table1.yaml",
      "--set \"bench.matrices=[{table1: [qh1484, rbs480a, gemat12, bcsstk24, dw2048], files: " +
          Testing::test_data_path("matrices").string() + "}]\" --set bench.formats=[csr]");
  for (const ConfigNode& matrix : member(root, "matrices").items())
    EXPECT_EQ(member(matrix, "origin").scalar(),
              member(matrix, "name").scalar() == "dw2048" ? "generated" : "file");
  EXPECT_TRUE(member(root, "skipped").items().empty());
}

TEST(BenchProgramSets, times_the_other_sets) {
  const ConfigNode root = bench_json(
      "bench_sets.yaml",
      "--set \"bench.matrices=[{name: map, conformal_map: {size: [5, 4]}}, {name: row, dense_row: "
      "{rows: 60, bandwidth: 3}}, {name: profile, profile: {rows: 90, entries: 900, longest: 20, "
      "sigma: 2}}, {name: scanner, tomography: {scanner: {kind: madpet2_small, crystals: 1, rays: "
      "8}, volume: {size: [2, 12, 12], pixel: 3}}}]\"");
  std::set<std::string> measured;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    measured.insert(member(result, "matrix").scalar());
  }
  EXPECT_EQ(measured, (std::set<std::string>{"map", "row", "profile", "scanner"}));
}

TEST(BenchProgramSets, times_every_transposition) {
  const std::string scan =
      "--set \"bench.matrices=[{name: scan, tomography: {volume: {size: [16, 16]}, geometry: "
      "{views: 8, detectors: 24}, projector: line}}]\"";
  std::set<std::string> seen;
  const ConfigNode root = bench_json("bench_transpose.yaml", scan);
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    const std::string operation = member(result, "operation").scalar();
    const std::string variant = member(result, "variant").scalar();
    seen.insert(operation + ' ' + variant);
    if (operation != "transpose") continue;
    EXPECT_EQ(as_number(member(result, "error")), 0.0);
    const ConfigNode& figures = member(result, "transposition");
    EXPECT_EQ(keys_of(figures),
              (std::set<std::string>{"nonzeros_per_second", "workspace_bytes", "sorted"}));
    EXPECT_GT(as_number(member(figures, "nonzeros_per_second")).value_or(0), 0.0);
    EXPECT_GT(as_number(member(figures, "workspace_bytes")).value_or(0), 0.0);
    EXPECT_EQ(member(figures, "sorted").scalar(), "true");
    if (variant == "automatic") {
      EXPECT_EQ(member(result, "choice").scalar(), "csr banded");
    }
  }
  for (const char* wanted :
       {"transpose automatic", "transpose banded", "transpose scan_trans", "transpose merge_trans",
        "transpose multisplit", "spmv_transpose stored:automatic", "spmv_transpose atomic"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
  EXPECT_EQ(seen.count("transpose claims"), 0U);

  // Requested variants that do not exist on this backend are reported.
  const ConfigNode named = bench_json("bench_transpose.yaml",
                                      scan +
                                          " --set \"bench.transpositions=[claims, banded]\" --set "
                                          "bench.transposes=[atomic] --set bench.scalars=[float]");
  ASSERT_EQ(member(named, "skipped").items().size(), 1U);
  for (const ConfigNode& entry : member(named, "skipped").items()) {
    EXPECT_EQ(member(entry, "variant").scalar(), "claims");
    EXPECT_NE(member(entry, "reason").scalar().find("GPUs"), std::string::npos);
  }
  seen.clear();
  for (const ConfigNode& result : member(named, "results").items()) {
    // The variant of packed rows ends with the layout for hosts, which is dropped here.
    const std::string variant = member(result, "variant").scalar();
    seen.insert(member(result, "operation").scalar() + ' ' + member(result, "format").scalar() +
                ' ' + variant.substr(0, variant.find(':')));
  }
  EXPECT_EQ(seen, (std::set<std::string>{
                      "transpose csr banded", "spmv_transpose csr atomic",
                      "spmv_transpose ray_tiles one_copy", "spmv_transpose ray_tiles_half one_copy",
                      "spmv_transpose ray_tiles_scaled one_copy",
                      "spmv_transpose packed_csr atomic", "spmv_transpose packed_csr_half atomic",
                      "spmv_transpose packed_csr_scaled atomic"}));
}

TEST(BenchProgramSets, times_the_products_of_the_thesis) {
  const ConfigNode root = bench_json(
      "bench_thesis.yaml",
      "--set \"bench.matrices=[{name: full, profile: {rows: 200, columns: 40, entries: 1600, "
      "shortest: 1, longest: 40, sigma: 8, pattern: random}}, {name: part, rows: [36, 108], "
      "tomography: {scanner: {kind: madpet2_small, crystals: 1, rays: 8}, volume: {size: [2, 9, "
      "9], pixel: 8, thickness: 5}}}]\" --set "
      "\"bench.sections={merge_atomic: [2, 5], merge_path: [64]}\"");
  std::set<std::string> seen, measured;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    const std::string variant = member(result, "variant").scalar();
    measured.insert(member(result, "matrix").scalar());
    seen.insert(member(result, "operation").scalar() + ' ' + variant);
    const ConfigNode& spread = member(result, "spread");
    ASSERT_EQ(keys_of(spread), (std::set<std::string>{"runs", "max", "rms"}));
    EXPECT_EQ(member(spread, "runs").scalar(), "10");
    if (variant.find("atomic") == std::string::npos) {
      EXPECT_EQ(as_number(member(spread, "max")).value_or(1), 0.0) << variant;
    }
  }
  EXPECT_EQ(measured, (std::set<std::string>{"full", "part"}));
  for (const ConfigNode& matrix : member(root, "matrices").items()) {
    const bool full = member(matrix, "name").scalar() == "full";
    EXPECT_EQ(as_number(member(matrix, "rows")), full ? 200.0 : 72.0);
  }
  EXPECT_TRUE(member(root, "skipped").items().empty());
  for (const char* wanted :
       {"spmv crs_vector", "spmv merge_atomic:2", "spmv merge_atomic:5", "spmv merge_path:64",
        "spmv automatic", "spmv_transpose stored:crs_vector",
        "spmv_transpose stored:merge_atomic:5", "spmv_transpose stored:merge_path:64",
        "spmv_transpose atomic", "spmv_transpose atomic:merge_atomic:2"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
}

}  // namespace
