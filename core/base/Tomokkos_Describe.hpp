// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string_view>

namespace Tomokkos {

// A struct of parameters says once, in `describe(key, params)`, what configurations can set of it.
// `key` is a visitor, called for each key in the order in which people read them:
//
//   key.integer(name, member, least, most, help)
//   key.one_of(name, member, {values}, help)      a whole number of a list
//   key.number(name, member, range, help)
//   key.number_or_none(name, member, none, range, help)   `none` stands for an empty key
//   key.boolean(name, member, help)
//   key.text(name, member, form, help)            a text; `form` says what it is
//   key.name(name, member, help)                  an enumeration with `EnumNames`
//   key.name(name, member, {values}, help)        some of its values
//
// `key.only(of, member, value).integer(...)` describes a key that has an effect only where another
// key, `of`, has that value; `key.required(hint)` one that must be given. `help` is one sentence.
// The value that a member has by default is the default of its key. Readers, writers and documents
// are visitors.

/// \brief The numbers that a key takes.
struct KeyRange {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool includes_least = true;
  bool includes_most = true;
  /// Tells somebody who gives more why that is refused: "the iteration converges between 0 and 2".
  std::string_view because = {};

  static constexpr KeyRange positive() { return {.least = 0, .includes_least = false}; }
  static constexpr KeyRange not_negative() { return {.least = 0}; }
  /// \brief The relaxation of iterations that converge between 0 and 2.
  static constexpr KeyRange relaxation() {
    return {.least = 0,
            .most = 2,
            .includes_least = false,
            .includes_most = false,
            .because = "the iteration converges between 0 and 2"};
  }
};

/// \brief The largest value of an `int`, as the limit of a key that counts.
inline constexpr long long most_count = std::numeric_limits<int>::max();

}  // namespace Tomokkos
