// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Tomokkos_EnumNames.hpp>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace Tomokkos {

/// \brief Plain data for a report: empty, a value, a list, or a map of named descriptions.
///
/// Operators, formats and solvers return a `Description`, so they do not depend on the format of
/// reports. A map keeps the order in which its names were set.
class Description {
 public:
  using Value = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
  enum class Kind { value, list, map };

  // Defined in the source file, where the class is complete: nvcc instantiates the vector earlier
  // than GCC.
  Description();  ///< an empty description
  Description(const Description& other);
  Description(Description&& other) noexcept;
  Description& operator=(const Description& other);
  Description& operator=(Description&& other) noexcept;
  ~Description();

  /// \brief Describes a boolean, a number, a string, a value of a named enumeration, an optional
  /// one of these, or a list of them.
  template <class T, std::enable_if_t<!std::is_same_v<T, Description>, int> = 0>
  Description(const T& value) {  // NOLINT(google-explicit-constructor)
    assign(value);
  }

  /// \param on_one_line true: writers print the map on one line, `{a: 1, b: 2}`
  static Description map(bool on_one_line = false);
  /// \param on_one_line true: writers print the list on one line, `[a, b]`
  static Description list(bool on_one_line = true);

  Kind kind() const { return kind_; }
  bool is_empty() const { return kind_ == Kind::value && value_.index() == 0; }
  bool is_on_one_line() const { return on_one_line_; }
  const Value& value() const { return value_; }
  /// \brief The entries of a list, or the values of a map.
  const std::vector<Description>& items() const { return items_; }
  /// \brief The names of a map, one for each of `items()`.
  const std::vector<std::string>& names() const { return names_; }

  /// \brief Finds the description called \p name in a map; null if there is none.
  const Description* find(std::string_view name) const;
  /// \brief Sets \p name in a map and replaces its previous description.
  Description& set(std::string_view name, Description described);
  /// \brief Sets \p name in a map unless \p described is empty.
  Description& set_if(std::string_view name, Description described);
  /// \brief Copies all entries of the map \p other into this map.
  Description& set_all(const Description& other);
  /// \brief Appends \p described to this list.
  Description& add(Description described);

 private:
  template <class T>
  struct IsOptional : std::false_type {};
  template <class T>
  struct IsOptional<std::optional<T>> : std::true_type {};

  template <class T>
  void assign(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value_ = value;
    } else if constexpr (std::is_enum_v<T>) {
      value_ = std::string(to_string(value));
    } else if constexpr (std::is_integral_v<T>) {
      value_ = static_cast<std::int64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      value_ = static_cast<double>(value);
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      value_ = std::string(std::string_view(value));
    } else if constexpr (IsOptional<T>::value) {
      if (value) assign(*value);
    } else {
      kind_ = Kind::list;
      on_one_line_ = true;
      for (const auto& item : value) items_.emplace_back(item);
    }
  }

  Kind kind_ = Kind::value;
  bool on_one_line_ = false;
  Value value_;
  std::vector<Description> items_;
  std::vector<std::string> names_;
};

/// \brief Map of \p entries, in their order.
inline Description describe_map(
    std::initializer_list<std::pair<std::string_view, Description>> entries,
    bool on_one_line = false) {
  Description described = Description::map(on_one_line);
  for (const auto& [name, entry] : entries) described.set(name, entry);
  return described;
}

}  // namespace Tomokkos
