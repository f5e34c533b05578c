// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs on several processes with matrices from files.
#include "program/RanksTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string volume = "  volume: {size: [24, 20]}\n";
const std::string geometry = "  geometry: {views: 15, detectors: 35}\n";

/// Writes the matrix of `parallel` to a file of each format.
class ProgramRankFiles : public testing::Test {
 protected:
  void SetUp() override {
    write_bytes(folder_ / "p.yaml", parallel);
    for (const std::string& name : names) run_well({"convert", folder_ / "p.yaml", folder_ / name});
  }

  /// Returns a problem with the matrix in file \p name.
  std::string problem(const std::string& name, const std::string& more = volume + geometry) const {
    return "problem:\n  type: tomography\n  matrix: " + folder_ / name + "\n" + more +
           "  phantom: shepp_logan\n";
  }

  const std::vector<std::string> names{"a.csr4", "a.npz", "a.mtx"};
  const RunFolder folder_;
};

TEST_F(ProgramRankFiles, match_one_process_in_natural_order) {
  for (const std::string& name : names)
    compare(problem(name) + "solver: {type: mlem, iterations: 6}\n",
            // With subsets, each rank holds some rows of every subset.
            {{}, {"solver.subsets=5", "operator.ordering=natural"}}, 1e-5);
}

TEST_F(ProgramRankFiles, views_are_dealt_out_to_subsets) {
  for (const std::string& name : names)
    for (const char* solver :
         {"{type: os_sart, sweeps: 2, subsets: 5}", "{type: mlem, iterations: 5, subsets: 4}",
          "{type: sart, sweeps: 2}"})
      compare(problem(name) + "solver: " + solver + "\n", {{}}, 1e-4);
  const RunFolder folder(problem("a.csr4") + "solver: {type: os_sart, subsets: 4}\n");
  image_of(folder, 0, "alone");
  image_of(folder, 3, "spread");
  EXPECT_EQ(reported(folder, "spread", "operator.ordering"), "subsets");
  for (const char* key : {"subsets", "operator.ordering", "matrix.nonzeros", "matrix.empty_rows"})
    EXPECT_EQ(reported(folder, "spread", key), reported(folder, "alone", key)) << key;
}

TEST_F(ProgramRankFiles, rows_are_dealt_out_to_subsets_if_views_are_unknown) {
  for (const std::string& name : names)
    compare(problem(name, volume) + "solver: {type: mlem, iterations: 4, subsets: 7}\n", {{}},
            1e-5);
}

TEST_F(ProgramRankFiles, match_one_process_in_orders_of_pixels_and_rays) {
  for (const std::string& name : names)
    compare(problem(name) + "solver: {type: sirt, iterations: 8}\n",
            {{"operator.ordering=hilbert"}, {"operator.ordering=tiles"}}, 1e-5);
  const std::string config = problem("a.csr4") + "solver: {type: mlem, iterations: 6}\n";
  compare(config,
          {{"operator.ordering=squares"},
           {"operator.format=ray_tiles"},
           {"operator.format=ray_tiles", "solver.subsets=5"},
           {"operator.ordering=hilbert", "run.ranks.image=split"},
           {"operator.ordering=hilbert", "run.ranks.weights=measured"},
           {"operator.ordering={columns: hilbert, rows: subsets}", "solver.subsets=4"}},
          1e-5);
}

TEST_F(ProgramRankFiles, match_one_process_with_masks) {
  std::vector<float> pixels(24 * 20, 1), rays(15 * 35, 1);
  for (std::size_t i = 0; i < 40; ++i) pixels[i] = rays[10 * i] = 0;
  write_npy<float>(folder_ / "pixels.npy", pixels, {24, 20});
  write_npy<float>(folder_ / "rays.npy", rays, {15, 35});
  const std::string pixel_mask = "problem.mask=" + folder_ / "pixels.npy";
  const std::string ray_mask = "problem.ray_mask=" + folder_ / "rays.npy";
  for (const std::string name : {"a.csr4", "a.npz"})
    compare(problem(name) + "solver: {type: mlem, iterations: 5}\n",
            {{pixel_mask, ray_mask},
             {pixel_mask, "solver.subsets=4"},
             {ray_mask, "solver.subsets=4"},
             {pixel_mask, ray_mask, "operator.ordering=hilbert"}},
            1e-5);
}

TEST_F(ProgramRankFiles, match_one_process_with_more_ranks_than_rows) {
  write_bytes(folder_ / "few.yaml",
              "problem:\n  type: tomography\n  volume: {size: [4, 4]}\n"
              "  geometry: {type: parallel_beam, views: 1, detectors: 2, range: 180 deg}\n");
  run_well({"convert", folder_ / "few.yaml", folder_ / "few.csr4"});
  compare(problem("few.csr4", "  volume: {size: [4, 4]}\n  geometry: {views: 1, detectors: 2}\n") +
              "solver: {type: sirt, iterations: 5}\n",
          {{}, {"operator.ordering=hilbert"}}, 1e-6);
}

TEST_F(ProgramRankFiles, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder("run: {deterministic: true}\n" + problem("a.csr4") +
                         "solver: {type: os_sart, sweeps: 4, subsets: 5}\n"
                         "operator: {ordering: {columns: tiles, rows: subsets}}\n"
                         "output: {checkpoint: 2}\n");
  image_of(folder, 3, "whole", {"solver.sweeps=8"});
  image_of(folder, 3, "parts");
  run_well({"run", folder / "c.yaml", "--output", folder / "parts", "--set", "solver.sweeps=8",
            "--resume"},
           on_ranks(3));
  const std::string file = "/reconstruction.npy";
  EXPECT_EQ(read_bytes(folder / ("whole" + file)), read_bytes(folder / ("parts" + file)));
}

TEST_F(ProgramRankFiles, match_one_process_in_an_order_that_needs_the_whole_matrix) {
  for (const char* name : {"a.csr4", "a.npz"})
    compare(problem(name) + "solver: {type: mlem, iterations: 5}\n",
            {{"operator.ordering=by_length"}}, 1e-4);
}

}  // namespace
