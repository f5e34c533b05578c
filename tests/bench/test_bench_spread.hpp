// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Candidates for each size of the sections of the merge path, and differences between repeated
// results of one product.
#include <gtest/gtest.h>

#include <Tomokkos_BenchGenerators.hpp>
#include <Tomokkos_BenchSpread.hpp>
#include <Tomokkos_BenchSuite.hpp>
#include <cmath>
#include <set>

namespace {

using namespace Tomokkos::Bench;
using MemorySpace = TestSpace::memory_space;

/// Rectangular sorted matrix with rows of very different lengths and no negative entry.
template <class Scalar>
Tomokkos::CsrMatrix<Scalar, MemorySpace> uneven_matrix() {
  return Tomokkos::copy_to<MemorySpace>(TestSpace(), generate<Scalar>(Uniform{90, 70, 9.0, 3}));
}

TEST(BenchSpread, sections_are_candidates_and_the_results_of_runs_are_compared) {
  using Tomokkos::SpmvVariant;
  BenchOptions options;
  options.timing.warmup = 1;
  options.timing.repetitions = 2;
  options.timing.seconds_per_sample = 0;
  options.available_bytes = std::size_t{1} << 26;  // arrays of the bandwidth probe stay small
  options.operations = {Operation::spmv, Operation::spmv_transpose, Operation::mlem_iteration};
  options.variants = {SpmvVariant::crs_vector, SpmvVariant::merge_atomic, SpmvVariant::merge_path};
  options.sections = {{SpmvVariant::merge_atomic, {5, 64}}, {SpmvVariant::merge_path, {128}}};
  options.spread_runs = 3;
  Suite<TestSpace> suite(TestSpace(), options);
  suite.measure_matrix<float>("uniform", uneven_matrix<float>(), "");
  suite.measure_matrix<double>("uniform", uneven_matrix<double>(), "");
  EXPECT_TRUE(suite.report().skipped.empty());
  std::set<std::string> seen;
  for (const BenchResult& r : suite.report().results) {
    const std::string name = r.name.operation + ' ' + r.name.variant;
    EXPECT_LE(r.error, 1.0) << name;
    seen.insert(name);
    ASSERT_EQ(r.spread.has_value(), r.name.operation != "mlem_iteration") << name;
    if (!r.spread) continue;
    EXPECT_EQ(r.spread->runs, 3);
    const bool is_repeatable =
        name.find("atomic") == std::string::npos && name.find("private") == std::string::npos;
    if (is_repeatable) {
      EXPECT_EQ(r.spread->largest, 0.0) << name;
      EXPECT_EQ(r.spread->rms, 0.0) << name;
    }
    EXPECT_LT(r.spread->largest, r.name.scalar == "float" ? 1e-4 : 1e-13) << name;
    EXPECT_GE(r.spread->largest, 0.0) << name;
  }
  for (const char* wanted :
       {"spmv crs_vector", "spmv merge_atomic:5", "spmv merge_atomic:64", "spmv merge_path:128",
        "spmv_transpose stored:merge_atomic:5", "spmv_transpose stored:merge_path:128",
        "spmv_transpose atomic", "spmv_transpose atomic:merge_atomic:5",
        "spmv_transpose atomic:merge_atomic:64", "mlem_iteration atomic:merge_atomic:5"})
    EXPECT_EQ(seen.count(wanted), 1U) << wanted;
  EXPECT_EQ(seen.count("spmv merge_atomic"), 0U);
}

TEST(BenchSpread, the_spread_of_known_results_is_exact) {
  using Tomokkos::Vector;
  const TestSpace exec;
  const Vector<float, MemorySpace> y("y", 4);
  // The first run gives 4, 3, 0, 0. Later the second entry is off by 1 and then by -2.
  int run = 0;
  const auto launch = [&] {
    const float off[] = {0, 1, -2};
    const auto host = Kokkos::create_mirror_view(y);
    host(0) = 4;
    host(1) = 3 + off[run++];
    host(2) = host(3) = 0;
    Kokkos::deep_copy(y, host);
  };
  const SpreadFigures spread = spread_of<TestSpace, float>(exec, launch, y, 3);
  EXPECT_EQ(run, 3);
  EXPECT_EQ(spread.runs, 3);
  EXPECT_EQ(spread.largest, 2.0 / 4);
  EXPECT_DOUBLE_EQ(spread.rms, std::sqrt((1.0 + 4.0) / 2) / 5);
  const SpreadFigures no_spread = spread_of<TestSpace, float>(
      exec, [&] { Kokkos::deep_copy(y, 0.0F); }, y, 2);
  EXPECT_EQ(no_spread.largest, 0.0);
  EXPECT_EQ(no_spread.rms, 0.0);
}

}  // namespace
