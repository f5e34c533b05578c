// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_ConfigReader.hpp>
#include <Tomokkos_YamlFile.hpp>
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
ConfigNode::ConfigNode(Kind kind, bool flow) : kind_(kind), flow_(flow) {}

ConfigNode ConfigNode::plain(std::string value, bool quoted) {
  ConfigNode node(Kind::scalar, false);
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
  return const_cast<ConfigNode*>(std::as_const(*this).find(key));
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
  const auto known =
      std::find_if(entries_.begin(), entries_.end(), [&](auto& entry) { return entry.key == key; });
  Entry& entry = known == entries_.end() ? entries_.emplace_back() : *known;
  entry = {std::string(key), value.position, std::move(value)};
  return entry.value;
}

void ConfigNode::append(Entry entry) { entries_.push_back(std::move(entry)); }

void ConfigNode::push_back(ConfigNode value) { items_.push_back(std::move(value)); }

std::string ConfigNode::describe() const {
  if (is_null()) return "nothing";
  if (is_list()) return "a list";
  if (is_map()) return "a map";
  return std::string(quoted_ ? "the text \"" : "\"").append(scalar_).append("\"");
}

namespace {

struct NodeOfValue {
  ConfigNode operator()(std::monostate) const { return {}; }
  ConfigNode operator()(bool value) const { return ConfigNode::boolean(value); }
  ConfigNode operator()(std::int64_t value) const { return ConfigNode::integer(value); }
  ConfigNode operator()(double value) const { return ConfigNode::number(value); }
  ConfigNode operator()(const std::string& value) const { return ConfigNode::text(value); }
};

Description value_of(const ConfigNode& scalar) {
  const std::string& text = scalar.scalar();
  if (scalar.is_quoted()) return text;
  if (text == "true" || text == "false") return text == "true";
  if (const auto number = as_number(scalar)) return *number;
  return text;
}

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

ConfigNode to_node(const Description& description) {
  if (description.kind() == Description::Kind::value)
    return std::visit(NodeOfValue{}, description.value());
  if (description.kind() == Description::Kind::list) {
    ConfigNode list = ConfigNode::list(description.is_on_one_line());
    for (const Description& item : description.items()) list.push_back(to_node(item));
    return list;
  }
  ConfigNode map = ConfigNode::map(description.is_on_one_line());
  for (std::size_t i = 0; i < description.items().size(); ++i)
    map.set(description.names()[i], to_node(description.items()[i]));
  return map;
}

Description description_of(const ConfigNode& node) {
  if (node.is_scalar()) return value_of(node);
  if (node.is_list()) {
    Description list = Description::list(node.is_flow());
    for (const ConfigNode& item : node.items()) list.add(description_of(item));
    return list;
  }
  if (node.is_null()) return {};
  Description map = Description::map(node.is_flow());
  for (const auto& entry : node.entries()) map.set(entry.key, description_of(entry.value));
  return map;
}

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
