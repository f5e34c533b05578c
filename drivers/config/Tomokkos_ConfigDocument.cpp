// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigDocument.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_Device.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

namespace Tomokkos {
namespace {

/// Sections that may be one word, and the keys that this word then stands for: for a word with and
/// without a dot. Empty: such a word is no section, as `auto` and `none`.
struct Shorthand {
  std::string_view section, of_file, of_name;
};
constexpr Shorthand shorthands[] = {
    {"problem.sinogram", "file", "file"},  {"problem.sinogram.flat", "file", ""},
    {"problem.sinogram.dark", "file", ""}, {"problem.geometry.angles", "file", "file"},
    {"problem.mesh", "file", "file"},      {"problem.phantom", "file", "kind"},
    {"problem.scanner", "kind", "kind"}};

void write_out(ConfigNode& root, std::string_view setting) {
  for (const Shorthand& known : shorthands) {
    if (!setting.starts_with(known.section) ||
        setting.substr(known.section.size(), 1) != std::string_view("."))
      continue;
    auto* const node = const_cast<ConfigNode*>(root.at(known.section));
    if (node == nullptr || !node->is_scalar()) continue;
    const bool is_file = node->scalar().find('.') != std::string::npos;
    const std::string_view key = is_file ? known.of_file : known.of_name;
    if (key.empty()) continue;
    ConfigNode section = ConfigNode::map();
    section.position = node->position;
    section.set(key, *node);
    *node = std::move(section);
  }
}

}  // namespace

void apply_settings(ConfigNode& root, const std::vector<std::string>& settings) {
  for (const std::string& setting : settings) {
    write_out(root, setting);
    apply_setting(root, setting);
  }
}

void impose(const MemoryLimit& limit) { set_memory_limits(limit.host, limit.device); }

std::string memory_limit_note(const ConfigNode& root) {
  const ConfigNode* const limit = root.at("run.memory_limit");
  if (!limit) return "";
  std::string text;
  if (limit->is_scalar()) {
    if (limit->scalar() != "none") text = limit->scalar();
  } else if (limit->is_map()) {
    for (const auto& entry : limit->entries())
      if (entry.value.is_scalar() && entry.value.scalar() != "none")
        text += (text.empty() ? "" : ", ") + entry.key + " " + entry.value.scalar();
  }
  return text.empty() ? "" : " (run.memory_limit: " + text + ")";
}

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
