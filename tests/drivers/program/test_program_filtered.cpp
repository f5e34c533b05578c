// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection of measured data that a scan does not cover: displaced and short
// detectors, missing rays and missing directions.
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr double pi = std::numbers::pi;

/// A disc of 0.5 and its line integrals.
struct Disc {
  double x, y, radius;

  double along(double normal, double distance) const {
    const double d = distance - (x * std::cos(normal) + y * std::sin(normal));
    return std::sqrt(std::max(0.0, radius * radius - d * d));
  }
  std::vector<double> parallel(std::size_t views, double range, std::size_t detectors,
                               double center) const {
    std::vector<double> data;
    for (std::size_t view = 0; view < views; ++view)
      for (std::size_t i = 0; i < detectors; ++i)
        data.push_back(
            along(range * pi / 180 * static_cast<double>(view) / static_cast<double>(views),
                  static_cast<double>(i) - center));
    return data;
  }
  /// Elements of 1.5, the source at 150 and the detector at 75 from the axis.
  std::vector<double> fan(std::size_t views, double range, std::size_t detectors,
                          double offset) const {
    std::vector<double> data;
    for (std::size_t view = 0; view < views; ++view)
      for (std::size_t i = 0; i < detectors; ++i) {
        const double s =
            1.5 * (static_cast<double>(i) - 0.5 * (static_cast<double>(detectors) - 1) + offset);
        const double angle =
            range * pi / 180 * static_cast<double>(view) / static_cast<double>(views);
        const double gamma = std::atan(s / 225);
        data.push_back(along(angle - gamma, 150 * std::sin(gamma)));
      }
    return data;
  }
};

class FilteredRun : public RunFolder {
 public:
  FilteredRun(const std::string& geometry, std::size_t views, const std::vector<double>& data) {
    write(views, data);
    write_bytes(*this / "c.yaml",
                "run: {threads: 1}\nproblem: {type: tomography, volume: {size: [60, 60]}, "
                "geometry: {" +
                    geometry +
                    "}, sinogram: s.npy}\n"
                    "solver: {type: fbp}\noutput: {image: [npy]}\n");
  }
  void write(std::size_t views, const std::vector<double>& data) const {
    write_npy<double>(*this / "s.npy", data, {views, data.size() / views});
  }
  ProgramResult run(const std::vector<std::string>& settings = {}) const {
    std::filesystem::remove_all(*this / "out");
    return run_program(run_of(*this, "out", settings));
  }
  /// Runs and expects \p status, and an error output that contains \p parts.
  ProgramResult run_to(int status, const std::vector<std::string>& settings = {},
                       const std::vector<std::string>& parts = {}) const {
    std::filesystem::remove_all(*this / "out");
    return expect_failure(run_of(*this, "out", settings), parts, status);
  }
  std::vector<double> image() const {
    return read_npy<double>(*this / "out/reconstruction.npy").data;
  }
  /// Mean and deviation in the disc, away from its border.
  std::pair<double, double> in(const Disc& disc) const {
    const std::vector<double> values = image();
    double sum = 0, squares = 0, count = 0;
    for (std::size_t i = 0; i < 3600; ++i) {
      const double x = static_cast<double>(i % 60) - 29.5, y = 29.5 - static_cast<double>(i / 60);
      if (std::hypot(x - disc.x, y - disc.y) > disc.radius - 4) continue;
      sum += values[i];
      squares += values[i] * values[i];
      ++count;
    }
    return {sum / count, std::sqrt(squares / count - sum * sum / count / count)};
  }
};

const Disc disc{6, -5, 18};

TEST(ProgramFiltered, displaced_detectors_measure_every_line_over_a_whole_turn) {
  for (const double offset : {0.0, 6.0, 14.0, -18.0}) {
    SCOPED_TRACE(offset);
    const FilteredRun run(
        "type: fan_beam, range: 360 deg, detector_width: 1.5, source_to_origin: 150, "
        "origin_to_detector: 75, detector_offset: " +
            std::to_string(offset),
        180, disc.fan(180, 360, 60, offset));
    const ProgramResult result = run.run_to(0);
    EXPECT_EQ((result.out + result.error).find("truncated"), std::string::npos);
    const auto [mean, deviation] = run.in(disc);
    EXPECT_NEAR(mean, 0.5, 0.01);
    EXPECT_LT(deviation, 0.02);
  }
  // Half acquisition, as a start of an iteration, too.
  for (const double center : {6.0, 43.0}) {
    SCOPED_TRACE(center);
    const FilteredRun run("range: 360 deg, rotation_center: " + std::to_string(center), 180,
                          disc.parallel(180, 360, 50, center));
    for (const char* solver : {"{type: fbp}", "{type: sirt, iterations: 0, start: fbp}"}) {
      run.run_to(0, {std::string("solver=") + solver});
      const auto [mean, deviation] = run.in(disc);
      EXPECT_NEAR(mean, 0.5, 0.01);
      EXPECT_LT(deviation, 0.02);
    }
    run.write(90, disc.parallel(90, 180, 50, center));
    run.run_to(2, {"problem.geometry.range=180 deg"},
               {"solver.type: the detector reaches", "set run.allow: [views]"});
    // Iterative solvers take what there is.
    run.run_to(0, {"problem.geometry.range=180 deg", "solver={type: cgls, iterations: 3}"});
  }
}

TEST(ProgramFiltered, truncated_data_are_announced_and_continued) {
  const Disc large{0, 0, 60};
  const FilteredRun run("range: 180 deg", 90, large.parallel(90, 180, 60, 29.5));
  for (const char* solver : {"{type: fbp}", "{type: sirt, iterations: 1}"}) {
    const ProgramResult result = run.run({std::string("solver=") + solver});
    EXPECT_CONTAINS(result.out + result.error,
                    "truncated data: up to 87 % of the peak at the ends");
  }
  run.run();
  EXPECT_NEAR(run.in({0, 0, 24}).first, 0.5, 0.01);
  run.write(90, disc.parallel(90, 180, 60, 29.5));
  const ProgramResult whole = run.run();
  EXPECT_EQ((whole.out + whole.error).find("truncated"), std::string::npos);
}

TEST(ProgramFiltered, missing_rays_are_interpolated) {
  std::vector<double> data = disc.parallel(90, 180, 60, 29.5);
  const FilteredRun run("range: 180 deg", 90, data);
  run.run_to(0);
  const std::vector<double> complete = run.image();
  for (std::size_t view = 0; view < 90; ++view)
    if (view != 11) data[60 * view + 30] = std::nan("");
  data[60 * 40 + 22] = std::nan("");
  run.write(90, data);
  const std::string said =
      "fbp: 90 of 5400 values hold no measurement or are excluded, and are "
      "interpolated";
  const auto expect_close = [&] {
    const std::vector<double> image = run.image();
    double squares = 0;
    for (std::size_t i = 0; i < image.size(); ++i)
      squares += (image[i] - complete[i]) * (image[i] - complete[i]);
    EXPECT_LT(std::sqrt(squares / 3600), 0.01);
  };
  for (const char* solver : {"{type: fbp}", "{type: sirt, iterations: 0, start: fbp}"}) {
    SCOPED_TRACE(solver);
    const ProgramResult result = run.run_to(0, {std::string("solver=") + solver});
    EXPECT_CONTAINS(result.out + result.error, said);
    expect_close();
  }
  // An element and a view that a mask excludes; more than 2 %.
  std::vector<double> mask(5400, 1.0);
  for (std::size_t view = 0; view < 90; ++view) mask[60 * view + 35] = 0;
  for (std::size_t i = 0; i < 60; ++i) mask[60 * 17 + i] = 0;
  write_npy<double>(run / "mask.npy", mask, {90, 60});
  const std::string setting = "problem.ray_mask=" + (run / "mask.npy");
  for (const char* solver : {"{type: fbp}", "{type: sirt, iterations: 0, start: fbp}"}) {
    SCOPED_TRACE(solver);
    run.run_to(2, {setting, std::string("solver=") + solver},
               {"fbp interpolates 238 of 5400 values", "set run.allow: [data]"});
    const ProgramResult result =
        run.run_to(0, {setting, "run.allow=[data]", std::string("solver=") + solver});
    EXPECT_CONTAINS(result.out + result.error, "(element 35; view 17)");
    expect_close();
  }
  // The projections of a phantom are filled, too.
  const ProgramResult simulated =
      run.run({setting, "run.allow=[data]", "problem.sinogram=~", "problem.phantom=disc",
               "problem.geometry={views: 90, detectors: 60}"});
  EXPECT_CONTAINS(simulated.out + simulated.error, "(element 35; view 17)");
}

TEST(ProgramFiltered, missing_directions_are_a_suspicion) {
  std::vector<double> angles, data;
  const std::vector<double> all = disc.parallel(180, 180, 60, 29.5);
  for (std::size_t view = 0; view < 180; ++view) {
    if (view >= 40 && view < 45) continue;
    angles.push_back(static_cast<double>(view));
    data.insert(data.end(), all.begin() + static_cast<std::ptrdiff_t>(60 * view),
                all.begin() + static_cast<std::ptrdiff_t>(60 * view + 60));
  }
  const FilteredRun run("angles: {file: a.npy, unit: deg}", 175, data);
  write_npy<double>(run / "a.npy", angles, {175});
  const ProgramResult refused = run.run_to(2, {}, {"a gap of 6 deg after 39 deg"});
  const std::size_t advice = refused.error.find("use an iterative solver");
  ASSERT_NE(advice, std::string::npos) << refused.error;
  EXPECT_EQ(refused.error.find("iterative solver", advice + 10), std::string::npos);
  run.run_to(0, {"run.allow=[views]"});
  EXPECT_NEAR(run.in(disc).first, 0.5, 0.01);
  // A tilt series.
  run.write(70, disc.parallel(70, 140, 60, 29.5));
  const std::vector<std::string> tilts{"problem.geometry={range: 140 deg}"};
  run.run_to(2, tilts);
  run.run_to(0, {tilts.front(), "solver={type: sirt, iterations: 2}"});
  run.run_to(0, {tilts.front(), "run.allow=[views]"});
  EXPECT_NEAR(run.in(disc).first, 0.5, 0.05);
}

}  // namespace
