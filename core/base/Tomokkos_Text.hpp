// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>

namespace Tomokkos::Impl {

/// \brief A value in a message: a whole number or a text.
using TextValue = std::variant<long long, unsigned long long, std::string_view>;

/// \brief \p format with its fields `{}` replaced by \p values, one after the other.
std::string format_values(std::string_view format, std::initializer_list<TextValue> values);

template <class Value>
TextValue text_value(const Value& value) {
  static_assert(
      !std::floating_point<Value> && !std::same_as<Value, bool>,
      "a message says how it writes such a value: describe_number, number_text or a word");
  if constexpr (std::same_as<Value, char>) {
    return std::string_view(&value, 1);
  } else if constexpr (std::signed_integral<Value>) {
    return static_cast<long long>(value);
  } else if constexpr (std::unsigned_integral<Value>) {
    return static_cast<unsigned long long>(value);
  } else {
    return std::string_view(value);
  }
}

/// \brief The text of a message with a field for each of Values, which the compiler counts.
template <class... Values>
class TextFormat {
 public:
  consteval TextFormat(const char* text) : text_(text) {
    std::size_t fields = 0;
    for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
      if (text_[i] != '{' && text_[i] != '}') continue;
      if (text_[i] == '{' && text_[i + 1] == '}') ++fields;
      ++i;  // the other half of a field, or of a brace that is meant
    }
    if (fields != sizeof...(Values)) throw "a message has one field {} for each value";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// \brief A message: \p format with its fields `{}` replaced by \p values, one after the other. A
/// brace that is meant is written twice.
template <class... Values>
std::string text(TextFormat<std::type_identity_t<Values>...> format, const Values&... values) {
  return format_values(format.text(), {text_value(values)...});
}

}  // namespace Tomokkos::Impl
