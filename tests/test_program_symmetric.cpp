// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs of the program with one ray of each orbit of a scan.
#include <Tomokkos_Npy.hpp>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

const std::string config = R"(
run: { scalar: double }
problem:
  type: tomography
  volume: { size: [24, 24] }
  geometry: { type: parallel_beam, views: 16, detectors: 36 }
  phantom: shepp_logan
solver: { type: sirt, iterations: 8 }
output: { directory: out, image: [npy] }
)";

std::vector<double> image(const TemporaryFolder& folder, const std::string& output) {
  return read_npy<double>(folder / (output + "/reconstruction.npy")).data;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected,
                 double tolerance, const std::string& what) {
  ASSERT_EQ(values.size(), expected.size()) << what;
  for (std::size_t i = 0; i < values.size(); ++i)
    ASSERT_NEAR(values[i], expected[i], tolerance) << what << ", pixel " << i;
}

TEST(ProgramSymmetric, GivesTheImageOfTheWholeMatrix) {
  const TemporaryFolder folder;
  write_text(folder / "c.yaml", config);
  for (const std::string solver : {"mlem", "sirt", "cgls"}) {
    const std::string type = "solver={type: " + solver + ", iterations: 6}";
    run_well(folder, "csr", {type});
    const std::vector<double> expected = image(folder, "csr");
    // Conjugate gradients drift apart with the rounding of their sums.
    const double tolerance = solver == "cgls" ? 1e-6 : 1e-10;
    for (const std::string stored :
         {"csr", "csr, transpose: atomic", "sell", "packed_csr", "ray_tiles", "pair_blocked",
          "pair_blocked, transpose: atomic"}) {
      run_well(folder, "out", {type, "operator={format: scsr, stored_format: " + stored + "}"});
      expect_near(image(folder, "out"), expected, tolerance, solver + ", " + stored);
      EXPECT_EQ(entry(folder / "out/report.yaml", "operator.format"), "scsr");
      EXPECT_EQ(entry(folder / "out/report.yaml", "operator.stored_format"),
                stored.substr(0, stored.find(',')));
    }
  }
}

TEST(ProgramSymmetric, TellsWhatItStores) {
  const TemporaryFolder folder;
  write_text(folder / "c.yaml", config);
  run_well(folder, "csr", {});
  run_well(folder, "out", {"operator.format=scsr", "problem.geometry.start=5.625 deg"});
  const auto of = [&](const std::string& output, const std::string& key) {
    return std::stod(entry(folder / (output + "/report.yaml"), key));
  };
  EXPECT_EQ(of("out", "matrix.rows"), of("csr", "matrix.rows"));
  EXPECT_EQ(of("out", "matrix.columns"), of("csr", "matrix.columns"));
  // All orbits are whole: 16 x 36 rays.
  EXPECT_EQ(of("out", "operator.stored_rays"), 72);
  EXPECT_EQ(of("out", "operator.stored_nonzeros") * 8, of("out", "matrix.nonzeros"));
  EXPECT_GT(of("out", "operator.compression"), 3);
  EXPECT_LT(of("out", "operator.compression"), 8);
}

TEST(ProgramSymmetric, TakesSubsetsStacksAndOtherBeams) {
  const TemporaryFolder folder;
  write_text(folder / "c.yaml", config);
  const std::string fan =
      "problem.geometry={type: fan_beam, views: 16, range: 360 deg, detectors: 40, "
      "source_to_origin: 60, origin_to_detector: 20}";
  const std::string subsets = "solver={type: sirt, iterations: 3, subsets: 4}";
  for (const std::vector<std::string>& settings : {std::vector<std::string>{fan}, {subsets}}) {
    std::vector<std::string> of_whole = settings, of_orbits = settings;
    of_whole.push_back("operator.ordering=natural");
    of_orbits.push_back("operator.format=scsr");
    run_well(folder, "csr", of_whole);
    run_well(folder, "out", of_orbits);
    expect_near(image(folder, "out"), image(folder, "csr"), 1e-10, settings.front());
  }
}

TEST(ProgramSymmetric, RefusesWhatHasNotTheSymmetries) {
  const TemporaryFolder folder;
  write_text(folder / "c.yaml", config);
  const auto refusal = [&](std::vector<std::string> settings) {
    std::vector<std::string> arguments{"run", folder / "c.yaml", "--set", "operator.format=scsr"};
    for (const std::string& setting : settings) {
      arguments.push_back("--set");
      arguments.push_back(setting);
    }
    const ProgramResult result = run_program(arguments);
    EXPECT_EQ(result.status, 2) << result.error;
    return result.error;
  };
  EXPECT_CONTAINS(refusal({"problem.geometry.views=15"}),
                  "operator.format: scsr: the scan has not the symmetries of the square: view 0");
  EXPECT_CONTAINS(refusal({"problem.volume.size=[24, 20]"}), "24 x 20 pixels");
  EXPECT_CONTAINS(refusal({"problem.geometry.detector_offset=0.5"}),
                  "the detector is not centred (detector_offset: 0)");
  EXPECT_CONTAINS(refusal({"operator.ordering=tiles"}), "scsr has an order of its own");
  EXPECT_CONTAINS(refusal({"operator.stored_format=bcsr"}),
                  "csr, sell, packed_csr, ray_tiles, pair_blocked");
  EXPECT_CONTAINS(refusal({"solver={type: art, sweeps: 2}"}), "art visits single rows");
  write_npy<double>(folder / "mask.npy", std::vector<double>(24 * 24, 1.0), {24, 24});
  EXPECT_CONTAINS(refusal({std::string("problem.mask=") + (folder / "mask.npy")}),
                  "scsr has whole orbits of rays and pixels");
  EXPECT_CONTAINS(refusal({"operator.format=csr", "operator.stored_format=csr"}),
                  "it belongs to scsr");
}

}  // namespace
