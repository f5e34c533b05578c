// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Filtered back projection as a solver, in natural and in other orders.
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_FilteredBackProjection.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_MakeSolver.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <cmath>
#include <numeric>

#include "DeviceCsr.hpp"
#include "SolverTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace solver_testing;
using TestMemory = TestSpace::memory_space;

const VolumeGeometry volume{10, 12, 1.0};

ScanGeometry scan_of(Ordinal views, Angle range) {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(views, {}, range);
  scan.detectors = 17;
  return scan;
}

ComputedOperator<TestSpace, double> computed(const ScanGeometry& scan,
                                             const IndexMap<TestMemory>& rays = {},
                                             const IndexMap<TestMemory>& pixels = {}) {
  return ComputedOperator<TestSpace, double>(
      make_computed_projection(TestSpace(), volume, scan, Projector::line, rays, pixels));
}

/// Two slices of data, side by side.
std::vector<double> two_slices(std::size_t rays) {
  std::vector<double> data(2 * rays);
  for (std::size_t i = 0; i < data.size(); ++i)
    data[i] = 1 + std::sin(0.7 * static_cast<double>(i));
  return data;
}

struct Solved {
  std::vector<double> images;
  std::vector<SolveResult> results;
};

Solved solve(const AnyOperator<TestSpace, double>& A, const std::vector<double>& data,
             const FbpParams& params = {}) {
  const TestSpace exec;
  const auto rows = static_cast<std::size_t>(A.num_rows());
  const auto columns = static_cast<std::size_t>(A.num_cols());
  const std::size_t slices = data.size() / rows;
  const auto b = copy_to_device(exec, data);
  // The start has no influence.
  const auto x = copy_to_device(exec, std::vector<double>(columns * slices, 7.0));
  const MultiVectorView<double, TestMemory> X(x.data(), columns, slices);
  Solved result;
  result.results = make_solver(exec, params, A, static_cast<Ordinal>(slices))
                       ->solve(exec, A, {b.data(), rows, slices}, X);
  result.images = copy_to_host(exec, x);
  return result;
}

TEST(Fbp, is_the_filtered_back_projection_of_every_slice) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(14, Angle::degrees(180));
  const std::vector<double> data = two_slices(static_cast<std::size_t>(scan.num_rays()));
  for (const RampWindow filter : {RampWindow::ram_lak, RampWindow::hann}) {
    FbpParams params;
    params.filter = filter;
    const AnyOperator<TestSpace, double> A = computed(scan);
    const Solved solved = solve(A, data, params);
    const auto b = copy_to_device(exec, data);
    const auto x = copy_to_device(exec, std::vector<double>(solved.images.size()));
    FilteredBackProjection<TestSpace, double>(exec, volume, scan, filter)
        .apply(exec, {b.data(), data.size() / 2, 2}, {x.data(), solved.images.size() / 2, 2});
    EXPECT_EQ(solved.images, copy_to_host(exec, x)) << to_string(filter);

    // The record holds the residual of the image.
    const auto projected = copy_to_device(exec, std::vector<double>(data.size()));
    A.apply(exec, 1, {x.data(), solved.images.size() / 2, 2}, 0,
            {projected.data(), data.size() / 2, 2});
    const std::vector<double> projection = copy_to_host(exec, projected);
    ASSERT_EQ(solved.results.size(), 2U);
    for (std::size_t slice = 0; slice < 2; ++slice) {
      double residual = 0;
      for (std::size_t i = slice; i < data.size(); i += 2)
        residual += (data[i] - projection[i]) * (data[i] - projection[i]);
      const SolveResult& result = solved.results[slice];
      EXPECT_EQ(result.iterations, 1);
      EXPECT_EQ(result.reason, StopReason::max_iterations);
      EXPECT_NEAR(result.residual, std::sqrt(residual), 1e-10 * std::sqrt(residual));
      EXPECT_GT(result.residual, 0.01);
    }
  }
}

TEST(Fbp, does_not_depend_on_the_order_of_rays_and_pixels) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(14, Angle::degrees(180));
  const Ordinal rays = static_cast<Ordinal>(scan.num_rays());
  const std::vector<double> data = two_slices(static_cast<std::size_t>(rays));
  // Every third view first; every second pixel, from the last on.
  std::vector<Ordinal> order, kept;
  for (Ordinal first = 0; first < 3; ++first)
    for (Ordinal view = first; view < 14; view += 3)
      for (Ordinal i = 0; i < 17; ++i) order.push_back(17 * view + i);
  for (Ordinal pixel = 119; pixel >= 0; pixel -= 2) kept.push_back(pixel);
  std::vector<double> ordered;
  for (const Ordinal ray : order)
    for (const std::size_t slice : {0, 1})
      ordered.push_back(data[2 * static_cast<std::size_t>(ray) + slice]);
  const Solved natural = solve(computed(scan), data);
  const Solved moved = solve(
      computed(scan, make_index_map(exec, rays, order), make_index_map(exec, 120, kept)), ordered);
  ASSERT_EQ(moved.images.size(), 120U);
  for (std::size_t i = 0; i < kept.size(); ++i)
    for (const std::size_t slice : {0, 1})
      EXPECT_EQ(moved.images[2 * i + slice],
                natural.images[2 * static_cast<std::size_t>(kept[i]) + slice]);
}

TEST(Fbp, refuses_what_it_cannot_use) {
  const TestSpace exec;
  const ScanGeometry scan = scan_of(14, Angle::degrees(180));
  const auto rays = static_cast<std::size_t>(scan.num_rays());
  const std::vector<double> data = two_slices(rays);
  const auto message = [&](const AnyOperator<TestSpace, double>& A, const std::vector<double>& b,
                           const FbpParams& params = {}) -> std::string {
    try {
      solve(A, b, params);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const AnyOperator<TestSpace, double> stored = MatrixOperator(
      exec, build_system_matrix<TestSpace, double>(exec, volume, scan, Projector::line));
  EXPECT_NE(message(stored, data).find("knows the geometry of all rays"), std::string::npos);
  std::vector<Ordinal> some(rays - 17);
  std::iota(some.begin(), some.end(), 0);
  const AnyOperator<TestSpace, double> part =
      computed(scan, make_index_map(exec, static_cast<Ordinal>(rays), some));
  EXPECT_NE(message(part, two_slices(some.size())).find("knows the geometry of all rays"),
            std::string::npos);
  // Missing directions are the caller's choice.
  EXPECT_EQ(message(computed(scan_of(14, Angle::degrees(100))), data), "");
  FbpParams params;
  params.stop.relative_change = 0.1;
  EXPECT_NE(message(computed(scan), data, params).find("no stop rules"), std::string::npos);
  std::vector<double> missing = data;
  missing[3] = std::nan("");
  EXPECT_NE(message(computed(scan), missing).find("entry 1 of the data of slice 1"),
            std::string::npos);
}

}  // namespace
