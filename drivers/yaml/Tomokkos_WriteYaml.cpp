// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <yaml-cpp/yaml.h>

#include <Tomokkos_WriteYaml.hpp>
#include <Tomokkos_YamlFile.hpp>

namespace Tomokkos {
namespace {

void emit(const ConfigNode& node, YAML::Emitter& out) {
  switch (node.kind()) {
    case ConfigNode::Kind::null:
      out << YAML::Null;
      break;
    case ConfigNode::Kind::scalar:
      if (node.is_quoted()) out << YAML::DoubleQuoted;
      out << node.scalar();
      break;
    case ConfigNode::Kind::list:
      out << (node.is_flow() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
      for (const ConfigNode& item : node.items()) emit(item, out);
      out << YAML::EndSeq;
      break;
    case ConfigNode::Kind::map:
      out << (node.is_flow() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
      for (const auto& entry : node.entries()) {
        emit(ConfigNode::text(entry.key), out << YAML::Key);
        emit(entry.value, out << YAML::Value);
      }
      out << YAML::EndMap;
      break;
  }
}

using Comments = std::map<std::string, std::string>;

/// Collects the comments by the line of the document that they precede. Keys of a map on one line
/// have none.
void place(const ConfigNode& map, int line_of_key, const std::string& path,
           const Comments& comments, std::map<int, std::string>& lines) {
  for (const auto& [key, position, value] : map.entries()) {
    if (position.line == line_of_key) return;
    const std::string key_path = path.empty() ? key : path + "." + key;
    if (const auto comment = comments.find(key_path); comment != comments.end())
      lines[position.line] = std::string(static_cast<std::size_t>(position.column - 1), ' ') +
                             "# " + comment->second + "\n";
    place(value, position.line, key_path, comments, lines);
  }
}

}  // namespace

std::string to_yaml(const ConfigNode& node) {
  YAML::Emitter out;
  out.SetNullFormat(YAML::LowerNull);
  emit(node, out);
  return std::string(out.c_str()) + "\n";
}

std::string to_yaml(const ConfigNode& node, const Comments& comments) {
  const std::string text = to_yaml(node);
  auto source = std::make_shared<ConfigSource>();
  std::map<int, std::string> lines;
  place(parse_yaml(text, source), 0, "", comments, lines);
  std::string result;
  int line = 1;
  for (std::size_t begin = 0; begin < text.size(); ++line) {
    const std::size_t end = text.find('\n', begin) + 1;
    if (const auto comment = lines.find(line); comment != lines.end()) result += comment->second;
    result.append(text, begin, end - begin);
    begin = end;
  }
  return result;
}

}  // namespace Tomokkos
