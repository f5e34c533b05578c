// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An application that calls `reconstruct` gets the image of the program, bit by bit, in every way
// to the matrix.
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Reconstruct.hpp>
#include <Tomokkos_RunInput.hpp>
#include <cmath>
#include <cstdlib>
#include <span>

#include "ConfigTesting.hpp"
#include "program/ImageTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using Space = TOMOKKOS_HOST_SPACE;

constexpr const char* scan = R"(
run: {scalar: double}
problem:
  type: tomography
  volume: {size: [24, 24]}
  geometry: {type: parallel_beam, views: 16, detectors: 36}
  sinogram: {file: data.npy, flat: none}
solver: {type: sirt, iterations: 6}
output: {image: [npy]}
)";

constexpr const char* cone_beam = R"(
run: {scalar: double}
problem:
  type: tomography
  volume: {polar: {rings: 6, radius: 4, slices: 4, height: 5}, size: [12, 12]}
  geometry:
    type: cone_beam
    views: 12
    detectors: [14, 9]
    detector_width: [1, 1]
    source_to_origin: 16
    origin_to_detector: 8
  rhs: data.npy
solver: {type: sirt, iterations: 6}
output: {image: [npy]}
)";

/// Data of a disc that is not centred, with some noise that depends on the ray alone.
std::vector<double> some_data(std::size_t rays) {
  std::vector<double> data(rays);
  for (std::size_t i = 0; i < rays; ++i)
    data[i] =
        2 + std::sin(0.11 * static_cast<double>(i)) + 0.1 * std::cos(static_cast<double>(i * i));
  return data;
}

/// Runs the program and `reconstruct` with the same settings, and compares the images.
void expect_same_image(const std::string& text, const std::vector<std::string>& settings,
                       const std::string& image) {
  SCOPED_TRACE(settings.front());
  const RunFolder folder;
  std::vector<std::string> all = settings;
  const std::string file = folder / "data.npy";
  const bool is_scan = text.find("sinogram:") != std::string::npos;
  all.push_back(is_scan ? "problem.sinogram.file=" + file : "problem.rhs=" + file);
  const RunConfig config = configured(text, all);
  const std::vector<double> data =
      some_data(is_scan ? 16 * 36 : static_cast<std::size_t>(12 * 14 * 9));
  write_npy<double>(
      file, data,
      is_scan ? std::vector<std::size_t>{16, 36} : std::vector<std::size_t>{data.size()});
  const RunInput input = read_input(config);
  ReconstructOptions options;
  options.wish = config.matrix_operator;
  const auto made =
      reconstruct<Space, double>(Space(), input.rows, data, config.solver.params, options);
  write_bytes(folder / "c.yaml", text);
  run_well(folder, folder / "out", all);
  EXPECT_EQ(read_npy<double>(folder / ("out/" + image)).data, made.images);
  EXPECT_EQ(reported(folder, "out", "plan.way"), name_of(made.way));
}

TEST(ProgramWays, an_application_gets_the_image_of_the_program) {
  for (const char* const format : {"csr", "sell", "ray_tiles", "scsr", "computed", "automatic"})
    expect_same_image(scan, {std::string("operator.format=") + format}, "reconstruction.npy");
  expect_same_image(scan, {"solver={type: sirt, iterations: 6, subsets: 4}"}, "reconstruction.npy");
  expect_same_image(scan,
                    {"solver={type: mlem, iterations: 6, subsets: 4}", "operator.format=scsr"},
                    "reconstruction.npy");
  expect_same_image(scan, {"solver={type: sart, sweeps: 3}", "operator.format=computed"},
                    "reconstruction.npy");
}

TEST(ProgramWays, an_application_gets_the_polar_image_of_a_cone_beam) {
  for (const char* const format : {"block_circulant", "csr", "computed"})
    expect_same_image(cone_beam, {std::string("operator.format=") + format},
                      "reconstruction_polar.npy");
  expect_same_image(cone_beam, {"solver={type: sirt, iterations: 6, subsets: 3}"},
                    "reconstruction_polar.npy");
}

/// Runs an example in \p folder; what it prints must begin with \p way.
void run_example(const RunFolder& folder, const std::string& name, const std::string& arguments,
                 const std::string& way) {
  const std::string command = "cd '" + std::string(folder / ".") + "' && '" + TOMOKKOS_EXAMPLES +
                              "/" + name + "' " + arguments + " > printed.txt";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  EXPECT_EQ(read_bytes(folder / "printed.txt").substr(0, way.size()), way) << name;
}

/// Runs the program and returns its image.
std::vector<float> image_of_program(const RunFolder& folder, const std::string& text,
                                    const std::vector<std::string>& settings,
                                    const std::string& image) {
  write_bytes(folder / "c.yaml", text);
  run_well(folder, folder / "out", settings);
  return read_npy<float>(folder / ("out/" + image)).data;
}

constexpr const char* scan_of_examples = R"(
problem:
  type: tomography
  volume: {size: [64, 64]}
  geometry: {type: parallel_beam, views: 60, detectors: 91}
  sinogram: {file: data.npy, flat: none}
solver: {type: sirt, iterations: 20}
output: {image: [npy]}
)";

TEST(ProgramWays, examples_give_the_images_of_the_program) {
  const std::string backend =
      "run.backend=" + std::string(backend_name<Kokkos::DefaultExecutionSpace>());
  const RunFolder folder;
  write_npy<double>(folder / "data.npy", some_data(60 * 91), {60, 91});
  for (const auto& [example, format] :
       {std::pair<std::string, std::string>{"computed_entries", "computed"},
        {"symmetric_scan", "scsr"}}) {
    run_example(folder, example, "data.npy image.npy", format + ": ");
    EXPECT_EQ(read_npy<float>(folder / "image.npy").data,
              image_of_program(folder, scan_of_examples, {backend, "operator.format=" + format},
                               "reconstruction.npy"))
        << example;
  }
  std::string cone = cone_beam;
  cone.replace(cone.find("scalar: double"), 14, "scalar: float");
  write_npy<double>(folder / "data.npy", some_data(10 * 16 * 24), {10, 16, 24});
  run_example(folder, "cone_beam", "data.npy image.npy", "block_circulant: ");
  EXPECT_EQ(
      read_npy<float>(folder / "image.npy").data,
      image_of_program(folder, cone,
                       {backend, "problem.geometry.views=24", "problem.geometry.detectors=[16, 10]",
                        "solver={type: sirt, iterations: 20}"},
                       "reconstruction_polar.npy"));
}

TEST(ProgramWays, an_example_continues_a_volume_from_its_checkpoint) {
  if (!can_write_npz()) GTEST_SKIP() << "built without libzip";
  const RunFolder folder;
  write_npy<double>(folder / "data.npy", some_data(std::size_t{12} * 60 * 91), {12, 60, 91});
  run_example(folder, "volume_in_slabs", "data.npy image.npy 2", "");
  EXPECT_FALSE(folder.has("image.npy"));
  run_example(folder, "volume_in_slabs", "data.npy image.npy 2", "");
  EXPECT_EQ(
      read_npy<float>(folder / "image.npy").data,
      image_of_program(folder, scan_of_examples,
                       {"run.backend=" + std::string(backend_name<Kokkos::DefaultExecutionSpace>()),
                        "problem.slices=all", "problem.slab=4",
                        "problem.sinogram.order=[rows, views, detectors]",
                        "operator={format: automatic}", "operator.transpose=automatic"},
                       "reconstruction.npy"));
}

}  // namespace
