// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos bench` with block-circulant matrices as a user runs it.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "BenchProgramTesting.hpp"

namespace {

TEST(BenchProgramCirculant, times_block_circulant_matrices) {
  const Testing::TemporaryFolder folder;
  // First block row of a matrix of 3 x 3 blocks of 2 x 1.
  Testing::write_bytes(folder / "row.mtx",
                       "%%MatrixMarket matrix coordinate real general\n2 3 4\n"
                       "1 1 0.5\n1 3 2\n2 2 -1\n2 3 0.25\n");
  const ConfigNode root = bench_json(
      "bench_circulant.yaml",
      "--set \"bench.matrices=[{name: scan, tomography: {geometry: {type: cone_beam, views: 20, "
      "detectors: [5, 4], detector_width: [1.6, 1.6], source_to_origin: 20, origin_to_detector: "
      "10}, volume: {polar: {rings: 4, radius: 4, slices: 3, height: 4}}}}, {name: maxpy, "
      "circulant: "
      "{block_rows: 3, block_columns: 7, blocks: 40, entries_per_row: 7}}, {name: row, circulant: "
      "{block_row: " +
          (folder / "row.mtx").string() + ", blocks: 3}}]\" --set bench.scalars=[float,double]");
  const auto& matrices = member(root, "matrices").items();
  ASSERT_EQ(matrices.size(), 3U);
  EXPECT_EQ(member(matrices[0], "origin").scalar(), "tomography");
  EXPECT_EQ(as_number(member(matrices[0], "rows")), 20.0 * 5 * 4);
  EXPECT_EQ(member(matrices[1], "origin").scalar(), "generated");
  EXPECT_EQ(as_number(member(matrices[1], "nonzeros")), 40.0 * 3 * 7);
  EXPECT_EQ(member(matrices[2], "origin").scalar(), "file");
  EXPECT_EQ(as_number(member(matrices[2], "rows")), 6.0);
  const ConfigNode& circulant = member(matrices[2], "circulant");
  EXPECT_EQ(keys_of(circulant), (std::set<std::string>{"blocks", "block_rows", "block_columns",
                                                       "stored", "reuse", "bytes", "csr_bytes"}));
  EXPECT_EQ(as_number(member(circulant, "blocks")), 3.0);
  EXPECT_EQ(as_number(member(circulant, "stored")), 4.0);
  EXPECT_EQ(as_number(member(circulant, "reuse")), 2.0);
  EXPECT_EQ(as_number(member(circulant, "csr_bytes")), 12 * 8 + 7 * 8.0);
  std::set<std::string> seen;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    EXPECT_EQ(member(result, "format").scalar(), "block_circulant");
    seen.insert(member(result, "matrix").scalar() + ' ' + member(result, "operation").scalar() +
                ' ' + member(result, "scalar").scalar() + ' ' + member(result, "variant").scalar());
  }
  for (const std::string matrix : {"scan", "maxpy", "row"})
    for (const char* wanted : {" spmv float basic_mv", " spmv double maxpy_8",
                               " spmv_transpose float stored:mm_2", " spmv_transpose double direct",
                               " alternating float stored:registers", " alternating double direct"})
      EXPECT_EQ(seen.count(matrix + wanted), 1U) << matrix << wanted;
}

TEST(BenchProgramCirculant, times_an_ordinary_configuration_with_a_block_circulant_matrix) {
  const Testing::TemporaryFolder folder;
  Testing::write_bytes(folder / "run.yaml",
                       "problem: {type: tomography, geometry: {type: cone_beam, views: 20, "
                       "detectors: [5, 4], detector_width: [1.6, 1.6], source_to_origin: 20, "
                       "origin_to_detector: 10}, volume: {polar: {rings: 4, radius: 4, slices: 3, "
                       "height: 4}}, phantom: shepp_logan}\nsolver: {type: mlem}\n");
  const fs::path json = folder / "out.json", messages = folder / "messages";
  ASSERT_EQ(run_program("bench \"" + (folder / "run.yaml").string() + "\" --set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>()) + " --json \"" +
                            json.string() + "\"",
                        messages),
            0)
      << Testing::read_bytes(messages);
  const ConfigNode root = parse(Testing::read_bytes(json));
  std::set<std::string> operations;
  for (const ConfigNode& result : member(root, "results").items()) {
    EXPECT_LE(as_number(member(result, "error")).value_or(2), 1.0);
    EXPECT_EQ(member(result, "matrix").scalar(), "run");
    operations.insert(member(result, "operation").scalar());
  }
  EXPECT_EQ(operations, (std::set<std::string>{"spmv", "spmv_transpose", "alternating",
                                               "mlem_iteration", "sirt_iteration"}));
}

}  // namespace
