// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigPlaces.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <algorithm>
#include <string_view>

namespace Tomokkos {

namespace {

bool is_key(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

}  // namespace

std::string with_place(const ConfigNode& root, const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string_view path = std::string_view(message).substr(0, colon);
  const ConfigNode* place = nullptr;
  const ConfigNode* section = &root;
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view key = path.substr(begin, end - begin);
    if (!is_key(key)) return message;
    if (section != nullptr) section = section->is_map() ? section->find(key) : nullptr;
    if (section != nullptr) place = section;
    begin = end + 1;
  }
  return place != nullptr ? prefix_of(place->position) + message : message;
}

}  // namespace Tomokkos
