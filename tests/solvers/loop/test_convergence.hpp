// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convergence of the methods on a scan, compared with each other and with the literature. Per
// sweep, ART in an order of views with large steps is far ahead of ART in the order of measurement
// (Guan and Gordon 1994). SART and ART progress about equally (Andersen and Kak 1984). Blocks
// progress less than single rays, ordered subsets more than SIRT (Hudson and Larkin 1994). CGLS is
// better than SIRT.
#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_Phantoms.hpp>
#include <Tomokkos_RowOrder.hpp>
#include <Tomokkos_Sart.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_SystemMatrix.hpp>

#include "SolverTesting.hpp"

using namespace solver_testing;

namespace {

constexpr Ordinal views = 90, detectors = 95, side = 64;

/// Shepp-Logan phantom with its projections by the matrix, and the residual and error that a method
/// leaves.
class Convergence : public ::testing::Test {
 protected:
  struct Left {
    double residual;  ///< divided by that of the zero image
    double error;     ///< error of the image divided by its norm
  };

  Convergence()
      : A_(exec_, build_system_matrix<TestSpace, float>(exec_, VolumeGeometry{side, side, 1.0},
                                                        scan(), Projector::line)),
        truth_(sample_phantom(PhantomKind::shepp_logan, side, side)),
        b_("b", A_.num_rows()) {
    const auto image = make_vector<float>(exec_, truth_);
    A_.apply(exec_, 1.0F, as_multivector(Image(image)), 0.0F, as_multivector(b_));
  }

  static ScanGeometry scan() {
    ScanGeometry scan;
    scan.views = ViewAngles::evenly_spaced(views);
    scan.detectors = detectors;
    return scan;
  }

  template <class Solver>
  Left left_by(Solver& solver) {
    const auto x = make_vector<float>(exec_, Values(truth_.size(), 0));
    solver.solve(exec_, AnyOperator<TestSpace, float>(A_), b_, x);
    const DeviceVector<float> projection("projection", b_.extent(0));
    A_.apply(exec_, 1.0F, as_multivector(Image(x)), 0.0F, as_multivector(projection));
    return {relative_difference(to_std_vector(projection), to_std_vector(b_)),
            relative_difference(to_std_vector(x), truth_)};
  }

  Left art(ViewOrder order, int sweeps) {
    ArtParams params;
    params.sweeps = sweeps;
    Art<TestSpace, float> solver(exec_, A_.num_rows(), A_.num_cols(), params);
    const auto visits = to_device<TestSpace, Ordinal>(
        exec_, row_visits(views, detectors, order, WithinView::strided, 2));
    solver.set_order(exec_, visits);
    return left_by(solver);
  }

  Left sart(ViewOrder order, int sweeps) {
    SartParams params;
    params.sweeps = sweeps;
    params.view_rows = detectors;
    Sart<TestSpace, float> solver(exec_, A_.num_rows(), A_.num_cols(), params);
    solver.set_order(view_visits(views, order));
    return left_by(solver);
  }

  /// `sirt` and `cgls`.
  template <class Solver, class Params>
  Left iterations(int count) {
    Params params;
    params.iterations = count;
    Solver solver(exec_, A_.num_rows(), A_.num_cols(), params);
    return left_by(solver);
  }

  using Image = VectorView<const float, TestSpace::memory_space>;
  TestSpace exec_;
  Operator<float> A_;
  Values truth_;
  DeviceVector<float> b_;
};

TEST_F(Convergence, art_in_orders_that_jump_is_far_ahead_of_the_order_of_measurement) {
  const Left sequential = art(ViewOrder::sequential, 2);
  for (const ViewOrder order : {ViewOrder::random, ViewOrder::golden, ViewOrder::multilevel}) {
    const Left jumping = art(order, 2);
    EXPECT_LT(jumping.residual, 0.1 * sequential.residual) << to_string(order);
    EXPECT_LT(jumping.error, 0.6 * sequential.error) << to_string(order);
    // One sweep achieves more than two in sequential order.
    EXPECT_LT(art(order, 1).residual, 0.2 * sequential.residual) << to_string(order);
  }
}

TEST_F(Convergence, methods_keep_their_order_by_sweeps) {
  const Left art_2 = art(ViewOrder::multilevel, 2), sart_2 = sart(ViewOrder::multilevel, 2);
  EXPECT_LT(sart_2.residual, 2 * art_2.residual);
  EXPECT_LT(art_2.residual, 2 * sart_2.residual);
  EXPECT_LT(sart_2.error, 1.3 * art_2.error);
  EXPECT_LT(art_2.error, 1.3 * sart_2.error);

  const Left sirt_2 = iterations<Sirt<TestSpace, float>, SirtParams>(2);
  const Left sirt_20 = iterations<Sirt<TestSpace, float>, SirtParams>(20);
  const Left cgls_20 = iterations<Cgls<TestSpace, float>, CglsParams>(20);
  EXPECT_LT(sart_2.residual, 0.1 * sirt_2.residual);
  EXPECT_LT(art_2.error, sirt_20.error);
  EXPECT_LT(cgls_20.residual, 0.3 * sirt_20.residual);

  SirtParams subsets;
  subsets.iterations = 2;
  subsets.subsets = 10;
  Sirt<TestSpace, float> ordered(exec_, A_.num_rows(), A_.num_cols(), subsets);
  const Left os_2 = left_by(ordered);
  EXPECT_LT(os_2.residual, 0.8 * sirt_2.residual);
  EXPECT_LT(sart_2.residual, os_2.residual);
}

}  // namespace
