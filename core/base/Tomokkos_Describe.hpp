// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <limits>
#include <string_view>

namespace Tomokkos {

// A struct of parameters lists its configurable members once, in `describe(key, params)`. `key` is
// a visitor. It is called for each key, in the order in which keys are documented:
//
//   key.integer(name, member, least, most, help)
//   key.one_of(name, member, {values}, help)      an integer from a list
//   key.number(name, member, range, help)
//   key.number_or_none(name, member, none, range, help)   `none` is the value of an empty key
//   key.boolean(name, member, help)
//   key.text(name, member, form, help)            a string; `form` describes its syntax
//   key.name(name, member, help)                  an enumeration with `EnumNames`
//   key.name(name, member, {values}, help)        an enumeration, restricted to some values
//
// `key.only(of, member, value).integer(...)` describes a key that has an effect only if the key
// `of` has that value. `key.required(hint)` describes a mandatory key. `help` is one sentence. The
// default value of the member is the default of its key. Readers, writers and documentation
// generators are visitors.

/// \brief Range of numbers that a key accepts.
struct KeyRange {
  double minimum = -std::numeric_limits<double>::infinity();
  double maximum = std::numeric_limits<double>::infinity();
  bool includes_minimum = true;
  bool includes_maximum = true;
  /// Reason for the upper limit, added to the error message: "the iteration converges between 0 and
  /// 2".
  std::string_view because = {};

  static constexpr KeyRange positive() { return {.minimum = 0, .includes_minimum = false}; }
  static constexpr KeyRange not_negative() { return {.minimum = 0}; }
  /// \brief Range for relaxation factors of iterations that converge between 0 and 2, both
  /// excluded.
  static constexpr KeyRange relaxation() {
    return {.minimum = 0,
            .maximum = 2,
            .includes_minimum = false,
            .includes_maximum = false,
            .because = "the iteration converges between 0 and 2"};
  }
};

/// \brief Largest value of an `int`: the upper limit of keys that count.
inline constexpr long long max_count = std::numeric_limits<int>::max();

}  // namespace Tomokkos
