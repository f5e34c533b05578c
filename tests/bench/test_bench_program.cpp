// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `tomokkos bench` as a user runs it: the exit status and the JSON file.
#include <gtest/gtest.h>

#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_MatrixFormat.hpp>
#include <Tomokkos_MeshFile.hpp>
#include <Tomokkos_MeshGenerators.hpp>
#include <Tomokkos_Npy.hpp>
#include <cstdlib>
#include <map>
#include <set>

#include "BenchProgramTesting.hpp"

namespace {

TEST(BenchProgram, writes_the_documented_json) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  const std::string config = (Testing::project_root() / "configs/bench_csr.yaml").string();
  // Replace the matrices of the configuration with small ones.
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
  for (const auto& entry : member(root, "bandwidth").entries()) {
    const double bandwidth = as_number(entry.value).value_or(-1);
    // 0 where the last cache is larger than the arrays that were measured.
    if (entry.key == "reference") {
      EXPECT_GE(bandwidth, 0.0);
    } else {
      EXPECT_GT(bandwidth, 0.0) << entry.key;
    }
  }
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

TEST(BenchProgram, times_and_checks_every_format) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  ASSERT_EQ(
      run_program("bench \"" + (Testing::project_root() / "configs/bench_formats.yaml").string() +
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
  std::set<std::string> expected{"automatic", "ray_tiles_half", "ray_tiles_scaled",
                                 "packed_csr_half", "packed_csr_scaled"};
  for (const auto& [format, name] : EnumNames<MatrixFormat>::names) expected.emplace(name);
  EXPECT_EQ(formats, expected);
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
    EXPECT_GT(*as_number(member(result, "error")), 0.0)
        << "products of lengths and random numbers must be rounded";
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
  // Only launches that this backend cannot record, and the matrix that is not square, are skipped.
  for (const ConfigNode& entry : member(root, "skipped").items()) {
    const std::string reason = member(entry, "reason").scalar();
    EXPECT_TRUE(reason.find("cannot record launches") != std::string::npos ||
                reason.find("has no resident teams") != std::string::npos ||
                member(entry, "matrix").scalar() == "scan")
        << reason;
  }
}

TEST(BenchProgram, a_matrix_that_cannot_be_built_is_skipped) {
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

  // It is an error if nothing is left to measure. Invalid configurations are refused beforehand.
  fs::remove(json);
  EXPECT_EQ(bench(bad), 2);
  EXPECT_FALSE(fs::exists(json));
  EXPECT_EQ(bench(box + ", {name: fan, tomography: {volume: {size: [8, 8]}, geometry: {type: "
                        "fan_beam, views: 3, source_to_origin: 1, origin_to_detector: 0}}}"),
            2);
  EXPECT_FALSE(fs::exists(json));
}

/// The rows left by masks do not form a grid of views and detectors.
TEST(BenchProgram, a_problem_with_masks_is_not_measured_as_a_grid) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json", messages = folder / "messages";
  std::vector<double> mask(16 * 24, 1);
  for (std::size_t i = 0; i < mask.size(); i += 5) mask[i] = 0;
  write_npy<double>(folder / "rays.npy", mask, {16, 24});
  Testing::write_bytes(folder / "run.yaml",
                       "problem: {type: tomography, volume: {size: [16, 16]}, geometry: {views: "
                       "16, detectors: 24}, phantom: disc, ray_mask: rays.npy}\n"
                       "solver: {type: sirt}\noperator: {ordering: natural}\n");
  ASSERT_EQ(run_program("bench \"" + (folder / "run.yaml").string() +
                            "\" --set operator.format=ray_tiles --set run.backend=" +
                            std::string(backend_name<TOMOKKOS_HOST_SPACE>()) + " --json \"" +
                            json.string() + "\"",
                        messages),
            0)
      << Testing::read_bytes(messages);
  const ConfigNode root = parse(Testing::read_bytes(json));
  EXPECT_EQ(member(member(root, "matrices").items().front(), "rows").scalar(), "307");
  std::set<std::string> seen;
  for (const ConfigNode& result : member(root, "results").items()) {
    const std::string operation = member(result, "operation").scalar();
    if (operation.rfind("spmv", 0) != 0) continue;
    check_result(result);
    seen.insert(operation + ' ' + member(result, "format").scalar());
  }
  EXPECT_EQ(seen.count("spmv ray_tiles"), 1U);
  EXPECT_EQ(seen.count("spmv_transpose ray_tiles"), 1U);
}

TEST(BenchProgram, operations_on_vectors_build_no_matrix) {
  const ConfigNode root = bench_json(
      "bench_pcg.yaml",
      "--set \"bench.matrices=[{name: huge, stencil: {size: [1000000, 2000, 1], points: 27}}]\" "
      "--set \"bench.operations=[axpy, dot]\" --set \"bench.vector_sizes=[100]\"");
  EXPECT_TRUE(member(root, "skipped").items().empty());
  for (const ConfigNode& result : member(root, "results").items())
    EXPECT_EQ(member(result, "matrix").scalar(), "vector_100");
}

TEST(BenchProgram, a_bench_section_without_matrices_measures_the_problem) {
  const ConfigNode root =
      bench_json("quickstart.yaml",
                 "--set \"bench.formats=[csr, ell]\" --set bench.repetitions=1 "
                 "--set problem.volume.size=[16,16] --set problem.geometry.views=8");
  std::set<std::string> formats;
  for (const ConfigNode& result : member(root, "results").items())
    formats.insert(member(result, "format").scalar());
  EXPECT_TRUE(formats.count("csr") == 1 && formats.count("ell") == 1);
  // By default the precision is that of the run.
  const ConfigNode system = bench_json("pcg_poisson.yaml", "--set problem.stencil.size=6");
  for (const ConfigNode& result : member(system, "results").items())
    EXPECT_EQ(member(result, "scalar").scalar(), "double");
}

// Every matrix of the benchmarks can be written, for programs that compare.
TEST(BenchProgram, convert_writes_a_matrix_of_the_benchmarks) {
  const Testing::TemporaryFolder folder;
  const fs::path messages = folder / "messages";
  Testing::write_bytes(folder / "b.yaml",
                       "bench:\n  scalars: [double]\n  matrices:\n"
                       "    - {name: box, stencil: {size: 4}}\n"
                       "    - {name: law, power_law: {scale: 5, entries_per_row: 4, seed: 3}}\n"
                       "    - {name: ring, circulant: {blocks: 4, block_rows: 3, block_columns: 5, "
                       "entries_per_row: 6}}\n"
                       "    - {name: scan, tomography: {volume: {size: [8, 8]}, geometry: {views: "
                       "4, detectors: 12}, "
                       "projector: line}}\n");
  const auto convert = [&](const std::string& name, const std::string& file,
                           const std::string& more = "") {
    return run_program("convert \"" + (folder / "b.yaml").string() + "\" \"" +
                           (folder / file).string() + "\" --matrix " + name + more,
                       messages);
  };
  ASSERT_EQ(convert("box", "box.mtx"), 0) << Testing::read_bytes(messages);
  const HostCsrMatrix<double> box = read_matrix<double>(folder / "box.mtx");
  EXPECT_EQ(box.num_rows, 64);
  EXPECT_EQ(box.num_nonzeros(), 1000);
  EXPECT_EQ(box.columns(0), 0);
  EXPECT_EQ(box.values(0), 26);
  ASSERT_EQ(convert("law", "law.npz", " --quiet"), 0) << Testing::read_bytes(messages);
  EXPECT_EQ(read_matrix<double>(folder / "law.npz").num_cols, 32);
  ASSERT_EQ(convert("ring", "ring.npz"), 0) << Testing::read_bytes(messages);
  EXPECT_EQ(read_matrix<double>(folder / "ring.npz").num_rows, 3);
  ASSERT_EQ(convert("scan", "scan.mtx", " --set bench.scalars=[float]"), 0)
      << Testing::read_bytes(messages);
  EXPECT_EQ(read_matrix<float>(folder / "scan.mtx").num_cols, 64);

  EXPECT_EQ(convert("bax", "bax.mtx"), 2);
  EXPECT_NE(Testing::read_bytes(messages).find("has no matrix \"bax\"; it has: box, law, ring"),
            std::string::npos);
  EXPECT_EQ(convert("box", "box.txt"), 2);
  EXPECT_EQ(convert("box", "box2.mtx", " --expanded"), 2);
  EXPECT_EQ(convert("\"\"", "box2.mtx"), 2);
  EXPECT_EQ(convert("ring", "ring.csr4"), 2);
  EXPECT_EQ(convert("box", "box.csr4"), 2);
  EXPECT_EQ(run_program("convert \"" + (folder / "box.mtx").string() + "\" \"" +
                            (folder / "c.mtx").string() + "\" --matrix box",
                        messages),
            2);
  EXPECT_FALSE(fs::exists(folder / "c.mtx"));
  EXPECT_FALSE(fs::exists(folder / "bax.mtx"));
}

/// Formats of the results of \p operation.
std::set<std::string> formats_of(const ConfigNode& root, const std::string& operation) {
  std::set<std::string> formats;
  for (const ConfigNode& result : member(root, "results").items()) {
    check_result(result);
    if (member(result, "operation").scalar() == operation)
      formats.insert(member(result, "format").scalar());
  }
  return formats;
}

TEST(BenchProgram, measures_the_system_of_a_configuration_with_a_mesh) {
  const ConfigNode chart = bench_json("lscm_hills.yaml",
                                      "--set problem.mesh.vertices=300 --set "
                                      "\"bench.operations=[spmv, pcg]\"");
  const ConfigNode& matrix = member(chart, "matrices").items().front();
  EXPECT_EQ(member(matrix, "name").scalar(), "lscm_hills");
  EXPECT_EQ(member(matrix, "origin").scalar(), "generated");
  EXPECT_EQ(formats_of(chart, "spmv"), (std::set<std::string>{"csr"}));
  // The matrix of the form shared has the other forms as well.
  EXPECT_EQ(formats_of(chart, "pcg"), (std::set<std::string>{"csr", "shared", "complex"}));
  const ConfigNode smoothing = bench_json("smoothing.yaml",
                                          "--set problem.mesh.vertices=300 --set "
                                          "\"bench.operations=[spmv, pcg, iteration]\" --set "
                                          "\"bench.formats=[csr, sell]\"");
  EXPECT_EQ(formats_of(smoothing, "spmv"), (std::set<std::string>{"csr", "sell"}));
  EXPECT_EQ(formats_of(smoothing, "pcg"), (std::set<std::string>{"csr", "sell"}));
  EXPECT_EQ(formats_of(smoothing, "iteration:pcg").count("run"), 1U);
}

TEST(BenchProgram, measures_and_writes_systems_on_meshes_of_files) {
  const Testing::TemporaryFolder folder;
  const fs::path messages = folder / "messages";
  write_obj(folder / "hills.obj", generate_mesh(MeshShape::hills, {300, 0}, 1));
  Testing::write_bytes(folder / "b.yaml",
                       "bench:\n  scalars: [double]\n  operations: [spmv]\n  formats: [csr, bcsr]\n"
                       "  matrices:\n"
                       "    - {name: generated, lscm: {vertices: 300}}\n"
                       "    - {name: chart, lscm: {mesh: hills.obj}}\n"
                       "    - {name: ordered, ordering: rcm, lscm: {mesh: hills.obj}}\n"
                       "    - {name: smooth, smoothing: {mesh: hills.obj, locked: border}}\n"
                       "    - {name: same, smoothing: {mesh: hills.obj, locked: 1/10}}\n"
                       "    - {name: shape, smoothing: {vertices: 300}}\n");
  const auto convert = [&](const std::string& name) {
    const fs::path file = folder / "A.mtx";
    EXPECT_EQ(run_program("convert \"" + (folder / "b.yaml").string() + "\" \"" + file.string() +
                              "\" --matrix \"" + name + "\"",
                          messages),
              0)
        << Testing::read_bytes(messages);
    return read_matrix<double>(file);
  };
  const auto generated = convert("generated"), chart = convert("chart");
  ASSERT_EQ(generated.num_nonzeros(), chart.num_nonzeros());
  for (Offset k = 0; k < chart.num_nonzeros(); ++k) {
    ASSERT_EQ(chart.columns(k), generated.columns(k));
    ASSERT_NEAR(chart.values(k), generated.values(k), 1e-9);
  }
  EXPECT_EQ(convert("ordered (rcm)").num_nonzeros(), chart.num_nonzeros());
  EXPECT_NE(convert("ordered (rcm)").columns(2), chart.columns(2));
  EXPECT_EQ(convert("same").num_nonzeros(), convert("shape").num_nonzeros());
  EXPECT_LT(convert("smooth").num_rows, 300);

  const fs::path json = folder / "out.json";
  ASSERT_EQ(
      run_program("bench \"" + (folder / "b.yaml").string() +
                      "\" --set bench.repetitions=1 --set bench.warmup=0 --set bench.peers=[] "
                      "--json \"" +
                      json.string() +
                      "\" --set run.backend=" + std::string(backend_name<TOMOKKOS_HOST_SPACE>()),
                  messages),
      0)
      << Testing::read_bytes(messages);
  const ConfigNode root = parse(Testing::read_bytes(json));
  std::map<std::string, std::string> origins;
  for (const ConfigNode& matrix : member(root, "matrices").items())
    origins[member(matrix, "name").scalar()] = member(matrix, "origin").scalar();
  EXPECT_EQ(origins["chart"], "file");
  EXPECT_EQ(origins["shape"], "generated");
  EXPECT_EQ(origins.size(), 6U);
  EXPECT_TRUE(member(root, "skipped").items().empty());
}

TEST(BenchProgram, a_run_that_measures_nothing_fails) {
  const Testing::TemporaryFolder folder;
  const std::string config = (Testing::project_root() / "configs/quickstart.yaml").string();
  EXPECT_EQ(run_program("bench \"" + config +
                            "\" --set bench.operations=[alternating] --set "
                            "problem.volume.size=[8,8] --set problem.geometry.views=4",
                        folder / "messages"),
            1);
  EXPECT_NE(Testing::read_bytes(folder / "messages").find("nothing was measured"),
            std::string::npos);
}

TEST(BenchProgram, bad_input_gives_status_2_and_writes_nothing) {
  const Testing::TemporaryFolder folder;
  const fs::path json = folder / "out.json";
  const fs::path messages = folder / "messages";
  const std::string config = (Testing::project_root() / "configs/bench_csr.yaml").string();
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
