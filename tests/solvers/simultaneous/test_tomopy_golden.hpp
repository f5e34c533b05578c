// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison with reconstructions of another code (TomoPy) from a small scan: 16 views, 8 slices,
// 48 columns, four iterations from an image of 1e-6. Its projector uses lengths of intersection,
// like `line`.
#include <TestData.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_Npy.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "StackTesting.hpp"

using namespace stack_testing;

namespace {

constexpr Ordinal num_views = 16, num_slices = 8, side = 48;

Values read(const std::string& name, std::vector<std::size_t> shape) {
  const auto array = read_npy<double>(Tomokkos::Testing::test_data_path(name));
  EXPECT_EQ(array.shape, shape) << name;
  return array.data;
}

/// Order of the views in the three blocks of TomoPy, which have 6, 5 and 5 views.
const std::vector<Ordinal> shuffled_views{2, 11, 3, 10, 0, 4, 7, 5, 14, 12, 6, 9, 13, 8, 1, 15};

/// Data, row-major: rays of the views in the given order x slices.
Values ordered_data(const std::vector<Ordinal>& views) {
  const Values file = read("tomography/proj.npy", {num_views, num_slices, side});
  Values data;
  for (const Ordinal view : views)
    for (Ordinal column = 0; column < side; ++column)
      for (Ordinal slice = 0; slice < num_slices; ++slice)
        data.push_back(file[static_cast<std::size_t>((view * num_slices + slice) * side + column)]);
  return data;
}

/// Returns the relative L2 distance from the reference, of the worst slice.
template <class Solver>
double distance(const typename Solver::params_type& params, const std::vector<Ordinal>& views,
                const std::string& name) {
  using Scalar = typename Solver::scalar_type;
  const TestSpace exec;
  const Values angles = read("tomography/angle.npy", {num_views});
  Values ordered;
  for (const Ordinal view : views) ordered.push_back(angles[static_cast<std::size_t>(view)]);
  ScanGeometry scan;
  scan.views = ViewAngles::list(ordered);
  scan.detectors = side;
  const AnyOperator<TestSpace, Scalar> A =
      Operator<Scalar>(exec, build_system_matrix<TestSpace, Scalar>(
                                 exec, VolumeGeometry{side, side, 1.0}, scan, Projector::line));
  const auto B = make_vector<Scalar>(exec, ordered_data(views));
  const auto x = make_vector<Scalar>(exec, Values(side * side * num_slices, 1e-6));
  Solver solver(exec, A.num_rows(), A.num_cols(), params, num_slices);
  const auto results = solver.solve(
      exec, A, MultiVectorView<const Scalar, MemorySpace>(B.data(), A.num_rows(), num_slices),
      MultiVectorView<Scalar, MemorySpace>(x.data(), A.num_cols(), num_slices));
  const Values reference = read("reference/tomopy/" + name + ".npy", {num_slices, side, side});
  double worst = 0;
  for (std::size_t j = 0; j < num_slices; ++j) {
    EXPECT_EQ(results[j].iterations, 4);
    const auto first = reference.begin() + static_cast<std::ptrdiff_t>(j * side * side);
    worst = std::max(worst, relative_difference(slice(to_std_vector(x), num_slices, j),
                                                Values(first, first + side * side)));
  }
  return worst;
}

std::vector<Ordinal> natural_views() {
  std::vector<Ordinal> views;
  for (Ordinal view = 0; view < num_views; ++view) views.push_back(view);
  return views;
}

template <class Scalar>
class TomoPyGolden : public ::testing::Test {};
TYPED_TEST_SUITE(TomoPyGolden, Scalars);

TYPED_TEST(TomoPyGolden, mlem) {
  using Solver = Mlem<TestSpace, TypeParam>;
  MlemParams params;
  params.iterations = 4;
  EXPECT_LT(distance<Solver>(params, natural_views(), "mlem"), 1e-4);
  params.iterations = 4;
  params.subsets = 2;
  EXPECT_GT(distance<Solver>(params, natural_views(), "mlem"), 1e-2);
}

TYPED_TEST(TomoPyGolden, ordered_subsets_of_unequal_size) {
  using Solver = Mlem<TestSpace, TypeParam>;
  MlemParams params;
  params.iterations = 4;
  params.subsets = 3;
  params.subset_unit = side;
  EXPECT_LT(distance<Solver>(params, shuffled_views, "osem"), 1e-4);
  // With other blocks, or in another order, the reconstruction differs.
  params.subset_unit = 1;
  EXPECT_GT(distance<Solver>(params, shuffled_views, "osem"), 1e-3);
  params.subset_unit = side;
  EXPECT_GT(distance<Solver>(params, natural_views(), "osem"), 1e-2);
}

// The rows of TomoPy have the weight 1 / sum a_ij^2, ours 1 / sum a_ij. The results are close, but
// not equal.
TYPED_TEST(TomoPyGolden, sirt) {
  using Solver = Sirt<TestSpace, TypeParam>;
  SirtParams params;
  params.iterations = 4;
  EXPECT_LT(distance<Solver>(params, natural_views(), "sirt"), 3e-2);
  params.subsets = 3;
  params.subset_unit = side;
  EXPECT_LT(distance<Solver>(params, shuffled_views, "bart"), 3e-2);
}

}  // namespace
