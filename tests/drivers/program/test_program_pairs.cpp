// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with the format pair_blocked, and the output of `info` about pairs of rows and stored rays.
#include <Tomokkos_Npy.hpp>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string& config = square_config;

/// Folder with the configuration, its runs and the last output of `info`.
struct Scan {
  RunFolder folder;
  Scan() { write_bytes(folder / "c.yaml", config); }

  std::vector<double> image(const std::string& output, const std::vector<std::string>& settings) {
    run_well(folder, output, settings);
    return read_npy<double>(folder / (output + "/reconstruction.npy")).data;
  }
  std::string reported(const std::string& output, const std::string& key) {
    return Testing::reported(folder, output, "operator." + key);
  }
  /// Runs `info` with the further arguments \p more and keeps its output in info.yaml.
  ProgramResult info(const std::vector<std::string>& more = {}) {
    std::vector<std::string> arguments{"info", folder / "c.yaml"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramResult result = run_program(arguments);
    write_bytes(folder / "info.yaml", result.out);
    return result;
  }
  std::string info_entry(const std::string& key) { return entry(folder / "info.yaml", key); }
  double info_number(const std::string& key) { return std::stod(info_entry(key)); }
};

TEST(ProgramPairs, give_the_same_image_as_csr) {
  Scan scan;
  for (const std::string solver : {"mlem", "sirt", "cgls"}) {
    const std::string type = "solver={type: " + solver + ", iterations: 6}";
    const std::vector<double> expected = scan.image("csr", {type});
    const double tolerance = solver == "cgls" ? 1e-6 : 1e-10;
    for (const auto& [way, expected_transpose] :
         {std::pair{"", "fixed_point"},
          {", transpose: automatic", "fixed_point"},
          {", transpose: fixed_point, ordering: tiles", "fixed_point"},
          {", transpose: atomic", "atomic"}}) {
      const std::string setting = "operator={format: pair_blocked" + std::string(way) + "}";
      expect_near(scan.image("out", {type, setting}), expected, tolerance, solver + way);
      EXPECT_EQ(scan.reported("out", "format"), "pair_blocked");
      EXPECT_EQ(scan.reported("out", "transpose"), expected_transpose);
      EXPECT_EQ(scan.reported("out", "pairs"), "288");
      EXPECT_GE(std::stod(scan.reported("out", "fill")), 1.0);
    }
  }
  EXPECT_EQ(entry(scan.folder / "out/report.yaml", "configuration.operator.transpose"), "atomic");
}

TEST(ProgramPairs, give_the_same_bits_for_any_number_of_threads) {
  Scan scan;
  for (const std::string format :
       {"{format: pair_blocked}", "{format: scsr, stored_format: pair_blocked}"}) {
    const auto with = [&](const std::string& threads) {
      return scan.image("out",
                        {"run.deterministic=true", "run.threads=" + threads, "operator=" + format});
    };
    EXPECT_EQ(with("1"), with("3")) << format;
    EXPECT_EQ(with("1"), with("1")) << format;
  }
}

TEST(ProgramPairs, run_row_actions_and_subsets_like_csr) {
  Scan scan;
  for (const std::string solver :
       {"{type: art, sweeps: 2, order: multilevel, within_view: strided, relaxation: 0.5}",
        "{type: block_art, sweeps: 2, block_rows: 50, relaxation: 0.5}",
        "{type: sart, sweeps: 2, relaxation: 0.5}", "{type: os_sart, sweeps: 2, subsets: 4}",
        "{type: mlem, iterations: 3, subsets: 4}", "{type: sirt, iterations: 3, subsets: 4}"}) {
    const std::string type = "solver=" + solver;
    const std::vector<double> expected =
        scan.image("csr", {type, "operator={format: csr, ordering: natural}"});
    const bool transposes = solver.find("type: art") == std::string::npos;
    for (const std::string format :
         {"format: pair_blocked, ordering: natural", "format: scsr, stored_format: pair_blocked"})
      for (const std::string way : {"", ", transpose: atomic"}) {
        if (!way.empty() && !transposes) continue;
        const std::string setting = "operator={" + format + way + "}";
        expect_near(scan.image("out", {type, setting}), expected, 1e-9, solver + ", " + setting);
        if (!way.empty()) continue;
        const auto with = [&](const std::string& threads) {
          return scan.image("again",
                            {type, setting, "run.deterministic=true", "run.threads=" + threads});
        };
        EXPECT_EQ(with("3"), with("1")) << solver << ", " << setting;
      }
  }
  // Formats whose rows cannot be read one by one are refused, with the names of those that can.
  for (const std::string format : {"{format: packed_csr}", "{format: scsr, stored_format: sell}"}) {
    expect_failure(run_of(scan.folder, "refused", {"solver={type: art}", "operator=" + format}),
                   {"art visits single rows; allowed: csr"});
  }
}

TEST(ProgramPairs, reconstruct_stacks_like_csr) {
  Scan scan;
  const std::vector<std::string> stack{"problem.slices=3",
                                       "problem.noise={type: gaussian, sigma: 0.1}"};
  const auto with = [&](const std::string& output, const std::string& format) {
    std::vector<std::string> settings = stack;
    settings.push_back("operator=" + format);
    return scan.image(output, settings);
  };
  const std::vector<double> expected = with("csr", "{format: csr}");
  for (const std::string format :
       {"{format: pair_blocked}", "{format: scsr, stored_format: pair_blocked}"}) {
    const std::vector<double> image = with("out", format);
    ASSERT_EQ(image.size(), 3u * 24 * 24);
    expect_near(image, expected, 1e-10, format);
  }
}

TEST(ProgramPairs, info_reports_the_memory_of_a_run) {
  Scan scan;
  ASSERT_EQ(scan.info().status, 0);
  for (const std::string scalar : {"float", "double"}) {
    run_well(scan.folder, "out",
             {"run.scalar=" + scalar, "operator={format: pair_blocked, transpose: atomic}"});
    EXPECT_EQ(scan.info_entry("memory_bytes.pair_blocked." + scalar),
              scan.reported("out", "memory_bytes"));
  }
  EXPECT_EQ(scan.info_entry("pair_blocked.pairs"), scan.reported("out", "pairs"));
  EXPECT_EQ(scan.info_entry("pair_blocked.fill"), scan.reported("out", "fill"));
  expect_failure({"info", scan.folder / "info.yaml"}, {});
}

TEST(ProgramPairs, info_reports_the_stored_rays_of_a_scan) {
  Scan scan;
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{}, {"--set", "operator.format=scsr"}}) {
    ASSERT_EQ(scan.info(settings).status, 0);
    for (const std::string scalar : {"float", "double"}) {
      run_well(scan.folder, "out", {"run.scalar=" + scalar, "operator.format=scsr"});
      for (const char* key : {"stored_rays", "stored_nonzeros"})
        EXPECT_EQ(scan.info_entry(std::string("scsr.") + key), scan.reported("out", key));
      EXPECT_EQ(scan.info_entry("memory_bytes.scsr." + scalar),
                scan.reported("out", "stored_bytes"));
      EXPECT_NEAR(scan.info_number("scsr.compression." + scalar),
                  std::stod(scan.reported("out", "compression")), 1e-6);
      const double entries = scan.info_number("scsr.stored_nonzeros");
      EXPECT_EQ(scan.info_number("memory_bytes.scsr_with_stored_transpose." + scalar),
                scan.info_number("memory_bytes.scsr." + scalar) +
                    entries * (scalar == "float" ? 8 : 12) + 8 * (24 * 24 + 1));
    }
    EXPECT_EQ(scan.info_entry("scsr.pair_blocked.pairs"), "45");
    EXPECT_LT(scan.info_number("memory_bytes.scsr_pair_blocked.float"),
              scan.info_number("memory_bytes.scsr_with_stored_transpose.float"));
  }
  // A scan without the symmetries has no stored rays. `info` says why.
  ASSERT_EQ(scan.info({"--set", "problem.geometry.views=15"}).status, 0);
  EXPECT_CONTAINS(scan.info_entry("scsr.refused"), "does not have the symmetries of the square");
  EXPECT_EQ(read_bytes(scan.folder / "info.yaml").find("scsr_with"), std::string::npos);
}

TEST(ProgramPairs, info_counts_collisions) {
  Scan scan;
  ASSERT_EQ(scan.info().status, 0);
  EXPECT_EQ(read_bytes(scan.folder / "info.yaml").find("collisions"), std::string::npos);
  ASSERT_EQ(scan.info({"--collisions"}).status, 0);
  const auto check = [&](const std::string& node) {
    EXPECT_LT(scan.info_number(node + "spread"), 0.2 * scan.info_number(node + "ascending"));
    EXPECT_EQ(scan.info_number(node + "groups"), node.rfind("scsr", 0) == 0 ? 2 : 9);
    EXPECT_GT(scan.info_number(node + "groups_without"), 0);
    EXPECT_LE(scan.info_number(node + "groups_without"), scan.info_number(node + "groups"));
  };
  check("pair_blocked.collisions.");
  check("scsr.pair_blocked.collisions.");
  // With scsr, `info` counts the collisions of the stored rays only.
  ASSERT_EQ(scan.info({"--collisions", "--set", "operator.format=scsr"}).status, 0);
  check("scsr.pair_blocked.collisions.");
  EXPECT_CONTAINS(read_bytes(scan.folder / "info.yaml"), "\npair_blocked:");
  EXPECT_EQ(read_bytes(scan.folder / "info.yaml").find("\n  collisions"), std::string::npos);
  // The pairs are rows 3, 2 and rows 1, 0. No column occurs twice in lock step.
  write_bytes(scan.folder / "a.mtx",
              "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 1\n2 2 1\n3 3 1\n4 4 1\n"
              "4 2 1\n");
  const ProgramResult matrix = run_well({"info", scan.folder / "a.mtx", "--collisions"});
  EXPECT_CONTAINS(matrix.out, "spread: 0, groups: 1, groups_without: 1}");
  write_npy<double>(scan.folder / "a.npy", std::vector<double>(4, 1.0), {2, 2});
  expect_failure({"info", scan.folder / "a.npy", "--collisions"},
                 {"--collisions: applies only to a matrix file"});
}

TEST(ProgramPairs, are_refused_for_too_much_fill_and_for_pcg) {
  Scan scan;
  expect_failure(run_of(scan.folder, "refused",
                        {"operator={format: pair_blocked, largest_fill: "
                         "1.01}"}),
                 {"operator.format: pair_blocked would store"});
  write_bytes(scan.folder / "s.yaml",
              "problem: {type: linear_system, stencil: {points: 7, size: 5}, rhs: ones}\n"
              "operator: {format: pair_blocked}\n");
  expect_failure({"run", scan.folder / "s.yaml"},
                 {"pair_blocked serves A x and A^T y from one copy, but pcg forms only A x"});
  run_well(
      scan.folder, "out",
      {"solver={type: cgls, iterations: 3}", "operator={format: pair_blocked, largest_fill: 3}"});
}

}  // namespace
