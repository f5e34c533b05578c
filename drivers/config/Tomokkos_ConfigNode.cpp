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

// A plain scalar that a YAML reader takes for something else, or cannot read at all.
bool needs_quotes(std::string_view text) {
  if (text.empty() || text.front() == ' ' || text.back() == ' ') return true;
  static constexpr std::array<std::string_view, 12> words{
      "null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "=", "<<"};
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (std::find(words.begin(), words.end(), lower) != words.end()) return true;
  // Whatever starts as a number does may be one.
  const char first = text.front();
  if ((first >= '0' && first <= '9') || first == '.' || first == '+' || first == '-') {
    const bool path_or_unit =
        text.size() > 1 && (text.starts_with("./") || text.starts_with("../") ||
                            (text.find(' ') != std::string_view::npos && first != '-'));
    if (!path_or_unit) return true;
  }
  if (std::string_view("!&*-?|>@`\"'%#,[]{}:").find(first) != std::string_view::npos) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if (c < 0x20 || c == 0x7f) return true;
    if (std::string_view(",[]{}").find(text[i]) != std::string_view::npos) return true;
    if (text[i] == ':' && (i + 1 == text.size() || text[i + 1] == ' ')) return true;
    if (text[i] == '#' && i > 0 && text[i - 1] == ' ') return true;
  }
  return false;
}

std::string double_quoted(std::string_view text) {
  static constexpr char digits[] = "0123456789ABCDEF";
  std::string result = "\"";
  for (const char character : text) {
    const auto c = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      result += '\\';
      result += character;
    } else if (character == '\n') {
      result += "\\n";
    } else if (character == '\t') {
      result += "\\t";
    } else if (c < 0x20 || c == 0x7f) {
      result += "\\x";
      result += digits[c >> 4];
      result += digits[c & 15];
    } else {
      result += character;
    }
  }
  return result += "\"";
}

std::string scalar_text(const ConfigNode& node) {
  return node.is_quoted() ? double_quoted(node.scalar()) : node.scalar();
}

std::string flow_text(const ConfigNode& node) {
  switch (node.kind()) {
    case ConfigNode::Kind::null:
      return "null";
    case ConfigNode::Kind::scalar:
      return scalar_text(node);
    case ConfigNode::Kind::list: {
      std::string result = "[";
      for (const ConfigNode& item : node.items()) {
        if (result.size() > 1) result += ", ";
        result += flow_text(item);
      }
      return result += "]";
    }
    case ConfigNode::Kind::map: {
      std::string result = "{";
      for (const auto& entry : node.entries()) {
        if (result.size() > 1) result += ", ";
        result += needs_quotes(entry.key) ? double_quoted(entry.key) : entry.key;
        result += ": ";
        result += flow_text(entry.value);
      }
      return result += "}";
    }
  }
  return "null";
}

bool is_block(const ConfigNode& node) {
  return !node.is_flow() &&
         ((node.is_map() && !node.entries().empty()) || (node.is_list() && !node.items().empty()));
}

using Comments = std::map<std::string, std::string>;

/// \param path of \p node, as \p comments has it
void write_block(const ConfigNode& node, std::size_t indent, bool first_in_line,
                 const std::string& path, const Comments& comments, std::string& result) {
  const auto begin_line = [&] {
    if (!first_in_line) result.append(indent, ' ');
    first_in_line = false;
  };
  for (const auto& entry : node.entries()) {
    const std::string key = path.empty() ? entry.key : path + "." + entry.key;
    if (const auto comment = comments.find(key); comment != comments.end() && !first_in_line)
      result.append(indent, ' ').append("# ").append(comment->second).append("\n");
    begin_line();
    result += needs_quotes(entry.key) ? double_quoted(entry.key) : entry.key;
    result += ":";
    if (is_block(entry.value)) {
      result += "\n";
      write_block(entry.value, indent + 2, false, key, comments, result);
    } else {
      result.append(" ").append(flow_text(entry.value)).append("\n");
    }
  }
  for (const ConfigNode& item : node.items()) {
    begin_line();
    result += "- ";
    if (is_block(item))
      write_block(item, indent + 2, true, path, comments, result);
    else
      result.append(flow_text(item)).append("\n");
  }
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

std::string to_yaml(const ConfigNode& node) { return to_yaml(node, {}); }

std::string to_yaml(const ConfigNode& node, const std::map<std::string, std::string>& comments) {
  if (!is_block(node)) return flow_text(node) + "\n";
  std::string result;
  write_block(node, 0, false, "", comments, result);
  return result;
}

}  // namespace Tomokkos
