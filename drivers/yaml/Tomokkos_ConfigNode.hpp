// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Where the text of a node came from: a file, or one `--set` of the command line.
struct ConfigSource {
  std::string name;                      ///< as errors name it: `scan.yaml`, `--set run.seed=x`
  std::filesystem::path base_directory;  ///< what relative paths are relative to
  bool has_lines = true;                 ///< false: errors give no line and column
};

/// \brief A place in a source, for error messages.
struct ConfigPosition {
  std::shared_ptr<const ConfigSource> source;
  int line = 0;    ///< from 1
  int column = 0;  ///< from 1

  /// \brief `file.yaml:3:5`, or the name of a source without lines.
  std::string describe() const;
};

/// \brief A node of a YAML document as plain data: what the reader of configurations takes and what
/// the writer of reports makes. Knows nothing of a YAML library.
class ConfigNode {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  // Defined where Entry is complete: nvcc looks into std::vector<Entry> earlier than GCC does.
  ConfigNode();
  ConfigNode(const ConfigNode& other);
  ConfigNode(ConfigNode&& other) noexcept;
  ConfigNode& operator=(const ConfigNode& other);
  ConfigNode& operator=(ConfigNode&& other) noexcept;
  ~ConfigNode();

  /// \param flow written on one line: `{a: 1, b: 2}`
  static ConfigNode map(bool flow = false);
  /// \param flow written on one line: `[a, b]`
  static ConfigNode list(bool flow = true);
  /// \brief Lists of numbers and of whole numbers, on one line.
  static ConfigNode numbers(const auto& values) {
    ConfigNode node = list();
    for (const auto& value : values) node.push_back(number(static_cast<double>(value)));
    return node;
  }
  static ConfigNode integers(const auto& values) {
    ConfigNode node = list();
    for (const auto& value : values) node.push_back(integer(static_cast<long long>(value)));
    return node;
  }
  static ConfigNode text(std::string value);  ///< a string, quoted where YAML would misread it
  static ConfigNode boolean(bool value) { return plain(value ? "true" : "false"); }
  static ConfigNode integer(std::integral auto value) { return plain(std::to_string(value)); }
  static ConfigNode number(double value);  ///< the shortest text that reads back to the same double
  /// \brief A scalar that is written as it stands.
  /// \param quoted a string in quotes, whatever it looks like
  static ConfigNode plain(std::string value, bool quoted = false);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_scalar() const { return kind_ == Kind::scalar; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_map() const { return kind_ == Kind::map; }

  const std::string& scalar() const { return scalar_; }
  /// \brief True for a scalar that was quoted, and so is a string whatever it looks like.
  bool is_quoted() const { return quoted_; }
  bool is_flow() const { return flow_; }
  const std::vector<ConfigNode>& items() const { return items_; }
  const std::vector<Entry>& entries() const { return entries_; }

  /// \brief The value of \p key in a map, or nullptr.
  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);

  /// \brief Sets \p key of a map, replacing what it held.
  ConfigNode& set(std::string_view key, ConfigNode value);
  /// \brief Appends to a map without looking for duplicates (which readers report).
  void append(Entry entry);
  void push_back(ConfigNode value);

  /// \brief What a person calls this: `the text "abc"`, `a list`, `nothing`.
  std::string describe() const;

  ConfigPosition position;

 private:
  explicit ConfigNode(Kind kind);

  Kind kind_ = Kind::null;
  bool quoted_ = false;
  bool flow_ = false;
  std::string scalar_;
  std::vector<ConfigNode> items_;
  std::vector<Entry> entries_;
};

/// \brief A key of a map with its value; the position is that of the key.
struct ConfigNode::Entry {
  std::string key;
  ConfigPosition position;
  ConfigNode value;
};

}  // namespace Tomokkos
