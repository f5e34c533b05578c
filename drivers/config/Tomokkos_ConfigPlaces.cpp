// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigPlaces.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <algorithm>
#include <string_view>

namespace Tomokkos {

std::string with_place(const ConfigNode& root, const std::string& message) {
  const std::size_t colon = message.find(": ");
  if (colon == std::string::npos) return message;
  const std::string_view path = std::string_view(message).substr(0, colon);
  const bool is_path =
      path.find("..") == std::string_view::npos && !path.ends_with('.') &&
      std::all_of(path.begin(), path.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
      });
  std::string_view rest;
  const ConfigNode& place = root.follow(path, rest);
  return is_path && &place != &root ? prefix_of(place.position) + message : message;
}

}  // namespace Tomokkos
