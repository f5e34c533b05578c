// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stacks of slices in the whole program.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Npy.hpp>
#include <cmath>
#include <set>

#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string noise = "problem.noise={type: poisson, counts: 1e4}";

/// Returns the largest difference divided by the largest value of \p b.
double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double difference = 0, largest = 0;
  EXPECT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return difference / largest;
}

std::vector<double> slice(const std::vector<double>& stack, std::size_t slices, std::size_t j) {
  const auto length = static_cast<std::ptrdiff_t>(stack.size() / slices);
  const auto begin = stack.begin() + static_cast<std::ptrdiff_t>(j) * length;
  return {begin, begin + length};
}

TEST(ProgramStacks, each_slice_matches_a_run_of_its_own) {
  for (const char* type : {"mlem", "sirt", "cgls"})
    for (const char* ordering : {"natural", "tiles"}) {
      const RunFolder folder(small_config);
      const std::vector<std::string> common{
          noise, "run.scalar=double", "operator.ordering=" + std::string(ordering),
          "solver={type: " + std::string(type) + ", iterations: 6}"};
      auto settings = common;
      settings.insert(settings.end(), {"problem.slices=3", "run.seed=4", "problem.data=analytic"});
      run_well(folder, "stack", settings);
      const auto images = read_npy<double>(folder / "stack/reconstruction.npy");
      const auto data = read_npy<double>(folder / "stack/sinogram.npy");
      EXPECT_EQ(images.shape, (std::vector<std::size_t>{3, 24, 20}));
      EXPECT_EQ(data.shape, (std::vector<std::size_t>{3, 18, 32}));
      for (std::size_t j = 0; j < 3; ++j) {
        const std::string output = std::to_string(j);
        settings = common;
        settings.insert(settings.end(),
                        {"run.seed=" + std::to_string(4 + j), "problem.data=analytic"});
        run_well(folder, output, settings);
        const auto image = read_npy<double>(folder / (output + "/reconstruction.npy"));
        EXPECT_EQ(slice(data.data, 3, j),
                  read_npy<double>(folder / (output + "/sinogram.npy")).data);
        EXPECT_LT(distance(slice(images.data, 3, j), image.data), 1e-9) << type << " " << ordering;
      }
      EXPECT_GT(distance(slice(images.data, 3, 0), slice(images.data, 3, 1)), 1e-3);
    }
}

// The image of a named phantom gives the same data, reconstruction and errors as the name.
TEST(ProgramPhantoms, an_image_from_a_file_gives_the_data_of_the_named_phantom) {
  const RunFolder folder(small_config);
  const std::vector<std::string> common{noise, "run.scalar=double", "problem.mask=mask.npy"};
  std::vector<float> kept(24 * 20, 1.0F);
  kept[0] = 0.0F;
  write_npy<float>(folder / "mask.npy", kept, {24, 20});
  for (std::size_t j = 0; j < 2; ++j) {
    auto settings = common;
    settings.insert(settings.end(),
                    {"problem.phantom=" + std::string(j == 0 ? "shepp_logan" : "disc"),
                     "run.seed=" + std::to_string(1 + j), "problem.mask=" + folder / "mask.npy"});
    run_well(folder, std::to_string(j), settings);
  }
  // A path in the configuration is relative to the folder of that file.
  std::string text = small_config;
  text.replace(text.find("shepp_logan"), 11, "0/phantom.npy");
  write_bytes(folder / "c.yaml", text);
  auto settings = common;
  settings.back() = "problem.mask=" + folder / "mask.npy";
  run_well(folder, "file", settings);
  for (const char* file : {"phantom.npy", "sinogram.npy", "reconstruction.npy"})
    expect_same_file(folder, "file", "0", file);
  EXPECT_EQ(reported(folder, "file", "result.rmse"), reported(folder, "0", "result.rmse"));
  EXPECT_EQ(reported(folder, "file", "configuration.problem.phantom.file"),
            folder / "0/phantom.npy");

  // Each slice of a stack has a phantom of its own.
  auto images = read_npy<double>(folder / "0/phantom.npy").data;
  const auto more = read_npy<double>(folder / "1/phantom.npy").data;
  images.insert(images.end(), more.begin(), more.end());
  write_npy<double>(folder / "stack.npy", images, {2, 24, 20});
  const std::string stack = "problem.phantom={file: " + folder / "stack.npy" + "}";
  settings.insert(settings.end(), {stack, "problem.slices=all"});
  run_well(folder, "stack", settings);
  EXPECT_EQ(read_npy<double>(folder / "stack/phantom.npy").data, images);
  const auto result = read_npy<double>(folder / "stack/reconstruction.npy");
  EXPECT_EQ(result.shape, (std::vector<std::size_t>{2, 24, 20}));
  for (std::size_t j = 0; j < 2; ++j) {
    const std::string output = std::to_string(j);
    EXPECT_LT(distance(slice(result.data, 2, j),
                       read_npy<double>(folder / (output + "/reconstruction.npy")).data),
              1e-9);
    const ConfigNode report = read_yaml_file(folder / "stack/report.yaml");
    EXPECT_NEAR(*as_number(*report.find("slices")->items()[j].find("rmse")),
                number(folder, output, "result.rmse"), 1e-9);
  }
  // A part of the stack, and a single image for several slices.
  settings.back() = "problem.slices=[1, 1]";
  run_well(folder, "part", settings);
  EXPECT_EQ(read_npy<double>(folder / "part/phantom.npy").data, more);
  settings.back() = "problem.slices=2";
  settings[settings.size() - 2] = "problem.phantom=" + folder / "0/phantom.npy";
  run_well(folder, "copies", settings);
  EXPECT_EQ(read_npy<double>(folder / "copies/phantom.npy").shape,
            (std::vector<std::size_t>{24, 20}));

  const auto expect_refusal = [&](const std::vector<std::string>& changes, const char* message) {
    refusal(folder, changes, {message});
  };
  expect_refusal({"problem.volume.size=[20, 24]"},
                 "0/phantom.npy is 24 x 20, but problem.volume.size is 20 x 24 pixels");
  expect_refusal({stack}, "is a stack of 2 images; select the images");
  expect_refusal({stack, "problem.slices=[1, 2]"}, "is a stack of 2 images, not of 3");
  expect_refusal({"problem.slices=all"},
                 "phantom.npy is a single image; give the number of copies");
  expect_refusal({"problem.data=analytic"}, "for an image from a file use data: matrix");
  expect_refusal({"problem.phantom=image.png"}, "problem.phantom: ");
  expect_refusal({"problem.phantom={file: a.npy, kind: disc}"}, "problem.phantom.kind: ");
  images[7] = std::nan("");
  write_npy<double>(folder / "stack.npy", images, {2, 24, 20});
  expect_refusal({stack, "problem.slices=all"}, "stack.npy: byte ");
}

TEST(ProgramPhantoms, a_single_image_fills_all_slices_of_a_volume) {
  const RunFolder folder(ScannerProblem::text);
  std::vector<double> image(20 * 22);
  for (std::size_t i = 0; i < image.size(); ++i) image[i] = 0.25 * static_cast<double>(i % 5);
  write_npy<double>(folder / "image.npy", image, {20, 22});
  std::vector<double> volume;
  for (int slice = 0; slice < 6; ++slice) volume.insert(volume.end(), image.begin(), image.end());
  write_npy<double>(folder / "volume.npy", volume, {6, 20, 22});
  for (const std::string name : {"image", "volume"})
    run_well(folder, name, {"problem.phantom=" + folder / (name + ".npy"), "solver.iterations=2"});
  EXPECT_EQ(read_npy<double>(folder / "image/phantom.npy").shape,
            (std::vector<std::size_t>{6, 20, 22}));
  expect_same_file(folder, "image", "volume");
}

TEST(ProgramStacks, each_slice_stops_and_is_reported_separately) {
  const RunFolder folder;
  const ProgramResult result =
      run_well({"run", config_file("stack_sirt.yaml").string(), "--output", folder / "out", "--set",
                "problem.volume.size=[32, 32]", "--set",
                "problem.geometry={views: 24, detectors: 48}", "--set", "solver.check_every=1"});
  EXPECT_CONTAINS(result.out, "8 slices: discrepancy 8");
  EXPECT_CONTAINS(result.out, "of 8 slices");
  const std::filesystem::path report = folder / "out/report.yaml";
  EXPECT_EQ(entry(report, "result.slices"), "8");
  EXPECT_EQ(entry(report, "result.reasons.discrepancy"), "8");
  EXPECT_EQ(entry(report, "data.slices"), "8");
  const ConfigNode root = read_yaml_file(report);
  const auto& slices = root.find("slices")->items();
  const auto& history = root.find("history")->items();
  const auto& levels = root.find("data")->find("noise_level")->items();
  ASSERT_EQ(slices.size(), 8U);
  ASSERT_EQ(history.size(), 8U);
  ASSERT_EQ(levels.size(), 8U);
  std::set<int> stops;
  for (std::size_t j = 0; j < 8; ++j) {
    const int iterations = std::stoi(slices[j].find("iterations")->scalar());
    stops.insert(iterations);
    const double bound = 1.2 * std::stod(levels[j].scalar());
    EXPECT_LE(std::stod(slices[j].find("residual")->scalar()), bound);
    EXPECT_TRUE(slices[j].find("rmse"));
    const auto& residuals = history[j].find("relative_residual")->items();
    ASSERT_EQ(residuals.size(), static_cast<std::size_t>(iterations) + 1);
    ASSERT_GE(iterations, 1);
    // Each slice stops at the first iteration that reaches its bound.
    const double before = std::stod(residuals[residuals.size() - 2].scalar());
    EXPECT_GT(before * std::stod(slices[j].find("rhs_norm")->scalar()), bound) << j;
  }
  EXPECT_GE(stops.size(), 2U);
  for (const char* file :
       {"out/reconstruction.npy", "out/reconstruction_slice_000.png",
        "out/reconstruction_slice_007.png", "out/sinogram_slice_003.png", "out/phantom.png"})
    EXPECT_TRUE(folder.has(file)) << file;
  EXPECT_EQ(read_npy<float>(folder / "out/phantom.npy").shape, (std::vector<std::size_t>{32, 32}));
  // The printed configuration contains the number of slices.
  const ProgramResult printed =
      run_program({"run", config_file("stack_sirt.yaml").string(), "--print-config"});
  EXPECT_CONTAINS(printed.out, "slices: 8");
}

TEST(ProgramStacks, slices_of_a_measured_stack_can_be_selected) {
  const RunFolder folder;
  const std::size_t views = 18, rows = 5, detectors = 32;
  std::vector<float> scan(views * rows * detectors);
  for (std::size_t i = 0; i < scan.size(); ++i)
    scan[i] = 1.0F + static_cast<float>((i * 7919) % 1000) / 1000.0F;
  write_npy<float>(folder / "scan.npy", scan, {views, rows, detectors});
  const std::string config = R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy}
solver: {type: sirt, iterations: 4}
)";
  write_bytes(folder / "c.yaml", config);
  run_well(folder, "all", {"problem.slices=all"});
  run_well(folder, "some", {"problem.slices=[1, 2]", "output.every=2"});
  run_well(folder, "first", {"problem.slices=2"});
  const auto all = read_npy<double>(folder / "all/reconstruction.npy");
  const auto some = read_npy<double>(folder / "some/reconstruction.npy");
  const auto first = read_npy<double>(folder / "first/reconstruction.npy");
  EXPECT_EQ(all.shape, (std::vector<std::size_t>{5, 24, 20}));
  EXPECT_EQ(some.shape, (std::vector<std::size_t>{2, 24, 20}));
  EXPECT_EQ(read_npy<double>(folder / "some/reconstruction_00002.npy").shape, some.shape);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_LT(distance(slice(some.data, 2, j), slice(all.data, 5, 1 + j)), 1e-5);
    EXPECT_LT(distance(slice(first.data, 2, j), slice(all.data, 5, j)), 1e-5);
  }
  run_well(folder, "one", {"problem.sinogram.slice=3"});
  const auto one = read_npy<double>(folder / "one/reconstruction.npy");
  EXPECT_EQ(one.shape, (std::vector<std::size_t>{24, 20}));
  EXPECT_LT(distance(slice(all.data, 5, 3), one.data), 1e-4);

  refusal(folder, {"problem.slices=[3, 3]"}, {"scan.npy is 5"});
  refusal(folder, {"problem.slices=6"}, {"scan.npy is 5"});
  refusal(folder, {"problem.slices=6"}, {"--set problem.slices=6: problem.slices: slices"});
  refusal(folder, {"problem.slices=all", "problem.sinogram.slice=2"},
          {"problem.sinogram.slice: has no effect"});
  scan[3 * detectors + 9] = -1;  // view 0, slice 3
  write_npy<float>(folder / "scan.npy", scan, {views, rows, detectors});
  refusal(folder, {"problem.slices=all", "solver={type: mlem, iterations: 2}"},
          {"at row 9 of slice 3"});
}

TEST(ProgramStacks, missing_values_remove_a_ray_only_from_their_slices) {
  const RunFolder folder;
  const std::size_t views = 18, rows = 3, detectors = 32;
  std::vector<double> scan(views * rows * detectors);
  for (std::size_t i = 0; i < scan.size(); ++i)
    scan[i] = 1.0 + static_cast<double>((i * 7919) % 1000) / 1000.0;
  write_npy<double>(folder / "whole.npy", scan, {views, rows, detectors});
  for (std::size_t v = 0; v < views; ++v) scan[(v * rows + 1) * detectors + 20] = NAN;
  for (std::size_t j = 0; j < rows; ++j) scan[(4 * rows + j) * detectors + 9] = NAN;
  write_npy<double>(folder / "scan.npy", scan, {views, rows, detectors});
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy}
run: {scalar: double}
)"));
  const auto image = [&](const char* output) {
    return read_npy<double>(folder / (std::string(output) + "/reconstruction.npy")).data;
  };
  // The ray that is missing in every slice is masked in the runs on the whole data.
  std::vector<float> mask(views * detectors, 1.0F);
  mask[4 * detectors + 9] = 0.0F;
  write_npy<float>(folder / "mask.npy", mask, {views, detectors});
  for (const std::string type :
       {"mlem, iterations: 6", "mlem, iterations: 3, subsets: 4", "sirt, iterations: 6",
        "sirt, iterations: 3, subsets: 4", "cgls, iterations: 6", "sart, sweeps: 6",
        "os_sart, sweeps: 4, subsets: 3"}) {
    const std::string solver = "solver={type: " + type + "}";
    run_well(folder, "stack", {"problem.slices=all", solver});
    run_well(folder, "whole",
             {"problem.slices=all", solver, "problem.sinogram.file=" + folder / "whole.npy",
              "problem.ray_mask=" + folder / "mask.npy"});
    for (const std::size_t j : {0, 2})
      EXPECT_EQ(slice(image("stack"), rows, j), slice(image("whole"), rows, j)) << type;
    EXPECT_GT(distance(slice(image("stack"), rows, 1), slice(image("whole"), rows, 1)), 1e-3);
    EXPECT_EQ(reported(folder, "stack", "data.missing.rays_taken_out"), "1");
    EXPECT_EQ(reported(folder, "stack", "data.missing.values_left_out"), "18");
    run_well(folder, "one", {"problem.sinogram.slice=1", solver, "run.allow=[data]"});
    const double difference = distance(slice(image("stack"), rows, 1), image("one"));
    // In a single slice, missing rays are not rows of the matrix. In a stack they have no part in
    // the weights of their slice.
    EXPECT_LT(difference, 1e-9) << type;
    run_well(folder, "slabs", {"problem.slices=all", "problem.slab=2", solver, "run.allow=[data]"});
    EXPECT_EQ(image("slabs").size(), image("stack").size());
    EXPECT_LT(distance(image("slabs"), image("stack")), 1e-12) << type;
    if (type != "sirt, iterations: 6") continue;
    run_well(folder, "parts",
             {"problem.slices=all", "solver={type: sirt, iterations: 3}", "output.checkpoint=3"});
    auto resume = run_of(folder, "parts", {"problem.slices=all", solver, "output.checkpoint=3"});
    resume.push_back("--resume");
    run_well(resume);
    EXPECT_EQ(image("parts"), image("stack"));
  }
}

TEST(ProgramStacks, slices_share_flat_and_dark_fields) {
  const RunFolder folder;
  const std::size_t views = 18, rows = 3, detectors = 32;
  std::vector<float> scan(views * rows * detectors), flat(2 * detectors), dark(detectors);
  for (std::size_t i = 0; i < scan.size(); ++i)
    scan[i] = 400.0F + static_cast<float>((i * 7919) % 500);
  for (std::size_t i = 0; i < flat.size(); ++i) flat[i] = 1000.0F + static_cast<float>(i);
  for (std::size_t i = 0; i < dark.size(); ++i) dark[i] = static_cast<float>(i % 7);
  write_npy<float>(folder / "scan.npy", scan, {views, rows, detectors});
  write_npy<float>(folder / "flat.npy", flat, {2, detectors});
  write_npy<float>(folder / "dark.npy", dark, {detectors});
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy, flat: flat.npy, dark: dark.npy}
run: {scalar: double}
solver: {type: sirt, iterations: 1}
)"));
  run_well(folder, "all", {"problem.slices=all"});
  const auto all = read_npy<double>(folder / "all/sinogram.npy");
  EXPECT_EQ(reported(folder, "all", "data.transmission"), "true");
  for (std::size_t j = 0; j < rows; ++j) {
    run_well(folder, "one", {"problem.sinogram.slice=" + std::to_string(j)});
    EXPECT_EQ(slice(all.data, rows, j), read_npy<double>(folder / "one/sinogram.npy").data);
  }
  const std::size_t i = 5 * rows * detectors + 2 * detectors + 9;  // view 5, slice 2, detector 9
  const double open = (flat[9] + flat[9 + detectors]) / 2.0;
  EXPECT_NEAR(slice(all.data, rows, 2)[5 * detectors + 9],
              std::log((open - dark[9]) / (scan[i] - dark[9])), 1e-12);
}

TEST(ProgramStacks, only_the_middle_one_of_many_slices_gets_a_picture) {
  const RunFolder folder(small_config);
  run_well(folder, "out", {"problem.slices=17", noise, "solver.iterations=1"});
  EXPECT_TRUE(folder.has("out/reconstruction_slice_008.png"));
  EXPECT_FALSE(folder.has("out/reconstruction_slice_000.png"));
  EXPECT_EQ(read_npy<float>(folder / "out/reconstruction.npy").shape[0], 17U);
}

TEST(ProgramStacks, invalid_slices_are_refused_with_their_place) {
  const RunFolder folder(small_config);
  refusal(folder, {"problem.slices=all"}, {"problem.slices: a phantom has one slice"});
  refusal(folder, {"problem.slices=[0, 2]"}, {"problem.slices: a phantom has one slice"});
  refusal(folder, {"problem.slices=0"}, {"problem.slices"});
  refusal(folder, {"problem.slices=some"}, {"expected all, a number of slices"});
  refusal(folder, {"problem.slices=2", "solver={type: art}"}, {"one slice at a time"});
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 18, detectors: 32}
  phantom: shepp_logan
  slices: [1, 2, 3]
solver: {type: sirt, iterations: 5}
)"));
  refusal(folder, {}, {"c.yaml:6:11"});
  // More slices than any machine can hold are refused before they are allocated. The message says
  // how many would fit.
  refusal(folder, {"problem.slices=2000000000", "operator.format=csr"}, {"slices at a time"});
}

TEST(ProgramStacks, a_residual_of_nan_fails_the_run_and_is_reported) {
  const RunFolder folder(small_config);
  // The products overflow float with both signs, and infinity minus infinity gives NaN.
  std::vector<float> start(24 * 20);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = i * 7919 % 13 < 6 ? 3e38F : -3e38F;
  write_npy<float>(folder / "start.npy", start, {24, 20});
  for (const char* type : {"sirt", "cgls"}) {
    const std::string solver = "solver={type: " + std::string(type) +
                               ", iterations: 3, start: " + (folder / "start.npy") + "}";
    ProgramResult result = expect_failure(run_of(folder, "one", {solver}), {}, 1);
    EXPECT_CONTAINS(result.out, "non_finite after 0 iterations, residual nan");
    result = expect_failure(run_of(folder, "two", {solver, "problem.slices=2"}), {}, 1);
    EXPECT_CONTAINS(result.out, "after 0 iterations, residual nan");
    for (const char* key : {"smallest_relative_residual", "largest_relative_residual"})
      EXPECT_EQ(reported(folder, "two", std::string("result.") + key), ".nan");
  }
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramStacks, a_measured_stack_larger_than_memory_is_refused_before_it_is_read) {
  const RunFolder folder;
  const std::size_t views = 9, rows = 8000, detectors = 2000;
  // The file consists of a header and a hole, and uses almost no disk space.
  const std::string name = folder / "scan.npy";
  std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (9, 8000, 2000), }";
  dictionary.resize(117, ' ');
  dictionary += '\n';
  write_bytes(name, std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary);
  std::filesystem::resize_file(name, 128 + views * rows * detectors * sizeof(float));
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy}
run: {threads: 1}
solver: {type: sirt, iterations: 4}
)"));
  const ProgramOptions options = limited(RLIMIT_AS, 600UL << 20);
  expect_failure(run_of(folder, "refused", {"problem.slices=8000"}),
                 {"problem.slices: a slice needs about", "8000 slices need", "slices at a time"}, 2,
                 options);
  EXPECT_FALSE(folder.has("refused"));
  run_well(folder, "some", {"problem.slices=[7000, 2]"}, options);
}
#endif

}  // namespace
