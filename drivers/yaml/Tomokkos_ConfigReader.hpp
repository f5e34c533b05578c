// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <Tomokkos_Error.hpp>
#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief True when \p value is among \p values.
template <class Values, class Value>
bool holds(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

/// \brief Names of some values of an enumeration, and of all.
template <class Enum>
std::vector<std::string_view> names_of(const std::vector<Enum>& values) {
  std::vector<std::string_view> names;
  for (const Enum value : values) names.push_back(to_string(value));
  return names;
}
template <class Enum>
std::vector<std::string_view> names_of() {
  std::vector<std::string_view> names;
  for (const auto& [value, name] : EnumNames<Enum>::names) names.push_back(name);
  return names;
}

/// \brief Joins the names: `a, b, c`.
template <class Names>
std::string join_names(const Names& names, std::string_view separator = ", ") {
  std::string result;
  for (const auto& name : names) result.append(result.empty() ? "" : separator).append(name);
  return result;
}

/// \brief Range of the numbers that a key accepts.
using NumberRange = KeyRange;

// Readers of single values, for nodes that are not keys of a section (items of lists).

/// \brief Prefix of a message, `file.yaml:3:5: `. Empty for a value that was not read from a file.
std::string prefix_of(const ConfigPosition& position);

/// \brief Throws `ConfigError` with the position of \p node.
[[noreturn]] void fail_at(const ConfigNode& node, const std::string& path,
                          const std::string& message);
/// \brief Describes a range in words: `a number greater than 0`.
std::string describe_range(const NumberRange& range);
/// \brief Reads a finite number in \p range.
double number_of(const ConfigNode& node, const std::string& path, NumberRange range = {});
/// \brief Reads a whole number from \p low to \p high. `1e6` is accepted.
long long integer_of(const ConfigNode& node, const std::string& path, long long low,
                     long long high);
/// \brief Reads the numbers of a list.
std::vector<double> numbers_of(const ConfigNode& list, const std::string& path,
                               NumberRange range = {});
bool boolean_of(const ConfigNode& node, const std::string& path);
/// \brief Reads one of \p names.
const std::string& one_of(const ConfigNode& node, const std::string& path,
                          const std::vector<std::string_view>& names);
/// \brief Reads a list whose items are among \p names. Repeated items are returned once.
std::vector<std::string_view> list_of(const ConfigNode& node, const std::string& path,
                                      const std::vector<std::string_view>& names);
/// \brief Reads a scalar as text.
const std::string& string_of(const ConfigNode& node, const std::string& path);
/// \brief Reads an absolute path.
std::filesystem::path file_of(const ConfigNode& node, const std::string& path);
/// \brief Number in \p node; empty if it is not a number. Does not throw.
std::optional<double> as_number(const ConfigNode& node);

/// \brief Reads one section (a map) of a configuration. Errors name the position, the key path and
/// the allowed values.
///
/// A key that is absent or empty (`key:`) takes its default, unless it is described with "or
/// empty". Every function throws `ConfigError`.
class ConfigReader {
 public:
  /// \brief Checks that \p node is a map (or empty) and that all its keys are in \p allowed.
  ///
  /// \param path key path of the section, empty for the whole document.
  ConfigReader(const ConfigNode& node, std::string path, std::vector<std::string_view> allowed);

  /// \brief True when \p key is present and not empty.
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// \brief True when \p key is present and empty.
  bool is_empty(std::string_view key) const;

  /// \brief Value of \p key; nullptr when absent or empty.
  const ConfigNode* find(std::string_view key) const;

  /// \brief Section \p key. Has no entries when the key is absent.
  ConfigReader section(std::string_view key, std::vector<std::string_view> allowed) const;

  /// \brief Converts the node of \p key by \p read (`number_of`, ...); \p absent without one.
  template <class Value, class Read, class... Limits>
  Value value(std::string_view key, Value absent, const Read& read, const Limits&... limits) const {
    const ConfigNode* const node = find(key);
    return node ? Value(read(*node, path_of(key), limits...)) : absent;
  }
  bool boolean(std::string_view key, bool absent) const { return value(key, absent, boolean_of); }
  long long integer(std::string_view key, long long absent, long long low, long long high) const {
    return value(key, absent, integer_of, low, high);
  }
  double number(std::string_view key, double absent, NumberRange range = {}) const {
    return value(key, absent, number_of, range);
  }
  std::string string(std::string_view key, std::string absent = {}) const {
    return value(key, std::move(absent), string_of);
  }
  /// \brief Absolute path of a file. A relative path is resolved against the folder of the
  /// configuration file.
  std::filesystem::path file(std::string_view key) const {
    return value(key, std::filesystem::path(), file_of);
  }
  /// \brief Reads one of \p names.
  std::string one_of(std::string_view key, std::string_view absent,
                     const std::vector<std::string_view>& names) const {
    return value(key, std::string(absent), Tomokkos::one_of, names);
  }
  /// \brief Reads one of the names of an enumeration.
  template <class Enum>
  Enum choice(std::string_view key, Enum absent) const {
    return *from_string<Enum>(one_of(key, to_string(absent), names_of<Enum>()));
  }

  /// \brief Throws unless \p key is present. \p hint completes the message.
  void require_key(std::string_view key, const std::string& hint) const;
  /// \brief Throws with the message \p reason when \p key is present.
  void refuse_key(std::string_view key, const std::string& reason) const;

  /// \brief Throws an error with the position and the path of \p key.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

  /// \brief Throws an error at the dotted \p path, relative to this section. The position is that
  /// of the longest part of the path that exists.
  [[noreturn]] void fail_at_path(std::string_view path, const std::string& message) const;
  /// \brief Value at the dotted \p path, relative to this section; nullptr when absent or empty.
  const ConfigNode* find_path(std::string_view path) const;
  /// \brief True when there is a value at the dotted \p path.
  bool given(std::string_view path) const { return find_path(path) != nullptr; }
  /// \brief Scalar at the dotted \p path as text; empty if there is none.
  std::string text_at(std::string_view path) const;

  /// \brief Checks a rule that connects keys: refuses the value at the dotted \p path with \p
  /// message if \p is_broken.
  void rule(bool is_broken, std::string_view path, const std::string& message) const {
    if (is_broken) fail_at_path(path, message);
  }
  /// \brief Refuses the value at \p path with the message of the `Error` that \p check throws.
  template <class Check>
  void passes(std::string_view path, const Check& check) const {
    try {
      check();
    } catch (const Error& error) {
      fail_at_path(path, error.what());
    }
  }

  /// \brief `section.key`.
  std::string path_of(std::string_view key) const;

 private:
  /// Throws an error at \p node or, if it has no position, at the section.
  [[noreturn]] void fail_near(const ConfigNode* node, std::string_view path,
                              const std::string& message) const;

  const ConfigNode* node_;
  ConfigPosition position_;  // of the section; if absent, of the enclosing section
  std::string path_;
  std::vector<std::string_view> allowed_;
};

/// \brief Name closest to \p name, if close enough for a typing error; otherwise empty.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& names);

}  // namespace Tomokkos
