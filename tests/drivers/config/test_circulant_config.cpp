// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations of block-circulant matrices: block rows from files, expanded matrices and cone
// beams.
#include <Tomokkos_RunInput.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using Testing::configured;

const std::string row = Testing::configuration("block_row");
const std::string expanded = Testing::configuration("expanded_matrix");
const std::string cone = Testing::configuration("cone_beam");

TEST(CirculantConfig, reads_a_block_row_from_a_file) {
  const RunConfig config = configured(row, {});
  EXPECT_EQ(config.problem.matrix, "/data/row.mtx");
  EXPECT_EQ(std::get<BlockRowConfig>(config.problem.geometry).blocks, 12);
  EXPECT_TRUE(config.problem.traits().is_circulant);
  EXPECT_TRUE(config.problem.traits().is_read);
  EXPECT_TRUE(config.matrix_operator.block_circulant());
  EXPECT_EQ(config.matrix_operator.transpose, TransposeMethod::stored);
  EXPECT_EQ(config.matrix_operator.circulant.variant, CirculantVariant::automatic);
  // A request for another format expands the matrix.
  EXPECT_TRUE(configured(row, {"operator.format=csr"}).matrix_operator.is(MatrixFormat::csr));
  // An npz file may contain the number of blocks.
  const RunConfig from_npz = configured(row, {"problem.block_row=row.npz", "problem.blocks="});
  EXPECT_EQ(std::get<BlockRowConfig>(from_npz.problem.geometry).blocks, 0);
}

TEST(CirculantConfig, reads_an_expanded_matrix_and_its_blocks) {
  const RunConfig config = configured(expanded, {"operator.circulant_order=rotations"});
  EXPECT_EQ(config.matrix_operator.circulant.blocks, 12);
  EXPECT_EQ(config.matrix_operator.circulant.order, CirculantOrder::rotations);
  EXPECT_FALSE(config.problem.traits().is_circulant);
  EXPECT_EQ(configured(expanded, {}).matrix_operator.circulant.order, CirculantOrder::blocks);
}

TEST(CirculantConfig, reads_a_cylinder_and_its_scan) {
  const RunConfig config =
      configured(cone, {"problem.geometry.detector_width=[0.5, 0.75]",
                        "problem.geometry.detector_offset=0.25", "problem.geometry.rays=2",
                        "problem.volume.polar.aspect=2", "problem.volume.size=[3, 20, 30]"});
  const ConeBeamScan& scan = std::get<ConeBeamRows>(config.problem.geometry).scan;
  EXPECT_EQ(scan.views, 12);
  EXPECT_EQ(scan.detectors, (std::array<Ordinal, 2>{9, 7}));
  EXPECT_EQ(scan.detector_width, (std::array<double, 2>{0.5, 0.75}));
  EXPECT_EQ(scan.detector_offset, (std::array<double, 2>{0.25, 0.25}));
  EXPECT_EQ(scan.rays, 2);
  EXPECT_EQ(scan.source_to_origin, 10);
  EXPECT_EQ(scan.origin_to_detector, 5);
  EXPECT_EQ(std::get<ConeBeamRows>(config.problem.geometry).volume,
            (PolarVolume{3, 4, 6, 5, 12, 2}));
  // The box of the pictures contains the whole cylinder.
  EXPECT_EQ(config.problem.scanner_volume(), (VolumeGeometry3D{3, 20, 30, 0.3, 4.0 / 3}));
  EXPECT_EQ(configured(cone, {}).problem.scanner_volume(), (VolumeGeometry3D{5, 12, 12, 0.5, 0.8}));
  EXPECT_EQ(configured(cone, {"problem.volume.size=[8, 8]"}).problem.scanner_volume().slices, 5);
  EXPECT_TRUE(config.matrix_operator.block_circulant());
  const RunInput input = read_input(config);
  EXPECT_EQ(input.blocks, 12);
  EXPECT_EQ(input.views, 0);
  EXPECT_EQ(
      std::get<ConeBeamRows>(configured(cone, {"problem.geometry.detectors=4"}).problem.geometry)
          .scan.detectors,
      (std::array<Ordinal, 2>{4, 4}));
}

TEST(CirculantConfig, reads_and_draws_phantoms_of_a_cylinder) {
  const auto phantom = [](const std::string& name) {
    return *configured(cone, {"problem.phantom=" + name}).problem.phantom;
  };
  EXPECT_EQ(phantom("ball").solid, SolidPhantomKind::ball);
  EXPECT_EQ(phantom("shepp_logan").solid, SolidPhantomKind::shepp_logan);
  EXPECT_FALSE(phantom("derenzo").solid.has_value());
  EXPECT_EQ(phantom("derenzo").kind, PhantomKind::derenzo);
  EXPECT_EQ(phantom("{kind: ball, supersampling: 3}").sampling.supersampling, 3);
  // The phantom has one value for every polar voxel of every sector.
  RunConfig config = configured(cone, {"problem.phantom={kind: ball, supersampling: 2}"});
  RunInput input = read_input(config);
  draw_phantom(config.problem, input);
  EXPECT_EQ(static_cast<Ordinal>(input.phantom.size()),
            PolarGrid(std::get<ConeBeamRows>(config.problem.geometry).volume).num_voxels());
  EXPECT_EQ(*std::max_element(input.phantom.begin(), input.phantom.end()), 1);
}

}  // namespace
