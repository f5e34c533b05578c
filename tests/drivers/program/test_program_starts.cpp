// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs that start from the filtered back projection of their data.
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <numeric>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string disc_config = R"(
run: { scalar: double }
problem:
  type: tomography
  volume: { size: [40, 40] }
  geometry: { type: parallel_beam, views: 60, detectors: 61 }
  phantom: shepp_logan
operator: { format: computed }
solver: { type: sirt, iterations: 0, start: fbp }
output: { directory: out, image: [npy] }
)";

const std::string fan_beam =
    "problem.geometry={type: fan_beam, views: 90, range: 360 deg, detectors: 80, "
    "source_to_origin: 90, origin_to_detector: 30}";

std::vector<double> array(const RunFolder& folder, const std::string& file) {
  return read_npy<double>(folder / file).data;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double squares = 0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares / static_cast<double>(a.size()));
}

TEST(ProgramStarts, filtered_back_projection_is_close_to_the_phantom) {
  const RunFolder folder(disc_config);
  for (const std::string& geometry : {std::string("run.scalar=double"), fan_beam}) {
    SCOPED_TRACE(geometry);
    run_well(folder, "out", {geometry});
    const auto image = array(folder, "out/reconstruction.npy");
    const auto phantom = array(folder, "out/phantom.npy");
    EXPECT_NEAR(sum(image), sum(phantom), 0.02 * sum(phantom));
    EXPECT_LT(distance(image, phantom), 0.1);
    // Every solver goes on from there.
    run_well(folder, "zeros", {geometry, "solver={type: cgls, iterations: 2}"});
    run_well(folder, "fbp", {geometry, "solver={type: cgls, iterations: 2, start: fbp}"});
    EXPECT_LT(distance(array(folder, "fbp/reconstruction.npy"), phantom),
              0.7 * distance(array(folder, "zeros/reconstruction.npy"), phantom));
  }
}

TEST(ProgramStarts, filtered_back_projection_is_a_solver) {
  const RunFolder folder(disc_config);
  run_well(folder, "start", {"run.seed=1"});
  // Its format is computed, and no other.
  run_well(folder, "fbp", {"operator={}", "solver={type: fbp}"});
  EXPECT_EQ(array(folder, "start/reconstruction.npy"), array(folder, "fbp/reconstruction.npy"));
  EXPECT_EQ(reported(folder, "fbp", "result.iterations"), "1");
  run_well(folder, "hann", {"operator={}", "solver={type: fbp, filter: hann}", "problem.slices=2"});
  const auto hann = array(folder, "hann/reconstruction.npy");
  const auto sharp = array(folder, "fbp/reconstruction.npy");
  ASSERT_EQ(hann.size(), 2 * sharp.size());
  EXPECT_GT(distance(sharp, hann), 0.01);
  const auto expect_refusal = [&](const std::vector<std::string>& settings, const char* message) {
    const ProgramResult result = run_program(run_of(folder, "out", settings));
    EXPECT_NE(result.status, 0);
    EXPECT_CONTAINS(result.error, message);
  };
  expect_refusal({"operator={}", "solver={type: fbp, subsets: 2}"}, "solver.subsets");
  expect_refusal({"operator={}", "solver={type: fbp, iterations: 2}"}, "solver.iterations");
  expect_refusal({"operator={}", "solver={type: fbp, start: ones}"}, "solver.start");
  expect_refusal({"operator={}", "solver={type: fbp, stop: {residual: 0.1}}"}, "solver.stop");
  expect_refusal({"operator={format: csr}", "solver={type: fbp}"}, "fbp uses no stored matrix");
  expect_refusal({"operator={}", "solver={type: fbp}", "problem.geometry.range=120 deg"},
                 "solver.type: the views cover 120 deg");
}

TEST(ProgramStarts, filtered_back_projection_does_not_depend_on_the_matrix_or_the_stack) {
  const RunFolder folder(disc_config);
  const std::string analytic = "problem.data=analytic";
  run_well(folder, "out", {analytic});
  const auto image = array(folder, "out/reconstruction.npy");
  run_well(folder, "csr", {analytic, "operator={format: csr, ordering: {columns: hilbert}}"});
  EXPECT_EQ(image, array(folder, "csr/reconstruction.npy"));
  run_well(folder, "stack", {analytic, "problem.slices=3"});
  const auto stack = array(folder, "stack/reconstruction.npy");
  ASSERT_EQ(stack.size(), 3 * image.size());
  for (std::size_t slice = 0; slice < 3; ++slice)
    EXPECT_TRUE(std::equal(image.begin(), image.end(),
                           stack.begin() + static_cast<std::ptrdiff_t>(slice * image.size())));
}

TEST(ProgramStarts, mlem_starts_from_positive_pixels_and_says_so) {
  const RunFolder folder(disc_config);
  const std::vector<std::string> mlem{"solver={type: mlem, iterations: 0, start: fbp}"};
  const ProgramResult result = run_well(folder, "out", mlem);
  EXPECT_CONTAINS(result.out + result.error, "were raised to a thousandth of the mean");
  const auto image = array(folder, "out/reconstruction.npy");
  EXPECT_GT(*std::min_element(image.begin(), image.end()), 0);
  // The terms of the model are taken out of the data.
  run_well(folder, "terms",
           {"solver={type: mlem, iterations: 0, start: fbp, background: 3, multiplicative: 0.5}"});
  EXPECT_LT(distance(array(folder, "terms/reconstruction.npy"), array(folder, "terms/phantom.npy")),
            0.1);
}

TEST(ProgramStarts, filtered_back_projection_refuses_what_it_cannot_use) {
  const RunFolder folder(disc_config);
  const auto expect_refusal = [&](const std::vector<std::string>& settings, const char* message) {
    const ProgramResult result = run_program(run_of(folder, "out", settings));
    EXPECT_NE(result.status, 0);
    EXPECT_CONTAINS(result.error, message);
    EXPECT_CONTAINS(result.error, "solver.start");
  };
  expect_refusal({"problem.geometry.range=120 deg"}, "the views cover 120 deg");
  expect_refusal({fan_beam, "problem.geometry.range=190 deg"}, "of a fan_beam needs at least");
  std::vector<double> rays(60 * 61, 1.0);
  std::fill_n(rays.begin(), 200, 0.0);
  write_npy<double>(folder / "rays.npy", rays, {60, 61});
  expect_refusal({"problem.ray_mask=" + (folder / "rays.npy")}, "missing or excluded");
  expect_refusal(
      {"problem={type: tomography, phantom: shepp_logan, volume: {polar: {rings: 6, radius: 20, "
       "slices: 5, height: 40}, size: [5, 12, 12]}, geometry: {type: cone_beam, views: 12, "
       "detectors: [9, 7], detector_width: 7, source_to_origin: 100, origin_to_detector: 50}}",
       "operator={}"},
      "fbp needs problem.geometry.type: parallel_beam or fan_beam");
}

}  // namespace
