// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ordered subsets, terms of the model and regions of a phantom in the whole program.
#include <Tomokkos_Npy.hpp>
#include <cmath>

#include "TestData.hpp"
#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

TEST(ProgramSubsets, views_are_dealt_out_unless_an_order_is_given) {
  const RunFolder folder(small_config);
  const std::string solver = "solver={type: mlem, iterations: 3, subsets: 6}";
  run_well(folder, "dealt", {solver});
  EXPECT_EQ(reported(folder, "dealt", "operator.ordering"), "subsets");
  EXPECT_EQ(reported(folder, "dealt", "configuration.operator.ordering"), "subsets");
  EXPECT_EQ(reported(folder, "dealt", "subsets"),
            "count: 6\nsmallest: 96\nlargest: 96\norder: [0, 4, 2, 1, 5, 3]\n");
  run_well(folder, "natural", {solver, "operator.ordering=natural"});
  EXPECT_GT(distance(image(folder, "dealt"), image(folder, "natural")), 1e-3);
  // Files stay in natural order. Threads divide the rows at other places, so the sinograms differ
  // by rounding.
  EXPECT_LT(distance(values(folder, "dealt/sinogram.npy"), values(folder, "natural/sinogram.npy")),
            1e-6);
  // An order of the pixels changes nothing but rounding.
  run_well(folder, "tiles", {solver, "operator.ordering={columns: tiles}"});
  EXPECT_LT(distance(image(folder, "dealt"), image(folder, "tiles")), 1e-5);
  // The configuration in the report gives the same image.
  write_bytes(folder / "again.yaml", reported(folder, "dealt", "configuration"));
  run_well({"run", folder / "again.yaml", "--quiet", "--output", folder / "again"});
  expect_same_file(folder, "dealt", "again");
  // SELL has no products with ranges of rows, so the automatic choice avoids it.
  run_well(folder, "automatic", {solver, "operator.format=automatic", "run.scalar=double"});
  EXPECT_EQ(reported(folder, "automatic", "operator.format"), "csr");
}

TEST(ProgramSart, agrees_with_another_code) {
  const RunFolder folder(R"(problem:
  type: tomography
  volume: {size: [64, 64]}
  geometry: {views: 90, detectors: 95}
  projector: linear
  sinogram: )" + test_data_path("reference/astra/shepp_logan_64_sinogram.npy").string() +
                         R"(
solver: {type: sart, sweeps: 1}
output: {image: [npy]}
)");
  const auto reference =
      read_npy<double>(test_data_path("reference/astra/shepp_logan_64_sart_1.npy")).data;
  for (const char* format : {"csr", "ray_tiles", "automatic"}) {
    run_well(folder, "sart", {std::string("operator.format=") + format});
    EXPECT_LT(distance(image(folder, "sart"), reference), 1e-4) << format;
    EXPECT_EQ(reported(folder, "sart", "subsets"),
              "count: 90\nsmallest: 95\nlargest: 95\norder: natural\nvisits: sequential\n");
  }
  // Another order of the views gives another image.
  run_well(folder, "golden", {"solver.order=golden"});
  EXPECT_GT(distance(image(folder, "golden"), reference), 1e-2);
}

TEST(ProgramSart, visits_views_and_subsets_in_the_given_order) {
  const RunFolder folder(small_config);
  const auto image = [&](const std::string& name, const std::vector<std::string>& settings) {
    run_well(folder, name, settings);
    return read_bytes(folder / (name + "/reconstruction.npy"));
  };
  const std::string sart = "solver={type: sart, sweeps: 2}", random = "solver.order=random";
  const auto sequential = image("sequential", {sart});
  EXPECT_EQ(reported(folder, "sequential", "configuration.solver.sweeps"), "2");
  const auto shuffled = image("random", {sart, random});
  EXPECT_NE(shuffled, sequential);
  EXPECT_EQ(image("again", {sart, random, "solver.seed=1"}), shuffled);
  EXPECT_NE(image("seed", {sart, random, "solver.seed=2"}), shuffled);
  EXPECT_NE(image("golden", {sart, "solver.order=golden"}), sequential);
  // One subset for each view, in the order of the rows.
  const int views = std::stoi(reported(folder, "sequential", "subsets.count"));
  const std::string os_sart = "solver={type: os_sart, sweeps: 2, subsets: ";
  const std::string stored = "operator.transpose=stored";
  EXPECT_EQ(
      image("views", {os_sart + std::to_string(views) + "}", "operator.ordering=natural", stored}),
      image("stored", {sart, stored}));
  // Subsets of dealt out views are numbered by their first view, wherever its rows are.
  const auto dealt = image("dealt", {os_sart + "6}"});
  EXPECT_EQ(reported(folder, "dealt", "operator.ordering"), "subsets");
  EXPECT_NE(image("dealt_golden", {os_sart + "6, order: golden}"}), dealt);
  // The configuration in the report gives the same image.
  write_bytes(folder / "printed.yaml", reported(folder, "dealt_golden", "configuration"));
  run_well({"run", folder / "printed.yaml", "--quiet", "--output", folder / "printed"});
  expect_same_file(folder, "printed", "dealt_golden");
  // The solver accepts a stack as well.
  run_well(folder, "stack", {sart, "problem.slices=2"});
  EXPECT_EQ(reported(folder, "stack", "result.slices"), "2");
}

TEST(ProgramStopRules, sigma_applies_to_the_rays_that_are_kept) {
  const RunFolder folder(small_config);
  // Three slices with a mask that leaves out half of the rays.
  const auto sinogram = [&] {
    run_well(folder, "whole", {"problem.slices=3", "solver.iterations=1"});
    return read_npy<double>(folder / "whole/sinogram.npy");
  }();
  const std::size_t views = sinogram.shape[1], detectors = sinogram.shape[2];
  std::vector<double> mask(views * detectors, 0);
  for (std::size_t i = 0; i < mask.size(); i += 2) mask[i] = 1;
  write_npy<double>(folder / "mask.npy", mask, {views, detectors});
  const double rays = static_cast<double>((mask.size() + 1) / 2);
  const auto iterations = [&](const std::string& name, const std::string& rule) {
    run_well(folder, name,
             {"problem.slices=3", "problem.ray_mask=" + (folder / "mask.npy"), "run.scalar=double",
              "solver={type: sirt, iterations: 60, stop: {discrepancy: " + rule + "}}"});
    return reported(folder, name, "slices");
  };
  const auto level = [&](double sigma) {
    return "{noise_level: " + std::to_string(sigma * std::sqrt(rays)) + "}";
  };
  // All slices have the same data, because there is no noise.
  EXPECT_EQ(iterations("sigma", "{sigma: 0.2}"), iterations("level", level(0.2)));
  const std::string each = iterations("each", "{sigma: [0.2, 0.1, 0.2]}");
  EXPECT_NE(each, iterations("sigma again", "{sigma: 0.2}"));

  expect_failure(
      {"run", folder / "c.yaml", "--output", folder / "none", "--set", "problem.slices=3", "--set",
       "solver={type: sirt, stop: {discrepancy: {sigma: [1, 2]}}}"},
      {"solver.stop.discrepancy.sigma: lists 2 slices, but the data have 3"});
}

TEST(ProgramStopRules, stop_where_noise_begins_to_dominate) {
  const RunFolder folder(small_config);
  const std::vector<std::string> noisy{"problem.noise={type: gaussian, sigma: 0.6}",
                                       "run.scalar=double"};
  const auto run = [&](const std::string& name, const std::string& solver,
                       const std::string& ordering = "natural") {
    auto settings = noisy;
    settings.insert(settings.end(), {"solver=" + solver, "operator.ordering=" + ordering});
    run_well(folder, name, settings);
    return reported(folder, name, "result.reason");
  };
  const std::string ncp = "{type: sirt, iterations: 400, stop: {ncp: views}}";
  EXPECT_EQ(run("all", "{type: sirt, iterations: 400}"), "max_iterations");
  EXPECT_EQ(run("ncp", ncp), "white_residual");
  EXPECT_LT(number(folder, "ncp", "result.rmse"), number(folder, "all", "result.rmse"));
  EXPECT_CONTAINS(reported(folder, "ncp", "history"), "ncp: ");
  // The rule finds the views in any order of the rays.
  EXPECT_EQ(run("hilbert", ncp, "hilbert"), "white_residual");
  EXPECT_EQ(reported(folder, "hilbert", "result.iterations"),
            reported(folder, "ncp", "result.iterations"));
  EXPECT_EQ(run("whole", "{type: cgls, iterations: 60, stop: {ncp: whole}}"), "white_residual");
  // Apart from chance, the standard deviation determines the norm of the noise.
  const auto iterations_with = [&](const std::string& rule) {
    EXPECT_EQ(run(rule, "{type: sirt, iterations: 400, stop: {discrepancy: {" + rule + "}}}"),
              "discrepancy");
    return number(folder, rule, "result.iterations");
  };
  const double by_norm = iterations_with("noise_level: auto");
  EXPECT_NEAR(iterations_with("sigma: 0.6"), by_norm, 0.2 * by_norm + 2);
  EXPECT_LT(iterations_with("sigma: 1.2"), by_norm);
  // The configuration in the report gives the same image.
  write_bytes(folder / "printed.yaml", reported(folder, "ncp", "configuration"));
  run_well({"run", folder / "printed.yaml", "--quiet", "--output", folder / "printed"});
  expect_same_file(folder, "printed", "ncp");
}

// Subsets end within groups of rows, and the image has few tiles.
TEST(ProgramSubsets, work_with_ray_tiles) {
  const RunFolder folder(small_config);
  const std::string tiles = "operator={format: ray_tiles, tile: 32, group_rows: 40}";
  for (const std::string solver : {"solver={type: mlem, iterations: 3, subsets: 6}",
                                   "solver={type: sirt, iterations: 3, subsets: 7}"})
    for (const std::string slices : {"problem.slices=1", "problem.slices=2"}) {
      run_well(folder, "csr", {solver, slices, "run.scalar=double"});
      run_well(folder, "tiles", {solver, slices, tiles, "run.scalar=double"});
      EXPECT_LT(distance(image(folder, "tiles"), image(folder, "csr")), 1e-12) << solver;
      const std::string report = folder / "tiles/report.yaml";
      EXPECT_EQ(entry(report, "operator.format"), "ray_tiles");
      EXPECT_EQ(entry(report, "operator.transpose"), "same_copy");
      EXPECT_EQ(entry(report, "subsets"), reported(folder, "csr", "subsets"));
      run_well(folder, "half", {solver, slices, tiles, "operator.values=half"});
      EXPECT_LT(distance(image(folder, "half"), image(folder, "csr")), 1e-2) << solver;
    }
}

TEST(ProgramSubsets, work_with_a_matrix_from_a_file) {
  const RunFolder folder(small_config);
  const std::string solver = "solver={type: sirt, iterations: 3, subsets: 5, minimum: 0}";
  run_well(folder, "scan", {solver, "operator.format=csr"});
  run_well({"convert", folder / "c.yaml", folder / "A.npz", "--quiet"});
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: A.npz, rhs: scan/sinogram.npy, volume: {size: "
              "[24, 20]}, geometry: {views: 18, detectors: 32}}\noutput: {image: [npy]}\n");
  run_well(folder, "matrix", {solver});
  expect_same_file(folder, "matrix", "scan");
  // If the views are unknown, the rows are dealt out one by one.
  run_well(folder, "rows", {solver, "problem.geometry="});
  EXPECT_EQ(reported(folder, "rows", "subsets"),
            "count: 5\nsmallest: 115\nlargest: 116\norder: [0, 4, 2, 1, 3]\n");
  refusal(folder, {"solver={type: sirt, subsets: 577}", "problem.geometry="},
          {"577 subsets cannot be made of 576 rows"});
}

TEST(ProgramSubsets, terms_of_the_model_are_included_in_the_data_of_a_phantom) {
  const RunFolder folder(small_config);
  std::vector<float> n(18 * 32), s(18 * 32);
  for (std::size_t i = 0; i < n.size(); ++i) {
    n[i] = 0.5F + 0.25F * static_cast<float>(i % 5);
    s[i] = static_cast<float>(i % 3);
  }
  write_npy<float>(folder / "n.npy", n, {18, 32});
  write_npy<float>(folder / "s.npy", s, {18 * 32});
  const auto solver = [&](const std::string& more) {
    return "solver={type: mlem, iterations: 400" + more + "}";
  };
  const std::string terms =
      ", multiplicative: \"" + folder / "n.npy" + "\", background: \"" + folder / "s.npy" + "\"";
  run_well(folder, "plain", {solver(""), "run.scalar=double"});
  run_well(folder, "terms", {solver(terms), "run.scalar=double"});
  const auto plain = values(folder, "plain/sinogram.npy");
  const auto with_terms = values(folder, "terms/sinogram.npy");
  for (std::size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(with_terms[i], n[i] * plain[i] + s[i], 1e-12);
  // Both runs recover the phantom, and their models preserve the counts of the data.
  EXPECT_LT(number(folder, "terms", "result.rmse"), 0.1);
  for (const char* run : {"plain", "terms"}) {
    const double counts = number(folder, run, "result.counts");
    EXPECT_NEAR(number(folder, run, "result.model_counts"), counts,
                (std::string(run) == "plain" ? 1e-12 : 1e-3) * counts);
    EXPECT_GE(number(folder, run, "result.log_likelihood"), 0) << run;
  }

  const auto refused = [&](const std::string& setting, const std::string& why) {
    refusal(folder, {solver(""), setting}, {why});
  };
  s[77] = -0.5F;
  write_npy<float>(folder / "negative.npy", s, {18 * 32});
  s.pop_back();
  write_npy<float>(folder / "short.npy", s, {18 * 32 - 1});
  for (const char* key : {"solver.background", "solver.multiplicative"}) {
    refused(std::string(key) + "=\"" + folder / "negative.npy" + "\"",
            std::string(key) + ": " + folder / "negative.npy" + ": entry 77 is -0.5");
    refused(std::string(key) + "=\"" + folder / "short.npy" + "\"",
            "holds 575 values; expected (view, detector) = 18 x 32");
  }
}

TEST(ProgramSubsets, counts_and_regions_are_reported) {
  const RunFolder folder(R"(problem:
  type: tomography
  volume: {size: [96, 96]}
  geometry: {views: 60, detectors: 136}
  phantom: derenzo
  noise: {type: poisson, counts: 2e4}
solver: {type: mlem, iterations: 4}
output: {image: [npy]}
)");
  run_well(folder, "mlem");
  run_well(folder, "osem", {"solver.subsets=10"});
  const auto contrasts = [&](const std::string& run) {
    const ConfigNode report = read_yaml_file(folder / (run + "/report.yaml"));
    const ConfigNode* regions = report.find("result")->find("regions");
    EXPECT_NE(regions, nullptr);
    EXPECT_EQ(regions->items().size(), 6u);
    std::vector<double> result;
    for (const ConfigNode& region : regions->items()) {
      const auto at = [&](const char* key) { return std::stod(region.find(key)->scalar()); };
      EXPECT_GT(at("hot_pixels"), 10);
      EXPECT_GT(at("cold_pixels"), 10);
      // The phantom is 1 in the rods and 0 between them.
      EXPECT_NEAR(at("contrast"), at("hot_mean") - at("cold_mean"), 1e-6);
      EXPECT_GT(at("hot_mean"), at("cold_mean"));
      result.push_back(at("contrast"));
    }
    EXPECT_EQ(regions->items().front().find("name")->scalar(), "rods 4.8");
    return result;
  };
  const auto few = contrasts("mlem"), many = contrasts("osem");
  for (std::size_t i = 0; i < 6; ++i) EXPECT_GT(many[i], few[i]) << i;  // subsets converge faster
  EXPECT_GT(many.back(), many.front());                                 // large rods are easier
  EXPECT_LT(number(folder, "osem", "result.rmse"), number(folder, "mlem", "result.rmse"));
  // Without subsets every iterate has the counts of the data.
  const ConfigNode report = read_yaml_file(folder / "mlem/report.yaml");
  const double counts = number(folder, "mlem", "result.counts");
  const auto& history = report.find("history")->items();
  EXPECT_EQ(history.size(), 5u);
  for (std::size_t k = 1; k < history.size(); ++k)
    EXPECT_NEAR(std::stod(history[k].find("model_counts")->scalar()), counts, 1e-6 * counts);
  EXPECT_GT(std::abs(number(folder, "osem", "result.model_counts") - counts), 1e-6 * counts);
  // Each slice of a stack has its own regions. Other phantoms have none.
  run_well(folder, "stack", {"problem.slices=2"});
  EXPECT_CONTAINS(reported(folder, "stack", "slices"), "rods 12.7");
  run_well(folder, "head", {"problem.phantom=shepp_logan"});
  EXPECT_EQ(reported(folder, "head", "result.regions"), "(none)");
}

// Pixels of a start are multiplied only. If its projection is lost, no update can bring it back.
TEST(ProgramSubsets, need_a_start_that_is_not_too_small) {
  const RunFolder folder(small_config);
  std::vector<float> start(24 * 20, 1.0F);
  for (std::size_t i = 0; i < start.size() / 2; ++i) start[i] = 1e-38F;
  write_npy<float>(folder / "half.npy", start, {24, 20});
  for (const std::string solver :
       {"{type: mlem, iterations: 5", "{type: osem, iterations: 2, subsets: 3"}) {
    const auto run = [&](const std::string& with) {
      return run_program(run_of(folder, "out", {"solver=" + solver + ", start: " + with + "}"}));
    };
    for (const std::string& tiny :
         {std::string("1e-38"), std::string("1e-44"), folder / "half.npy"}) {
      const ProgramResult refused = run(tiny);
      EXPECT_EQ(refused.status, 2) << tiny;
      EXPECT_CONTAINS(refused.error, "the start image is too small");
    }
    const ProgramResult fine = run("1e-20");
    EXPECT_EQ(fine.status, 0) << fine.error;
    EXPECT_LT(number(folder, "out", "result.relative_residual"), 0.3);
  }
}

}  // namespace
