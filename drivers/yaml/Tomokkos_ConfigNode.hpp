// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_Description.hpp>
#include <concepts>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace Tomokkos {

/// \brief Source of the text of a node: a file, or one `--set` of the command line.
struct ConfigSource {
  std::string name;  ///< name in error messages: `scan.yaml`, `--set run.seed=x`
  std::filesystem::path base_directory;  ///< folder against which relative paths are resolved
  bool has_lines = true;                 ///< false if errors contain no line and column
};

/// \brief Position in a source, for error messages.
struct ConfigPosition {
  std::shared_ptr<const ConfigSource> source;
  int line = 0;    ///< counted from 1
  int column = 0;  ///< counted from 1

  /// \brief Describes the position: `file.yaml:3:5`, or only the name of a source without lines.
  std::string describe() const;
};

/// \brief Node of a YAML document as plain data, used to read configurations and to write reports.
/// Independent of the YAML library.
class ConfigNode {
 public:
  enum class Kind { null, scalar, list, map };
  struct Entry;

  // Defined where Entry is complete: nvcc instantiates std::vector<Entry> earlier than GCC does.
  ConfigNode();
  ConfigNode(const ConfigNode& other);
  ConfigNode(ConfigNode&& other) noexcept;
  ConfigNode& operator=(const ConfigNode& other);
  ConfigNode& operator=(ConfigNode&& other) noexcept;
  ~ConfigNode();

  /// \param flow true to write the map on one line: `{a: 1, b: 2}`
  static ConfigNode map(bool flow = false) { return {Kind::map, flow}; }
  /// \param flow true to write the list on one line: `[a, b]`
  static ConfigNode list(bool flow = true) { return {Kind::list, flow}; }
  /// \brief List of numbers, whole numbers or texts, written on one line.
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
  static ConfigNode texts(const auto& values) {
    ConfigNode node = list();
    for (const auto& value : values) node.push_back(text(std::string(value)));
    return node;
  }
  static ConfigNode text(std::string value);  ///< string, quoted if YAML would misread it
  static ConfigNode boolean(bool value) { return plain(value ? "true" : "false"); }
  static ConfigNode integer(std::integral auto value) { return plain(std::to_string(value)); }
  static ConfigNode number(double value);  ///< shortest text that reads back as the same double
  /// \brief Scalar that is written unchanged.
  /// \param quoted true for a string in quotes
  static ConfigNode plain(std::string value, bool quoted = false);

  Kind kind() const { return kind_; }
  bool is_null() const { return kind_ == Kind::null; }
  bool is_scalar() const { return kind_ == Kind::scalar; }
  bool is_list() const { return kind_ == Kind::list; }
  bool is_map() const { return kind_ == Kind::map; }

  const std::string& scalar() const { return scalar_; }
  /// \brief True for a quoted scalar, which is a string even if it looks like a number.
  bool is_quoted() const { return quoted_; }
  bool is_flow() const { return flow_; }
  const std::vector<ConfigNode>& items() const { return items_; }
  const std::vector<Entry>& entries() const { return entries_; }
  std::vector<Entry>& entries() { return entries_; }

  /// \brief Value of \p key in a map; nullptr if absent.
  const ConfigNode* find(std::string_view key) const;
  ConfigNode* find(std::string_view key);

  /// \brief Follows the dotted \p path through maps as far as it exists. \p rest receives the
  /// remainder of the path; empty: the value at the path was found.
  const ConfigNode& follow(std::string_view path, std::string_view& rest) const;
  /// \brief Value at the dotted \p path; nullptr if absent.
  const ConfigNode* at(std::string_view path) const {
    std::string_view rest;
    const ConfigNode& node = follow(path, rest);
    return rest.empty() ? &node : nullptr;
  }

  /// \brief Sets \p key of a map and replaces an existing value.
  ConfigNode& set(std::string_view key, ConfigNode value);
  /// \brief Appends to a map without checking for duplicates, which readers report.
  void append(Entry entry);
  void push_back(ConfigNode value);

  /// \brief Describes the node for messages: `the text "abc"`, `a list`, `nothing`.
  std::string describe() const;

  ConfigPosition position;

 private:
  ConfigNode(Kind kind, bool flow);

  Kind kind_ = Kind::null;
  bool flow_ = false;
  bool quoted_ = false;
  std::string scalar_;
  std::vector<ConfigNode> items_;
  std::vector<Entry> entries_;
};

/// \brief Key of a map with its value and the position of the key.
struct ConfigNode::Entry {
  std::string key;
  ConfigPosition position;
  ConfigNode value;
};

// Conversions for reports and `tomokkos info`.

/// \brief Converts \p description to a node of a document.
ConfigNode to_node(const Description& description);

/// \brief Converts a document to a description. Plain scalars become numbers and booleans where
/// they have that form.
Description description_of(const ConfigNode& node);

/// \brief Dotted paths of keys or sections.
using ConfigKeys = std::set<std::string, std::less<>>;

/// \brief Key whose values differ between two configurations.
struct ConfigDifference {
  std::string key;            ///< dotted path
  std::string first, second;  ///< values as text; `nothing`: absent
};

/// \brief Returns the first key whose values differ; empty if the configurations are equal. `none`
/// counts as absent. Order and layout do not matter.
///
/// \param ignored keys and sections that may differ
std::optional<ConfigDifference> first_difference(const ConfigNode& a, const ConfigNode& b,
                                                 const ConfigKeys& ignored);

}  // namespace Tomokkos
