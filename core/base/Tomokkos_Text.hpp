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

/// \brief Value in a message: an integer or a string.
using TextValue = std::variant<long long, unsigned long long, std::string_view>;

/// \brief Replaces the fields `{}` of \p format by \p values, in order.
std::string format_values(std::string_view format, std::initializer_list<TextValue> values);

template <class Value>
TextValue text_value(const Value& value) {
  static_assert(!std::floating_point<Value> && !std::same_as<Value, bool>,
                "convert the value to text first: use describe_number, number_text or a word");
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

/// \brief Format of a message. The compiler checks that it has one field for each of Values.
template <class... Values>
class TextFormat {
 public:
  consteval TextFormat(const char* text) : text_(text) {
    std::size_t fields = 0;
    for (std::size_t i = 0; i + 1 < text_.size(); ++i) {
      if (text_[i] != '{' && text_[i] != '}') continue;
      if (text_[i] == '{' && text_[i + 1] == '}') ++fields;
      ++i;  // the second character of a field or of an escaped brace
    }
    if (fields != sizeof...(Values)) throw "a message has one field {} for each value";
  }
  constexpr std::string_view text() const { return text_; }

 private:
  std::string_view text_;
};

/// \brief Formats a message: replaces the fields `{}` of \p format by \p values, in order. Literal
/// braces are doubled.
template <class... Values>
std::string text(TextFormat<std::type_identity_t<Values>...> format, const Values&... values) {
  return format_values(format.text(), {text_value(values)...});
}

}  // namespace Tomokkos::Impl
