// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDifference.hpp>
#include <Tomokkos_WriteYaml.hpp>
#include <algorithm>
#include <utility>
#include <vector>

namespace Tomokkos {

namespace {

using Leaves = std::vector<std::pair<std::string, std::string>>;

/// Collects the leaves of a configuration by their path.
void flatten(const ConfigNode& node, const std::string& path, const ConfigKeys& ignored,
             Leaves& leaves) {
  if (ignored.contains(path)) return;
  if (node.is_map()) {
    for (const auto& entry : node.entries())
      flatten(entry.value, path.empty() ? entry.key : path + "." + entry.key, ignored, leaves);
  } else if (node.is_list() && std::any_of(node.items().begin(), node.items().end(),
                                           [](const ConfigNode& item) { return item.is_map(); })) {
    for (std::size_t i = 0; i < node.items().size(); ++i)
      flatten(node.items()[i], path + "[" + std::to_string(i) + "]", ignored, leaves);
  } else if (node.is_list()) {
    std::string text;
    for (const ConfigNode& item : node.items())
      text += (text.empty() ? "" : ", ") + (item.is_scalar() ? item.scalar() : to_yaml(item));
    leaves.emplace_back(path, "[" + text + "]");
  } else if (node.is_scalar() && node.scalar() != "none") {  // `none` is the same as absent
    leaves.emplace_back(path, node.scalar());
  }
}

std::string value_of(const Leaves& leaves, const std::string& path) {
  const auto known = std::find_if(leaves.begin(), leaves.end(),
                                  [&](const auto& leaf) { return leaf.first == path; });
  return known == leaves.end() ? std::string("nothing") : known->second;
}

}  // namespace

std::optional<ConfigDifference> first_difference(const ConfigNode& a, const ConfigNode& b,
                                                 const ConfigKeys& ignored) {
  Leaves first, second;
  flatten(a, "", ignored, first);
  flatten(b, "", ignored, second);
  for (const Leaves* leaves : {&first, &second})
    for (const auto& [path, value] : *leaves) {
      const std::string in_first = value_of(first, path), in_second = value_of(second, path);
      if (in_first != in_second) return ConfigDifference{path, in_first, in_second};
    }
  return std::nullopt;
}

}  // namespace Tomokkos
