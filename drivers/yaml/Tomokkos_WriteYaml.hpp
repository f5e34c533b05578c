// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <map>
#include <string>

namespace Tomokkos {

/// \brief Writes \p node as a YAML document, in the order of its entries.
std::string to_yaml(const ConfigNode& node);
/// \brief Writes \p node with a comment above each key whose dotted path is in \p comments.
std::string to_yaml(const ConfigNode& node, const std::map<std::string, std::string>& comments);

}  // namespace Tomokkos
