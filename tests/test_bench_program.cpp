// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos bench` as people call it: the exit status, the JSON file.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_ForEach.hpp>
#include <cstdlib>
#include <set>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "TestData.hpp"

namespace {

namespace fs = std::filesystem;
using namespace Tomokkos;

fs::path source_directory() {
  const char* directory = std::getenv("TOMOKKOS_SOURCE_DIR");
  return directory != nullptr ? fs::path(directory) : fs::current_path();
}

using Testing::parse;

/// Runs the program, which lies beside this test; its messages go to \p messages.
int run_program(const std::string& arguments, const fs::path& messages) {
  const fs::path program = fs::read_symlink("/proc/self/exe").parent_path() / "tomokkos";
  const int status = std::system(("\"" + program.string() + "\" " + arguments +
                                  " > /dev/null 2> \"" + messages.string() + "\"")
                                     .c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const ConfigNode& member(const ConfigNode& node, const char* key) {
  const ConfigNode* found = node.find(key);
  if (found == nullptr) throw Error(std::string("no member ") + key);
  return *found;
}

std::set<std::string> keys_of(const ConfigNode& node) {
  std::set<std::string> keys;
  for (const auto& entry : node.entries()) keys.insert(entry.key);
  return keys;
}

const std::set<std::string> name_keys{"matrix", "operation", "format", "variant",
                                      "scalar", "backend",   "library"};

void check_result(const ConfigNode& result) {
  std::set<std::string> expected = name_keys;
  expected.insert({"vectors",
                   "gigaflops_per_second",
                   "gigaflops_best",
                   "seconds_best",
                   "seconds_median",
                   "seconds_p25",
                   "seconds_p75",
                   "bytes_model",
                   "footprint_bytes",
                   "gigabytes_per_second",
                   "share_of_bandwidth",
                   "bytes_per_nonzero",
                   "choice",
                   "fill",
                   "setup_seconds",
                   "setup_products",
                   "pays_after",
                   "memory_bytes",
                   "solve",
                   "transposition",
                   "spread",
                   "rmse_to_plain",
                   "error"});
  EXPECT_GE(as_number(member(result, "fill")).value_or(0), 1.0);
  const bool expanded = member(result, "format").scalar() != "block_circulant";
  EXPECT_GT(as_number(member(result, "bytes_per_nonzero")).value_or(0), expanded ? 4.0 : 0.0);
  EXPECT_EQ(keys_of(result), expected);
  for (const std::string& key : name_keys) {
    EXPECT_TRUE(member(result, key.c_str()).is_quoted()) << key;
    EXPECT_FALSE(member(result, key.c_str()).scalar().empty()) << key;
  }
  for (const char* key :
       {"seconds_median", "seconds_p25", "seconds_p75", "seconds_best", "bytes_model",
        "footprint_bytes", "gigabytes_per_second", "setup_seconds", "memory_bytes", "error"}) {
    const auto number = as_number(member(result, key));
    ASSERT_TRUE(number.has_value()) << key;
    EXPECT_GE(*number, 0.0) << key;
  }
  EXPECT_LE(*as_number(member(result, "error")), 1.0);
  const std::string operation = member(result, "operation").scalar();
  const bool counts_operations = operation.rfind("spm", 0) == 0 || operation == "axpy" ||
                                 operation == "dot" || operation == "alternating";
  EXPECT_EQ(member(result, "gigaflops_per_second").is_null(), !counts_operations);
  EXPECT_EQ(member(result, "gigaflops_best").is_null(), !counts_operations);
  EXPECT_EQ(member(result, "solve").is_null(), operation != "pcg");
  EXPECT_EQ(member(result, "transposition").is_null(), operation != "transpose");
  if (operation.find("iteration") == std::string::npos) {
    EXPECT_TRUE(member(result, "rmse_to_plain").is_null());
  }
  EXPECT_GE(as_number(member(result, "vectors")).value_or(0), 1.0);
  EXPECT_TRUE(member(result, "share_of_bandwidth").is_null()) << "a tiny matrix lies in the cache";
}

TEST(BenchProgram, writes_the_json_that_is_promised) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  const std::string config = (source_directory() / "configs/bench_csr.yaml").string();
  // The same configuration with small matrices.
  const std::string small =
      " --set \"bench.matrices=[{name: scan, tomography: {volume: {size: [16, 16]}, geometry: "
      "{views: 8, detectors: 24}, projector: line}}, {name: box, stencil: {size: 5}}]\"";
  const std::string quick = " --set bench.repetitions=2 --set bench.warmup=1 --set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>());
  ASSERT_EQ(
      run_program("bench \"" + config + "\"" + small + quick + " --json \"" + json.string() + "\"",
                  messages),
      0)
      << Testing::read_bytes(messages);

  const ConfigNode root = parse(Testing::read_bytes(json));
  EXPECT_EQ(keys_of(root), (std::set<std::string>{"machine", "bandwidth", "matrices", "results",
                                                  "summary", "skipped", "absent_peers"}));
  EXPECT_EQ(keys_of(member(root, "summary")), (std::set<std::string>{"to_peers", "automatic"}));
  for (const ConfigNode& matrix : member(root, "matrices").items())
    EXPECT_EQ(keys_of(matrix),
              (std::set<std::string>{"name", "origin", "rows", "columns", "nonzeros", "shortest",
                                     "longest", "mean", "sigma", "circulant"}));
  EXPECT_EQ(keys_of(member(root, "bandwidth")),
            (std::set<std::string>{"copy_gigabytes_per_second", "triad_gigabytes_per_second",
                                   "read_gigabytes_per_second", "reference"}));
  for (const auto& entry : member(root, "bandwidth").entries())
    EXPECT_GT(as_number(entry.value).value_or(0), 0.0) << entry.key;
  EXPECT_TRUE(member(root, "machine").is_map());
  EXPECT_TRUE(member(root, "absent_peers").is_list());

  const ConfigNode& results = member(root, "results");
  ASSERT_TRUE(results.is_list());
  std::set<std::string> operations;
  for (const ConfigNode& result : results.items()) {
    check_result(result);
    operations.insert(member(result, "operation").scalar());
  }
  EXPECT_EQ(operations, (std::set<std::string>{"spmv", "spmv_transpose", "transpose",
                                               "mlem_iteration", "sirt_iteration"}));
  std::set<std::string> skipped_keys = name_keys;
  skipped_keys.insert({"reason", "vectors"});
  for (const ConfigNode& skipped : member(root, "skipped").items())
    EXPECT_EQ(keys_of(skipped), skipped_keys);
}

TEST(BenchProgram, times_every_format_and_checks_it) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  ASSERT_EQ(run_program("bench \"" + (source_directory() / "configs/bench_formats.yaml").string() +
                            "\" --set \"bench.matrices=[{name: blocks, stencil: {size: 4, "
                            "unknowns: 4}}]\" --set bench.repetitions=2 --set bench.warmup=1 "
                            "--set bench.peers=[] --set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>()) + " --json \"" +
                            json.string() + "\"",
                        messages),
            0)
      << Testing::read_bytes(messages);
  const ConfigNode root = parse(Testing::read_bytes(json));
  std::set<std::string> formats;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    formats.insert(member(result, "format").scalar());
  }
  EXPECT_EQ(formats,
            (std::set<std::string>{"csr", "coo", "ell", "ell_r", "hyb", "sell", "bcsr", "ray_tiles",
                                   "ray_tiles_half", "ray_tiles_scaled", "packed_csr",
                                   "packed_csr_half", "packed_csr_scaled", "automatic"}));
}

/// The JSON of \p config with these settings and few samples.
ConfigNode bench_json(const std::string& config, const std::string& settings) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  EXPECT_EQ(run_program("bench \"" + (source_directory() / "configs" / config).string() + "\" " +
                            settings +
                            " --set bench.repetitions=1 --set bench.warmup=0 --set bench.peers=[] "
                            "--set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>()) + " --json \"" +
                            json.string() + "\"",
                        messages),
            0)
      << Testing::read_bytes(messages);
  return parse(Testing::read_bytes(json));
}

TEST(BenchProgram, times_the_matrices_of_table_1) {
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

TEST(BenchProgram, takes_the_originals_of_table_1) {
  TOMOKKOS_NEEDS_TEST_DATA("matrices/qh1484.mtx");
  const ConfigNode root = bench_json(
      "bench_table1.yaml",
      "--set \"bench.matrices=[{table1: [qh1484, rbs480a, gemat12, bcsstk24, dw2048], files: " +
          Testing::test_data_path("matrices").string() + "}]\" --set bench.formats=[csr]");
  for (const ConfigNode& matrix : member(root, "matrices").items())
    EXPECT_EQ(member(matrix, "origin").scalar(),
              member(matrix, "name").scalar() == "dw2048" ? "generated" : "file");
  EXPECT_TRUE(member(root, "skipped").items().empty());
}

TEST(BenchProgram, times_the_other_sets) {
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

TEST(BenchProgram, times_and_checks_several_vectors_at_once) {
  const ConfigNode root = bench_json(
      "bench_spmm.yaml",
      "--set \"bench.matrices=[{name: scan, ordering: hilbert, tomography: {volume: {size: [16, "
      "16]}, geometry: {views: 8, detectors: 24}, projector: line}}]\" --set "
      "\"bench.vectors=[8, 11]\"");
  std::set<std::string> seen;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    EXPECT_GT(*as_number(member(result, "error")), 0.0) << "lengths times random numbers round";
    const double vectors = *as_number(member(result, "vectors"));
    const double nonzeros =
        *as_number(member(member(root, "matrices").items().front(), "nonzeros"));
    const double seconds = *as_number(member(result, "seconds_median"));
    EXPECT_NEAR(*as_number(member(result, "gigaflops_per_second")) * seconds * 1e9,
                2 * vectors * nonzeros, 1e-3 * nonzeros);
    seen.insert(member(result, "operation").scalar() + ' ' + member(result, "format").scalar() +
                ' ' + member(result, "variant").scalar());
  }
  EXPECT_EQ(seen.size(), 2U * 2U * 4U);
  for (const char* wanted :
       {"spmm csr rows:8", "spmm sell sigma_256:11", "spmm_transpose csr stored:rows:11",
        "spmm_transpose sell stored:sigma_1:8"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
}

TEST(BenchProgram, times_every_transposition) {
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
    EXPECT_EQ(member(result, "error").scalar(), "0");
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

  // What is named and not there is told.
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
  for (const ConfigNode& result : member(named, "results").items())
    seen.insert(member(result, "operation").scalar() + ' ' + member(result, "variant").scalar());
  EXPECT_EQ(seen, (std::set<std::string>{"transpose banded", "spmv_transpose atomic",
                                         "spmv_transpose one_copy"}));
}

TEST(BenchProgram, times_the_products_of_the_thesis) {
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

TEST(BenchProgram, times_block_circulant_matrices) {
  const Testing::TemporaryFolder folder;
  // The first row of blocks of a matrix of 3 x 3 blocks of 2 x 1.
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

TEST(BenchProgram, an_ordinary_configuration_of_a_block_circulant_matrix) {
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

TEST(BenchProgram, times_whole_iterations_and_vectors) {
  const ConfigNode root = bench_json(
      "bench_pcg.yaml",
      "--set \"bench.matrices=[{name: box, stencil: {size: 6, unknowns: 2}}, {name: scan, "
      "tomography: {volume: {size: [16, 16]}, geometry: {views: 8, detectors: 24}}}, {name: "
      "surface, smoothing: {vertices: 200, locked: 1/5}}]\" --set \"bench.vector_sizes=[100]\" "
      "--set bench.pcg.tolerance=1e-4");
  std::set<std::string> seen, solved;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    const std::string operation = member(result, "operation").scalar();
    seen.insert(operation + ' ' + member(result, "scalar").scalar() + ' ' +
                member(result, "format").scalar() + ' ' + member(result, "variant").scalar());
    if (operation != "pcg") continue;
    solved.insert(member(result, "matrix").scalar());
    const ConfigNode& solve = member(result, "solve");
    EXPECT_EQ(keys_of(solve),
              (std::set<std::string>{"timed_iterations", "timed_residual", "tolerance",
                                     "iterations", "reason", "residual", "common_bytes",
                                     "common_share", "product_seconds", "overhead_share"}));
    EXPECT_EQ(member(solve, "reason").scalar(), "converged");
    EXPECT_LE(as_number(member(solve, "residual")).value_or(1), 1.05e-4);
  }
  for (const char* wanted :
       {"pcg float csr scaled", "pcg double bcsr scaled:2x2", "pcg double sell scaled:sigma_256",
        "axpy float vector axpy", "dot double vector dot"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
  EXPECT_EQ(solved, (std::set<std::string>{"box", "surface"}));
  // Launches that cannot be recorded here, and the matrix that is not square.
  for (const ConfigNode& entry : member(root, "skipped").items()) {
    const std::string reason = member(entry, "reason").scalar();
    EXPECT_TRUE(reason.find("records no launches") != std::string::npos ||
                reason.find("has no resident teams") != std::string::npos ||
                member(entry, "matrix").scalar() == "scan")
        << reason;
  }
}

TEST(BenchProgram, a_matrix_that_cannot_be_made_is_skipped) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  Testing::write_bytes(folder / "bad.mtx",
                       "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
  const auto bench = [&](const std::string& matrices) {
    Testing::write_bytes(folder / "b.yaml", "bench: {matrices: [" + matrices +
                                                "], operations: [spmv, transpose], peers: [], "
                                                "repetitions: 1, warmup: 0}\n");
    return run_program(
        "bench \"" + (folder / "b.yaml").string() + "\" --json \"" + json.string() +
            "\" --set run.backend=" + std::string(backend_name<TOMOKKOS_HOST_SPACE>()),
        messages);
  };
  const std::string box = "{name: box, stencil: {size: 4}}";
  const std::string bad = "{name: bad, file: bad.mtx}";
  const std::string huge = "{name: huge, stencil: {size: [1000000, 2000, 1], points: 27}}";
  ASSERT_EQ(bench(box + ", " + bad + ", " + huge + ", {name: other, stencil: {size: 3}}"), 0)
      << Testing::read_bytes(messages);
  const ConfigNode root = parse(Testing::read_bytes(json));
  std::set<std::string> measured, skipped;
  for (const ConfigNode& result : member(root, "results").items())
    measured.insert(member(result, "matrix").scalar());
  for (const ConfigNode& entry : member(root, "skipped").items()) {
    const std::string name = member(entry, "matrix").scalar();
    skipped.insert(name + ' ' + member(entry, "operation").scalar());
    const std::string reason = member(entry, "reason").scalar();
    EXPECT_NE(reason.find(name == "bad" ? "bad.mtx:3" : "bytes"), std::string::npos) << reason;
  }
  EXPECT_EQ(measured, (std::set<std::string>{"box", "other"}));
  EXPECT_EQ(skipped,
            (std::set<std::string>{"bad spmv", "bad transpose", "huge spmv", "huge transpose"}));

  // Where nothing is left to measure it is an error, as is what is known beforehand.
  fs::remove(json);
  EXPECT_EQ(bench(bad), 2);
  EXPECT_FALSE(fs::exists(json));
  EXPECT_EQ(bench(box + ", {name: fan, tomography: {volume: {size: [8, 8]}, geometry: {type: "
                        "fan_beam, views: 3, source_to_origin: 1, origin_to_detector: 0}}}"),
            2);
  EXPECT_FALSE(fs::exists(json));
}

TEST(BenchProgram, operations_on_vectors_make_no_matrix) {
  const ConfigNode root = bench_json(
      "bench_pcg.yaml",
      "--set \"bench.matrices=[{name: huge, stencil: {size: [1000000, 2000, 1], points: 27}}]\" "
      "--set \"bench.operations=[axpy, dot]\" --set \"bench.vector_sizes=[100]\"");
  EXPECT_TRUE(member(root, "skipped").items().empty());
  for (const ConfigNode& result : member(root, "results").items())
    EXPECT_EQ(member(result, "matrix").scalar(), "vector_100");
}

TEST(BenchProgram, bad_input_is_status_2_and_nothing_is_written) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  const std::string config = (source_directory() / "configs/bench_csr.yaml").string();
  const auto bench = [&](const std::string& arguments) {
    const int status = run_program("bench " + arguments, messages);
    EXPECT_FALSE(fs::exists(json)) << arguments;
    return status;
  };
  const std::string with_json = " --json \"" + json.string() + "\"";
  EXPECT_EQ(bench("\"" + config + "\" --set bench.reptitions=3" + with_json), 2);
  const std::string message = Testing::read_bytes(messages);
  for (const char* word : {"reptitions", "repetitions", "matrices", "operations", "warmup"})
    EXPECT_NE(message.find(word), std::string::npos) << message;
  EXPECT_EQ(bench("\"" + (folder / "absent.yaml").string() + "\"" + with_json), 2);
  EXPECT_EQ(bench("\"" + config + "\" --no-such-option"), 2);
  EXPECT_EQ(bench(""), 2);
}

}  // namespace
