// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configuration of `tomokkos bench`: accepted and refused keys and values.
#include <gtest/gtest.h>

#include <Tomokkos_BenchConfig.hpp>
#include <Tomokkos_BenchSolvers.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Error.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cstdlib>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "ProjectRoot.hpp"

namespace {

namespace fs = std::filesystem;
using namespace Tomokkos;
using Bench::read_bench_config;

using Testing::parse;

std::string refusal(const std::string& text) {
  try {
    read_bench_config(parse(text), "f");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

void expect_refused(const std::string& text, const std::vector<std::string>& words) {
  const std::string message = refusal(text);
  for (const std::string& word : words)
    EXPECT_NE(message.find(word), std::string::npos) << text << "\n -> " << message;
}

/// Configuration from configs/, as read with `--full`.
ConfigNode full_study(const std::string& name) {
  ConfigNode root = read_yaml_file(Testing::project_root() / "configs" / name);
  if (root.find("bench")->find("full") != nullptr) Bench::apply_full_study(root);
  return root;
}

TEST(BenchConfig, the_full_study_replaces_the_keys_that_it_names) {
  const std::string text =
      "bench:\n  operations: [axpy, dot]\n  vector_sizes: [10]\n  repetitions: 3\n"
      "  full:\n    vector_sizes: [20, 30]\n    warmup: 4\n";
  ConfigNode root = parse(text);
  EXPECT_EQ(read_bench_config(root, "f").options.vector_sizes, (std::vector<int>{10}));
  Bench::apply_full_study(root);
  const auto full = read_bench_config(root, "f");
  EXPECT_EQ(full.options.vector_sizes, (std::vector<int>{20, 30}));
  EXPECT_EQ(full.options.timing.repetitions, 3);
  EXPECT_EQ(full.options.timing.warmup, 4);
  expect_refused("bench:\n  operations: [dot]\n  full: {repetition: 3}\n",
                 {"f.yaml:3", "bench.full", "repetition", "repetitions"});
  expect_refused("bench:\n  operations: [dot]\n  full: {full: {}}\n", {"f.yaml:3", "bench.full"});
  ConfigNode without = parse("bench:\n  operations: [dot]\n");
  EXPECT_THROW(Bench::apply_full_study(without), ConfigError);
}

TEST(BenchConfig, supplied_configurations_are_small_unless_the_full_study_is_requested) {
  int studies = 0;
  for (const auto& entry : fs::directory_iterator(Testing::project_root() / "configs")) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("bench_", 0) != 0) continue;
    SCOPED_TRACE(name);
    const ConfigNode root = read_yaml_file(entry.path());
    const auto small = read_bench_config(root, name);
    const auto full = read_bench_config(full_study(name), name);
    EXPECT_LE(small.matrices.size(), full.matrices.size());
    EXPECT_LE(small.options.timing.repetitions, full.options.timing.repetitions);
    studies += root.find("bench")->find("full") != nullptr ? 1 : 0;
  }
  EXPECT_GE(studies, 9);
}

TEST(BenchConfig, reads_the_solvers_of_iterations) {
  const auto all = Bench::all_solvers();
  // All but filtered back projection, and two with ordered subsets.
  EXPECT_EQ(all.size(), EnumNames<SolverKind>::names.size() - 1 + 2);
  for (const auto& solver : all) EXPECT_EQ(Bench::solver_name(solver.params), solver.name);
  const std::string bench = "bench:\n  matrices: [{name: s, stencil: {points: 7, size: 4}}]\n";
  const auto some =
      read_bench_config(parse(bench + "  operations: [iteration]\n  solvers: [pcg, gmres]\n"), "f");
  EXPECT_EQ(some.options.solvers, (std::vector<std::string>{"pcg", "gmres"}));
  EXPECT_FALSE(some.configured_run.has_value());
  expect_refused(bench + "  operations: [iteration]\n  solvers: [osmlem]\n",
                 {"f.yaml:4", "bench.solvers", "os_mlem"});
  // A run is timed with its own configuration.
  const auto osem =
      read_bench_config(read_yaml_file(Testing::project_root() / "configs/osem.yaml"), "osem");
  EXPECT_EQ(osem.options.solvers, (std::vector<std::string>{"os_mlem"}));
  EXPECT_EQ(osem.options.operations.back(), Bench::Operation::iteration);
  ASSERT_TRUE(osem.configured_run.has_value());
  EXPECT_EQ(kind_of(osem.configured_run->params), SolverKind::mlem);
}

TEST(BenchConfig, reads_the_supplied_study_of_csr) {
  const auto config = read_bench_config(full_study("bench_csr.yaml"), "bench_csr");
  ASSERT_EQ(config.matrices.size(), 2U);
  EXPECT_EQ(config.matrices[0].name, "tomography_512");
  EXPECT_TRUE(std::holds_alternative<Bench::ProblemSource>(config.matrices[0].source));
  const auto& stencil = std::get<StencilRows>(config.matrices[1].source);
  EXPECT_EQ(stencil.points, 27);
  EXPECT_EQ(stencil.size, (std::array<Ordinal, 3>{100, 100, 100}));
  EXPECT_EQ(config.scalars, (std::vector<std::string>{"float", "double"}));
  EXPECT_EQ(config.options.variants.size(), 4U);
  EXPECT_EQ(config.options.peers.size(), 4U);
}

TEST(BenchConfig, the_supplied_study_of_formats_times_every_format) {
  const auto config = read_bench_config(full_study("bench_formats.yaml"), "bench_formats");
  // All formats and the automatic choice, but not block-circulant matrices and symmetric scans.
  EXPECT_EQ(config.options.formats.size(), EnumNames<MatrixFormat>::names.size() + 1);
  for (const std::string format : {"block_circulant", "scsr"})
    EXPECT_EQ(std::count(config.options.formats.begin(), config.options.formats.end(), format), 0);
  ASSERT_EQ(config.matrices.size(), 6U);
  EXPECT_EQ(std::get<StencilRows>(config.matrices[4].source).unknowns, 4);
}

TEST(BenchConfig, reads_the_other_supplied_studies) {
  const auto configs = Testing::project_root() / "configs";
  const auto table = read_bench_config(full_study("bench_table1.yaml"), "t");
  ASSERT_EQ(table.matrices.size(), 21U);
  EXPECT_EQ(table.matrices[0].name, "qh1484");
  EXPECT_EQ(table.matrices[20].name, "wbp256");
  for (const auto& matrix : table.matrices) {
    const auto& source = std::get<Bench::Table1Source>(matrix.source);
    EXPECT_EQ(source.matrix->name, matrix.name);
    EXPECT_TRUE(source.file.empty());
  }
  const auto sets = read_bench_config(full_study("bench_sets.yaml"), "s");
  ASSERT_EQ(sets.matrices.size(), 7U);
  EXPECT_EQ(sets.matrices[1].name, "tomography_512 (tiles)");
  const auto pcg = read_bench_config(full_study("bench_pcg.yaml"), "p");
  EXPECT_EQ(pcg.options.operations,
            (std::vector{Bench::Operation::pcg, Bench::Operation::axpy, Bench::Operation::dot}));
  ASSERT_EQ(pcg.matrices.size(), 10U);  // Table 2 of Buatois et al.
  EXPECT_EQ(pcg.matrices[3].name, "lscm_103k");
  EXPECT_EQ(pcg.matrices[6].name, "dsi_9_8k");
  // Without a section `bench`, a linear system is measured with conjugate gradients instead of
  // iterations for scans.
  const auto system = read_bench_config(read_yaml_file(configs / "pcg_poisson.yaml"), "p");
  EXPECT_EQ(system.options.operations,
            (std::vector{Bench::Operation::spmv, Bench::Operation::spmv_transpose,
                         Bench::Operation::pcg, Bench::Operation::iteration}));
  // Systems on meshes are measured in this way, too. A chart in a form of its own has no iteration
  // on CSR.
  const auto smoothing = read_bench_config(read_yaml_file(configs / "smoothing.yaml"), "s");
  EXPECT_EQ(smoothing.options.operations, system.options.operations);
  ConfigNode chart = read_yaml_file(configs / "lscm_hills.yaml");
  EXPECT_EQ(read_bench_config(chart, "c").options.operations,
            (std::vector{Bench::Operation::spmv, Bench::Operation::spmv_transpose,
                         Bench::Operation::pcg}));
  apply_setting(chart, "problem.form=equations");
  EXPECT_EQ(read_bench_config(chart, "c").options.operations, system.options.operations);
  const auto spmm = read_bench_config(full_study("bench_spmm.yaml"), "s");
  EXPECT_EQ(spmm.options.vectors, (std::vector<int>{8, 16, 32}));
  EXPECT_EQ(spmm.options.operations,
            (std::vector{Bench::Operation::spmm, Bench::Operation::spmm_transpose}));
  EXPECT_EQ(spmm.matrices.front().ordering.columns, Ordering::hilbert);
  const auto transpose = read_bench_config(full_study("bench_transpose.yaml"), "t");
  EXPECT_EQ(transpose.options.operations,
            (std::vector{Bench::Operation::transpose, Bench::Operation::spmv_transpose}));
  EXPECT_EQ(transpose.matrices.size(), 4U);
  EXPECT_EQ(transpose.matrices[1].ordering.columns, Ordering::squares);
  EXPECT_TRUE(transpose.options.transpositions.empty());
  const auto scans = read_bench_config(full_study("bench_scans.yaml"), "s");
  ASSERT_EQ(scans.matrices.size(), 4U);
  const auto& last_ct = std::get<Bench::ProblemSource>(scans.matrices[2].source);
  EXPECT_EQ(scans.matrices[2].ordering.columns, Ordering::squares);
  EXPECT_EQ(std::get<ScanConfig>(last_ct.problem.geometry).detectors, 1024);
  const auto thesis = read_bench_config(full_study("bench_thesis.yaml"), "t");
  ASSERT_EQ(thesis.matrices.size(), 3U);
  const auto& small = std::get<Bench::Profile>(thesis.matrices[0].source);
  EXPECT_EQ(small.entries, 13431560);
  const auto lengths = Bench::row_lengths(small);
  EXPECT_EQ(*std::min_element(lengths.begin(), lengths.end()), 1);
  EXPECT_EQ(*std::max_element(lengths.begin(), lengths.end()), 1024);
  EXPECT_TRUE(thesis.matrices[1].rows.is_all());
  EXPECT_EQ(thesis.matrices[2].rows, (RowRange{0, 480 * 2304}));
  EXPECT_EQ(thesis.options.spread_runs, 10);
}

TEST(BenchConfig, reads_block_circulant_matrices) {
  const auto file = read_bench_config(full_study("bench_circulant.yaml"), "bench_circulant");
  ASSERT_EQ(file.matrices.size(), 6U);
  for (const auto& matrix : file.matrices) EXPECT_TRUE(Bench::is_circulant(matrix)) << matrix.name;
  const auto& maxpy = std::get<Bench::Circulant>(file.matrices.back().source);
  EXPECT_EQ(maxpy.block_cols, 50);
  EXPECT_EQ(maxpy.blocks, 100);
  EXPECT_EQ(maxpy.entries_per_row, 50);
  EXPECT_TRUE(file.options.circulant_variants.empty()) << "an empty list stands for all variants";
  EXPECT_EQ(file.options.products, 20);
  const auto entry = [](const std::string& keys, const std::string& more = "") {
    return "bench: {matrices: [{name: a, " + keys + "}]" + more + "}";
  };
  const std::string generated =
      "circulant: {block_rows: 3, block_columns: 4, blocks: 5, entries_per_row: 6, seed: 7}";
  const auto config = read_bench_config(
      parse(entry(generated, ", variants: [mm_2, scalar, automatic], pairs: 3")), "f");
  EXPECT_EQ(std::get<Bench::Circulant>(config.matrices[0].source).seed, 7U);
  EXPECT_EQ(config.options.circulant_variants,
            (std::vector{CirculantVariant::mm_2, CirculantVariant::automatic}));
  EXPECT_EQ(config.options.variants, (std::vector{SpmvVariant::scalar, SpmvVariant::automatic}));
  EXPECT_EQ(config.options.products, 6);
  const auto row = read_bench_config(parse(entry("circulant: {block_row: a.mtx, blocks: 5}")), "f");
  const auto& problem = std::get<Bench::ProblemSource>(row.matrices[0].source).problem;
  ASSERT_NE(problem.as<BlockRowConfig>(), nullptr);
  EXPECT_EQ(problem.as<BlockRowConfig>()->blocks, 5);
  EXPECT_TRUE(Bench::is_circulant(row.matrices[0]));
  EXPECT_FALSE(
      Bench::is_circulant(read_bench_config(parse(entry("stencil: {size: 4}")), "f").matrices[0]));
}

TEST(BenchConfig, sections_apply_to_both_variants_or_to_each) {
  const auto read = [](const std::string& keys) {
    return read_bench_config(
               parse("bench: {matrices: [{name: a, stencil: {size: 4}}]" + keys + "}"), "f")
        .options;
  };
  EXPECT_TRUE(read("").sections.empty());
  EXPECT_EQ(read("").spread_runs, 0);
  EXPECT_EQ(read(", spread: 2").spread_runs, 2);
  for (const char* list :
       {", sections: [5, 256]", ", sections: {merge_path: [5, 256], merge_atomic: [5, 256]}"}) {
    const auto sections = read(list).sections;
    EXPECT_EQ(sections.size(), 2U);
    EXPECT_EQ(sections.at(SpmvVariant::merge_path), (std::vector<int>{5, 256}));
    EXPECT_EQ(sections.at(SpmvVariant::merge_atomic), (std::vector<int>{5, 256}));
  }
  const auto one = read(", variants: [merge_atomic], sections: {merge_atomic: 7}").sections;
  EXPECT_EQ(one.size(), 1U);
  EXPECT_EQ(one.at(SpmvVariant::merge_atomic), std::vector<int>{7});
}

TEST(BenchConfig, reads_a_range_of_rows) {
  const auto config = read_bench_config(
      parse("bench: {matrices: [{name: a, tomography: {scanner: madpet2_small}, rows: [288, "
            "576]}]}"),
      "f");
  EXPECT_EQ(config.matrices[0].rows, (RowRange{288, 576}));
}

TEST(BenchConfig, originals_of_table_1_are_read_from_a_folder) {
  const Testing::TemporaryFolder folder;
  Testing::write_bytes(folder / "gemat12.mtx", "");
  const auto config =
      read_bench_config(parse("bench: {matrices: [{table1: [gemat12, pwtk], files: \"" +
                              folder.path().string() + "\"}, {table1: dw2048, name: mine}]}"),
                        "f");
  ASSERT_EQ(config.matrices.size(), 3U);
  EXPECT_EQ(std::get<Bench::Table1Source>(config.matrices[0].source).file, folder / "gemat12.mtx");
  EXPECT_TRUE(std::get<Bench::Table1Source>(config.matrices[1].source).file.empty());
  EXPECT_EQ(config.matrices[2].name, "mine");
}

TEST(BenchConfig, reads_profiles) {
  const auto config = read_bench_config(
      parse("bench: {matrices: [{name: a, profile: {rows: 900, entries: 9000, longest: 30, sigma: "
            "4, shortest: 2, quantiles: [[50, 9]], regular: {width: 11, share: 0.95}, run: 3, "
            "pattern: blocks, bandwidth: 90, block: 3, seed: 7}}]}"),
      "f");
  const auto& profile = std::get<Bench::Profile>(config.matrices.front().source);
  EXPECT_EQ(profile.columns, 900);
  EXPECT_EQ(profile.entries, 9000);
  EXPECT_EQ(profile.longest, 30);
  EXPECT_EQ(profile.shortest, 2);
  ASSERT_EQ(profile.quantiles.size(), 1U);
  EXPECT_EQ(profile.quantiles[0].share, 0.5);
  EXPECT_EQ(profile.quantiles[0].length, 9);
  EXPECT_EQ(profile.regular_width, 11);
  EXPECT_EQ(profile.regular_share, 0.95);
  EXPECT_EQ(profile.run, 3);
  EXPECT_EQ(profile.pattern, Bench::ColumnPattern::blocks);
  EXPECT_EQ(profile.bandwidth, 90);
  EXPECT_EQ(profile.block, 3);
  EXPECT_EQ(profile.seed, 7U);
}

TEST(BenchConfig, an_ordinary_configuration_is_measured_with_its_operator) {
  const std::string problem =
      "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: 4, detectors: 12}}\n";
  const auto config = read_bench_config(parse(problem + "run: {scalar: double, seed: 5}"), "mine");
  ASSERT_EQ(config.matrices.size(), 1U);
  EXPECT_EQ(config.matrices[0].name, "mine");
  EXPECT_EQ(config.scalars, std::vector<std::string>{"double"});
  EXPECT_EQ(config.options.timing.seed, 5U);
  EXPECT_EQ(config.options.operations.size(), 4U);
  const auto formats = [&](const std::string& operator_section) {
    return read_bench_config(parse(problem + operator_section), "mine").options.formats;
  };
  EXPECT_EQ(config.options.formats, (std::vector<std::string>{"csr", "automatic"}));
  EXPECT_EQ(formats("operator: {format: csr}"), std::vector<std::string>{"csr"});
  EXPECT_EQ(formats("operator: {format: sell}"), (std::vector<std::string>{"csr", "sell"}));
}

TEST(BenchConfig, reads_names_of_formats_and_transposes) {
  const std::string good = "bench: {matrices: [{name: a, stencil: {size: 4}}]";
  EXPECT_EQ(refusal(good + "}"), "accepted");
  EXPECT_EQ(read_bench_config(parse(good + ", transpositions: [scan_trans, automatic]}"), "f")
                .options.transpositions,
            (std::vector{TransposeVariant::scan_trans, TransposeVariant::automatic}));
  EXPECT_EQ(read_bench_config(parse(good + ", transposes: [atomic]}"), "f").options.transposes,
            std::vector{TransposeMethod::atomic});
  EXPECT_EQ(read_bench_config(parse(good + ", formats: [packed_csr, sell]}"), "f").options.formats,
            (std::vector<std::string>{"packed_csr", "sell"}));
  EXPECT_EQ(read_bench_config(parse(good + ", vectors: 11}"), "f").options.vectors,
            std::vector<int>{11});
}

TEST(BenchConfig, refuses_the_configurations_of_the_table) {
  const auto rows = Testing::rows_of(Testing::project_root() / "tests/bench/refused.tsv");
  EXPECT_GE(rows.size(), 90U);
  for (const auto& row : rows) {
    ASSERT_EQ(row.size(), 2U) << Testing::joined(row);
    EXPECT_NE(refusal(row[0]), "accepted") << row[0];
    expect_refused(row[0], Testing::list_of(row[1]));
  }
}

TEST(BenchConfig, reads_systems_on_meshes_from_files) {
  const Testing::TemporaryFolder folder;
  Testing::write_bytes(folder / "a.obj", "");
  const std::string file = (folder / "a.obj").string();
  const auto config = read_bench_config(
      parse("run: {seed: 3}\nbench:\n  matrices:\n    - {name: a, lscm: {mesh: " + file +
            "}}\n    - {name: b, lscm: {mesh: {file: " + file +
            ", weld: true}, pins: [1, 2]}, ordering: rcm}\n    - {name: c, smoothing: {mesh: " +
            file +
            ", locked: border}}\n    - {name: d, smoothing: {mesh: {generate: cap, vertices: "
            "90, noise: 0.1}, seed: 7}}\n"),
      "f");
  const auto& of = [&](std::size_t i) -> const Bench::ProblemSource& {
    return std::get<Bench::ProblemSource>(config.matrices[i].source);
  };
  EXPECT_EQ(of(0).problem.kind, ProblemKind::parameterization);
  EXPECT_EQ(of(0).problem.form, ChartForm::complex);
  EXPECT_EQ(of(0).problem.mesh->file, folder / "a.obj");
  EXPECT_TRUE(of(1).problem.mesh->weld);
  EXPECT_TRUE(of(1).problem.pins.has_value());
  EXPECT_EQ(config.matrices[1].name, "b (rcm)");
  EXPECT_EQ(of(2).problem.locked.rule, LockRule::border);
  EXPECT_EQ(of(2).run.seed, 3U);
  EXPECT_EQ(of(3).problem.mesh->noise, 0.1);
  EXPECT_EQ(of(3).run.seed, 7U);

  for (const std::string key : {"lscm", "smoothing"}) {
    const std::string system = "bench: {matrices: [{name: a, " + key + ": {mesh: ";
    expect_refused(system + "none.ply}}]}",
                   {"f.yaml:1", "matrices[0]." + key + ".mesh", "none.ply: no such file"});
    expect_refused(system + "{file: none.ply}}}]}", {"f.yaml:1", "none.ply: no such file"});
    expect_refused(system + file + ", vertices: 9}}]}", {"f.yaml:1", key, "vertices", "mesh"});
    expect_refused(system + "{file: " + file + ", size: 3}}}]}", {"f.yaml:1", "mesh", "size"});
    expect_refused(system + "none.stl, vertices: 9}}]}", {key + ".mesh", "none.stl", "hills"});
  }
  expect_refused("bench: {matrices: [{name: a, smoothing: {mesh: " + file + ", locked: 2}}]}",
                 {"f.yaml:1", "problem.locked", "2 is out of range"});
}

TEST(BenchConfig, reads_systems_on_meshes) {
  const auto config = read_bench_config(
      parse("bench: {matrices: [{name: a, lscm: {vertices: 90}}, {name: b, smoothing: {vertices: "
            "90}}, {name: c, smoothing: {mesh: cap, vertices: 5e3, locked: 1/20, seed: 7}}]}"),
      "f");
  EXPECT_EQ(std::get<Bench::Lscm>(config.matrices[0].source).vertices, 90);
  const auto& defaults = std::get<Bench::Smoothing>(config.matrices[1].source);
  EXPECT_EQ(defaults.shape, MeshShape::hills);
  EXPECT_EQ(defaults.vertices, 90);
  EXPECT_EQ(defaults.locked, 0.1);
  EXPECT_EQ(defaults.seed, 1U);
  const auto& other = std::get<Bench::Smoothing>(config.matrices[2].source);
  EXPECT_EQ(other.shape, MeshShape::cap);
  EXPECT_EQ(other.vertices, 5000);
  EXPECT_EQ(other.locked, 0.05);
  EXPECT_EQ(other.seed, 7U);
}

TEST(BenchConfig, reads_the_settings_of_conjugate_gradients) {
  const std::string good = "bench: {matrices: [{name: a, stencil: {size: 4}}], operations: [pcg]";
  const auto options = read_bench_config(parse(good + ", pcg: {iterations: 60, check_every: 20, "
                                                      "tolerance: 1e-8, max_iterations: 900}}"),
                                         "f")
                           .options;
  EXPECT_EQ(options.pcg.iterations, 60);
  EXPECT_EQ(options.pcg.check_every, 20);
  EXPECT_EQ(options.pcg.tolerance, 1e-8);
  EXPECT_EQ(options.pcg.max_iterations, 900);
  EXPECT_EQ(refusal(good + "}"), "accepted");
}

TEST(BenchConfig, operations_on_vectors_need_no_matrix) {
  const auto config =
      read_bench_config(parse("bench: {operations: [axpy, dot], vector_sizes: [64, 1000]}"), "f");
  EXPECT_TRUE(config.matrices.empty());
  EXPECT_EQ(config.options.vector_sizes, (std::vector<Ordinal>{64, 1000}));
  EXPECT_EQ(read_bench_config(parse("bench: {operations: [dot]}"), "f").options.vector_sizes.back(),
            1 << 26);
}

TEST(BenchConfig, reads_run_deterministic) {
  const std::string bench = "bench: {matrices: [{name: a, stencil: {size: 4}}]}";
  const std::string problem =
      "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: 4}}";
  for (const std::string& text : {bench, problem}) {
    EXPECT_FALSE(read_bench_config(parse(text), "f").options.deterministic);
    EXPECT_TRUE(
        read_bench_config(parse("run: {deterministic: true}\n" + text), "f").options.deterministic);
  }
}

TEST(BenchConfig, reads_the_orders_of_its_matrices) {
  const std::string scan =
      "problem: {type: tomography, volume: {size: [16, 20]}, geometry: {views: 12, detectors: 24}, "
      "phantom: shepp_logan}\nsolver: {type: sirt}\n";
  const auto error_of = [](const auto& action) -> std::string {
    try {
      action();
    } catch (const ConfigError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  const auto read = [](const std::string& matrix, const std::string& more = "") {
    return Bench::read_bench_config(
        parse("bench: {matrices: [{name: a, " + matrix + "}]" + more + "}\n"), "f");
  };
  const std::string tomography =
      "tomography: {volume: {size: [16, 20]}, geometry: {views: 12, detectors: 24}}";
  const auto config =
      read(tomography + ", ordering: {columns: hilbert}", ", entries: [sorted, interleaved]");
  EXPECT_EQ(config.matrices[0].name, "a (columns hilbert, rows natural)");
  EXPECT_EQ(config.matrices[0].ordering, (OrderingOptions{Ordering::hilbert, Ordering::natural}));
  EXPECT_EQ(config.options.entries, (std::vector{EntryOrder::sorted, EntryOrder::interleaved}));
  EXPECT_EQ(read(tomography).options.entries, std::vector{EntryOrder::sorted});
  EXPECT_EQ(read(tomography).matrices[0].name, "a");
  EXPECT_EQ(read("stencil: {size: 3}, ordering: rcm").matrices[0].name, "a (rcm)");
  for (const char* name : {"tiles", "hilbert"}) {
    const std::string message =
        error_of([&] { read("stencil: {size: 3}, ordering: " + std::string(name)); });
    EXPECT_NE(message.find("bench.matrices[0].ordering: "), std::string::npos) << message;
  }
  const std::string message =
      error_of([&] { read(tomography + ", ordering: {entries: interleaved}"); });
  EXPECT_NE(message.find("bench.matrices[0].ordering: "), std::string::npos) << message;
  EXPECT_NE(message.find("bench.entries"), std::string::npos) << message;
  // A problem without a section `bench`.
  const auto problem = Bench::read_bench_config(parse(scan + "operator: {ordering: tiles}\n"), "f");
  EXPECT_EQ(problem.matrices[0].name, "f (tiles)");
  const auto interleaved = Bench::read_bench_config(
      parse(scan + "operator: {ordering: {columns: tiles, entries: interleaved}}\n"), "f");
  EXPECT_EQ(interleaved.matrices[0].name, "f (columns tiles, rows natural)");
  EXPECT_EQ(interleaved.options.entries,
            (std::vector{EntryOrder::sorted, EntryOrder::interleaved}));
  EXPECT_EQ(problem.matrices[0].ordering, (OrderingOptions{Ordering::tiles, Ordering::tiles}));
}

}  // namespace
