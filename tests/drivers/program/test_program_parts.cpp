// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructions whose rows are divided between two backends of one process. Programs without a
// GPU divide them between the host and the host.
#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string scan =
    "run: {scalar: double}\nproblem:\n  type: tomography\n  volume: {size: [24, 20]}\n"
    "  geometry: {type: parallel_beam, views: 15, detectors: 35, range: 180 deg}\n"
    "  phantom: shepp_logan\n";

/// Expects that both backends together agree with the host within rounding.
void expect_agreement(const std::string& config, const std::vector<std::string>& settings = {}) {
  const RunFolder folder(config);
  const ProgramResult alone =
      run_program({"compare", folder / "c.yaml", "--record", folder / "r.yaml"});
  ASSERT_TRUE(folder.has("r.yaml")) << config << alone.error;
  std::vector<std::string> arguments{"compare", folder / "c.yaml", "--set",
                                     "run.backend=[openmp, openmp]"};
  arguments = with_settings(arguments, settings);
  arguments.insert(arguments.end(), {"--against", folder / "r.yaml"});
  const ProgramResult result = run_well(arguments);
  EXPECT_CONTAINS(result.out, "verdict: the same within rounding");
}

TEST(ProgramParts, every_solver_agrees_with_one_backend) {
  for (const char* solver :
       {"{type: mlem, iterations: 4}", "{type: mlem, iterations: 3, subsets: 5}",
        "{type: sirt, iterations: 4}", "{type: sart, sweeps: 2}",
        "{type: os_sart, sweeps: 2, subsets: 5}", "{type: cgls, iterations: 5}",
        "{type: lsmr, iterations: 5}"})
    expect_agreement(scan + "solver: " + solver + "\n", {"run.shares=[3, 1]"});
}

TEST(ProgramParts, formats_orders_masks_and_stacks_agree_with_one_backend) {
  const std::string sirt = scan + "solver: {type: sirt, iterations: 3}\n";
  for (const char* format :
       {"{format: sell}", "{format: ray_tiles}", "{format: csr, ordering: natural}",
        "{format: packed_csr, ordering: {rows: hilbert, columns: squares}}"})
    expect_agreement(sirt + "operator: " + format + "\n", {"run.shares=[1, 2]"});
  expect_agreement(scan + "  slices: 3\nsolver: {type: sirt, iterations: 3}\n");
  const RunFolder folder;
  std::vector<double> mask(24 * 20, 1);
  mask[0] = mask[30] = 0;
  write_npy<double>(folder / "mask.npy", mask, {24, 20});
  expect_agreement(scan + "  mask: " + (folder / "mask.npy") +
                   "\nsolver: {type: sirt, iterations: 3}\n");
}

TEST(ProgramParts, streamed_rows_agree_with_one_backend) {
  for (const char* format : {"{format: csr}", "{format: ray_tiles}"})
    for (const char* solver :
         {"{type: sirt, iterations: 3}", "{type: mlem, iterations: 2, subsets: 5}"})
      for (const char* shares : {"[0, 1, 0]", "[2, 1, 1]"})
        expect_agreement(scan + "solver: " + solver + "\noperator: " + format + "\n",
                         {std::string("run.shares=") + shares});
}

TEST(ProgramParts, files_agree_with_one_backend) {
  const RunFolder folder;
  write_bytes(folder / "scan.yaml", scan + "solver: {type: sirt, iterations: 3}\n");
  for (const char* file : {"a.csr4", "a.npz"}) {
    run_well({"convert", folder / "scan.yaml", folder / file, "--set", "run.scalar=double"});
    expect_agreement(
        "run: {scalar: double}\nproblem:\n  type: tomography\n  matrix: " + (folder / file) +
        "\n  volume: {size: [24, 20]}\n  phantom: shepp_logan\n"
        "solver: {type: sirt, iterations: 3}\n");
  }
}

TEST(ProgramParts, the_report_has_the_shares) {
  const RunFolder folder(scan + "solver: {type: sirt, iterations: 3}\n");
  const ProgramResult result =
      run_well(folder, "out", {"run.backend=[openmp, openmp]", "run.shares=[3, 1]"});
  EXPECT_CONTAINS(result.out, "parts: 75.0 % of the nonzeros on the device, 25.0 % by the cores");
  EXPECT_CONTAINS(result.out, "warning: both backends are the host");
  EXPECT_NEAR(number(folder, "out", "operator.parts.host"), 0.25, 1e-9);
  EXPECT_EQ(reported(folder, "out", "configuration.run.backend"), "[openmp, openmp]\n");
}

TEST(ProgramParts, the_report_counts_what_a_mask_leaves) {
  const RunFolder folder;
  std::vector<double> mask(24 * 20, 0);
  for (int i = 200; i < 280; ++i) mask[static_cast<std::size_t>(i)] = 1;
  write_npy<double>(folder / "mask.npy", mask, {24, 20});
  write_bytes(folder / "c.yaml", scan + "  mask: mask.npy\nsolver: {type: sirt, iterations: 2}\n");
  const auto report_of = [&](const std::string& name, const std::string& setting) {
    run_well(folder, name, {setting});
    return folder / (name + "/report.yaml");
  };
  const std::string whole = report_of("whole", "run.threads=1");
  for (const char* shares : {"[2, 1]", "[0, 1, 1]"}) {
    const std::string parts = report_of(
        "parts",
        "run={scalar: double, backend: [openmp, openmp], shares: " + std::string(shares) + "}");
    for (const char* key : {"matrix.rows", "matrix.columns", "matrix.nonzeros", "matrix.empty_rows",
                            "matrix.row_length.max"}) {
      EXPECT_NE(entry(whole, key), "(none)") << key;
      EXPECT_EQ(entry(parts, key), entry(whole, key)) << key;
    }
  }
}

TEST(ProgramParts, refuse_what_cannot_be_divided) {
  const RunFolder folder;
  const auto error_of_run = [&](const std::string& config, const std::string& setting = {}) {
    write_bytes(folder / "c.yaml", config);
    std::vector<std::string> arguments{"run",      folder / "c.yaml",
                                       "--output", folder / "out",
                                       "--set",    "run.backend=[openmp, openmp]"};
    if (!setting.empty()) arguments.insert(arguments.end(), {"--set", setting});
    return expect_failure(arguments, {}).error;
  };
  EXPECT_CONTAINS(error_of_run(scan + "solver: {type: art}\n"), "solver.type: art visits rows");
  EXPECT_CONTAINS(error_of_run(scan + "solver: {type: sirt}\noperator: {ordering: by_length}\n"),
                  "needs the whole matrix");
  EXPECT_CONTAINS(
      error_of_run("problem: {type: linear_system, stencil: {points: 7, size: 4}, rhs: ones}\n"),
      "only the rows of a reconstruction are divided");
  const std::string sirt = scan + "solver: {type: sirt}\n";
  EXPECT_CONTAINS(error_of_run(sirt, "run.deterministic=true"), "give the shares as numbers");
  EXPECT_CONTAINS(error_of_run(sirt, "output.checkpoint=2"), "a checkpoint does not allow");
  EXPECT_CONTAINS(error_of_run(sirt, "run.shares=[1, 2, 3, 4]"), "must list two or three numbers");
  EXPECT_CONTAINS(error_of_run(sirt, "run.shares=[0, 0, 0]"), "all zero");
  EXPECT_CONTAINS(error_of_run(sirt + "operator: {format: sell}\n", "run.shares=[1, 1, 0]"),
                  "sell cannot be streamed");
  write_npy<double>(folder / "mask.npy", std::vector<double>(24 * 20, 1), {24, 20});
  EXPECT_CONTAINS(error_of_run(scan + "  mask: mask.npy\nsolver: {type: sirt}\n"
                                      "operator: {format: ray_tiles}\n",
                               "run.shares=[1, 1, 0]"),
                  "ray_tiles of a file or with a mask cannot be streamed");
  EXPECT_CONTAINS(error_of_run(sirt, "run.backend=[openmp]"), "a list of two");
  EXPECT_CONTAINS(error_of_run(sirt, "run.backend=[openmp, gpu]"), "\"gpu\" is not available");
  write_bytes(folder / "c.yaml", sirt + "");
  expect_failure({"run", folder / "c.yaml", "--set", "run.shares=[1, 2]"},
                 {"two numbers apply only to a run.backend with two backends"});
}

TEST(ProgramParts, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder(scan + "solver: {type: sirt, iterations: 6}\noutput: {checkpoint: 3}\n");
  const std::vector<std::string> common{"--set", "run.backend=[openmp, openmp]", "--set",
                                        "run.shares=[2, 1]"};
  const auto run_to = [&](const std::string& output, std::vector<std::string> more) {
    std::vector<std::string> arguments{"run", folder / "c.yaml", "--output", folder / output};
    arguments.insert(arguments.end(), common.begin(), common.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    run_well(arguments);
  };
  run_to("whole", {});
  run_to("parts", {"--set", "solver.iterations=3"});
  run_to("parts", {"--resume"});
  EXPECT_TRUE(read_bytes(folder / "whole/reconstruction.npy") ==
              read_bytes(folder / "parts/reconstruction.npy"));
}

}  // namespace
