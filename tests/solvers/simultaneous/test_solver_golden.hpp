// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison with reconstructions of other codes (ASTRA Toolbox, and NumPy in double with the
// matrix of ASTRA) from the sinogram of ASTRA: Shepp-Logan 64 x 64, 90 views, 95 detectors,
// `linear`.
#include <TestData.hpp>
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

Values golden(const std::string& name, std::vector<std::size_t> shape) {
  const auto array = read_npy<double>(
      Tomokkos::Testing::test_data_path("reference/astra/shepp_logan_64" + name + ".npy"));
  EXPECT_EQ(array.shape, shape);
  return array.data;
}

ScanGeometry golden_scan() {
  ScanGeometry scan;
  scan.views = ViewAngles::evenly_spaced(90);
  scan.detectors = 95;
  return scan;
}

/// Reconstructs and compares in the relative L2 norm, to which the tolerances of the manifest
/// refer.
template <class Solver, class Params>
void expect_golden(const Params& params, const std::string& name, double start,
                   double relative_tolerance) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const Operator<Scalar> A(
      exec, build_system_matrix<TestSpace, Scalar>(exec, VolumeGeometry{64, 64, 1.0}, golden_scan(),
                                                   Projector::linear));
  const auto b = make_vector<Scalar>(exec, golden("_sinogram", {90, 95}));
  const auto x = make_vector<Scalar>(exec, Values(64 * 64, start));
  Solver solver(exec, A.num_rows(), A.num_cols(), params);
  const AnyOperator<TestSpace, Scalar> erased = A;
  const SolveResult result = solver.solve(exec, erased, b, x);
  EXPECT_EQ(result.reason, StopReason::max_iterations);
  EXPECT_LT(relative_difference(to_std_vector(x), golden("_" + name, {64, 64})), relative_tolerance)
      << name;
}

template <class Scalar>
class SolverGolden : public ::testing::Test {};
TYPED_TEST_SUITE(SolverGolden, Scalars);

TYPED_TEST(SolverGolden, sirt) {
  using Solver = Sirt<TestSpace, TypeParam>;
  SirtParams params;
  params.iterations = 10;
  expect_golden<Solver>(params, "sirt_10", 0, 1e-4);
  params.iterations = 50;
  expect_golden<Solver>(params, "sirt_50", 0, 1e-4);
  params.minimum = 0;
  expect_golden<Solver>(params, "sirt_50_min0", 0, 1e-4);
}

TYPED_TEST(SolverGolden, art) {
  ArtParams params;
  params.sweeps = 1;
  expect_golden<Art<TestSpace, TypeParam>>(params, "art_1", 0, 1e-4);
}

TYPED_TEST(SolverGolden, sart) {
  SartParams params;
  params.sweeps = 1;
  params.view_rows = 95;
  expect_golden<Sart<TestSpace, TypeParam>>(params, "sart_1", 0, 1e-4);
}

TYPED_TEST(SolverGolden, cgls) {
  using Solver = Cgls<TestSpace, TypeParam>;
  CglsParams params;
  params.iterations = 5;
  expect_golden<Solver>(params, "cgls_5", 0, 4e-4);
  params.iterations = 10;
  // After about 6 iterations single precision departs from the course of double precision.
  if (std::is_same_v<TypeParam, double>) expect_golden<Solver>(params, "cgls_10_f64", 0, 1e-4);
}

TYPED_TEST(SolverGolden, mlem) {
  using Solver = Mlem<TestSpace, TypeParam>;
  MlemParams params;
  params.iterations = 10;
  expect_golden<Solver>(params, "mlem_10", 1, 1e-4);
  params.iterations = 50;
  expect_golden<Solver>(params, "mlem_50", 1, 1e-4);
}

}  // namespace
