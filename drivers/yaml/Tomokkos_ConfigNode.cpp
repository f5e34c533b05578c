// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace Tomokkos {

std::string ConfigPosition::describe() const {
  if (!source) return "";
  if (!source->has_lines) return source->name;
  return source->name + ":" + std::to_string(line) + ":" + std::to_string(column);
}

ConfigNode::ConfigNode() = default;
ConfigNode::ConfigNode(const ConfigNode& other) = default;
ConfigNode::ConfigNode(ConfigNode&& other) noexcept = default;
ConfigNode& ConfigNode::operator=(const ConfigNode& other) = default;
ConfigNode& ConfigNode::operator=(ConfigNode&& other) noexcept = default;
ConfigNode::~ConfigNode() = default;
ConfigNode::ConfigNode(Kind kind) : kind_(kind) {}

ConfigNode ConfigNode::map(bool flow) {
  ConfigNode node(Kind::map);
  node.flow_ = flow;
  return node;
}

ConfigNode ConfigNode::list(bool flow) {
  ConfigNode node(Kind::list);
  node.flow_ = flow;
  return node;
}

ConfigNode ConfigNode::plain(std::string value, bool quoted) {
  ConfigNode node(Kind::scalar);
  node.scalar_ = std::move(value);
  node.quoted_ = quoted;
  return node;
}

namespace {

/// True if a YAML reader would read plain \p text as a number, a boolean or null. The YAML writer
/// adds quotes for syntax reasons itself.
bool needs_quotes(std::string_view text) {
  if (text.empty()) return true;
  static constexpr std::array<std::string_view, 12> words{
      "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::find(words.begin(), words.end(), lower) != words.end()) return true;
  // Any text that starts like a number may be one.
  const char first = text.front();
  if (std::string_view("0123456789.+-").find(first) == std::string_view::npos) return false;
  return !text.starts_with("./") && !text.starts_with("../") &&
         (first == '-' || text.find(' ') == std::string_view::npos);
}

}  // namespace

ConfigNode ConfigNode::text(std::string value) {
  ConfigNode node = plain(std::move(value));
  node.quoted_ = needs_quotes(node.scalar_);
  return node;
}

ConfigNode ConfigNode::number(double value) {
  if (std::isnan(value)) return plain(".nan");
  if (std::isinf(value)) return plain(value > 0 ? ".inf" : "-.inf");
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return plain(std::string(buffer.data(), end));
}

const ConfigNode* ConfigNode::find(std::string_view key) const {
  for (const Entry& entry : entries_)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

ConfigNode* ConfigNode::find(std::string_view key) {
  for (Entry& entry : entries_)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

const ConfigNode& ConfigNode::follow(std::string_view path, std::string_view& rest) const {
  const ConfigNode* node = this;
  for (rest = path; !rest.empty() && node->is_map();) {
    const std::size_t dot = std::min(rest.find('.'), rest.size());
    const ConfigNode* const next = node->find(rest.substr(0, dot));
    if (next == nullptr) break;
    node = next;
    rest.remove_prefix(std::min(dot + 1, rest.size()));
  }
  return *node;
}

ConfigNode& ConfigNode::set(std::string_view key, ConfigNode value) {
  for (Entry& entry : entries_) {
    if (entry.key != key) continue;
    entry.position = value.position;
    entry.value = std::move(value);
    return entry.value;
  }
  const ConfigPosition where = value.position;
  entries_.push_back({std::string(key), where, std::move(value)});
  return entries_.back().value;
}

void ConfigNode::append(Entry entry) { entries_.push_back(std::move(entry)); }

void ConfigNode::push_back(ConfigNode value) { items_.push_back(std::move(value)); }

std::string ConfigNode::describe() const {
  switch (kind_) {
    case Kind::null:
      return "nothing";
    case Kind::scalar:
      return std::string(quoted_ ? "the text \"" : "\"").append(scalar_).append("\"");
    case Kind::list:
      return "a list";
    case Kind::map:
      return "a map";
  }
  return "nothing";
}

}  // namespace Tomokkos
