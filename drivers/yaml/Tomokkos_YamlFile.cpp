// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The only file that uses yaml-cpp.
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <Tomokkos_Error.hpp>
#include <Tomokkos_OutputGuard.hpp>
#include <Tomokkos_Text.hpp>
#include <Tomokkos_YamlFile.hpp>
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>
#include <unordered_map>

namespace Tomokkos {

namespace {

constexpr std::size_t max_bytes = 16'000'000;
constexpr std::size_t max_depth = 64;
constexpr long max_nodes = 500'000;
/// Limit for commas, brackets and other marks in the text.
constexpr std::size_t max_indicators = 2 * max_nodes;

const char* const directive_is_lost =
    "a line that begins with % is a YAML directive and would be ignored; write a text in quotes, "
    "or a comment with #";
const char* const text_is_too_long =
    "longer than 16 MB; a configuration must be a short text, with data in separate files";

[[noreturn]] void fail(const ConfigPosition& where, const std::string& message) {
  throw ConfigError(where.describe() + ": " + message);
}

[[noreturn]] void fail_too_deep(const ConfigPosition& where) {
  fail(where,
       Impl::text("nested deeper than {} levels (does an alias contain itself?)", max_depth));
}

[[noreturn]] void fail_too_many(const ConfigPosition& where) {
  fail(where, Impl::text("more than {} values, counting aliases", max_nodes));
}

bool is_null_word(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

/// Builds the document from the events of the parser, with a copy for each alias. Throws for a
/// second document and for too many or too deeply nested nodes: yaml-cpp itself has no limits, and
/// produces endless empty documents from some invalid input.
class DocumentBuilder final : public YAML::EventHandler {
 public:
  DocumentBuilder(const std::string& text, const std::shared_ptr<const ConfigSource>& source)
      : text_(text), source_(source) {}

  ConfigPosition position(const YAML::Mark& mark) const {
    return {source_, mark.line + 1, mark.column + 1};
  }
  /// Null for an empty document.
  ConfigNode& root() { return root_; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    const auto at = static_cast<std::size_t>(std::max(mark.pos, 0));
    // A document that begins after a directive would lose the preceding text.
    if (at >= text_.size()) fail({source_, std::max(mark.line, 1), 1}, directive_is_lost);
    const char found = text_[at];
    if (std::string_view(",:]}").find(found) == std::string_view::npos)
      fail(position(mark),
           "a second document begins here; a configuration must be a single document");
    fail(position(mark), Impl::text("not valid YAML: the \"{}\" belongs to no list and no map (a "
                                    "list of lists is written [[1, 2], [3, 4]], a text with such "
                                    "characters in quotes)",
                                    found));
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    add(ConfigNode(), mark, anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    // The node of an alias within itself is not complete.
    const auto known = anchors_.find(anchor);
    if (known == anchors_.end()) fail_too_deep(position(mark));
    count(known->second, open_.size());
    attach(known->second);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    add(ConfigNode::plain(value, tag == "!" || tag == "tag:yaml.org,2002:str"), mark, anchor);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::list(), mark, anchor);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    open(ConfigNode::map(), mark, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  /// List or map whose end has not been reached.
  struct Open {
    ConfigNode node;
    YAML::anchor_t anchor;
    long first;                                           ///< number of nodes before this one
    std::optional<ConfigNode> key;                        ///< key whose value follows
    std::unordered_map<std::string, std::size_t> places;  ///< positions of the keys in the map
    std::vector<ConfigNode> merged;
  };

  /// Counts a node and those in it, of which there may be billions in a few lines with aliases.
  void count(const ConfigNode& node, std::size_t depth) {
    if (depth > max_depth) fail_too_deep(node.position);
    if (++count_ > max_nodes) fail_too_many(node.position);
    for (const ConfigNode& item : node.items()) count(item, depth + 1);
    for (const auto& entry : node.entries()) count(entry.value, depth + 1);
  }

  void add(ConfigNode node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    node.position = position(mark);
    count(node, open_.size());
    if (anchor != 0) anchors_[anchor] = node;
    attach(std::move(node));
  }

  void open(ConfigNode node, const YAML::Mark& mark, YAML::anchor_t anchor) {
    node.position = position(mark);
    const long first = count_;
    count(node, open_.size());
    open_.push_back({std::move(node), anchor, first, {}, {}, {}});
  }

  void close() {
    Open closed = std::move(open_.back());
    open_.pop_back();
    // Own keys come before merged keys and override them.
    for (const ConfigNode& source : closed.merged)
      for (const auto& entry : source.entries())
        if (closed.places.try_emplace(entry.key, closed.node.entries().size()).second)
          closed.node.append(entry);
    if (closed.anchor != 0) {
      if ((kept_ += count_ - closed.first) > max_nodes) fail_too_many(closed.node.position);
      anchors_[closed.anchor] = closed.node;
    }
    attach(std::move(closed.node));
  }

  /// Adds a complete node to the list or map that contains it.
  void attach(ConfigNode node) {
    const bool is_key = !open_.empty() && open_.back().node.is_map() && !open_.back().key;
    if (is_key) {
      if (!node.is_scalar()) fail(node.position, "a key must be a word, not a list or a map");
      open_.back().key = std::move(node);
      return;
    }
    if (node.is_scalar() && !node.is_quoted() && is_null_word(node.scalar())) {
      ConfigNode null;
      null.position = std::move(node.position);
      node = std::move(null);
    }
    if (open_.empty())
      root_ = std::move(node);
    else if (open_.back().node.is_list())
      open_.back().node.push_back(std::move(node));
    else
      set(open_.back(), std::move(node));
  }

  static void set(Open& map, ConfigNode value) {
    const ConfigNode key = *std::exchange(map.key, std::nullopt);
    if (key.scalar() == "<<" && !key.is_quoted()) {
      std::vector<ConfigNode> sources{value};
      if (value.is_list()) sources = value.items();
      for (ConfigNode& source : sources) {
        if (!source.is_map()) fail(key.position, "<<: expected a map or a list of maps to merge");
        map.merged.push_back(std::move(source));
      }
      return;
    }
    const auto [known, is_new] = map.places.try_emplace(key.scalar(), map.node.entries().size());
    if (!is_new)
      fail(key.position, Impl::text("duplicate key \"{}\"; it was given before at {}", key.scalar(),
                                    map.node.entries()[known->second].position.describe()));
    map.node.append({key.scalar(), key.position, std::move(value)});
  }

  const std::string& text_;
  const std::shared_ptr<const ConfigSource>& source_;
  int documents_ = 0;
  long count_ = 0;
  long kept_ = 0;  ///< nodes in the copies for aliases
  ConfigNode root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, ConfigNode> anchors_;  ///< complete nodes
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
    if (std::string_view("[{,]}&*!").find(text[at]) == std::string_view::npos) continue;
    if (text[at] == '[' || text[at] == '{') ++brackets;
    if (++indicators > max_indicators || brackets > max_nodes)
      fail(position_in(text, at, source),
           Impl::text("too many commas and brackets for the at most {} values of a configuration",
                      max_nodes));
  }
}

// Writing.

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

ConfigNode parse_yaml(const std::string& text, std::shared_ptr<const ConfigSource> source) {
  if (text.size() > max_bytes)
    throw ConfigError((source ? source->name + ": " : std::string()) + text_is_too_long);
  refuse_directives(text, source);
  require_few_indicators(text, source);
  DocumentBuilder builder(text, source);
  // Mark the end explicitly, so that the parser detects an open quote.
  const char* const end = has_wide_characters(text) ? ""
                          : text.ends_with('\n')    ? "...\n"
                                                    : "\n...\n";
  std::istringstream stream(text + end);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    if (error.msg == YAML::ErrorMsg::DOC_IN_SCALAR)
      fail(builder.position(error.mark),
           "not valid YAML: a quote is opened before this line and not closed");
    // The reported position may be after the last line, or missing.
    const ConfigPosition last = position_in(text, text.find_last_not_of(" \t\r\n"), source);
    const ConfigPosition where = builder.position(error.mark);
    const bool is_behind = error.mark.is_null() || where.line > last.line;
    fail(is_behind ? last : where, "not valid YAML: " + error.msg);
  }
  if (builder.root().is_null()) builder.root().position = {source, 1, 1};
  return std::move(builder.root());
}

ConfigNode read_yaml_file(const std::filesystem::path& file) {
  auto source = std::make_shared<ConfigSource>();
  source->name = file.string();
  const auto refuse = [&](const std::string& message) {
    throw ConfigError(source->name + ": " + message);
  };
  std::error_code ignored;
  const std::filesystem::file_status status = std::filesystem::status(file, ignored);
  if (is_directory(status)) refuse("is a folder, not a configuration file");
  if (is_character_file(status) || is_block_file(status))
    refuse("is a device, not a configuration file");
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(std::string("cannot be read: ") + std::strerror(errno));
  // A pipe may be endless.
  std::string text;
  std::vector<char> buffer(std::size_t{1} << 16);
  while (stream && text.size() <= max_bytes) {
    stream.read(buffer.data(), std::ssize(buffer));
    text.append(buffer.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) refuse(std::string("cannot be read: ") + std::strerror(errno));
  Impl::note_read(file);
  source->base_directory = std::filesystem::absolute(file).parent_path();
  return parse_yaml(text, source);
}

void apply_setting(ConfigNode& root, std::string_view setting) {
  auto source = std::make_shared<ConfigSource>();
  source->name = "--set " + std::string(setting);
  source->base_directory = std::filesystem::current_path();
  source->has_lines = false;
  const ConfigPosition where{source, 1, 1};
  const auto empty_map = [&](ConfigPosition position) {
    ConfigNode map = ConfigNode::map();
    map.position = std::move(position);
    return map;
  };

  const std::size_t equals = setting.find('=');
  if (equals == std::string_view::npos || equals == 0)
    fail(where, "expected key.path=value, for example solver.iterations=20");
  const std::string_view path = setting.substr(0, equals);

  if (root.is_null()) root = empty_map(root.position.source ? root.position : where);
  ConfigNode* node = &root;
  std::size_t begin = 0, end = 0;
  std::string_view key;
  while (true) {
    end = std::min(path.find('.', begin), path.size());
    key = path.substr(begin, end - begin);
    if (key.empty()) fail(where, Impl::text("an empty key in the path \"{}\"", path));
    if (!node->is_map())
      fail(where,
           Impl::text("{} is {} at {}, not a map; set it as a whole, for example {{key: value}}",
                      path.substr(0, begin == 0 ? 0 : begin - 1), node->describe(),
                      node->position.describe()));
    if (end == path.size()) break;
    ConfigNode* const child = node->find(key);
    node = child && !child->is_null() ? child : &node->set(key, empty_map(where));
    begin = end + 1;
  }

  const std::string text(setting.substr(equals + 1));
  ConfigNode value = parse_yaml(text, source);
  // An empty value would select the default instead of the value in the file, so accept it only if
  // it is written explicitly.
  const std::size_t first = std::min(text.find_first_not_of(" \t\r\n"), text.size());
  const std::string word = text.substr(first, text.find_last_not_of(" \t\r\n") + 1 - first);
  const bool is_empty_text = value.is_scalar() && value.scalar().empty();
  if ((value.is_null() && !is_null_word(word)) || (is_empty_text && word != "\"\"" && word != "''"))
    fail(where,
         Impl::text("\"{}\" is read as an empty value; put a text in YAML quotes, for example "
                    "'{}=\"{}\"', and write ~ for an empty value",
                    word, path, word));
  node->set(key, std::move(value));
}

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
