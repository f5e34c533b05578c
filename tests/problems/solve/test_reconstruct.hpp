// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reconstructions in a single call give the same images as their separate steps, in any order and
// for any number of slices.
#include <gtest/gtest.h>

#include <Tomokkos_BuildSystem.hpp>
#include <Tomokkos_ComputedOperator.hpp>
#include <Tomokkos_HostArrays.hpp>
#include <Tomokkos_Reconstruct.hpp>
#include <cmath>
#include <string>
#include <vector>

#include "Complaint.hpp"

using namespace Tomokkos;
using Testing::complaint_of;

namespace {

RowSource scan_rows() {
  ScanRows rows;
  rows.volume = {18, 20};
  rows.scan.views = ViewAngles::evenly_spaced(16);
  rows.scan.detectors = 29;
  rows.projector = Projector::line;
  return rows;
}

/// Data of an image with a few hot pixels, whose positions depend on \p slice.
std::vector<double> data_of(const AnyOperator<TestSpace, double>& A, int slice) {
  const TestSpace exec;
  std::vector<double> image(static_cast<std::size_t>(A.num_cols()), 0.5);
  for (std::size_t i = 60; i < 200; i += 7 + slice) image[i] = 2;
  const auto x = copy_to_device(exec, image);
  const auto y =
      copy_to_device(exec, std::vector<double>(static_cast<std::size_t>(A.num_rows()), 0));
  A.apply(exec, 1, as_multivector(x), 0, as_multivector(y));
  return copy_to_host(exec, y);
}

template <class Params>
SolverParams with_subsets(Params params, int subsets) {
  params.subsets = subsets;
  return params;
}

std::vector<SolverParams> all_params() {
  std::vector<SolverParams> all;
  for (const auto& [kind, name] : EnumNames<SolverKind>::names)
    if (task_of(kind) != SolverTask::square_systems && kind != SolverKind::fbp)
      all.push_back(default_params(kind));
  all.push_back(with_subsets(MlemParams(), 4));
  all.push_back(with_subsets(SirtParams(), 4));
  all.push_back(with_subsets(SartParams(), 4));
  for (SolverParams& params : all)
    std::visit(
        [](auto& own) {
          if constexpr (requires { own.iterations; }) own.iterations = 6;
          if constexpr (requires { own.sweeps; }) own.sweeps = 6;
          if constexpr (requires { own.block_rows; }) own.block_rows = 29;
        },
        params);
  return all;
}

/// Whether a pass uses all rows at once.
bool is_whole(const SolverParams& params) {
  return std::visit(
      [](const auto& own) {
        if constexpr (requires { own.view_rows; })
          return false;
        else if constexpr (requires { own.subsets; })
          return own.subsets == 1;
        else
          return true;
      },
      params);
}

/// Reconstructs in separate steps with the matrix in its natural order.
std::vector<double> by_steps(SolverParams params, const AnyOperator<TestSpace, double>& A,
                             const std::vector<double>& data) {
  const TestSpace exec;
  std::visit(
      [](auto& own) {
        if constexpr (requires { own.subset_unit; }) own.subset_unit = 29;
        if constexpr (requires { own.view_rows; }) own.view_rows = 29;
      },
      params);
  const auto b = copy_to_device(exec, data);
  const auto x =
      copy_to_device(exec, std::vector<double>(static_cast<std::size_t>(A.num_cols()), 0));
  if (kind_of(params) == SolverKind::mlem) uniform_start(exec, A, b, x);
  make_solver(exec, params, A)->solve(exec, A, b, x);
  return copy_to_host(exec, x);
}

void expect_near(const std::vector<double>& images, const std::vector<double>& expected,
                 const std::string& what, double tolerance = 1e-10) {
  ASSERT_EQ(images.size(), expected.size()) << what;
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < images.size(); ++i) {
    worst = std::max(worst, std::abs(images[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  EXPECT_GT(largest, 0.1) << what;
  EXPECT_LE(worst, tolerance * largest) << what;
}

TEST(Reconstruct, projects_back_without_a_matrix) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  const auto& scan = std::get<ScanRows>(source);
  const AnyOperator<TestSpace, double> A = ComputedOperator<TestSpace, double>(
      make_computed_projection(exec, scan.volume, scan.scan, scan.projector));
  const std::vector<double> data = data_of(A, 0);
  expect_near(reconstruct<TestSpace, double>(exec, source, data, FbpParams()).images,
              by_steps(FbpParams(), A, data), "fbp");
  // Missing rays are interpolated along the detector.
  std::vector<double> missing = data, filled = data;
  missing[3 * 29 + 14] = std::nan("");
  filled[3 * 29 + 14] = 0.5 * (data[3 * 29 + 13] + data[3 * 29 + 15]);
  expect_near(reconstruct<TestSpace, double>(exec, source, missing, FbpParams()).images,
              by_steps(FbpParams(), A, filled), "fbp with a missing ray");
}

TEST(Reconstruct, equals_its_separate_steps_in_any_order) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  OperatorWish plain;
  const auto A = build_system<TestSpace, double>(exec, source, plain).A;
  const std::vector<double> data = data_of(A, 0);
  for (const SolverParams& params : all_params()) {
    const SolverKind kind = kind_of(params);
    const std::string name(to_string(kind));
    const std::vector<double> expected = by_steps(params, A, data);
    const auto natural = reconstruct<TestSpace, double>(exec, source, data, params);
    expect_near(natural.images, expected, name);
    ASSERT_EQ(natural.results.size(), 1U);
    EXPECT_EQ(natural.results.front().iterations, 6) << name;
    EXPECT_NE(natural.matrix.find("format"), nullptr);
    ReconstructOptions options;
    options.wish.ordering.columns = Ordering::hilbert;
    expect_near(reconstruct<TestSpace, double>(exec, source, data, params, options).images,
                expected, name + ", pixels along a curve");
    // Solvers that visit rows one after the other depend on their order.
    if (kind == SolverKind::art || kind == SolverKind::block_art || !is_whole(params)) continue;
    options.wish.ordering.rows = Ordering::tiles;
    options.wish.stored = CsrOptions{};
    const auto ordered = reconstruct<TestSpace, double>(exec, source, data, params, options);
    EXPECT_EQ(ordered.matrix.find("format")->value(), Description::Value(std::string("csr")));
    expect_near(ordered.images, expected, name + ", rays in tiles");
  }
}

TEST(Reconstruct, gives_the_same_images_in_every_way_to_the_matrix) {
  const TestSpace exec;
  ScanRows square = std::get<ScanRows>(scan_rows());
  square.volume = {20, 20};
  const RowSource source = square;
  const std::vector<double> data = data_of(build_system<TestSpace, double>(exec, source).A, 0);
  for (SolverParams params :
       {SolverParams(MlemParams()), with_subsets(SirtParams(), 4), SolverParams(CglsParams())}) {
    // Rounding grows with the iterations of CGLS.
    std::visit(
        [](auto& own) {
          if constexpr (requires { own.iterations; }) own.iterations = 6;
        },
        params);
    const std::string name(to_string(kind_of(params)));
    const auto expected = reconstruct<TestSpace, double>(exec, source, data, params).images;
    for (const char* const way : {"scsr", "computed", "ray_tiles", "sell"}) {
      // SELL has no products with ranges of rows.
      if (std::string(way) == "sell" && !is_whole(params)) continue;
      ReconstructOptions options;
      options.wish.set_format(way);
      const auto made = reconstruct<TestSpace, double>(exec, source, data, params, options);
      EXPECT_EQ(made.matrix.find("format")->value(), Description::Value(std::string(way)));
      expect_near(made.images, expected, name + ", " + way, 1e-9);
    }
  }
}

TEST(Reconstruct, a_stack_equals_its_slices_one_by_one) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  const auto A = build_system<TestSpace, double>(exec, source).A;
  const std::vector<double> first = data_of(A, 0), second = data_of(A, 1);
  std::vector<double> both = first;
  both.insert(both.end(), second.begin(), second.end());
  SirtParams params;
  params.iterations = 5;
  ReconstructOptions options;
  options.wish.ordering.columns = Ordering::tiles;
  const auto stack = reconstruct<TestSpace, double>(exec, source, both, params, options);
  ASSERT_EQ(stack.results.size(), 2U);
  auto expected = reconstruct<TestSpace, double>(exec, source, first, params, options).images;
  const auto other = reconstruct<TestSpace, double>(exec, source, second, params, options).images;
  EXPECT_NE(expected, other);
  expected.insert(expected.end(), other.begin(), other.end());
  expect_near(stack.images, expected, "two slices");
  // A single start image applies to all slices.
  options.start.assign(static_cast<std::size_t>(A.num_cols()), 0.25);
  const auto started = reconstruct<TestSpace, double>(exec, source, both, params, options);
  options.start.resize(2 * options.start.size(), 0.25);
  const auto each = reconstruct<TestSpace, double>(exec, source, both, params, options);
  EXPECT_EQ(each.images, started.images);
  EXPECT_NE(started.images, stack.images);
}

TEST(Reconstruct, a_resumed_run_gives_the_same_bits) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  const auto data = data_of(build_system<TestSpace, double>(exec, source).A, 0);
  MlemParams params;
  params.check_every = 1;
  params.iterations = 8;
  ReconstructOptions options;
  options.wish.stored = CsrOptions{};
  options.deterministic = true;
  const auto whole = reconstruct<TestSpace, double>(exec, source, data, params, options);
  std::optional<SolveProgress> progress;
  const auto half = reconstruct<TestSpace, double>(
      exec, source, data, params, options,
      [&](const TestSpace&, const MonitorState<TestSpace, double>& state) {
        if (state.iteration < 3) return MonitorAction::proceed;
        progress = state.progress();
        return MonitorAction::stop;
      });
  EXPECT_EQ(half.results.front().iterations, 3);
  options.start = half.images;
  options.resumed = std::move(progress);
  const auto resumed = reconstruct<TestSpace, double>(exec, source, data, params, options);
  EXPECT_EQ(resumed.results.front().iterations, 8);
  EXPECT_EQ(resumed.images, whole.images);
}

TEST(Reconstruct, wrong_lengths_are_refused) {
  const TestSpace exec;
  const RowSource source = scan_rows();
  const std::vector<double> data(16 * 29, 1);
  const auto run = [&](const std::vector<double>& values, const ReconstructOptions& options) {
    reconstruct<TestSpace, double>(exec, source, values, MlemParams(), options);
  };
  EXPECT_COMPLAINT(run({}, {}), "expected 464 for each slice");
  EXPECT_COMPLAINT(run(std::vector<double>(465, 1), {}), "the data hold 465 values");
  ReconstructOptions options;
  options.start.assign(17, 1);
  EXPECT_COMPLAINT(run(data, options), "the start");
  options = {};
  options.background.assign(3, 1);
  EXPECT_COMPLAINT(run(data, options), "background");
}

}  // namespace
