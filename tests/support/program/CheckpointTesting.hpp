// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Comparison of runs that continue from a checkpoint with runs that were not interrupted.
#pragma once

#include "program/ProgramTesting.hpp"

namespace Tomokkos::Testing {

inline std::vector<std::string> with(std::vector<std::string> settings, const std::string& more) {
  settings.push_back(more);
  return settings;
}

/// Resumes the run from its checkpoint.
inline ProgramResult resume(const RunFolder& folder, const std::string& output,
                            const std::vector<std::string>& settings) {
  std::vector<std::string> arguments = run_of(folder, output, settings);
  arguments.push_back("--resume");
  return run_program(arguments);
}

inline void resume_well(const RunFolder& folder, const std::string& output,
                        const std::vector<std::string>& settings) {
  const ProgramResult result = resume(folder, output, settings);
  ASSERT_EQ(result.status, 0) << result.error;
}

/// Expects equal results in \p file, and reports that agree on the results and on every iteration.
inline void expect_same_runs(const RunFolder& folder, const std::string& a, const std::string& b,
                             const std::string& file = "reconstruction.npy") {
  EXPECT_EQ(read_bytes(folder / (a + "/" + file)), read_bytes(folder / (b + "/" + file)));
  for (const char* part : {"result", "results", "slices", "history"})
    EXPECT_EQ(reported(folder, a, part), reported(folder, b, part)) << part;
}

}  // namespace Tomokkos::Testing
