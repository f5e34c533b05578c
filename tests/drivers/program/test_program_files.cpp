// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the program reads and writes: convert, info, and matrices and sinograms of users.
#include <Tomokkos_Csr4.hpp>
#include <Tomokkos_MatrixFile.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_RawFile.hpp>
#include <cmath>
#include <numeric>

#include "GzipTesting.hpp"
#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// 4 x 3 matrix with one empty row.
constexpr const char* matrix_text =
    "%%MatrixMarket matrix coordinate real general\n4 3 6\n1 1 2\n1 3 0.1\n2 2 1\n4 1 0.25\n4 2 "
    "3\n4 3 1\n";

template <class Scalar>
void expect_equal(const HostCsrMatrix<Scalar>& A, const HostCsrMatrix<Scalar>& B) {
  ASSERT_EQ(A.num_rows, B.num_rows);
  ASSERT_EQ(A.num_cols, B.num_cols);
  ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
  for (Ordinal i = 0; i <= A.num_rows; ++i) ASSERT_EQ(A.row_offsets(i), B.row_offsets(i));
  for (Offset k = 0; k < A.num_nonzeros(); ++k) {
    ASSERT_EQ(A.columns(k), B.columns(k));
    ASSERT_EQ(A.values(k), B.values(k));
  }
}

TEST(Convert, round_trips_through_every_format) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  run_well({"convert", folder / "a.mtx", folder / "b.npz"});
  run_well({"convert", folder / "b.npz", folder / "c.csr4"});
  run_well({"convert", folder / "c.csr4", folder / "d.npz"});
  run_well({"convert", folder / "d.npz", folder / "e.mtx"});
  run_well({"convert", folder / "a.mtx", folder / "f.npz", "--set", "run.scalar=float"});
  // Matrix Market holds double and csr4 holds float. An .npz file keeps the precision that it is
  // given.
  EXPECT_EQ(matrix_file_precision(folder / "b.npz"), FilePrecision::float64);
  EXPECT_EQ(matrix_file_precision(folder / "d.npz"), FilePrecision::float32);
  EXPECT_EQ(matrix_file_precision(folder / "f.npz"), FilePrecision::float32);
  expect_equal(read_matrix<double>(folder / "a.mtx"), read_matrix<double>(folder / "b.npz"));
  for (const char* file : {"c.csr4", "d.npz", "e.mtx", "f.npz"})
    expect_equal(read_matrix<float>(folder / "a.mtx"), read_matrix<float>(folder / file));
}

TEST(Convert, reports_the_effect_of_rounding_to_float) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx",
              "%%MatrixMarket matrix array real general\n2 2\n0.5\n1.00000001\n0.1\n2\n");
  EXPECT_CONTAINS(
      run_program({"convert", folder / "a.mtx", folder / "a.csr4"}).out,
      "(double)\nrounded to float: 2 values changed, by a relative error of at most 1.5e-08\n");
  for (const char* exact : {"a.npz", "b.csr4"})
    EXPECT_EQ(run_program({"convert", folder / "a.csr4", folder / exact}).out.find("rounded"),
              std::string::npos);
  write_bytes(folder / "a.mtx", "%%MatrixMarket matrix array real general\n1 1\n1e299\n");
  expect_failure({"convert", folder / "a.mtx", folder / "a.csr4"},
                 {"the value 1e+299 exceeds the range of single precision"}, 1);
}

TEST(CompressedFiles, are_accepted_wherever_matrices_are_read) {
  const RunFolder folder;
  write_bytes(
      folder / "a.mtx.gz",
      gzip("%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 4\n2 1 1\n2 2 3\n"));
  write_bytes(folder / "b.mtx.gz", gzip("%%MatrixMarket matrix array real general\n2 1\n5\n4\n"));
  EXPECT_CONTAINS(run_program({"info", folder / "a.mtx.gz"}).out, "format: matrix_market");
  run_well({"convert", folder / "a.mtx.gz", folder / "a.npz"});
  expect_equal(read_matrix<double>(folder / "a.mtx.gz"), read_matrix<double>(folder / "a.npz"));
  write_bytes(folder / "c.yaml",
              "problem: {type: linear_system, matrix: a.mtx.gz, rhs: b.mtx.gz}\n"
              "solver: {type: pcg}\n");
  run_well(folder, "out");
  EXPECT_NEAR(read_npy<double>(folder / "out/solution.npy").data[1], 1, 1e-6);
  write_bytes(folder / "t.yaml",
              "problem: {type: tomography, matrix: a.mtx.gz, rhs: b.mtx.gz}\n"
              "solver: {type: cgls, iterations: 5}\n");
  run_well({"run", folder / "t.yaml", "--output", folder / "t"});
  if (has_bench()) {
    write_bytes(folder / "bench.yaml",
                "run: {memory_limit: 1GB}\n"
                "bench: {matrices: [{name: a, file: a.mtx.gz}], formats: [csr], repetitions: 2}\n");
    run_well({"bench", folder / "bench.yaml"});
  }
  // Compressed files cannot be written.
  expect_failure({"convert", folder / "a.npz", folder / "c.mtx.gz"},
                 {"allowed are .mtx, .mm, .npz, .csr4"});
}

TEST(Convert, keeps_the_scanner_of_a_csr4_file) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  Csr4Scanner scanner;
  scanner.blocks = 5;
  scanner.grid = {3, 1, 1};
  write_csr4(folder / "a.csr4", read_matrix<float>(folder / "a.mtx"), scanner);
  run_well({"convert", folder / "a.csr4", folder / "b.csr4"});
  EXPECT_EQ(read_csr4<float>(folder / "b.csr4").scanner, scanner);
}

TEST(Convert, writes_the_system_matrix_of_a_configuration) {
  const RunFolder folder(
      "problem: {type: tomography, volume: {size: [8, 6]}, geometry: {views: 5, detectors: "
      "11}, projector: line}\n");
  run_well({"convert", folder / "c.yaml", folder / "a.npz"});
  run_well({"convert", folder / "c.yaml", folder / "b.mtx", "--set", "run.scalar=double"});
  const auto A = read_matrix<float>(folder / "a.npz");
  EXPECT_EQ(A.num_rows, 55);
  EXPECT_EQ(A.num_cols, 48);
  // View 0 looks along the columns. Its middle ray runs along a grid line and gives half of each of
  // its 8 lengths to either side.
  const Ordinal middle = 5;
  EXPECT_EQ(A.row_offsets(middle + 1) - A.row_offsets(middle), 16);
  for (Offset k = A.row_offsets(middle); k < A.row_offsets(middle + 1); ++k)
    EXPECT_EQ(A.values(k), 0.5F);
  const auto B = read_matrix<double>(folder / "b.mtx");
  ASSERT_EQ(A.num_nonzeros(), B.num_nonzeros());
  for (Offset k = 0; k < A.num_nonzeros(); ++k)
    ASSERT_EQ(A.values(k), static_cast<float>(B.values(k)));
}

TEST(Convert, writes_the_shape_of_the_image_to_a_csr4_file) {
  const RunFolder folder(
      "problem: {type: tomography, volume: {size: [8, 6], pixel: 0.5}, geometry: {views: "
      "5}}\n");
  run_well({"convert", folder / "c.yaml", folder / "a.csr4"});
  const Csr4Scanner scanner = read_csr4<float>(folder / "a.csr4").scanner;
  EXPECT_EQ(scanner.grid, (std::array<std::uint32_t, 3>{6, 8, 1}));
  EXPECT_EQ(scanner.voxel_size, (std::array<float, 3>{0.5F, 0.5F, 0.5F}));
  // For a matrix from a file, the shape comes from the configuration if it has one.
  write_bytes(folder / "d.yaml",
              "problem: {type: tomography, matrix: a.csr4, volume: {size: [4, 12]}}\n");
  run_well({"convert", folder / "d.yaml", folder / "b.csr4"});
  EXPECT_EQ(read_csr4<float>(folder / "b.csr4").scanner.grid,
            (std::array<std::uint32_t, 3>{12, 4, 1}));
}

TEST(Convert, refuses_bad_files_and_unsupported_names) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  write_bytes(folder / "bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\n3 1 1\n");
  const auto status = [&](const std::string& in, const std::string& out,
                          const std::string& message) {
    const std::size_t before = folder.count();
    const ProgramResult result = run_program({"convert", folder / in, folder / out});
    EXPECT_CONTAINS(result.error, message);
    EXPECT_EQ(folder.count(), before);
    return result.status;
  };
  EXPECT_EQ(status("a.mtx", "b.txt", ".txt"), 2);
  EXPECT_EQ(status("a.txt", "b.mtx", ".txt"), 2);
  EXPECT_EQ(status("bad.mtx", "b.npz", "bad.mtx:3:"), 2);
  EXPECT_EQ(status("none.mtx", "b.npz", "none.mtx"), 2);
  EXPECT_EQ(status("a.mtx", "none/b.npz", "its folder does not exist"), 1);
  expect_failure({"convert", folder / "a.mtx", folder / "b.npz", "--set", "solver.type=art"}, {});
}

TEST(Info, describes_a_matrix) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  write_bytes(folder / "s.mtx",
              "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 2\n2 1 1\n3 3 1\n");
  write_bytes(folder / "p.mtx",
              "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 2 2\n2 1 1\n");
  ProgramResult result = run_well({"info", folder / "a.mtx"});
  write_bytes(folder / "info.yaml", result.out);
  const auto value = [&](const char* key) { return entry(folder / "info.yaml", key); };
  EXPECT_EQ(value("rows"), "4");
  EXPECT_EQ(value("columns"), "3");
  EXPECT_EQ(value("nonzeros"), "6");
  EXPECT_EQ(value("row_length.min"), "0");
  EXPECT_EQ(value("row_length.max"), "3");
  EXPECT_EQ(value("row_length.mean"), "1.5");
  EXPECT_EQ(value("empty_rows"), "1");
  EXPECT_EQ(value("density"), "0.5");
  EXPECT_EQ(value("memory_bytes.csr.float"), std::to_string(6 * 8 + 5 * 8));
  EXPECT_EQ(value("memory_bytes.csr.double"), std::to_string(6 * 12 + 5 * 8));
  EXPECT_EQ(value("memory_bytes.coo.float"), std::to_string(6 * 12));
  EXPECT_EQ(value("memory_bytes.ell.double"), std::to_string(4 * 3 * 12));
  EXPECT_EQ(value("symmetry.pattern"), "false");
  EXPECT_CONTAINS(run_program({"info", folder / "s.mtx"}).out, "{pattern: true, numeric: true}");
  EXPECT_CONTAINS(run_program({"info", folder / "p.mtx"}).out, "{pattern: true, numeric: false}");
}

TEST(Info, describes_arrays_and_configurations_and_refuses_other_input) {
  const RunFolder folder;
  const std::vector<float> values{1.0F, 2.0F, 3.0F, std::nanf(""), -4.0F, 5.0F};
  write_npy<float>(folder / "a.npy", values, {2, 3});
  ProgramResult result = run_well({"info", folder / "a.npy"});
  EXPECT_CONTAINS(result.out, "shape: [2, 3]");
  EXPECT_CONTAINS(result.out, "type: float32");
  EXPECT_CONTAINS(result.out, "min: -4");
  EXPECT_CONTAINS(result.out, "max: 5");
  EXPECT_CONTAINS(result.out, "not_finite: 1");
  write_bytes(folder / "c.yaml", small_config);
  result = run_well({"info", folder / "c.yaml", "--set", "problem.geometry.views=2"});
  EXPECT_CONTAINS(result.out, "rows: 64");
  expect_failure({"info", folder / "a.txt"}, {});
  expect_failure({"info", folder / "none.npy"}, {});
  expect_failure({"info", folder / "a.npy", "--set", "a=1"}, {});
}

TEST(UserMatrix, is_solved_with_its_right_hand_side) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  // A (1, 2, 3) = (2.3, 2, 0, 9.25)
  write_npy<double>(folder / "b.npy", std::vector<double>{2.3, 2, 0, 9.25}, {4});
  write_bytes(folder / "b.mtx", "%%MatrixMarket matrix array real general\n4 1\n2.3\n2\n0\n9.25\n");
  write_raw<float>(folder / "b.raw", std::vector<float>{2.3F, 2, 0, 9.25F});
  write_bytes(folder / "c.yaml",
              "run: {scalar: double}\nproblem: {type: tomography, matrix: a.mtx, rhs: b.npy}\n"
              "solver: {type: cgls, iterations: 20, stop: {residual: 1e-6}}\n");
  for (const std::vector<std::string>& rhs : std::vector<std::vector<std::string>>{
           {"problem.rhs=" + folder / "b.npy"},
           {"problem.rhs=" + folder / "b.mtx"},
           {"problem.rhs=" + folder / "b.raw", "problem.rhs_type=float32"}}) {
    run_well(folder, "out", rhs);
    const auto x = read_npy<double>(folder / "out/reconstruction.npy");
    EXPECT_EQ(x.shape, (std::vector<std::size_t>{3}));
    for (int i = 0; i < 3; ++i) EXPECT_NEAR(x.data[static_cast<std::size_t>(i)], i + 1, 1e-4);
    EXPECT_FALSE(folder.has("out/reconstruction.png"));
  }
  const std::vector<std::int32_t> counts{2, 2, 0, 9};
  write_raw<std::int32_t>(folder / "counts.raw", counts);
  run_well({"convert", folder / "a.mtx", folder / "a.csr4"});
  run_well(folder, "mlem",
           {"problem={type: tomography, matrix: \"" + folder / "a.csr4" + "\", rhs: \"" +
                folder / "counts.raw" +
                "\", volume: {size: [1, 3]}, geometry: {views: 2, detectors: 2}}",
            "solver={type: mlem, iterations: 5}"});
  EXPECT_EQ(read_npy_info(folder / "mlem/reconstruction.npy").shape,
            (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(read_npy_info(folder / "mlem/sinogram.npy").shape, (std::vector<std::size_t>{2, 2}));
  EXPECT_TRUE(folder.has("mlem/reconstruction.png"));
}

TEST(UserMatrix, is_refused_if_shapes_do_not_match) {
  const RunFolder folder;
  write_bytes(folder / "a.mtx", matrix_text);
  write_npy<double>(folder / "b.npy", std::vector<double>(4, 1.0), {4});
  write_npy<double>(folder / "short.npy", std::vector<double>(3, 1.0), {3});
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: a.mtx, rhs: b.npy}\nsolver: {type: cgls}\n");
  refusal(folder, {"problem.rhs=" + folder / "short.npy"}, {"holds 3 values, but the matrix"});
  refusal(folder, {"problem.volume.size=[2, 2]"}, {"2 x 2 = 4 pixels, but the matrix"});
  refusal(folder, {"problem.geometry={views: 3, detectors: 3}"}, {"= 9 rays, but the matrix"});
}

TEST(MeasuredSinogram, is_checked_for_shape_slice_and_negative_values) {
  const RunFolder folder;
  write_bytes(folder / "phantom.yaml", small_config);
  run_well({"run", folder / "phantom.yaml", "--output", folder / "made"});
  const auto simulated = read_npy<float>(folder / "made/sinogram.npy");
  ASSERT_EQ(simulated.data.size(), 18U * 32U);
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, volume: {size: [24, 20]}, sinogram: made/sinogram.npy}\n"
              "solver: {type: sirt, iterations: 5}\n");
  // The geometry follows from the shape of the data, and the image is the same.
  run_well(folder, "out");
  expect_same_file(folder, "out", "made");
  EXPECT_EQ(reported(folder, "out", "window.reconstruction.from"), "percentiles 0.5 and 99.5");

  refusal(folder, {"problem.geometry={views: 18, detectors: 33}"},
          {"18 views x 32 detectors, but problem.geometry has 18 x 33"});

  // Stack of views x rows x detectors, with the sinogram as its middle slice.
  std::vector<float> stack(18 * 3 * 32, 0.0F);
  for (std::size_t v = 0; v < 18; ++v)
    for (std::size_t i = 0; i < 32; ++i) stack[(v * 3 + 1) * 32 + i] = simulated.data[v * 32 + i];
  write_npy<float>(folder / "stack.npy", stack, {18, 3, 32});
  const std::string file = "problem.sinogram={file: \"" + folder / "stack.npy" + "\", slice: ";
  run_well(folder, "slice", {file + "1}"});
  expect_same_file(folder, "slice", "made");
  refusal(folder, {file + "3}"}, {"does not contain slice 3"});

  // mlem refuses negative values, unless they are to be clamped.
  std::vector<float> negative = simulated.data;
  negative[40] = -1.0F;
  write_npy<float>(folder / "negative.npy", negative, {18, 32});
  const std::string mlem = "solver={type: mlem, iterations: 3}";
  refusal(folder, {mlem, "problem.sinogram=" + folder / "negative.npy"},
          {"1 negative values (the first is -1 at row 40)"});
  run_well(folder, "clamped",
           {mlem, "problem.sinogram={file: \"" + folder / "negative.npy" + "\", negative: clamp}"});
  EXPECT_EQ(reported(folder, "clamped", "data.clamped_negative_values"), "1");
}

TEST(UserMatrix, counts_as_its_right_hand_side_are_refused) {
  const RunFolder folder;
  write_bytes(folder / "phantom.yaml", small_config);
  run_well({"convert", folder / "phantom.yaml", folder / "a.npz"});
  run_well({"run", folder / "phantom.yaml", "--output", folder / "made"});
  const auto simulated = read_npy<float>(folder / "made/sinogram.npy");
  std::vector<std::int32_t> counts;
  for (const float integral : simulated.data)
    counts.push_back(static_cast<std::int32_t>(std::lround(1e4 * std::exp(-0.1 * integral))));
  write_raw<std::int32_t>(folder / "counts.raw", counts);
  write_bytes(folder / "c.yaml",
              "problem: {type: tomography, matrix: a.npz, geometry: {views: 18, detectors: 32}, "
              "rhs: counts.raw, rhs_type: int32}\nsolver: {type: sirt, iterations: 2}\n");
  expect_failure(run_of(folder, "bad"),
                 {"counts.raw looks like counts or transmission", "run.allow: [flat_fields]"});
  for (const char* setting : {"run.allow=[flat_fields]", "solver={type: mlem, iterations: 2}"})
    run_well(
        {"run", folder / "c.yaml", "--output", folder / "out", "--overwrite", "--set", setting});
}

TEST(MeasuredSinogram, flat_and_dark_fields_give_line_integrals) {
  const RunFolder folder;
  write_bytes(folder / "phantom.yaml", small_config);
  run_well({"run", folder / "phantom.yaml", "--output", folder / "made"});
  const auto simulated = read_npy<double>(folder / "made/sinogram.npy");
  // counts = dark + (flat - dark) exp(-integral)
  std::vector<double> flat(32);
  std::vector<double> dark(2 * 32);
  for (std::size_t i = 0; i < 32; ++i) {
    flat[i] = 1000.0 + 10.0 * static_cast<double>(i);
    dark[i] = 10.0;
    dark[32 + i] = 30.0;
  }
  std::vector<double> counts(simulated.data.size());
  for (std::size_t k = 0; k < counts.size(); ++k)
    counts[k] = 20.0 + (flat[k % 32] - 20.0) * std::exp(-simulated.data[k]);
  write_npy<double>(folder / "counts.npy", counts, {18, 32});
  write_npy<double>(folder / "flat.npy", flat, {32});
  write_npy<double>(folder / "dark.npy", dark, {2, 32});
  write_bytes(folder / "c.yaml",
              "run: {scalar: double}\n"
              "problem: {type: tomography, volume: {size: [24, 20]}, sinogram: {file: counts.npy, "
              "flat: flat.npy, dark: dark.npy}}\nsolver: {type: sirt, iterations: 2}\n");
  run_well(folder, "out");
  const auto integrals = read_npy<double>(folder / "out/sinogram.npy");
  for (std::size_t k = 0; k < counts.size(); ++k)
    ASSERT_NEAR(integrals.data[k], simulated.data[k], 1e-9);
  EXPECT_EQ(reported(folder, "out", "data.transmission"), "true");
}

}  // namespace
