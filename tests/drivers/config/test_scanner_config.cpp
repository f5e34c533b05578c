// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys `problem.scanner` and `problem.volume`.
#include <Tomokkos_RunInput.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

const std::string base = Testing::configuration("scanner");
const std::string named = Testing::configuration("named_scanner");

TEST(ScannerConfig, reads_the_dimensions_of_a_ring) {
  const RunConfig config =
      Testing::configured(base, {"problem.scanner.rings=2", "problem.scanner.ring_pitch=12",
                                 "problem.scanner.first_module=10 deg", "problem.scanner.rays=16",
                                 "problem.scanner.field_of_view=18", "problem.volume.thickness=3"});
  const RingScanner& scanner = std::get<ScannerConfig>(config.problem.geometry).scanner;
  EXPECT_EQ(scanner.modules, 8);
  EXPECT_EQ(scanner.rings, 2);
  EXPECT_EQ(scanner.ring_pitch, 12);
  EXPECT_EQ(scanner.first_module.numerator(), 1);
  EXPECT_EQ(scanner.first_module.denominator(), 36);
  EXPECT_EQ(scanner.crystals, (std::array<Ordinal, 2>{2, 3}));
  EXPECT_EQ(scanner.crystal_pitch, (std::array<double, 2>{4, 4}));
  EXPECT_EQ(scanner.crystal_size, (std::array<double, 2>{3, 3.5}));
  EXPECT_EQ(scanner.layers, (std::vector<CrystalLayer>{{20, 6}, {27, 8}}));
  EXPECT_EQ(scanner.rays, 16);
  EXPECT_EQ(scanner.field_of_view, 18);
  EXPECT_EQ(config.problem.scanner_volume(), (VolumeGeometry3D{5, 16, 20, 2, 3}));
  const RunInput input = read_input(config);
  EXPECT_EQ(input.depth, 5);
  EXPECT_EQ(input.num_voxels(), 1600);
  EXPECT_EQ(input.views, 192);
  EXPECT_EQ(input.detectors, 192);
}

TEST(ScannerConfig, named_scanners_have_a_default_volume) {
  const RunConfig config = Testing::configured(named, {});
  EXPECT_EQ(std::get<ScannerConfig>(config.problem.geometry).scanner.num_crystals(), 1152);
  EXPECT_EQ(config.problem.scanner_volume(), make_scanner_volume(ScannerKind::madpet2));
  const RunConfig changed =
      Testing::configured(named, {"problem.scanner={kind: madpet2_small, rays: 8, crystals: 2}",
                                  "problem.volume={size: [4, 30, 30], pixel: 2}"});
  EXPECT_EQ(std::get<ScannerConfig>(changed.problem.geometry).scanner.rays, 8);
  EXPECT_EQ(std::get<ScannerConfig>(changed.problem.geometry).scanner.num_crystals(), 144);
  EXPECT_EQ(changed.problem.scanner_volume(), (VolumeGeometry3D{4, 30, 30, 2, 2}));
  const RunConfig thick = Testing::configured(named, {"problem.volume={thickness: 1}"});
  EXPECT_EQ(thick.problem.scanner_volume(), (VolumeGeometry3D{40, 140, 140, 0.5, 1}));
}

TEST(ScannerConfig, a_matrix_from_a_file_may_have_a_volume) {
  const RunConfig config = Testing::configured(
      "problem: {type: tomography, matrix: a.csr4, rhs: b.raw, volume: {size: [3, 4, 5]}}\n"
      "solver: {type: mlem}\n",
      {});
  EXPECT_EQ(config.problem.volume.slices, 3);
  EXPECT_EQ(read_input(config).num_voxels(), 60);
}

TEST(ScannerConfig, a_plane_phantom_extends_through_all_slices) {
  const RunConfig config = Testing::configured(base, {});
  RunInput input = read_input(config);
  draw_phantom(config.problem, input);
  ASSERT_EQ(input.phantom.size(), 5U * 16 * 20);
  double sum = 0;
  for (std::size_t i = 0; i < 16 * 20; ++i) {
    sum += input.phantom[i];
    for (std::size_t slice = 1; slice < 5; ++slice)
      ASSERT_EQ(input.phantom[slice * 16 * 20 + i], input.phantom[i]);
  }
  EXPECT_GT(sum, 0);
}

}  // namespace
