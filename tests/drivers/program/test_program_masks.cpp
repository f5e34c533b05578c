// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks of pixels and rays in the whole program.
#include <Tomokkos_Npy.hpp>
#include <cmath>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// small_config: 24 x 20 pixels, 18 views of 32 detectors.
constexpr std::size_t rows = 24, columns = 20, views = 18, detectors = 32;

/// Masks that keep a disc of pixels, and all rays except two detectors and one view. Masked rays
/// hold meaningless data.
struct Masks {
  RunFolder folder;
  std::vector<double> pixels, rays, sinogram;
  std::size_t kept_pixels = 0, kept_rays = 0;

  Masks() {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < columns; ++j) {
        const double y = static_cast<double>(i) - 11.5, x = static_cast<double>(j) - 9.5;
        pixels.push_back(x * x + y * y < 80 ? 3 : 0);
        kept_pixels += pixels.back() != 0;
      }
    for (std::size_t v = 0; v < views; ++v)
      for (std::size_t d = 0; d < detectors; ++d) {
        rays.push_back(v == 4 || d == 9 || d == 17 ? 0 : 1);
        kept_rays += rays.back() != 0;
      }
    write_npy<double>(folder / "mask.npy", pixels, {rows, columns});
    write_npy<double>(folder / "rays.npy", rays, {views, detectors});
    write_bytes(folder / "c.yaml", small_config);
    run_well(folder, "data", {"solver={type: sirt, iterations: 0}", "run.scalar=double"});
    sinogram = values(folder, "data/sinogram.npy");
    for (std::size_t i = 0; i < rays.size(); ++i)
      if (rays[i] == 0) sinogram[i] = 1e6;
    write_npy<double>(folder / "scan.npy", sinogram, {views, detectors});
  }

  const std::vector<std::string> scan{
      "problem.phantom=", "problem.sinogram=" + (folder / "scan.npy"), "run.scalar=double"};

  std::string mask() const { return "problem.mask=" + folder / "mask.npy"; }
  std::string ray_mask() const { return "problem.ray_mask=" + (folder / "rays.npy"); }

  std::vector<double> image(const std::string& run, std::vector<std::string> settings,
                            bool masked = true) const {
    settings.insert(settings.end(), scan.begin(), scan.end());
    if (masked) settings.insert(settings.end(), {mask(), ray_mask()});
    run_well(folder, run, settings);
    return Testing::image(folder, run);
  }
  std::string reported(const std::string& run, const std::string& key) const {
    return Testing::reported(folder, run, key);
  }
};

/// `convert` writes the matrix without masked rows and columns. A run on this matrix with the
/// remaining data must match the run with masks.
TEST(ProgramMasks, match_a_problem_without_the_masked_pixels_and_rays) {
  const Masks m;
  write_bytes(m.folder / "masked.yaml", std::string(small_config) + "run: {scalar: double}\n");
  run_well({"convert", m.folder / "masked.yaml", m.folder / "A.npz", "--set", m.mask(), "--set",
            m.ray_mask()});
  std::vector<double> left;
  for (std::size_t i = 0; i < m.rays.size(); ++i)
    if (m.rays[i] != 0) left.push_back(m.sinogram[i]);
  write_npy<double>(m.folder / "left.npy", left, {left.size()});
  write_bytes(m.folder / "removed.yaml",
              "problem: {type: tomography, matrix: A.npz, rhs: left.npy}\n"
              "run: {scalar: double}\nsolver: {type: sirt}\n");
  for (const char* solver :
       {"solver={type: sirt, iterations: 6, minimum: 0, start: 2}",
        "solver={type: cgls, iterations: 4, start: 2}", "solver={type: art, sweeps: 2, start: 2}",
        "solver={type: block_art, sweeps: 2, start: 2, block_rows: 20}",
        "solver={type: mlem, iterations: 6, start: 2}"}) {
    run_well({"run", m.folder / "removed.yaml", "--quiet", "--output", m.folder / "removed",
              "--set", solver});
    const auto expected = values(m.folder, "removed/reconstruction.npy");
    ASSERT_EQ(expected.size(), m.kept_pixels);
    for (const char* ordering : {"natural", "{columns: hilbert}", "tiles", "by_length"}) {
      // The blocks of block_art follow the numbering of the rows, so another order is another
      // iteration.
      if (std::string(solver).find("block_art") != std::string::npos &&
          std::string(ordering).find("columns") == std::string::npos &&
          ordering != std::string("natural"))
        continue;
      const auto image = m.image("masked", {solver, std::string("operator.ordering=") + ordering});
      ASSERT_EQ(image.size(), rows * columns);
      std::vector<double> inside;
      for (std::size_t i = 0; i < image.size(); ++i)
        if (m.pixels[i] != 0) {
          inside.push_back(image[i]);
        } else {
          EXPECT_EQ(image[i], 2) << "pixel " << i;
        }
      EXPECT_LT(distance(inside, expected), 1e-11) << solver << ", " << ordering;
    }
    // The figures in the report describe the remaining problem.
    EXPECT_NEAR(std::stod(m.reported("masked", "result.relative_residual")),
                std::stod(m.reported("removed", "result.relative_residual")), 1e-9);
    EXPECT_EQ(m.reported("masked", "matrix"), m.reported("removed", "matrix"));
  }
  EXPECT_EQ(m.reported("masked", "data.mask"),
            "kept: " + std::to_string(m.kept_pixels) + "\nof: 480\n");
  EXPECT_EQ(m.reported("masked", "data.ray_mask"),
            "kept: " + std::to_string(m.kept_rays) + "\nof: 576\n");
  // The masks change the image.
  EXPECT_GT(distance(m.image("whole", {"solver={type: sirt, iterations: 6, start: 2}"}, false),
                     m.image("part", {"solver={type: sirt, iterations: 6, start: 2}"})),
            1e-2);
}

TEST(ProgramMasks, work_with_every_format_and_with_stacks) {
  const Masks m;
  const std::string solver = "solver={type: sirt, iterations: 5, start: 1}";
  const auto expected = m.image("csr", {solver});
  for (const char* format : {"ray_tiles", "sell", "packed_csr", "automatic", "ell_r"})
    EXPECT_LT(
        distance(m.image("format", {solver, std::string("operator.format=") + format}), expected),
        1e-11)
        << format;
  EXPECT_LT(distance(m.image("windowed", {solver, "operator.transpose=windowed"}), expected),
            1e-11);
  std::vector<double> two = m.sinogram;
  two.insert(two.end(), m.sinogram.begin(), m.sinogram.end());
  for (std::size_t i = m.sinogram.size(); i < two.size(); ++i) two[i] *= 2;
  // In the file, each view has one row for each slice.
  std::vector<double> stack(two.size());
  for (std::size_t s = 0; s < 2; ++s)
    for (std::size_t v = 0; v < views; ++v)
      for (std::size_t d = 0; d < detectors; ++d)
        stack[(v * 2 + s) * detectors + d] = two[(s * views + v) * detectors + d];
  write_npy<double>(m.folder / "stack.npy", stack, {views, 2, detectors});
  run_well(m.folder, "stack",
           {solver, "problem.phantom=", "problem.sinogram=" + (m.folder / "stack.npy"),
            "problem.slices=all", "run.scalar=double", m.mask(), m.ray_mask()});
  const auto slices = values(m.folder, "stack/reconstruction.npy");
  ASSERT_EQ(slices.size(), 2 * expected.size());
  EXPECT_LT(distance({slices.begin(), slices.begin() + static_cast<std::ptrdiff_t>(rows * columns)},
                     expected),
            1e-11);
  for (std::size_t i = 0; i < m.pixels.size(); ++i)
    if (m.pixels[i] == 0) {
      EXPECT_EQ(slices[rows * columns + i], 1);
    }
}

// Masks only remove rays from the subsets. The other rays stay in their subsets.
TEST(ProgramMasks, do_not_move_rays_between_views_and_subsets) {
  const Masks m;
  const std::string stored = "operator.transpose=stored";
  const auto sart = m.image("sart", {"solver={type: sart, sweeps: 2, start: 1}", stored});
  EXPECT_EQ(m.reported("sart", "subsets.count"), "18");
  EXPECT_EQ(m.reported("sart", "subsets.smallest"), "0");
  EXPECT_EQ(m.reported("sart", "subsets.largest"), "30");
  // With one subset for each view, os_sart is sart.
  std::vector<double> ordered;
  const auto views_one_by_one =
      m.image("os_sart", {"solver={type: os_sart, sweeps: 2, subsets: 18, start: 1}",
                          "operator.ordering=natural", stored});
  EXPECT_EQ(sart, views_one_by_one);
  for (const char* solver : {"solver={type: mlem, iterations: 3, subsets: 6, start: 1}",
                             "solver={type: mlem, iterations: 3, subsets: 18, start: 1}",
                             "solver={type: sirt, iterations: 3, subsets: 18, start: 1}",
                             "solver={type: os_sart, sweeps: 3, subsets: 6, start: 1}"}) {
    const auto csr = m.image("csr", {solver});
    EXPECT_LT(distance(m.image("tiles", {solver, "operator={format: ray_tiles, tile: 64}"}), csr),
              1e-11)
        << solver;
    EXPECT_LT(distance(m.image("columns", {solver, "operator.ordering={columns: hilbert}"}), csr),
              1e-11)
        << solver;
  }
}

TEST(ProgramMasks, restrict_the_noise_and_the_error_to_kept_rays_and_pixels) {
  const Masks m;
  const std::vector<std::string> noisy{"problem.noise={type: gaussian, sigma: 0.1}",
                                       "run.scalar=double"};
  auto masked = noisy;
  masked.push_back(m.ray_mask());
  run_well(m.folder, "clean", {"run.scalar=double", m.ray_mask()});
  run_well(m.folder, "noisy", masked);
  const auto clean = values(m.folder, "clean/sinogram.npy"),
             data = values(m.folder, "noisy/sinogram.npy");
  double squared = 0;
  for (std::size_t i = 0; i < data.size(); ++i) {
    squared += (data[i] - clean[i]) * (data[i] - clean[i]);
    if (m.rays[i] == 0) {
      EXPECT_EQ(data[i], 0);
    }
  }
  EXPECT_NEAR(std::stod(m.reported("noisy", "data.noise_level")), std::sqrt(squared),
              1e-9 * std::sqrt(squared));
  // The error covers only the pixels that are kept.
  masked.push_back(m.mask());
  run_well(m.folder, "rmse", masked);
  const auto image = values(m.folder, "rmse/reconstruction.npy"),
             phantom = values(m.folder, "rmse/phantom.npy");
  double error = 0;
  for (std::size_t i = 0; i < image.size(); ++i)
    if (m.pixels[i] != 0) error += (image[i] - phantom[i]) * (image[i] - phantom[i]);
  EXPECT_NEAR(std::stod(m.reported("rmse", "result.rmse")),
              std::sqrt(error / static_cast<double>(m.kept_pixels)), 1e-6);
}

TEST(ProgramMasks, keep_checkpoints_and_intermediate_images_at_full_size) {
  const Masks m;
  const std::string start = "solver={type: sirt, start: 4, check_every: 2}";
  const auto run = [&](const std::string& output, const std::string& iterations, bool resume) {
    std::vector<std::string> settings{start,
                                      "solver.iterations=" + iterations,
                                      "output.checkpoint=2",
                                      "output.every=4",
                                      m.mask(),
                                      m.ray_mask()};
    settings.insert(settings.end(), m.scan.begin(), m.scan.end());
    auto arguments = run_of(m.folder, output, settings);
    if (resume) arguments.push_back("--resume");
    run_well(arguments);
  };
  run("all", "8", false);
  run("part", "4", false);
  run("part", "8", true);
  expect_same_file(m.folder, "all", "part");
  const auto between = values(m.folder, "all/reconstruction_00004.npy");
  for (std::size_t i = 0; i < between.size(); ++i)
    if (m.pixels[i] == 0) {
      EXPECT_EQ(between[i], 4);
    }
}

TEST(ProgramMasks, are_refused_if_invalid_and_nothing_is_written) {
  const Masks m;
  write_npy<double>(m.folder / "other.npy", std::vector<double>(20 * 24, 1), {20, 24});
  write_npy<double>(m.folder / "nothing.npy", std::vector<double>(views * detectors, 0),
                    {views, detectors});
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& word) {
    refusal(m.folder, settings, {word});
  };
  refused({"problem.mask=" + (m.folder / "other.npy")},
          "other.npy is 20 x 24, expected 24 x 20 (rows x columns of the image)");
  refused({"problem.ray_mask=" + (m.folder / "nothing.npy")}, "keeps nothing");
  refused({"problem.ray_mask=" + (m.folder / "mask.npy")}, "expected 18 x 32 (views x detectors)");
  refused({"problem.mask=" + (m.folder / "absent.npy")}, "absent.npy");
  refused({"problem.mask=mask.txt"}, "expected a .npy file");
}

}  // namespace
