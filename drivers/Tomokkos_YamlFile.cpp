// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that sees yaml-cpp.
#include <yaml-cpp/yaml.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace Tomokkos {

/// Turns the nodes of yaml-cpp into plain data.
class ConfigNodeBuilder {
 public:
  explicit ConfigNodeBuilder(std::shared_ptr<const ConfigSource> source)
      : source_(std::move(source)) {}

  ConfigPosition position(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1};
  }

  [[noreturn]] static void fail(const ConfigPosition& where, const std::string& message) {
    throw ConfigError(where.describe() + ": " + message);
  }

  ConfigNode build(const YAML::Node& yaml, int depth = 0) {
    const ConfigPosition where = position(yaml.Mark());
    // Aliases may nest documents in themselves, or let a few lines stand for billions of nodes.
    if (depth > max_depth)
      fail(where, "nested deeper than " + std::to_string(max_depth) +
                      " levels (does an alias contain itself?)");
    if (++count_ > max_nodes)
      fail(where, "more than " + std::to_string(max_nodes) + " values, counting aliases");

    ConfigNode node;
    switch (yaml.Type()) {
      case YAML::NodeType::Undefined:
      case YAML::NodeType::Null:
        break;
      case YAML::NodeType::Scalar:
        node = ConfigNode::plain(yaml.Scalar());
        node.quoted_ = yaml.Tag() == "!" || yaml.Tag() == "tag:yaml.org,2002:str";
        if (!node.quoted_ && (node.scalar_.empty() || node.scalar_ == "~" ||
                              node.scalar_ == "null" || node.scalar_ == "Null"))
          node = ConfigNode();
        break;
      case YAML::NodeType::Sequence:
        node = ConfigNode::list();
        for (const YAML::Node& item : yaml) node.push_back(build(item, depth + 1));
        break;
      case YAML::NodeType::Map:
        node = build_map(yaml, where, depth);
        break;
    }
    node.position = where;
    return node;
  }

 private:
  ConfigNode build_map(const YAML::Node& yaml, const ConfigPosition& where, int depth) {
    ConfigNode node = ConfigNode::map();
    std::vector<ConfigNode> merged;
    for (const auto& pair : yaml) {
      const ConfigPosition key_position = position(pair.first.Mark());
      if (!pair.first.IsScalar()) fail(key_position, "a key must be a word, not a list or a map");
      const std::string& key = pair.first.Scalar();
      ConfigNode value = build(pair.second, depth + 1);
      if (key == "<<" && pair.first.Tag() != "!") {
        if (value.is_list())
          for (const ConfigNode& item : value.items()) merged.push_back(item);
        else
          merged.push_back(std::move(value));
        if (!merged.empty() && !merged.back().is_map())
          fail(key_position, "<<: expected a map or a list of maps to merge");
        continue;
      }
      for (const auto& entry : node.entries())
        if (entry.key == key)
          fail(key_position, "duplicate key \"" + key + "\"; it was given before at " +
                                 entry.position.describe());
      node.append({key, key_position, std::move(value)});
    }
    for (const ConfigNode& source : merged) {
      if (!source.is_map()) fail(where, "<<: expected a map or a list of maps to merge");
      for (const auto& entry : source.entries())
        if (!node.find(entry.key)) node.append(entry);
    }
    return node;
  }

  static constexpr int max_depth = 64;
  static constexpr long max_nodes = 500'000;

  std::shared_ptr<const ConfigSource> source_;
  long count_ = 0;
};

namespace {

/// The parser takes what follows an open quote, up to the end, for its contents.
void require_closed_quotes(const std::string& text, const ConfigNodeBuilder& builder) {
  if (text.find_first_of("\"'") == std::string::npos) return;
  try {
    YAML::LoadAll(text + "\n...\n");  // an end, which must not lie in quotes
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      ConfigNodeBuilder::fail(builder.position(error.mark),
                              "not valid YAML: a quote is opened before this line and not closed");
    throw;
  }
}

}  // namespace

ConfigNode parse_yaml(const std::string& text, std::shared_ptr<const ConfigSource> source) {
  ConfigNodeBuilder builder(source);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(text);
    require_closed_quotes(text, builder);
    if (documents.size() > 1)
      ConfigNodeBuilder::fail(builder.position(documents[1].Mark()),
                              "a second document; a configuration is one document");
    if (documents.empty()) {
      ConfigNode empty;
      empty.position = {source, 1, 1};
      return empty;
    }
    return builder.build(documents.front());
  } catch (const YAML::Exception& error) {
    // Errors at the end of the input have no mark.
    const ConfigPosition where =
        error.mark.is_null() ? ConfigPosition{source, 1, 1} : builder.position(error.mark);
    ConfigNodeBuilder::fail(where, "not valid YAML: " + error.msg);
  }
}

ConfigNode read_yaml_file(const std::filesystem::path& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    throw ConfigError(file.string() + ": is a folder, not a configuration file");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  if (!stream) throw ConfigError(file.string() + ": cannot be read: " + std::strerror(errno));
  text << stream.rdbuf();
  if (stream.bad()) throw ConfigError(file.string() + ": cannot be read: " + std::strerror(errno));
  auto source = std::make_shared<ConfigSource>();
  source->name = file.string();
  source->base_directory = std::filesystem::absolute(file).parent_path();
  return parse_yaml(text.str(), source);
}

void apply_setting(ConfigNode& root, std::string_view setting) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "--set " + std::string(setting);
  source->base_directory = std::filesystem::current_path();
  source->has_lines = false;
  const ConfigPosition where{source, 1, 1};
  const auto fail = [&](const std::string& message) { ConfigNodeBuilder::fail(where, message); };

  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail("expected key.path=value, for example solver.iterations=20");
  const std::string_view path = setting.substr(0, equals);

  if (root.is_null()) {
    const ConfigPosition previous = root.position;
    root = ConfigNode::map();
    root.position = previous.source ? previous : where;
  }
  ConfigNode* node = &root;
  std::size_t begin = 0;
  while (true) {
    const std::size_t end = std::min(path.find('.', begin), path.size());
    const std::string_view key = path.substr(begin, end - begin);
    if (key.empty()) fail("an empty key in the path \"" + std::string(path) + "\"");
    if (!node->is_map())
      fail(std::string(path.substr(0, begin == 0 ? 0 : begin - 1)) + " is " + node->describe() +
           " at " + node->position.describe() +
           ", not a map; set it as a whole, for example {key: value}");
    if (end == path.size()) {
      node->set(key, parse_yaml(std::string(setting.substr(equals + 1)), source));
      return;
    }
    ConfigNode* child = node->find(key);
    if (!child || child->is_null()) {
      ConfigNode empty = ConfigNode::map();
      empty.position = where;
      child = &node->set(key, std::move(empty));
    }
    node = child;
    begin = end + 1;
  }
}

}  // namespace Tomokkos
