// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Configurations of block-circulant matrices: block rows from files, expanded matrices and cone
// beams.
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_WriteYaml.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;
using Testing::configured;
using Testing::Refusal;
using Testing::refusal_of;

// Valid configurations that the cases modify.
constexpr const char* row = R"(problem:
  type: tomography
  block_row: row.mtx
  blocks: 12
  rhs: b.npy
solver: {type: mlem}
)";
constexpr const char* expanded = R"(problem:
  type: tomography
  matrix: C.npz
  rhs: b.npy
operator: {format: block_circulant, blocks: 12}
solver: {type: mlem}
)";
constexpr const char* cone = R"(problem:
  type: tomography
  volume: {polar: {rings: 6, radius: 3, slices: 5, height: 4}}
  geometry: {type: cone_beam, views: 12, detectors: [9, 7], source_to_origin: 10,
             origin_to_detector: 5}
  phantom: shepp_logan
solver: {type: mlem}
)";

std::string effective_yaml(const std::string& text, const std::vector<std::string>& settings) {
  return to_yaml(to_node(configured(text, settings)));
}

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

TEST(CirculantConfig, reads_back_the_same) {
  for (const auto& [text, settings] :
       {std::pair<std::string, std::vector<std::string>>{row, {}},
        {row, {"operator.transpose=direct"}},
        {row, {"problem.block_row=row.npz", "problem.blocks="}},
        {row, {"operator={variant: maxpy_8, transpose_variant: mm_2}"}},
        {row, {"operator={format: csr, transpose: atomic}"}},
        {row, {"problem.volume={size: [3, 4]}", "problem.geometry={views: 12, detectors: 2}"}},
        {expanded, {}},
        {expanded, {"operator.circulant_order=rotations", "operator.transpose=automatic"}},
        {cone, {}},
        {cone, {"problem.volume.size=[4, 9, 11]", "problem.geometry.detector_width=[0.3, 1e-2]"}},
        {cone, {"problem.phantom={kind: derenzo, supersampling: 2}"}},
        {cone, {"operator={variant: registers, transpose: direct}", "run.deterministic=true"}},
        {row, {"solver={type: mlem, subsets: 4}"}},
        {row, {"solver={type: sart, order: golden}"}},
        {expanded, {"solver={type: os_sart, subsets: 6}", "operator.ordering=subsets"}},
        {expanded, {"solver={type: sart}"}},
        {cone, {"solver={type: sirt, subsets: 3}"}},
        {cone, {"solver={type: sart}"}},
        {cone, {"problem.mask=m.npy", "problem.ray_mask=r.npy", "problem.slices=3"}},
        {row, {"problem.slices=[2, 3]"}},
        {cone, {"operator.format=csr", "solver={type: art}"}},
        {cone, {"operator.format=csr", "solver={type: sirt, subsets: 4}"}},
        {cone, {"problem.phantom=", "problem.rhs=b.raw", "problem.rhs_type=float32"}}}) {
    const std::string once = effective_yaml(text, settings);
    EXPECT_EQ(once, effective_yaml(once, {})) << once;
  }
}

class RefusedCirculant : public ::testing::TestWithParam<std::pair<const char*, Refusal>> {};

TEST_P(RefusedCirculant, says_why) {
  const auto& [text, refusal] = GetParam();
  const std::string message = refusal_of(text, refusal.settings);
  EXPECT_NE(message.find(refusal.message), std::string::npos) << "in: " << message;
}

std::vector<std::pair<const char*, Refusal>> cases_for(const char* text,
                                                       const std::vector<Refusal>& refusals) {
  std::vector<std::pair<const char*, Refusal>> all;
  for (const Refusal& refusal : refusals) all.emplace_back(text, refusal);
  return all;
}

INSTANTIATE_TEST_SUITE_P(
    Rows, RefusedCirculant,
    ::testing::ValuesIn(cases_for(
        row,
        {{{"problem.blocks="}, "problem.blocks: is required; the number of blocks side by side"},
         {{"problem.blocks=0"}, "problem.blocks: 0 is out of range"},
         {{"problem.block_row=row.h5"}, "allowed are .mtx, .mtx.gz, .tar.gz, .npz, .csr4"},
         {{"problem.block_row="}, "problem.blocks: applies only to problem.block_row"},
         {{"problem.matrix=C.mtx"},
          "and problem.block_row both define the system matrix; give one"},
         {{"problem.scanner=madpet2"}, "problem.block_row: and problem.scanner both define"},
         {{"problem.projector=line"}, "problem.projector: has no effect"},
         {{"problem.sinogram=a.npy"}, "give the data of a matrix from a file as problem.rhs"},
         {{"problem.geometry.start=1"}, "problem.geometry.start: has no effect on a matrix"},
         {{"problem.slices=all"}, "for problem.rhs give the number of slices in the file"},
         {{"problem.mask=m.npy"}, "problem.mask: needs the arrangement of the pixels"},
         {{"problem.ray_mask=m.npy"}, "problem.ray_mask: needs the arrangement of the rays"},
         {{"operator.blocks=12"},
          "operator.blocks: applies only to problem.matrix; for problem.block_row"},
         {{"operator.circulant_order=blocks"}, "always have the order rotations"},
         {{"operator.variant=merge_path"},
          "allowed: basic_mv, spmm, mm, mm_2, maxpy_2, maxpy_4, maxpy_8, maxpy_12, maxpy_16, team, "
          "registers, replicated, automatic"},
         {{"operator.transpose_variant=scalar"}, "allowed: basic_mv"},
         {{"operator.transpose=atomic"}, "allowed: stored, direct, automatic"},
         {{"operator={transpose: direct, transpose_variant: mm}"}, "transpose: direct has none"},
         {{"operator.tile=64"}, "has no effect on the format block_circulant; it belongs to ray"},
         {{"operator.largest_fill=3"}, "it belongs to ell, ell_r, hyb, sell, bcsr"},
         {{"operator.ordering=by_length"}, "has its own order; allowed: natural"},
         {{"solver={type: art}"}, "art visits single rows; allowed: csr"},
         {{"solver={type: sirt, subsets: 5}"},
          "solver.subsets: 5 subsets do not divide the 12 blocks of operator.format"},
         {{"solver={type: sirt, subsets: 3}", "operator.ordering=natural"},
          "has its own order; allowed: subsets"},
         {{"operator.format=csr", "solver={type: sart}"},
          "solver.type: sart processes single views, which the format csr does not have for this "
          "matrix; use operator.format: block_circulant, or os_sart"},
         {{"operator={format: csr, variant: registers}"}, "allowed: automatic, scalar"},
         {{"operator={format: csr, transpose: direct}"},
          "direct applies only to block_circulant; allowed for csr: stored, atomic, private, "
          "windowed, auto"},
         {{"operator={format: sell, transpose: direct}"},
          "direct applies only to block_circulant; allowed for sell: stored, atomic, automatic"},
         {{"operator={format: csr, circulant_order: blocks}"},
          "has no effect on the format csr; it belongs to block_circulant"}})));

INSTANTIATE_TEST_SUITE_P(
    ExpandedMatrices, RefusedCirculant,
    ::testing::ValuesIn(cases_for(
        expanded,
        {{{"operator.blocks="}, "operator.blocks: is required"},
         {{"operator.blocks=0"}, "0 is out of range"},
         {{"operator.circulant_order=views"}, "allowed: blocks, rotations"},
         {{"solver={type: os_sart, subsets: 8}"}, "8 subsets do not divide the 12 blocks"},
         {{"operator=", "solver={type: sart}"}, "as problem.geometry.views and detectors"},
         {{"problem.blocks=12"}, "for problem.matrix give operator.blocks"},
         {{"problem.matrix=", "problem.rhs=", "problem.phantom=disc",
           "problem.volume={size: [4, 4]}", "problem.geometry={views: 3}"},
          "operator.format: block_circulant needs problem.block_row"},
         {{"problem.matrix=", "problem.scanner=madpet2"},
          "block_circulant needs problem.block_row"},
         {{"problem={type: linear_system, matrix: C.npz, rhs: ones}", "solver={type: cgls}"},
          "block_circulant needs problem.block_row"}})));

INSTANTIATE_TEST_SUITE_P(
    ConeBeams, RefusedCirculant,
    ::testing::ValuesIn(cases_for(
        cone,
        {{{"problem.geometry.type=cone"}, "allowed: parallel_beam, fan_beam, cone_beam"},
         {{"problem.geometry.views="}, "problem.geometry.views: is required"},
         {{"problem.geometry.detectors="}, "problem.geometry.detectors: is required"},
         {{"problem.geometry.detectors=[3, 4, 5]"}, "expected [along u, along v]"},
         {{"problem.geometry.detectors=[3, 0]"}, "problem.geometry.detectors[1]: 0 is out of"},
         {{"problem.geometry.detector_width=0"}, "problem.geometry.detector_width: 0 is out of"},
         {{"problem.geometry.rays=5"}, "problem.geometry.rays: 5 is out of range"},
         {{"problem.geometry.source_to_origin="}, "source_to_origin: is required"},
         {{"problem.geometry.source_to_origin=2"}, "the source must lie outside of it"},
         {{"problem.geometry.start=1"}, "whose views divide a full turn evenly"},
         {{"problem.geometry.rotation_center=1"}, "give detector_offset"},
         {{"problem.volume.polar="}, "problem.volume.polar: is required"},
         {{"problem.volume.polar.rings="}, "problem.volume.polar.rings: is required"},
         {{"problem.volume.polar.rings=0"}, "0 is out of range"},
         {{"problem.volume.polar.aspect=0"}, "problem.volume.polar.aspect: 0 is out of range"},
         {{"problem.volume.polar.sectors=3"}, "problem.volume.polar.sectors: unknown key"},
         {{"problem.volume.polar.height=1e9"}, "which are not comparable"},
         {{"problem.volume.pixel=1"}, "follows from volume.polar"},
         {{"problem.volume.size=3"}, "[rows, columns] or [slices, rows, columns]"},
         {{"problem.projector=line"},
          "an entry is the mean length of the geometry.rays in a voxel"},
         {{"problem.sinogram=a.npy"}, "as problem.rhs"},
         {{"problem.matrix=C.mtx"}, "and geometry.type: cone_beam both define the system matrix"},
         {{"problem.data=analytic"}, "in a plane"},
         {{"problem.phantom=checkerboard"},
          "allowed: shepp_logan, shepp_logan_original, ball, forbild_head, derenzo, disc"},
         {{"problem.slices=all"}, "a phantom has one volume; give the number of copies"},
         {{"operator.format=computed", "problem.mask=m.npy"}, "traces all voxels of a cone beam"},
         {{"operator.blocks=12"}, "a geometry has one block per view"},
         {{"operator={format: csr, ordering: tiles}"}, "allows only the orders natural"},
         {{"operator={format: csr}", "solver={type: sirt, subsets: 5}"},
          "5 subsets do not divide the 12 views of a cone beam evenly"}})));

TEST(CirculantConfig, the_variant_library_is_only_for_bench) {
  for (const char* key : {"operator.variant=library", "operator.transpose_variant=library"})
    EXPECT_NE(refusal_of(row, {key}).find("only in tomokkos bench"), std::string::npos) << key;
}

TEST(CirculantConfig, values_of_16_bits_are_halves_in_float) {
  for (const auto& [settings, says] :
       {std::pair<std::vector<std::string>, const char*>{
            {"operator.values=scaled", "run.scalar=float"}, "allowed: plain, half"},
        {{"operator.values=half", "run.scalar=double"},
         "16-bit values require products in float"}}) {
    const std::string refusal = refusal_of(row, settings);
    EXPECT_NE(refusal.find(says), std::string::npos) << refusal;
  }
}

}  // namespace
