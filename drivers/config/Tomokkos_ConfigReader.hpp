// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_ConfigNode.hpp>
#include <Tomokkos_Describe.hpp>
#include <Tomokkos_EnumNames.hpp>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace Tomokkos {

/// \brief The numbers that a key takes.
using NumberRange = KeyRange;

/// \brief One section (map) of a configuration with the keys that it may hold: typed access, and
/// errors that name the place, the key path and what is allowed.
///
/// A key that is absent or empty (`key:`) takes its default. Every function throws `ConfigError`.
class ConfigReader {
 public:
  /// \brief Checks that \p node is a map (or empty) and that all its keys are in \p allowed.
  ///
  /// \param path key path of the section, empty for the whole document.
  ConfigReader(const ConfigNode& node, std::string path, std::vector<std::string_view> allowed);

  /// \brief True when \p key is there and not empty.
  bool has(std::string_view key) const { return find(key) != nullptr; }

  /// \brief The value of \p key, nullptr when absent or empty.
  const ConfigNode* find(std::string_view key) const;

  /// \brief The section \p key; without entries when it is absent.
  ConfigReader section(std::string_view key, std::vector<std::string_view> allowed) const;

  bool boolean(std::string_view key, bool default_value) const;
  long long integer(std::string_view key, long long default_value, long long low,
                    long long high) const;
  double number(std::string_view key, double default_value, NumberRange range = {}) const;
  std::optional<double> optional_number(std::string_view key, NumberRange range = {}) const;
  std::string string(std::string_view key, std::string default_value = {}) const;
  /// \brief A path, absolute: relative ones are relative to where they were written.
  std::filesystem::path file(std::string_view key) const;

  /// \brief One of \p names.
  std::string one_of(std::string_view key, std::string_view default_value,
                     const std::vector<std::string_view>& names) const;

  /// \brief The items of a list, each one of \p names; repeated ones once.
  std::vector<std::string_view> list_of(std::string_view key,
                                        const std::vector<std::string_view>& names) const;

  /// \brief One of the names of an enumeration.
  template <class Enum>
  Enum choice(std::string_view key, Enum default_value) const {
    std::vector<std::string_view> names;
    for (const auto& [value, name] : EnumNames<Enum>::names) names.push_back(name);
    return *from_string<Enum>(one_of(key, to_string(default_value), names));
  }

  /// \brief Throws unless \p key is there.
  void require_key(std::string_view key, const std::string& hint) const;
  /// \brief Throws when \p key is there, saying \p reason.
  void refuse_key(std::string_view key, const std::string& reason) const;

  /// \brief Throws with the position of \p key and its path.
  [[noreturn]] void fail(std::string_view key, const std::string& message) const;

  /// \brief Throws with the position of what is there of the dotted \p path, from this section.
  [[noreturn]] void fail_at_path(std::string_view path, const std::string& message) const;
  /// \brief True when the dotted \p path, from this section, leads to something that is not empty.
  bool has_path(std::string_view path) const;

  /// \brief `section.key`.
  std::string path_of(std::string_view key) const;

 private:
  const ConfigNode* node_;
  ConfigPosition position_;  // of the section, or of what should hold it
  std::string path_;
  std::vector<std::string_view> allowed_;
};

// The values themselves, for nodes that are not keys of a section (items of lists).

/// \brief `file.yaml:3:5: ` in front of a message; nothing for what was not read from anywhere.
std::string prefix_of(const ConfigPosition& position);

/// \brief Throws `ConfigError` with the position of \p node.
[[noreturn]] void fail_at(const ConfigNode& node, const std::string& path,
                          const std::string& message);
/// \brief `a number greater than 0`
std::string describe_range(const NumberRange& range);
/// \brief A finite number in \p range.
double number_of(const ConfigNode& node, const std::string& path, NumberRange range = {});
/// \brief A whole number from \p low to \p high; `1e6` is one.
long long integer_of(const ConfigNode& node, const std::string& path, long long low,
                     long long high);
/// \brief A scalar as text.
const std::string& string_of(const ConfigNode& node, const std::string& path);
/// \brief A path, absolute.
std::filesystem::path file_of(const ConfigNode& node, const std::string& path);
/// \brief The number that \p node is, without complaint.
std::optional<double> as_number(const ConfigNode& node);

/// \brief The name nearest to \p name, if one is near enough to be a slip.
std::optional<std::string_view> nearest_name(std::string_view name,
                                             const std::vector<std::string_view>& names);

/// \brief `a, b, c`.
std::string join_names(const std::vector<std::string_view>& names);

}  // namespace Tomokkos
