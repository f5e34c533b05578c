// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_RunConfig.hpp>

namespace Tomokkos {

/// \brief The entry `scanner` of \p parent, which is there: a name, or a section. Throws
/// `ConfigError`.
ScannerConfig read_scanner(const ConfigReader& parent);

/// \brief The section again, with every default.
ConfigNode to_node(const ScannerConfig& config);

}  // namespace Tomokkos
