// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison with matrices of another code (ASTRA Toolbox, computed in float32). Rows to be left
// out according to its README are marked in the files.
#pragma once

#include <gtest/gtest.h>

#include <TestData.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Npz.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace {

using Tomokkos::Beam;
using Tomokkos::Offset;
using Tomokkos::Ordinal;
using Tomokkos::Projector;

/// Matrix file with the tolerances and the number of rows to leave out from its manifest.
struct GoldenMatrix {
  Projector projector;
  const char* file;
  double tolerance;            // largest absolute difference of an entry
  double frobenius_tolerance;  // relative difference of the whole
  int skipped_rows;
};

struct GoldenCase {
  const char* name;
  Tomokkos::VolumeGeometry volume;
  Tomokkos::ScanGeometry scan;
  std::vector<double> angles;  // as the manifest lists them
  std::vector<GoldenMatrix> matrices;
};

/// \p count angles from \p start in steps of \p step.
std::vector<double> angles_of(int count, double start, double step) {
  std::vector<double> angles;
  for (int view = 0; view < count; ++view) angles.push_back(start + step * view);
  return angles;
}

std::vector<GoldenCase> golden_cases() {
  using Tomokkos::Angle;
  using Tomokkos::ViewAngles;
  constexpr double pi = std::numbers::pi;
  const auto parallel = [](ViewAngles views, Ordinal detectors, double width) {
    return Tomokkos::ScanGeometry{Beam::parallel, std::move(views), detectors, width, {}, {}, 0, 0};
  };
  const auto fan = [](ViewAngles views, Ordinal detectors, double width, double source,
                      double detector) {
    return Tomokkos::ScanGeometry{Beam::fan, std::move(views), detectors, width, {},
                                  {},        source,           detector};
  };
  const auto over = [](Ordinal count, Angle range) {
    return ViewAngles::evenly_spaced(count, {}, range);
  };
  const auto scaled_views = ViewAngles::evenly_spaced(8, Angle::radians(0.1), Angle::radians(2.0));
  const auto half = ViewAngles::half_turn();
  const auto full = ViewAngles::full_turn();
  return {
      {"small_parallel",
       {4, 4, 1.0},
       parallel(over(6, half), 7, 1.0),
       angles_of(6, 0, pi / 6),
       {{Projector::line, "small_parallel_line", 1e-5, 1e-5, 10},
        {Projector::linear, "small_parallel_linear", 1e-5, 1e-5, 0},
        {Projector::strip, "small_parallel_strip", 1e-5, 1e-5, 0}}},
      {"small_fan",
       {4, 4, 1.0},
       fan(over(6, full), 7, 1.0, 10, 5),
       angles_of(6, 0, pi / 3),
       {{Projector::line, "small_fan_line", 1e-5, 1e-5, 2},
        {Projector::strip, "small_fan_strip", 1e-5, 1e-5, 0}}},
      {"nonsquare_parallel",
       {16, 12, 1.0},
       parallel(over(9, half), 23, 0.8),
       angles_of(9, 0, pi / 9),
       {{Projector::line, "nonsquare_parallel_line", 4e-5, 1e-5, 3},
        {Projector::linear, "nonsquare_parallel_linear", 2e-5, 1e-5, 0},
        {Projector::strip, "nonsquare_parallel_strip", 2e-5, 1e-5, 0}}},
      {"nonsquare_fan",
       {16, 12, 1.0},
       fan(over(9, full), 23, 0.8, 40, 25),
       angles_of(9, 0, 2 * pi / 9),
       {{Projector::line, "nonsquare_fan_line", 2e-4, 2e-5, 1},
        {Projector::strip, "nonsquare_fan_strip", 5e-5, 1e-5, 10}}},
      {"scaled_parallel",
       {14, 10, 0.5},
       parallel(scaled_views, 11, 1.3),
       angles_of(8, 0.1, 0.25),
       {{Projector::line, "scaled_parallel_line", 2e-5, 1e-5, 0},
        {Projector::linear, "scaled_parallel_linear", 1e-5, 1e-5, 0},
        {Projector::strip, "scaled_parallel_strip", 1e-5, 1e-5, 0}}},
      {"scaled_fan",
       {14, 10, 0.5},
       fan(scaled_views, 11, 1.3, 20, 12),
       angles_of(8, 0.1, 0.25),
       {{Projector::line, "scaled_fan_line", 3e-5, 1e-5, 0},
        {Projector::strip, "scaled_fan_strip", 1e-5, 1e-5, 5}}},
  };
}

/// One row as a dense vector.
template <class Scalar>
std::vector<double> dense_row(const Tomokkos::HostCsrMatrix<Scalar>& A, Ordinal row) {
  std::vector<double> dense(static_cast<std::size_t>(A.num_cols), 0.0);
  for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
    dense[static_cast<std::size_t>(A.columns(k))] += A.values(k);
  return dense;
}

template <class Scalar>
void compare_with_golden(const GoldenCase& golden, const Tomokkos::ScanGeometry& scan,
                         const GoldenMatrix& matrix) {
  SCOPED_TRACE(std::string(matrix.file) + (scan.views.is_evenly_spaced() ? "" : ", angles listed"));
  const auto path =
      Tomokkos::Testing::test_data_path(std::string("reference/astra/") + matrix.file + ".npz");
  const auto reference = Tomokkos::read_npz_matrix<double>(path);
  const auto skip = Tomokkos::read_npz_array<float>(path, "skip_rows");
  const TestSpace exec;
  const auto A =
      Tomokkos::copy_to<Kokkos::HostSpace>(exec, Tomokkos::build_system_matrix<TestSpace, Scalar>(
                                                     exec, golden.volume, scan, matrix.projector));
  ASSERT_EQ(A.num_rows, reference.num_rows);
  ASSERT_EQ(A.num_cols, reference.num_cols);
  ASSERT_EQ(skip.data.size(), static_cast<std::size_t>(A.num_rows));
  EXPECT_EQ(std::count(skip.data.begin(), skip.data.end(), 1.0F), matrix.skipped_rows);
  double largest = 0;
  double squares = 0;
  double reference_squares = 0;
  for (Ordinal row = 0; row < A.num_rows; ++row) {
    if (skip.data[static_cast<std::size_t>(row)] != 0) continue;
    const auto ours = dense_row(A, row);
    const auto theirs = dense_row(reference, row);
    for (std::size_t column = 0; column < ours.size(); ++column) {
      const double difference = std::fabs(ours[column] - theirs[column]);
      largest = std::max(largest, difference);
      squares += difference * difference;
      reference_squares += theirs[column] * theirs[column];
    }
  }
  EXPECT_LE(largest, matrix.tolerance);
  EXPECT_LE(std::sqrt(squares), matrix.frobenius_tolerance * std::sqrt(reference_squares));
}

template <class Scalar>
void compare_all_with_golden() {
  for (const GoldenCase& golden : golden_cases()) {
    Tomokkos::ScanGeometry listed = golden.scan;
    listed.views = Tomokkos::ViewAngles::list(golden.angles);
    for (const GoldenMatrix& matrix : golden.matrices) {
      compare_with_golden<Scalar>(golden, golden.scan, matrix);
      compare_with_golden<Scalar>(golden, listed, matrix);
    }
  }
}

TEST(SystemMatrixGolden, double_matches_astra) { compare_all_with_golden<double>(); }

TEST(SystemMatrixGolden, float_matches_astra) { compare_all_with_golden<float>(); }

/// Source and detector given for each view, an image off the axis.
TEST(SystemMatrixGolden, vectors_match_astra) {
  const std::vector<std::pair<Beam, GoldenMatrix>> matrices{
      {Beam::parallel, {Projector::line, "vectors_parallel_line", 1e-4, 2e-5, 0}},
      {Beam::parallel, {Projector::linear, "vectors_parallel_linear", 2e-5, 1e-5, 0}},
      {Beam::parallel, {Projector::strip, "vectors_parallel_strip", 2e-5, 1e-5, 0}},
      {Beam::fan, {Projector::line, "vectors_fan_line", 1e-4, 2e-5, 0}}};
  for (const auto& [beam, matrix] : matrices) {
    const auto numbers = Tomokkos::read_npz_array<double>(
        Tomokkos::Testing::test_data_path(std::string("reference/astra/") + matrix.file + ".npz"),
        "vectors");
    std::vector<Tomokkos::ViewVectors> vectors(numbers.data.size() / 6);
    for (std::size_t i = 0; i < numbers.data.size(); ++i) vectors[i / 6][i % 6] = numbers.data[i];
    const GoldenCase golden{
        matrix.file, {10, 12, 0.8, 0, 1.6, -0.8}, make_vector_scan(beam, vectors, 13), {}, {}};
    compare_with_golden<double>(golden, golden.scan, matrix);
  }
}

/// Matrix of the reference reconstructions: 90 views of 64 x 64 pixels.
TEST(SystemMatrixGolden, sinogram_of_shepp_logan) {
  const auto image = Tomokkos::read_npy<double>(
      Tomokkos::Testing::test_data_path("reference/astra/shepp_logan_64.npy"));
  const auto sinogram = Tomokkos::read_npy<double>(
      Tomokkos::Testing::test_data_path("reference/astra/shepp_logan_64_sinogram.npy"));
  Tomokkos::ScanGeometry scan;
  scan.views = Tomokkos::ViewAngles::evenly_spaced(90);
  scan.detectors = 95;
  const TestSpace exec;
  const auto A =
      Tomokkos::copy_to<Kokkos::HostSpace>(exec, Tomokkos::build_system_matrix<TestSpace, double>(
                                                     exec, {64, 64, 1.0}, scan, Projector::linear));
  ASSERT_EQ(sinogram.data.size(), static_cast<std::size_t>(A.num_rows));
  double squares = 0;
  double reference_squares = 0;
  for (Ordinal row = 0; row < A.num_rows; ++row) {
    double sum = 0;
    for (Offset k = A.row_offsets(row); k < A.row_offsets(row + 1); ++k)
      sum += A.values(k) * image.data[static_cast<std::size_t>(A.columns(k))];
    const double theirs = sinogram.data[static_cast<std::size_t>(row)];
    squares += (sum - theirs) * (sum - theirs);
    reference_squares += theirs * theirs;
  }
  EXPECT_LE(std::sqrt(squares), 3e-5 * std::sqrt(reference_squares));
}

}  // namespace
