// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <functional>
#include <optional>
#include <set>
#include <string>

namespace Tomokkos {

/// \brief Dotted paths of keys or sections.
using ConfigKeys = std::set<std::string, std::less<>>;

/// \brief Key whose values differ between two configurations.
struct ConfigDifference {
  std::string key;            ///< dotted path
  std::string first, second;  ///< values as text; `nothing`: absent
};

/// \brief Returns the first key whose values differ; empty if the configurations are equal. `none`
/// counts as absent. Order and layout do not matter.
///
/// \param ignored keys and sections that may differ
std::optional<ConfigDifference> first_difference(const ConfigNode& a, const ConfigNode& b,
                                                 const ConfigKeys& ignored);

}  // namespace Tomokkos
