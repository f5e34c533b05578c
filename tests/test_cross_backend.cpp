// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One program, both backends, the same input: do they agree? Matrices must be equal to the last
// bit, products and reconstructions within what the order of summation can explain.
#include <gtest/gtest.h>

#include <Tomokkos_Art.hpp>
#include <Tomokkos_Cgls.hpp>
#include <Tomokkos_MatrixOperator.hpp>
#include <Tomokkos_Mlem.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_Sirt.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_SystemMatrix.hpp>
#include <Tomokkos_Transpose.hpp>

#include "DeviceCsr.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;

namespace {

using Host = Kokkos::OpenMP;
using Device = Kokkos::Cuda;

ScanGeometry scan(Beam beam) {
  ScanGeometry geometry;
  geometry.beam = beam;
  geometry.views = ViewAngles::evenly_spaced(24, Angle::degrees(0.25), ViewAngles::full_turn());
  geometry.detectors = 67;
  geometry.detector_width = 0.9;
  if (beam == Beam::fan) {
    geometry.source_to_origin = 90;
    geometry.origin_to_detector = 40;
    geometry.detector_width = 1.3;
  }
  return geometry;
}

const VolumeGeometry volume{40, 44, 1.0};

template <class Scalar>
void expect_same_matrix(const CsrMatrix<Scalar, Host::memory_space>& A,
                        const CsrMatrix<Scalar, Device::memory_space>& B, const std::string& what) {
  EXPECT_EQ(A.num_rows, B.num_rows) << what;
  EXPECT_EQ(A.num_cols, B.num_cols) << what;
  EXPECT_EQ(to_std_vector(A.row_offsets), to_std_vector(B.row_offsets)) << what;
  EXPECT_EQ(to_std_vector(A.columns), to_std_vector(B.columns)) << what;
  EXPECT_EQ(to_std_vector(A.values), to_std_vector(B.values)) << what;
}

double relative_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    difference += (static_cast<double>(a[i]) - b[i]) * (static_cast<double>(a[i]) - b[i]);
    norm += static_cast<double>(a[i]) * a[i];
  }
  return std::sqrt(difference / norm);
}

/// A disc, its projection by the matrix, and a reconstruction of it on one backend.
template <class ExecutionSpace>
class Reconstruction {
 public:
  using MemorySpace = typename ExecutionSpace::memory_space;

  Reconstruction()
      : A_(CsrOperator<ExecutionSpace, float>(
            exec_, build_system_matrix<ExecutionSpace, float>(exec_, volume, scan(Beam::parallel),
                                                              Projector::linear))),
        b_("b", A_.num_rows()),
        x_("x", A_.num_cols()) {
    std::vector<double> disc(static_cast<std::size_t>(A_.num_cols()));
    for (int i = 0; i < volume.rows; ++i)
      for (int j = 0; j < volume.columns; ++j)
        disc[i * volume.columns + j] =
            (i - 17) * (i - 17) + (j - 25) * (j - 25) < 140 ? 1.0 + 0.01 * i : 0.0;
    const auto image = to_device<ExecutionSpace, float>(exec_, disc);
    A_.apply(exec_, 1.0F, as_multivector(Kokkos::View<const float*, MemorySpace>(image)), 0.0F,
             as_multivector(b_));
  }

  template <class Solver, class Params>
  std::vector<float> solve(const Params& params, float start) {
    fill<ExecutionSpace, float>(exec_, x_, start);
    Solver solver(exec_, A_.num_rows(), A_.num_cols(), params);
    solver.solve(exec_, A_, b_, x_);
    return to_std_vector(x_);
  }

 private:
  ExecutionSpace exec_;
  AnyOperator<ExecutionSpace, float> A_;
  Vector<float, MemorySpace> b_, x_;
};

}  // namespace

TEST(CrossBackend, SystemMatricesAreEqualToTheLastBit) {
  for (const auto beam : {Beam::parallel, Beam::fan})
    for (const auto projector : {Projector::line, Projector::linear, Projector::strip}) {
      const auto what = std::string(to_string(beam)) + ", " + std::string(to_string(projector));
      expect_same_matrix(
          build_system_matrix<Host, double>(Host(), volume, scan(beam), projector),
          build_system_matrix<Device, double>(Device(), volume, scan(beam), projector), what);
      expect_same_matrix(
          build_system_matrix<Host, float>(Host(), volume, scan(beam), projector),
          build_system_matrix<Device, float>(Device(), volume, scan(beam), projector), what);
    }
}

TEST(CrossBackend, ScannerMatricesAreEqualToTheLastBit) {
  RingScanner scanner = make_scanner(ScannerKind::madpet2_small);
  scanner.crystals = {1, 2};
  scanner.first_module = Angle::degrees(3);
  VolumeGeometry3D small = make_scanner_volume(ScannerKind::madpet2_small);
  small.rows = 50;
  for (const double radius : {30.0, 100.0}) {
    scanner.field_of_view = radius;
    expect_same_matrix(build_scanner_matrix<Host, double>(Host(), small, scanner),
                       build_scanner_matrix<Device, double>(Device(), small, scanner), "double");
    expect_same_matrix(build_scanner_matrix<Host, float>(Host(), small, scanner),
                       build_scanner_matrix<Device, float>(Device(), small, scanner), "float");
  }
}

TEST(CrossBackend, StencilsAndTransposesAreEqual) {
  expect_same_matrix(build_stencil_matrix<Host, double>(Host(), 27, 9, 8, 7),
                     build_stencil_matrix<Device, double>(Device(), 27, 9, 8, 7), "27 points");
  for (const auto& plain : battery::matrices())
    expect_same_matrix(
        transpose<Host, float>(Host(), to_device<Host, float>(Host(), plain)),
        transpose<Device, float>(Device(), to_device<Device, float>(Device(), plain)), plain.name);
}

TEST(CrossBackend, ProductsAgreeWithinTheirBounds) {
  for (const auto& plain : battery::matrices()) {
    const auto x = random_vector(static_cast<std::size_t>(plain.columns), 1);
    const auto run = [&](auto exec) {
      using Space = decltype(exec);
      const CsrOperator<Space, float> A(exec, to_device<Space, float>(exec, plain));
      const auto input = to_device<Space, float>(exec, x);
      const Vector<float, typename Space::memory_space> y("y", plain.rows);
      A.apply(exec, 1.0F,
              as_multivector(Kokkos::View<const float*, typename Space::memory_space>(input)), 0.0F,
              as_multivector(y));
      return to_std_vector(y);
    };
    const auto host = run(Host());
    auto reference = reference_product(plain, 1, x, 0, {});
    reference.y.assign(host.begin(), host.end());
    // Both may err in opposite directions.
    EXPECT_LE(worst_row_error(run(Device()), reference), 2) << plain.name;
  }
}

TEST(CrossBackend, ReconstructionsAgree) {
  Reconstruction<Host> host;
  Reconstruction<Device> device;
  MlemParams mlem;
  mlem.iterations = 20;
  EXPECT_LE(relative_difference(host.solve<Mlem<Host, float>>(mlem, 1.0F),
                                device.solve<Mlem<Device, float>>(mlem, 1.0F)),
            2e-6);
  SirtParams sirt;
  sirt.iterations = 20;
  EXPECT_LE(relative_difference(host.solve<Sirt<Host, float>>(sirt, 0.0F),
                                device.solve<Sirt<Device, float>>(sirt, 0.0F)),
            2e-6);
  CglsParams cgls;
  cgls.iterations = 4;  // in float the paths part after about 6
  EXPECT_LE(relative_difference(host.solve<Cgls<Host, float>>(cgls, 0.0F),
                                device.solve<Cgls<Device, float>>(cgls, 0.0F)),
            1e-4);
  ArtParams art;
  art.sweeps = 2;
  EXPECT_LE(relative_difference(host.solve<Art<Host, float>>(art, 0.0F),
                                device.solve<Art<Device, float>>(art, 0.0F)),
            2e-5);
}
