// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images off the axis, pixels that are not squares, curved detectors, scans by vectors and rays
// from a file in the whole program.
#include <Tomokkos_Npy.hpp>
#include <array>
#include <cmath>

#include "program/CheckpointTesting.hpp"
#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr double pi = 3.14159265358979323846;
constexpr int views = 18;

const std::string fan_beam =
    "{type: fan_beam, views: 18, detectors: 30, detector_width: 1.6, source_to_origin: 50, "
    "origin_to_detector: 20}";

/// The scans of `small_config` and of `fan_beam` as vectors.
void write_vectors(const RunFolder& folder) {
  std::vector<double> parallel, fan;
  for (int v = 0; v < views; ++v) {
    const double t = pi * v / views, u = 2 * t;
    const std::array<double, 6> rays{-std::sin(t), std::cos(t), 0, 0, std::cos(t), std::sin(t)};
    const std::array<double, 6> source{50 * std::sin(u), -50 * std::cos(u), -20 * std::sin(u),
                                       20 * std::cos(u), 1.6 * std::cos(u), 1.6 * std::sin(u)};
    parallel.insert(parallel.end(), rays.begin(), rays.end());
    fan.insert(fan.end(), source.begin(), source.end());
  }
  write_npy<double>(folder / "parallel.npy", parallel, {views, 6});
  write_npy<double>(folder / "fan.npy", fan, {views, 6});
}

TEST(ProgramGeometries, vectors_give_the_image_and_data_of_a_turning_scan) {
  const RunFolder folder(small_config);
  write_vectors(folder);
  for (const bool is_fan : {false, true}) {
    std::vector<std::string> settings{"run.scalar=double", "problem.volume.center=[1.5, -2]",
                                      is_fan ? "problem.data=analytic" : "problem.data=matrix"};
    if (is_fan) settings.push_back("problem.geometry=" + fan_beam);
    run_well(folder, "turning", settings);
    settings.push_back(std::string("problem.geometry={type: vectors, ") +
                       (is_fan
                            ? "beam: fan, detectors: 30, file: " + (folder / "fan.npy")
                            : "beam: parallel, detectors: 32, file: " + (folder / "parallel.npy")) +
                       "}");
    run_well(folder, "vectors", settings);
    for (const char* file : {"/sinogram.npy", "/reconstruction.npy"})
      expect_near(values(folder, std::string("vectors") + file),
                  values(folder, std::string("turning") + file), 1e-9);
  }
}

/// Data by the formula agree with those of the matrix, and images without a matrix with its.
TEST(ProgramGeometries, simulated_data_and_computed_entries_follow_the_geometry) {
  const RunFolder folder(small_config);
  for (const std::string& geometry :
       {std::string("{views: 18, detectors: 32}"),
        fan_beam.substr(0, fan_beam.size() - 1) + ", detector_shape: curved}"}) {
    SCOPED_TRACE(geometry);
    const std::vector<std::string> common{"run.scalar=double",
                                          "problem.volume.size=[60, 90]",
                                          "problem.volume.pixel=[0.3, 0.2]",
                                          "problem.volume.center=[3, -4]",
                                          "problem.phantom={kind: disc, supersampling: 4}",
                                          "problem.projector=strip",
                                          "problem.geometry=" + geometry};
    const auto run = [&](const std::string& output, std::vector<std::string> more) {
      more.insert(more.end(), common.begin(), common.end());
      run_well(folder, output, more);
    };
    run("matrix", {"operator.format=csr"});
    run("computed", {"operator.format=computed"});
    run("formula", {"problem.data=analytic"});
    const auto data = values(folder, "matrix/sinogram.npy");
    expect_near(image(folder, "computed"), image(folder, "matrix"), 1e-8);
    const auto exact = values(folder, "formula/sinogram.npy");
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
      difference += (data[i] - exact[i]) * (data[i] - exact[i]);
      norm += exact[i] * exact[i];
    }
    EXPECT_GT(norm, 1000);
    EXPECT_LT(std::sqrt(difference / norm), 0.01);
  }
}

/// A file of vectors may be renamed, but not changed.
TEST(ProgramGeometries, a_checkpoint_notices_other_vectors) {
  const RunFolder folder(small_config);
  write_vectors(folder);
  auto fan = read_npy<double>(folder / "fan.npy").data;
  write_npy<double>(folder / "same.npy", fan, {views, 6});
  fan[6 * 7 + 2] += 0.01;
  write_npy<double>(folder / "moved.npy", fan, {views, 6});
  const auto settings = [&](const std::string& file, int iterations) {
    return std::vector<std::string>{
        "operator.format=computed", "output.checkpoint=2",
        "problem.geometry={type: vectors, beam: fan, detectors: 30, file: " + (folder / file) + "}",
        "solver.iterations=" + std::to_string(iterations)};
  };
  run_well(folder, "out", settings("fan.npy", 2));
  const ProgramResult moved = resume(folder, "out", settings("moved.npy", 4));
  EXPECT_EQ(moved.status, 2);
  EXPECT_CONTAINS(moved.error, "the checkpoint has another matrix");
  resume_well(folder, "out", settings("same.npy", 4));
}

TEST(ProgramGeometries, refuses_what_does_not_apply) {
  const RunFolder folder(small_config);
  write_vectors(folder);
  write_npy<double>(folder / "short.npy", std::vector<double>(12, 1.0), {4, 3});
  write_npy<double>(folder / "still.npy", std::vector<double>(6, 0.0), {1, 6});
  const auto refused = [&](const std::vector<std::string>& settings, const std::string& message) {
    expect_failure(run_of(folder, "out", settings), {message});
  };
  const std::string file = folder / "";
  const auto vectors = [&](const std::string& name) {
    return "problem.geometry={type: vectors, beam: fan, detectors: 30, file: " + file + name + "}";
  };
  refused({"problem.volume.center=3"}, "problem.volume.center: expected [x, y]");
  refused({"problem.volume.pixel=[1, 2, 3]"}, "problem.volume.pixel: expected [y, x]");
  refused({"problem.volume.pixel=[1, 0]"}, "greater than 0");
  refused({"problem.volume.pixel=[1, 2]", "problem.volume.size=[20, 20]", "operator.format=scsr"},
          "operator.format: scsr needs the symmetries of the square");
  refused({"problem.volume.center=[1, 0]", "problem.volume.size=[20, 20]", "operator.format=scsr"},
          "operator.format: scsr needs the symmetries of the square");
  refused({"problem.geometry.beam=fan"}, "problem.geometry.beam: belongs to type: vectors");
  refused({"problem.geometry.detector_shape=curved"}, "has no effect on a parallel beam");
  refused({"problem.geometry={type: vectors, file: a.npy, detectors: 4}"}, "beam: is required");
  refused({"problem.geometry={type: vectors, beam: fan, file: " + file + "fan.npy}"},
          "problem.geometry.detectors: is required");
  for (const char* key : {"views", "rotation_center", "detector_offset", "source_to_origin"})
    refused({vectors("fan.npy"), std::string("problem.geometry.") + key + "=3"},
            std::string(key) + ": has no effect on type: vectors");
  refused({vectors("fan.npy"), "operator.format=scsr"}, "scsr does not know the symmetries");
  refused({vectors("fan.npy"), "solver.start=fbp"}, "fbp needs a flat detector that turns");
  refused({"problem.geometry=" + fan_beam, "problem.geometry.detector_shape=curved",
           "problem.geometry.rotation_center=auto", "problem.phantom=", "problem.sinogram=a.npy"},
          "rotation_center: auto works for flat detectors only");
  refused({"problem.geometry=" + fan_beam, "problem.geometry.detector_shape=curved",
           "solver.start=fbp"},
          "fbp needs a flat detector that turns");
  refused({vectors("short.npy")}, "is 4 x 3; expected views x 6: sx, sy, dx, dy, ux, uy");
  refused({vectors("still.npy")}, "the vectors of view 0: the step (ux, uy) along the detector");
  refused({vectors("fan.npy"), "problem.volume.center=[40, 0]"}, "the source of view");
}

/// Rays of `small_config` from one side of the image to the other.
std::vector<double> parallel_rays() {
  std::vector<double> rays;
  for (int v = 0; v < views; ++v)
    for (int i = 0; i < 32; ++i) {
      const double t = pi * v / views, s = i - 15.5, reach = 40;
      const double x = std::cos(t), y = std::sin(t);
      for (const double value :
           {s * x + reach * y, s * y - reach * x, s * x - reach * y, s * y + reach * x})
        rays.push_back(value);
    }
  return rays;
}

TEST(ProgramGeometries, rays_from_a_file_give_the_image_and_data_of_a_scan) {
  const RunFolder folder(small_config);
  write_npy<double>(folder / "rays.npy", parallel_rays(), {views * 32, 4});
  const std::string geometry = "problem.geometry={type: rays, file: " + (folder / "rays.npy");
  for (const std::vector<std::string>& solver :
       {std::vector<std::string>{"solver.type=sirt"},
        {"solver={type: osem, subsets: 3, iterations: 4}"},
        {"solver={type: sart, sweeps: 2, order: golden}"},
        {"solver={type: cgls, iterations: 6}", "operator.format=ray_tiles"}}) {
    SCOPED_TRACE(solver.front());
    std::vector<std::string> scan{"run.scalar=double", "problem.volume.center=[1.5, -2]",
                                  "problem.projector=line"};
    scan.insert(scan.end(), solver.begin(), solver.end());
    run_well(folder, "scan", scan);
    scan[2] = geometry + ", views: 18}";
    run_well(folder, "rays", scan);
    for (const char* file : {"/sinogram.npy", "/reconstruction.npy"})
      expect_near(values(folder, std::string("rays") + file),
                  values(folder, std::string("scan") + file), 1e-9);
  }
  // The data of rays without views are numbers in the order of the file.
  write_npy<double>(folder / "b.npy", values(folder, "rays/sinogram.npy"), {views * 32});
  run_well(folder, "given",
           {"run.scalar=double", "problem.volume.center=[1.5, -2]", geometry + "}",
            "problem.phantom=", "problem.rhs=" + (folder / "b.npy"), "solver.type=sirt"});
  run_well(folder, "scan",
           {"run.scalar=double", "problem.volume.center=[1.5, -2]", "problem.projector=line"});
  expect_near(image(folder, "given"), image(folder, "scan"), 1e-9);
}

TEST(ProgramGeometries, refuses_what_does_not_apply_to_rays) {
  const RunFolder folder(small_config);
  const std::vector<double> rays = parallel_rays();
  write_npy<double>(folder / "rays.npy", rays, {views * 32, 4});
  write_npy<double>(folder / "wide.npy", rays, {views * 16, 8});
  write_npy<double>(folder / "beside.npy", std::vector<double>{90, 1, 95, 3, 90, 1, 80, 0}, {2, 4});
  std::vector<double> still = rays;
  still[4 * 7 + 2] = still[4 * 7];
  still[4 * 7 + 3] = still[4 * 7 + 1];
  write_npy<double>(folder / "still.npy", still, {views * 32, 4});
  const auto refused = [&](const std::string& file, const std::string& setting,
                           const std::string& message) {
    expect_failure(
        run_of(folder, "out",
               {"problem.geometry={type: rays, file: " + (folder / file) + "}", setting}),
        {message});
  };
  refused("wide.npy", "run.scalar=float", "is 288 x 8; expected rays x 4");
  refused("still.npy", "run.scalar=float", "ray 7 has length zero");
  refused("beside.npy", "run.scalar=float", "no ray");
  refused("rays.npy", "problem.geometry.views=7", "7 views do not divide 576 rays evenly");
  refused("rays.npy", "problem.geometry.detectors=32", "detectors: has no effect on type: rays");
  refused("rays.npy", "problem.projector=line", "problem.projector: has no effect on type: rays");
  refused("rays.npy", "problem.data=analytic", "analytic needs a geometry of views");
  refused("rays.npy", "operator.format=computed", "computed needs rays: a parallel, fan or cone");
  refused("rays.npy", "operator.format=scsr", "scsr needs a parallel or fan beam");
  refused("rays.npy", "solver={type: fbp}", "fbp needs problem.geometry.type");
  refused("rays.npy", "solver={type: osem, subsets: 4}", "4 subsets are more than the 1 views");
  refused("rays.npy", "solver={type: art, within_view: strided}", "strided needs solver.stride");
}

}  // namespace
