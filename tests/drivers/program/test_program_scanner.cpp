// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PET scanners and csr4 files with blocks in the whole program.
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <cmath>

#include "program/ScannerProblem.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;
using namespace ScannerProblem;

TEST(ProgramScanner, a_volume_is_reconstructed) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "out");
  const auto image = read_npy<double>(folder / "out/reconstruction.npy");
  const auto phantom = read_npy<double>(folder / "out/phantom.npy");
  const auto data = read_npy<double>(folder / "out/sinogram.npy");
  EXPECT_EQ(image.shape, (std::vector<std::size_t>{6, 20, 22}));
  EXPECT_EQ(phantom.shape, image.shape);
  EXPECT_EQ(data.shape, (std::vector<std::size_t>{72, 72}));
  for (std::size_t i = 0; i < 72; ++i)
    for (std::size_t j = 0; j <= i; ++j) ASSERT_EQ(data.data[i * 72 + j], 0);
  double error = 0, norm = 0;
  for (std::size_t k = 0; k < image.data.size(); ++k) {
    error += (image.data[k] - phantom.data[k]) * (image.data[k] - phantom.data[k]);
    norm += phantom.data[k] * phantom.data[k];
  }
  EXPECT_LT(std::sqrt(error / norm), 0.5);
  for (const char* file : {"out/reconstruction_slice_000.png", "out/reconstruction_slice_005.png",
                           "out/phantom_slice_003.png", "out/sinogram.png"})
    EXPECT_TRUE(folder.has(file)) << file;
  const std::filesystem::path report = folder / "out/report.yaml";
  EXPECT_EQ(entry(report, "matrix.rows"), "5184");
  EXPECT_EQ(entry(report, "matrix.columns"), "2640");
  EXPECT_EQ(entry(report, "data.crystals"), "72");
  EXPECT_EQ(entry(report, "data.rays_per_pair"), "8");
}

TEST(ProgramScanner, every_form_of_the_matrix_gives_the_same_image) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "projected");
  std::string counts;
  for (const double length : read_npy<double>(folder / "projected/sinogram.npy").data) {
    const auto count = static_cast<std::int32_t>(2 * length);
    counts.append(reinterpret_cast<const char*>(&count), sizeof count);
  }
  write_bytes(folder / "counts.raw", counts);
  run_well({"convert", folder / "c.yaml", folder / "a.csr4"});
  run_well({"convert", folder / "c.yaml", folder / "a.npz"});
  run_well({"convert", folder / "a.csr4", folder / "b.csr4"});
  run_well({"convert", folder / "b.csr4", folder / "b.npz"});
  EXPECT_EQ(read_bytes(folder / "a.csr4"), read_bytes(folder / "b.csr4"));
  EXPECT_EQ(read_bytes(folder / "a.npz"), read_bytes(folder / "b.npz"));
  const auto write_config = [&](const std::string& problem) {
    write_bytes(folder / "d.yaml",
                "problem: {type: tomography, " + problem +
                    ", rhs: counts.raw}\nsolver: {type: mlem, iterations: 10}\n");
  };
  write_config("scanner: " + scanner + ", volume: " + volume);
  run(folder, "d.yaml", "direct");
  const auto expected = read_npy<double>(folder / "direct/reconstruction.npy");
  // Other orders give the same image after it is put back into natural order.
  for (const std::string& ordering : {std::string("by_length"), std::string("{columns: tiles}"),
                                      std::string("{columns: tiles, rows: by_length}")}) {
    run(folder, "d.yaml", "ordered", {"operator.ordering=" + ordering, "run.scalar=double"});
    const auto ordered = read_npy<double>(folder / "ordered/reconstruction.npy");
    for (std::size_t k = 0; k < ordered.data.size(); ++k)
      ASSERT_NEAR(ordered.data[k], expected.data[k], 1e-3) << k;
  }
  for (const std::string& problem : {std::string("matrix: a.csr4, volume: {size: [6, 20, 22]}"),
                                     std::string("matrix: a.npz, volume: {size: [6, 20, 22]}")}) {
    write_config(problem);
    run(folder, "d.yaml", "file");
    const auto image = read_npy<double>(folder / "file/reconstruction.npy");
    EXPECT_EQ(image.shape, expected.shape);
    EXPECT_EQ(image.data, expected.data) << problem;
  }
}

// The address sanitizer and the CUDA runtime need more address space than the limit allows.
#if !defined(__SANITIZE_ADDRESS__) && !defined(KOKKOS_ENABLE_CUDA)
TEST(ProgramScanner, a_matrix_larger_than_memory_is_refused_with_its_size) {
  const RunFolder folder;
  const auto refused = [&](const std::string& scanner, const std::string& volume,
                           const std::string& message) {
    write_bytes(folder / "c.yaml",
                "run: {threads: 1}\nproblem: {type: tomography, scanner: " + scanner +
                    ", volume: " + volume +
                    ", phantom: disc}\nsolver: {type: mlem}\noperator: {format: csr}\n");
    const ProgramOptions options = limited(RLIMIT_AS, rlim_t{1} << 30);
    expect_failure(run_of(folder, "out"), {message, "GiB"}, 2, options);
    EXPECT_FALSE(folder.has("out"));
  };
  // The first size is estimated from a sample of the pairs. The second is known before any pair is
  // examined.
  refused("{kind: madpet2, rays: 8}", "{}", "the system matrix has about ");
  refused(
      "{kind: madpet2_large, crystals: [4, 128], crystal_pitch: [3, 0.15], crystal_size: [2.8, "
      "0.14]}",
      "{}", "the vectors and row offsets of 1358954496 pairs of crystals and 2592000 voxels need");
}

// With 7 million nonzeros, ray tiles fit into memory that is too small for even one copy in CSR.
// They give the same bytes as a run without the limit.
TEST(ProgramScanner, ray_tiles_do_not_need_memory_for_the_matrix_in_csr) {
  const RunFolder folder(
      "run: {threads: 1}\nproblem: {type: tomography, scanner: {kind: madpet2_small, "
      "crystals: [1, 4]}, phantom: disc}\nsolver: {type: mlem, iterations: 2}\n"
      "output: {image: [npy], checkpoint: 1}\n");
  const std::string tiles = "operator={format: ray_tiles, values: half}";
  run(folder, "c.yaml", "free", {tiles});
  const auto run_within = [&](const std::string& matrix, rlim_t megabytes) {
    const ProgramOptions options = limited(RLIMIT_AS, megabytes << 20);
    return run_program(run_of(folder, "tight", {matrix}), options);
  };
  bool refused = false;
  rlim_t megabytes = 60;
  ProgramResult result;
  for (; megabytes < 2000; megabytes += 10) {
    result = run_within(tiles, megabytes);
    if (result.status == 0) break;
    if (result.error.find("in ray tiles, together with a block of rows, it needs") !=
        std::string::npos)
      refused = true;
    EXPECT_FALSE(folder.has("tight"));
  }
  EXPECT_TRUE(refused);
  ASSERT_EQ(result.status, 0) << result.error;
  for (const char* part : {"matrix", "result", "history"})
    EXPECT_EQ(reported(folder, "tight", part), reported(folder, "free", part));
  expect_same_file(folder, "tight", "free");
  expect_same_file(folder, "tight", "free", "sinogram.npy");
  EXPECT_GT(std::stoi(reported(folder, "tight", "operator.built.blocks")), 1);
  const ProgramResult in_csr = run_within("operator={transpose: atomic}", megabytes);
  EXPECT_EQ(in_csr.status, 2) << megabytes << " MB";
  EXPECT_CONTAINS(in_csr.error, "nonzeros; it needs");
  // The checkpoint recognises the matrix, whatever blocks it was built in.
  std::vector<std::string> more = run_of(folder, "tight", {tiles, "solver.iterations=3"});
  more.push_back("--resume");
  run_well(more);
  run(folder, "c.yaml", "longer", {tiles, "solver.iterations=3"});
  expect_same_file(folder, "tight", "longer");
}
#endif

// Compares tiles that are built from the geometry with tiles that are built from a matrix file.
TEST(ProgramScanner, ray_tiles_from_a_file_give_the_same_image) {
  const RunFolder folder(text);
  run(folder, "c.yaml", "projected", {"run.scalar=float"});
  run_well({"convert", folder / "c.yaml", folder / "a.npz"});
  const std::string rhs =
      ", rhs: projected/sinogram.npy}\nsolver: {type: mlem, iterations: 10}\n"
      "operator: {format: ray_tiles}\noutput: {checkpoint: 5}\n";
  write_bytes(folder / "d.yaml",
              "problem: {type: tomography, scanner: " + scanner + ", volume: " + volume + rhs);
  write_bytes(folder / "e.yaml",
              "problem: {type: tomography, matrix: a.npz, volume: {size: [6, 20, 22]}" + rhs);
  run(folder, "d.yaml", "direct");
  run(folder, "e.yaml", "file");
  EXPECT_EQ(read_npy<float>(folder / "direct/reconstruction.npy").data,
            read_npy<float>(folder / "file/reconstruction.npy").data);
  for (const char* part : {"matrix", "operator.segments", "operator.memory_bytes", "history"})
    EXPECT_EQ(reported(folder, "direct", part), reported(folder, "file", part)) << part;
  EXPECT_EQ(reported(folder, "direct", "operator.built.blocks"), "1");
  EXPECT_EQ(reported(folder, "direct", "operator.built.kept"), "1");
}

TEST(ProgramScanner, info_describes_the_scanner_of_a_file) {
  const RunFolder folder(text);
  run_well({"convert", folder / "c.yaml", folder / "a.csr4"});
  const ProgramResult from_file = run_well({"info", folder / "a.csr4"});
  for (const char* piece : {"grid: [22, 20, 6]", "voxel_size: [3, 3, 1.4]", "crystal_layers: 2",
                            "blocks: 18", "block_size: 1", "rings: 2", "rows: 5184"})
    EXPECT_CONTAINS(from_file.out, piece);
  const ProgramResult from_config = run_well({"info", folder / "c.yaml"});
  EXPECT_CONTAINS(from_config.out, "rows: 5184");
  EXPECT_CONTAINS(from_config.out, "crystals: 72");
}

TEST(ProgramScanner, bad_input_is_refused_and_nothing_is_written) {
  const RunFolder folder(text);
  run_well({"convert", folder / "c.yaml", folder / "a.csr4"});
  const std::size_t files = folder.count();
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& message) {
    expect_failure(arguments, {message});
    EXPECT_EQ(folder.count(), files) << arguments[0];
  };
  refused({"convert", folder / "c.yaml", folder / "b.csr4", "--set", "problem.scanner.rays=3"},
          "problem.scanner");
  refused({"run", folder / "c.yaml", "--output", folder / "out", "--set",
           "problem.phantom=", "--set", "problem.rhs=" + (folder / "a.csr4")},
          "5184");
  refused({"run", folder / "c.yaml", "--output", folder / "out", "--set",
           "problem={type: tomography, matrix: \"" + (folder / "a.csr4") +
               "\", volume: {size: [6, 20, 21]}, phantom: disc}"},
          "6 x 20 x 21 = 2520 voxels");
  std::string bytes = read_bytes(folder / "a.csr4");
  bytes[5] = 3;
  write_bytes(folder / "a.csr4", bytes);
  for (const char* output : {"b.csr4", "b.npz"})
    refused({"convert", folder / "a.csr4", folder / output}, "mirror symmetry in x, y");
}

TEST(ProgramScanner, the_examples_run) {
  for (const char* config : {"pet_small.yaml", "pet_madpet2.yaml", "pet_madpet2_large.yaml"}) {
    const RunFolder folder;
    run_well({"run", config_file(config).string(), "--output", folder / "out", "--set",
              "problem.volume={size: [4, 20, 20], pixel: 3}", "--set",
              "problem.scanner=" + scanner});
    EXPECT_TRUE(folder.has("out/reconstruction.npy"));
    const ProgramResult printed =
        run_well({"run", config_file(config).string(), "--print-config", "--all"});
    EXPECT_CONTAINS(printed.out, "modules: 18");
  }
}

}  // namespace
