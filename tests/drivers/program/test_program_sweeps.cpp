// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ART and block ART in the program: the order of visits, the levels in the report, and the same
// bits for any number of threads and any order of the matrix.
#include <Tomokkos_Npy.hpp>
#include <cmath>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ProgramSweeps, report_their_levels) {
  const RunFolder folder(small_config);
  run_well(folder, "plain", {"solver={type: art, sweeps: 2}"});
  run_well(folder, "strided",
           {"solver={type: art, sweeps: 2, order: multilevel, within_view: strided}"});
  EXPECT_EQ(reported(folder, "plain", "sweep.order"), "sequential");
  EXPECT_EQ(reported(folder, "plain", "sweep.stride"), "(none)");
  EXPECT_EQ(reported(folder, "strided", "sweep.order"), "multilevel");
  EXPECT_EQ(reported(folder, "strided", "sweep.stride"), "2");
  for (const std::string run : {"plain", "strided"}) {
    const double visits = number(folder, run, "result.levels.count") *
                          number(folder, run, "result.levels.mean_width");
    EXPECT_NEAR(visits + number(folder, run, "result.excluded_rows"),
                number(folder, run, "matrix.rows"), 1e-6 * visits);
    EXPECT_EQ(reported(folder, run, "result.excluded_rows"),
              reported(folder, run, "matrix.empty_rows"));
  }
  EXPECT_LT(number(folder, "strided", "result.levels.count"),
            number(folder, "plain", "result.levels.count"));
  EXPECT_GT(distance(image(folder, "plain"), image(folder, "strided")), 1e-3);
  EXPECT_LT(number(folder, "strided", "result.relative_residual"), 0.2);
}

TEST(ProgramSweeps, give_the_same_bits_for_any_number_of_threads) {
  const RunFolder folder(small_config);
  const std::string solver =
      "solver={type: art, sweeps: 3, order: random, seed: 5, within_view: strided, "
      "relaxation: 0.8, relaxation_decay: 0.25, minimum: 0}";
  run_well(folder, "one", {solver, "run.threads=1"});
  run_well(folder, "two", {solver, "run.threads=2"});
  run_well(folder, "four", {solver, "run.threads=4"});
  expect_same_file(folder, "one", "two");
  expect_same_file(folder, "one", "four");
  run_well(folder, "other", {solver, "solver.seed=6"});
  EXPECT_NE(image(folder, "one"), image(folder, "other"));
}

TEST(ProgramSweeps, visit_rays_in_the_same_order_for_every_order_of_the_matrix) {
  const RunFolder folder(small_config);
  const std::string solver = "solver={type: art, sweeps: 2, order: golden, within_view: strided}";
  // With several threads, the projection of the phantom would divide the rows at other places.
  run_well(folder, "natural", {solver, "run.threads=1"});
  run_well(folder, "tiles", {solver, "run.threads=1", "operator.ordering={rows: tiles}"});
  expect_same_file(folder, "natural", "tiles");
  run_well(folder, "hilbert", {solver, "operator.ordering=hilbert"});
  EXPECT_LT(distance(image(folder, "hilbert"), image(folder, "natural")), 1e-5);
}

// A view or a block is a thin range of rows. A stored transpose is slow for such ranges.
TEST(ProgramSweeps, over_thin_ranges_of_rows_store_no_transpose) {
  const RunFolder folder(small_config);
  const auto chosen = [&](const std::string& solver, const std::string& format) {
    run_well(folder, "out", {"solver={type: " + solver + "}", "operator.format=" + format});
    return reported(folder, "out", "operator.transpose");
  };
  EXPECT_EQ(chosen("sart, sweeps: 1", "csr"), "private");
  EXPECT_EQ(reported(folder, "out", "configuration.operator.transpose"), "automatic");
  EXPECT_EQ(chosen("block_art, sweeps: 1", "csr"), "private");
  EXPECT_EQ(chosen("block_art, sweeps: 1, block_rows: 100", "csr"), "stored");
  EXPECT_EQ(chosen("os_sart, sweeps: 1, subsets: 9", "csr"), "stored");
  EXPECT_EQ(chosen("sirt, iterations: 1", "csr"), "stored");
  run_well(folder, "out", {"solver={type: sart, sweeps: 1}", "operator.transpose=stored"});
  EXPECT_EQ(reported(folder, "out", "operator.transpose"), "stored");
}

// Rays that graze a corner divide their noise by a tiny norm.
TEST(ProgramSweeps, leave_out_rays_that_graze_the_image) {
  const RunFolder folder(R"(problem:
  type: tomography
  volume: {size: [150, 170]}
  projector: strip
  geometry: {type: parallel_beam, views: 150, start: 0.4 deg, detectors: 260, rotation_center: 132.8}
  phantom: shepp_logan
  noise: {type: gaussian, sigma: 0.01, scale: relative}
)");
  for (const std::string type : {"art", "block_art"}) {
    const std::string solver = "solver={type: " + type + ", sweeps: 1, relaxation: 0.2";
    run_well(folder, "out", {solver + "}"});
    EXPECT_LT(number(folder, "out", "result.relative_residual"), 0.2) << type;
    const double excluded = number(folder, "out", "result.excluded_rows");
    expect_failure(run_of(folder, "all", {solver + ", smallest_norm: 0}"}), {}, 1);
    EXPECT_GT(number(folder, "all", "result.relative_residual"), 100) << type;
    EXPECT_LT(number(folder, "all", "result.excluded_rows"), excluded);
  }
  expect_failure(run_of(folder, "none", {"solver={type: art, smallest_norm: 1}"}),
                 {"it is a fraction of the largest norm of a row"});
}

TEST(ProgramSweeps, with_blocks_of_one_row_match_art) {
  const RunFolder folder(small_config);
  const std::string rest = ", sweeps: 2, order: multilevel, within_view: strided, minimum: 0}";
  run_well(folder, "art", {"solver={type: art" + rest});
  run_well(folder, "rows", {"solver={type: block_art, block_rows: 1" + rest});
  EXPECT_LT(distance(image(folder, "rows"), image(folder, "art")), 1e-5);
  EXPECT_EQ(reported(folder, "rows", "result.blocks"), reported(folder, "rows", "matrix.rows"));
  run_well(folder, "views", {"solver={type: block_art" + rest});
  EXPECT_EQ(reported(folder, "views", "result.blocks"), "18");
  EXPECT_EQ(reported(folder, "views", "sweep.block_rows"), "32");
  EXPECT_GT(distance(image(folder, "views"), image(folder, "art")), 1e-3);
  // The configuration in the report runs and gives the same image.
  write_bytes(folder / "again.yaml", reported(folder, "views", "configuration"));
  run_well(
      {"run", folder / "again.yaml", "--quiet", "--set", "output.directory=" + folder / "again"});
  expect_same_file(folder, "again", "views");
}

}  // namespace
