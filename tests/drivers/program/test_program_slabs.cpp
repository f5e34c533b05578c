// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Volumes that are reconstructed slab by slab, in the whole program.
#include <Kokkos_Macros.hpp>
#include <Tomokkos_Hdf5Array.hpp>
#include <Tomokkos_Hdf5Scan.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Tiff.hpp>
#include <cmath>
#include <csignal>
#include <limits>

#include "Hdf5Testing.hpp"
#include "program/CheckpointTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

constexpr std::size_t views = 18, slices = 11, detectors = 32;

/// Line integrals of `slices` slices, whose noise grows with the slice.
std::vector<float> volume_data() {
  std::vector<float> scan(views * slices * detectors);
  for (std::size_t i = 0; i < scan.size(); ++i) {
    const std::size_t slice = i / detectors % slices, k = i % detectors;
    const double t = (static_cast<double>(k) - 15.5) / 12;
    const double chord = std::abs(t) < 1 ? 20 * std::sqrt(1 - t * t) : 0;
    scan[i] = static_cast<float>(chord + 0.02 * static_cast<double>(slice + 1) *
                                             static_cast<double>((i * 7919) % 100));
  }
  return scan;
}

/// Folder with a scan of `slices` slices and its configuration.
class VolumeFolder : public RunFolder {
 public:
  explicit VolumeFolder(const std::vector<float>& scan = volume_data()) {
    write_npy<float>(*this / "scan.npy", scan, {views, slices, detectors});
    write_bytes(*this / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  sinogram: {file: scan.npy}
  slices: all
solver: {type: sirt, iterations: 6}
output: {image: [npy, tiff)") + (can_write_hdf5() ? ", hdf5" : "") +
                                      "]}\nrun: {threads: 1}\n");
  }
  /// Names of the files of a volume.
  std::vector<std::string> images() const {
    std::vector<std::string> names{"/reconstruction.npy", "/reconstruction.tif"};
    if (can_write_hdf5()) names.emplace_back("/reconstruction.h5");
    return names;
  }
  std::vector<double> image(const std::string& output) const {
    return read_npy<double>(*this / (output + "/reconstruction.npy")).data;
  }
  std::string bytes(const std::string& file) const { return read_bytes(*this / file); }
};

TEST(ProgramSlabs, have_the_bits_of_one_stack) {
  const VolumeFolder folder;
  const std::vector<std::vector<std::string>> runs{
      {"run.scalar=double", "operator.format=computed",
       "solver={type: sirt, iterations: 30, stop: {discrepancy: {sigma: 1.5}}}"},
      {"solver={type: cgls, iterations: 6}", "operator.ordering=tiles"},
      {"solver={type: mlem, iterations: 4, start: fbp}"},
      {"solver={type: fbp, filter: hann}"},
      {"solver={type: os_sart, iterations: 2, subsets: 3, start: ones}"}};
  for (const auto& settings : runs) {
    SCOPED_TRACE(settings.front());
    run_well(folder, "stack", with(settings, "problem.slab=11"));
    for (const int slab : {1, 3, 5, 8}) {
      if (slab < 5 && &settings != &runs.front()) continue;
      run_well(folder, "slabs", with(settings, "problem.slab=" + std::to_string(slab)));
      EXPECT_EQ(folder.image("slabs"), folder.image("stack")) << slab;
      EXPECT_EQ(read_tiff_range({folder / "slabs/reconstruction.tif"}, 1, 0, 24),
                read_tiff_range({folder / "stack/reconstruction.tif"}, 1, 0, 24));
      if (can_write_hdf5()) {
        for (const char* output : {"stack", "slabs"})
          EXPECT_EQ(
              read_hdf5_scan_rows<double>(folder / (std::string(output) + "/reconstruction.h5"), 0,
                                          24, {}, {"/image"})
                  .data,
              folder.image("stack"));
      }
      for (const char* key : {"result", "slices", "history"})
        EXPECT_EQ(reported(folder, "slabs", key), reported(folder, "stack", key))
            << key << " " << slab;
      EXPECT_FALSE(folder.has("slabs/checkpoint.npz"));
      EXPECT_FALSE(folder.has("slabs/reconstruction.npy.partial"));
    }
  }
}

TEST(ProgramSlabs, read_every_kind_of_file) {
  const std::vector<float> scan = volume_data();
  const VolumeFolder folder(scan);
  run_well(folder, "npy", {"problem.slab=4"});
  if (can_use_tiff()) {
    // One image of rows x detectors for each view.
    write_tiff<float>(folder / "scan.tif", scan, views, slices, detectors);
    run_well(folder, "tiff", {"problem.slab=4", "problem.sinogram.file=" + (folder / "scan.tif")});
    EXPECT_EQ(folder.image("tiff"), folder.image("npy"));
  }
#if defined(TOMOKKOS_TEST_HDF5)
  ScanWriter(folder / "scan.h5")
      .put("data", {views, slices, detectors}, std::vector<double>(scan.begin(), scan.end()));
  run_well(folder, "hdf5",
           {"problem.slab=4", "problem.geometry={views: 18}",
            "problem.sinogram.file=" + (folder / "scan.h5")});
  EXPECT_EQ(folder.image("hdf5"), folder.image("npy"));
#endif
  // A part of the file.
  run_well(folder, "part", {"problem.slab=2", "problem.slices=[3, 5]"});
  const std::vector<double> all = folder.image("npy"), part = folder.image("part");
  EXPECT_EQ(part, std::vector<double>(all.begin() + 3 * 480, all.begin() + 8 * 480));
}

TEST(ProgramSlabs, continue_after_an_interruption) {
  const VolumeFolder folder;
  const std::vector<std::string> settings{"solver={type: sirt, iterations: 1000, check_every: 10}",
                                          "problem.slab=3"};
  run_well(folder, "all", settings);
  for (const int signal : {SIGINT, SIGKILL}) {
    ProgramOptions options;
    options.interrupt_when = [&] { return folder.has("part/checkpoint.npz"); };
    options.interrupt_signal = signal;
    std::filesystem::remove_all(folder / "part");
    const ProgramResult first = run_program(run_of(folder, "part", settings), options);
    ASSERT_EQ(first.status, signal == SIGKILL ? 128 + SIGKILL : 130) << first.error;
    for (const std::string& file : folder.images()) {
      EXPECT_FALSE(folder.has("part" + file));
      EXPECT_TRUE(folder.has("part" + file + ".partial"));
    }
    if (signal == SIGINT) {
      EXPECT_CONTAINS(first.out, "of 11 slices are complete; --resume continues with slice ");
      EXPECT_EQ(first.error.find("results of earlier runs"), std::string::npos) << first.error;
      EXPECT_EQ(reported(folder, "part", "data.slices"), "11");
      EXPECT_NE(reported(folder, "part", "data.complete_slices"), "11");
    }
    // The slices are not overwritten by mistake, nor continued by another run.
    expect_failure(run_of(folder, "part", settings),
                   {"of 11 slices of an earlier run; give --resume"});
    for (const auto& [change, message] : std::vector<std::pair<std::string, std::string>>{
             {"solver.relaxation=0.5", "solver.relaxation was"},
             {"solver.iterations=1010", "have 1000 iterations"},
             {"problem.slab=11", "solved its slices slab by slab"}}) {
      auto other = run_of(folder, "part", with(settings, change));
      other.push_back("--resume");
      expect_failure(other, {message});
    }
    auto resume = run_of(folder, "part", with(settings, "problem.slab=4"));
    resume.push_back("--resume");
    const ProgramResult second = run_well(resume);
    EXPECT_CONTAINS(second.out, "resumed at slice ");
    EXPECT_CONTAINS(second.out, "sirt slices 11/11");
    for (const std::string& file : folder.images())
      EXPECT_EQ(folder.bytes("part" + file), folder.bytes("all" + file));
    for (const char* key : {"result", "slices", "history", "data.values"})
      EXPECT_EQ(reported(folder, "part", key), reported(folder, "all", key));
    EXPECT_FALSE(folder.has("part/checkpoint.npz"));
  }
}

TEST(ProgramSlabs, a_bad_slice_ends_the_run_and_leaves_the_slices_before_it) {
  std::vector<float> scan = volume_data();
  const VolumeFolder folder(scan);
  run_well(folder, "all", {"problem.slab=3"});
  for (const float bad : {std::numeric_limits<float>::infinity(), NAN}) {
    std::vector<float> damaged = scan;
    for (std::size_t view = 0; view < views; ++view)
      for (std::size_t k = 0; k < detectors; ++k)
        damaged[(view * slices + 7) * detectors + k] = bad;
    write_npy<float>(folder / "scan.npy", damaged, {views, slices, detectors});
    std::filesystem::remove_all(folder / "part");
    // The matrix needs the middle slice alone.
    run_well({"info", folder / "c.yaml", "--set", "problem.slab=3"});
    expect_failure(run_of(folder, "part", {"problem.slab=3"}),
                   {std::isnan(bad) ? "no ray of slice 7 of 11" : "scan.npy: value 0", "slice 7",
                    "slices 0 to 5 of 11 are complete", "--resume continues with slice 6"});
    EXPECT_FALSE(folder.has("part/reconstruction.npy"));
    write_npy<float>(folder / "scan.npy", scan, {views, slices, detectors});
    auto resume = run_of(folder, "part", {"problem.slab=3"});
    resume.push_back("--resume");
    run_well(resume);
    EXPECT_EQ(folder.bytes("part/reconstruction.npy"), folder.bytes("all/reconstruction.npy"));
  }
  // Data that a slab cannot use, after slabs that are complete.
  std::vector<float> negative = scan;
  negative[9 * detectors + 4] = -1;
  write_npy<float>(folder / "scan.npy", negative, {views, slices, detectors});
  expect_failure(run_of(folder, "mlem", {"problem.slab=3", "solver={type: mlem, iterations: 2}"}),
                 {"at row 4 of slice 9", "slices 0 to 8 of 11 are complete"});
}

// A volume of two scans, or with slices that somebody has changed, would look like any other.
TEST(ProgramSlabs, are_not_continued_if_slices_that_are_complete_have_changed) {
  const std::vector<float> scan = volume_data();
  const auto changed = [&](std::vector<std::size_t> changes, float value) {
    std::vector<float> result = scan;
    for (const std::size_t slice : changes) result[slice * detectors + 11] += value;
    return result;
  };
  const VolumeFolder folder(changed({7}, std::numeric_limits<float>::infinity()));
  const auto write_scan = [&](const std::vector<float>& values) {
    write_npy<float>(folder / "scan.npy", values, {views, slices, detectors});
  };
  expect_failure(run_of(folder, "out", {"problem.slab=3"}), {});
  write_scan(scan);
  std::vector<std::string> files{"out/checkpoint.npz"};
  for (const std::string& image : folder.images()) files.push_back("out" + image + ".partial");
  auto resume = run_of(folder, "out", {"problem.slab=4"});
  resume.push_back("--resume");
  const auto refused = [&](const std::string& message) {
    std::vector<std::string> before, after;
    for (const std::string& file : files) before.push_back(folder.bytes(file));
    const ProgramResult result = run_program(resume);
    for (const std::string& file : files) after.push_back(folder.bytes(file));
    EXPECT_EQ(result.status, 2);
    EXPECT_CONTAINS(result.error, message);
    EXPECT_EQ(result.error.find("--resume continues"), std::string::npos) << result.error;
    EXPECT_EQ(before, after);
  };
  const std::string pixels = folder.bytes("out/reconstruction.npy.partial").substr(128);
  for (const std::string& image : folder.images()) {
    const std::string name = "out" + image + ".partial", whole = folder.bytes(name);
    std::string bytes = whole;
    for (const std::size_t slice : {1, 4})
      bytes[bytes.find(pixels.substr((slice * 480 + 210) * sizeof(float), 40))] ^= 1;
    write_bytes(folder / name, bytes);
    refused(image.substr(1) + ".partial: slices 1, 4 are not as the earlier run has written");
    write_bytes(folder / name, whole);
  }
  write_scan(changed({2, 3}, 0.5F));
  refused("the data of slices 2, 3 have changed since the earlier run has read them");
  std::filesystem::rename(folder / files[1], folder / "moved");
  write_bytes(folder / files[1], "");
  refused("not a file of 11 slices");
  std::filesystem::remove(folder / files[1]);
  const ProgramResult missing =
      expect_failure(resume, {"No such file or directory; run without --resume to start again"});
  EXPECT_EQ(missing.error.find("--resume continues"), std::string::npos) << missing.error;
  std::filesystem::rename(folder / "moved", folder / files[1]);
  // Slices that are not complete may have been repaired.
  write_scan(changed({9}, 0.5F));
  run_well(resume);
  run_well(folder, "all");
  EXPECT_EQ(folder.bytes("out/reconstruction.npy"), folder.bytes("all/reconstruction.npy"));
}

TEST(ProgramSlabs, a_full_disk_ends_the_run_and_leaves_the_slices_before_it) {
  const VolumeFolder folder;
  const std::vector<std::string> settings{"problem.slab=3", "output.image=[npy]"};
  run_well(folder, "all", settings);
  // Room for the header and eight slices.
  const ProgramOptions options = limited(RLIMIT_FSIZE, 128 + 8 * 480 * sizeof(float));
  expect_failure(
      run_of(folder, "part", settings),
      {"reconstruction.npy': writing failed: File too large", "slices 0 to 5 of 11 are complete"},
      1, options);
  EXPECT_FALSE(folder.has("part/reconstruction.npy"));
  auto resume = run_of(folder, "part", settings);
  resume.push_back("--resume");
  run_well(resume);
  EXPECT_EQ(folder.bytes("part/reconstruction.npy"), folder.bytes("all/reconstruction.npy"));
}

// The checkpoint of an earlier run must not count slices of the run that replaced it.
TEST(ProgramSlabs, a_new_run_removes_the_checkpoint_of_an_earlier_one) {
  const VolumeFolder folder;
  const std::vector<std::string> settings{"problem.slab=3", "output.image=[npy]"};
  const auto run_in = [&](std::size_t slices_on_disk, const char* option) {
    const ProgramOptions options =
        limited(RLIMIT_FSIZE, 128 + slices_on_disk * 480 * sizeof(float));
    auto arguments = run_of(folder, "out", settings);
    if (option != nullptr) arguments.emplace_back(option);
    return run_program(arguments, options);
  };
  EXPECT_EQ(run_in(8, nullptr).status, 1);
  EXPECT_TRUE(folder.has("out/checkpoint.npz"));
  const ProgramResult second = run_in(2, "--overwrite");
  EXPECT_EQ(second.status, 1);
  EXPECT_CONTAINS(second.error, "reconstruction.npy': writing failed");
  for (const char* file : {"checkpoint.npz", "reconstruction.npy.partial", "reconstruction.npy"})
    EXPECT_FALSE(folder.has("out/" + std::string(file))) << file;
}

// A value that is missing in one slice belongs to this slice alone.
TEST(ProgramSlabs, leave_out_missing_values) {
  std::vector<float> scan = volume_data();
  scan[(2 * slices + 6) * detectors + 9] = NAN;
  const VolumeFolder folder(scan);
  run_well(folder, "stack");
  run_well(folder, "slabs", {"problem.slab=4"});
  EXPECT_EQ(folder.image("slabs"), folder.image("stack"));
  EXPECT_EQ(reported(folder, "slabs", "data.missing.values_left_out"), "1");
  // Filters interpolate it, also in a later slab.
  for (const std::string solver : {"{type: fbp}", "{type: sirt, iterations: 2, start: fbp}"}) {
    SCOPED_TRACE(solver);
    const std::string setting = "solver=" + solver;
    run_well(folder, "whole", {setting});
    const ProgramResult filtered = run_well(folder, "slabs", {"problem.slab=4", setting});
    EXPECT_CONTAINS(filtered.out + filtered.error, "fbp: 1 of ");
    EXPECT_EQ(folder.image("slabs"), folder.image("whole"));
    std::filesystem::remove_all(folder / "whole");
    std::filesystem::remove_all(folder / "slabs");
  }
}

TEST(ProgramSlabs, images_that_explain_little_are_named) {
  std::vector<float> scan = volume_data();
  for (std::size_t i = 0; i < scan.size(); ++i) {
    const std::size_t slice = i / detectors % slices, k = i % detectors;
    if (slice != 4 && slice != 9) continue;
    const bool is_inner = k >= 10 && k < 22;
    scan[i] = is_inner ? (i % 2 == 0 ? 5.0F : -5.0F) : 0.0F;
  }
  const VolumeFolder folder(scan);
  for (const char* slab : {"problem.slab=3", "problem.slab=11"}) {
    const ProgramResult result = run_program(run_of(folder, slab, {slab}));
    EXPECT_EQ(result.status, 0) << result.error;
    EXPECT_CONTAINS(result.error,
                    "tomokkos: warning: the images of 2 slices (4, 9) explain less than half of "
                    "the data (relative residual up to ");
    EXPECT_CONTAINS(entry(folder / (slab + std::string("/report.yaml")), "warnings"), "(4, 9)");
  }
}

// A suspicion that appears in a later slab is an error or a warning, as in a stack.
TEST(ProgramSlabs, suspect_the_data_of_every_slab) {
  std::vector<float> scan = volume_data();
  for (std::size_t i = 0; i < scan.size(); ++i)
    if (i / detectors % slices == 9 && i % detectors < 20) scan[i] = NAN;
  const VolumeFolder folder(scan);
  expect_failure(run_of(folder, "refused", {"problem.slab=3"}),
                 {"have no measurement", "slices 0 to 8 of 11 are complete"});
  const ProgramResult warned =
      run_program(run_of(folder, "warned", {"problem.slab=3", "run.on_suspicion=warn"}));
  EXPECT_EQ(warned.status, 0);
  EXPECT_CONTAINS(warned.error, "have no measurement");
  EXPECT_CONTAINS(folder.bytes("warned/report.yaml"), "have no measurement");
}

TEST(ProgramSlabs, have_the_terms_and_lists_of_a_stack) {
  const VolumeFolder folder;
  std::vector<float> factors(views * detectors, 0.9F), mask(24 * 20, 1), rays(views * detectors, 1);
  for (std::size_t i = 0; i < 40; ++i) mask[i * 11] = 0, rays[i * 13] = 0;
  write_npy<float>(folder / "factors.npy", factors, {views, detectors});
  write_npy<float>(folder / "mask.npy", mask, {24, 20});
  write_npy<float>(folder / "rays.npy", rays, {views, detectors});
  const std::vector<std::string> settings{
      "problem.mask=" + (folder / "mask.npy"), "problem.ray_mask=" + (folder / "rays.npy"),
      "problem.geometry={rotation_center: auto}",
      "solver={type: mlem, iterations: 3, start: uniform, background: 0.1, multiplicative: " +
          (folder / "factors.npy") + "}"};
  run_well(folder, "stack", settings);
  run_well(folder, "slabs", with(settings, "problem.slab=4"));
  EXPECT_EQ(folder.image("slabs"), folder.image("stack"));
  const std::vector<std::string> lists{
      "solver={type: sirt, iterations: 20, stop: {discrepancy: {sigma: "
      "[1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2]}}}"};
  run_well(folder, "stack", lists);
  run_well(folder, "slabs", with(lists, "problem.slab=4"));
  EXPECT_EQ(folder.image("slabs"), folder.image("stack"));
  EXPECT_EQ(reported(folder, "slabs", "slices"), reported(folder, "stack", "slices"));
}

TEST(ProgramSlabs, refuse_what_needs_all_slices) {
  const VolumeFolder folder;
  write_npy<float>(folder / "start.npy", std::vector<float>(2 * 480, 1), {2, 24, 20});
  for (const auto& [setting, message] : std::vector<std::pair<std::string, std::string>>{
           {"output.every=2", "output.every: images of all slices do not exist"},
           {"output.image=[tiff16]", "output.image: tiff16 needs the range of all slices"},
           {"problem.slab=0", "problem.slab"},
           {"problem.slab=few", "expected auto or a number of slices"},
           {"problem.slices=[8, 9]", "but the number of slices in "},
           {"solver.start=" + (folder / "start.npy"),
            "is 2 x 24 x 20; expected (row, column) = 24 x 20"},
           {"solver.stop={discrepancy: {sigma: [1, 2]}}",
            "lists 2 slices, but the data have 11"}}) {
    refusal(folder, {"problem.slab=3", setting}, {message});
  }
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 18, detectors: 32}
  phantom: shepp_logan
  slab: 3
solver: {type: sirt, iterations: 5}
)"));
  EXPECT_CONTAINS(run_program(run_of(folder, "refused")).error, "c.yaml:6");
}

// The address sanitizer and the CUDA runtime need more memory than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
// The number of slices follows from the memory: fewer fit into less.
TEST(ProgramSlabs, fit_into_the_memory) {
  const RunFolder folder;
  constexpr std::size_t few = 4, rows = 40, wide = 20000;
  write_npy<float>(folder / "scan.npy", std::vector<float>(few * rows * wide, 1),
                   {few, rows, wide});
  write_bytes(folder / "c.yaml", std::string(R"(problem:
  type: tomography
  volume: {size: [24, 24]}
  geometry: {detector_width: 0.002}
  sinogram: {file: scan.npy}
  slices: all
solver: {type: sirt, iterations: 1}
output: {image: [npy]}
run: {threads: 1}
)"));
  const auto slab = [&](const std::string& limit) {
    const ProgramResult result = run_program(run_of(folder, "out", {"run.memory_limit=" + limit}));
    if (result.status != 0) return std::string(result.error);
    return reported(folder, "out", "data.slab");
  };
  EXPECT_EQ(slab("none"), "32");
  const std::string less = slab("110 MB");
  EXPECT_GE(std::stoi(less), 3) << less;
  EXPECT_LT(std::stoi(less), 32) << less;
  EXPECT_EQ(reported(folder, "out", "data.complete_slices"), "40");
  EXPECT_LT(number(folder, "out", "peak_memory.host_bytes"), 110e6);
  EXPECT_CONTAINS(slab("60 MB"), "memory");
}
#endif

}  // namespace
