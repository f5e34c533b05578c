// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigReader.hpp>
#include <array>
#include <string>
#include <string_view>

namespace Tomokkos {

/// \brief The entry \p key, a list of two or one number for both, as \p result, which stays where
/// there is none.
///
/// \param read makes a number of a node and its path
/// \param names what the two are: `[around the axis, along it]`
template <class Number, class Read>
void read_pair(const ConfigReader& reader, std::string_view key, const char* names,
               std::array<Number, 2>& result, const Read& read) {
  const ConfigNode* node = reader.find(key);
  if (node == nullptr) return;
  const std::string path = reader.path_of(key);
  if (!node->is_list()) {
    result.fill(read(*node, path));
    return;
  }
  if (node->items().size() != 2)
    fail_at(*node, path, "expected " + std::string(names) + ", found " + node->describe());
  for (std::size_t d = 0; d < 2; ++d)
    result[d] = read(node->items()[d], path + "[" + std::to_string(d) + "]");
}

}  // namespace Tomokkos
