// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files beside the data in the whole program: factors, starts, counts of a scanner, angles.
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>

#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr std::size_t views = 14, detectors = 19, rows = 12, columns = 16, slices = 3;

std::string small_scan() {
  return R"(problem:
  type: tomography
  volume: {size: [12, 16]}
  geometry: {views: 14, detectors: 19}
  sinogram: scan.npy
solver: {type: mlem, iterations: 3}
output: {image: [npy]}
)";
}

/// A sinogram, a stack of such, and arrays of the shapes that belong to them.
class SideFiles : public ::testing::Test {
 protected:
  SideFiles() {
    write_bytes(folder / "c.yaml", small_scan());
    write("scan.npy", {views, detectors});
    write("stack.npy", {views, slices, detectors});
  }

  void write(const std::string& name, const std::vector<std::size_t>& shape) const {
    std::size_t size = 1;
    for (const std::size_t length : shape) size *= length;
    std::vector<double> values(size);
    for (std::size_t i = 0; i < size; ++i) values[i] = 1 + static_cast<double>(i * 7 % 10);
    write_npy<double>(folder / name, values, shape);
  }

  std::string refusal(const std::vector<std::string>& settings) const {
    return Testing::refusal(folder, settings);
  }

  std::vector<double> image(const std::string& run) const {
    return read_npy<double>(folder / (run + "/reconstruction.npy")).data;
  }

  const RunFolder folder;
};

TEST_F(SideFiles, factors_and_starts_need_the_shape_of_data_and_image) {
  write("rays.npy", {views, detectors});
  write("flat.npy", {views * detectors});
  write("turned.npy", {detectors, views});
  write("image.npy", {rows, columns});
  write("turned_image.npy", {columns, rows});
  const std::vector<std::string> stack{"problem.sinogram=" + (folder / "stack.npy"),
                                       "problem.slices=all"};
  for (const bool is_stack : {false, true}) {
    const auto with = [&](const std::string& setting) {
      std::vector<std::string> settings = is_stack ? stack : std::vector<std::string>{};
      settings.push_back(setting);
      return settings;
    };
    for (const std::string key : {"solver.multiplicative", "solver.background"}) {
      SCOPED_TRACE(key);
      run_well(folder, "shaped", with(key + "=" + (folder / "rays.npy")));
      run_well(folder, "flat", with(key + "=" + (folder / "flat.npy")));
      EXPECT_EQ(image("shaped"), image("flat"));
      const std::string message = refusal(with(key + "=" + (folder / "turned.npy")));
      EXPECT_CONTAINS(message, key + ": ");
      EXPECT_CONTAINS(message, "is 19 x 14, which is (detector, view); expected (view, detector)");
    }
    run_well(folder, "shaped", with("solver.start=" + (folder / "image.npy")));
    const std::string message = refusal(with("solver.start=" + (folder / "turned_image.npy")));
    EXPECT_CONTAINS(message,
                    "is 16 x 12, which is (column, row); expected (row, column) = 12 x 16");
  }
}

TEST_F(SideFiles, projections_of_a_cone_beam_need_the_order_of_their_axes) {
  write_bytes(folder / "c.yaml", R"(problem:
  type: tomography
  volume: {polar: {rings: 4, radius: 4, slices: 3, height: 5}, size: [10, 10]}
  geometry: {type: cone_beam, views: 12, detectors: [9, 7], source_to_origin: 16, origin_to_detector: 8}
  rhs: data.npy
solver: {type: sirt, iterations: 2}
output: {image: [npy]}
)");
  write("data.npy", {7, 9, 12});
  write("views_first.npy", {12, 7, 9});
  write("flat.npy", {7 * 9 * 12});
  run_well(folder, "shaped");
  run_well(folder, "flat", {"problem.rhs=" + (folder / "flat.npy")});
  EXPECT_EQ(image("shaped"), image("flat"));
  EXPECT_CONTAINS(refusal({"problem.rhs=" + (folder / "views_first.npy")}),
                  "is 12 x 7 x 9, which is (view, v, u); expected (v, u, view) = 7 x 9 x 12: save "
                  "array.transpose(1, 2, 0)");
  // A stack has an axis of slices before those of the data.
  write("stack.npy", {2, 7, 9, 12});
  write("slices_last.npy", {7, 9, 12, 2});
  const std::string two = "problem.slices=2";
  run_well(folder, "stack", {"problem.rhs=" + (folder / "stack.npy"), two});
  EXPECT_CONTAINS(refusal({"problem.rhs=" + (folder / "slices_last.npy"), two}),
                  "expected (slice, v, u, view) = 2 x 7 x 9 x 12");
}

TEST_F(SideFiles, counts_of_a_scanner_are_found_in_both_halves) {
  using namespace ScannerProblem;
  constexpr std::size_t crystals = 72;
  write_bytes(folder / "c.yaml", ScannerProblem::text);
  run_well(folder, "projected", {"solver.iterations=1"});
  auto counts = read_npy<double>(folder / "projected/sinogram.npy").data;
  for (double& count : counts) count = std::floor(4 * count);
  write_bytes(folder / "c.yaml", "problem: {type: tomography, scanner: " + scanner +
                                     ", volume: " + volume +
                                     ", rhs: counts.npy}\nsolver: {type: mlem, iterations: 3}\n"
                                     "output: {image: [npy]}\n");
  const auto solve = [&](const std::string& run, const std::vector<double>& data) {
    write_npy<double>(folder / "counts.npy", data, {crystals, crystals});
    return run_well(folder, run).out;
  };
  const std::string plain = solve("half", counts);
  EXPECT_EQ(plain.find("counts: "), std::string::npos) << plain;
  auto symmetric = counts, unordered = counts;
  double above = 0, below = 0;
  for (std::size_t i = 0; i < crystals; ++i)
    for (std::size_t j = i + 1; j < crystals; ++j) {
      double &upper = unordered[i * crystals + j], &lower = unordered[j * crystals + i];
      symmetric[j * crystals + i] = upper;
      lower = std::floor(upper / 3);
      upper -= lower;
      above += upper;
      below += lower;
    }
  EXPECT_EQ(solve("symmetric", symmetric).find("counts: "), std::string::npos);
  EXPECT_EQ(image("symmetric"), image("half"));
  unordered[5 * crystals + 5] = 11;  // of a crystal with itself
  const std::string text = solve("unordered", unordered);
  EXPECT_EQ(image("unordered"), image("half"));
  const auto number = [](double value) { return std::to_string(static_cast<long>(value)); };
  EXPECT_CONTAINS(text, "counts: " + number(above) + " of pairs (i, j) with i < j, and " +
                            number(below) + " of (j, i), which were added to them\n");
  EXPECT_CONTAINS(text, "counts: 11 of pairs that the matrix does not hold are left out\n");
  const std::filesystem::path report = folder / "unordered/report.yaml";
  EXPECT_EQ(entry(report, "data.added_counts.pairs_j_i"), number(below));
  EXPECT_EQ(entry(report, "data.counts_left_out"), "11");
  write_npy<double>(folder / "counts.npy", counts, {crystals / 2, crystals * 2});
  EXPECT_CONTAINS(refusal({}), "is 36 x 144; expected (crystal i, crystal j) = 72 x 72");
  // Factors are never folded, but have the shape of the counts.
  write_npy<double>(folder / "counts.npy", counts, {crystals, crystals});
  write_npy<double>(folder / "factors.npy", symmetric, {crystals * 2, crystals / 2});
  EXPECT_CONTAINS(refusal({"solver.multiplicative=" + (folder / "factors.npy")}), "is 144 x 36");
}

TEST_F(SideFiles, angles_of_text_files_and_their_direction_are_shown) {
  std::string lines = "angle\n", negative;
  for (std::size_t view = 0; view < views; ++view) {
    lines += std::to_string(0.5 + 12.0 * static_cast<double>(view)) + "  # view\n";
    negative +=
        (view > 0 ? ", " : "") + std::to_string(-0.5 - 12.0 * static_cast<double>(view)) + " deg";
  }
  write_bytes(folder / "angles.csv", lines);
  const std::string of_file =
      "problem.geometry.angles={file: " + (folder / "angles.csv") + ", unit: deg}";
  const auto run = [&](const std::string& output, const std::vector<std::string>& settings) {
    return run_well(folder, output, settings).out;
  };
  write_bytes(folder / "c.yaml", [] {
    std::string text = small_scan();
    text.replace(text.find("views: 14, "), 11, "");
    return text;
  }());
  EXPECT_CONTAINS(run("file", {of_file}), "14 views, 0.5 to 156.5 deg, step 12.000 deg (listed)");
  EXPECT_CONTAINS(run("turned", {of_file, "problem.geometry.direction=clockwise"}),
                  "14 views, -0.5 to -156.5 deg, step -12.000 deg (listed)");
  run("negative", {"problem.geometry.angles=[" + negative + "]"});
  EXPECT_EQ(image("turned"), image("negative"));
  EXPECT_NE(image("turned"), image("file"));
  const std::vector<std::string> even{"problem.geometry.start=0.5 deg",
                                      "problem.geometry.range=168 deg"};
  EXPECT_CONTAINS(run("even", even), "14 views, 0.5 to 156.5 deg, step 12.000 deg, rotation");
  EXPECT_CONTAINS(
      run("fan", {even[0], even[1], "problem.geometry.direction=clockwise",
                  "problem.geometry.type=fan_beam", "problem.geometry.source_to_origin=30",
                  "problem.geometry.origin_to_detector=10"}),
      "14 views, -0.5 to -156.5 deg, step -12.000 deg, rotation");
  write_bytes(folder / "angles.csv", "angle\n1\n2\nx\n");
  const std::string message = refusal({of_file});
  EXPECT_CONTAINS(message, "angles.csv:4: 'x' is not a number");
}

}  // namespace
