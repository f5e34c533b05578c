// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs with the format scsr, which stores one ray of each orbit of a scan.
#include <sys/resource.h>
#include <Tomokkos_Npy.hpp>

#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string& config = square_config;

TEST(ProgramSymmetric, gives_the_same_image_as_the_whole_matrix) {
  const RunFolder folder(config);
  for (const std::string solver : {"mlem", "sirt", "cgls"}) {
    const std::string type = "solver={type: " + solver + ", iterations: 6}";
    run_well(folder, "csr", {type});
    const std::vector<double> expected = image(folder, "csr");
    // In conjugate gradients the rounding errors of the sums grow.
    const double tolerance = solver == "cgls" ? 1e-6 : 1e-10;
    for (const std::string stored :
         {"csr", "csr, transpose: atomic", "csr, transpose_format: csr",
          "csr, transpose_format: sell", "sell", "packed_csr", "ray_tiles", "pair_blocked",
          "pair_blocked, transpose: atomic"}) {
      run_well(folder, "out", {type, "operator={format: scsr, stored_format: " + stored + "}"});
      expect_near(image(folder, "out"), expected, tolerance, solver + ", " + stored);
      EXPECT_EQ(reported(folder, "out", "operator.format"), "scsr");
      EXPECT_EQ(reported(folder, "out", "operator.stored_format"),
                stored.substr(0, stored.find(',')));
      if (stored.find("transpose_format: sell") != std::string::npos) {
        EXPECT_EQ(reported(folder, "out", "operator.transpose_format"), "sell");
        EXPECT_EQ(reported(folder, "out", "operator.transpose"), "stored");
        EXPECT_EQ(reported(folder, "out", "configuration.operator.transpose_format"), "sell");
      }
    }
  }
}

TEST(ProgramSymmetric, reports_what_it_stores) {
  const RunFolder folder(config);
  run_well(folder, "csr");
  run_well(folder, "out", {"operator.format=scsr", "problem.geometry.start=5.625 deg"});
  EXPECT_EQ(number(folder, "out", "matrix.rows"), number(folder, "csr", "matrix.rows"));
  EXPECT_EQ(number(folder, "out", "matrix.columns"), number(folder, "csr", "matrix.columns"));
  // The 16 x 36 rays form complete orbits of eight.
  EXPECT_EQ(number(folder, "out", "operator.stored_rays"), 72);
  EXPECT_EQ(number(folder, "out", "operator.stored_nonzeros") * 8,
            number(folder, "out", "matrix.nonzeros"));
  EXPECT_GT(number(folder, "out", "operator.compression"), 3);
  EXPECT_LT(number(folder, "out", "operator.compression"), 8);
}

TEST(ProgramSymmetric, works_with_subsets_stacks_and_fan_beams) {
  const RunFolder folder(config);
  const std::string fan =
      "problem.geometry={type: fan_beam, views: 16, range: 360 deg, detectors: 40, "
      "source_to_origin: 60, origin_to_detector: 20}";
  const std::string subsets = "solver={type: sirt, iterations: 3, subsets: 4}";
  const std::string stack = "problem.slices=3";
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{fan},
        {subsets},
        {stack, "problem.noise={type: gaussian, sigma: 0.1}"}}) {
    std::vector<std::string> csr_settings = settings;
    csr_settings.push_back("operator.ordering=natural");
    run_well(folder, "csr", csr_settings);
    for (const std::string orbits : {"{format: scsr}", "{format: scsr, transpose_format: sell}"}) {
      if (settings.front() == subsets && orbits != "{format: scsr}") continue;
      std::vector<std::string> scsr_settings = settings;
      scsr_settings.push_back("operator=" + orbits);
      run_well(folder, "out", scsr_settings);
      expect_near(image(folder, "out"), image(folder, "csr"), 1e-10, settings.front() + orbits);
    }
  }
}

/// Masks that keep the circle inscribed in the image of `config`, and all rays except two detectors
/// and half of a view.
struct Masks {
  std::vector<double> pixels, rays;

  explicit Masks(const RunFolder& folder) {
    for (int i = 0; i < 24; ++i)
      for (int j = 0; j < 24; ++j)
        pixels.push_back((2 * i - 23) * (2 * i - 23) + (2 * j - 23) * (2 * j - 23) <= 24 * 24);
    for (int view = 0; view < 16; ++view)
      for (int d = 0; d < 36; ++d) rays.push_back(d != 4 && d != 20 && (view != 7 || d > 17));
    write_npy<double>(folder / "disc.npy", pixels, {24, 24});
    write_npy<double>(folder / "rays.npy", rays, {16, 36});
  }
};

TEST(ProgramSymmetric, gives_the_same_image_as_the_whole_matrix_with_masks) {
  const RunFolder folder(config);
  const Masks masks(folder);
  const std::string pixels = "problem.mask=" + (folder / "disc.npy");
  const std::string rays = "problem.ray_mask=" + (folder / "rays.npy");
  for (const std::string solver :
       {"{type: mlem, iterations: 6, start: 2}", "{type: sirt, iterations: 6, start: 2}",
        "{type: cgls, iterations: 6, start: 2}",
        "{type: sirt, iterations: 3, subsets: 4, start: 2}", "{type: sart, sweeps: 2, start: 2}",
        "{type: art, sweeps: 2, start: 2, order: golden, within_view: strided}",
        "{type: block_art, sweeps: 2, start: 2, order: random, block_rows: 20}"})
    for (const std::vector<std::string>& mask_settings :
         {std::vector<std::string>{pixels}, {rays}, {pixels, rays}}) {
      std::vector<std::string> csr_settings = mask_settings, scsr_settings = mask_settings;
      csr_settings.insert(csr_settings.end(), {"solver=" + solver, "operator.ordering=natural"});
      scsr_settings.insert(scsr_settings.end(), {"solver=" + solver, "operator.format=scsr"});
      run_well(folder, "csr", csr_settings);
      run_well(folder, "out", scsr_settings);
      const std::vector<double> found = image(folder, "out");
      expect_near(found, image(folder, "csr"), 1e-8, solver);
      for (std::size_t i = 0; mask_settings.front() == pixels && i < found.size(); ++i)
        if (masks.pixels[i] == 0) {
          EXPECT_EQ(found[i], 2) << "a masked pixel keeps its start";
        }
      for (const char* key : {"matrix.rows", "matrix.columns", "matrix.nonzeros"})
        EXPECT_EQ(reported(folder, "out", key), reported(folder, "csr", key)) << key;
      EXPECT_EQ(read_npy<double>(folder / "out/sinogram.npy").data.size(), 16u * 36u);
    }
}

TEST(ProgramSymmetric, stores_less_with_masks) {
  const RunFolder folder(config);
  const Masks masks(folder);
  // The four outermost detectors on each side see only the corners. The mask removes their orbits.
  std::vector<double> inner;
  for (std::size_t ray = 0; ray < masks.rays.size(); ++ray)
    inner.push_back(ray % 36 > 3 && ray % 36 < 32);
  write_npy<double>(folder / "inner.npy", inner, {16, 36});
  const std::string pixels = "problem.mask=" + (folder / "disc.npy");
  run_well(folder, "whole", {"operator.format=scsr"});
  run_well(folder, "disc", {"operator.format=scsr", pixels});
  run_well(folder, "csr", {pixels});
  run_well(folder, "both",
           {"operator.format=scsr", pixels, "problem.ray_mask=" + (folder / "inner.npy")});
  const double whole = number(folder, "whole", "operator.stored_nonzeros");
  EXPECT_LT(number(folder, "disc", "operator.stored_nonzeros"), 0.95 * whole);
  EXPECT_EQ(number(folder, "disc", "operator.stored_rays"),
            number(folder, "whole", "operator.stored_rays"));
  EXPECT_EQ(number(folder, "both", "operator.stored_rays") * 36,
            number(folder, "whole", "operator.stored_rays") * 28);
  EXPECT_LT(number(folder, "disc", "operator.stored_bytes"),
            number(folder, "whole", "operator.stored_bytes"));
  EXPECT_LT(number(folder, "both", "operator.stored_bytes"),
            number(folder, "disc", "operator.stored_bytes"));
  EXPECT_LT(number(folder, "disc", "operator.memory_bytes"),
            number(folder, "whole", "operator.memory_bytes"));
  EXPECT_LT(number(folder, "disc", "operator.memory_bytes"),
            number(folder, "csr", "operator.memory_bytes"));
}

/// The two masks leave different rays of an orbit that is stored in both cases.
TEST(ProgramSymmetric, does_not_resume_with_other_masks) {
  const RunFolder folder(config);
  for (const int left_out : {1, 15}) {
    std::vector<double> rays(16 * 36, 1);
    std::fill_n(rays.begin() + left_out * 36, 36, 0.0);
    write_npy<double>(folder / ("without_" + std::to_string(left_out) + ".npy"), rays, {16, 36});
  }
  const auto run = [&](const std::string& left_out, int iterations) {
    std::vector<std::string> arguments =
        run_of(folder, "out",
               {"operator.format=scsr", "output.checkpoint=2",
                "problem.ray_mask=" + (folder / ("without_" + left_out + ".npy")),
                "solver.iterations=" + std::to_string(iterations)});
    if (iterations > 4) arguments.push_back("--resume");
    return run_program(arguments);
  };
  ASSERT_EQ(run("1", 4).status, 0);
  const ProgramResult refused = run("15", 8);
  EXPECT_NE(refused.status, 0);
  EXPECT_CONTAINS(refused.error, "matrix");
  EXPECT_EQ(run("1", 8).status, 0);
}

TEST(ProgramSymmetric, info_reports_what_a_run_with_masks_stores) {
  const RunFolder folder(config);
  const Masks masks(folder);
  const std::string pixels = "problem.mask=" + (folder / "disc.npy");
  const std::string rays = "problem.ray_mask=" + (folder / "rays.npy");
  run_well(folder, "out", {"operator.format=scsr", pixels, rays});
  const ProgramResult info = run_well({"info", folder / "c.yaml", "--set", pixels, "--set", rays});
  EXPECT_CONTAINS(info.out,
                  "stored_nonzeros: " + reported(folder, "out", "operator.stored_nonzeros"));
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramSymmetric, a_stack_whose_images_exceed_memory_is_refused) {
  const RunFolder folder(config);
  const ProgramOptions options = limited(RLIMIT_AS, 1000UL << 20);
  const auto run = [&](const std::string& slices) {
    return run_program(run_of(folder, "out",
                              {"operator.format=scsr", "run.threads=1", "solver.iterations=1",
                               "problem.slices=" + slices}),
                       options);
  };
  // Each slice needs 8 x 648 values.
  const ProgramResult refused = run("40000");
  EXPECT_EQ(refused.status, 2) << refused.error;
  EXPECT_CONTAINS(refused.error, "the images of 40000 slices under the symmetries of the square");
  EXPECT_CONTAINS(refused.error, "select fewer slices");
  EXPECT_EQ(run("40").status, 0);
}
#endif

/// The example sart.yaml has a circular mask.
TEST(ProgramSymmetric, sart_with_the_mask_of_the_example_matches_csr) {
  const RunFolder folder;
  const auto run = [&](const std::string& output, const std::string& format) {
    run_well({"run", config_file("sart.yaml").string(), "--output", folder / output, "--set",
              "run.scalar=double", "--set", "operator={format: " + format + "}"});
  };
  run("csr", "csr");
  run("scsr", "scsr");
  expect_near(image(folder, "scsr"), image(folder, "csr"), 1e-9, "sart");
  EXPECT_NEAR(number(folder, "csr", "data.mask.kept") / number(folder, "csr", "data.mask.of"),
              0.785, 0.005);
  EXPECT_LT(number(folder, "csr", "result.rmse"), 0.06);
  EXPECT_LT(3 * number(folder, "scsr", "operator.memory_bytes"),
            number(folder, "csr", "operator.memory_bytes"));
}

TEST(ProgramSymmetric, refuses_a_mask_without_the_symmetries) {
  const RunFolder folder;
  std::vector<double> mask = Masks(folder).pixels;
  mask[23 * 24 + 10] = 0;
  write_npy<double>(folder / "bitten.npy", mask, {24, 24});
  std::string text = config;
  text.insert(text.find("  phantom"), "  mask: bitten.npy\n");
  write_bytes(folder / "c.yaml", text);
  refusal(folder, {"operator.format=scsr"},
          {"c.yaml:7:", "problem.mask: ",
           "bitten.npy, with operator.format: scsr: pixel (0, 10) (row, column) is kept, "
           "but its image (23, 10) under "
           "the symmetries of the square is not"});
  run_well(folder, "taken");
}

TEST(ProgramSymmetric, sweeps_give_the_same_image_as_the_whole_matrix) {
  const RunFolder folder(config);
  const std::string fan =
      "problem.geometry={type: fan_beam, views: 16, range: 360 deg, detectors: 40, "
      "source_to_origin: 60, origin_to_detector: 20}";
  for (const std::string geometry : {"problem.geometry.views=16", "problem.geometry.views=48",
                                     "problem.geometry.range=360 deg", fan.c_str()})
    for (const std::string solver :
         {"{type: art, sweeps: 2}", "{type: art, sweeps: 2, order: golden, within_view: strided}",
          "{type: block_art, sweeps: 2, order: multilevel, within_view: strided}",
          "{type: block_art, sweeps: 2, block_rows: 17, order: random}",
          "{type: sart, sweeps: 2, order: multilevel}", "{type: os_sart, sweeps: 2, subsets: 4}"}) {
      SCOPED_TRACE(geometry + ", " + solver);
      run_well(folder, "csr", {geometry, "solver=" + solver, "operator.ordering=natural"});
      const std::vector<std::string> scsr_settings{
          geometry, "solver=" + solver, "operator.format=scsr", "run.deterministic=true"};
      run_well(folder, "out", scsr_settings);
      run_well(folder, "again", scsr_settings);
      expect_near(image(folder, "out"), image(folder, "csr"), 1e-10, "image");
      EXPECT_EQ(image(folder, "again"), image(folder, "out"));
      const std::string count = "result.levels.count";
      EXPECT_EQ(reported(folder, "out", count), reported(folder, "csr", count));
      if (solver.starts_with("{type: art")) {
        EXPECT_GT(std::stoi(reported(folder, "out", count)), 0);
      }
    }
}

TEST(ProgramSymmetric, refuses_scans_without_the_symmetries_and_unsupported_options) {
  const RunFolder folder(config);
  const auto refusal = [&](std::vector<std::string> settings) {
    settings.insert(settings.begin(), "operator.format=scsr");
    const ProgramResult result =
        expect_failure(with_settings({"run", folder / "c.yaml"}, settings), {});
    return result.error;
  };
  EXPECT_CONTAINS(
      refusal({"problem.geometry.views=15"}),
      "operator.format: scsr: the scan does not have the symmetries of the square: view 0");
  EXPECT_CONTAINS(refusal({"problem.volume.size=[24, 20]"}), "24 x 20 pixels");
  EXPECT_CONTAINS(refusal({"problem.geometry.detector_offset=0.5"}),
                  "the detector is not centred (detector_offset: 0)");
  EXPECT_CONTAINS(refusal({"operator.ordering=tiles"}), "scsr has its own order");
  EXPECT_CONTAINS(refusal({"operator.stored_format=bcsr"}),
                  "csr, sell, packed_csr, ray_tiles, pair_blocked");
  EXPECT_CONTAINS(refusal({"solver={type: art, sweeps: 2}", "operator.stored_format=sell"}),
                  "operator.stored_format: art visits single rows; allowed: csr");
  EXPECT_CONTAINS(refusal({"solver={type: block_art, sweeps: 2}", "operator.stored_format=sell"}),
                  "operator.stored_format: block_art visits single rows; allowed: csr");
  EXPECT_CONTAINS(refusal({"solver={type: sart, sweeps: 2}", "operator.stored_format=sell"}),
                  "operator.stored_format: the views of sart use ranges of rows; allowed: csr");
  EXPECT_CONTAINS(refusal({"solver={type: sart, sweeps: 2}", "operator.transpose_format=sell"}),
                  "operator.transpose_format: sell needs products with all rays");
  EXPECT_CONTAINS(refusal({"operator.transpose=atomic", "operator.transpose_format=sell"}),
                  "operator.transpose_format: applies only to a stored transpose in csr");
  EXPECT_CONTAINS(refusal({"operator.transpose_format=hyb"}), "automatic, csr, sell");
  EXPECT_CONTAINS(
      refusal({"operator.transpose_format=sell", "operator.transpose_variant=merge_path"}),
      "operator.transpose_variant: applies only to a stored transpose in csr, not in sell");
  EXPECT_CONTAINS(refusal({"operator.format=csr", "operator.transpose_format=csr"}),
                  "it belongs to scsr");
  EXPECT_CONTAINS(refusal({"operator.format=csr", "operator.stored_format=csr"}),
                  "it belongs to scsr");
}

}  // namespace
