// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that uses yaml-cpp.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <unordered_map>

namespace Tomokkos {

namespace {

constexpr std::size_t max_bytes = 16'000'000;
constexpr std::size_t max_depth = 64;
constexpr long max_nodes = 500'000;
/// Limits for the text, in which keys count as nodes.
constexpr std::size_t max_text_nodes = 2 * max_nodes;

const char* const directive_is_lost =
    "a line that begins with % is a YAML directive and would be ignored; write a text in quotes, "
    "or a comment with #";
const char* const text_is_too_long =
    "longer than 16 MB; a configuration must be a short text, with data in separate files";

[[noreturn]] void fail(const ConfigPosition& where, const std::string& message) {
  throw ConfigError(where.describe() + ": " + message);
}

[[noreturn]] void fail_too_deep(const ConfigPosition& where) {
  fail(where, "nested deeper than " + std::to_string(max_depth) +
                  " levels (does an alias contain itself?)");
}

[[noreturn]] void fail_too_many(const ConfigPosition& where) {
  fail(where, "more than " + std::to_string(max_nodes) + " values, counting aliases");
}

/// Node of the text. The children of a node are linked in their order; for a map, keys and values
/// alternate.
struct TextNode {
  static constexpr int none = -1;

  ConfigNode::Kind kind = ConfigNode::Kind::null;
  bool quoted = false;
  int line = 0;
  int column = 0;
  int alias_of = none;  ///< index of the earlier node that this alias refers to
  int first_child = none;
  int next = none;  ///< next child of the same node
  std::string text;
};

/// Collects the events of one document as a list of nodes. Throws for a second document and for too
/// many or too deeply nested nodes: yaml-cpp itself has no limits, and produces endless empty
/// documents from some invalid input.
class TextNodes final : public YAML::EventHandler {
 public:
  TextNodes(const std::string& text, const std::shared_ptr<const ConfigSource>& source)
      : text_(text), source_(source) {}

  ConfigPosition position(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1};
  }
  ConfigPosition position(const TextNode& node) const { return {source_, node.line, node.column}; }
  const std::vector<TextNode>& nodes() const { return nodes_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    // A document that begins after a directive would lose the preceding text.
    if (at >= text_.size()) fail({source_, std::max(mark.line, 1), 1}, directive_is_lost);
    const char found = text_[at];
    if (std::string_view(",:]}").find(found) == std::string_view::npos)
      fail(position(mark),
           "a second document begins here; a configuration must be a single document");
    fail(position(mark), "not valid YAML: the \"" + std::string(1, found) +
                             "\" belongs to no list and no map (a list of lists is written "
                             "[[1, 2], [3, 4]], a text with such characters in quotes)");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(ConfigNode::Kind::null, mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(ConfigNode::Kind::null, mark, 0).alias_of = anchors_.at(anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    TextNode& node = add(ConfigNode::Kind::scalar, mark, anchor);
    node.text = value;
    node.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { open_.pop_back(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::Kind::map, mark, anchor);
  }
  void OnMapEnd() override { open_.pop_back(); }

 private:
  struct Open {
    int node;
    int last_child;
  };

  TextNode& add(ConfigNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() > max_depth) fail_too_deep(position(mark));
    if (nodes_.size() == max_text_nodes) fail_too_many(position(mark));
    const int index = static_cast<int>(nodes_.size());
    if (!open_.empty()) {
      Open& parent = open_.back();
      (parent.last_child == TextNode::none
           ? nodes_[static_cast<std::size_t>(parent.node)].first_child
           : nodes_[static_cast<std::size_t>(parent.last_child)].next) = index;
      parent.last_child = index;
    }
    if (anchor != 0) anchors_[anchor] = index;
    TextNode& node = nodes_.emplace_back();
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    return node;
  }

  void open(ConfigNode::Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    add(kind, mark, anchor);
    open_.push_back({static_cast<int>(nodes_.size()) - 1, TextNode::none});
  }

  const std::string& text_;
  const std::shared_ptr<const ConfigSource>& source_;
  int documents_ = 0;
  std::vector<TextNode> nodes_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, int> anchors_;
};

/// Converts the nodes of a text to plain data and expands aliases.
class ConfigNodeBuilder {
 public:
  explicit ConfigNodeBuilder(const TextNodes& text) : text_(text), nodes_(text.nodes()) {}

  ConfigNode build(int index, std::size_t depth = 0) {
    const TextNode& from = resolved(index);
    const ConfigPosition where = text_.position(from);
    // Aliases may nest a document in itself, or expand a few lines to billions of nodes.
    if (depth > max_depth) fail_too_deep(where);
    if (++count_ > max_nodes) fail_too_many(where);

    ConfigNode node;
    switch (from.kind) {
      case ConfigNode::Kind::null:
        break;
      case ConfigNode::Kind::scalar:
        if (!from.quoted && is_null(from.text)) break;
        node = ConfigNode::plain(from.text, from.quoted);
        break;
      case ConfigNode::Kind::list:
        node = ConfigNode::list();
        for (int child = from.first_child; child != TextNode::none; child = at(child).next)
          node.push_back(build(child, depth + 1));
        break;
      case ConfigNode::Kind::map:
        node = build_map(from, where, depth);
        break;
    }
    node.position = where;
    return node;
  }

  static bool is_null(std::string_view text) {
    return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
  }

 private:
  const TextNode& at(int index) const { return nodes_[static_cast<std::size_t>(index)]; }

  const TextNode& resolved(int index) const {
    while (at(index).alias_of != TextNode::none) index = at(index).alias_of;
    return at(index);
  }

  ConfigNode build_map(const TextNode& from, const ConfigPosition& where, std::size_t depth) {
    ConfigNode node = ConfigNode::map();
    std::unordered_map<std::string, std::size_t> places;  // positions of the keys among the entries
    std::vector<ConfigNode> merged;
    for (int child = from.first_child; child != TextNode::none;) {
      const TextNode& key_node = resolved(child);
      const int value_child = at(child).next;
      child = at(value_child).next;
      const ConfigPosition key_position = text_.position(key_node);
      if (key_node.kind != ConfigNode::Kind::scalar)
        fail(key_position, "a key must be a word, not a list or a map");
      const std::string& key = key_node.text;
      ConfigNode value = build(value_child, depth + 1);
      if (key == "<<" && !key_node.quoted) {
        if (value.is_list())
          for (const ConfigNode& item : value.items()) merged.push_back(item);
        else
          merged.push_back(std::move(value));
        if (!merged.empty() && !merged.back().is_map())
          fail(key_position, "<<: expected a map or a list of maps to merge");
        continue;
      }
      const auto [known, is_new] = places.try_emplace(key, node.entries().size());
      if (!is_new)
        fail(key_position, "duplicate key \"" + key + "\"; it was given before at " +
                               node.entries()[known->second].position.describe());
      node.append({key, key_position, std::move(value)});
    }
    for (const ConfigNode& source : merged) {
      if (!source.is_map()) fail(where, "<<: expected a map or a list of maps to merge");
      for (const auto& entry : source.entries())
        if (places.try_emplace(entry.key, node.entries().size()).second) node.append(entry);
    }
    return node;
  }

  const TextNodes& text_;
  const std::vector<TextNode>& nodes_;
  long count_ = 0;
};

/// Position of the byte \p at of \p text.
ConfigPosition position_in(const std::string& text, std::size_t at,
                           const std::shared_ptr<const ConfigSource>& source) {
  at = std::min(at, text.size());
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  const std::size_t newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
  return {source, static_cast<int>(line) + 1, static_cast<int>(at - begin) + 1};
}

/// True for UTF-16 or UTF-32 in either byte order.
bool has_wide_characters(const std::string& text) {
  return text.starts_with("\xfe\xff") || text.starts_with("\xff\xfe") ||
         text.substr(0, 4).find('\0') != std::string::npos;
}

/// Refuses lines such as `%problem: x` before a document, which the parser would ignore as
/// directives. Allows the directives of YAML.
void refuse_directives(const std::string& text, const std::shared_ptr<const ConfigSource>& source) {
  std::size_t begin = text.starts_with("\xef\xbb\xbf") ? 3 : 0;
  while (begin < text.size()) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (line.starts_with('%')) {
      if (!line.starts_with("%YAML ") && !line.starts_with("%TAG "))
        fail(position_in(text, begin, source), directive_is_lost);
    } else if (first != std::string_view::npos && line[first] != '#') {
      return;
    }
    begin = end + 1;
  }
}

/// Refuses texts with too many commas and brackets. The parser buffers everything between brackets
/// until they are closed, which could need hundreds of megabytes before the first node.
void require_few_indicators(const std::string& text,
                            const std::shared_ptr<const ConfigSource>& source) {
  std::size_t indicators = 0, brackets = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    switch (text[at]) {
      case '[':
      case '{':
        ++brackets;
        [[fallthrough]];
      case ',':
      case ']':
      case '}':
      case '&':
      case '*':
      case '!':
        if (++indicators > max_text_nodes || brackets > max_nodes)
          fail(position_in(text, at, source), "too many commas and brackets for the at most " +
                                                  std::to_string(max_nodes) +
                                                  " values of a configuration");
        break;
      default:
        break;
    }
  }
}

ConfigNode empty_document(const std::shared_ptr<const ConfigSource>& source) {
  ConfigNode empty;
  empty.position = {source, 1, 1};
  return empty;
}

std::string read_at_most(int descriptor, std::size_t bytes, const std::string& name) {
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (text.size() < bytes) {
    const ssize_t count =
        ::read(descriptor, buffer.data(), std::min(buffer.size(), bytes - text.size()));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw ConfigError(name + ": cannot be read: " + std::strerror(errno));
    if (count == 0) break;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace

ConfigNode parse_yaml(const std::string& text, std::shared_ptr<const ConfigSource> source) {
  if (text.size() > max_bytes)
    throw ConfigError((source ? source->name + ": " : std::string()) + text_is_too_long);
  refuse_directives(text, source);
  require_few_indicators(text, source);
  TextNodes nodes(text, source);
  // Mark the end explicitly, so that the parser detects an open quote.
  const char* const end = has_wide_characters(text) ? ""
                          : text.ends_with('\n')    ? "...\n"
                                                    : "\n...\n";
  std::istringstream stream(text + end);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(nodes)) {
    }
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      fail(nodes.position(error.mark),
           "not valid YAML: a quote is opened before this line and not closed");
    // The reported position may be after the last line, or missing.
    const ConfigPosition last = position_in(text, text.find_last_not_of(" \t\r\n"), source);
    const ConfigPosition where = nodes.position(error.mark);
    const bool is_behind = error.mark.is_null() || where.line > last.line;
    fail(is_behind ? last : where, "not valid YAML: " + error.msg);
  }
  if (nodes.nodes().empty()) return empty_document(source);
  ConfigNode root = ConfigNodeBuilder(nodes).build(0);
  return root.is_null() ? empty_document(source) : root;
}

ConfigNode read_yaml_file(const std::filesystem::path& file) {
  const std::string name = file.string();
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw ConfigError(name + ": cannot be read: " + std::strerror(errno));
  std::string text;
  try {
    struct stat status {};
    if (::fstat(descriptor, &status) != 0)
      throw ConfigError(name + ": cannot be read: " + std::strerror(errno));
    if (S_ISDIR(status.st_mode))
      throw ConfigError(name + ": is a folder, not a configuration file");
    if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
      throw ConfigError(name + ": is a device, not a configuration file");
    if (S_ISREG(status.st_mode) && status.st_size > static_cast<off_t>(max_bytes))
      throw ConfigError(name + ": " + text_is_too_long);
    text = read_at_most(descriptor, max_bytes + 1, name);
    Impl::note_read(descriptor);
  } catch (...) {
    ::close(descriptor);
    throw;
  }
  ::close(descriptor);
  auto source = std::make_shared<ConfigSource>();
  source->name = name;
  source->base_directory = std::filesystem::absolute(file).parent_path();
  return parse_yaml(text, source);
}

void apply_setting(ConfigNode& root, std::string_view setting) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "--set " + std::string(setting);
  source->base_directory = std::filesystem::current_path();
  source->has_lines = false;
  const ConfigPosition where{source, 1, 1};
  const auto fail = [&](const std::string& message) { Tomokkos::fail(where, message); };

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
      const std::string text(setting.substr(equals + 1));
      ConfigNode value = parse_yaml(text, source);
      // An empty value would select the default instead of the value in the file, so accept it only
      // if it is written explicitly.
      const std::size_t first = text.find_first_not_of(" \t\r\n");
      const std::size_t last = text.find_last_not_of(" \t\r\n");
      const std::string word =
          first == std::string::npos ? "" : text.substr(first, last - first + 1);
      const bool is_empty_text = value.is_scalar() && value.scalar().empty();
      if ((value.is_null() && !ConfigNodeBuilder::is_null(word)) ||
          (is_empty_text && word != "\"\"" && word != "''"))
        fail("\"" + word +
             "\" is read as an empty value; put a text in YAML quotes, for example '" +
             std::string(path) + "=\"" + word + "\"', and write ~ for an empty value");
      node->set(key, std::move(value));
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
