// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Scans in HDF5 files, their fields, and what info says about files of scans.
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_NpzArchive.hpp>
#include <Tomokkos_Tiff.hpp>
#include <cmath>
#include <span>

#include "Hdf5Testing.hpp"
#include "NeedsHdf5.hpp"
#include "TestData.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

#if defined(TOMOKKOS_TEST_HDF5)
TEST(MeasuredSinogram, a_dark_field_without_flat_fields_is_refused) {
  const RunFolder folder;
  const hid_t file =
      H5Fcreate((folder / "scan.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  const hid_t group = H5Gcreate2(file, "/exchange", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  const hsize_t shape[3] = {3, 1, 8};
  const std::vector<float> values(24, 0.5F);
  const hid_t space = H5Screate_simple(3, shape, nullptr);
  const hid_t data =
      H5Dcreate2(group, "data", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  H5Dwrite(data, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
  H5Dclose(data);
  H5Sclose(space);
  H5Gclose(group);
  H5Fclose(file);
  write_npy<float>(folder / "field.npy", std::vector<float>(8, 0.0F), {8});
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, volume: {size: [4, 4]}, geometry: {views: 3}, sinogram: "
              "{file: scan.h5}}\nsolver: {type: sirt, iterations: 1}\n");
  run_well(folder, "out");
  refusal(folder, {"problem.sinogram.dark=" + folder / "field.npy"},
          {"problem.sinogram.dark: has no effect without flat fields"});
  // The message names its key only once.
  const std::string error =
      run_program(run_of(folder, "bad", {"problem.geometry={angles: auto}"})).error;
  EXPECT_CONTAINS(error,
                  "problem.geometry.angles: the HDF5 file has no angles for /exchange/data (looked "
                  "for theta in /exchange; rotation_angle in /exchange");
  EXPECT_EQ(error.find("problem.geometry: "), std::string::npos) << error;
}
#endif

#if defined(TOMOKKOS_TEST_HDF5)
/// Writes an NXtomo scan of 3 views, and fields among them: frames of 2 rows of 8 elements.
void write_nexus_scan(const std::filesystem::path& path) {
  Hdf5Writer file(path);
  std::vector<double> frames;
  for (const double value : {1000.0, 0.0, 500.0, 250.0, 125.0, 2000.0, 77.0})
    frames.insert(frames.end(), 16, value);
  const std::string detector = "/entry/instrument/detector/";
  file.put((detector + "data").c_str(), {7, 2, 8}, frames, H5T_STD_U16LE);
  file.put((detector + "image_key").c_str(), {7}, {1, 2, 0, 0, 0, 1, 3}, H5T_STD_I64LE);
  file.put("/entry/sample/rotation_angle", {7}, {0, 0, 0, 60, 120, 0, 0}, H5T_IEEE_F64LE);
  file.put_attribute("/entry/sample/rotation_angle", "units", "degrees");
  file.soft_link("/entry/data/data", (detector + "data").c_str());
}

TEST(MeasuredSinogram, an_nxtomo_scan_is_read_whatever_the_name_of_its_file) {
  const RunFolder folder;
  write_nexus_scan(folder / "scan.dat");
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, volume: {size: [4, 4]}, geometry: {type: "
              "parallel_beam}, sinogram: {file: scan.dat, dataset: /entry/data/data, slice: 1}}\n"
              "solver: {type: sirt, iterations: 1}\n");
  const ProgramResult result = run_well(folder, "out");
  EXPECT_CONTAINS(result.out,
                  "scan.dat, flat and dark fields applied (3 views, 2 flat frames, 1 dark frame, 1 "
                  "invalid frame)");
  const auto integrals = read_npy<double>(folder / "out/sinogram.npy");
  ASSERT_EQ(integrals.data.size(), 24U);
  EXPECT_NEAR(integrals.data[0], std::log(3.0), 1e-6);
  EXPECT_NEAR(integrals.data[23], std::log(12.0), 1e-6);
  // The data are found without their name, for a stack as well.
  run_well(folder, "stack",
           {"problem.sinogram={file: \"" + folder / "scan.dat" + "\"}", "problem.slices=all",
            "problem.geometry.range=180 deg"});
  EXPECT_EQ(read_npy<double>(folder / "stack/sinogram.npy").data.size(), 48U);
  // The configuration of the report can be run again.
  EXPECT_EQ(reported(folder, "out", "data.image_key"), "/entry/instrument/detector/image_key");
  run_well({"run", folder / "out/report.yaml", "--output", folder / "again"});

  const ProgramResult info = run_well({"info", folder / "scan.dat"});
  EXPECT_CONTAINS(info.out, "layout: NXtomo");
  EXPECT_CONTAINS(info.out, "flat_frames: 2");
  EXPECT_CONTAINS(info.out, "link_to: /entry/instrument/detector/data");
  EXPECT_CONTAINS(info.out, "\"@units\": degrees");
}

TEST(MeasuredSinogram, fields_may_be_in_another_hdf5_file) {
  const RunFolder folder;
  write_nexus_scan(folder / "scan.nxs");
  {
    Hdf5Writer file(folder / "fields.h5");
    std::vector<double> frames(16, 1000);
    frames.insert(frames.end(), 16, 4000);
    file.put("/beam/open", {2, 2, 8}, frames);
    file.put("/beam/closed", {2, 8}, std::vector<double>(16, 100));
  }
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, volume: {size: [4, 4]}, sinogram: {file: scan.nxs, "
              "flat: {file: fields.h5, dataset: /beam/open}, dark: {file: fields.h5, dataset: "
              "/beam/closed}}}\nsolver: {type: sirt, iterations: 1}\n");
  const auto run = [&](std::vector<std::string> settings) {
    std::vector<std::string> arguments{"run", folder / "c.yaml", "--output", folder / "out",
                                       "--overwrite"};
    for (std::string& setting : settings) {
      arguments.emplace_back("--set");
      arguments.push_back(std::move(setting));
    }
    return run_program(arguments);
  };
  const ProgramResult result = run({});
  ASSERT_EQ(result.status, 0) << result.error;
  EXPECT_NEAR(read_npy<double>(folder / "out/sinogram.npy").data[0], std::log(2400.0 / 400), 1e-6);
  EXPECT_CONTAINS(read_bytes(folder / "out/report.yaml"), "dataset: /beam/open");
  run_well({"run", folder / "out/report.yaml", "--output", folder / "again"});
  const std::string flat = "problem.sinogram.flat={file: \"" + folder / "fields.h5" + "\"";
  EXPECT_CONTAINS(run({flat + ", dataset: /beam/shut}"}).error,
                  "dataset /beam/shut: is missing; the file holds /beam/closed, /beam/open");
  EXPECT_CONTAINS(run({flat + "}"}).error, "holds several datasets");
  EXPECT_CONTAINS(run({"problem.sinogram.fields=mode"}).error, "mean, median");
}

TEST(Info, lists_what_the_program_reads_and_writes) {
  const RunFolder folder;
  write_hdf5<float>(folder / "image.h5", std::vector<float>(6, 1), {2, 3});
  const ProgramResult image = run_well({"info", folder / "image.h5"});
  EXPECT_CONTAINS(image.out, "{path: /image, shape: [2, 3], type: float32}");
  EXPECT_CONTAINS(image.out, "no NXtomo scan");
  if (can_use_tiff()) {
    for (const char* name : {"scan_1.tif", "scan_2.tif"})
      write_tiff<double>(folder / name, std::vector<double>{1, 2, 3, 4, 5, 6}, 1, 2, 3);
    const ProgramResult tiff = run_well({"info", folder / "scan_*.tif"});
    EXPECT_CONTAINS(tiff.out, "images: 2");
    EXPECT_CONTAINS(tiff.out, "max: 6");
  }
  const std::vector<double> values{1, 2, 3, 4, 5, 6};
  write_npz(folder / "scan.npz", {{"counts", {2, 3}, std::span<const double>(values)},
                                  {"flat", {3}, std::span<const double>(values).first(3)}});
  const ProgramResult archive = run_well({"info", folder / "scan.npz"});
  EXPECT_CONTAINS(archive.out, "{name: counts, shape: [2, 3], min: 1");
  expect_failure({"info", folder / "none.h5"}, {});
}
#endif

TEST(MeasuredSinogram, angles_are_read_from_the_file_of_a_scan) {
  TOMOKKOS_NEEDS_HDF5();
  const RunFolder folder(
      "problem: {type: tomography, volume: {size: [32, 32], pixel: 20}, geometry: "
      "{rotation_center: 296}, sinogram: " +
      test_data_path("tomography/tooth.h5").string() + "}\nsolver: {type: sirt, iterations: 2}\n");
  run_well(folder, "out");
  EXPECT_EQ(reported(folder, "out", "data.views"), "181");
  EXPECT_EQ(reported(folder, "out", "configuration.problem.geometry.angles"), "auto");
  // The file stays, though problem.sinogram is a text in c.yaml and not a map.
  run_well(folder, "slice", {"problem.sinogram.slice=1"});
}

}  // namespace
