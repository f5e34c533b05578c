// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys `problem.scanner` and `problem.volume`.
#include <Tomokkos_RunInput.hpp>
#include <Tomokkos_WriteYaml.hpp>

#include "ConfigTesting.hpp"

namespace {

using namespace Tomokkos;

// Valid configurations that the cases modify.
constexpr const char* base = R"(problem:
  type: tomography
  volume: {size: [5, 16, 20], pixel: 2}
  scanner:
    modules: 8
    crystals: [2, 3]
    crystal_pitch: 4
    crystal_size: [3, 3.5]
    layers: [{radius: 20, length: 6}, {radius: 27, length: 8}]
  phantom: derenzo
solver: {type: mlem}
)";
constexpr const char* named = R"(problem: {type: tomography, scanner: madpet2, phantom: derenzo}
solver: {type: mlem}
)";

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

class PrintedScanner : public ::testing::TestWithParam<std::vector<std::string>> {};

TEST_P(PrintedScanner, reads_back_the_same) {
  for (const char* text : {base, named}) {
    const std::string once = to_yaml(to_node(Testing::configured(text, GetParam())));
    EXPECT_EQ(once, to_yaml(to_node(Testing::configured(once, {}))));
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, PrintedScanner,
    ::testing::Values(std::vector<std::string>{},
                      std::vector<std::string>{"problem.scanner=madpet2_large"},
                      std::vector<std::string>{"problem.scanner={kind: madpet2_small, rays: 1}"},
                      std::vector<std::string>{
                          "problem.scanner={kind: madpet2, first_module: 0.25 turn, "
                          "field_of_view: 20}"},
                      std::vector<std::string>{"problem.volume.thickness=0.75"},
                      std::vector<std::string>{"problem.noise={type: poisson, counts: 30}"}));

using Testing::Refusal;

class RefusedScanner : public ::testing::TestWithParam<Refusal> {};

TEST_P(RefusedScanner, says_why) {
  const std::string message = Testing::refusal_of(base, GetParam().settings);
  EXPECT_NE(message.find(GetParam().message), std::string::npos) << "in: " << message;
}

INSTANTIATE_TEST_SUITE_P(
    Keys, RefusedScanner,
    ::testing::Values(
        Refusal{{"problem.scanner=madpet"}, "did you mean \"madpet2\"?"},
        Refusal{{"problem.scanner=ring"},
                "problem.scanner: ring needs a section with its dimensions"},
        Refusal{{"problem.scanner.kind=madpet3"}, "did you mean \"madpet2\"?"},
        Refusal{{"problem.scanner.module=4"}, "did you mean \"modules\"?"},
        Refusal{{"problem.scanner={modules: 4}"}, "problem.scanner.crystals"},
        Refusal{{"problem.scanner.modules=0"}, "problem.scanner.modules: 0 is out of range"},
        Refusal{{"problem.scanner.modules=30"}, "30 modules of width 7 do not fit side by side"},
        Refusal{{"problem.scanner.crystals=[2]"}, "expected [around the axis, along it]"},
        Refusal{{"problem.scanner.crystals=[2, x]"},
                "problem.scanner.crystals[1]: expected a whole number"},
        Refusal{{"problem.scanner.crystal_size=5"}, "5 at a pitch of 4 around the axis"},
        Refusal{{"problem.scanner.crystal_pitch=-1"}, "problem.scanner.crystal_pitch"},
        Refusal{{"problem.scanner.layers=[]"}, "expected a list of {radius, length}"},
        Refusal{{"problem.scanner.layers=[{radius: 3}]"}, "problem.scanner.layers[0].length"},
        Refusal{{"problem.scanner.layers=[{radius: 30, length: 3, depth: 1}]"},
                "problem.scanner.layers[0].depth: unknown key"},
        Refusal{{"problem.scanner.layers=[{radius: 30, length: 3}, {radius: 31, length: 3}]"},
                "layer 2 begins at the radius 31"},
        Refusal{{"problem.scanner.rays=20"}, "20 rays; 1 or a multiple of 8"},
        Refusal{{"problem.scanner.rings=2"}, "problem.scanner.ring_pitch"},
        Refusal{{"problem.scanner.ring_pitch=2"}, "has no effect on a single ring"},
        Refusal{{"problem.scanner.first_module=north"}, "expected an angle"},
        Refusal{{"problem.scanner.field_of_view=0"}, "greater than 0"}));

INSTANTIATE_TEST_SUITE_P(
    Company, RefusedScanner,
    ::testing::Values(
        Refusal{{"problem.volume={pixel: 2}"}, "problem.volume.size"},
        Refusal{{"problem.volume.size=[16, 20]"}, "expected [slices, rows, columns]"},
        Refusal{{"problem.volume.size=[5, 0, 20]"}, "problem.volume.size[1]: 0 is out of range"},
        Refusal{{"problem.volume.size=[2000, 2000, 2000]"}, "2000 x 2000 x 2000 has more voxels"},
        Refusal{{"problem.volume.thickness=0"}, "greater than 0"},
        Refusal{{"problem.volume.pixel=1e-9"}, "not comparable"},
        Refusal{{"problem.geometry={views: 3}"},
                "problem.geometry: has no effect on a PET scanner"},
        Refusal{{"problem.projector=line"}, "problem.projector: has no effect on a PET scanner"},
        Refusal{{"problem.matrix=a.csr4"}, "both define the system matrix"},
        Refusal{{"problem.phantom=", "problem.sinogram=a.npy"}, "problem.rhs"},
        Refusal{{"problem.phantom="}, "no data: give problem.rhs (or problem.phantom)"},
        Refusal{{"problem.data=analytic"}, "views and detectors"},
        Refusal{{"problem.slices=3"}, "a volume is solved as a whole"},
        Refusal{{"operator.ordering=tiles"}, "rows: tiles needs views and detectors"},
        Refusal{{"operator.ordering={rows: hilbert}"}, "rows: hilbert needs views and detectors"},
        Refusal{{"operator.ordering={columns: hilbert}"}, "hilbert applies only to images"},
        Refusal{{"solver.subsets=17"},
                "17 subsets are more than the views of a scanner with 16 crystals"},
        Refusal{{"operator.ordering=rcm"}, "rcm needs a square matrix"}));

TEST(ScannerConfig, images_have_neither_thickness_nor_slices) {
  constexpr const char* image =
      "problem: {type: tomography, volume: {size: [8, 8]}, geometry: {views: 3}, phantom: disc}\n"
      "solver: {type: sirt}\n";
  EXPECT_NE(Testing::refusal_of(image, {"problem.volume.thickness=1"})
                .find("problem.volume.thickness: unknown key"),
            std::string::npos);
  EXPECT_NE(Testing::refusal_of(image, {"problem.volume.size=[2, 8, 8]"})
                .find("expected [rows, columns]"),
            std::string::npos);
}

}  // namespace
