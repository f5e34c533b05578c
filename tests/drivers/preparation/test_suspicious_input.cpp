// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured data that are valid but almost certainly a mistake, and rays without a measurement.
#include <gtest/gtest.h>

#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_InputSuspicions.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Tiff.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "Hdf5Testing.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Sinogram (views x detectors) of a disc beside the axis.
std::vector<double> disc(std::size_t views, std::size_t detectors) {
  std::vector<double> result;
  for (std::size_t v = 0; v < views; ++v)
    for (std::size_t k = 0; k < detectors; ++k) {
      const double angle = std::numbers::pi * static_cast<double>(v) / static_cast<double>(views);
      const double s =
          static_cast<double>(k) - 0.5 * (static_cast<double>(detectors) - 1) - 3 * std::cos(angle);
      result.push_back(s * s < 36 ? 0.2 * std::sqrt(36 - s * s) : 0.0);
    }
  return result;
}

ScanGeometry scan_of(const RunInput& input) { return std::get<ScanRows>(input.rows).scan; }

/// Writes a sinogram of 40 views x 30 detectors to `s.npy` and reads it with `read_input`.
class SuspiciousInput : public ::testing::Test {
 protected:
  static constexpr std::size_t views = 40, detectors = 30;

  SuspiciousInput() { write(values); }

  void write(const std::vector<double>& data, const std::string& name = "s.npy") {
    write_npy<double>(folder / name, data, {views, detectors});
  }

  RunInput read(std::vector<std::string> settings = {}) const {
    ConfigNode root = parse(
        "problem: {type: tomography, volume: {size: [30, 30]}, geometry: {views: auto}, "
        "sinogram: {file: s.npy}}\nsolver: {type: sirt}\n",
        folder.path().string());
    for (const std::string& setting : settings) apply_setting(root, setting);
    config = read_run_config(root, ConfigUse::run, "f");
    return read_input(config);
  }

  std::string refusal(const std::vector<std::string>& settings) const {
    return message_of<InputError>([&] { read(settings); });
  }

  std::string file(const std::string& name) const { return "\"" + (folder / name).string() + "\""; }

  void expect_suspicion(const std::string& kind, std::vector<std::string> settings) const {
    EXPECT_CONTAINS(refusal(settings), "run.allow: [" + kind + "]");
    settings.push_back("run.on_suspicion=warn");
    EXPECT_EQ(read(settings).suspicions.size(), 1U);
    settings.back() = "run.allow=[" + kind + "]";
    const RunInput allowed = read(settings);
    ASSERT_EQ(allowed.suspicions.size(), 1U);
    EXPECT_EQ(to_string(allowed.suspicions.front().kind), kind);
    EXPECT_NE(allowed.notes.find("suspicions"), nullptr);
  }

  const TemporaryFolder folder;
  std::vector<double> values = disc(views, detectors);
  mutable RunConfig config;
};

TEST_F(SuspiciousInput, angles_that_seem_to_lack_a_unit_are_reported) {
  expect_suspicion("angles", {"problem.geometry.range=180"});
  std::vector<double> degrees(views);
  for (std::size_t i = 0; i < views; ++i) degrees[i] = 4.5 * static_cast<double>(i);
  write_npy<double>(folder / "deg.npy", degrees, {views});
  const std::string list = "problem.geometry={angles: " + file("deg.npy") + "}";
  expect_suspicion("angles", {list});
  const RunInput in_degrees =
      read({"problem.geometry={angles: {file: " + file("deg.npy") + ", unit: deg}}"});
  EXPECT_DOUBLE_EQ(scan_of(in_degrees).views.radians(20), std::numbers::pi / 2);
  EXPECT_TRUE(read({"problem.geometry.range=3.141592653589793"}).suspicions.empty());
  EXPECT_TRUE(read({"problem.geometry={angles: {file: " + file("deg.npy") + ", unit: rad}}"})
                  .suspicions.empty());
  // The printed configuration contains the unit.
  EXPECT_CONTAINS(to_yaml(to_node(config)), "unit: rad");
}

TEST_F(SuspiciousInput, a_transposed_sinogram_is_reported) {
  std::vector<double> transposed(values.size());
  for (std::size_t v = 0; v < views; ++v)
    for (std::size_t k = 0; k < detectors; ++k)
      transposed[k * views + v] = values[v * detectors + k];
  write_npy<double>(folder / "s.npy", transposed, {detectors, views});
  const std::vector<std::string> settings{"problem.geometry={views: 40, detectors: 30}"};
  expect_suspicion("transposed", settings);
  EXPECT_EQ(read({settings.front(), "run.allow=[transposed]"}).data, values);
  // A shape that fits neither as given nor transposed is an error.
  EXPECT_THROW(read({"problem.geometry={views: 40, detectors: 29}"}), DimensionMismatch);
}

TEST_F(SuspiciousInput, a_rotation_center_found_without_opposite_views_is_reported) {
  const RunInput found = read({"problem.geometry.rotation_center=auto"});
  EXPECT_NEAR(scan_of(found).center_index(), 14.5, 0.2);
  EXPECT_CONTAINS(describe_scan(found).front(), "(found from 40 views, two methods agree");
  // No view has an opposite view.
  expect_suspicion("rotation_center", {"problem.geometry={views: auto, range: 120 deg, "
                                       "rotation_center: auto}"});
}

TEST_F(SuspiciousInput, rays_without_a_measurement_are_left_out) {
  values[5] = values[100] = NAN;
  write(values);
  const RunInput input = read();
  EXPECT_EQ(input.missing_rays, 2U);
  EXPECT_TRUE(input.suspicions.empty());
  ASSERT_EQ(input.masks.rows.size(), views * detectors);
  EXPECT_EQ(std::count(input.masks.rows.begin(), input.masks.rows.end(), 0), 2);
  EXPECT_EQ(input.masks.rows[5] + input.masks.rows[100], 0);
  EXPECT_EQ(input.data[5], 0.0);
  EXPECT_CONTAINS(describe_data(config.problem, input).front(),
                  "2 of 1200 rays hold no measurement");
  // More than 2 % of the rays are missing.
  for (std::size_t i = 0; i < 25; ++i) values[i] = NAN;
  write(values);
  expect_suspicion("data", {});
  // Rays that a mask leaves out do not count as missing.
  std::vector<double> mask(values.size(), 1.0);
  for (std::size_t i = 0; i < values.size(); ++i) mask[i] = std::isnan(values[i]) ? 0.0 : 1.0;
  write(mask, "mask.npy");
  const RunInput masked = read({"problem.ray_mask=" + file("mask.npy")});
  EXPECT_EQ(masked.missing_rays, 0U);
  EXPECT_TRUE(masked.suspicions.empty());
  EXPECT_EQ(masked.data[3], 0.0);
  values[7] = INFINITY;
  write(values);
  EXPECT_CONTAINS(refusal({"run.on_suspicion=warn"}), "is infinite");
  write(std::vector<double>(values.size(), NAN));
  EXPECT_CONTAINS(refusal({"run.on_suspicion=warn"}), "no ray has a measurement");
}

TEST_F(SuspiciousInput, values_beyond_the_largest_count_as_missing) {
  const double most = *std::max_element(values.begin(), values.end());
  values[7 * detectors + 11] = 40 * most;
  values[8 * detectors + 3] = 2 * most;
  write(values);
  const std::string largest = "problem.sinogram.largest=" + std::to_string(2.5 * most);
  EXPECT_EQ(read().missing_rays, 0U);
  const RunInput input = read({largest});
  EXPECT_EQ(input.missing_rays, 1U);
  ASSERT_EQ(input.masks.rows.size(), values.size());
  EXPECT_EQ(input.masks.rows[7 * detectors + 11], 0);
  EXPECT_EQ(input.masks.rows[8 * detectors + 3], 1);
  EXPECT_CONTAINS(to_yaml(to_node(config)), "largest: ");
  EXPECT_CONTAINS(message_of<ConfigError>([&] { read({"problem.sinogram.largest=0"}); }),
                  "problem.sinogram.largest");
}

TEST_F(SuspiciousInput, rays_of_dead_elements_count_as_missing) {
  std::vector<double> counts(values.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 1e4 * std::exp(-values[i]);
  counts[3] = 1e-3;  // below the smallest transmission
  write(counts);
  std::vector<double> flat(detectors, 1e4);
  write_npy<double>(folder / "flat.npy", flat, {detectors});
  flat[9] = 0;
  write_npy<double>(folder / "dead.npy", flat, {detectors});
  const auto sinogram_with = [&](const char* name) {
    return "problem.sinogram={file: " + file("s.npy") + ", flat: " + file(name) + "}";
  };
  EXPECT_EQ(read({sinogram_with("flat.npy")}).missing_rays, 0U);
  EXPECT_EQ(read({sinogram_with("flat.npy")}).clamped, 1U);
  const RunInput alive = read({sinogram_with("flat.npy")});
  EXPECT_CONTAINS(describe_data(config.problem, alive).front(),
                  "s.npy, flat fields applied (40 views, 1 flat frame), ");
  EXPECT_CONTAINS(refusal({sinogram_with("dead.npy")}),
                  "40 of 1200 rays (3.3 %) have no measurement: 40 have "
                  "no open beam, 0 are NaN");
  const RunInput input = read({sinogram_with("dead.npy"), "run.allow=[data]"});
  EXPECT_EQ(input.missing_rays, views);
  for (std::size_t v = 0; v < views; ++v) EXPECT_EQ(input.masks.rows[v * detectors + 9], 0);
}

TEST_F(SuspiciousInput, views_without_signal_are_reported) {
  std::vector<double> counts(values.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 100 + 1e4 * std::exp(-values[i]);
  // Two dark frames among the views, the second one with noise.
  for (std::size_t k = 0; k < detectors; ++k) {
    counts[3 * detectors + k] = 100;
    counts[20 * detectors + k] = k % 2 == 0 ? 97 : 103;
  }
  write(counts);
  write_npy<double>(folder / "flat.npy", std::vector<double>(detectors, 10100), {detectors});
  write_npy<double>(folder / "dark.npy", std::vector<double>(detectors, 100), {detectors});
  const std::string scan = "problem.sinogram={file: " + file("s.npy") +
                           ", flat: " + file("flat.npy") + ", dark: " + file("dark.npy") + "}";
  expect_suspicion("data", {scan});
  EXPECT_CONTAINS(refusal({scan}),
                  "2 of 40 views have no signal above the dark field in slice 0: "
                  "views 3, 20 (counted from 0)");
  // Views that a mask leaves out are known.
  std::vector<double> mask(values.size(), 1);
  for (const std::size_t view : {3, 20})
    for (std::size_t k = 0; k < detectors; ++k) mask[view * detectors + k] = 0;
  write(mask, "mask.npy");
  EXPECT_TRUE(read({scan, "problem.ray_mask=" + file("mask.npy")}).suspicions.empty());
  // Without fields the values are line integrals, or emission counts, which may all be 0.
  std::fill_n(values.begin(), detectors, 0.0);
  write(values);
  EXPECT_TRUE(read().suspicions.empty());
}

TEST_F(SuspiciousInput, fields_in_arrays_may_hold_the_rows_of_the_detector) {
  // Row r has the open beam 1000 (r + 1), with one bright value in a frame.
  std::vector<double> counts, flats;
  for (std::size_t v = 0; v < views; ++v)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t k = 0; k < detectors; ++k)
        counts.push_back(1000.0 * static_cast<double>(row + 1) *
                         std::exp(-values[v * detectors + k]));
  for (std::size_t frame = 0; frame < 3; ++frame)
    for (std::size_t row = 0; row < 2; ++row)
      for (std::size_t k = 0; k < detectors; ++k)
        flats.push_back(frame == 1 && k == 4 ? 65535.0 : 1000.0 * static_cast<double>(row + 1));
  write_npy<double>(folder / "s.npy", counts, {views, 2, detectors});
  write_npy<double>(folder / "flat.npy", flats, {3, 2, detectors});
  write_npz(folder / "flat.npz", {{"flat", {3, 2, detectors}, std::span<const double>(flats)},
                                  {"other", {1}, std::span<const double>(flats).first(1)}});
  const std::string scan = "problem.sinogram={file: " + file("s.npy") + ", fields: median, flat: ";
  for (const std::string& flat :
       {file("flat.npy"), file("flat.npz"), "{file: " + file("flat.npz") + ", dataset: flat}"}) {
    const RunInput input = read({scan + flat + "}", "problem.slices=all"});
    ASSERT_EQ(input.data.size(), 2 * values.size());
    for (std::size_t i = 0; i < input.data.size(); ++i)
      ASSERT_NEAR(input.data[i], values[i % values.size()], 1e-12) << i;
  }
  EXPECT_GT(read({"problem.sinogram={file: " + file("s.npy") +
                  ", slice: 1, flat: " + file("flat.npy") + "}"})
                .data[4],
            values[4] + 1);
  write_npy<double>(folder / "flat.npy", flats, {2, 3, detectors});
  EXPECT_CONTAINS(refusal({scan + file("flat.npy") + "}"}),
                  "or frames x 2 x 30, to match the detectors of the sinogram and its rows; "
                  "found 2 x 3 x 30");
  write_npy<double>(folder / "flat.npy", std::span(flats).first(2 * detectors), {2, detectors});
  EXPECT_CONTAINS(refusal({scan + file("flat.npy") + "}"}),
                  "2 x 30 is one frame of all rows, or as many frames of one row; save");
  write_npy<double>(folder / "flat.npy", flats, {6, detectors});
  EXPECT_EQ(read({scan + file("flat.npy") + "}"}).data.size(), values.size());
  EXPECT_CONTAINS(refusal({scan + "{file: " + file("flat.npz") + ", dataset: beam}}"}),
                  "does not contain the array beam; available: flat, other");
}

TEST_F(SuspiciousInput, missing_rays_of_a_stack_are_left_out_of_their_slices) {
  // Writes 3 slices, each with NaN in its first rays.
  const auto stack = [&](std::array<std::size_t, 3> missing) {
    std::vector<double> data;
    for (std::size_t v = 0; v < views; ++v)
      for (std::size_t slice = 0; slice < 3; ++slice)
        for (std::size_t k = 0; k < detectors; ++k)
          data.push_back(v * detectors + k < missing[slice] ? NAN : values[v * detectors + k]);
    write_npy<double>(folder / "s.npy", data, {views, 3, detectors});
  };
  const std::size_t rays = views * detectors;
  stack({5, 0, 45});
  const RunInput input = read({"problem.slices=all"});
  EXPECT_EQ(input.missing_rays, 0U);
  EXPECT_EQ(input.missing_values, 50U);
  EXPECT_TRUE(input.masks.rows.empty());
  for (std::size_t i = 0; i < input.data.size(); ++i)
    EXPECT_EQ(std::isnan(input.data[i]), i < 5 || (i >= 2 * rays && i < 2 * rays + 45)) << i;
  EXPECT_CONTAINS(describe_data(config.problem, input).front(),
                  "; 50 of 3600 values hold no measurement and are left out of their slices");

  // A ray that no slice has measured is not a row of the matrix.
  stack({5, 7, 45});
  const RunInput common = read({"problem.slices=all"});
  EXPECT_EQ(common.missing_rays, 5U);
  EXPECT_EQ(common.missing_values, 42U);
  EXPECT_EQ(std::count(common.masks.rows.begin(), common.masks.rows.end(), 0), 5);
  EXPECT_EQ(common.data[0], 0.0);
  EXPECT_TRUE(std::isnan(common.data[rays + 5]));

  stack({0, rays, 0});
  EXPECT_CONTAINS(refusal({"problem.slices=all", "run.allow=[data]"}),
                  "problem.slices: no ray of slice 1 of 3 ");
}

TEST_F(SuspiciousInput, a_scan_that_misses_the_image_is_refused) {
  expect_suspicion("rotation_center", {"problem.geometry.rotation_center=1000"});
  const RunInput input =
      read({"problem.geometry.rotation_center=1000", "run.allow=[rotation_center]"});
  EXPECT_THROW(require_seen_image(input, 0), InputError);
  EXPECT_NO_THROW(require_seen_image(input, 1));
}

TEST_F(SuspiciousInput, a_geometry_that_does_not_suit_the_data_is_reported) {
  expect_suspicion("angles", {"problem.geometry.range=3.14159 deg"});
  expect_suspicion("rotation_center", {"problem.geometry.rotation_center=0"});
  expect_suspicion("rotation_center", {"problem.geometry.detector_offset=14"});
  EXPECT_CONTAINS(refusal({"problem.geometry.detector_offset=14"}),
                  "problem.geometry.detector_offse"
                  "t: the rotation centre 0.5");
  EXPECT_TRUE(read({"problem.geometry.rotation_center=14.5"}).suspicions.empty());
  expect_suspicion("views", {"problem.volume={size: [30, 30], center: [300, 0]}"});
  EXPECT_TRUE(
      read({"problem.volume={size: [2, 2], center: [5, 3]}"}).suspicions.empty());  // a region
  // Without data the same geometry is legal.
  ConfigNode root = parse(
      "problem: {type: tomography, volume: {size: [30, 30]}, geometry: {views: 40, range: 3 deg, "
      "detectors: 30, rotation_center: -1}, phantom: disc}\nsolver: {type: sirt}\n");
  EXPECT_TRUE(read_input(read_run_config(root, ConfigUse::run, "f")).suspicions.empty());
}

TEST_F(SuspiciousInput, the_logarithm_of_line_integrals_is_reported) {
  write_npy<double>(folder / "flat.npy", std::vector<double>(detectors, 1e4), {detectors});
  const std::string scan = "problem.sinogram={file: " + file("s.npy") + ", flat: ";
  expect_suspicion("data", {scan + file("flat.npy") + "}"});
  EXPECT_CONTAINS(refusal({scan + file("flat.npy") + "}"}), "set problem.sinogram.flat: none");
  EXPECT_TRUE(read({scan + file("flat.npy") + ", negative: clamp}"}).suspicions.empty());
  EXPECT_TRUE(read({scan + "none}"}).suspicions.empty());
  // A subtracted background leaves negative values.
  for (double& value : values) value -= 0.1;
  write(values);
  EXPECT_TRUE(read().suspicions.empty());
}

TEST_F(SuspiciousInput, unusual_data_are_described) {
  const auto lines = [&](std::vector<std::string> settings) {
    const RunInput input = read(std::move(settings));
    EXPECT_TRUE(input.suspicions.empty());
    return describe_unusual_input(config.input_use(), input);
  };
  EXPECT_TRUE(lines({}).empty());
  const std::string fan =
      "problem.geometry={type: fan_beam, source_to_origin: 100, "
      "origin_to_detector: 20, range: ";
  ASSERT_EQ(lines({fan + "180 deg}"}).size(), 1U);
  EXPECT_CONTAINS(lines({fan + "180 deg}"})[0], "half a turn and the angle of the fan");
  EXPECT_TRUE(lines({fan + "220 deg}"}).empty());
  values[100] = -9999;
  write(values);
  ASSERT_EQ(lines({}).size(), 1U);
  EXPECT_CONTAINS(lines({})[0], "up to -9999, the first one at ray 100;");
  values[100] = 65535;
  write(values);
  EXPECT_TRUE(lines({"solver={type: mlem}"}).empty());  // counts
}

TEST_F(SuspiciousInput, counts_without_flat_fields_are_reported) {
  std::vector<double> counts(values.size());
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 20000 * std::exp(-values[i]);
  write(counts);
  expect_suspicion("flat_fields", {});
  EXPECT_TRUE(read({"solver={type: mlem}"}).suspicions.empty());
  EXPECT_TRUE(read({"problem.sinogram.flat=none"}).suspicions.empty());
  write_npz(folder / "s.npz", {{"scan", {views, detectors}, std::span<const double>(counts)}});
  expect_suspicion("flat_fields", {"problem.sinogram=" + file("s.npz")});
  if (can_use_tiff()) {
    write_tiff<double>(folder / "s.tif", counts, 1, views, detectors);
    expect_suspicion("flat_fields", {"problem.sinogram=" + file("s.tif")});
  }
}

#if defined(TOMOKKOS_TEST_HDF5)
TEST_F(SuspiciousInput, raw_counts_and_angles_without_a_unit_in_scan_files_are_reported) {
  std::vector<double> theta(views), counts(values.size());
  for (std::size_t i = 0; i < views; ++i)
    theta[i] = std::numbers::pi * static_cast<double>(i) / static_cast<double>(views);
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = 20000 * std::exp(-values[i]);
  const auto write_scan = [&](hid_t type, const char* units) {
    ScanWriter scan(folder / "s.h5");
    scan.put("data", {views, 1, detectors}, counts, type);
    if (units == nullptr) return;
    scan.put("theta", {views}, theta, H5T_IEEE_F64LE);
    if (*units != '\0') scan.put_units("theta", units, false);
  };
  const std::string scan = "problem.sinogram={file: " + file("s.h5");
  write_scan(H5T_STD_U16LE, nullptr);
  expect_suspicion("flat_fields", {scan + "}"});
  EXPECT_TRUE(read({scan + "}", "solver={type: mlem}"}).suspicions.empty());
  EXPECT_TRUE(read({scan + ", flat: none}"}).suspicions.empty());
  write_scan(H5T_IEEE_F32LE, nullptr);
  expect_suspicion("flat_fields", {scan + "}"});
  // Whole numbers may be line integrals.
  for (std::size_t i = 0; i < counts.size(); ++i) counts[i] = std::round(100 * values[i]);
  write_scan(H5T_STD_U16LE, nullptr);
  EXPECT_TRUE(read({scan + "}"}).suspicions.empty());
  counts = values;

  const std::string angles = "problem.geometry={type: parallel_beam}";
  write_scan(H5T_IEEE_F32LE, "");
  expect_suspicion("theta", {scan + "}", angles});
  EXPECT_DOUBLE_EQ(
      scan_of(read({scan + "}", "problem.geometry={angles: {unit: rad}}"})).views.radians(20),
      std::numbers::pi / 2);
  write_scan(H5T_IEEE_F32LE, "rad");
  EXPECT_DOUBLE_EQ(scan_of(read({scan + "}", angles})).views.radians(20), std::numbers::pi / 2);
}

TEST_F(SuspiciousInput, data_may_be_in_any_dataset_of_a_file) {
  {
    ScanWriter scan(folder / "s.h5", "/entry");
    scan.put("data", {views, detectors}, values, H5T_IEEE_F64LE);
  }
  const std::string scan = "problem.sinogram={file: " + file("s.h5") + ", dataset: ";
  EXPECT_EQ(read({scan + "/entry/data}"}).data, values);
  const std::string message = refusal({scan + "/entry/date}"});
  EXPECT_CONTAINS(message, "dataset /entry/date: is missing; the file holds /entry/data");
}

TEST_F(SuspiciousInput, a_scan_file_that_fits_its_angles_only_when_transposed_is_reported) {
  std::vector<double> theta(views), transposed(values.size());
  for (std::size_t i = 0; i < views; ++i)
    theta[i] = 180.0 * static_cast<double>(i) / static_cast<double>(views);
  for (std::size_t v = 0; v < views; ++v)
    for (std::size_t k = 0; k < detectors; ++k)
      transposed[k * views + v] = values[v * detectors + k];
  const auto write_scan = [&](bool with_field) {
    ScanWriter scan(folder / "s.h5");
    scan.put("data", {detectors, 1, views}, transposed, H5T_IEEE_F64LE);
    scan.put("theta", {views}, theta, H5T_IEEE_F64LE);
    scan.put_units("theta", "deg", false);
    if (with_field)
      scan.put("data_white", {1, 1, views}, std::vector<double>(views, 1), H5T_IEEE_F64LE);
  };
  const std::vector<std::string> settings{"problem.sinogram={file: " + file("s.h5") + "}",
                                          "problem.geometry={type: parallel_beam}"};
  write_scan(false);
  expect_suspicion("transposed", settings);
  EXPECT_CONTAINS(refusal(settings), "the list of angles in the file has 40 views");
  auto allowed = settings;
  allowed.push_back("run.allow=[transposed]");
  EXPECT_EQ(read(allowed).data, values);
  // A flat field shows which axis belongs to the detector elements.
  write_scan(true);
  EXPECT_CONTAINS(refusal(allowed), "40 angles, but the data have 30 views");
}
#endif

TEST_F(SuspiciousInput, data_may_be_images_of_a_detector) {
  if (!can_use_tiff()) GTEST_SKIP() << "built without libtiff";
  const auto expect_near = [&](const std::vector<double>& found,
                               const std::vector<double>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
      ASSERT_NEAR(found[i], expected[i], 1e-5 * (1 + std::abs(expected[i]))) << i;
  };
  // One image is a sinogram.
  write_tiff<double>(folder / "one.tif", values, 1, views, detectors);
  expect_near(read({"problem.sinogram=" + file("one.tif")}).data, values);
  // One file per view, with three detector rows. Every row has its own open beam.
  std::vector<double> beams;
  for (std::size_t row = 0; row < 3; ++row)
    for (std::size_t k = 0; k < detectors; ++k)
      beams.push_back(1000.0 * static_cast<double>(row + 1) + static_cast<double>(k));
  for (std::size_t v = 0; v < views; ++v) {
    std::vector<double> image;
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t k = 0; k < detectors; ++k)
        image.push_back(beams[row * detectors + k] *
                        std::exp(-values[v * detectors + k] * 0.01 * static_cast<double>(row + 1)));
    const std::string number = std::to_string(1000 + v);
    write_tiff<double>(folder / ("scan_" + number + ".tif"), image, 1, 3, detectors);
  }
  std::vector<double> flats = beams;
  flats.insert(flats.end(), beams.begin(), beams.end());
  write_tiff<double>(folder / "flat.tif", flats, 2, 3, detectors);
  const std::string scan = "problem.sinogram={file: \"" + (folder / "scan_*.tif").string() +
                           "\", flat: " + file("flat.tif");
  auto expected = values;
  for (double& value : expected) value *= 0.02;
  const auto second = read({scan + ", slice: 1}"}).data;
  for (std::size_t i = 0; i < second.size(); ++i) ASSERT_NEAR(second[i], expected[i], 1e-4) << i;
  const auto all = read({scan + "}", "problem.slices=all"}).data;
  ASSERT_EQ(all.size(), 3 * values.size());
  for (std::size_t i = 0; i < second.size(); ++i)
    ASSERT_NEAR(all[values.size() + i], expected[i], 1e-4) << i;
  EXPECT_CONTAINS(refusal({scan + ", slice: 3}"}), "does not contain slice 3");
}

TEST_F(SuspiciousInput, data_may_be_an_array_in_an_archive) {
  const std::span<const double> all(values);
  const std::string scan = "problem.sinogram={file: " + file("s.npz");
  write_npz(folder / "s.npz", {{"scan", {views, detectors}, all}});
  EXPECT_EQ(read({scan + "}"}).data, values);
  // The archive now holds several detector rows and a second array.
  std::vector<double> stack;
  for (std::size_t v = 0; v < views; ++v)
    for (const double factor : {1.0, 2.0})
      for (std::size_t k = 0; k < detectors; ++k)
        stack.push_back(factor * values[v * detectors + k]);
  write_npz(folder / "s.npz", {{"scan", {views, 2, detectors}, std::span<const double>(stack)},
                               {"dark", {detectors}, all.first(detectors)}});
  EXPECT_EQ(read({scan + ", dataset: scan}"}).data, values);
  const auto second = read({scan + ", dataset: scan, slice: 1}"}).data;
  EXPECT_EQ(second[5], 2 * values[5]);
  const auto both = read({scan + ", dataset: scan}", "problem.slices=all"}).data;
  EXPECT_EQ(std::vector<double>(both.begin(), both.begin() + values.size()), values);
  EXPECT_EQ(std::vector<double>(both.begin() + values.size(), both.end()), second);
  EXPECT_CONTAINS(refusal({scan + "}"}), "choose one by problem.sinogram.dataset: scan, dark");
  EXPECT_CONTAINS(refusal({scan + ", dataset: flat}"}),
                  "does not contain the array flat; available: scan, dark");
}

}  // namespace
