// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checkpoints keep unusual results and the arrays of a solver.
#include <gtest/gtest.h>
#include <Tomokkos_Checkpoint.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <cmath>
#include <limits>

#include "FileTesting.hpp"

namespace {

using namespace Tomokkos;

/// Returns the result of a solve with one iteration.
SolveResult result_of(StopReason reason) {
  SolveResult result;
  result.reason = reason;
  result.iterations = 1;
  result.residual = 0.5;
  result.rhs_norm = 2;
  for (int k = 0; k < 2; ++k) {
    IterationRecord record;
    record.iteration = k;
    record.residual = 0.5;
    result.history.push_back(record);
  }
  return result;
}

TEST(CheckpointFile, keeps_unusual_results_and_the_arrays_of_a_solver) {
  if (!can_write_npz()) GTEST_SKIP() << "built without libzip";
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Checkpoint<float> saved;
  saved.texts = {{"matrix", "2 x 4: 8"}, {"none", ""}, {"configuration", "a: 1\nb:\n  c: 2\n"}};
  saved.progress.iteration = 1;
  saved.progress.held["numbers"] = {infinity, 1e-300, -0.0};
  for (const auto& residual :
       {std::optional<double>(), std::optional<double>(0.25), std::optional<double>(nan)})
    for (const auto& source :
         {std::optional<NonFiniteSource>(), std::optional(NonFiniteSource::diagonal),
          std::optional(NonFiniteSource::product),
          std::optional(NonFiniteSource::preconditioner)}) {
      SolveResult result = result_of(StopReason::non_finite);
      result.recursive_residual = residual;
      result.non_finite_source = source;
      if (source) result.non_finite_iteration = 1;
      saved.progress.results.push_back(result);
      saved.progress.active.push_back(false);
      saved.rmse.emplace_back();
      saved.image.push_back(1);
    }
  const Testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "checkpoint.npz";
  write_checkpoint<float>(file, saved, {saved.image.size()});
  const Checkpoint<float> read = read_checkpoint<float>(file);
  EXPECT_EQ(read.texts, saved.texts);
  EXPECT_EQ(read_checkpoint_texts(file).at("matrix"), "2 x 4: 8");
  ASSERT_EQ(read.progress.results.size(), saved.progress.results.size());
  for (std::size_t j = 0; j < saved.progress.results.size(); ++j) {
    const SolveResult &a = saved.progress.results[j], &b = read.progress.results[j];
    EXPECT_EQ(a.reason, b.reason);
    EXPECT_EQ(a.non_finite_source, b.non_finite_source) << j;
    EXPECT_EQ(a.non_finite_iteration, b.non_finite_iteration);
    ASSERT_EQ(a.recursive_residual.has_value(), b.recursive_residual.has_value()) << j;
    if (a.recursive_residual && std::isnan(*a.recursive_residual))
      EXPECT_TRUE(std::isnan(*b.recursive_residual));
    else
      EXPECT_EQ(a.recursive_residual, b.recursive_residual);
  }
  EXPECT_EQ(read.progress.held, saved.progress.held);
  EXPECT_TRUE(std::signbit(read.progress.held.at("numbers")[2]));
}

TEST(CheckpointFile, keeps_histories_with_gaps_in_their_order) {
  if (!can_write_npz()) GTEST_SKIP() << "built without libzip";
  const Testing::TemporaryFolder folder;
  const std::filesystem::path file = folder / "checkpoint.npz";
  const auto read_back = [&](const std::vector<int>& iterations) {
    Checkpoint<float> saved;
    saved.progress.iteration = 9;
    SolveResult result = result_of(StopReason::max_iterations);
    result.history.resize(iterations.size());
    for (std::size_t i = 0; i < iterations.size(); ++i) result.history[i].iteration = iterations[i];
    saved.progress.results = {result};
    saved.progress.active = {true};
    saved.rmse = {{{4, 0.5}}};
    saved.image = {1};
    write_checkpoint<float>(file, saved, {1});
    return read_checkpoint<float>(file);
  };
  const Checkpoint<float> read = read_back({0, 4, 8, 9});
  std::vector<int> found;
  for (const IterationRecord& record : read.progress.results[0].history)
    found.push_back(record.iteration);
  EXPECT_EQ(found, (std::vector<int>{0, 4, 8, 9}));
  EXPECT_EQ(read.rmse[0], (std::map<int, double>{{4, 0.5}}));
  Testing::expect_input_error([&] { read_back({4, 8, 9}); }, "slice 0 are not in order");
  Testing::expect_input_error([&] { read_back({0, 8, 8, 9}); }, "slice 0 are not in order");
  Testing::expect_input_error([&] { read_back({0, 4, 8}); }, "ends at iteration 8, not at 9");
}

TEST(CheckpointFile, keeps_the_fingerprints_of_a_volume) {
  VolumeProgress volume{2, 5, -1, 3, 4, 5, 6, {7, 9007199254740991.0}, {}};
  volume.written[".npy"] = {1, 2};
  volume.written[".tif"] = {3, 4};
  SolveProgress progress;
  EXPECT_FALSE(volume_of(progress));
  set_volume(progress, volume);
  const std::optional<VolumeProgress> found = volume_of(progress);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->done, 2);
  EXPECT_EQ(found->missing, 6);
  EXPECT_EQ(found->data, volume.data);
  EXPECT_EQ(found->written, volume.written);
}

}  // namespace
