// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Both backends must build matrices from the same input that are equal to the last bit.
#include <gtest/gtest.h>

#include <Tomokkos_ConeBeamMatrix.hpp>
#include <Tomokkos_PackedCsrConversion.hpp>
#include <Tomokkos_RayTilesConversion.hpp>
#include <Tomokkos_ScannerMatrix.hpp>
#include <Tomokkos_Stencil.hpp>
#include <Tomokkos_Transpose.hpp>

#include "CrossBackend.hpp"
#include "MatrixBattery.hpp"

using namespace Tomokkos;
using namespace cross_backend;

namespace {

template <class Scalar>
void expect_same_matrix(const CsrMatrix<Scalar, Host::memory_space>& A,
                        const CsrMatrix<Scalar, Device::memory_space>& B, const std::string& what) {
  EXPECT_EQ(A.num_rows, B.num_rows) << what;
  EXPECT_EQ(A.num_cols, B.num_cols) << what;
  EXPECT_EQ(to_std_vector(A.row_offsets), to_std_vector(B.row_offsets)) << what;
  EXPECT_EQ(to_std_vector(A.columns), to_std_vector(B.columns)) << what;
  EXPECT_EQ(to_std_vector(A.values), to_std_vector(B.values)) << what;
}

}  // namespace

TEST(CrossBackend, system_matrices_are_equal_to_the_last_bit) {
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

TEST(CrossBackend, scanner_matrices_are_equal_to_the_last_bit) {
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

TEST(CrossBackend, cone_beam_matrices_are_equal_to_the_last_bit) {
  for (const Ordinal rays : {1, 3}) {
    const PolarVolume volume{8, 9, 20, 11, 36, 0.4};
    const ConeBeamScan scan{36, {25, 21}, {1.1, 0.9}, {0.0, 0.25}, 30, 20, rays};
    const auto A = build_cone_beam_matrix<Host, double>(Host(), volume, scan);
    const auto B = build_cone_beam_matrix<Device, double>(Device(), volume, scan);
    EXPECT_GT(A.num_stored(), 1000);
    EXPECT_EQ(to_std_vector(A.row_offsets), to_std_vector(B.row_offsets));
    EXPECT_EQ(to_std_vector(A.positions), to_std_vector(B.positions));
    EXPECT_EQ(to_std_vector(A.values), to_std_vector(B.values));
  }
}

TEST(CrossBackend, stencils_and_transposes_are_equal_to_the_last_bit) {
  expect_same_matrix(build_stencil_matrix<Host, double>(Host(), 27, 9, 8, 7),
                     build_stencil_matrix<Device, double>(Device(), 27, 9, 8, 7), "27 points");
  for (const auto& plain : battery::matrices())
    expect_same_matrix(
        transpose<Host, float>(Host(), to_device<Host, float>(Host(), plain)),
        transpose<Device, float>(Device(), to_device<Device, float>(Device(), plain)), plain.name);
}

TEST(CrossBackend, rounded_values_are_equal_to_the_last_bit) {
  const PlainCsr plain = plain_scan();
  const auto host = to_device<Host, float>(Host(), plain);
  const auto device = to_device<Device, float>(Device(), plain);
  const auto compare = [&]<StoredPrecision Values>() {
    const std::string what(to_string(Values));
    expect_same_matrix(
        to_csr<Host, float, Values>(Host(), packed_csr_from_csr<Host, float, Values>(Host(), host)),
        to_csr<Device, float, Values>(Device(),
                                      packed_csr_from_csr<Device, float, Values>(Device(), device)),
        "packed_csr, " + what);
    expect_same_matrix(
        to_csr<Host, float, Values>(Host(), ray_tiles_from_csr<Host, float, Values>(Host(), host)),
        to_csr<Device, float, Values>(Device(),
                                      ray_tiles_from_csr<Device, float, Values>(Device(), device)),
        "ray_tiles, " + what);
  };
  // `scaled` is omitted: reading it multiplies and adds, which a compiler may round once or twice.
  compare.operator()<StoredPrecision::plain>();
  compare.operator()<StoredPrecision::half>();
}
