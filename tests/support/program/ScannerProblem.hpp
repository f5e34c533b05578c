// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Small PET scanner for the program.
#pragma once

#include "ProgramTesting.hpp"

namespace Tomokkos::Testing::ScannerProblem {

// 72 crystals; their lines of response reach all slices.
inline const std::string scanner = "{kind: madpet2_small, crystals: [1, 2], rays: 8}";
inline const std::string volume = "{size: [6, 20, 22], pixel: 3, thickness: 1.4}";
inline const std::string text = "problem:\n  type: tomography\n  scanner: " + scanner +
                                "\n  volume: " + volume +
                                "\n  phantom: disc\nsolver: {type: mlem, iterations: 10}\n";

inline void run(const RunFolder& folder, const std::string& config, const std::string& output,
                const std::vector<std::string>& more = {}) {
  run_well(with_settings({"run", folder / config, "--output", folder / output}, more));
}

}  // namespace Tomokkos::Testing::ScannerProblem
