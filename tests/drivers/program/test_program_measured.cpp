// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares reconstructions of measured data with those of another code (TomoPy): 16 views, 8 slices
// of 48 detectors, 4 iterations of each method from 1e-6.
#include <Tomokkos_Npy.hpp>

#include "NeedsHdf5.hpp"
#include "TestData.hpp"
#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr std::size_t views = 16, slices = 8, detectors = 48;

/// Order of the views. The other code forms its blocks from consecutive views in this order.
const std::vector<std::size_t> block_order{2, 11, 3, 10, 0, 4, 7, 5, 14, 12, 6, 9, 13, 8, 1, 15};

std::vector<double> theirs(const std::string& method) {
  return read_npy<double>(test_data_path("reference/tomopy/" + method + ".npy")).data;
}

/// Writes the views of all slices in a given order, and a configuration for MLEM with them.
class Measured : public ::testing::Test {
 protected:
  void write(const std::vector<std::size_t>& order) {
    const auto angles = read_npy<double>(test_data_path("tomography/angle.npy"));
    const auto scan = read_npy<float>(test_data_path("tomography/proj.npy"));
    ASSERT_EQ(scan.shape, (std::vector<std::size_t>{views, slices, detectors}));
    std::vector<double> ordered_angles;
    std::vector<float> ordered_scan;
    for (const std::size_t view : order) {
      ordered_angles.push_back(angles.data[view]);
      const auto first = scan.data.begin() + static_cast<std::ptrdiff_t>(view * slices * detectors);
      ordered_scan.insert(ordered_scan.end(), first,
                          first + static_cast<std::ptrdiff_t>(slices * detectors));
    }
    write_npy<double>(folder / "angles.npy", ordered_angles, {views});
    write_npy<float>(folder / "scan.npy", ordered_scan, scan.shape);
    write_bytes(folder / "c.yaml", R"(problem:
  type: tomography
  volume: {size: [48, 48]}
  geometry: {angles: angles.npy}
  projector: line
  sinogram: scan.npy
  slices: all
operator: {ordering: natural}
solver: {type: mlem, iterations: 4, start: 1e-6}
output: {image: [npy]}
)");
  }

  const RunFolder folder;
};

TEST_F(Measured, ordered_subsets_agree_with_another_code) {
  write(block_order);
  run_well(folder, "osem", {"solver.subsets=3"});
  EXPECT_LT(distance(image(folder, "osem"), theirs("osem")), 1e-4);
  EXPECT_EQ(reported(folder, "osem", "subsets"),
            "count: 3\nsmallest: 240\nlargest: 288\norder: natural\n");
  run_well(folder, "mlem");
  EXPECT_LT(distance(image(folder, "mlem"), theirs("mlem")), 1e-4);
  EXPECT_EQ(reported(folder, "mlem", "subsets"), "(none)");
  // The other code weights rows by 1 / sum a_ij^2, the program by 1 / sum a_ij.
  run_well(folder, "sirt", {"solver={type: sirt, iterations: 4, start: 1e-6}"});
  EXPECT_LT(distance(image(folder, "sirt"), theirs("sirt")), 3e-2);
  run_well(folder, "bart", {"solver={type: os_sart, sweeps: 4, subsets: 3, start: 1e-6}"});
  EXPECT_LT(distance(image(folder, "bart"), theirs("bart")), 3e-2);
}

TEST_F(Measured, art_agrees_with_another_code) {
  std::vector<std::size_t> natural(views);
  for (std::size_t view = 0; view < views; ++view) natural[view] = view;
  write(natural);
  const std::vector<double> expected = theirs("art");
  ASSERT_EQ(expected.size(), slices * detectors * detectors);
  for (const std::size_t slice : {std::size_t{0}, std::size_t{3}}) {
    const auto scan = read_npy<float>(folder / "scan.npy");
    std::vector<float> one;
    for (std::size_t view = 0; view < views; ++view)
      for (std::size_t d = 0; d < detectors; ++d)
        one.push_back(scan.data[(view * slices + slice) * detectors + d]);
    write_npy<float>(folder / "slice.npy", one, {views, detectors});
    std::string text = read_bytes(folder / "c.yaml");
    text.replace(text.find("scan.npy"), 8, "slice.npy");
    const std::string all = "  slices: all\n";
    text.erase(text.find(all), all.size());
    write_bytes(folder / "slice.yaml", text);
    run_well({"run", folder / "slice.yaml", "--output", folder / "art", "--set",
              "solver={type: art, sweeps: 4, start: 1e-6}"});
    const auto first =
        expected.begin() + static_cast<std::ptrdiff_t>(slice * detectors * detectors);
    EXPECT_LT(
        distance(image(folder, "art"), std::vector<double>(first, first + detectors * detectors)),
        2e-4)
        << "slice " << slice;
  }
}

// Gaps make the data look whiter, so that the first step may raise the distance from white noise.
TEST(ProgramMeasured, missing_elements_do_not_stop_the_first_iterations) {
  TOMOKKOS_NEEDS_HDF5();
  const RunFolder folder(R"(problem:
  type: tomography
  volume: {size: [64, 64], pixel: 10}
  geometry: {type: parallel_beam, rotation_center: 296}
  ray_mask: mask.npy
  sinogram:
    slice: 0
    file: )" + test_data_path("tomography/tooth.h5").string() +
                         "\noutput: {image: []}\n");
  const auto reason = [&](const std::string& solver, const std::string& signals,
                          const std::vector<std::size_t>& elements) {
    std::vector<float> mask(181 * 640, 1.0F);
    for (std::size_t view = 0; view < 181; ++view)
      for (const std::size_t element : elements) mask[view * 640 + element] = 0.0F;
    write_npy<float>(folder / "mask.npy", mask, {181, 640});
    run_well(folder, "out",
             {"solver={type: " + solver + ", iterations: 3, stop: {ncp: " + signals + "}}"});
    return reported(folder, "out", "result.reason");
  };
  EXPECT_EQ(reason("cgls", "views", {250, 280, 300, 330}), "max_iterations");
  EXPECT_EQ(reason("cgls", "whole", {300, 301, 350}), "max_iterations");
  EXPECT_EQ(reason("sirt", "views", {300, 301, 350}), "max_iterations");
  EXPECT_EQ(reason("lsmr", "views", {300, 301, 350}), "max_iterations");
}

TEST(ProgramMeasured, a_large_residual_that_looks_white_is_reported) {
  const RunFolder folder(R"(problem:
  type: tomography
  volume: {size: [32, 32]}
  geometry: {type: parallel_beam, views: 40}
  phantom: shepp_logan
solver: {type: cgls, iterations: 60, stop: {ncp: views}}
)");
  const auto warned = [&](const std::string& sigma, const std::string& slices) {
    const ProgramResult result =
        run_well(folder, "noise",
                 {"problem.noise={type: gaussian, scale: relative, sigma: " + sigma + "}", slices});
    EXPECT_CONTAINS(result.out, "white_residual");
    return result.error;
  };
  EXPECT_CONTAINS(warned("0.5", "run.seed=1"),
                  "warning: solver.stop.ncp: the residual looks like noise, but it is 0.");
  EXPECT_CONTAINS(warned("0.5", "problem.slices=2"), "solver.stop.ncp (slices 0, 1): the residual");
  EXPECT_EQ(warned("0.02", "run.seed=1").find("stop.ncp"), std::string::npos);
}

}  // namespace
