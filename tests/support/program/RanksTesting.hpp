// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program in several processes.
#pragma once

#include <MpiLauncher.hpp>

#include "ImageTesting.hpp"

namespace Tomokkos::Testing {

/// Command `mpirun -n RANKS`, with the launcher found by the build.
inline std::vector<std::string> launcher(int ranks) {
  std::istringstream words(TOMOKKOS_MPIEXEC);
  std::vector<std::string> result;
  for (std::string word; words >> word;)
    result.push_back(word == "RANKS" ? std::to_string(ranks) : word);
  return result;
}

/// Options of a run on \p ranks ranks; 0: without a launcher.
inline ProgramOptions on_ranks(int ranks) {
  return launched(ranks > 0 ? launcher(ranks) : std::vector<std::string>{});
}

/// Returns the image of a run on \p ranks ranks; 0: without a launcher.
inline std::vector<double> image_of(const RunFolder& folder, int ranks, const std::string& output,
                                    const std::vector<std::string>& settings = {}) {
  const ProgramResult result = run_well(folder, output, settings, on_ranks(ranks));
  if (result.status != 0) return {};
  return image(folder, output);
}

inline const std::string parallel =
    "problem:\n  type: tomography\n  volume: {size: [24, 20]}\n"
    "  geometry: {type: parallel_beam, views: 15, detectors: 35, range: 180 deg}\n"
    "  phantom: shepp_logan\n";

/// Expects that runs on 2 and 3 ranks agree with a run of one process for \p config with each of
/// the settings \p ways.
inline void compare(const std::string& config, const std::vector<std::vector<std::string>>& ways,
                    double bound) {
  const RunFolder folder(config);
  for (const auto& settings : ways) {
    std::vector<std::string> of_one_process;
    for (const std::string& setting : settings)
      if (setting.find("run.ranks") != 0) of_one_process.push_back(setting);
    const auto alone = image_of(folder, 0, "alone", of_one_process);
    for (const int ranks : {2, 3})
      EXPECT_LT(distance(image_of(folder, ranks, "spread", settings), alone), bound)
          << ranks << " ranks, " << (settings.empty() ? "" : settings.back());
  }
}

/// Expects that runs of \p config on each number of \p ranks agree with one process within
/// rounding: products, iterates and ends.
/// \param of_one_process settings of the run of one process
inline void expect_agreement(const std::string& config, const std::vector<int>& ranks,
                             const std::vector<std::string>& of_one_process = {}) {
  const RunFolder folder(config);
  const ProgramResult alone = run_program(
      with_settings({"compare", folder / "c.yaml", "--record", folder / "r.yaml"}, of_one_process));
  ASSERT_TRUE(folder.has("r.yaml")) << config << alone.error;
  for (const int count : ranks) {
    const ProgramResult result =
        run_well({"compare", folder / "c.yaml", "--against", folder / "r.yaml"}, on_ranks(count));
    EXPECT_CONTAINS(result.out, "verdict: the same within rounding") << config;
  }
}

inline int count_of(const std::string& all, const std::string& part) {
  int count = 0;
  for (std::size_t at = all.find(part); at != std::string::npos; at = all.find(part, at + 1))
    ++count;
  return count;
}

/// Checks the status and the only message of a run that must fail.
inline void expect_refused(const std::string& config, const std::vector<std::string>& parts) {
  const RunFolder folder(config);
  const ProgramResult result = expect_failure(run_of(folder, "out"), {}, 2, on_ranks(3));
  EXPECT_EQ(count_of(result.error, "tomokkos: error:"), 1) << result.error;
  for (const std::string& part : parts) EXPECT_CONTAINS(result.error, part);
  EXPECT_FALSE(folder.has("out"));
}

}  // namespace Tomokkos::Testing
