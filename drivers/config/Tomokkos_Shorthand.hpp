// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <string>
#include <vector>

namespace Tomokkos {

/// \brief Applies each `--set key.path=value` to a configuration (`apply_setting`).
///
/// A section that is given as one word, such as `sinogram: scan.npy`, is written out before a
/// setting of one of its keys: `--set problem.sinogram.negative=clamp` keeps the file.
void apply_settings(ConfigNode& root, const std::vector<std::string>& settings);

}  // namespace Tomokkos
