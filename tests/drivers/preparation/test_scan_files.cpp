// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans of many files, and arrays whose axes have another order.
#include <gtest/gtest.h>

#include <Tomokkos_DescribeInput.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_Tiff.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <array>
#include <string>
#include <vector>

#include "ConfigTesting.hpp"
#include "FileTesting.hpp"
#include "Hdf5Testing.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Stack of 12 views x 5 rows x 17 detectors, each value another one.
class ScanFiles : public ::testing::Test {
 protected:
  static constexpr std::size_t V = 12, R = 5, D = 17;  // views, rows, detectors

  static double value(std::size_t view, std::size_t row, std::size_t k) {
    // No line integral at the ends of the detector.
    return k == 0 || k + 1 == D ? 0 : 1 + 0.5 * static_cast<double>((view * R + row) * D + k);
  }

  /// Slices \p first to first + count, as they are read.
  static std::vector<double> slices(std::size_t first, std::size_t count) {
    std::vector<double> result;
    for (std::size_t row = first; row < first + count; ++row)
      for (std::size_t view = 0; view < V; ++view)
        for (std::size_t k = 0; k < D; ++k) result.push_back(value(view, row, k));
    return result;
  }

  static std::size_t length(ScanAxis axis) {
    return axis == ScanAxis::views ? V : axis == ScanAxis::rows ? R : D;
  }

  /// The stack as an array whose axes are \p order; without rows only row 0.
  static HostArray<double> array(const AxisOrder& order) {
    HostArray<double> result;
    for (const ScanAxis axis : order) result.shape.push_back(length(axis));
    const std::size_t inner = order.size() == 3 ? result.shape[2] : 1;
    for (std::size_t i = 0; i < result.shape[0] * result.shape[1] * inner; ++i) {
      const std::array<std::size_t, 3> at{i / inner / result.shape[1], i / inner % result.shape[1],
                                          i % inner};
      const auto index = [&](ScanAxis axis) {
        const auto position = position_of(axis, order);
        return position ? at[*position] : 0;
      };
      result.data.push_back(
          value(index(ScanAxis::views), index(ScanAxis::rows), index(ScanAxis::detectors)));
    }
    return result;
  }

  RunInput read(const std::string& sinogram, std::vector<std::string> settings = {}) const {
    ConfigNode root = parse(
        "problem: {type: tomography, volume: {size: [16, 16]}, geometry: {views: 12}, "
        "sinogram: {file: " +
            sinogram + "}}\nsolver: {type: sirt}\n",
        folder.path().string());
    for (const std::string& setting : settings) apply_setting(root, setting);
    config = read_run_config(root, ConfigUse::run, "f");
    return read_input(config);
  }

  template <class Error = InputError>
  std::string refusal(const std::string& sinogram, std::vector<std::string> settings = {}) const {
    return message_of<Error>([&] { read(sinogram, settings); });
  }

  void expect_suspicion(const std::string& sinogram, const std::string& part,
                        std::vector<std::string> settings) const {
    const std::string message = refusal(sinogram, settings);
    EXPECT_CONTAINS(message, part);
    EXPECT_CONTAINS(message, "run.allow: [files]");
    settings.emplace_back("run.allow=[files]");
    EXPECT_EQ(read(sinogram, settings).suspicions.size(), 1u);
  }

  void write_image(const std::string& name, std::size_t view) const {
    std::vector<double> image;
    for (std::size_t row = 0; row < R; ++row)
      for (std::size_t k = 0; k < D; ++k) image.push_back(value(view, row, k));
    write_tiff<double>(folder / name, image, 1, R, D);
  }

  const TemporaryFolder folder;
  mutable RunConfig config;
};

TEST_F(ScanFiles, numbers_without_zeros_give_the_views_in_order) {
  if (!can_use_tiff()) GTEST_SKIP() << "built without libtiff";
  for (std::size_t view = 0; view < V; ++view)
    write_image("scan_" + std::to_string(view + 1) + ".tif", view);
  const RunInput input = read("scan_*.tif, slice: 1");
  EXPECT_EQ(input.data, slices(1, 1));
  EXPECT_EQ(describe_scan(input).at(1), "files: 12, scan_1.tif to scan_12.tif, step 1");
  EXPECT_EQ(read("scan_*.tif", {"problem.slices=all"}).data, slices(0, R));
  // A file of the same name pattern that does not belong to the scan.
  write_image("scan_180deg.tif", 0);
  expect_suspicion("scan_*.tif", "scan_180deg.tif", {"problem.geometry.views=13"});
  std::filesystem::remove(folder / "scan_180deg.tif");
  std::filesystem::remove(folder / "scan_7.tif");
  expect_suspicion("scan_*.tif", "scan_8.tif follows scan_6.tif", {"problem.geometry.views=11"});
  EXPECT_CONTAINS(refusal<DimensionMismatch>("scan_*.tif"), "scan_8.tif follows scan_6.tif");
  // A gap may be the reason of other refusals.
  for (const std::string& message : {refusal("scan_*.tif, slice: 9", {"problem.geometry.views=11"}),
                                     refusal<ConfigError>("scan_*.tif, order: [views, detectors]")})
    EXPECT_CONTAINS(message, "; the numbers in the names have an irregular step: scan_8.tif");
  // A gap in the numbers of fields means nothing, but mixed types do.
  const std::vector<double> beam(R * D, 1e4);
  for (const char* name : {"flat_1.tif", "flat_2.tif", "flat_3.tif", "flat_9.tif"})
    write_tiff<double>(folder / name, beam, 1, R, D);
  write_image("scan_7.tif", 6);
  const std::string with_flat = "scan_*.tif, flat: flat_*.tif, negative: clamp";
  EXPECT_TRUE(read(with_flat).suspicions.empty());
  write_tiff_16<double>(folder / "flat_9.tif", beam, 1, R, D, {0, 65535});
  EXPECT_CONTAINS(refusal(with_flat), "problem.sinogram.flat: " + (folder / "flat_9.tif").string() +
                                          " holds uint16, but ");
}

TEST_F(ScanFiles, named_axes_are_read_from_every_format) {
  using enum ScanAxis;
  for (const AxisOrder& order : {AxisOrder{views, rows, detectors},
                                 {views, detectors, rows},
                                 {rows, views, detectors},
                                 {rows, detectors, views},
                                 {detectors, views, rows},
                                 {detectors, rows, views}}) {
    const HostArray<double> stored = array(order);
    write_npy<double>(folder / "s.npy", stored.data, stored.shape);
    write_npz(folder / "s.npz", {{"scan", stored.shape, std::span<const double>(stored.data)}});
    std::vector<std::string> files{"s.npy", "s.npz"};
    if (can_use_tiff()) {
      write_tiff<double>(folder / "s.tif", stored.data, stored.shape[0], stored.shape[1],
                         stored.shape[2]);
      files.emplace_back("s.tif");
    }
#if defined(TOMOKKOS_TEST_HDF5)
    {
      ScanWriter scan(folder / "s.h5");
      scan.put("data", {stored.shape[0], stored.shape[1], stored.shape[2]}, stored.data,
               H5T_IEEE_F64LE);
    }
    files.emplace_back("s.h5");
#endif
    for (const char* extension : {"NPY", "NPZ"}) {
      const std::string name = std::string("s.") + (extension[2] == 'Y' ? "npy" : "npz");
      std::filesystem::copy_file(folder / name, folder / (std::string("S.") + extension),
                                 std::filesystem::copy_options::overwrite_existing);
      files.push_back(std::string("S.") + extension);
    }
    for (const std::string& file : files) {
      const std::string scan = file + ", order: " + axis_names(order);
      EXPECT_EQ(read(scan, {"problem.slices=all"}).data, slices(0, R)) << scan;
      EXPECT_EQ(read(scan, {"problem.slices=[1, 3]"}).data, slices(1, 3)) << scan;
      EXPECT_EQ(read(scan + ", slice: 4").data, slices(4, 1)) << scan;
      EXPECT_CONTAINS(to_yaml(to_node(config)), "order: " + axis_names(order));
      EXPECT_CONTAINS(refusal(scan + ", slice: 5"), file);
    }
  }
  for (const AxisOrder& order : {AxisOrder{views, detectors}, AxisOrder{detectors, views}}) {
    const HostArray<double> stored = array(order);
    write_npy<double>(folder / "s.npy", stored.data, stored.shape);
    EXPECT_EQ(read("s.npy, order: " + axis_names(order)).data, slices(0, 1));
    EXPECT_CONTAINS(refusal<ConfigError>("s.npy, order: [views, rows, detectors]"),
                    "problem.sinogram.order: names 3 axes, but ");
  }
  for (const char* order : {"[views, rows]", "[views, views, detectors]", "[views]", "[]"})
    EXPECT_CONTAINS(refusal<ConfigError>(std::string("s.npy, order: ") + order),
                    "problem.sinogram.order: expected views, rows and detectors")
        << order;
}

#if defined(TOMOKKOS_TEST_HDF5)
TEST_F(ScanFiles, parts_of_a_scan_file_that_are_replaced_may_hold_anything) {
  using enum ScanAxis;
  {
    ScanWriter scan(folder / "s.h5");
    scan.put("data", {V, R, D}, array({views, rows, detectors}).data, H5T_IEEE_F64LE);
    for (const char* part : {"data_white", "data_dark", "theta"})
      scan.put(part, {5}, {0, 1, 2, 3, 4});
    scan.put_units("theta", "mrad", false);
  }
  write_npy<double>(folder / "f.npy", std::vector<double>(D, 1e4), {D});
  write_npy<double>(folder / "d.npy", std::vector<double>(D, 0), {D});
  const std::string own = "problem.geometry={}", range = "problem.geometry={range: 180 deg}";
  for (const std::string slices_of : {"run.seed=1", "problem.slices=all"}) {
    EXPECT_CONTAINS(refusal("s.h5", {range, slices_of}), "data_white");
    EXPECT_CONTAINS(refusal("s.h5, flat: f.npy", {range, slices_of}), "data_dark");
    EXPECT_CONTAINS(refusal("s.h5, flat: none", {own, slices_of}), "lists 5 angles");
    read("s.h5, flat: f.npy, dark: d.npy, negative: clamp", {range, slices_of});
    EXPECT_EQ(read("s.h5, flat: none", {range, slices_of}).data,
              slices(0, slices_of == "run.seed=1" ? 1 : R));
  }
}
#endif

TEST_F(ScanFiles, a_refused_shape_comes_with_the_order_that_fits) {
  using enum ScanAxis;
  const auto write = [&](const AxisOrder& order) {
    const HostArray<double> stored = array(order);
    write_npy<double>(folder / "s.npy", stored.data, stored.shape);
  };
  write({rows, views, detectors});
  const std::string order = "set problem.sinogram.order: [rows, views, detectors]";
  for (const char* setting : {"problem.slices=all", "problem.slices=[0, 9]", "run.seed=1"}) {
    const std::string message = refusal<DimensionMismatch>("s.npy", {setting});
    EXPECT_CONTAINS(message,
                    "the sinogram is 5 views x 17 detectors, but problem.geometry has 12 x "
                    "17; the second axis has the 12 views: " +
                        order);
  }
  // The elements of the detector decide which of two axes are the rows.
  EXPECT_CONTAINS(refusal<DimensionMismatch>("s.npy", {"problem.geometry.detectors=5"}),
                  "order: [detectors, views, rows]");
  EXPECT_EQ(refusal<DimensionMismatch>("s.npy", {"problem.geometry.views=13"}).find("order"),
            std::string::npos);
  // Exchanged axes are a suspicion, because a run may exchange them.
  write({detectors, rows, views});
  EXPECT_CONTAINS(refusal("s.npy"), "order: [detectors, rows, views]");
  EXPECT_EQ(read("s.npy", {"problem.slices=all", "run.allow=[transposed]"}).data, slices(0, R));
  // A stated order is never exchanged.
  EXPECT_CONTAINS(refusal<DimensionMismatch>("s.npy, order: [views, rows, detectors]"),
                  "order: [rows, detectors, views]");
}

}  // namespace
