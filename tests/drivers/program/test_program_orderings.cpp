// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs in every order of pixels, rays and entries give the same results as the natural order.
#include <Tomokkos_MatrixMarket.hpp>
#include <Tomokkos_Npy.hpp>
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

// The matrix is square, because some orders need that. Neither the image nor the scan is symmetric.
constexpr const char* square_config = R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 12, detectors: 40, start: 7 deg}
  phantom: forbild_head
output: {image: [npy]}
solver: {type: sirt, iterations: 6}
)";

const std::vector<std::string> orderings{"tiles",
                                         "hilbert",
                                         "by_length",
                                         "rcm",
                                         "{columns: tiles}",
                                         "{rows: tiles, entries: interleaved}",
                                         "{columns: hilbert, rows: by_length}",
                                         "{entries: interleaved}"};

/// Returns the largest difference between two images, divided by the largest value of the first.
double difference(const std::string& expected, const std::string& computed) {
  const auto a = read_npy<double>(expected);
  const auto b = read_npy<double>(computed);
  EXPECT_EQ(a.shape, b.shape);
  double largest = 0, largest_difference = 0;
  for (std::size_t i = 0; i < std::min(a.data.size(), b.data.size()); ++i) {
    largest = std::max(largest, std::abs(a.data[i]));
    largest_difference = std::max(largest_difference, std::abs(a.data[i] - b.data[i]));
  }
  EXPECT_GT(largest, 0);
  return largest_difference / largest;
}

class Orders : public ::testing::TestWithParam<const char*> {};

TEST_P(Orders, give_the_same_image_as_the_natural_order) {
  const std::string type = GetParam();
  for (const std::string scalar : {"double", "float"}) {
    // Sums are rounded in another order. The recursion of CGLS amplifies that.
    const double bound = scalar == "double" ? 1e-11 : type == "cgls" ? 1e-3 : 2e-5;
    const RunFolder folder(square_config);
    std::vector<std::string> settings{
        "run.scalar=" + scalar, "solver={type: " + type + ", iterations: 6, check_every: 3}",
        "problem.noise={type: gaussian, sigma: 0.01, scale: relative}", "output.every=3"};
    if (type == "mlem") settings[2] = "problem.noise={type: poisson, counts: 1e4}";
    run_well(folder, "natural", settings);
    EXPECT_EQ(reported(folder, "natural", "operator.ordering"), "natural");
    settings.emplace_back();
    for (const std::string& ordering : orderings) {
      settings.back() = "operator.ordering=" + ordering;
      std::filesystem::remove_all(folder / "out");
      run_well(folder, "out", settings);
      for (const char* file : {"reconstruction.npy", "reconstruction_00003.npy", "sinogram.npy"})
        EXPECT_LE(difference(folder / ("natural/" + std::string(file)),
                             folder / ("out/" + std::string(file))),
                  bound)
            << type << ", " << scalar << ", " << ordering << ", " << file;
      expect_same_file(folder, "out", "natural", "phantom.npy");
      // Interleaving entries alone does not change the matrix on a host.
      if (ordering != "{entries: interleaved}") {
        EXPECT_NE(reported(folder, "out", "operator.ordering"), "natural");
      }
      for (const char* figure : {"result.rmse", "result.residual"}) {
        const double natural = number(folder, "natural", figure);
        EXPECT_NEAR(number(folder, "out", figure), natural, 10 * bound * natural)
            << type << ", " << scalar << ", " << ordering << ", " << figure;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Solvers, Orders, ::testing::Values("mlem", "sirt", "cgls", "art"));

TEST(ProgramOrderings, every_format_works_with_every_order) {
  const RunFolder folder(square_config);
  run_well(folder, "natural", {"run.scalar=double"});
  for (const char* format : {"coo", "ell", "ell_r", "hyb", "sell", "bcsr"})
    for (const char* ordering : {"tiles", "hilbert", "by_length", "rcm"}) {
      run_well(folder, "out",
               {"run.scalar=double",
                "operator={format: " + std::string(format) + ", ordering: " + ordering +
                    (std::string(format) == "coo" ? "}" : ", largest_fill: 1000}")});
      EXPECT_LE(
          difference(folder / "natural/reconstruction.npy", folder / "out/reconstruction.npy"),
          1e-11)
          << format << ", " << ordering;
    }
}

TEST(ProgramOrderings, an_atomic_transpose_gives_the_same_image) {
  const RunFolder folder(square_config);
  run_well(folder, "natural", {"run.scalar=double"});
  run_well(folder, "out",
           {"run.scalar=double",
            "operator={transpose: atomic, ordering: {columns: tiles, entries: interleaved}}"});
  const std::filesystem::path report = folder / "out/report.yaml";
  EXPECT_EQ(read_yaml_file(report)
                .find("configuration")
                ->find("operator")
                ->find("ordering")
                ->find("entries")
                ->scalar(),
            "interleaved");
  // On a host a product has one lane, and its entries stay sorted.
  if (entry(report, "backend") != "cuda") {
    EXPECT_EQ(entry(report, "operator.ordering.entries"), "sorted");
  }
  EXPECT_LE(difference(folder / "natural/reconstruction.npy", folder / "out/reconstruction.npy"),
            1e-11);
}

// Start, terms and data in files are in natural order, whatever order the solver works in.
TEST(ProgramOrderings, input_files_are_in_natural_order) {
  const RunFolder folder;
  std::mt19937 random(3);
  std::uniform_real_distribution<double> value(0.5, 1.5);
  const auto write = [&](const std::string& name, std::size_t rows, std::size_t columns) {
    std::vector<double> values(rows * columns);
    for (double& entry : values) entry = value(random);
    write_npy<double>(folder / name, values, {rows, columns});
  };
  write("b.npy", 12, 40);
  write("n.npy", 12, 40);
  write("s.npy", 12, 40);
  write("x.npy", 24, 20);
  write_bytes(folder / "c.yaml", R"(problem:
  type: tomography
  volume: {size: [24, 20]}
  geometry: {views: 12, detectors: 40}
  sinogram: b.npy
run: {scalar: double}
solver: {type: mlem, iterations: 4, start: x.npy, multiplicative: n.npy, background: s.npy}
output: {image: [npy]}
)");
  run_well(folder, "natural");
  for (const std::string& ordering : orderings) {
    run_well(folder, "out", {"operator.ordering=" + ordering});
    EXPECT_LE(difference(folder / "natural/reconstruction.npy", folder / "out/reconstruction.npy"),
              1e-11)
        << ordering;
    expect_same_file(folder, "out", "natural", "sinogram.npy");
  }

  // Messages number the entries as in the file.
  const auto spoil = [&](const std::string& name, std::size_t at, double by) {
    auto array = read_npy<double>(folder / name);
    array.data[at] = by;
    write_npy<double>(folder / ("bad_" + name), array.data, array.shape);
  };
  spoil("b.npy", 123, std::numeric_limits<double>::infinity());
  spoil("n.npy", 321, -1);
  spoil("x.npy", 77, -1);
  for (const auto& [key, file, entry] : {std::tuple{"problem.sinogram", "bad_b.npy", "123"},
                                         {"solver.multiplicative", "bad_n.npy", "321"},
                                         {"solver.start", "bad_x.npy", "77"}}) {
    const std::string setting = std::string(key) + "=\"" + folder / file + "\"";
    const auto natural = run_program(run_of(folder, "bad", {setting}));
    const ProgramResult tiles =
        expect_failure(run_of(folder, "bad", {setting, "operator.ordering=tiles"}), {});
    EXPECT_EQ(tiles.error, natural.error);
    EXPECT_CONTAINS(tiles.error, entry);
  }
}

TEST(ProgramOrderings, a_restart_continues_bit_for_bit) {
  for (const char* type : {"mlem", "sirt", "art"}) {
    const RunFolder folder(square_config);
    const auto solver = [&](int iterations, const std::string& more) {
      return "solver={type: " + std::string(type) + ", iterations: " + std::to_string(iterations) +
             more + "}";
    };
    const std::string tiles = "operator.ordering=tiles";
    run_well(folder, "all", {tiles, solver(6, "")});
    run_well(folder, "first", {tiles, solver(3, "")});
    run_well(folder, "second",
             {tiles, solver(3, ", start: \"" + folder / "first/reconstruction.npy" + "\"")});
    expect_same_file(folder, "second", "all");
  }
}

TEST(ProgramOrderings, a_matrix_from_a_file_can_be_reordered) {
  const RunFolder folder(square_config);
  // `convert` writes the matrix in natural order, whatever the configuration says.
  run_well({"convert", folder / "c.yaml", folder / "a.npz", "--quiet"});
  run_well({"convert", folder / "c.yaml", folder / "b.npz", "--quiet", "--set",
            "operator.ordering=tiles"});
  EXPECT_EQ(read_bytes(folder / "a.npz"), read_bytes(folder / "b.npz"));
  run_well(folder, "scan", {"run.scalar=double"});
  const std::string matrix = "{type: tomography, matrix: \"" + folder / "a.npz" + "\", rhs: \"" +
                             folder / "scan/sinogram.npy" + "\"";
  const std::string shape = ", volume: {size: [24, 20]}, geometry: {views: 12, detectors: 40}}";
  write_bytes(folder / "c.yaml",
              "problem: " + matrix + "}\nrun: {scalar: double}\n" +
                  "solver: {type: sirt, iterations: 6}\noutput: {image: [npy]}\n");
  run_well(folder, "natural");
  for (const std::string& ordering : orderings) {
    const bool on_grid = ordering.find("tiles") != std::string::npos ||
                         ordering.find("hilbert") != std::string::npos;
    run_well(
        folder, "out",
        {"problem=" + (on_grid ? matrix + shape : matrix + "}"), "operator.ordering=" + ordering});
    const auto a = read_npy<double>(folder / "natural/reconstruction.npy");
    const auto b = read_npy<double>(folder / "out/reconstruction.npy");
    EXPECT_EQ(b.shape,
              on_grid ? (std::vector<std::size_t>{24, 20}) : (std::vector<std::size_t>{480}));
    for (std::size_t i = 0; i < a.data.size(); ++i)
      ASSERT_NEAR(a.data[i], b.data[i], 1e-11) << ordering;
  }
  expect_failure(run_of(folder, "bad", {"operator.ordering=tiles"}), {"problem.volume.size"});
}

TEST(ProgramOrderings, unsuitable_orders_are_refused) {
  const RunFolder folder(square_config);
  // The number of detectors is known only after the size of the image.
  expect_failure(run_of(folder, "out", {"problem.geometry={views: 12}", "operator.ordering=rcm"}),
                 {"operator.ordering: rcm needs a square matrix", "--set operator.ordering=rcm"});
  write_bytes(folder / "late.yaml", std::string(small_config) + "operator:\n  ordering: rcm\n");
  expect_failure({"run", folder / "late.yaml", "--set", "problem.geometry={views: 12}", "--output",
                  folder / "out"},
                 {"late.yaml:8:13: operator.ordering: rcm needs"});
  EXPECT_FALSE(folder.has("out"));
}

TEST(ProgramOrderings, bench_accepts_matrices_in_every_order) {
  if (!has_bench()) GTEST_SKIP() << "skipped: built without the benchmarks";
  const RunFolder folder;
  // The limit keeps the arrays small that measure the bandwidths, whatever the last cache.
  write_bytes(folder / "b.yaml", R"(run: {memory_limit: 1GB}
bench:
  matrices:
    - {name: scan, tomography: {volume: {size: [24, 20]}, geometry: {views: 12, detectors: 40}}}
    - name: scan
      tomography: {volume: {size: [24, 20]}, geometry: {views: 12, detectors: 40}}
      ordering: tiles
    - name: scan
      tomography: {volume: {size: [24, 20]}, geometry: {views: 12, detectors: 40}}
      ordering: {columns: hilbert, rows: natural}
    - {name: stencil, stencil: {points: 7, size: 6}, ordering: rcm}
    - {name: uniform, uniform: {rows: 50, columns: 70}, ordering: by_length}
  operations: [spmv, spmv_transpose, transpose]
  variants: [automatic]
  peers: []
  repetitions: 1
  warmup: 0
)");
  run_well({"bench", folder / "b.yaml", "--json", folder / "b.json"});
  const std::string json = read_bytes(folder / "b.json");
  EXPECT_CONTAINS(json, "\"skipped\": []");
  for (const char* name :
       {"\"scan\"", "\"scan (tiles)\"", "\"scan (columns hilbert, rows natural)\"",
        "\"stencil (rcm)\"", "\"uniform (by_length)\""})
    EXPECT_CONTAINS(json, name);
}

}  // namespace
