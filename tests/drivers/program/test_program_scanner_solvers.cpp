// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solvers with PET scanners in the whole program: subsets, terms of the model, counts, checkpoints
// and regions.
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <algorithm>
#include <cmath>

#include "program/ImageTesting.hpp"
#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using namespace ScannerProblem;

/// Reference for ordered subsets. A subset holds the pairs of crystals i, j whose (i + j) mod 18,
/// taken modulo the number of subsets, is its class. The ring has 18 positions around the axis.
std::vector<double> ordered_subsets(const HostCsrMatrix<double>& A, const std::vector<double>& g,
                                    const std::vector<double>& n, const std::vector<double>& b,
                                    const std::vector<int>& classes, int iterations) {
  const auto size = static_cast<std::size_t>(A.num_cols);
  const auto subsets = static_cast<int>(classes.size());
  std::vector<double> x(size, 1), seen(size, 0);
  for (Ordinal row = 0; row < A.num_rows; ++row)
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      seen[A.columns(k)] += n[row] * A.values(k);
  const double threshold = 1e-6 * *std::max_element(seen.begin(), seen.end());
  for (std::size_t j = 0; j < size; ++j)
    if (seen[j] <= threshold) x[j] = 0;
  for (int update = 0; update < iterations * subsets; ++update) {
    std::vector<double> back(size, 0), sensitivity(size, 0);
    for (Ordinal row = 0; row < A.num_rows; ++row) {
      if ((row / 72 + row % 72) % 18 % subsets != classes[update % subsets]) continue;
      double model = b[row];
      for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
        model += n[row] * A.values(k) * x[A.columns(k)];
      for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k) {
        if (model > 0) back[A.columns(k)] += A.values(k) * n[row] * g[row] / model;
        sensitivity[A.columns(k)] += n[row] * A.values(k);
      }
    }
    for (std::size_t j = 0; j < size; ++j)
      if (sensitivity[j] > threshold / subsets) x[j] *= back[j] / sensitivity[j];
  }
  return x;
}

TEST(ScannerSolvers, subsets_of_views_and_terms_of_the_model_match_the_reference) {
  const RunFolder folder(text);
  run_well({"convert", folder / "c.yaml", folder / "A.npz", "--set", "run.scalar=double"});
  const HostCsrMatrix<double> A = read_npz_matrix<double>(folder / "A.npz");
  std::vector<double> n(72 * 72), b(72 * 72);
  for (std::size_t i = 0; i < n.size(); ++i) {
    n[i] = 0.5 + 0.25 * static_cast<double>(i % 5);
    b[i] = static_cast<double>(i % 3);
  }
  write_npy<double>(folder / "n.npy", n, {72, 72});
  write_npy<double>(folder / "b.npy", b, {72 * 72});
  const auto solver = [&](int subsets) {
    return "solver={type: mlem, start: ones, iterations: 3, multiplicative: \"" + folder / "n.npy" +
           "\", background: \"" + folder / "b.npy" + "\", subsets: " + std::to_string(subsets) +
           "}";
  };
  for (const auto& [subsets, classes] :
       {std::pair{1, std::vector<int>{0}}, {6, {0, 4, 2, 1, 5, 3}}}) {
    const std::string name = "subsets_" + std::to_string(subsets);
    run(folder, "c.yaml", name,
        {solver(subsets), "run.scalar=double", "problem.noise={type: poisson, counts: 100}"});
    const auto g = read_npy<double>(folder / (name + "/sinogram.npy")).data;
    expect_close(image(folder, name), ordered_subsets(A, g, n, b, classes, 3), 1e-9, name);
  }
  EXPECT_EQ(reported(folder, "subsets_6", "subsets"),
            "count: 6\nsmallest: 864\nlargest: 864\norder: [0, 4, 2, 1, 5, 3]\n");
  EXPECT_GT(number(folder, "subsets_6", "result.log_likelihood"),
            number(folder, "subsets_1", "result.log_likelihood"));
  // A constant background applies to pairs of crystals only, not to the other rows.
  run(folder, "c.yaml", "number", {"solver={type: mlem, iterations: 1, background: 2}"});
  const auto data = read_npy<double>(folder / "number/sinogram.npy").data;
  for (std::size_t i = 0; i < 72; ++i)
    for (std::size_t j = 0; j < 72; ++j)
      ASSERT_TRUE(i < j ? data[i * 72 + j] >= 2 : data[i * 72 + j] == 0) << i << ", " << j;
}

TEST(ScannerSolvers, subsets_of_views_improve_sirt_more_than_natural_ones) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "sirt", {"solver={type: sirt, iterations: 3, minimum: 0}"});
  run(folder, "c.yaml", "views", {"solver={type: sirt, iterations: 3, minimum: 0, subsets: 9}"});
  EXPECT_LT(number(folder, "views", "result.rmse"), number(folder, "sirt", "result.rmse"));
  EXPECT_LT(number(folder, "views", "result.relative_residual"),
            number(folder, "sirt", "result.relative_residual"));
  run(folder, "c.yaml", "natural",
      {"solver={type: sirt, iterations: 3, minimum: 0, subsets: 9}", "operator.ordering=natural"});
  EXPECT_EQ(reported(folder, "natural", "subsets"),
            "count: 9\nsmallest: 576\nlargest: 576\norder: natural\n");
  EXPECT_GT(number(folder, "natural", "result.rmse"), number(folder, "views", "result.rmse"));
  expect_same_file(folder, "natural", "views", "sinogram.npy");
  refusal(folder, {"solver={type: sirt, subsets: 19}"},
          {"19 subsets are more than the views of a scanner with 18 crystals"});
}

TEST(ScannerSolvers, counts_are_preserved_and_the_likelihood_never_decreases) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "out",
      {"solver.iterations=30", "run.scalar=double", "problem.noise={type: poisson, counts: 20}"});
  double sum = 0;
  for (const double count : read_npy<double>(folder / "out/sinogram.npy").data) sum += count;
  const double counts = number(folder, "out", "result.counts");
  EXPECT_NEAR(counts + number(folder, "out", "result.excluded_counts"), sum, 1e-9 * sum);
  const ConfigNode report = read_yaml_file(folder / "out/report.yaml");
  const auto& history = report.find("history")->items();
  ASSERT_EQ(history.size(), 31u);
  double before = -1e300;
  for (std::size_t k = 1; k < history.size(); ++k) {
    EXPECT_NEAR(std::stod(history[k].find("model_counts")->scalar()), counts, 1e-10 * counts) << k;
    const double likelihood = std::stod(history[k].find("log_likelihood")->scalar());
    EXPECT_GE(likelihood, before - 1e-12 * std::abs(before)) << k;
    before = likelihood;
  }
}

TEST(ScannerSolvers, a_resumed_run_gives_the_same_bytes) {
  const RunFolder folder(text);
  for (const char* solver : {"solver={type: mlem, background: 3, subsets: 4}",
                             "solver={type: mlem}", "solver={type: sirt, subsets: 3}"}) {
    const std::vector<std::string> settings{solver, "output.checkpoint=3",
                                            "problem.noise={type: poisson, counts: 20}"};
    const auto with = [&](const std::string& last) {
      auto all = settings;
      all.push_back(last);
      return all;
    };
    run(folder, "c.yaml", "all", with("solver.iterations=12"));
    std::filesystem::remove_all(folder / "part");
    run(folder, "c.yaml", "part", with("solver.iterations=6"));
    std::vector<std::string> arguments = run_of(folder, "part", with("solver.iterations=12"));
    arguments.emplace_back("--resume");
    run_well(arguments);
    EXPECT_EQ(reported(folder, "part", "resumed.iteration"), "6");
    expect_same_file(folder, "part", "all");
    EXPECT_EQ(reported(folder, "part", "history"), reported(folder, "all", "history"));
    arguments.insert(arguments.end(), {"--set", "problem.scanner.rays=16"});
    expect_failure(arguments, {"problem.scanner.rays was 8 and is now 16"});
  }
}

TEST(ScannerSolvers, regions_extend_through_all_slices) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "disc");
  const auto image = values(folder, "disc/reconstruction.npy");
  const auto phantom = values(folder, "disc/phantom.npy");
  double hot = 0, cold = 0, in_disc = 0;
  for (std::size_t j = 0; j < image.size(); ++j) {
    (phantom[j] > 0.5 ? hot : cold) += image[j];
    in_disc += phantom[j] > 0.5 ? 1 : 0;
  }
  const ConfigNode report = read_yaml_file(folder / "disc/report.yaml");
  const ConfigNode& region = report.find("result")->find("regions")->items().front();
  const auto at = [&](const char* key) { return std::stod(region.find(key)->scalar()); };
  EXPECT_EQ(at("hot_pixels"), in_disc);
  EXPECT_EQ(at("hot_pixels") + at("cold_pixels"), 6 * 20 * 22);
  EXPECT_NEAR(at("hot_mean"), hot / in_disc, 1e-6);
  EXPECT_NEAR(at("cold_mean"), cold / (static_cast<double>(image.size()) - in_disc), 1e-6);
  EXPECT_GT(at("contrast"), 0.5);
  run(folder, "c.yaml", "derenzo",
      {"problem.phantom=derenzo", "problem.volume={size: [3, 90, 90], pixel: 0.6, thickness: 2}"});
  const ConfigNode rods = read_yaml_file(folder / "derenzo/report.yaml");
  const auto& sectors = rods.find("result")->find("regions")->items();
  ASSERT_EQ(sectors.size(), 6u);
  for (const ConfigNode& sector : sectors)
    for (const char* key : {"hot_pixels", "cold_pixels"}) {
      const int pixels = std::stoi(sector.find(key)->scalar());
      EXPECT_GT(pixels, 30);
      EXPECT_EQ(pixels % 3, 0);
    }
}

}  // namespace
