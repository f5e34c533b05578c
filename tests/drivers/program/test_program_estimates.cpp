// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `tomokkos info` estimates without building the matrix.
#include <cmath>
#include <string>

#include "program/ProgramTesting.hpp"

namespace {

using namespace Tomokkos;
using namespace Tomokkos::Testing;

/// Description that `tomokkos info` prints of a configuration.
class Info {
 public:
  Info(const std::string& file, const std::vector<std::string>& settings,
       const std::vector<std::string>& options = {}) {
    std::vector<std::string> arguments{"info", file};
    arguments.insert(arguments.end(), options.begin(), options.end());
    for (const std::string& setting : settings) {
      arguments.emplace_back("--set");
      arguments.push_back(setting);
    }
    const ProgramResult result = run_well(arguments);
    write_bytes(folder_ / "info.yaml", result.out);
  }
  std::string text(const std::string& key) const { return entry(folder_ / "info.yaml", key); }
  double number(const std::string& key) const {
    const std::string found = text(key);
    return found == "(none)" ? -1.0 : std::stod(found);
  }
  double of(const std::string& format, const std::string& key) const {
    return number("estimates.formats." + format + "." + key);
  }
  bool has(const std::string& format) const {
    return text("estimates.formats." + format) != "(none)";
  }

 private:
  RunFolder folder_;
};

void expect_within(double value, double expected, double ratio, const std::string& what) {
  EXPECT_LT(value, ratio * expected) << what;
  EXPECT_GT(value, expected / ratio) << what;
}

TEST(ProgramEstimates, agree_with_the_matrix) {
  RunFolder folder(square_config);
  const Info info(folder / "c.yaml",
                  {"problem.volume.size=[96, 96]", "problem.geometry={views: 60, detectors: 140}"});
  expect_within(info.number("estimates.nonzeros"), info.number("nonzeros"), 1.05, "nonzeros");
  // Twice, for the stored transpose; the others serve both products with one copy.
  for (const auto& [estimated, exact, copies] : {std::tuple{"csr", "csr", 2},
                                                 {"coo", "coo", 2},
                                                 {"ell", "ell", 2},
                                                 {"sell", "sell", 2},
                                                 {"bcsr", "bcsr_4x4", 2},
                                                 {"packed_csr", "packed_csr", 2},
                                                 {"ray_tiles", "ray_tiles", 1},
                                                 {"pair_blocked", "pair_blocked", 1},
                                                 {"scsr", "scsr", 2}})
    expect_within(info.of(estimated, "bytes"),
                  copies * info.number("memory_bytes." + std::string(exact) + ".double"), 1.35,
                  estimated);
  for (const char* format : {"csr", "coo", "ell", "sell", "bcsr", "packed_csr", "ray_tiles",
                             "pair_blocked", "scsr", "computed"}) {
    EXPECT_GE(info.of(format, "run_bytes"), 0.99 * info.of(format, "bytes")) << format;
    EXPECT_EQ(info.text("estimates.formats." + std::string(format) + ".fits"), "true") << format;
  }
  EXPECT_LT(info.of("computed", "bytes"), info.of("csr", "bytes"));
  EXPECT_EQ(info.text("estimates.solver"), "sirt");
}

TEST(ProgramEstimates, of_a_large_scan_need_no_matrix) {
  const std::string file = config_file("quickstart.yaml").string();
  const std::vector<std::string> large{"problem.volume.size=[1024, 1024]",
                                       "problem.geometry={views: 720, detectors: 1024}",
                                       "run.memory_limit=2 GB"};
  const Info info(file, large);
  EXPECT_EQ(info.text("rows"), "737280");
  EXPECT_EQ(info.text("nonzeros"), "(none)");
  EXPECT_CONTAINS(info.text("not_built"), "--exact");
  EXPECT_EQ(info.text("estimates.formats.csr.fits"), "false");
  EXPECT_EQ(info.text("estimates.formats.computed.fits"), "true");
  // A limit of memory holds for --exact as well.
  std::vector<std::string> arguments{"info", file, "--exact"};
  for (const std::string& setting : large) {
    arguments.emplace_back("--set");
    arguments.push_back(setting);
  }
  const ProgramResult exact = run_program(arguments);
  EXPECT_NE(exact.status, 0);
  EXPECT_CONTAINS(exact.error, "the system matrix has");
}

// A run refuses a stack, or a conversion, that `info` says does not fit.
TEST(ProgramEstimates, fits_is_what_a_run_does) {
  RunFolder folder(
      "problem:\n  type: tomography\n  volume: {size: [128, 128]}\n"
      "  geometry: {type: parallel_beam, views: 60, detectors: 183}\n"
      "  phantom: shepp_logan\nsolver: {type: sirt, iterations: 1}\n");
  const auto settings_of = [](int slices, double limit) {
    std::vector<std::string> settings{"run.memory_limit=" + std::to_string(std::llround(limit)) +
                                      " B"};
    if (slices > 0) settings.push_back("problem.slices=" + std::to_string(slices));
    return settings;
  };
  constexpr double ample = 2e9;
  for (const int slices : {0, 40}) {
    const Info info(folder / "c.yaml", settings_of(slices, ample));
    const double program = ample - info.number("estimates.available_bytes");
    EXPECT_EQ(info.text("estimates.formats.bcsr.fits"), "true");
    for (const char* format : {"csr", "bcsr", "scsr", "computed"}) {
      const double need = info.of(format, "run_bytes");
      if (need < 16e6) continue;  // too near to what the program itself takes
      const auto status = [&](double part) {
        std::vector<std::string> arguments{
            "run",          folder / "c.yaml", "--output",
            folder / "out", "--set",           "operator={format: " + std::string(format) + "}"};
        for (const std::string& setting : settings_of(slices, program + part * need))
          arguments.insert(arguments.end(), {"--set", setting});
        return run_program(arguments).status;
      };
      EXPECT_EQ(status(0.8), 2) << format << ", slices: " << slices;
      EXPECT_EQ(status(1.25), 0) << format << ", slices: " << slices;
    }
  }
}

TEST(ProgramEstimates, leave_out_what_a_solver_or_a_geometry_excludes) {
  RunFolder folder(square_config);
  const Info art(folder / "c.yaml", {"solver={type: art, sweeps: 2}"});
  EXPECT_TRUE(art.has("csr"));
  EXPECT_FALSE(art.has("sell"));
  const Info fan(folder / "c.yaml", {"problem.volume.size=[20, 24]"});
  EXPECT_FALSE(fan.has("scsr"));
  const Info cone(config_file("cone_beam.yaml").string(), {});
  expect_within(cone.number("estimates.nonzeros"), cone.number("nonzeros"), 1.1, "cone beam");
  EXPECT_LT(cone.of("block_circulant", "bytes"), 0.1 * cone.of("csr", "bytes"));
  EXPECT_FALSE(cone.has("sell"));
}

TEST(ProgramEstimates, exact_applies_to_configurations) {
  RunFolder folder;
  write_bytes(folder / "a.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2\n");
  expect_failure({"info", folder / "a.mtx", "--exact"},
                 {"--exact: applies only to a configuration"});
}

}  // namespace
