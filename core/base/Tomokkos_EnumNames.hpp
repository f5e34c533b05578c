// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace Tomokkos {

/// \brief Names of the values of an enumeration in configurations and reports. Specialised next to
/// each enumeration with `static constexpr std::array<std::pair<Enum, std::string_view>, n> names`.
template <class Enum>
struct EnumNames;

/// \brief Makes `names` of an enumeration whose values count from 0 to \p last: their names in this
/// order.
template <auto last, class... Names>
constexpr auto names_up_to(Names... names) {
  static_assert(sizeof...(Names) == static_cast<std::size_t>(last) + 1, "every value needs a name");
  using Enum = decltype(last);
  int value = 0;
  return std::array<std::pair<Enum, std::string_view>, sizeof...(Names)>{
      {{static_cast<Enum>(value++), names}...}};
}

/// \brief Returns the name of \p value.
template <class Enum>
constexpr std::string_view to_string(Enum value) {
  for (const auto& [candidate, name] : EnumNames<Enum>::names)
    if (candidate == value) return name;
  return "?";
}

/// \brief Finds the value called \p name; empty if there is none.
template <class Enum>
constexpr std::optional<Enum> from_string(std::string_view name) {
  for (const auto& [candidate, candidate_name] : EnumNames<Enum>::names)
    if (candidate_name == name) return candidate;
  return std::nullopt;
}

}  // namespace Tomokkos
