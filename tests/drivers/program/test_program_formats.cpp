// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of the program in every format of the matrix.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_YamlFile.hpp>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ProgramFormats, every_format_gives_the_same_image_as_csr) {
  const RunFolder folder(small_config);
  run_well(folder, "csr", {"run.scalar=double", "operator.format=csr"});
  const std::vector<double> expected = image(folder, "csr");
  for (const std::string format :
       {"{format: coo}", "{format: ell}", "{format: ell_r, sort_by_length: true}",
        "{format: hyb, quantile: 0.5}", "{format: sell, sigma: 0}",
        "{format: bcsr, block: 2, largest_fill: 10}"}) {
    run_well(folder, "out", {"run.scalar=double", "operator=" + format});
    expect_near(image(folder, "out"), expected, 1e-12, format);
    EXPECT_CONTAINS(format, reported(folder, "out", "operator.format"));
    EXPECT_GE(number(folder, "out", "operator.fill"), 1.0) << format;
  }
  // Ray tiles compute both products from one copy, which the report describes.
  run_well(folder, "out", {"run.scalar=double", "operator={format: ray_tiles}"});
  expect_near(image(folder, "out"), expected, 1e-12);
  for (const auto& [key, value] :
       {std::pair{"format", "ray_tiles"}, std::pair{"values", "plain"}, std::pair{"tile", "4096"},
        std::pair{"transpose", "same_copy"}, std::pair{"ordering", "squares"}})
    EXPECT_EQ(reported(folder, "out", "operator." + std::string(key)), value) << key;
  EXPECT_GT(number(folder, "out", "operator.mean_segment"), 1.0);
  // Packed rows, with the rays ordered by tiles.
  for (const std::string way : {"stored", "atomic", "private", "automatic"}) {
    run_well(folder, "out",
             {"run.scalar=double", "operator={format: packed_csr, transpose: " + way + "}"});
    expect_near(image(folder, "out"), expected, 1e-12, way);
    EXPECT_EQ(reported(folder, "out", "operator.transpose"), way == "automatic" ? "stored" : way);
  }
  for (const auto& [key, value] : {std::pair{"format", "packed_csr"}, std::pair{"values", "plain"},
                                   std::pair{"rows", "tiled_rays"}, std::pair{"far_groups", "0"},
                                   std::pair{"ordering", "natural"}})
    EXPECT_EQ(reported(folder, "out", "operator." + std::string(key)), value) << key;
  // `info` predicts the memory of packed rows.
  const ProgramResult info = run_well({"info", folder / "c.yaml"});
  write_bytes(folder / "info.yaml", info.out);
  for (const auto& [scalar, values, name] :
       {std::tuple{"float", "plain", "packed_csr.float"},
        std::tuple{"double", "plain", "packed_csr.double"},
        std::tuple{"float", "half", "packed_csr_half.float"},
        std::tuple{"float", "scaled", "packed_csr_scaled.float"}}) {
    run_well(
        folder, "out",
        {"run.scalar=" + std::string(scalar),
         "operator={format: packed_csr, transpose: atomic, values: " + std::string(values) + "}"});
    EXPECT_EQ(entry(folder / "info.yaml", "memory_bytes." + std::string(name)),
              reported(folder, "out", "operator.memory_bytes"));
  }
  // With an explicit ordering, packed rows keep the order of the rows.
  run_well(folder, "out", {"operator={format: packed_csr, values: half, ordering: tiles}"});
  EXPECT_EQ(reported(folder, "out", "operator.rows"), "natural");
  EXPECT_EQ(reported(folder, "out", "operator.values"), "half");
  // Every method for the transposed product.
  for (const std::string way :
       {"{transpose: atomic}", "{transpose: private}", "{transpose: automatic}",
        "{transpose: windowed}", "{format: sell, transpose: atomic}",
        "{format: coo, transpose: automatic}"}) {
    run_well(folder, "out", {"run.scalar=double", "operator=" + way});
    expect_near(image(folder, "out"), expected, 1e-12, way);
    const std::string method = reported(folder, "out", "operator.transpose");
    EXPECT_CONTAINS(way.find("automatic") == std::string::npos ? way : "stored", method);
  }
  run_well(folder, "out", {"operator={transpose: windowed}"});
  for (const auto& [key, value] : {std::pair{"tile", "4096"}, std::pair{"ordering", "squares"}})
    EXPECT_EQ(reported(folder, "out", "operator." + std::string(key)), value) << key;
  EXPECT_GT(number(folder, "out", "operator.mean_segment"), 1.0);
  // Sections of the variants that have them, and every algorithm of the transposition.
  for (const std::string variant : {"merge_path", "merge_atomic"}) {
    for (const std::string sections : {"1", "7", "5000"}) {
      run_well(folder, "out",
               {"run.scalar=double", "operator={variant: " + variant + ", transpose_variant: " +
                                         variant + ", sections: " + sections + "}"});
      expect_near(image(folder, "out"), expected, 1e-12, variant + " " + sections);
      for (const char* key : {"operator.sections", "operator.transpose_sections"})
        EXPECT_EQ(reported(folder, "out", key), sections) << variant;
    }
    run_well(folder, "out", {"operator.variant=" + variant});
    EXPECT_GT(std::stoi(reported(folder, "out", "operator.sections")), 0);
    EXPECT_EQ(reported(folder, "out", "configuration.operator.sections"), "0");
  }
  for (const std::string how : {"banded", "scan_trans", "merge_trans", "multisplit"}) {
    run_well(folder, "out", {"run.scalar=double", "operator.transposition=" + how});
    EXPECT_EQ(image(folder, "out"), expected) << how;
  }
  // Deterministic runs give the same bytes for any number of threads.
  const auto image_with_threads = [&](const std::string& way, const std::string& threads) {
    run_well(folder, "out",
             {"run.deterministic=true", "run.threads=" + threads, "operator=" + way});
    return read_npy<float>(folder / "out/reconstruction.npy").data;
  };
  for (const std::string way :
       {"{transpose: private}", "{transpose: windowed}", "{format: ray_tiles, values: half}",
        "{format: ray_tiles, tile: 32, group_rows: 20}", "{format: packed_csr, transpose: private}",
        "{format: packed_csr, values: scaled}"})
    EXPECT_EQ(image_with_threads(way, "1"), image_with_threads(way, "3")) << way;
  // The report names the format that was chosen automatically.
  run_well(folder, "out", {"run.scalar=double", "operator={format: automatic}"});
  expect_near(image(folder, "out"), expected, 1e-12);
  EXPECT_EQ(reported(folder, "out", "operator.chosen_by"), "automatic");
  EXPECT_NE(reported(folder, "out", "operator.format"), "automatic");
  EXPECT_EQ(reported(folder, "out", "configuration.operator.format"), "automatic");
  // ART reads single rows, so csr is chosen.
  run_well(folder, "out", {"solver={type: art, sweeps: 2}", "operator={format: automatic}"});
  EXPECT_EQ(reported(folder, "out", "operator.format"), "csr");
  refusal(folder, {"operator={format: bcsr, block: 8, largest_fill: 1.1}"},
          {"--set operator={format: bcsr, block: 8, largest_fill: 1.1}: ",
           ": operator.format: bcsr would store"});
}

// The columns Max - Av, sigma / Av and ELL (HYB) of Table I of Vazquez et al., for matrices that
// are the originals.
TEST(ProgramFormats, info_tells_the_columns_of_table_1) {
  const TemporaryFolder folder;
  struct Line {
    const char* file;
    double rows, max_above_mean, sigma_percent, ell_percent;
  };
  for (const Line& line : {Line{"qh1484.mtx", 1484, 8.88, 38.87, 86.8},
                           Line{"gemat12.mtx.gz", 4929, 37.28, 44.79, 90.7},
                           Line{"rbs480a.mtx.gz", 480, 0.40, 1.38, 100.0}}) {
    SCOPED_TRACE(line.file);
    const ProgramResult info =
        run_well({"info", project_root() / "tests/data/matrices" / line.file});
    write_bytes(folder / "info.yaml", info.out);
    const auto number = [&](const char* key) {
      return std::stod(entry(folder / "info.yaml", key));
    };
    EXPECT_NEAR(number("row_spread.max_above_mean"), line.max_above_mean, 0.006);
    EXPECT_NEAR(100 * number("row_spread.sigma_over_mean"), line.sigma_percent, 0.006);
    EXPECT_NEAR(100 * number("row_spread.share_in_hyb_ell"), line.ell_percent, 0.06);
    const ConfigNode root = read_yaml_file((folder / "info.yaml").string());
    const ConfigNode& histogram = *root.find("row_histogram");
    double rows = 0;
    for (const ConfigNode& count : histogram.find("rows")->items()) rows += *as_number(count);
    EXPECT_EQ(rows, line.rows);
    EXPECT_EQ(*as_number(histogram.find("from")->items().front()), number("row_length.min"));
    const double waiting = number("row_histogram.waiting_in_warps");
    EXPECT_GE(waiting, 0);
    EXPECT_LT(waiting, 1 - number("row_length.mean") / number("row_length.max") + 1e-12);
  }
  // Warps of equal rows do not wait.
  write_bytes(folder / "a.mtx",
              "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1\n");
  const ProgramResult diagonal = run_program({"info", folder / "a.mtx"});
  write_bytes(folder / "info.yaml", diagonal.out);
  EXPECT_EQ(std::stod(entry(folder / "info.yaml", "row_histogram.waiting_in_warps")), 0);
  // A matrix without entries has no spread.
  write_bytes(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 0\n");
  const ProgramResult empty = run_well({"info", folder / "a.mtx"});
  EXPECT_EQ(empty.out.find("row_spread"), std::string::npos);
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramFormats, an_automatic_choice_that_exceeds_memory_becomes_csr) {
  const RunFolder folder(small_config);
  // About 60 MB of nonzeros. CSR stores them and the transpose. The conversion to another format
  // temporarily needs more.
  const std::vector<std::string> common{
      "problem.volume.size=[192, 192]", "problem.geometry={views: 91, detectors: 272}",
      "run.threads=1", "run.scalar=double", "solver.iterations=1"};
  const auto run = [&](const std::string& format, rlim_t megabytes) {
    auto settings = common;
    settings.push_back("operator={format: " + format + "}");
    const ProgramOptions options = limited(RLIMIT_AS, megabytes << 20);
    return run_program(run_of(folder, format, settings), options);
  };
  run_well(folder, "free", [&] {
    auto settings = common;
    settings.emplace_back("operator={format: automatic}");
    return settings;
  }());
  if (reported(folder, "free", "operator.format") == "csr")
    GTEST_SKIP() << "csr is the automatic choice on this machine";
  rlim_t least = 100;
  while (least < 2000 && run("csr", least).status != 0) least += 20;
  ASSERT_EQ(run("csr", least).status, 0);
  bool fell_back = false;
  for (rlim_t megabytes = least + 10; megabytes < least + 100; megabytes += 20) {
    const ProgramResult result = run("automatic", megabytes);
    ASSERT_EQ(result.status, 0) << megabytes << " MB, csr runs in " << least << ": "
                                << result.error;
    const std::filesystem::path report = folder / "automatic/report.yaml";
    if (entry(report, "operator.format") != "csr") continue;
    fell_back = true;
    EXPECT_EQ(entry(report, "operator.instead_of"), reported(folder, "free", "operator.format"));
    EXPECT_NE(entry(report, "operator.because"), "(none)");
  }
  EXPECT_TRUE(fell_back);
}
#endif

}  // namespace
